"""Protects Musée's page: its tables equal the code, its examples run, its links lead somewhere."""

from __future__ import annotations

from tests.env_core import page_checks

FACE = "musee_env.musee_v0"


def test_tables_are_fresh():
    page_checks.check_tables_are_fresh(FACE)


def test_whole_surface_is_described():
    page_checks.check_whole_surface_is_described(FACE)


def test_examples_run():
    page_checks.check_examples_run(FACE)


def test_links_lead_somewhere():
    page_checks.check_links_lead_somewhere(FACE)
