"""Compiled writers of an observation's columns. Each returns the column behind what it has written.

The observation has been filled with zeros before.
"""

from __future__ import annotations

import numpy as np
from numpy import int32

from env_core.compile import compiled


@compiled
def write_bits(observation: np.ndarray, offset: int, value: int, count: int) -> int:
    """Write the ``count`` lowest bits of a number, lowest first."""
    # In 32 bits, and in a slice whose places are counted from 0, the compiler writes many bits at a time.
    columns = observation[offset : offset + count]
    word = int32(value)
    for bit in range(count):
        columns[bit] = (word >> int32(bit)) & int32(1)
    return offset + count


@compiled
def write_bits_of_each(observation: np.ndarray, offset: int, values: np.ndarray, count: int) -> int:
    """Write the ``count`` lowest bits of each of several numbers, lowest first."""
    columns = observation[offset : offset + len(values) * count]
    for place in range(len(values)):
        word = int32(values[place])
        for bit in range(count):
            columns[place * count + bit] = (word >> int32(bit)) & int32(1)
    return offset + len(values) * count


@compiled
def write_at_least(observation: np.ndarray, offset: int, value: int, limit: int) -> int:
    """Write 1 for each of 1..limit that a number reaches."""
    for reached in range(value):
        observation[offset + reached] = 1
    return offset + limit


@compiled
def write_place(observation: np.ndarray, offset: int, place: int, size: int) -> int:
    """Write 1 at a place of ``size``, or nothing at a negative one."""
    if place >= 0:
        observation[offset + place] = 1
    return offset + size


@compiled
def write_counts(observation: np.ndarray, offset: int, counts: np.ndarray, size: int) -> int:
    """Write the first ``size`` small counts as they are."""
    # A slice, whose places are counted from 0, lets the compiler copy many counts at a time.
    columns = observation[offset : offset + size]
    for place in range(size):
        columns[place] = counts[place]
    return offset + size


@compiled
def write_equal(observation: np.ndarray, offset: int, places: np.ndarray, place: int) -> int:
    """Write 1 for each card that lies in a place."""
    wanted = np.uint8(place)
    columns = observation[offset : offset + len(places)]
    for card in range(len(places)):
        columns[card] = places[card] == wanted
    return offset + len(places)
