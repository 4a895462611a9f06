"""Protects playouts: random ones stay uniform, light ones rarely rearrange; in other games the two are one."""

from __future__ import annotations

import numpy as np
import pytest

from env_core.random import RANDOM_ONLY, drawn_action, random_below, row_word
from masters_env import masters_v0
from musee_env import musee_v0
from pictura_env import pictura_v0
from pictura_env.kernels import MENUS_PER_REARRANGING
from pictura_env.state import FINAL_MENU, FINAL_PUT_DOWN, KIND_ACTION, MENU, PUT_DOWN, SLOT_ACTION

SEED = 3


def play_step_by_step(batch: object, light: bool) -> tuple[int, int]:
    """Play every row as a playout should; returns the number of steps and how many of them put a painting down."""
    generators = np.zeros(batch.num_envs, RANDOM_ONLY)
    generators["random"] = [row_word(np.uint64(SEED), row) for row in range(batch.num_envs)]
    batch.auto_reset = False
    steps = moves = 0
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        phases = batch.states["phase"][running]
        steps += len(running)
        moves += int(np.isin(phases, (PUT_DOWN, FINAL_PUT_DOWN)).sum())
        masks = batch.action_mask[running]
        for place, row in enumerate(running):
            if light and phases[place] in (MENU, FINAL_MENU) and random_below(generators[row], MENUS_PER_REARRANGING):
                masks[place, SLOT_ACTION:KIND_ACTION] = 0
        actions = [drawn_action(generators[row], masks[place]) for place, row in enumerate(running)]
        batch.step(np.array(actions), running)
    return steps, moves


def test_playouts_play_as_they_say_and_light_ones_are_shorter() -> None:
    lengths = {}
    for word in ("random", "light"):
        batch = pictura_v0.batch_env(24, num_players=3, reward="margin")
        batch.reset(seed=SEED)
        scores, rewards = batch.playout(SEED, word)
        steps, moves = play_step_by_step(batch, word == "light")
        assert np.array_equal(scores, batch.scores())
        assert np.allclose(rewards.sum(axis=1), 0.0, atol=1e-6)
        lengths[word] = steps
        assert (moves > 0.1 * steps) == (word == "random")
    assert lengths["light"] < 0.85 * lengths["random"]


@pytest.mark.parametrize("face", [musee_v0, masters_v0])
def test_light_is_random_where_every_action_leads_on(face: object) -> None:
    batch = face.batch_env(16)
    batch.reset(seed=SEED)
    for light, random in zip(batch.playout(SEED, "light"), batch.playout(SEED, "random"), strict=True):
        assert np.array_equal(light, random)
