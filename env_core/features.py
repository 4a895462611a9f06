"""The feature table: which columns of an observation mean what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Feature:
    """One named run of columns.

    Attributes:
        name: Its name in the table.
        start: First column.
        shape: The shape of the run; the product is its number of columns, in C order.
        meaning: What the columns say, in words.
        high: The greatest value of a column; 1 unless the columns hold small counts.
    """

    name: str
    start: int
    shape: tuple[int, ...]
    meaning: str
    high: int = 1

    @property
    def size(self) -> int:
        """Number of columns."""
        return int(np.prod(self.shape))

    @property
    def slice(self) -> slice:
        """The columns, as a slice of the last axis of an observation."""
        return slice(self.start, self.start + self.size)

    def of(self, observation: np.ndarray) -> np.ndarray:
        """Cut this feature out of one observation (F,) or many (..., F), in its own shape."""
        return observation[..., self.slice].reshape(*observation.shape[:-1], *self.shape)


class FeatureTable(Mapping[str, Feature]):
    """All features of an observation, by name, in the order of their columns.

    Args:
        rows: ``(name, shape, meaning)`` or ``(name, shape, meaning, high)`` for each run of columns.
    """

    def __init__(
        self, rows: Sequence[tuple[str, tuple[int, ...], str] | tuple[str, tuple[int, ...], str, int]]
    ) -> None:
        features: dict[str, Feature] = {}
        start = 0
        for name, shape, meaning, *high in rows:
            if name in features:
                raise ValueError(f"two features are named {name!r}.")
            features[name] = Feature(name, start, shape, meaning, *high)
            start += features[name].size
        self._features = features
        self.size = start

    def __getitem__(self, name: str) -> Feature:
        return self._features[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._features)

    def highs(self) -> np.ndarray:
        """The greatest value of each column: int8 of shape (size,)."""
        highs = np.ones(self.size, dtype=np.int8)
        for feature in self.values():
            highs[feature.slice] = feature.high
        return highs


def low_bits(value: int, count: int) -> list[int]:
    """The ``count`` lowest bits of a number, lowest first, as an observation holds it."""
    return [value >> bit & 1 for bit in range(count)]


def from_bits(bits: np.ndarray) -> int:
    """The number whose bits, lowest first, are given."""
    return sum(int(bit) << place for place, bit in enumerate(bits))
