"""A player that looks one move ahead, for any game."""

from __future__ import annotations

import numpy as np

from env_core.batch import BatchEnv
from env_core.policies import RandomPolicy
from env_core.states import copied

EXPANDED_AT_ONCE = 2**16
"""So many states after a move are held in memory at a time."""


class GreedyPolicy:
    """Plays the move after which it stands best; ties are broken at random.

    To stand well is to have a large margin: the own standing minus the mean of all others' (``BatchEnv.standings``), so
    that in a game in which a move can hurt the others, that counts too. What a move brings may hang on hidden cards;
    those have been dealt anew in the states that a policy is given, so it cannot peek.
    """

    needs_states = True

    def __init__(self) -> None:
        self._choose_among = RandomPolicy()

    def __call__(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        seats: np.ndarray,
        rng: np.random.Generator,
        *,
        states: BatchEnv,
    ) -> np.ndarray:
        """Choose an action in each position; see ``env_core.policies.PolicyWithStates``."""
        # Contiguous, or the rules would be compiled once more for arrays with gaps.
        positions, actions = map(np.ascontiguousarray, np.nonzero(action_mask))
        margins = np.full(action_mask.shape, -np.inf)
        for start in range(0, len(positions), EXPANDED_AT_ONCE):
            part = slice(start, start + EXPANDED_AT_ONCE)
            margins[positions[part], actions[part]] = margins_after(
                states, positions[part], actions[part], seats[positions[part]]
            )
        best = margins == margins.max(axis=1, keepdims=True)
        return self._choose_among(observation, best, seats, rng)

    def __repr__(self) -> str:
        return "GreedyPolicy()"


def margins_after(states: BatchEnv, positions: np.ndarray, actions: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """How far each seat is ahead of the mean of the others after an action.

    Args:
        states: The positions; they stay as they are.
        positions: int64 (n,), rows of ``states``; a row may stand there more than once.
        actions: int64 (n,), a legal action in each.
        seats: int64 (n,), whose margin is asked for in each.

    Returns:
        float64 (n,).
    """
    # The kernels directly: a batch would also write an observation and a mask of each of these states.
    kernels = states.game.kernels
    after = copied(states.states, positions)
    rows = np.arange(len(after), dtype=np.int64)
    standings = np.empty((len(after), states.num_players), dtype=np.float64)
    kernels.advance(after, rows, actions)
    kernels.read_standings(after, rows, standings)
    own = standings[rows, seats]
    return own - (standings.sum(axis=1) - own) / (states.num_players - 1)
