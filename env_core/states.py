"""Copying states as bytes: NumPy copies structured arrays field by field, which takes ten times as long."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_bytes(states: np.ndarray) -> np.ndarray:
    """The same memory as opaque items of the same size; what is written there is written to the states.

    Args:
        states: Structured array (n,).

    Returns:
        Void array (n,).
    """
    return states.view(np.dtype((np.void, states.dtype.itemsize)))


def copied(states: np.ndarray, rows: Any = None) -> np.ndarray:
    """A copy of states, or of some of them in the order of ``rows``: structured array, contiguous."""
    content = as_bytes(states)
    return (content.copy() if rows is None else content[rows]).view(states.dtype)
