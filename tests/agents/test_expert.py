"""Protects the Musée expert: it knows no more than its observation, keeps room, and clearly beats greedy play."""

from __future__ import annotations

import numpy as np
import pytest

from agents.arena import compete
from agents.greedy import GreedyPolicy
from agents.musee_expert import MuseeExpert, has_space, layout, read_hand, read_museum
from musee_env import musee_v0
from musee_env.observation import features, knowledge

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])


def column_of(card: int, num_players: int = 2) -> int:
    """The column of an empty museum in which the expert hangs a card of a hand that is spread evenly."""
    env = musee_v0.raw_env(num_players=num_players)
    env.reset(seed=0)
    paintings = 60 if num_players == 3 else 50
    hand = [other for other in (5, 14, 25, 36, paintings - 3) if abs(other - card) > 4][:4] + [card]
    pack = [number for number in range(1, paintings + 1) if number not in hand]
    hands = [hand, *(pack[5 * other : 5 * other + 5] for other in range(num_players - 1))]
    setup = {**env.record()["setup"], "first_seat": 0, "hands": hands, "deck": pack[5 * (num_players - 1) :]}
    env.reset(options={"setup": setup})
    table = env.table
    mask = table.action_mask.copy()
    for action in range(mask.shape[1]):
        mask[0, action] &= env.describe(action).get("card") == card
    (action,) = MuseeExpert()(table.observation, mask, table.seat, np.random.default_rng(0))
    return env.describe(int(action))["column"]


def test_paintings_hang_where_their_number_belongs() -> None:
    columns = [column_of(card) for card in (2, 14, 25, 36, 49)]
    assert columns == sorted(columns)
    assert columns[0] == 0
    assert columns[1] in (1, 2)
    assert columns[2] in (2, 3)
    assert columns[3] in (3, 4)
    assert columns[4] == 5
    assert [column_of(card, num_players=3) for card in (2, 30, 59)] == [0, 2, 4]


@COUNTS
def test_it_reads_the_observation_right(num_players: int) -> None:
    batch = musee_v0.batch_env(16, num_players=num_players)
    batch.reset(seed=2)
    where = np.array(layout(features(num_players).size), dtype=np.int64)
    museum, hand = np.zeros((3, 6), dtype=np.int64), np.zeros(6, dtype=np.int64)
    for move in range(25):
        for row in range(16):
            known = knowledge(batch.states[row], int(batch.seat[row]))
            read_museum(batch.observation[row], where, museum)
            size = read_hand(batch.observation[row], where, hand)
            assert museum[:, : where[2]].tolist() == known["museums"][0]
            assert hand[:size].tolist() == known["hand"]
            fits = [bool(has_space(museum, where[2], card)) for card in known["hand"]]
            legal = batch.action_mask[row, : where[4] * 3 * where[2]].reshape(where[4], -1).any(axis=1)
            if not known.get("last_card_decision"):
                assert fits == legal[:size].tolist()
        batch.step(batch.sample_legal(move))


@COUNTS
def test_an_action_depends_on_the_observation_alone(num_players: int) -> None:
    batch = musee_v0.batch_env(64, num_players=num_players)
    batch.reset(seed=4)
    expert = MuseeExpert()
    for move in range(30):
        actions = expert(batch.observation, batch.action_mask, batch.seat, np.random.default_rng(move))
        assert batch.action_mask[np.arange(64), actions].all()
        other = batch.resample_hidden(batch.seat, seed=move)
        again = expert(other.observation, other.action_mask, other.seat, np.random.default_rng(0))
        assert np.array_equal(actions, again)
        batch.step(batch.sample_legal(move))


def test_a_partner_who_is_out_is_given_nothing() -> None:
    batch = musee_v0.batch_env(512, num_players=4)
    batch.reset(seed=0)
    expert = MuseeExpert()
    decided = {True: [], False: []}
    for move in range(60):
        asked = np.flatnonzero(batch.action_mask[:, 108])
        actions = expert(batch.observation, batch.action_mask, batch.seat, np.random.default_rng(0))
        for row in asked:
            partner_out = bool(batch.states["out"][row, (batch.seat[row] + 2) % 4])
            decided[partner_out].append(int(actions[row]))
        # Random play fills museums badly, so that players are out early.
        batch.step(np.where(batch.action_mask[:, 108] == 1, actions, batch.sample_legal(move)))
    assert decided[True]
    assert set(decided[True]) == {108}
    assert set(decided[False]) <= {108, 109}


@COUNTS
def test_it_clearly_beats_greedy_play(num_players: int) -> None:
    result = compete(
        musee_v0.GAME,
        {"expert": MuseeExpert(), "greedy": GreedyPolicy()},
        deals=40,
        seed=1,
        options={"num_players": num_players},
    )
    assert result.win_rate("expert", "greedy") > 0.85


def test_other_observations_are_refused() -> None:
    with pytest.raises(ValueError, match="is not Musée's"):
        MuseeExpert()(np.zeros((1, 12), np.int8), np.ones((1, 3), np.int8), np.zeros(1), np.random.default_rng(0))
