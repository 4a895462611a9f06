"""Protects what is said while something takes time: one line for compiling, and no bar where there is no terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core import event

from agents import progress
from agents.progress import COMPILE_EVENT, compile_rules, progress_bar
from env_core.policies import RandomPolicy
from musee_env import musee_v0

GAME = musee_v0.GAME


class Compiling(RandomPolicy):
    """Has Numba say that it compiles two functions, one of which needs a third."""

    def __init__(self) -> None:
        self.left = 1

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> np.ndarray:
        while self.left:
            self.left -= 1
            with event.trigger_event(COMPILE_EVENT), event.trigger_event(COMPILE_EVENT):
                pass
            with event.trigger_event(COMPILE_EVENT):
                pass
        return super().__call__(observation, action_mask, seats, rng)


class Failing(RandomPolicy):
    """Raises an error of its own."""

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> np.ndarray:
        raise KeyError("lost")


def test_compiling_is_said_in_one_line_and_only_then(capsys: pytest.CaptureFixture[str]) -> None:
    compile_rules(GAME, GAME.options(), shown=False)
    compile_rules(GAME, GAME.options(), [RandomPolicy(), Failing()])
    assert capsys.readouterr() == ("", "")
    compile_rules(GAME, GAME.options(), [Compiling()], shown=False)
    assert capsys.readouterr() == ("", "")
    compile_rules(GAME, GAME.options(), [Compiling()])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"Compiling the rules of Musée \(once after an edit\) \.\. \d+ s\n", shown.err)


def test_without_a_terminal_there_are_plain_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm")
    with progress_bar(100, "games", True) as bar:
        bar.update(50)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    with progress_bar(2000, "games", True, done=1000) as bar:
        bar.update(500)
        bar.set_postfix({"wins vs greedy": "70%"})
        bar.update(500)
    first, second = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"1,500 of 2,000 games, [\d,]+ a second", first)
    assert re.fullmatch(r"2,000 of 2,000 games, [\d,]+ a second, wins vs greedy 70%", second)
    with progress_bar(10, "games", False) as bar:
        bar.update(10)
    assert capsys.readouterr().err == ""


def test_on_a_terminal_there_is_a_bar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_bar(10, "games", True) as bar:
        bar.update(10)
    assert "\r" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("game", ["musee", "masters", "pictura"])
def test_nothing_is_left_to_compile_afterwards(game: str, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    program = f"""
import sys
from numba.core import event
from agents.arena import compete
from agents.games import game_of
from agents.policies import make_policy, policy_names
from agents.progress import COMPILE_EVENT, compile_rules
from agents.train_ppo import TrainingSettings, train

game = game_of({game!r})
policies = {{name: make_policy(name, game) for name in policy_names(game)}}
compile_rules(game, game.options(), policies.values())

class Listener(event.Listener):
    def on_start(self, event):
        print("compiled late:", event.data["dispatcher"].py_func.__qualname__)
    def on_end(self, event):
        pass

event.register(COMPILE_EVENT, Listener())
compete(game, policies, deals=2)
settings = TrainingSettings(num_envs=8, num_steps=64, batch_size=32, hidden=(8, 8), evaluation_games=2)
train(game, None, 512, "run", settings=settings, progress=False)
"""
    given = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env=given, timeout=400
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.startswith("Compiling the rules of ")
    assert ran.stdout == ""
