"""Protects ``musee_v0`` from playing differently than it did: same seed and actions, same game, on every machine.

Golden records lie in ``golden/``, with hashes of every observation, mask, reward and state on the way. If this fails,
either the change is a mistake, or it makes a ``musee_v1``; ``make_golden.py`` says how they are made anew.
"""

from __future__ import annotations

import numpy as np
import pytest

from env_core import records
from musee_env import musee_v0
from tests.musee_env.make_golden import FOLDER, GAMES, seen_while_playing
from tests.musee_env.second_rules import replay

GOLDEN = [
    pytest.param(record, sha256, id=f"{name}-{number}")
    for name in GAMES
    for number, (record, sha256) in enumerate(
        zip(records.load(FOLDER / f"{name}.jsonl"), (FOLDER / f"{name}.sha256").read_text().split(), strict=True)
    )
]


def test_every_player_count_and_matches_are_there():
    found = [record.values[0]["options"] for record in GOLDEN]
    assert {options["num_players"] for options in found} == {2, 3, 4}
    assert {options["num_players"] for options in found if options["games_to_win"] > 1} == {2, 3, 4}
    assert {options["reward"] for options in found} == {"outcome", "margin", "score"}
    moves = {step["move"]["kind"] for record in GOLDEN for step in record.values[0]["steps"] if "move" in step}
    assert moves == {"place", "keep", "give"}


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_the_same_seed_and_actions_give_the_same_game(record, sha256):
    played, seen = seen_while_playing(record)
    assert played == record
    assert seen == sha256, "what the seats see or get has changed"


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_golden_records_hold(record, sha256):
    assert records.check(musee_v0.raw_env, record).record() == record
    replay(record)


def test_the_first_row_of_a_batch_plays_them_too():
    for golden in GOLDEN:
        record = golden.values[0]
        batch = musee_v0.batch_env(2, auto_reset=False, **record["options"])
        batch.reset(seed=record["seed"])
        total = np.zeros(batch.num_players)
        for step in record["steps"]:
            if "action" in step:
                assert batch.seat[0] == step["seat"]
                total += batch.step([step["action"]], np.array([0])).rewards[0]
        assert batch.scores()[0].tolist() == record["result"]["scores"]
        assert batch.winners(0) == record["result"]["winners"]
        assert total == pytest.approx(record["result"]["rewards"], abs=1e-5)
