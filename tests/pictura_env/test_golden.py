"""Protects ``pictura_v0`` from playing differently than it did: same seed and actions, same game, on every machine.

Golden records lie in ``golden/``, with hashes of every observation, mask, reward and state on the way, and with the
changed card file that some of them are played with. If this fails, either the change is a mistake, or it makes a
``pictura_v1``; ``make_golden.py`` says how they are made anew.
"""

from __future__ import annotations

import numpy as np
import pytest

from env_core import records
from pictura_env import pictura_v0
from tests.pictura_env.make_golden import CARDS, FOLDER, GAMES, seen_while_playing
from tests.pictura_env.second_rules import replay

GOLDEN = [
    pytest.param(record, sha256, id=f"{name}-{number}")
    for name in GAMES
    for number, (record, sha256) in enumerate(
        zip(records.load(FOLDER / f"{name}.jsonl"), (FOLDER / f"{name}.sha256").read_text().split(), strict=True)
    )
]


@pytest.fixture(autouse=True)
def _beside_the_card_file(monkeypatch):
    monkeypatch.chdir(FOLDER)


def test_every_player_count_reward_kind_and_move_is_there():
    found = [record.values[0]["options"] for record in GOLDEN]
    assert {options["num_players"] for options in found} == {2, 3, 4}
    assert {options["reward"] for options in found} == {"outcome", "margin", "score"}
    assert {options["cards"] for options in found} == {"default", CARDS}
    steps = [step for record in GOLDEN for step in record.values[0]["steps"]]
    assert {step["move"]["kind"] for step in steps if "move" in step} == set(
        "keep_trend trade_take trade_give exhibit place pay pick_up put_down open_exhibition reward_space inventory "
        "take_favor replace_patrons play_favor claim_patron recover discard discard_favor pass done".split()
    )
    assert {step["chance"]["kind"] for step in steps if "chance" in step} >= {"trend_deck", "favor_deck"}
    assert {record.values[0]["result"]["ended"] for record in GOLDEN} == {"terminated", "truncated"}


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_the_same_seed_and_actions_give_the_same_game(record, sha256):
    played, seen = seen_while_playing(record)
    assert played == record
    assert seen == sha256, "what the seats see or get has changed"


@pytest.mark.parametrize(("record", "sha256"), GOLDEN)
def test_golden_records_hold(record, sha256):
    assert records.check(pictura_v0.raw_env, record).record() == record
    replay(record)


def test_the_first_row_of_a_batch_plays_them_too():
    for golden in GOLDEN:
        record = golden.values[0]
        batch = pictura_v0.batch_env(2, auto_reset=False, **record["options"])
        batch.reset(seed=record["seed"])
        total = np.zeros(batch.num_players)
        for step in record["steps"]:
            if "action" in step:
                assert batch.seat[0] == step["seat"]
                total += batch.step([step["action"]], np.array([0])).rewards[0]
        assert batch.scores()[0].tolist() == record["result"]["scores"]
        assert batch.winners(0) == record["result"]["winners"]
        assert total == pytest.approx(record["result"]["rewards"], abs=1e-5)
