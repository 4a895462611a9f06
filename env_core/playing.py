"""Playing one game of any environment with policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from env_core.policies import Policy, PolicyWithStates, call_policy


def play(
    env: AECEnv, policies: Sequence[Policy | PolicyWithStates] | Policy, seed: int | None = None
) -> dict[str, Any]:
    """Play one game and return its record.

    Args:
        env: An environment of this suite, ``raw_env`` or ``env``; it is reset.
        policies: One for each seat, or one that plays all of them.
        seed: Deals the game and seeds the policies; None deals the next game of the environment's stream.

    Raises:
        ValueError: The number of policies is not the number of seats.
        IllegalActionError: A policy gave no legal action; the message names the policy and the position.
    """
    raw: Any = env.unwrapped
    seats = len(raw.possible_agents)
    playing = list(policies) if isinstance(policies, Sequence) else [policies] * seats
    if len(playing) != seats:
        raise ValueError(f"expected {seats} policies, one for each seat, not {len(playing)}.")
    env.reset(seed=seed)
    rng = np.random.default_rng(raw.table.game_seed(0))
    row = np.zeros(1, dtype=np.int64)
    while (seat := raw.table.seat.item()) >= 0:
        env.step(int(call_policy(playing[seat], raw.table, row, rng)[0]))
    return raw.record()
