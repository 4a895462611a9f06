"""Protects the command ``gallery``: its commands, its exit codes, and one line for anything that is wrong."""

from __future__ import annotations

import importlib.metadata
import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pytest.importorskip("matplotlib")

from agents.__main__ import main
from agents.games import FACES, face_of, options_from_words
from env_core import play
from env_core.policies import RandomPolicy
from env_core.records import load, save
from musee_env import musee_v0


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def a_record(seed: int = 1, **options: Any) -> dict[str, Any]:
    return play(musee_v0.raw_env(**options), RandomPolicy(), seed=seed)


@pytest.mark.parametrize("command", ["", "list", "train", "arena", "play", "replay", "demo"])
def test_help_helps(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command.split(), "--help"]) == 0
    shown = capsys.readouterr()
    assert "Usage: gallery" in shown.out
    assert shown.err == ""


def test_without_arguments_it_shows_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    shown = capsys.readouterr().out
    for command in ("list", "train", "arena", "play", "replay", "bench", "demo"):
        assert command in shown


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gallery {importlib.metadata.version('gallery-envs')}\n"


def test_list_names_games_sizes_options_and_policies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    batch = musee_v0.batch_env(1, num_players=3)
    size = batch.observation_features.size
    for part in ("musee_v0", f"3 players: {size} observation columns, {batch.num_actions} actions", "games_to_win=1"):
        assert part in shown
    assert "random, greedy, expert" in shown
    assert main(["list", "pictura"]) == 0
    one = capsys.readouterr().out
    assert one in shown
    assert [line for line in one.splitlines() if not line.startswith(" ")] == [one.splitlines()[0]]
    assert one.startswith("pictura: ")


@pytest.mark.parametrize("game", FACES)
def test_listed_options_can_be_given(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", game]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("  options: "))
    given = options_from_words(shlex.split(line.removeprefix("  options: ").replace(", ", " ")))
    default = face_of(game).GAME.options()
    assert given == default.as_record()
    assert type(default)(**given) == default


def test_none_yes_and_no_are_read_as_they_are_said() -> None:
    for word, value in (("None", None), ("none", None), ("null", None), ("yes", True), ("True", True), ("NO", False)):
        assert options_from_words([f"this={word}"]) == {"this": value}
    assert options_from_words(["this=nothing"]) == {"this": "nothing"}


def test_the_help_of_play_and_of_options_is_for_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--help"]) == 0
    shown = capsys.readouterr().out
    assert "reward=margin" in shown
    assert "staircases" not in shown
    assert "14 top 3" not in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("frobnicate", "frobnicate"),
        ("arena --frobnicate", "--frobnicate"),
        ("arena --deals many", "--deals"),
        ("arena --deals 0", "--deals"),
        ("arena --deals 99999999999", "--deals"),
        ("arena --threads 0", "--threads"),
        ("arena --threads 1025", "--threads"),
        ("arena --seed -1", "seed must be"),
        ("arena --seed 9223372036854775808", "seed must be"),
        ("arena --players 7", "num_players must be one of 2, 3, 4, not 7"),
        ("arena --players 2 -o num_players=3", "twice"),
        ("arena -o games_to_win", "NAME=VALUE"),
        ("arena -o games_to_win=9", "games_to_win"),
        ("arena -o games_to_win=x", "games_to_win"),
        ("arena -o stairs=random", "Did you mean 'staircases'"),
        ("train chess", "unknown game 'chess'"),
        ("arena gredy", "Did you mean 'greedy'"),
        ("arena master greedy", "unknown game or policy 'master'. Did you mean 'masters'? Known: musee, masters"),
        ("play pictur", "unknown game or policy 'pictur'. Did you mean 'pictura'?"),
        ("list chess", "unknown game 'chess'"),
        ("arena random", "besides random"),
        ("arena greedy greedy", "twice"),
        ("arena nowhere.zip", "nowhere.zip"),
        ("arena a_file.zip", "no policy file"),
        ("arena greedy --out a_file.zip/folder", "a_file.zip"),
        ("arena no_such_module:Mine", "the module 'no_such_module' cannot be imported"),
        ("arena json:Mine", "has no 'Mine'"),
        ("arena json:decoder", "must be a policy"),
        ("arena greedy --out full", "full holds a ranking already (arena.csv): choose another folder with --out"),
        ("play --seat 2", "--seat 2: Musée with 2 players has the seats 0 to 1"),
        ("play --seat -1 -p 3", "--seat -1: Musée with 3 players has the seats 0 to 2"),
        (
            "play greedy random",
            "2 policies are named (greedy, random), but Musée with 2 players has 1 other seat: name",
        ),
        ("play greedy random -p 4", "3 other seats: name one policy, or 3, one for each"),
        ("play --out record.txt", ".json"),
        ("play --out begun/config.json", "begun/config.json is there already"),
        ("play --seed x", "--seed"),
        ("replay", "Missing argument"),
        ("replay nowhere.json", "nowhere.json"),
        ("replay a_file.zip", "no JSON"),
        ("train --setting speed=1", "unknown setting 'speed'"),
        ("train --setting num_envs=0", "num_envs"),
        ("train --setting num_envs=2000000000", "Unable to allocate"),
        ("train --setting random=0 --setting expert=0 --setting present=0", "how often policies are drawn"),
        ("train --steps 0", "total_steps"),
        ("train --seed -1", "seed"),
        ("train --resume", "runs/train holds no run to resume: there is no such folder"),
        ("train --resume --out full --players 3", "full holds no run to resume: there is no config.json"),
        ("train --resume --out begun --players 3 --seed 4", "began: leave out --players and --seed. It takes"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(
    arguments: str, says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    if arguments.startswith("train") or ".zip" in arguments:
        pytest.importorskip("sb3_contrib")
    (tmp_path / "a_file.zip").write_text("no policy")
    for folder, file in (("full", "arena.csv"), ("begun", "config.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / file).write_text("")
    before = sorted(tmp_path.iterdir())
    assert main(arguments.split()) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("gallery")
    assert ": error: " in shown.err
    assert says in shown.err
    assert shown.err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_full_disk_is_said_in_one_line_and_a_letter_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    command = [sys.executable, "-m", "agents", "list"]
    with open("/dev/full", "w") as full:
        process = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
    assert process.returncode != 0
    assert "Traceback" not in process.stderr
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    process = subprocess.run(command, capture_output=True, text=True, timeout=120, env=narrow)
    assert process.returncode == 0, process.stderr
    assert "musee: Mus?e, version musee_v0" in process.stdout


def test_the_game_may_stand_before_the_policies(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["arena", "musee", "greedy", "--deals", "2", "-p", "3"]) == 0
    assert "musee_v0, 3 players" in capsys.readouterr().out
    assert main(["arena", "greedy", "--deals", "2"]) == 0
    assert "musee_v0, 2 players" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["train", "chess"], ["arena", "chess", "random"], ["play", "chess"]])
def test_an_unknown_game_is_refused(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    shown = capsys.readouterr()
    assert "'chess'" in shown.err
    assert shown.err.count("\n") == 1


def test_the_arena_shows_and_writes_its_results(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = [
        "arena",
        "greedy",
        "--deals",
        "3",
        "--seed",
        "4",
        "-p",
        "3",
        "--out",
        "here",
        "-o",
        "staircases=random",
    ]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "greedy" in shown
    assert "random" in shown
    saved = json.loads((tmp_path / "here" / "arena.json").read_text())
    assert saved["options"]["num_players"] == 3
    assert saved["options"]["staircases"] == "random"
    assert saved["deals"] == 3
    assert {path.name for path in (tmp_path / "here").iterdir()} == {"arena.json", "arena.csv", "arena.png"}


def test_a_ranking_is_not_written_over(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for folder in ("arena", "arena-2", "arena-3"):
        assert main(["arena", "greedy", "--deals", "2"]) == 0
        assert f"runs/{folder}/arena.json" in "".join(capsys.readouterr().out.split("\n"))
    first = (tmp_path / "runs" / "arena" / "arena.json").read_bytes()
    assert main(["arena", "greedy", "--deals", "3", "--out", "runs/arena"]) == 2
    assert (tmp_path / "runs" / "arena" / "arena.json").read_bytes() == first


def test_a_policy_of_ones_own_is_ranked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "policies_of_mine.py").write_text(
        "class Last:\n"
        "    needs_states = False\n"
        "    def __call__(self, observation, action_mask, seats, rng):\n"
        "        return action_mask.shape[1] - 1 - action_mask[:, ::-1].argmax(axis=1)\n"
        "last = Last()\n"
    )
    for name in ("Last", "last"):
        assert main(["arena", f"policies_of_mine:{name}", "greedy", "--deals", "2", "--out", name]) == 0
        saved = json.loads((tmp_path / name / "arena.json").read_text())
        assert f"policies_of_mine:{name}" in {line["policy"] for line in saved["standings"]}


def test_a_failing_policy_is_named_and_its_position_kept(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Cheat(RandomPolicy):
        def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
            return action_mask.argmin(axis=1)

    monkeypatch.setattr("agents.greedy.GreedyPolicy", Cheat)
    assert main(["arena", "greedy", "--deals", "1", "--out", "here", "-p", "4"]) == 1
    shown = capsys.readouterr().err
    assert "policy 'greedy' failed" in shown
    assert "Traceback" not in shown
    path = tmp_path / "here" / "failed_position.json"
    assert main(["replay", str(path)]) == 0


def test_replay_says_what_holds_and_what_does_not(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, bad, foreign = a_record(1), a_record(2), a_record(3)
    save(good, "good.json")
    assert main(["replay", "good.json"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == f"The record holds: {len(good['steps'])} steps played back."
    for number, step in enumerate(good["steps"]):
        assert said[number + 1].split()[:2] == [str(number), f"player_{step['seat']}"]

    bad["steps"][5]["action"] = -3
    foreign["game"] = "chess"
    save([good, bad, foreign], "many.jsonl")
    assert main(["replay", "many.jsonl"]) == 1
    shown = capsys.readouterr()
    assert "record 0 holds" in shown.out
    assert "record 1 does not hold: step 5:" in shown.err
    assert "record 2 does not hold: unknown game 'chess'" in shown.err

    good["result"]["scores"][0] += 1
    save(good, "scores.json")
    assert main(["replay", "scores.json"]) == 1
    assert "result: scores must be" in capsys.readouterr().err


def test_replay_shows_the_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = a_record(1)
    save(record, "good.json")
    save([record, record], "two.jsonl")
    for options, tables in (("--boards", len(record["steps"]) + 1), ("--step 3", 1)):
        assert main(["replay", "good.json", *options.split()]) == 0
        shown = capsys.readouterr().out
        assert shown.count("Bonus cards") == tables
        assert "   3  player_" in shown
    for wrong in ("good.json --step 99", "good.json --step -1", "two.jsonl --boards", "two.jsonl --step 0"):
        assert main(["replay", *wrong.split()]) == 2
        said = capsys.readouterr()
        assert said.err.count("\n") == 1
        assert said.out == ""


def test_replay_saves_pictures(tmp_path: Path) -> None:
    pytest.importorskip("pygame")
    save(a_record(1), "good.json")
    assert main(["replay", "good.json", "--step", "4", "--pictures", "pictures"]) == 0
    (path,) = (tmp_path / "pictures").iterdir()
    assert path.name == "step_0004.png"
    assert path.read_bytes().startswith(b"\x89PNG")


def test_playing_saves_the_record(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("0\nquit\n"))
    assert main(["play", "greedy", "random", "-p", "3", "--seat", "1", "--seed", "7", "--out", "mine.json"]) == 0
    (record,) = load(tmp_path / "mine.json")
    assert record["seed"] == 7
    assert [step["seat"] for step in record["steps"]].count(1) == 1
    assert "you are player_1, player_0 is 'random', player_2 is 'greedy'" in capsys.readouterr().out
    monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
    assert main(["play"]) == 0
    (path,) = (tmp_path / "runs" / "play").iterdir()
    assert path.name.startswith("musee-")
    assert main(["replay", str(path)]) == 0


def test_training_leaves_a_policy_that_the_arena_ranks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    settings = ["num_envs=8", "num_steps=4", "batch_size=16", "evaluation_games=4", "hidden=[8,8]"]
    arguments = [part for setting in settings for part in ("--setting", setting)]
    assert main(["train", "--steps", "64", "--out", "run", "--threads", "1", *arguments]) == 0
    shown = capsys.readouterr().out
    assert "policy.zip: learned from 64 decisions. `gallery arena musee run/policy.zip expert -p 2` ranks it." in shown
    assert main(["train", "--resume", "--out", "run", "--steps", "70"]) == 0
    assert (
        "70 decisions were asked for; rounded up to whole updates of 32 they are 96.\n"
        "run/policy.zip: learned from 96 decisions."
    ) in capsys.readouterr().out
    assert main(["train", "--resume", "--out", "run", "--steps", "64"]) == 0
    shown = capsys.readouterr().out
    assert "Nothing was trained: the run in run has learned from 96 decisions already" in shown
    assert "rounded" not in shown
    assert main(["train", "musee", "--resume", "--out", "run", "--steps", "64"]) == 0
    capsys.readouterr()
    assert main(["train", "pictura", "--resume", "--out", "run", "--steps", "640"]) == 2
    assert "the run in run trains musee_v0, not pictura_v0: leave out pictura." in capsys.readouterr().err
    assert main(["arena", "run/policy.zip", "--deals", "2", "--out", "ranked"]) == 0
    saved = json.loads((tmp_path / "ranked" / "arena.json").read_text())
    assert {line["policy"] for line in saved["standings"]} == {"run/policy.zip", "random"}
    assert main(["arena", "run/policy.zip", "--players", "3"]) == 2
    assert "3" in capsys.readouterr().err


def test_bench_outside_a_source_checkout_says_how(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agents.command_line.__file__", str(tmp_path / "agents" / "command_line.py"))
    assert main(["bench"]) == 2
    assert "make bench" in capsys.readouterr().err


def test_help_needs_neither_the_games_nor_the_heavy_libraries() -> None:
    program = "import sys; from agents.__main__ import main; main(['--help']); print(*sys.modules, file=sys.stderr)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(ran.stderr.split())
    assert "typer" in loaded
    assert not loaded & {"numpy", "numba", "torch", "matplotlib", "pettingzoo", "env_core", "musee_env"}


@pytest.mark.parametrize("missing", ["typer", "rich", "matplotlib"])
def test_a_missing_extra_is_named(missing: str) -> None:
    program = (
        f"import sys; sys.modules[{missing!r}] = None; from agents.__main__ import main; "
        "sys.exit(main(['arena', 'greedy', '--deals', '1']))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 2, ran.stderr
    assert "pip install 'gallery-envs[train]'" in ran.stderr
    assert "Traceback" not in ran.stderr
