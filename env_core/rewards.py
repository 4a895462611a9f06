"""Rewards at the end of a game, over sides.

A *side* is a player or a team. Seat s is on side ``s % num_sides``; partners get the same.
"""

from __future__ import annotations

import numpy as np

from env_core.compile import compiled

OUTCOME = 0
MARGIN = 1
SCORE = 2

REWARDS: tuple[str, ...] = ("outcome", "margin", "score")
"""The reward options by name; a state holds the place in this tuple."""


@compiled
def outcome_rewards(winning: np.ndarray, num_seats: int, num_sides: int, rewards: np.ndarray) -> None:
    """Share 1 among the winning sides and -1 among the others, so that the sides sum to zero.

    With w winning sides among S each winner gets (S - w) / (w (S - 1)), each other -1 / (S - 1).

    Args:
        winning: Shape (num_sides or more,), nonzero where a side has won.
        num_seats: Number of seats.
        num_sides: Number of sides, 2 or more.
        rewards: Float, shape (num_seats,); written.
    """
    winners = 0
    for side in range(num_sides):
        if winning[side]:
            winners += 1
    for seat in range(num_seats):
        if winning[seat % num_sides]:
            rewards[seat] = (num_sides - winners) / (winners * (num_sides - 1))
        else:
            rewards[seat] = -1.0 / (num_sides - 1)


@compiled
def margin_rewards(points: np.ndarray, num_seats: int, num_sides: int, scale: float, rewards: np.ndarray) -> None:
    """Give each side its points less the mean of the other sides', divided by ``scale``.

    Args:
        points: Shape (num_sides or more,), each side's points.
        num_seats: Number of seats.
        num_sides: Number of sides, 2 or more.
        scale: The game's MARGIN_SCALE, or the games to win in a match.
        rewards: Float, shape (num_seats,); written.
    """
    total = 0.0
    for side in range(num_sides):
        total += points[side]
    for seat in range(num_seats):
        own = points[seat % num_sides]
        rewards[seat] = (own - (total - own) / (num_sides - 1)) / scale
