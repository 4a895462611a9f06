"""Protects Masters Gallery's text and pictures.

A person must be able to play from either: all that a seat knows stands there, the legal moves can be read off, nothing
that the seat does not know shows through, and drawing changes neither the game nor a display of the user's own.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from pettingzoo.test import render_test

from env_core import MissingExtraError
from masters_env import masters_v0, render
from masters_env.state import (
    ARTIST_NAMES,
    ARTISTS,
    AWARDING,
    CARD_TYPES,
    CHOOSING,
    COPIES,
    EXTRA_CARD,
    LIMIT_BY_PLAYERS,
    NOTHING,
    OVER,
    PHASE_NAMES,
    PHASES,
    PLAIN,
    PLAYING,
    SECOND_DOWN,
    SECOND_UP,
    SYMBOL_NAMES,
    SYMBOLS,
)

pygame = pytest.importorskip("pygame")

GAMES = [
    {"num_players": 2},
    {"num_players": 3, "extra_card": "any_artist"},
    {"num_players": 4, "empty_artist_token": True},
    {"num_players": 5},
]
SEED = 3


@pytest.fixture(autouse=True)
def _no_screen(monkeypatch):
    """Tests open no window on the screen of whoever runs them."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    yield
    pygame.display.quit()


def name_of(options: dict) -> str:
    return "-".join(str(value) for value in options.values())


every_game = pytest.mark.parametrize("options", GAMES, ids=name_of)


def positions(options: dict, seed: int = SEED) -> Iterator[masters_v0.raw_env]:
    """One random game before each move and at its end."""
    env = masters_v0.raw_env(**options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    yield env
    while actions := env.legal_actions():
        env.step(int(rng.choice(actions)))
        yield env


def found(options: dict, wanted) -> masters_v0.raw_env:
    """The first position of random games for which ``wanted(state)`` is true."""
    for seed in range(200):
        for env in positions(options, seed):
            if wanted(env.table.states[0]):
                return env
    raise AssertionError("no such position")


def table_row(text: str, label: str) -> list[str]:
    """The five artists' cells of the one table row with a label."""
    (line,) = [line for line in text.splitlines() if line[: render.LABEL_WIDTH].strip(" >") == label]
    cells = line[render.LABEL_WIDTH :]
    return [cells[place * render.ARTIST_WIDTH :][: render.ARTIST_WIDTH].strip() for place in range(ARTISTS)]


def numbers(text: str, label: str) -> list[int]:
    return [0 if cell == "-" else int(cell.split()[0]) for cell in table_row(text, label)]


def symbols(text: str, label: str) -> list[list[int]]:
    """Per artist: how often each symbol's letter stands in a row's cells."""
    return [[cell.count(letter) for letter in render.SYMBOL_LETTERS[1:]] for cell in table_row(text, label)]


def by_symbol(counts: np.ndarray) -> list[list[int]]:
    """Per artist: how many cards there are of each symbol but plain."""
    return counts.reshape(ARTISTS, SYMBOLS)[:, 1:].tolist()


def read_hand(text: str, owner: str) -> list[int]:
    """A hand, by card type, as a reader finds it in the text; its action numbers and names must agree."""
    counts = [0] * CARD_TYPES
    (block,) = re.findall(rf"^Hand of {re.escape(owner)}:\n((?:  .*\n)*)", text, re.MULTILINE) or [""]
    artist = ""
    for line in block.splitlines():
        artist = line[: render.ARTIST_WIDTH].strip() or artist
        for card in re.split(r", +|,$", line[render.ARTIST_WIDTH :].strip()):
            if card:
                parts = re.fullmatch(r"\[?(\d+)\]? ([a-z ]+?)(?: x(\d+))?", card)
                assert parts, card
                number = int(parts[1])
                assert (ARTIST_NAMES[number // SYMBOLS], SYMBOL_NAMES[number % SYMBOLS]) == (artist, parts[2])
                counts[number] = int(parts[3] or 1)
    return counts


def read_legal(text: str) -> list[int]:
    return sorted(int(number) for number in re.findall(r"\[(\d+)\]", text))


# --- Text ----------------------------------------------------------------------------------------------------------


@every_game
def test_text_shows_the_table_and_the_legal_moves_and_fits_the_terminal(options):
    for env in positions(options):
        state = env.table.states[0]
        players = int(state["num_players"])
        seat = int(state["seat"]) if state["phase"] != OVER else None
        text = render.text(state, seat)
        assert max(map(len, text.splitlines())) <= 100
        assert all(line == line.rstrip() for line in text.splitlines())
        assert "\n\n\n" not in text
        cards = int(state["deck_size"])
        assert f"; {cards} card{'' if cards == 1 else 's'} in the deck." in text
        assert f"round {int(state['round']) + 1} of 4" in text
        for other in range(players):
            name = f"player_{other}" + (" (you)" if other == seat else "")
            assert numbers(text, name) == state["displays"][other].tolist()
            (line,) = re.findall(rf"^[> ] player_{other}\b.*\d$", text, re.MULTILINE)
            fields = ("totals", "hand_sizes", "face_down_counts")
            assert [int(word) for word in line.split()[-3:]] == [int(state[field][other]) for field in fields]
            assert (line[0] == ">") == (other == seat)
        assert numbers(text, f"Face up (limit {LIMIT_BY_PLAYERS[players]})") == state["works"].tolist()
        assert symbols(text, "their symbols") == by_symbol(state["on_table"])
        assert numbers(text, "Value tokens") == state["tokens"].tolist()
        assert numbers(text, "Awards (2 each)") == state["awards"].tolist()
        assert read_legal(text) == env.legal_actions()
        if seat is None:
            assert "Game over: " in text.splitlines()[-1]
        else:
            assert f"started by player_{int(state['starter'])};" in text
            assert text.splitlines()[-1].startswith(f"player_{seat} (you): ")
            assert read_hand(text, f"player_{seat} (you)") == state["hands"][seat].tolist()


@every_game
def test_text_counts_the_cards_not_seen(options):
    for env in positions(options):
        state = env.table.states[0]
        if state["phase"] == OVER:
            continue
        for viewer in range(options["num_players"]):
            knows = env.table.copy().observe(viewer)[0]
            features = env.table.observation_features
            seen = sum(features[name].of(knows).astype(int) for name in ("hand", "own_face_down", "own_choice"))
            seen = seen + features["on_table"].of(knows) + features["gone"].of(knows)
            text = render.text(state, viewer)
            assert numbers(text, "Not seen by you") == (COPIES - seen).reshape(ARTISTS, SYMBOLS).sum(axis=1).tolist()
            assert symbols(text, "Not seen by you") == by_symbol(COPIES - seen)
        deck = state["deck"][int(state["deck_next"]) :]
        left = np.bincount(deck, minlength=CARD_TYPES)
        assert symbols(render.text(state, None), "In the deck") == by_symbol(left)
        assert numbers(render.text(state, None), "In the deck") == left.reshape(ARTISTS, SYMBOLS).sum(axis=1).tolist()


def test_text_shows_the_extra_card_with_its_symbol():
    for options in GAMES:
        for env in positions(options):
            state = env.table.states[0]
            card = int(state["extra_card"])
            text = render.text(state, 0)
            if card == NOTHING:
                assert "extra card" not in text
                continue
            wanted = ["-"] * ARTISTS
            letter = "" if card % SYMBOLS == PLAIN else f" {render.SYMBOL_LETTERS[card % SYMBOLS]}"
            wanted[card // SYMBOLS] = f"1{letter}"
            assert table_row(text, "extra card") == wanted


def test_text_says_what_works_are_worth():
    env = masters_v0.raw_env(num_players=3)
    env.reset(seed=1)
    state = env.table.states[0]
    # The worked examples of the rules: a tie to the lower number, and all that lies on an artist counts.
    state["works"] = (3, 1, 3, 0, 6)
    assert numbers(render.text(state, 0), "A work is worth now") == [2, 0, 1, 0, 3]
    state["tokens"] = (0, 0, 4, 5, 4)
    state["awards"] = (0, 1, 0, 1, 1)
    assert numbers(render.text(state, 0), "A work is worth now") == [2, 0, 5, 0, 3 + 1 + 2 + 3]
    state["phase"] = EXTRA_CARD
    state["scoring"] = (0, 1, 0, 0, 1)
    assert numbers(render.text(state, 0), "A work is worth now") == [0, 2, 0, 0, 4 + 2]


def test_face_down_cards_and_choices_are_shown_to_those_who_may_see_them():
    env = found({"num_players": 3}, lambda s: s["phase"] == CHOOSING and (s["choice"][:3] >= 0).sum() == 2)
    state = env.table.states[0]
    state["face_down"][:3, 23] = (2, 1, 0)
    state["face_down_counts"][:3] = (2, 1, 0)
    chosen = [int(card) for card in state["choice"][:3]]
    for viewer in (0, 1, 2, None):
        text = render.text(state, viewer)
        for seat in range(3):
            name = f"player_{seat}" + (" (you)" if seat == viewer else "")
            may_see = viewer in (seat, None)
            cards = ", ".join(["Renoir award"] * int(state["face_down_counts"][seat]))
            assert (f"{name} has face down: {cards}." in text) == (bool(cards) and may_see)
            card = chosen[seat]
            shown = f"{ARTIST_NAMES[card // SYMBOLS]} {SYMBOL_NAMES[card % SYMBOLS]}"
            assert (f"{name} has chosen: {shown}." in text) == (card != NOTHING and may_see)
            assert (f"{name} has chosen." in text) == (card != NOTHING and not may_see)
            assert (f"Hand of {name}:" in text) == may_see
            if may_see:
                assert read_hand(text, name) == state["hands"][seat].tolist()
    assert f"player_{int(state['active'])} has called a simultaneous play." in text


@pytest.mark.parametrize(
    ("phase", "asked"),
    [
        (PLAYING, r"play a card\."),
        (SECOND_UP, r"play a second (Vermeer|Degas|Monet|Renoir|Van Gogh) face up, or decline\."),
        (SECOND_DOWN, r"play a second card, of any artist, face down, or decline\."),
        (CHOOSING, r"choose a card; all are shown when everybody has chosen\."),
        (AWARDING, r"put an award \(\+2\) on an artist\."),
        (EXTRA_CARD, r"add a card by [\w ]+( or [\w ]+)*, or decline\."),
    ],
    ids=PHASE_NAMES[: PHASES - 1],
)
def test_text_says_what_is_asked(phase, asked):
    env = found({"num_players": 3}, lambda state: state["phase"] == phase)
    state = env.table.states[0]
    seat = int(state["seat"])
    last = render.text(state, seat).splitlines()[-1]
    assert re.fullmatch(rf"player_{seat} \(you\): {asked}", last)
    # Whoever waits reads the same, but is offered nothing.
    waiting = render.text(state, (seat + 1) % 3)
    assert waiting.splitlines()[-1] == last.replace(" (you)", "")
    assert read_legal(waiting) == []
    if phase == SECOND_UP:
        assert ARTIST_NAMES[state["played_artist"]] in last
    if phase == EXTRA_CARD:
        assert [name in last for name in ARTIST_NAMES] == state["may_add"].astype(bool).tolist()
        assert f"player_{int(state['active'])} has ended the round;" in waiting


def test_text_says_how_many_cards_of_any_artist_may_be_added():
    env = found({"num_players": 2, "extra_card": "any_artist"}, lambda state: state["may_add_any"] == 2)
    text = render.text(env.table.states[0], int(env.table.seat[0]))
    assert text.endswith("you may add 2 cards of any artist, or decline.")


@pytest.mark.parametrize(
    ("winning", "said"),
    [
        ((0, 1, 0), "Game over: player_1 wins."),
        ((1, 0, 1), "Game over: player_0 and player_2 share the win."),
    ],
)
def test_text_says_who_has_won(winning, said):
    *_, env = positions({"num_players": 3})
    state = env.table.states[0]
    state["winning"][:3] = winning
    assert render.text(state, None).endswith(said)


def test_symbols_have_letters_of_their_own_that_the_text_explains():
    assert len(set(render.SYMBOL_LETTERS)) == len(render.SYMBOL_LETTERS) == SYMBOLS
    env = masters_v0.raw_env()
    env.reset(seed=1)
    text = render.text(env.table.states[0], 0)
    for letter, name in list(zip(render.SYMBOL_LETTERS, SYMBOL_NAMES, strict=True))[1:]:
        assert f"{letter} {name}" in text


def test_a_full_hand_fits_the_terminal():
    env = masters_v0.raw_env()
    env.reset(seed=1)
    state = env.table.states[0]
    state["seat"] = 1
    state["hands"][1] = COPIES
    state["hand_sizes"][1] = COPIES.sum()
    state["face_down"][1] = COPIES
    text = render.text(state, 1)
    assert max(map(len, text.splitlines())) <= 100
    assert read_hand(text, "player_1 (you)") == COPIES.tolist()
    assert read_legal(text) == list(range(CARD_TYPES))


def test_a_game_broken_off_by_an_illegal_action_can_be_drawn():
    env = masters_v0.env(render_mode="ansi")
    env.reset(seed=2)
    offender = env.agent_selection
    env.step(35)  # a first card cannot be declined
    assert env.render().endswith(f"All hands lie open; the turn is with {offender}.")


# --- Both ----------------------------------------------------------------------------------------------------------


@every_game
def test_nothing_hidden_shows_through(options):
    drawn = 0
    for place, env in enumerate(positions(options)):
        state = env.table.states[0]
        if state["phase"] == OVER:
            continue
        chosen = state["phase"] == CHOOSING and (state["choice"][: options["num_players"]] >= 0).any()
        if place % 3 and not chosen:
            continue
        for viewer in range(options["num_players"]):
            other = env.table.resample_hidden(viewer, seed=place).states[0]
            assert render.text(state, viewer) == render.text(other, viewer)
            if (chosen or state["face_down_counts"].any()) and drawn < 12:
                drawn += 1
                assert (render.picture(state, viewer) == render.picture(other, viewer)).all()
    assert drawn


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_drawing_changes_nothing_and_repeats(players):
    for place, env in enumerate(positions({"num_players": players})):
        if place % 25 and env.table.seat[0] >= 0:
            continue
        state = env.table.states[0]
        before = state.tobytes()
        frozen = env.table.states.copy()
        frozen.flags.writeable = False
        for viewer in (0, None):
            assert render.text(state, viewer) == render.text(frozen[0], viewer)
            assert (render.picture(state, viewer) == render.picture(frozen[0], viewer)).all()
        assert state.tobytes() == before


# --- Picture -------------------------------------------------------------------------------------------------------


def commonest(picture: np.ndarray, left: float, top: float, width: float, height: float) -> np.ndarray:
    part = picture[round(top) : round(top + height), round(left) : round(left + width)].reshape(-1, 3)
    colours, counts = np.unique(part, axis=0, return_counts=True)
    return colours[counts.argmax()].astype(int)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_pictures_have_one_size_and_show_works_and_hands_in_the_artists_colours(players):
    sizes = set()
    rows_top = render.BAR_HEIGHT + render.MARGIN // 2 + render.HEADER_HEIGHT + render.GAP
    row_height = render.ROW_HEIGHTS[players]
    strip_top = rows_top + players * (row_height + render.GAP) + render.GAP // 2
    for place, env in enumerate(positions({"num_players": players})):
        if place % 15 and env.table.seat[0] >= 0:
            continue
        state = env.table.states[0]
        seat = None if state["phase"] == OVER else int(state["seat"])
        picture = render.picture(state, seat)
        assert picture.dtype == np.uint8
        sizes.add(picture.shape)
        for artist in range(ARTISTS):
            colour = np.array(render.PAINT[artist])
            left = render._column_left(artist)
            for other in range(players):
                top = rows_top + other * (row_height + render.GAP)
                # The first work's upper left corner, which no sketch reaches.
                corner = commonest(picture, left + 13, top + 12, 8, 6)
                has_works = np.abs(corner - colour).max() <= 2
                assert has_works == (state["displays"][other, artist] > 0), (other, artist)
            if seat is not None and state["phase"] == PLAYING:
                for symbol in range(SYMBOLS):
                    middle = render._place_middle(artist, symbol)
                    card = commonest(picture, middle - 8, strip_top + 14, 16, 10)
                    in_hand = np.abs(card - colour).max() <= 2
                    assert in_hand == (state["hands"][seat, artist * SYMBOLS + symbol] > 0), (artist, symbol)
    ((height, width, channels),) = sizes
    assert channels == 3
    assert width <= 1280
    assert height <= 720


def test_pictures_differ_wherever_the_table_does():
    env = masters_v0.raw_env(num_players=4)
    env.reset(seed=4)
    state = env.table.states[0]
    state["seat"] = 0
    state["starter"] = 1
    drawn = {render.picture(state, 0).tobytes()}
    changes: list[tuple[str, object, object]] = [
        ("totals", 1, 7),
        ("displays", (2, 3), 2),
        ("displays", (2, 3), 3),
        ("face_down_counts", 1, 2),
        ("face_down_counts", 1, 3),
        ("hand_sizes", 3, 4),
        ("choice", 2, 5),
        ("works", 4, 3),
        ("tokens", 0, 5),
        ("awards", 1, 2),
        ("awards", 1, 3),
        ("gone", 6, 4),
        ("extra_card", (), 11),
        ("deck_size", (), 11),
        ("round", (), 2),
        ("starter", (), 2),
        ("face_down", (0, 9), 1),
        ("hands", (0, 29), 1),
        ("phase", (), AWARDING),
        ("phase", (), SECOND_DOWN),
        ("phase", (), CHOOSING),
        ("active", (), 3),
        ("choice", 0, 8),
        ("seat", (), 2),
    ]
    for count, (field, place, value) in enumerate(changes, start=2):
        if place == ():
            state[field] = value
        else:
            state[field][place] = value
        drawn.add(render.picture(state, 0).tobytes())
        assert len(drawn) == count, field
    others = {render.picture(state, viewer).tobytes() for viewer in (1, 2, 3, None)}
    assert len(drawn | others) == len(drawn) + 4


def test_a_picture_opens_no_display_and_leaves_the_users_alone():
    env = masters_v0.raw_env(render_mode="rgb_array")
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
    env = masters_v0.raw_env()
    env.reset(seed=1)
    assert "Masters Gallery" in render.text(env.table.states[0], 0)
    with pytest.raises(MissingExtraError, match=r"gallery-envs\[render\]"):
        render.picture(env.table.states[0], 0)


# --- By way of the environment -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 5])
def test_pettingzoo_render_test(players):
    render_test(lambda render_mode: masters_v0.env(render_mode=render_mode, num_players=players))


def test_a_window_shows_the_game_until_it_is_closed():
    env = masters_v0.raw_env(render_mode="human")
    env.reset(seed=6)
    assert env.render() is None
    for _ in range(3):
        env.step(env.legal_actions()[0])
    shown = pygame.surfarray.array3d(env._window._window.get_surface()).swapaxes(0, 1)
    assert (shown == render.picture(env.table.states[0], int(env.table.seat[0]))).all()
    env.close()
    env.close()
