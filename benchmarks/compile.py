"""What a user waits for: importing, the first step of a fresh process, and compiling everything once."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.games import GAMES
from benchmarks.measuring import Measurement, Report

ROOT = Path(__file__).resolve().parents[1]
REPEATS = 3


def fresh_process(face: str, work: str, cache: Path) -> dict[str, Any]:
    """Time a process of its own, see ``fresh_process.main``.

    Args:
        face: The game's module.
        work: ``"first-step"`` or ``"everything"``.
        cache: The folder that Numba keeps compiled code in.
    """
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-m", "benchmarks.fresh_process", face, work]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def measure(report: Report, repeats: int = REPEATS) -> list[Measurement]:
    """Time every game in fresh processes, with an empty cache and with the one this leaves.

    Args:
        report: Told what is being measured.
        repeats: Number of empty caches to start from.
    """
    rows = []
    for measured in GAMES:
        title = measured.game.title
        cold, warm = [], []
        for repeat in range(repeats):
            report(f"{title}: compiling everything into an empty cache, {repeat + 1} of {repeats}")
            with tempfile.TemporaryDirectory(prefix="gallery-benchmark-") as cache:
                cold.append(cold_process(measured.face, Path(cache)))
                warm.append(warm_process(measured.face, Path(cache)))
        figures = [
            ("import", [run["import_seconds"] for run in warm], measured.import_seconds),
            (
                "first step of a fresh process after the import, warm cache",
                [run["work_seconds"] for run in warm],
                measured.first_step_seconds,
            ),
            (
                "compiling everything, empty cache",
                [run["work_seconds"] for run in cold],
                measured.compile_seconds,
            ),
        ]
        rows += [
            Measurement("compile", f"{title}: {name}", statistics.median(seconds), "s", budget=budget, at_most=True)
            for name, seconds, budget in figures
        ]
    return rows


def cold_process(face: str, cache: Path) -> dict[str, Any]:
    """Compile everything into an empty cache, and make sure that this is what happened."""
    run = fresh_process(face, "everything", cache)
    assert run["loaded"] == 0 < run["compiled"]
    assert run["idle"] == [], f"not compiled: {run['idle']}"
    assert run["twice"] == [], f"compiled twice: {run['twice']}"
    assert any(cache.rglob("*.nbc"))
    return run


def warm_process(face: str, cache: Path) -> dict[str, Any]:
    """Take the first step with a cache that holds everything, and make sure that nothing was compiled."""
    run = fresh_process(face, "first-step", cache)
    assert run["loaded"] > 0
    assert run["compiled"] == 0, "the cache did not hold; was a source file edited while this ran?"
    return run
