"""Protects Museum: Pictura's text and pictures.

A person must be able to play from either: all that a seat knows stands there, every legal action can be read off,
nothing that the seat does not know shows through, and drawing changes neither the game nor a display of the user's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import render_test

from env_core import MissingExtraError
from pictura_env import pictura_v0, render
from pictura_env.cards import DEFAULT_PATH
from pictura_env.state import (
    DOMAINS,
    EMPTY,
    FINAL_MENU,
    FINAL_PUT_DOWN,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    KEEPING_TREND,
    MENU,
    MUSEUMS,
    NOTHING,
    ON_THE_WAY,
    OVER,
    PERIODS,
    PHASE_NAMES,
    ROWS,
    TRADE_GIVE,
)

pygame = pytest.importorskip("pygame")

GAMES = [
    {"num_players": 2},
    {"num_players": 3, "exhibits_per_action": 2, "rearrange_limit": 1},
    {"num_players": 4, "max_rounds": 6},
]
SEED = 3
EVERY = 7
"""Positions of a game that are looked at: every so many, and the last."""


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    """Tests open no window on the screen of whoever runs them."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


every_game = pytest.mark.parametrize("options", GAMES, ids=lambda options: f"{options['num_players']} players")


def positions(options: dict, every: int = EVERY, seed: int = SEED) -> Iterator[np.void]:
    """Some positions of a random game in which paintings are picked up rarely, and its end."""
    batch = pictura_v0.batch_env(1, auto_reset=False, **options)
    batch.reset(seed=seed)
    rng = np.random.default_rng(seed)
    place = 0
    while batch.seat[0] >= 0:
        if place % every == 0:
            yield batch.states[0]
        legal = np.flatnonzero(batch.action_mask[0])
        if batch.states["phase"][0] == MENU and rng.random() < 0.9:
            other = legal[(legal < 180) | (legal >= 205)]
            legal = other if len(other) else legal
        batch.step(rng.choice(legal, size=1))
        place += 1
    yield batch.states[0]


def ended(options: dict) -> np.void:
    *_, state = positions(options, every=10_000)
    return state


def legal_actions(state: np.void) -> set[int]:
    batch = pictura_v0.batch_env(1, auto_reset=False)
    mask = np.zeros(render.rules.number_of_actions(state), np.int8)
    batch.game.kernels.write_action_mask(state, mask)
    return set(np.flatnonzero(mask).tolist())


def code(state: np.void, painting: int) -> str:
    period, domain = int(state["painting_period"][painting]), int(state["painting_domain"][painting])
    return f"{render.PERIOD_SHORT[period]}{int(state['painting_painter'][painting])}{render.DOMAIN_SHORT[domain]}"


def at(state: np.void, place: int) -> dict[int, str]:
    """The paintings in a place, each with its code."""
    return {painting: code(state, painting) for painting in np.flatnonzero(state["where"] == place).tolist()}


def block(text: str, begins: str) -> str:
    """The lines of a block of the text, from the one that begins so."""
    (found,) = [part for part in text.split("\n\n") if part.startswith(begins)]
    return found


def read_paintings(part: str) -> dict[int, str]:
    """The numbered paintings in a part of the text."""
    return {int(number): name for number, name in re.findall(r"(\d+)\]? +([A-Z][a-z]\d+[a-z]{2})\b", part)}


def read_museum(part: str) -> list[str]:
    """The 25 cells of a museum."""
    return re.findall(r"__|[A-Z][a-z]\d+[a-z]{2}\b", part)


def museum(state: np.void, seat: int) -> list[str]:
    return ["__" if hanging == EMPTY else code(state, hanging - 1) for hanging in state["slots"][seat].tolist()]


# --- Text ----------------------------------------------------------------------------------------------------------


@every_game
def test_text_shows_every_legal_action_and_fits_the_terminal(options):
    phases = set()
    for place, state in enumerate(positions(options, every=1)):
        seat = int(state["seat"])
        phase = PHASE_NAMES[state["phase"]]
        if phase in phases and place % 11:
            continue
        phases.add(phase)
        text = render.text(state, seat if state["phase"] != OVER else None)
        lines = text.splitlines()
        assert not [line for line in lines if len(line) > 100]
        assert all(line == line.rstrip() for line in lines)
        assert {int(number) for number in re.findall(r"\[(\d+)\]", text)} == legal_actions(state)
        if state["phase"] != OVER:
            assert lines[-1].startswith(f"player_{seat} (you): ")
        for other in range(options["num_players"]):
            if other != seat:
                assert not re.search(r"\[\d+\]", render.text(state, other))
    assert phases >= {
        "keep_trend",
        "trade_take",
        "trade_give",
        "menu",
        "place",
        "pay",
        "put_down",
        "take_favor",
        "over",
    }


@every_game
def test_text_shows_the_table(options):
    players = options["num_players"]
    for state in positions(options):
        viewer = int(state["seat"]) if state["phase"] != OVER else 0
        text = render.text(state, viewer)
        shown = block(text, "International museums").splitlines()[1:]
        for place in range(MUSEUMS):
            assert read_paintings(shown[place]) == at(state, IN_MUSEUM + place)
            trend = int(state["museum_trends"][place])
            for painting, worth in re.findall(r"(\d+)\]? +[A-Z][a-z]\d+[a-z]{2} +(\d)", shown[place]):
                assert int(worth) == render.rules.best(state, int(painting), trend)
        assert read_museum("\n".join(block(text, "Your museum").splitlines()[2:])) == museum(state, viewer)
        for seat in range(players):
            (line,) = re.findall(rf"^[> ] player_{seat}(?: \(you\))? +\d.*$", text, re.MULTILINE)
            numbers = [int(number) for number in re.findall(r"\b\d+\b", line.replace(f"player_{seat}", ""))]
            fields = ("prestige", "markers", "hand_sizes", "favors_held", "discard_sizes", "patrons_claimed")
            assert numbers == [int(state[field][seat]) for field in (*fields, "exhibitions")]
            assert (line[0] == ">") == (int(state["seat"]) == seat)
            label = f"{'Your discards' if seat == viewer else f'Discards of player_{seat}'}:"
            pile = re.search(rf"^{label}((?:.*,\n)*.*)$", text, re.MULTILINE)
            assert read_paintings(pile[1] if pile else "") == at(state, IN_DISCARD + seat)
        on_the_way = at(state, ON_THE_WAY)
        if on_the_way:
            assert " ".join(map(str, *on_the_way.items())) in text.splitlines()[-1]


@every_game
def test_text_shows_the_museums_of_others(options):
    for state in positions(options):
        text = render.text(state, None)
        seats = range(options["num_players"])
        for first in seats[::2]:
            lines = block(text, f"Museum of player_{first}").splitlines()[1:]
            assert len(lines) == ROWS
            for seat, start in zip(seats[first : first + 2], (0, 50), strict=False):
                assert read_museum("\n".join(line[start : start + 50] for line in lines)) == museum(state, seat)


@every_game
def test_text_shows_patrons_favors_tokens_and_reward_spaces(options):
    for state in positions(options, every=23):
        text = render.text(state, 0)
        patrons = block(text, "Patrons shown").splitlines()[1:6]
        for line, patron in zip(patrons, state["shown"].tolist(), strict=True):
            if patron == NOTHING:
                assert line.endswith("nobody")
            else:
                assert re.match(rf"  \d +{patron} ", line)
                fits = min(int(re.search(r"has (\d+)$", line)[1]), int(state["patron_count"][patron]))
                assert (fits == state["patron_count"][patron]) == render.rules.meets(state, 0, patron)
        favors = block(text, "Favors").splitlines()[1:]
        held = [int(re.search(r"(\d+)  \d+ of \d+$", line)[1]) for line in favors]
        assert held == state["favors"][0, : len(favors)].tolist()
        assert [int(line.split()[-3]) for line in favors] == state["used_favors"][: len(favors)].tolist()
        kinds = block(text, "Exhibitions").splitlines()[2:]
        tokens = [0 if cell == "-" else len(cell.split(",")) for cell in kinds[0].split()[2:]]
        assert tokens == state["tokens_left"].tolist()
        for seat, line in enumerate(kinds[1:]):
            cells = re.sub(r"player_\d(?: \(you\))?", "", line).split()
            assert ["*" in cell for cell in cells] == state["kinds_shown"][seat].astype(bool).tolist()
        for space, line in enumerate(block(text, "Reward spaces").splitlines()[1:]):
            found = line.split()[-options["num_players"] :]
            tokens = state["spaces"][: options["num_players"], space].tolist()
            assert found == [render.KIND_SHORT[token - 1] if token else "." for token in tokens]


@every_game
def test_text_shows_trends_and_how_the_turn_stands(options):
    for state in positions(options, every=11):
        text = render.text(state, 0)
        trends = block(text, "Public trend")
        assert trends.startswith(f"Public trend #{int(state['public_trend'])} ")
        (used,) = re.findall(r"^Used before:((?:.*,\n)*.*)$", trends, re.MULTILINE)
        assert [int(trend) for trend in re.findall(r"#(\d+)", used)] == np.flatnonzero(state["used_trends"]).tolist()
        if state["secret_trend"][0] != NOTHING:
            assert f"Your secret trend #{int(state['secret_trend'][0])} " in trends
        if state["phase"] not in (KEEPING_TREND, OVER):
            moves = int(state["moves_made"])
            assert re.search(rf"^Turn of player_{int(state['active'])}: .*\b{moves} of \d+ moves", text, re.MULTILINE)
        if state["phase"] not in (KEEPING_TREND, FINAL_MENU, FINAL_PUT_DOWN, OVER):
            assert ("played a favor" in text) == bool(state["favor_played"])
            assert ("claimed a patron" in text) == bool(state["patron_taken"])
            assert ("next exhibit is free" in text) == bool(state["free_exhibit"])
        for deck in ("painting", "trend", "favor", "patron"):
            assert re.search(rf"In the decks: .*\b{int(state[f'{deck}_left'])} {deck}", text)


def test_text_says_what_a_trend_is_worth():
    state = next(positions({"num_players": 2}))
    state["public_trend"] = 7
    state["trend_values"][7] = (0, 4, 2)  # period, domain, painter
    assert "Public trend #7 Ba+0 p7+2 hi+4" in render.text(state, 0)


def test_text_says_who_has_the_end_token_and_that_a_game_was_cut_off():
    state = ended({"num_players": 4, "max_rounds": 2})
    assert "Game over, cut off after 2 rounds: " in render.text(state, None)
    state = next(positions({"num_players": 3}))
    state["end_token"], state["last_turns"] = 2, 1
    assert "end token: player_2, 1 turn left." in render.text(state, 0)


@pytest.mark.parametrize(
    ("players", "winning", "said"),
    [
        (2, (0, 1), "Game over: player_1 wins."),
        (3, (1, 0, 1), "Game over: player_0 and player_2 share the win."),
        (4, (0, 0, 0, 1), "Game over: player_3 wins."),
    ],
)
def test_text_says_who_has_won(players, winning, said):
    state = next(positions({"num_players": players}))
    state["phase"], state["seat"] = OVER, -1
    state["winning"][: len(winning)] = winning
    assert render.text(state, None).endswith(said)


def test_a_game_broken_off_by_an_illegal_action_can_be_drawn():
    env = pictura_v0.env(render_mode="ansi")
    env.reset(seed=2)
    offender = env.agent_selection
    env.step(0)  # nothing but a trend can be kept now
    assert env.render().endswith(f"All hands lie open; the turn is with {offender}.")


def test_each_kind_has_a_short_name_of_its_own():
    assert len({name.lower() for name in render.KIND_SHORT}) == PERIODS + DOMAINS


def widest_cards(folder: Path) -> str:
    """A card file in which everything takes as much room as it may."""
    toml = DEFAULT_PATH.read_text(encoding="utf-8")
    types = ['{ name = "widest", copies = 1, upper = "prestige 50", lower = "recover 50" }'] * 24
    toml = re.sub(r"types = \[.*?\n\]", f"types = [{', '.join(types)}]", toml, flags=re.DOTALL)
    patron = '{ painter = 29, period = 4, domain = 4, count = 25, points = 50, reward = "free_exhibit" }'
    toml = re.sub(r"cards = \[.*?\n\]", f"cards = [{', '.join([patron] * 60)}]", toml, flags=re.DOTALL)
    toml = re.sub(r"(space\w*) 1\"", r'\1 1"', toml)
    toml = re.sub(r'"(acquisition|hand_limit|trade|exhibition|end_per\w+) \d"', r'"\1 50"', toml)
    toml = toml.replace("[3, 0]", "[50, 50]")
    path = folder / "widest.toml"
    path.write_text(toml, encoding="utf-8")
    return str(path)


def test_any_card_file_fits(tmp_path):
    options = {"num_players": 4, "cards": widest_cards(tmp_path), "max_rounds": 5}
    for state in positions(options, every=3):
        seat = int(state["seat"])
        for viewer in (seat if seat >= 0 else None, None):
            text = render.text(state, viewer)
            assert not [line for line in text.splitlines() if len(line) > 100]
        if seat >= 0:
            found = {int(number) for number in re.findall(r"\[(\d+)\]", render.text(state, seat))}
            assert found == legal_actions(state)
    assert render.picture(state, None).shape == (render.HEIGHT, render.WIDTH, 3)


# --- Both ----------------------------------------------------------------------------------------------------------


def test_hands_are_shown_to_those_who_may_see_them():
    for state in positions({"num_players": 3}, every=29):
        hands = [at(state, IN_HAND + seat) for seat in range(3)]
        for viewer in (0, 1, 2, None):
            text = render.text(state, viewer)
            shown = re.findall(r"^(?:Your hand|Hand of player_(\d)) .*((?:\n .*)*)$", text, re.MULTILINE)
            seats = [int(seat) if seat else viewer for seat, _ in shown]
            assert seats == ([0, 1, 2] if viewer is None else [viewer])
            for seat, (_, part) in zip(seats, shown, strict=True):
                assert read_paintings(part) == hands[seat]


@every_game
def test_nothing_hidden_shows_through(options):
    batch = pictura_v0.batch_env(1, auto_reset=False, **options)
    batch.reset(seed=SEED)
    for place, state in enumerate(positions(options, every=37)):
        if state["phase"] == OVER:
            continue
        batch.states[0] = state
        for viewer in range(options["num_players"]):
            other = batch.resample_hidden(viewer, seed=place).states[0]
            assert render.text(state, viewer) == render.text(other, viewer)
            if place % 4 == 0:
                assert (render.picture(state, viewer) == render.picture(other, viewer)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_drawing_changes_nothing_and_repeats(players):
    for state in positions({"num_players": players}, every=301):
        before = state.tobytes()
        frozen = np.array([state])
        frozen.flags.writeable = False
        for viewer in (0, None):
            assert render.text(state, viewer) == render.text(frozen[0], viewer)
            assert (render.picture(state, viewer) == render.picture(frozen[0], viewer)).all()
        assert state.tobytes() == before


# --- Picture -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pictures_have_one_size_and_show_each_painting_in_its_colour(players):
    for state in positions({"num_players": players}, every=97):
        picture = render.picture(state, None if state["phase"] == OVER else int(state["seat"]))
        assert picture.dtype == np.uint8
        assert picture.shape == (720, 1280, 3)
        width = (render.WIDTH - 2 * render.MARGIN - (players - 1) * render.GAP) / players
        size = render.SLOT_SIZE_BY_PLAYERS[players]
        for seat in range(players):
            left = render.MARGIN + seat * (width + render.GAP) + 10
            top = render.PLAYERS_TOP + render.HEADER_HEIGHT
            for slot, hanging in enumerate(state["slots"][seat].tolist()):
                y, x = round(top + slot // ROWS * size), round(left + slot % ROWS * size)
                cell = picture[y + 6 : y + size - 6, x + 6 : x + size - 6].reshape(-1, 3)
                colours, counts = np.unique(cell, axis=0, return_counts=True)
                in_gallery = slot // ROWS == 2 or slot % ROWS == 2
                wanted = render.GALLERY_FLOOR if in_gallery else render.FLOOR
                if hanging != EMPTY:
                    wanted = render.PERIOD_PAINT[int(state["painting_period"][hanging - 1])]
                assert np.abs(colours[counts.argmax()].astype(int) - wanted).max() <= 1, (seat, slot)


def test_every_domain_has_a_symbol_of_its_own():
    state = next(positions({"num_players": 2}))
    state["slots"][0] = 0
    drawn = set()
    for domain in range(DOMAINS):
        state["slots"][0, 7] = domain + 1
        drawn.add(render.picture(state, 1).tobytes())
    assert len(drawn) == DOMAINS


def test_pictures_differ_wherever_the_table_does():
    state = next(state for state in positions({"num_players": 4}, every=1, seed=4) if state["phase"] == MENU)
    state["seat"] = state["active"] = 0
    state["favors"][2] = 0
    state["favors"][2, 0] = 2  # as many as favors_held will say
    hand = np.flatnonzero(state["where"] == IN_HAND + 0)
    deck = np.flatnonzero(state["where"] == 0)
    changes: list[tuple[str, object, int]] = [
        ("prestige", 1, 7),
        ("markers", 2, 60),
        ("slots", (1, 4), 1 + deck[0]),
        ("where", hand[0], IN_MUSEUM),
        ("public_trend", (), 29),
        ("museum_trends", 3, 28),
        ("secret_trend", 0, 27),
        ("favors_held", 2, 2),
        ("hand_sizes", 3, 13),
        ("patrons_claimed", 1, 9),
        ("shown", 4, 58),
        ("shown", 0, NOTHING),
        ("tokens_left", 3, 1),
        ("spaces", (2, 5), 4),
        ("painting_left", (), 11),
        ("trend_left", (), 3),
        ("favor_left", (), 5),
        ("patron_left", (), 7),
        ("round", (), 33),
        ("moves_made", (), 3),
        ("end_token", (), 2),
        ("where", deck[1], IN_DISCARD + 1),
        ("chosen_slot", (), 12),
        ("active", (), 3),
        ("seat", (), 2),
    ]
    drawn = {render.picture(state, 0).tobytes()}
    for count, (field, place, value) in enumerate(changes, start=2):
        if isinstance(place, tuple) and not place:
            state[field] = value
        else:
            state[field][place] = value
        drawn.add(render.picture(state, 0).tobytes())
        assert len(drawn) == count, field
    others = {render.picture(state, viewer).tobytes() for viewer in (1, 2, 3, None)}
    assert len(drawn | others) == len(drawn) + 4


def test_a_painting_on_its_way_is_shown():
    state = next(state for state in positions({"num_players": 2}, every=1) if state["phase"] == TRADE_GIVE)
    with_it = render.picture(state, 0)
    strip = slice(render.TOKENS_TOP, render.TOKENS_TOP + render.TOKENS_HEIGHT)
    state["chosen"] = NOTHING
    state["phase"] = MENU
    assert (render.picture(state, 0)[strip] != with_it[strip]).any()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_hands_and_piles_of_any_size_stay_in_their_panel(players):
    state = next(positions({"num_players": players}))
    before = render.picture(state, 0)
    paintings = np.flatnonzero(state["where"] == 0)
    state["where"][paintings[:60]] = IN_HAND + 0
    state["hand_sizes"][0] += 60
    state["where"][paintings[60:110]] = IN_DISCARD + 0
    state["favors_held"][0] = 9
    state["favors"][0, 0] = 9
    state["secret_trend"][0] = state["dealt_trends"][0, 0]
    after = render.picture(state, 0)
    width = (render.WIDTH - 2 * render.MARGIN - (players - 1) * render.GAP) / players
    edge = round(render.MARGIN + width)
    changed = (before != after).any(axis=2)
    assert changed[render.PLAYERS_TOP :, :edge].any()
    assert not changed[:, edge:].any()
    assert not changed[: render.PLAYERS_TOP].any()
    assert not changed[render.HEIGHT - render.GAP :].any()


def test_prestige_beyond_the_track_goes_round_again():
    state = next(positions({"num_players": 2}))
    pictures = set()
    for prestige in (1, 51, 101):
        state["prestige"][0] = prestige
        pictures.add(render.picture(state, 0).tobytes())
    assert len(pictures) == 3


def test_a_picture_opens_no_display_and_leaves_the_users_alone():
    env = pictura_v0.raw_env(render_mode="rgb_array")
    env.reset(seed=1)
    pygame.display.quit()
    first = env.render()
    assert not pygame.display.get_init()
    display = pygame.display.set_mode((40, 30))
    display.fill((9, 8, 7))
    assert (env.render() == first).all()
    assert pygame.display.get_surface() is display
    assert display.get_at((5, 5))[:3] == (9, 8, 7)


def test_text_needs_no_pygame_and_a_picture_says_what_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    state = next(positions({"num_players": 2}))
    assert "Museum: Pictura" in render.text(state, 0)
    with pytest.raises(MissingExtraError, match=r"gallery-envs\[render\]"):
        render.picture(state, 0)


# --- By way of the environment -------------------------------------------------------------------------------------


def test_pettingzoo_render_test():
    render_test(lambda render_mode: pictura_v0.env(render_mode=render_mode))


def test_a_window_shows_the_game_until_it_is_closed():
    env = pictura_v0.raw_env(render_mode="human")
    env.reset(seed=6)
    assert env.render() is None
    for _ in range(3):
        env.step(env.legal_actions()[0])
    shown = pygame.surfarray.array3d(env._window._window.get_surface()).swapaxes(0, 1)
    assert (shown == render.picture(env.table.states[0], int(env.table.seat[0]))).all()
    env.close()
    env.close()
