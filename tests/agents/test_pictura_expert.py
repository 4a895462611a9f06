"""Protects baseline play of Museum: Pictura: the expert, and that greedy play makes sense there."""

from __future__ import annotations

import numpy as np

from agents.arena import compete
from agents.greedy import GreedyPolicy
from env_core.policies import RandomPolicy, call_policy
from pictura_env import pictura_v0
from pictura_env.state import PUT_DOWN


def test_greedy_play_does_not_idle() -> None:
    """What has been begun counts as finished: no inventory for cards to be discarded again, no aimless rearranging."""
    batch = pictura_v0.batch_env(16, auto_reset=False)
    batch.reset(seed=2)
    rng = np.random.default_rng(0)
    steps = 0
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        assert not (batch.states["phase"][running] == PUT_DOWN).any()
        batch.step(call_policy(GreedyPolicy(), batch, running, rng), running)
        steps += len(running)
    assert steps / 16 < 250
    assert (batch.states["round"] < 15).all()


def test_standings_count_what_has_been_begun_and_leave_the_states_alone() -> None:
    batch = pictura_v0.batch_env(64)
    batch.reset(seed=2)
    for move in range(60):
        batch.step(batch.sample_legal(move))
        before = batch.states.copy()
        batch.standings()
        assert np.array_equal(before, batch.states)


def test_greedy_play_clearly_beats_random_play() -> None:
    result = compete(pictura_v0.GAME, {"greedy": GreedyPolicy(), "random": RandomPolicy()}, deals=20, seed=1)
    assert result.win_rate("greedy", "random") > 0.95
