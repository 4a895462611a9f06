"""The demo: it leaves a policy, a table, plots and a checked game behind, and says honestly how well it went."""

from __future__ import annotations

import csv
import json
import time
from pathlib import Path

import pytest

pytest.importorskip("sb3_contrib")

from agents import demo
from agents.ppo_policy import load_policy
from agents.train_ppo import TrainingSettings
from env_core import records
from musee_env import musee_v0

TINY = TrainingSettings(num_envs=8, num_steps=8, batch_size=32, hidden=(16, 8), evaluate_every=0, evaluation_games=4)
LARGEST_POLICY = 2_000_000
LARGEST_SECONDS = 300


def left_behind(folder: Path) -> dict[str, float]:
    """Check the files of a demo, and give the trained policy's win rates by opponent as the table has them."""
    load_policy(folder / "policy.zip", musee_v0.GAME, musee_v0.GAME.options())
    assert (folder / "policy.zip").stat().st_size < LARGEST_POLICY
    for plot in ("arena.png", "learning_curve.png"):
        assert (folder / plot).read_bytes().startswith(b"\x89PNG")
    (record,) = records.load(folder / "game_record.json")
    assert record["result"] is not None
    records.check(musee_v0.raw_env, record)
    with (folder / "arena.csv").open(encoding="utf-8") as file:
        assert {row["policy"] for row in csv.DictReader(file)} == {"trained", "random", "greedy", "expert"}
    table = json.loads((folder / "arena.json").read_text(encoding="utf-8"))
    return {pair["opponent"]: pair["win_rate"] for pair in table["pairs"] if pair["policy"] == "trained"}


def test_a_demo_that_misses_its_aim_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(tmp_path, total_steps=64, settings=TINY, deals=5, progress=False) == 1
    rates = left_behind(tmp_path)
    said = capsys.readouterr().out
    assert "The demo has failed" in said
    for opponent in ("random", "greedy", "expert"):
        assert f"{rates[opponent]:6.1%} against {opponent}" in said
    for name in ("policy.zip", "arena.csv", "arena.png", "game_record.json"):
        assert name in said
    for command in ("gallery play", "gallery train --resume"):
        assert command in said

    for part in ("against random   plays any legal move", "An equal opponent would be beaten in 50%"):
        assert part in said


def test_a_second_demo_leaves_the_first_one_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "WANTED_WIN_RATE", 0.0)
    monkeypatch.chdir(tmp_path)
    for folder in ("demo", "demo-2"):
        assert demo.main(total_steps=64, settings=TINY, deals=5, progress=False) == 0
        said = capsys.readouterr().out
        assert said.startswith(f"Everything will be left in runs/{folder}.")
        assert f"In runs/{folder}:" in said
        assert "failed" not in said
        left_behind(tmp_path / "runs" / folder)


def test_an_interrupted_demo_leaves_a_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("agents.train_ppo.MaskablePPO.train", lambda model: (_ for _ in ()).throw(KeyboardInterrupt))
        assert demo.main(tmp_path, total_steps=640, settings=TINY, progress=False) == demo.INTERRUPTED
    load_policy(tmp_path / "policy.zip", musee_v0.GAME)
    said = capsys.readouterr().out
    assert "Interrupted" in said
    assert "--resume" in said


@pytest.mark.slow
def test_the_whole_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    started = time.monotonic()
    assert demo.main(tmp_path) == 0
    assert time.monotonic() - started < LARGEST_SECONDS
    assert left_behind(tmp_path)["random"] >= demo.WANTED_WIN_RATE
    assert "failed" not in capsys.readouterr().out
