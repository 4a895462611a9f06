"""What the benchmarks share: rows of the table, and fair repeats."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Report = Callable[[str], None]
"""Is told, in a few words, what is being measured."""


@dataclass(frozen=True)
class Measurement:
    """One row of the table.

    Attributes:
        benchmark: The name it is chosen by, ``"speed"``.
        name: What was measured.
        value: The median of the repeats, in ``unit``.
        unit: ``"steps/s"``, ``"s"`` and so on.
        ratio: To what ``compared_with`` names, the median of each repeat's own ratio; None without a comparison.
        compared_with: What the ratio compares with; empty without one.
        budget: What the ratio, or without one the value, is held to; None when it is only reported.
        at_most: The budget is an upper bound, not a lower one.
    """

    benchmark: str
    name: str
    value: float
    unit: str
    ratio: float | None = None
    compared_with: str = ""
    budget: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the budget is met; None without one."""
        if self.budget is None:
            return None
        judged = self.value if self.ratio is None else self.ratio
        return judged <= self.budget if self.at_most else judged >= self.budget


class Contestant(Protocol):
    """One side of a comparison."""

    def prepare(self) -> None:
        """Get ready, outside the timed part."""

    def run(self) -> int:
        """The timed part: play, and give the number of moves made."""
        ...

    def check(self) -> None:
        """Assert, outside the timed part, that the games of the last run really moved."""


def interleaved(contestants: Sequence[Contestant], repeats: int) -> list[list[float]]:
    """Let contestants run in turn, so that whatever else the machine does hits all of them.

    Args:
        contestants: Each runs once untimed, then ``repeats`` times.
        repeats: 1 or more.

    Returns:
        Moves a second: for each contestant a list of ``repeats`` rates.
    """
    rates: list[list[float]] = [[] for _ in contestants]
    for repeat in range(repeats + 1):
        for contestant, own_rates in zip(contestants, rates, strict=True):
            contestant.prepare()
            start = time.perf_counter()
            moves = contestant.run()
            seconds = time.perf_counter() - start
            contestant.check()
            assert moves > 0
            if repeat > 0:
                own_rates.append(moves / seconds)
    return rates


def compared(
    benchmark: str,
    name: str,
    rates: Sequence[float],
    unit: str,
    others: Sequence[float],
    compared_with: str,
    budget: float | None = None,
) -> Measurement:
    """A row that compares the rates of one contestant with those of another, repeat by repeat."""
    ratios = [own / other for own, other in zip(rates, others, strict=True)]
    return Measurement(
        benchmark, name, statistics.median(rates), unit, statistics.median(ratios), compared_with, budget
    )
