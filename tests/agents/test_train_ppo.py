"""Training runs: a seed repeats, a killed run goes on as if nothing had happened, and figures are honest."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

import torch

from agents import train_ppo
from agents.greedy import GreedyPolicy
from agents.ppo_policy import load_policy
from agents.train_ppo import RunFolderError, TrainingSettings, resume, train, win_rate
from env_core.errors import OptionError, UnknownOptionError
from env_core.policies import RandomPolicy, call_policy
from musee_env import musee_v0

GAME = musee_v0.GAME
# The expert is left out where nothing hangs on it, to save compiling it.
TINY = TrainingSettings(
    num_envs=8, num_steps=8, batch_size=32, epochs=2, hidden=(16, 8), expert=0.0, past_every=2, past_capacity=2,
    evaluate_every=0, evaluation_games=4, checkpoint_seconds=0.0,
)  # fmt: skip
UPDATE = TINY.num_envs * TINY.num_steps


@pytest.fixture(autouse=True)
def _few_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_ppo, "policy_names", lambda game: ["random", "greedy"])


def tiny(folder: Path, updates: int = 6, **how: Any) -> train_ppo.TrainingResult:
    how = {"seed": 4, "settings": TINY, "threads": 1, "progress": False, **how}
    return train("musee", how.pop("options", None), updates * UPDATE, folder, **how)


def weights(folder: Path) -> list[Any]:
    return [part for layer in load_policy(folder / "policy.zip", GAME).layers for part in layer]


def same(one: list[Any], other: list[Any]) -> bool:
    return all(torch.equal(left, right) for left, right in zip(one, other, strict=True))


def test_a_seed_repeats(tmp_path: Path) -> None:
    for name, seed in (("first", 4), ("again", 4), ("other", 5)):
        result = tiny(tmp_path / name, seed=seed)
        assert result.finished
        assert result.steps == 6 * UPDATE
    assert same(weights(tmp_path / "first"), weights(tmp_path / "again"))
    assert not same(weights(tmp_path / "first"), weights(tmp_path / "other"))


def test_a_run_leaves_what_it_promises(tmp_path: Path) -> None:
    result = tiny(tmp_path / "run", settings=dataclasses.replace(TINY, evaluate_every=3 * UPDATE))
    files = {path.name for path in (tmp_path / "run").iterdir()}
    promised = {"config.json", "policy.zip", "checkpoint.zip", "evaluation.csv", "learning_curve.png", "tensorboard"}
    assert files == promised
    assert result.policy == tmp_path / "run" / "policy.zip"
    with (tmp_path / "run" / "evaluation.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["steps"]) for row in rows] == [0, 3 * UPDATE, 6 * UPDATE]
    assert [{name: float(value) for name, value in row.items()} for row in rows] == result.evaluations
    assert all(0 <= row[name] <= 1 for row in result.evaluations for name in ("random", "greedy"))
    assert (tmp_path / "run" / "learning_curve.png").read_bytes().startswith(b"\x89PNG")
    assert any(path.stat().st_size > 0 for path in (tmp_path / "run" / "tensorboard").iterdir())
    batch = musee_v0.batch_env(16)
    batch.reset(seed=1)
    batch.step(call_policy(load_policy(result.policy, GAME), batch, np.arange(16), np.random.default_rng(0)))


@pytest.mark.parametrize("players", [3, 4])
def test_every_number_of_players_trains(tmp_path: Path, players: int) -> None:
    result = tiny(tmp_path / "run", 2, options={"num_players": players, "reward": "margin"})
    assert result.finished
    load_policy(result.policy, GAME, GAME.options(num_players=players))


def test_an_interrupted_run_goes_on_as_if_nothing_had_happened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny(tmp_path / "whole")

    steps = 0
    step_wait = train_ppo.SelfPlayVecEnv.step_wait

    def interrupting(env: Any) -> Any:
        nonlocal steps
        steps += 1
        if steps == 3 * TINY.num_steps + 5:
            raise KeyboardInterrupt
        return step_wait(env)

    said: list[str] = []
    with monkeypatch.context() as patched:
        patched.setattr(train_ppo.SelfPlayVecEnv, "step_wait", interrupting)
        result = tiny(tmp_path / "parts", report=said.append)
    assert not result.finished
    assert result.interrupted
    assert "gallery train --resume --out" in said[-1]
    load_policy(result.policy, GAME)

    rest = resume(tmp_path / "parts", threads=1, progress=False)
    assert rest.finished
    assert rest.steps == 6 * UPDATE
    assert same(weights(tmp_path / "parts"), weights(tmp_path / "whole"))


def running_run(folder: Path, settings: TrainingSettings, **how: Any) -> subprocess.Popen[str]:
    """Start a run in a process of its own, of far more steps than it will come to."""
    program = (
        "import functools\n"
        "from agents import train_ppo\n"
        "from agents.train_ppo import TrainingSettings, train\n"
        "train_ppo.policy_names = lambda game: ['random', 'greedy']\n"
        f"settings = TrainingSettings(**{dataclasses.asdict(settings)!r})\n"
        f"result = train('musee', None, {10**6}, {str(folder)!r}, settings=settings, threads=1, progress=False,\n"
        "    report=functools.partial(print, flush=True))\n"
        "print('stopped', result.interrupted, result.steps)\n"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.PIPE, text=True
    )


def wait_for(running: subprocess.Popen[str], happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        assert running.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_killed_run_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    checkpoint = folder / "checkpoint.zip"
    running = running_run(folder, TINY)
    try:
        wait_for(running, checkpoint.exists)
        # The first checkpoint is the untrained network's; wait until another has taken its place.
        first = checkpoint.stat().st_mtime_ns
        wait_for(running, lambda: checkpoint.stat().st_mtime_ns != first)
    finally:
        running.kill()
        running.wait()
    load_policy(folder / "policy.zip", GAME)
    result = resume(folder, total_steps=UPDATE, threads=1, progress=False)
    assert result.finished
    assert result.steps >= UPDATE
    further = resume(folder, total_steps=result.steps + 2 * UPDATE, threads=1, progress=False)
    assert further.steps == result.steps + 2 * UPDATE


def test_ctrl_c_loses_no_step(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    running = running_run(folder, dataclasses.replace(TINY, checkpoint_seconds=3600.0, evaluate_every=2))
    try:
        # The only checkpoint that time brings is the untrained network's, and long past when Ctrl-C comes.
        log = folder / "evaluation.csv"
        wait_for(running, lambda: log.exists() and len(log.read_text().splitlines()) > 3)
        running.send_signal(signal.SIGINT)
        said, _ = running.communicate(timeout=120)
    finally:
        running.kill()
        running.wait()
    lines = said.splitlines()
    assert lines[0] == "Stopping after this update; Ctrl-C again stops at once."
    assert lines[-1].startswith("stopped True ")
    steps = int(lines[-1].split()[-1])
    assert steps >= 2 * UPDATE
    assert steps % UPDATE == 0
    assert "from step" not in said
    resumed: list[str] = []
    result = resume(folder, total_steps=steps + UPDATE, threads=1, progress=False, report=resumed.append)
    assert result.steps == steps + UPDATE
    assert result.evaluations[0]["steps"] == 0
    assert result.finished


def test_a_time_limit_stops_between_two_updates(tmp_path: Path) -> None:
    said: list[str] = []
    result = tiny(tmp_path / "run", 1000, time_limit=0.0, report=said.append)
    assert not result.finished
    assert not result.interrupted
    assert said[0].startswith("Out of time after 0 of")
    assert [row["steps"] for row in result.evaluations] == [0]
    assert resume(tmp_path / "run", total_steps=2 * UPDATE, progress=False).steps == 2 * UPDATE


def test_compiling_is_not_counted_as_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    late = [0.0]
    clock = time.monotonic
    monkeypatch.setattr(train_ppo.time, "monotonic", lambda: clock() + late[0])
    monkeypatch.setattr(train_ppo, "compile_rules", lambda *given, **how: late.append(late.pop() + 10_000.0))
    result = tiny(tmp_path / "run", 2, time_limit=5_000.0)
    assert late == [10_000.0]
    assert result.finished


def test_a_run_that_is_done_says_that_nothing_was_trained(tmp_path: Path) -> None:
    tiny(tmp_path / "run", 2)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()}
    for total in (None, 1, 2 * UPDATE):
        said: list[str] = []
        result = resume(tmp_path / "run", total_steps=total, progress=False, report=said.append)
        assert result.steps == 2 * UPDATE
        (line,) = said
        assert "Nothing was trained" in line
        assert f"has learned from {2 * UPDATE:,} decisions already" in line
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir() if path.is_file()}


def test_threads_are_as_before(tmp_path: Path) -> None:
    before = torch.get_num_threads()
    tiny(tmp_path / "run", 1, threads=2)
    assert torch.get_num_threads() == before


@pytest.mark.parametrize(
    ("how", "error", "message"),
    [
        ({"options": {"num_playrs": 3}}, UnknownOptionError, "num_players"),
        ({"options": {"num_players": 5}}, OptionError, "num_players must be"),
        ({"updates": 0}, OptionError, "total_steps must be"),
        ({"seed": -1}, OptionError, "seed must be"),
        ({"seed": 2**32}, OptionError, "seed must be"),
        ({"seed": 1.5}, TypeError, "seed must be an integer"),
        ({"threads": 0}, OptionError, "threads must be"),
        ({"time_limit": -1.0}, OptionError, "time_limit must be"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_written(
    tmp_path: Path, how: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        tiny(tmp_path / "run", **how)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"num_envs": 0}, OptionError),
        ({"num_steps": True}, TypeError),
        ({"batch_size": 10**6}, OptionError),
        ({"learning_rate": "fast"}, TypeError),
        ({"learning_rate": float("nan")}, OptionError),
        ({"gamma": 1.1}, OptionError),
        ({"hidden": (256,)}, OptionError),
        ({"hidden": 256}, OptionError),
        ({"hidden": (256, 1.5)}, TypeError),
        ({"past": -1.0}, OptionError),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any], error: type[Exception]) -> None:
    (name,) = settings
    with pytest.raises(error, match=name):
        TrainingSettings(**settings)


def test_a_folder_with_a_run_is_not_overwritten(tmp_path: Path) -> None:
    tiny(tmp_path / "run", 1)
    before = (tmp_path / "run" / "checkpoint.zip").read_bytes()
    with pytest.raises(RunFolderError, match="holds a run already"):
        tiny(tmp_path / "run", 1)
    assert (tmp_path / "run" / "checkpoint.zip").read_bytes() == before


def test_a_folder_with_a_checkpoint_alone_is_not_trained_on(tmp_path: Path) -> None:
    tiny(tmp_path, updates=1)
    (tmp_path / "config.json").unlink()
    with pytest.raises(RunFolderError, match="holds a run already"):
        tiny(tmp_path)


def test_two_processes_do_not_train_in_one_folder(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    tiny(tmp_path / "run", updates=1)
    (tmp_path / "new").mkdir()
    for folder, begin in (("run", resume), ("new", tiny)):
        handle = os.open(tmp_path / folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(RunFolderError, match="another process is training"):
            begin(tmp_path / folder)
        os.close(handle)
    assert list((tmp_path / "new").iterdir()) == []
    assert resume(tmp_path / "run", total_steps=2 * UPDATE, progress=False).finished


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("game", "os"),
        ("game", 5),
        ("options", {"num_players": 9}),
        ("options", None),
        ("settings", []),
        ("seed", "x"),
        ("seed", None),
        ("total_steps", None),
        ("total_steps", 0),
    ],
)
def test_a_changed_configuration_is_not_resumed(tmp_path: Path, key: str, value: Any) -> None:
    game = musee_v0.GAME
    config = {"format": train_ppo.FORMAT, "game": game.face, "version": game.version, "total_steps": 9, "seed": 1}
    config |= {"options": game.options().as_record(), "settings": dataclasses.asdict(TINY)}
    (tmp_path / "config.json").write_text(json.dumps({**config, key: value}))
    with pytest.raises(RunFolderError, match="no run that can be resumed"):
        resume(tmp_path, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_what_cannot_be_resumed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match="holds no run to resume: there is no such folder"):
        resume(tmp_path / "nowhere")
    with pytest.raises(RunFolderError, match=r"holds no run to resume: there is no config\.json"):
        resume(tmp_path)
    tiny(tmp_path / "run", 1)
    config = tmp_path / "run" / "config.json"
    good = json.loads(config.read_text(encoding="utf-8"))
    for bad in ("no json", "[]", "{}", json.dumps({**good, "version": "musee_v9"})):
        config.write_text(bad, encoding="utf-8")
        with pytest.raises(RunFolderError, match="no run that can be resumed"):
            resume(tmp_path / "run")
    config.write_text(json.dumps(good), encoding="utf-8")
    (tmp_path / "run" / "checkpoint.zip").write_bytes(b"half a checkpoint")
    with pytest.raises(RunFolderError, match="damaged checkpoint"):
        resume(tmp_path / "run")


def test_win_rates_are_those_of_the_sides() -> None:
    greedy, anybody = GreedyPolicy(), RandomPolicy()
    for players, even in ((2, 1 / 2), (3, 1 / 3), (4, 1 / 2)):
        options = GAME.options(num_players=players)
        assert win_rate(GAME, options, greedy, anybody, 300, seed=1) > even + 0.1
        assert abs(win_rate(GAME, options, anybody, anybody, 600, seed=1) - even) < 0.08
    assert win_rate(GAME, GAME.options(), greedy, anybody, 50, 3) == win_rate(
        GAME, GAME.options(), greedy, anybody, 50, 3
    )
