"""Protects Museum: Pictura's page: its tables equal the code, its examples run, its links lead somewhere.

The page of its card files too: it names every key of the default file, every effect and every reward.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from env_core.game import load_game
from env_core.pages import page_of
from pictura_env.cards import DEFAULT_PATH, FORMAT, WITHOUT_AMOUNT
from pictura_env.state import DOMAIN_NAMES, EFFECT_NAMES, PERIOD_NAMES, REWARD_NAMES
from tests.env_core import page_checks

FACE = "pictura_env.pictura_v0"
CARDS_PAGE = Path(__file__).resolve().parents[2] / "docs" / "pictura_cards.md"


def test_tables_are_fresh():
    page_checks.check_tables_are_fresh(FACE)


def test_whole_surface_is_described():
    page_checks.check_whole_surface_is_described(FACE)


def test_examples_run():
    page_checks.check_examples_run(FACE)


def test_links_lead_somewhere():
    page_checks.check_links_lead_somewhere(FACE)


def test_the_favors_on_the_page_are_those_of_the_default_file():
    page = page_of(load_game(FACE)).read_text(encoding="utf-8")
    favors = tomllib.loads(DEFAULT_PATH.read_text(encoding="utf-8"))["favors"]["types"]
    rows = [
        f"| {number} {favor['name']} | {favor['upper']} | {favor['lower']} |" for number, favor in enumerate(favors)
    ]
    assert "\n".join(rows) in page
    assert "| favor, 4 of each |" in page
    assert {favor["copies"] for favor in favors} == {4}


def test_the_page_of_card_files_explains_every_key():
    page = CARDS_PAGE.read_text(encoding="utf-8")
    described = {key for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for key in re.findall(r"`(.+?)`", row)}
    file = tomllib.loads(DEFAULT_PATH.read_text(encoding="utf-8"))
    keys = {f"{table}.{key}" for table, part in file.items() if isinstance(part, dict) for key in part}
    keys = {"format", *(key for key in keys if not key.endswith(".source"))}
    effects = {name if name in WITHOUT_AMOUNT else f"{name} n" for name in EFFECT_NAMES}
    rewards = {f"{name} n" for name in REWARD_NAMES}
    assert described == keys | effects | rewards
    assert f'`"{FORMAT}"`' in page
    for key in {key for part in (file["favors"]["types"], file["patrons"]["cards"]) for card in part for key in card}:
        assert f"`{key}`" in page


def test_the_page_of_card_files_numbers_periods_and_domains():
    rows = re.findall(r"^\| (\d) \| (.*?) ?\| (.+?) \|$", CARDS_PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number, _, _ in rows] == list(range(len(DOMAIN_NAMES)))
    assert [period for _, period, _ in rows if period] == list(PERIOD_NAMES)
    assert [domain for _, _, domain in rows] == list(DOMAIN_NAMES)


def test_examples_of_the_page_of_card_files_run():
    (example,) = re.findall(r"^```python\n(.*?)^```$", CARDS_PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    exec(compile(example, "card files", "exec"), {"__name__": "example"})
