"""Protects what every game of the suite must do: the conformance kit on Museum: Pictura, for every player count.

The options keep the games short; what long games bring is in ``test_records.py`` and ``test_rules.py``.
"""

from __future__ import annotations

import pytest

from env_core.testing import Conformance, cases
from pictura_env import pictura_v0
from tests.pictura_env.invariants import assert_possible

SUBJECTS = (
    Conformance(pictura_v0, invariants=assert_possible, games=2, max_rounds=1),
    Conformance(pictura_v0, invariants=assert_possible, games=1, num_players=3, reward="score", max_rounds=1),
    Conformance(
        pictura_v0, invariants=assert_possible, games=1, num_players=4, reward="margin", exhibits_per_action=1,
        rearrange_limit=1, max_rounds=1,
    ),
)  # fmt: skip
CASES = cases(*SUBJECTS)


@pytest.mark.parametrize("check", CASES.values(), ids=CASES)
def test_conformance(check):
    check()
