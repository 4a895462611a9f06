"""Protects the benchmarks: each runs, notices games that do not move, and reports as it should. No timing is judged."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import compile, fresh_process, speed
from benchmarks.games import GAMES
from benchmarks.measuring import Measurement, compared, interleaved
from benchmarks.table import BEGIN, END, Run, rounded, update_readme
from env_core import MissingExtraError
from musee_env import musee_v0

FACES = [measured.face for measured in GAMES]
TARGETS = {"batch": 300, "single": 25, "raw_env": 15, "env": 10, "threads": 1.7}


def silent(words: str) -> None:
    assert words


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BATCH_ROWS", "THREADS_ROWS", "COPIES", "YARDSTICK_GAMES", "AEC_GAMES"):
        monkeypatch.setattr(speed, name, 4)
    for name in ("BATCH_STEPS", "THREADS_STEPS", "SINGLE_STEPS"):
        monkeypatch.setattr(speed, name, 1000)


def test_musee_is_held_to_the_budgets_of_its_issue() -> None:
    (musee,) = (measured for measured in GAMES if measured.face == "musee_env.musee_v0")
    assert {name: getattr(musee, name) for name in TARGETS} == TARGETS
    assert (musee.import_seconds, musee.first_step_seconds, musee.compile_seconds) == (1.0, 0.5, 20)


@pytest.mark.usefixtures("tiny")
def test_speed_measures_every_game_against_the_yardstick() -> None:
    pytest.importorskip("pygame", reason="the yardstick imports pygame (extra 'render')")
    yardstick, *rows = speed.measure(silent, repeats=2)
    assert yardstick.name.startswith("PettingZoo connect_four_v3")
    assert yardstick.budget is None
    assert [row.budget for row in rows[:6]] == [300, None, 1.7, 25, 15, 10]
    assert len(rows) == 6 * len(GAMES)
    for row in rows:
        assert row.value > 0
        assert row.ratio is not None
        assert row.ratio > 0


def test_without_pygame_speed_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_: Any) -> None:
        raise ImportError("No module named 'pygame'")

    monkeypatch.setattr(speed.pettingzoo, "make", make)
    with pytest.raises(MissingExtraError, match="render"):
        speed.measure(silent, repeats=1)


def test_a_batch_that_does_not_move_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = speed.BatchSteps(musee_v0.batch_env(3), 80)
    steps.prepare()
    assert steps.run() == 240
    steps.check()
    monkeypatch.setattr(steps.batch, "step", lambda actions: None)
    steps.prepare()
    steps.run()
    with pytest.raises(AssertionError):
        steps.check()


def test_a_run_too_short_for_a_game_to_end_is_noticed() -> None:
    with pytest.raises(AssertionError, match="too few games ended"):
        speed.BatchSteps(musee_v0.batch_env(3), 5)


def test_a_game_in_which_not_all_actions_are_played_is_noticed() -> None:
    games = speed.AecGames(musee_v0.env(), 3)
    games.prepare()
    moves = games.run()
    assert moves == sum(map(len, games.games)) > 30
    games.check()
    games.games[1].append(0)
    games.prepare()
    games.run()
    with pytest.raises(AssertionError):
        games.check()


def test_copies_that_do_not_arrive_are_noticed() -> None:
    copies = speed.RowCopies(np.eye(5, dtype=np.int8), 3)
    copies.prepare()
    assert copies.run() == 15
    copies.check()
    copies.prepare()
    with pytest.raises(AssertionError):
        copies.check()


class Counting:
    """A contestant that notes when it is called."""

    def __init__(self, name: str, diary: list[str]) -> None:
        self.name = name
        self.diary = diary

    def prepare(self) -> None:
        self.diary.append(f"prepare {self.name}")

    def run(self) -> int:
        self.diary.append(f"run {self.name}")
        return 1

    def check(self) -> None:
        self.diary.append(f"check {self.name}")


def test_contestants_run_in_turn_and_are_checked_each_time() -> None:
    diary: list[str] = []
    rates = interleaved([Counting("a", diary), Counting("b", diary)], repeats=2)
    assert [len(own) for own in rates] == [2, 2]
    assert diary == [f"{what} {name}" for name in "ab" for what in ("prepare", "run", "check")] * 3


def test_a_ratio_is_the_median_of_each_repeat_s_own() -> None:
    row = compared("speed", "name", [10, 100, 30], "steps/s", [1, 50, 2], "other", budget=10)
    assert (row.value, row.ratio, row.met) == (30, 10, True)


@pytest.mark.parametrize("face", FACES)
def test_everything_compiled_is_used(face: str) -> None:
    figures = fresh_process.main(face, "everything")
    assert figures["work_seconds"] > 0
    first = fresh_process.main(face, "first-step")
    assert first["work_seconds"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("face", FACES)
def test_fresh_processes_compile_everything_and_then_nothing(face: str, tmp_path: Path) -> None:
    cold = compile.cold_process(face, tmp_path)
    warm = compile.warm_process(face, tmp_path)
    assert cold["work_seconds"] > 0
    assert warm["work_seconds"] > 0


def test_compile_reports_seconds_against_upper_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile, "cold_process", lambda face, cache: {"work_seconds": 21.0})
    monkeypatch.setattr(compile, "warm_process", lambda face, cache: {"work_seconds": 0.4, "import_seconds": 0.6})
    rows = compile.measure(silent, repeats=1)
    assert [(row.value, row.budget, row.met) for row in rows[:3]] == [
        (0.6, 1.0, True),
        (0.4, 0.5, True),
        (21.0, 20, False),
    ]
    assert len(rows) == 3 * len(GAMES)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (3_281_234, "3,280,000"),
        (9_873.4, "9,870"),
        (331.6, "332"),
        (25, "25.0"),
        (1.7, "1.70"),
        (0.0687, "0.069"),
        (0, "0"),
    ],
)
def test_rounding(value: float, words: str) -> None:
    assert rounded(value) == words


ROWS = [
    Measurement("speed", "Musée: batch", 3_000_000, "steps/s", 310.0, "the yardstick", 300),
    Measurement("compile", "Musée: compiling", 21.5, "s", budget=20, at_most=True),
    Measurement("speed", "yardstick", 9_900, "steps/s"),
]


def test_the_table_says_what_was_met_and_missed() -> None:
    lines = Run.of("python -m benchmarks", ROWS).markdown().splitlines()
    assert lines[2:5] == [
        "| Musée: batch | 3,000,000 steps/s | 310 x | the yardstick | at least 300 x | met |",
        "| Musée: compiling | 21.5 s |  |  | at most 20 s | missed |",
        "| yardstick | 9,900 steps/s |  |  |  |  |",
    ]
    assert "`python -m benchmarks`" in lines[-1]
    assert "numba" in lines[-1]


def test_a_run_is_saved_and_loaded(tmp_path: Path) -> None:
    run = Run.of("python -m benchmarks speed", ROWS)
    run.save(tmp_path / "deep" / "run.json")
    assert Run.load(tmp_path / "deep" / "run.json") == run


def test_the_readme_is_updated_between_its_markers(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    run = Run.of("python -m benchmarks --update-readme", ROWS)
    for _ in range(2):
        update_readme(readme, run)
        assert readme.read_text(encoding="utf-8") == f"before\n\n{BEGIN}\n{run.markdown()}{END}\n\nafter\n"


def test_a_readme_without_markers_is_left_alone(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("nothing here", encoding="utf-8")
    with pytest.raises(ValueError, match="once each"):
        update_readme(readme, Run.of("x", ROWS))
    assert readme.read_text(encoding="utf-8") == "nothing here"


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """The command with benchmarks that measure nothing, and a README of its own."""
    results: dict[str, Any] = {name: [dataclasses.replace(ROWS[0], benchmark=name)] for name in command.BENCHMARKS}

    def measured(name: str, repeats: int | None) -> list[Measurement]:
        if isinstance(results[name], BaseException):
            raise results[name]
        return results[name]

    monkeypatch.setattr(command, "_measured", measured)
    monkeypatch.setattr(command, "README", tmp_path / "README.md")
    monkeypatch.setattr(command, "README_RUN", tmp_path / "results.json")
    (tmp_path / "README.md").write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    return results


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sped"], "no benchmark 'sped'; there are speed, compile, training"),
        (["--repeats", "0"], "1 or more, not 0"),
        (["speed", "--update-readme"], "takes no names"),
    ],
)
def test_the_command_refuses_what_it_does_not_know(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        command.main(arguments)
    assert refused.value.code == 2
    assert words in capsys.readouterr().err


def test_the_command_measures_what_is_named(faked: dict[str, Any], tmp_path: Path) -> None:
    assert command.main(["compile", "--output", str(tmp_path / "run.json")]) == 0
    run = Run.load(tmp_path / "run.json")
    assert [row.benchmark for row in run.measurements] == ["compile"]
    assert run.command.startswith("python -m benchmarks compile")
    assert not (tmp_path / "results.json").exists()


def test_the_command_updates_the_readme_with_a_whole_run(faked: dict[str, Any], tmp_path: Path) -> None:
    arguments = ["--update-readme", "--output", str(tmp_path / "run.json")]
    assert command.main(arguments) == 0
    run = Run.load(tmp_path / "results.json")
    assert [row.benchmark for row in run.measurements] == list(command.BENCHMARKS)
    assert run.markdown() in (tmp_path / "README.md").read_text(encoding="utf-8")


def test_the_readme_stays_when_something_was_left_out(faked: dict[str, Any], tmp_path: Path) -> None:
    faked["training"] = []
    assert command.main(["--update-readme", "--output", str(tmp_path / "run.json")]) == 1
    assert len(Run.load(tmp_path / "run.json").measurements) == 2
    assert not (tmp_path / "results.json").exists()
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == f"{BEGIN}\n{END}\n"


def test_an_interrupted_run_keeps_what_it_has(
    faked: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    faked["compile"] = KeyboardInterrupt()
    assert command.main(["--update-readme", "--output", str(tmp_path / "run.json")]) == command.INTERRUPTED
    assert [row.benchmark for row in Run.load(tmp_path / "run.json").measurements] == ["speed"]
    assert "interrupted" in capsys.readouterr().err
    assert not (tmp_path / "results.json").exists()


def test_games_that_do_not_move_fail_the_run_but_not_the_rest_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(report: Any, repeats: int = 1) -> list[Measurement]:
        raise AssertionError("nothing moved")

    monkeypatch.setattr(speed, "measure", measure)
    monkeypatch.setattr(compile, "measure", lambda report: ROWS)
    assert command.main(["speed", "compile", "--output", str(tmp_path / "run.json")]) == command.FAILED
    assert Run.load(tmp_path / "run.json").measurements == ROWS
    assert "nothing moved" in capsys.readouterr().err


def test_a_benchmark_whose_extra_is_missing_is_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(report: Any, repeats: int = 1) -> list[Measurement]:
        raise MissingExtraError("training", "train")

    monkeypatch.setattr(compile, "measure", measure)
    assert command.main(["compile", "--output", str(tmp_path / "run.json")]) == 0
    assert "gallery-envs[train]" in capsys.readouterr().err
