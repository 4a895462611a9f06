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
GAMES = 48


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


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_playouts_play_as_they_say_and_light_ones_rarely_rearrange(num_players: int) -> None:
    played = {}
    for word in ("random", "light"):
        batch = pictura_v0.batch_env(GAMES, num_players=num_players, reward="margin")
        batch.reset(seed=SEED)
        scores, rewards = batch.playout(SEED, word)
        steps, moves = play_step_by_step(batch, word == "light")
        assert np.array_equal(scores, batch.scores())
        assert np.allclose(rewards.sum(axis=1), 0.0, atol=1e-6)
        played[word] = np.array([steps, moves]) / GAMES
        print(f"{num_players} players, {word}: {steps / GAMES:.0f} decisions a game, {moves / GAMES:.1f} moves")
    assert played["light"][1] < 0.05 * played["random"][1]
    # The rest of the game is as long as chance has it, and longest with the fewest players.
    if num_players > 2:
        assert played["light"][0] < 0.9 * played["random"][0]


@pytest.mark.parametrize("face", [musee_v0, masters_v0])
def test_light_is_random_where_every_action_leads_on(face: object) -> None:
    batch = face.batch_env(16)
    batch.reset(seed=SEED)
    for light, random in zip(batch.playout(SEED, "light"), batch.playout(SEED, "random"), strict=True):
        assert np.array_equal(light, random)
