"""Protects ``masters_v0`` from playing differently than it did: same seed and actions, same game, on every machine.

Golden records lie in ``golden/``, with hashes of every observation, mask, reward and state on the way. If this fails,
either the change is a mistake, or it makes a ``masters_v1``; ``make_golden.py`` says how they are made anew.
"""

from __future__ import annotations

import numpy as np
import pytest

from env_core import records
from masters_env import masters_v0
from tests.masters_env.make_golden import FOLDER, GAMES, seen_while_playing
from tests.masters_env.second_rules import replay

GOLDEN = [
    pytest.param(record, sha256, id=f"{name}-{number}")
    for name in GAMES
    for number, (record, sha256) in enumerate(
        zip(records.load(FOLDER / f"{name}.jsonl"), (FOLDER / f"{name}.sha256").read_text().split(), strict=True)
    )
]


def test_every_player_count_option_and_kind_of_move_is_there():
    found = [record.values[0]["options"] for record in GOLDEN]
    for players in (2, 3, 4, 5):
        with_so_many = [options for options in found if options["num_players"] == players]
        assert {options["reward"] for options in with_so_many} == {"outcome", "margin", "score"}
        assert {options["simultaneous_ender"] for options in with_so_many} == {"active", "clockwise"}
        assert {options["empty_artist_token"] for options in with_so_many} == {False, True}
        assert {options["extra_card"] for options in with_so_many} == {"same_artist", "any_artist"}
    moves = {step["move"]["kind"] for record in GOLDEN for step in record.values[0]["steps"]}
    assert moves == {"play", "second_up", "second_down", "simultaneous", "award", "extra", "decline"}


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_the_same_seed_and_actions_give_the_same_game(record, sha256):
    played, seen = seen_while_playing(record)
    assert played == record
    assert seen == sha256, "what the seats see or get has changed"


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_golden_records_hold(record, sha256):
    assert records.check(masters_v0.raw_env, record).record() == record
    replay(record)


def test_the_first_row_of_a_batch_plays_them_too():
    for golden in GOLDEN:
        record = golden.values[0]
        batch = masters_v0.batch_env(2, auto_reset=False, **record["options"])
        batch.reset(seed=record["seed"])
        total = np.zeros(batch.num_players)
        for step in record["steps"]:
            assert batch.seat[0] == step["seat"]
            total += batch.step([step["action"]], np.array([0])).rewards[0]
        assert batch.scores()[0].tolist() == record["result"]["scores"]
        assert batch.winners(0) == record["result"]["winners"]
        assert total == pytest.approx(record["result"]["rewards"], abs=1e-5)
