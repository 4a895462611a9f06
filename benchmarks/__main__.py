"""The command ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import importlib
import shlex
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measuring import Measurement
from benchmarks.table import Run, update_readme
from env_core import MissingExtraError

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
README_RUN = ROOT / "benchmarks" / "results.json"
"""The run whose table stands in the README."""

BENCHMARKS = ("speed", "compile", "training")
"""Modules of this package with ``measure(report, repeats)``."""

FAILED = 1
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table and save it.

    Budgets are reported, never enforced: a missed one is no failure. A benchmark whose games did not move is.

    Args:
        arguments: As on the command line.

    Returns:
        The exit code.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure the speed of every game beside public peers. Leave the machine alone meanwhile.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(BENCHMARKS)} (default: all)")
    parser.add_argument("--repeats", type=int, help="timed runs of each measurement (default: each benchmark's own)")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "runs" / "benchmarks.json", help="where to save (default: %(default)s)"
    )
    parser.add_argument(
        "--update-readme", action="store_true", help="also put the table in README.md; measures everything"
    )
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name!r}; there are {', '.join(BENCHMARKS)}.")
    if given.repeats is not None and given.repeats < 1:
        parser.error(f"--repeats must be 1 or more, not {given.repeats}.")
    if given.update_readme and given.names:
        parser.error("--update-readme takes no names: the table in README.md is that of one whole run.")

    typed = shlex.join(sys.argv[1:] if arguments is None else arguments)
    measurements: list[Measurement] = []
    complete, failed, interrupted = True, False, False
    try:
        for name in given.names or BENCHMARKS:
            measured = _measured(name, given.repeats)
            failed = failed or measured is None
            complete = complete and bool(measured)
            measurements += measured or []
    except KeyboardInterrupt:
        print("interrupted: what follows is what had been measured.", file=sys.stderr)
        interrupted = True
    run = Run.of(f"python -m benchmarks {typed}".strip(), measurements)
    print(run.markdown())
    run.save(given.output)
    print(f"saved to {given.output}", file=sys.stderr)
    if interrupted:
        return INTERRUPTED
    if given.update_readme:
        if not complete:
            print("README.md stays as it is: not everything could be measured.", file=sys.stderr)
            return FAILED
        run.save(README_RUN)
        update_readme(README, run)
    return FAILED if failed else 0


def _measured(name: str, repeats: int | None) -> list[Measurement] | None:
    try:
        measure = importlib.import_module(f"benchmarks.{name}").measure
        return measure(_report) if repeats is None else measure(_report, repeats)
    except (MissingExtraError, ModuleNotFoundError) as error:
        print(f"{name} is left out: {error}", file=sys.stderr)
        return []
    except AssertionError:
        # What the others measure is kept.
        traceback.print_exc()
        return None


def _report(words: str) -> None:
    print(f"measuring {words} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
