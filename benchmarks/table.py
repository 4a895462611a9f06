"""The table of a run: as Markdown, as JSON, and between the markers of the README."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measuring import Measurement
from env_core.files import write_whole

BEGIN = "<!-- speed: begin, written by `python -m benchmarks --update-readme` -->"
END = "<!-- speed: end -->"
SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True)
class Run:
    """All measurements of one run, and what they were made with.

    Attributes:
        command: What was typed.
        date: When, UTC, ISO 8601.
        machine: Processor, number of cores, and the versions that count.
        measurements: The rows.
    """

    command: str
    date: str
    machine: dict[str, str]
    measurements: list[Measurement]

    @classmethod
    def of(cls, command: str, measurements: Sequence[Measurement]) -> Run:
        """A run on this machine that has just ended."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(command, now, machine(), list(measurements))

    @classmethod
    def load(cls, path: Path) -> Run:
        """Read what ``save`` wrote."""
        saved = json.loads(path.read_text(encoding="utf-8"))
        saved["measurements"] = [Measurement(**row) for row in saved["measurements"]]
        return cls(**saved)

    def save(self, path: Path) -> None:
        """Write the run as JSON, whole."""
        write_whole(path, json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n")

    def markdown(self) -> str:
        """The table, and a line that says how it came about."""
        made_with = ", ".join(f"{name} {value}" for name, value in self.machine.items())
        head = ["measured", "result", "ratio", "compared with", "budget", ""]
        lines = [head, ["---", "---:", "---:", "---", "---:", "---"], *map(_cells, self.measurements)]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{table}\n\nMedians of interleaved repeats, by `{self.command}` on {self.date[:10]}: {made_with}.\n"


def machine() -> dict[str, str]:
    """What a reader needs to know to compare figures."""
    facts = {"processor": _processor(), "cores": str(os.cpu_count()), "Python": platform.python_version()}
    return facts | {name: version(name) for name in ("numpy", "numba", "pettingzoo")}


def update_readme(readme: Path, run: Run) -> None:
    """Put a run's table between the markers of the README.

    Raises:
        ValueError: The markers are not there, or not once each.
    """
    text = readme.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"{readme.name} must hold the lines {BEGIN!r} and {END!r} once each, in this order.")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    write_whole(readme, f"{before}{BEGIN}\n{run.markdown()}{END}{after}")


def _cells(row: Measurement) -> list[str]:
    met = {True: "met", False: "missed", None: ""}[row.met]
    budget = ""
    if row.budget is not None:
        sign = "at most" if row.at_most else "at least"
        budget = f"{sign} {row.budget:g}{f' {row.unit}' if row.ratio is None else ' x'}"
    ratio = "" if row.ratio is None else f"{rounded(row.ratio)} x"
    return [row.name, f"{rounded(row.value)} {row.unit}", ratio, row.compared_with, budget, met]


def rounded(value: float) -> str:
    """A number with three significant digits, or all of those before the point, in groups of three."""
    if value == 0:
        return "0"
    digits_before_the_point = len(str(int(abs(value)))) if abs(value) >= 1 else 0
    kept = round(value, SIGNIFICANT_DIGITS - digits_before_the_point)
    return f"{kept:,.{max(0, SIGNIFICANT_DIGITS - digits_before_the_point)}f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names: list[Any] = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
