"""Protects the maker of the tables on a game's page.

What it says must come from the code, prose must stay as it is, a page that has drifted must be noticed, and a page that
asks for something impossible must be refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pytest

from env_core import pages
from env_core.game import load_game
from env_core.options import GameOptions

GAME = load_game("musee_env.musee_v0")
PAGE = """# A game

Prose | with `bars`.

<!-- begin: constants POINTS_PER_STAIRCASE COLUMNS_BY_PLAYERS -->
<!-- end -->

More prose.

<!-- begin: outcomes -->
old
<!-- end -->
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    path = tmp_path / "README.md"
    path.write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(pages, "page_of", lambda game: path)
    return path


def test_tables_are_filled_in_and_prose_is_left_alone():
    fresh = pages.with_tables(GAME, PAGE)
    assert "| `POINTS_PER_STAIRCASE` | 3 |" in fresh
    assert "| Constant | 2 players | 3 players | 4 players |" in fresh
    assert "| `COLUMNS_BY_PLAYERS` | 6 | 5 | 6 |" in fresh
    assert "| 3 | 2 | 0.25 | -0.5 |" in fresh
    assert "old" not in fresh
    assert "\nProse | with `bars`.\n" in fresh
    assert fresh.endswith("<!-- end -->\n")
    assert pages.drifted(PAGE, fresh) == ["constants POINTS_PER_STAIRCASE COLUMNS_BY_PLAYERS", "outcomes"]
    assert pages.with_tables(GAME, fresh) == fresh


def test_the_command_writes_then_finds_nothing_to_do(page, capsys):
    assert pages.main([GAME.face, "--check"]) == 1
    assert "out of date in constants" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == PAGE
    assert pages.main([GAME.face]) == 0
    assert pages.main([GAME.face, "--check"]) == 0
    written = page.read_text(encoding="utf-8")
    page.write_text(written.replace("0.25", "0.26"), encoding="utf-8")
    assert pages.main([GAME.face, "--check"]) == 1


def test_the_command_saves_a_picture_of_the_example(page, tmp_path, capsys):
    pytest.importorskip("pygame")
    assert pages.main([GAME.face, "--picture", str(tmp_path / "picture.png")]) == 2
    assert "no example" in capsys.readouterr().err
    assert not (tmp_path / "picture.png").exists()
    page.write_text(f"{PAGE}\n<!-- begin: example 2 5 17 -->\n<!-- end -->\n", encoding="utf-8")
    assert pages.main([GAME.face, "--picture", str(tmp_path / "picture.png")]) == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("tables", "unknown section 'tables'; there are facts"),
        ("observation", "section 'observation': missing a required argument"),
        ("outcomes 2", "section 'outcomes 2': too many"),
        ("observation 5", "no game for '5' players"),
        ("observation two", "no game for 'two' players"),
        ("constants POINTS", "no constant POINTS"),
        ("grid GALLERY_NAMES THEME_NAMES THEMES_OF", "no constant THEMES_OF"),
        ("grid THEME_COLOURS THEME_NAMES GALLERY_NAMES", r"THEME_COLOURS has the shape (5,), not that of THEME_NAMES"),
        ("turn_order many", "turn_order needs a number of games, 2 or more, not 'many'"),
        ("turn_order 1", "turn_order needs a number of games"),
        ("example 2 seven 3", "players, seed and moves"),
        ("example 2 0 500", "ends within 500 moves"),
    ],
)
def test_what_cannot_be_made_is_refused(page, capsys, section, message):
    asked = PAGE.replace("outcomes", section)
    with pytest.raises(pages.PageError, match=re.escape(message)):
        pages.with_tables(GAME, asked)
    page.write_text(asked, encoding="utf-8")
    assert pages.main([GAME.face]) == 2
    assert message in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == asked


def test_constants_of_rows_and_columns_and_of_players_are_laid_out(monkeypatch):
    monkeypatch.setattr(GAME.state, "WALLS", ((1, 2), (3, 4), (5, 6)), raising=False)
    monkeypatch.setattr(GAME.state, "SIDES", ("left", "right"), raising=False)
    monkeypatch.setattr(GAME.state, "DOORS", np.array([[0, 0], [0, 0], [7, 8], [9, 1], [2, 3]]), raising=False)
    monkeypatch.setattr(GAME.state, "FLOORS", np.array([1, 2, 3, 4, 5]), raising=False)
    assert pages.grid(GAME, "WALLS", "GALLERY_NAMES", "SIDES").splitlines() == [
        "| `WALLS` | left | right |",
        "| --- | --- | --- |",
        "| top | 1 | 2 |",
        "| middle | 3 | 4 |",
        "| bottom | 5 | 6 |",
    ]
    laid_out = pages.constants(GAME, "FLOORS", "DOORS")
    assert "| `FLOORS` | 1, 2, 3, 4, 5 |" in laid_out
    assert "| `DOORS` | 7, 8 | 9, 1 | 2, 3 |" in laid_out


def test_shares_of_wins_by_turn_order_add_up():
    lines = pages.turn_order(GAME, "40").splitlines()
    assert lines[0] == "| Players | Place 1 | Place 2 | Place 3 | Place 4 |"
    for players, sides, line in zip((2, 3, 4), (2, 3, 2), lines[2:], strict=True):
        shares = [float(cell.split(" ±")[0]) for cell in line.split("|")[2 : 2 + players]]
        assert sum(shares) == pytest.approx(100 * players / sides, abs=0.2)
        assert line.count("±") == players


@pytest.mark.parametrize("broken", [PAGE.replace("<!-- end -->", "", 1), PAGE + "<!-- end -->\n"])
def test_a_section_needs_its_end(broken):
    with pytest.raises(pages.PageError, match="needs a line '<!-- end -->'"):
        pages.with_tables(GAME, broken)


def test_a_face_that_does_not_exist_is_refused(capsys):
    assert pages.main(["no_env.no_v0"]) == 2
    assert capsys.readouterr().err.startswith("no_env.no_v0: ")


def test_meanings_come_from_the_docstrings_of_a_class_and_its_parents():
    @dataclass(frozen=True)
    class Options(GameOptions):
        """Options.

        Attributes:
            num_players: 2 or 5,
                as it
                happens.
            reward: See ``GameOptions``.
            wild: Whether ``a | b`` holds.

        Raises:
            Nothing: at all.
        """

        wild: bool = False

    meanings = pages.attribute_meanings(Options)
    assert " ".join(meanings["num_players"].split()) == "2 or 5, as it happens."
    assert "zero-sum" in meanings["reward"]
    assert set(meanings) == {"num_players", "reward", "wild"}
    assert pages.table(("a",), [(meanings["wild"],)]).endswith(r"| Whether `a \| b` holds. |")


def test_actions_are_looked_up_in_play():
    four = pages.actions(GAME, "4")
    assert "| 0..107 | `place` | `card` 1..50, `gallery` 0..2, `column` 0..5 |" in four
    assert "| 108 | `keep` |" in four
    assert "| 109 | `give` |" in four


def test_kinds_whose_number_names_the_same_thing_share_their_numbers():
    take, give, place = pages._Kind(), pages._Kind(), pages._Kind()
    for card in (0, 2):
        take.add(card, {"card": card, "from": card // 2})
    give.add(1, {"card": 1})
    give.add(3, {"card": 3})
    for slot in range(2):
        place.add(10 + slot, {"card": slot, "open": bool(slot)})
    pages._share_numbers([take, give, place])
    assert take.numbers == give.numbers == {0, 1, 2, 3}
    assert take.words == {"card": [0, 1, 2, 3], "from": [0, 1]}
    assert place.numbers == {10, 11}
    assert pages._values(place.words["open"]) == "`False`, `True`"
