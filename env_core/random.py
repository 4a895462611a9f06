"""The random generator that lives in a game's state, and the streams of games that seeds give.

The generator is SplitMix64 (Steele, Lea and Flood 2014): one unsigned 64-bit word in the state's field ``random``.
A stream of games is a sequence of game seeds; game seed and generator are one word each, so that a game can be dealt
again from a single integer.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from env_core.compile import PLAIN_PYTHON, compiled

MAX_SEED = 2**63 - 1
"""The greatest seed that ``reset`` accepts."""

RANDOM_ONLY = np.dtype([("random", np.uint64)])
"""A state that is nothing but a generator."""

_INCREMENT = np.uint64(0x9E3779B97F4A7C15)
_FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)
_SHIFT_30 = np.uint64(30)
_SHIFT_27 = np.uint64(27)
_SHIFT_31 = np.uint64(31)
_SHIFT_32 = np.uint64(32)
_LOW_32_BITS = np.uint64(0xFFFFFFFF)
_TWO_TO_32 = 2**32


def _wrapping(function: Callable[..., Any]) -> Callable[..., Any]:
    # Unsigned overflow is meant here; only plain NumPy scalars warn of it.
    return np.errstate(over="ignore")(function) if PLAIN_PYTHON else function


@compiled
@_wrapping
def mix(word: np.uint64) -> np.uint64:
    """Scramble one 64-bit word: SplitMix64's output function."""
    word = (word ^ (word >> _SHIFT_30)) * _FIRST_MULTIPLIER
    word = (word ^ (word >> _SHIFT_27)) * _SECOND_MULTIPLIER
    return word ^ (word >> _SHIFT_31)


@compiled
@_wrapping
def following(word: np.uint64) -> np.uint64:
    """The next word of the sequence that seeds a stream of games."""
    return word + _INCREMENT


@compiled
@_wrapping
def row_word(seed: np.uint64, row: int) -> np.uint64:
    """A word for one row of a batch, the same whatever the number of rows."""
    return mix(mix(seed + _INCREMENT) + np.uint64(row) * _INCREMENT)


@compiled
def random_word(state: np.void) -> np.uint64:
    """Draw 64 random bits from a state's generator."""
    state["random"] = following(state["random"])
    return mix(state["random"])


@compiled
def random_below(state: np.void, bound: int) -> int:
    """Draw an integer uniformly from ``0 <= x < bound`` (Lemire 2019, 32 bits at a time).

    Args:
        state: A game's state; its field ``random`` moves on.
        bound: 1 to 2**31; the product with a draw must fit 63 bits.
    """
    rejected_below = (_TWO_TO_32 - bound) % bound
    while True:
        product = np.int64(random_word(state) >> _SHIFT_32) * np.int64(bound)
        if (product & np.int64(0xFFFFFFFF)) >= rejected_below:
            return product >> np.int64(32)


@compiled
def random_fraction(state: np.void) -> float:
    """Draw a float64 uniformly from [0, 1)."""
    return np.float64(random_word(state) >> np.uint64(11)) * 2.0**-53


@compiled
def shuffle(state: np.void, cards: np.ndarray, count: int) -> None:
    """Put the first ``count`` cards into random order (Fisher and Yates), in place."""
    for last in range(count - 1, 0, -1):
        other = random_below(state, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


@compiled
def drawn_action(state: np.void, action_mask: np.ndarray) -> int:
    """Draw a legal action from a mask, uniformly, with a state's generator; -1 if there is none."""
    legal = 0
    for action in range(len(action_mask)):
        legal += np.int64(action_mask[action])
    if legal == 0:
        return -1
    left = random_below(state, legal)
    for action in range(len(action_mask)):
        if action_mask[action]:
            if left == 0:
                return action
            left -= 1
    return -1


@compiled(allocates=True)
def sample_legal(action_mask: np.ndarray, seed: np.uint64, actions: np.ndarray) -> None:
    """Draw one legal action for each row of masks; -1 where there is none.

    Args:
        action_mask: int8 of shape (N, A).
        seed: uint64; row i depends on the seed and i alone.
        actions: int64 of shape (N,); written.
    """
    generator = np.zeros(1, RANDOM_ONLY)[0]
    for row in range(len(actions)):
        generator["random"] = row_word(seed, row)
        actions[row] = drawn_action(generator, action_mask[row])


def checked_seed(seed: Any, name: str = "seed") -> int:
    """Return a seed as a Python integer, or refuse it.

    Args:
        seed: Anything a caller gave.
        name: What the caller calls it, for the error message.

    Raises:
        TypeError: It is no integer (``True`` is none).
        ValueError: It is outside ``0..2**63 - 1``.
    """
    if isinstance(seed, (bool, np.bool_)):
        raise TypeError(f"{name} must be an integer from 0 to 2**63 - 1, not {seed!r}.")
    try:
        value = operator.index(seed)
    except TypeError:
        raise TypeError(
            f"{name} must be an integer from 0 to 2**63 - 1, not {seed!r} ({type(seed).__name__})."
        ) from None
    if not 0 <= value <= MAX_SEED:
        raise ValueError(f"{name} must be an integer from 0 to 2**63 - 1, not {value}.")
    return value


@functools.lru_cache(maxsize=8)
def first_game_seeds(seed: int, rows: int) -> np.ndarray:
    """The game seeds with which the rows of a batch begin: row i draws from ``SeedSequence(seed).spawn(rows)[i]``.

    Args:
        seed: A seed that ``checked_seed`` let pass.
        rows: Number of rows.

    Returns:
        uint64 of shape (rows,), read-only.
    """
    # A child of spawn() is the sequence with its place as spawn key; making it so spares the parent.
    children = (np.random.SeedSequence(seed, spawn_key=(row,)) for row in range(rows))
    seeds = np.array([child.generate_state(1, np.uint64)[0] for child in children], dtype=np.uint64)
    seeds.flags.writeable = False
    return seeds
