"""Protects Musée's text and pictures.

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
from musee_env import musee_v0, render
from musee_env.state import EMPTY, GALLERIES, GALLERY_NAMES, LAST_CARD, OVER, THEME_COLOURS, THEME_NAMES, THEMES

pygame = pytest.importorskip("pygame")

GAMES = [
    {"num_players": 2, "staircases": "random"},
    {"num_players": 2, "games_to_win": 2},
    {"num_players": 3, "staircases": "random", "games_to_win": 2},
    {"num_players": 4},
    {"num_players": 4, "games_to_win": 2, "staircases": "random"},
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


def positions(options: dict, seed: int = SEED) -> Iterator[musee_v0.raw_env]:
    """One random game, or match, before each move and at its end."""
    env = musee_v0.raw_env(**options)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    yield env
    while actions := env.legal_actions():
        env.step(int(rng.choice(actions)))
        yield env


def ended(options: dict) -> np.void:
    *_, env = positions(options)
    return env.table.states[0]


def read_museums(text: str, sides: int) -> list[list[list[int]]]:
    """The museums as a reader finds them in the text: side, gallery, column."""
    museums: list[list[list[int]]] = [[] for _ in range(sides)]
    for gallery in GALLERY_NAMES:
        (line,) = re.findall(rf"^{gallery} .*$", text, re.MULTILINE)
        cells = re.findall(r"__|\d+[a-z]{2}", line)
        columns = len(cells) // sides
        for side in range(sides):
            row = cells[side * columns : (side + 1) * columns]
            museums[side].append([EMPTY if cell == "__" else int(cell[:-2]) for cell in row])
    return museums


def read_legal(text: str) -> list[dict]:
    """The legal placements as a reader finds them in the text, in the order of their action numbers."""
    legal = []
    for card, top, middle, bottom in re.findall(r"^  slot \d+ +(\d+)\w\w +top (.*)middle (.*)bottom (.*)$", text, re.M):
        for gallery, columns in enumerate((top, middle, bottom)):
            for column in re.findall(r"\d", columns):
                legal.append({"kind": "place", "card": int(card), "gallery": gallery, "column": int(column)})
    return legal


# --- Text ----------------------------------------------------------------------------------------------------------


@every_game
def test_text_shows_the_museums_and_the_legal_moves_and_fits_the_terminal(options):
    for env in positions(options):
        state = env.table.states[0]
        seat = int(state["seat"]) if state["phase"] != OVER else None
        text = render.text(state, seat)
        assert max(map(len, text.splitlines())) <= 100
        assert all(line == line.rstrip() for line in text.splitlines())
        sides = int(state["num_sides"])
        assert read_museums(text, sides) == state["museums"][:sides, :, : state["columns"]].tolist()
        cards = int(state["deck_size"])
        assert f"{cards} card{'' if cards == 1 else 's'} in the deck" in text
        for side in range(sides):
            assert re.search(rf"\b{int(state['scores'][side])} point", text)
        for other in range(int(state["num_players"])):
            (line,) = re.findall(rf"^[> ] player_{other}\b.*$", text, re.MULTILINE)
            assert re.search(rf"\b{int(state['hand_sizes'][other])} cards?\b", line)
            assert ("out" in line) == bool(state["out"][other])
            assert (line[0] == ">") == (other == seat) == ("to move" in line)
        if state["phase"] == OVER:
            assert " over: " in text
        elif state["phase"] == LAST_CARD:
            assert f"player_{seat} (you): keep your team's last card, or give it, unseen, to " in text
        else:
            assert f"player_{seat} (you): place a painting from your hand." in text
            assert read_legal(text) == [env.describe(action) for action in env.legal_actions()]


def test_text_shows_staircases_and_bonus_cards():
    state = ended({"num_players": 3, "staircases": "random"})
    text = render.text(state, None)
    token_rows = [line for line in text.splitlines() if "'" in line and "chandelier" not in line]
    for row, line in enumerate(token_rows):
        tokens = [token == "|=|" for token in re.findall(r"\|=\||'", line)]
        assert tokens == state["staircases"][row, :5].astype(bool).tolist() * 3
    for gallery, name in enumerate(GALLERY_NAMES):
        owner = int(state["bonus_owner"][gallery])
        assert f"{name} {'free' if owner < 0 else f'player_{owner}'}" in text
        (line,) = re.findall(rf"^{name} .*$", text, re.MULTILINE)
        assert line.count("+4") == (owner >= 0)
    assert (state["bonus_owner"] >= 0).any()


def test_text_names_partners_and_games_won():
    env = musee_v0.raw_env(num_players=4, games_to_win=3)
    env.reset(seed=1)
    state = env.table.states[0]
    state["games_won"][:2] = (2, 1)
    state["game_number"] = 4
    text = render.text(state, 3)
    assert "player_1 (partner) + player_3 (you)" in text
    assert "game 5 of a match to 3 wins" in text
    assert re.search(r"2 won +0 points, 1 won", text)


def test_each_theme_has_a_short_name_of_its_own():
    shorts = [render._painting_in_text(card) for card in range(5, 10)]
    assert shorts == [f"{card}{THEME_NAMES[card % THEMES][:2]}" for card in range(5, 10)]
    assert len({short[1:] for short in shorts}) == THEMES


@pytest.mark.parametrize(
    ("players", "winning", "said"),
    [
        (2, (0, 1), "Game over: player_1 wins."),
        (2, (1, 1), "Game over: player_0 and player_1 share the win."),
        (3, (1, 0, 1), "Game over: player_0 and player_2 share the win."),
        (4, (0, 1), "Game over: player_1 and player_3 win."),
        (4, (1, 1), "Game over: player_0 and player_2 and player_1 and player_3 share the win."),
    ],
)
def test_text_says_who_has_won(players, winning, said):
    state = ended({"num_players": players})
    state["winning"][: len(winning)] = winning
    assert render.text(state, None).endswith(said)


def test_a_game_broken_off_by_an_illegal_action_can_be_drawn():
    env = musee_v0.env(render_mode="ansi")
    env.reset(seed=2)
    env.step(0)
    env.step(0)
    offender = env.agent_selection
    env.step(0)  # the space is filled
    assert env.render().endswith(f"All hands lie open; the turn is with {offender}.")


def test_hands_are_shown_to_those_who_may_see_them():
    for env in positions({"num_players": 4}):
        state = env.table.states[0]
        hands = [set(state["hands"][seat, : state["hand_sizes"][seat]].tolist()) for seat in range(4)]
        hanging = set(state["museums"].ravel().tolist())
        for viewer in (0, 1, 2, 3, None):
            shown = {int(card) for card in re.findall(r"(\d+)[a-z]{2}\b", render.text(state, viewer))} - hanging
            assert shown == (set().union(*hands) if viewer is None else hands[viewer])


# --- Both ----------------------------------------------------------------------------------------------------------


@every_game
def test_nothing_hidden_shows_through(options):
    for place, env in enumerate(positions(options)):
        if env.table.seat[0] < 0 or place % 3:
            continue
        for viewer in range(options["num_players"]):
            other = env.table.resample_hidden(viewer, seed=place).states[0]
            state = env.table.states[0]
            assert render.text(state, viewer) == render.text(other, viewer)
            if place % 24 == 0:
                assert (render.picture(state, viewer) == render.picture(other, viewer)).all()


@pytest.mark.parametrize("players", [2, 3, 4])
def test_drawing_changes_nothing_and_repeats(players):
    for place, env in enumerate(positions({"num_players": players})):
        if place % 10:
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


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pictures_have_one_size_and_show_each_painting_in_its_colour(players):
    sizes = set()
    for place, env in enumerate(positions({"num_players": players, "games_to_win": 2})):
        if place % 12 and env.table.seat[0] >= 0:
            continue
        state = env.table.states[0]
        picture = render.picture(state, None if env.table.seat[0] < 0 else int(state["seat"]))
        assert picture.dtype == np.uint8
        sizes.add(picture.shape)
        columns, sides = int(state["columns"]), int(state["num_sides"])
        museum_width = render.NAME_WIDTH + columns * render.SPACE_WIDTH + render.WALL
        for side in range(sides):
            left = render.MARGIN + side * (museum_width + render.MARGIN) + render.NAME_WIDTH
            top = render.BAR_HEIGHT + render.MARGIN + render.PEDIMENT_HEIGHT + render.FRIEZE_HEIGHT
            for gallery in range(GALLERIES):
                y = top + gallery * (render.SPACE_HEIGHT + render.TOKEN_HEIGHT)
                for column in range(columns):
                    x = left + column * render.SPACE_WIDTH
                    scene = picture[y + 8 : y + 38, x + 8 : x + render.SPACE_WIDTH - 8].reshape(-1, 3)
                    colours, counts = np.unique(scene, axis=0, return_counts=True)
                    found = colours[counts.argmax()].tolist()
                    painting = int(state["museums"][side, gallery, column])
                    wanted = render.ROOM if painting == EMPTY else render.PAINT[THEME_COLOURS[painting % THEMES]]
                    assert np.abs(np.array(found) - wanted).max() <= 1, (side, gallery, column, painting)
    ((height, width, channels),) = sizes
    assert channels == 3
    assert width <= 1280
    assert height <= 720


def test_pictures_differ_wherever_the_table_does():
    env = musee_v0.raw_env(num_players=4, games_to_win=2)
    env.reset(seed=4)
    state = env.table.states[0]
    state["seat"] = 0
    drawn = {render.picture(state, 0).tobytes()}
    changes: list[tuple[str, object, int]] = [
        ("scores", 1, 7),
        ("games_won", 0, 1),
        ("bonus_owner", 2, 1),
        ("out", 3, 1),
        ("hand_sizes", 1, 4),
        ("staircases", (0, 0), 1),
        ("museums", (1, 2, 5), 44),
        ("museums", (1, 2, 4), 39),
        ("deck_size", (), 11),
        ("game_number", (), 1),
        ("phase", (), LAST_CARD),
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
    env = musee_v0.raw_env(render_mode="rgb_array")
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
    env = musee_v0.raw_env()
    env.reset(seed=1)
    assert "Musée" in render.text(env.table.states[0], 0)
    with pytest.raises(MissingExtraError, match=r"gallery-envs\[render\]"):
        render.picture(env.table.states[0], 0)


# --- By way of the environment -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
def test_pettingzoo_render_test(players):
    render_test(lambda render_mode: musee_v0.env(render_mode=render_mode, num_players=players))


def test_a_window_shows_the_game_until_it_is_closed():
    env = musee_v0.raw_env(render_mode="human")
    env.reset(seed=6)
    assert env.render() is None
    for _ in range(3):
        env.step(env.legal_actions()[0])
    shown = pygame.surfarray.array3d(env._window._window.get_surface()).swapaxes(0, 1)
    assert (shown == render.picture(env.table.states[0], int(env.table.seat[0]))).all()
    env.close()
    env.close()
