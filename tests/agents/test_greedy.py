"""Protects greedy play: the best standing after the move, with what the seat knows, ties broken at random."""

from __future__ import annotations

import numpy as np

from agents.greedy import GreedyPolicy, margins_after
from env_core.policies import call_policy
from musee_env import musee_v0


def some_positions(num_players: int, moves: int, rows: int = 64) -> object:
    batch = musee_v0.batch_env(rows, num_players=num_players)
    batch.reset(seed=3)
    for move in range(moves):
        batch.step(batch.sample_legal(move))
    return batch


def test_it_plays_a_move_that_scores_most_now() -> None:
    for num_players in (2, 3, 4):
        batch = some_positions(num_players, 14)
        actions = call_policy(GreedyPolicy(), batch, np.arange(64), np.random.default_rng(0))
        seats = batch.seat.copy()
        for row in range(64):
            gains = {}
            for action in np.flatnonzero(batch.action_mask[row]):
                one = batch.take([row])
                one.auto_reset = False
                before = one.scores()[0, seats[row]]
                one.step(np.array([action]))
                gains[int(action)] = one.scores()[0, seats[row]] - before
            assert gains[int(actions[row])] == max(gains.values())


def test_margins_are_over_the_mean_of_the_others_and_leave_the_positions_alone() -> None:
    batch = some_positions(3, 10, rows=8)
    states = batch.states.copy()
    rows = np.array([0, 0, 5])
    actions = np.array([np.flatnonzero(batch.action_mask[row])[-1] for row in rows])
    margins = margins_after(batch, rows, actions, np.array([0, 1, 2]))
    for place, seat in enumerate((0, 1, 2)):
        one = batch.take([rows[place]])
        one.step(actions[place : place + 1])
        own, others = one.standings()[0, seat], np.delete(one.standings()[0], seat)
        assert margins[place] == own - others.mean()
    assert np.array_equal(batch.states, states)


def test_a_match_going_on_to_its_next_game_does_not_look_like_a_loss() -> None:
    batch = musee_v0.batch_env(32, games_to_win=2)
    batch.reset(seed=1)
    ended = 0
    for move in range(60):
        before = batch.states["game_number"].copy()
        actions = batch.sample_legal(move)
        earlier = batch.take(np.arange(32))
        batch.step(actions)
        for row in np.flatnonzero(batch.states["game_number"] > before):
            seat = earlier.seat[row]
            standing = earlier.standings()[row]
            margin = margins_after(earlier, np.array([row]), actions[row : row + 1], np.array([seat]))[0]
            assert margin > standing[seat] - standing[1 - seat]
            ended += 1
    assert ended > 0


def test_ties_are_broken_by_the_generator() -> None:
    batch = musee_v0.batch_env(256)
    batch.reset(options={"game_seed": 5})
    first = call_policy(GreedyPolicy(), batch, np.arange(256), np.random.default_rng(0))
    again = call_policy(GreedyPolicy(), batch, np.arange(256), np.random.default_rng(0))
    assert np.array_equal(first, again)
    # On an empty table every placement scores one point.
    assert len(np.unique(first)) > 60


def test_many_rows_are_expanded_in_parts(monkeypatch: object) -> None:
    batch = some_positions(2, 6)
    whole = call_policy(GreedyPolicy(), batch, np.arange(64), np.random.default_rng(0))
    monkeypatch.setattr("agents.greedy.EXPANDED_AT_ONCE", 37)
    assert np.array_equal(call_policy(GreedyPolicy(), batch, np.arange(64), np.random.default_rng(0)), whole)
