"""Protects Masters Gallery's page: tables equal the code, examples run, links lead somewhere, every choice is named."""

from __future__ import annotations

import re

from env_core.game import load_game
from env_core.pages import page_of
from tests.env_core import page_checks

FACE = "masters_env.masters_v0"


def test_tables_are_fresh():
    page_checks.check_tables_are_fresh(FACE)


def test_whole_surface_is_described():
    page_checks.check_whole_surface_is_described(FACE)


def test_examples_run():
    page_checks.check_examples_run(FACE)


def test_links_lead_somewhere():
    page_checks.check_links_lead_somewhere(FACE)


def test_an_option_that_changes_a_rule_is_named_beside_the_default_it_replaces():
    page = page_of(load_game(FACE)).read_text(encoding="utf-8")
    rules = page[page.index("\n## Rules\n") : page.index("\n## Options\n")]
    paragraphs = re.split(r"\n\n|\n(?=- |\d\. )", rules)
    for option, value in (
        ("simultaneous_ender", '"clockwise"'),
        ("empty_artist_token", "True"),
        ("extra_card", '"any_artist"'),
    ):
        (paragraph,) = [paragraph for paragraph in paragraphs if f"`{option}={value}`" in paragraph]
        assert "**[default]**" in paragraph
