"""Protects what every game of the suite must do: the conformance kit on Masters Gallery, for every player count."""

from __future__ import annotations

import pytest

from env_core.testing import Conformance, cases
from masters_env import masters_v0
from tests.masters_env.invariants import assert_possible

SUBJECTS = (
    Conformance(masters_v0, invariants=assert_possible, games=2),
    Conformance(masters_v0, invariants=assert_possible, games=1, num_players=3, reward="score"),
    Conformance(
        masters_v0,
        invariants=assert_possible,
        games=1,
        num_players=4,
        reward="margin",
        extra_card="any_artist",
        empty_artist_token=True,
    ),
    Conformance(masters_v0, invariants=assert_possible, games=1, num_players=5, simultaneous_ender="clockwise"),
)
CASES = cases(*SUBJECTS)


@pytest.mark.parametrize("check", CASES.values(), ids=CASES)
def test_conformance(check):
    check()
