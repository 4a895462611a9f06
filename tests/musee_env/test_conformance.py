"""Protects what every game of the suite must do: the conformance kit on Musée, for every player count."""

from __future__ import annotations

import pytest

from env_core.testing import Conformance, cases
from musee_env import musee_v0
from tests.musee_env.invariants import assert_possible

SUBJECTS = (
    Conformance(musee_v0, invariants=assert_possible),
    Conformance(musee_v0, invariants=assert_possible, games=2, num_players=3, reward="score", games_to_win=2),
    Conformance(musee_v0, invariants=assert_possible, num_players=4, reward="margin", staircases="random"),
)
CASES = cases(*SUBJECTS)


@pytest.mark.parametrize("check", CASES.values(), ids=CASES)
def test_conformance(check):
    check()
