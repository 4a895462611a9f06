"""Protects ``gallery cards check``: what it says of a good card file, and one line with the place of any fault."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

pytest.importorskip("typer")

from agents.__main__ import main
from pictura_env import pictura_v0
from pictura_env.cards import DEFAULT_PATH


@pytest.fixture
def card_file(tmp_path: Path) -> Path:
    """A copy of the default card file."""
    path = tmp_path / "my_cards.toml"
    path.write_text(DEFAULT_PATH.read_text(encoding="utf-8"), encoding="utf-8")
    return path


def change(path: Path, old: str, new: str) -> None:
    content = path.read_text(encoding="utf-8")
    assert old in content
    path.write_text(content.replace(old, new, 1), encoding="utf-8")


def test_a_good_file_is_summed_up(card_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(card_file, '[collections]\nsource = "default"', '[collections]\nsource = "published"')
    change(card_file, 'name = "donation", copies = 4', 'name = "gift", copies = 3')
    change(card_file, 'name = "gala", copies = 4', 'name = "gala", copies = 5')
    assert main(["cards", "check", str(card_file)]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    sha256 = hashlib.sha256(card_file.read_bytes()).hexdigest()
    assert shown.out.splitlines() == [
        f"{card_file} holds.",
        "  published: tokens, prestige, end_token, collections, full",
        "  default: paintings, trends, favors, patrons, reward_spaces, exhibitions, penalties",
        "  favor types: 0 gift (3), 1 exchange (4), 2 loan (4), 3 restoration (4), 4 gala (5), 5 invitation (4)",
        f"  sha256: {sha256}",
    ]
    env = pictura_v0.raw_env(cards=str(card_file))
    env.reset(seed=1)
    assert env.record()["setup"]["cards_sha256"] == sha256


def test_the_default_file_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cards", "check", "default"]) == 0
    assert capsys.readouterr().out.startswith("default holds.\n")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[trends]", "[trends", "line 32"),
        ("smallest = 4", "smallest = 1", "collections.smallest: must be an integer from 2 to 25, not 1"),
        ('reward = "draw 2"', 'reward = "drew 2"', "patrons.cards[1].reward: must be one of none, prestige n"),
        ("[1, 2, 3], [1, 2, 3]", "[1, 2, 3], [2, 2, 2]", "trends.values[1]: must be three different amounts"),
        ("copies = 4", "copies = 5", "favors.types: the copies must add up to 24 cards, not 25"),
        ("discarded_card = 1", "discarded_cards = 1", "[penalties]: the key 'discarded_card' is missing"),
        ('source = "default"', 'source = "mine"', "paintings.source: must be 'published' or 'default', not 'mine'"),
        ("gallery-cards/1", "gallery-cards/2", "format: must be 'gallery-cards/1', not 'gallery-cards/2'"),
    ],
)
def test_a_fault_is_named_in_one_line(
    card_file: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, says: str
) -> None:
    change(card_file, old, new)
    assert main(["cards", "check", str(card_file)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"gallery cards check: error: {card_file}: ")
    assert says in shown.err
    assert shown.err.count("\n") == 1


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 5000, encoding="utf-8")
    no_file = "there is no card file"
    for path, says in [("missing.toml", no_file), (".", no_file), ("bytes.toml", "no TOML"), ("deep.toml", "no TOML")]:
        assert main(["cards", "check", str(tmp_path / path)]) == 2
        shown = capsys.readouterr().err
        assert says in shown
        assert shown.count("\n") == 1


def test_help_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cards", "check", "--help"]) == 0
    assert "card file" in capsys.readouterr().out
    assert main(["cards"]) == 2
    assert capsys.readouterr().err == "gallery cards: error: Missing command.\n"
