"""What the tests of the Gymnasium doors share."""

from __future__ import annotations

import numpy as np


class ByObservation:
    """Plays a legal action that depends on what it sees, and on nothing else."""

    needs_states = False

    def __init__(self, salt: int = 0) -> None:
        self.salt = salt

    def __call__(self, observation, action_mask, seats, rng):
        wanted = (observation.astype(np.int64) @ (np.arange(observation.shape[1]) + self.salt)) % action_mask.sum(1)
        return (np.cumsum(action_mask, axis=1, dtype=np.int64) > wanted[:, None]).argmax(axis=1)
