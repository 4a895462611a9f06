"""Playing one game of any environment with policies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from env_core.aec import RawEnv
from env_core.policies import Policy, PolicyWithStates, call_policy, checked_policy


def play(
    env: AECEnv, policies: Sequence[Policy | PolicyWithStates] | Policy, seed: int | None = None
) -> dict[str, Any]:
    """Play one game and return its record.

    Args:
        env: An environment of this suite, ``raw_env`` or ``env``; it is reset.
        policies: One for each seat, or one that plays all of them.
        seed: Deals the game and seeds the policies; None deals the next game of the environment's stream.

    Raises:
        TypeError: No environment of this suite, or no policies.
        ValueError: The number of policies is not the number of seats.
        IllegalActionError: A policy gave no legal action; the message names the policy and the position.
    """
    raw: Any = getattr(env, "unwrapped", None)
    if not isinstance(raw, RawEnv):
        raise TypeError(f"play takes an environment of this suite, raw_env() or env(), not {env!r}.")
    seats = len(raw.possible_agents)
    several = isinstance(policies, Sequence) and not isinstance(policies, str)
    given: Any = policies if several else [policies] * seats
    if len(given) != seats:
        raise ValueError(f"expected {seats} policies, one for each seat, not {len(given)}.")
    playing = [checked_policy(policy) for policy in given]
    env.reset(seed=seed)
    rng = np.random.default_rng(raw.table.game_seed(0))
    row = np.zeros(1, dtype=np.int64)
    while (seat := raw.table.seat.item()) >= 0:
        env.step(int(call_policy(playing[seat], raw.table, row, rng)[0]))
    return raw.record()
