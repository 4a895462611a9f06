"""Protects the Masters Gallery expert: always legal, never peeking, clearly better than greedy and random play under
the default options; and that ``gallery train masters`` and ``gallery arena masters`` work for every player count.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.arena import compete
from agents.greedy import GreedyPolicy
from agents.masters_expert import MastersExpert
from agents.policies import make_policy
from env_core.batch import BatchEnv
from env_core.policies import RandomPolicy, call_policy
from masters_env import masters_v0
from masters_env.state import OVER

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4, 5])
EXTRA_CARDS = pytest.mark.parametrize("extra_card", ["same_artist", "any_artist"])
ROWS = 24


def dealt(num_players: int, extra_card: str, seed: int) -> BatchEnv:
    batch = masters_v0.batch_env(ROWS, num_players=num_players, extra_card=extra_card, auto_reset=False)
    batch.reset(seed=seed)
    return batch


@COUNTS
@EXTRA_CARDS
@pytest.mark.parametrize("played_by", ["expert", "random"])
def test_every_action_is_legal_in_every_phase(num_players: int, extra_card: str, played_by: str) -> None:
    batch = dealt(num_players, extra_card, seed=3)
    rng = np.random.default_rng(num_players)
    phases: set[int] = set()
    while (batch.seat >= 0).any():
        rows = np.flatnonzero(batch.seat >= 0)
        phases |= set(batch.states["phase"][rows].tolist())
        actions = call_policy(MastersExpert(), batch, rows, rng)
        assert batch.action_mask[rows, actions].all()
        # Random play comes to positions that the expert keeps out of.
        played = actions if played_by == "expert" else call_policy(RandomPolicy(), batch, rows, rng)
        batch.step(played, rows)
    assert phases == set(range(OVER)), "the games have not come to every phase"


@COUNTS
def test_an_action_depends_on_what_the_seat_knows_alone(num_players: int) -> None:
    batch = dealt(num_players, "same_artist", seed=4)
    rng = np.random.default_rng(1)
    compared = 0
    while (batch.seat >= 0).any():
        rows = np.flatnonzero(batch.seat >= 0)
        here = batch.take(rows)
        other = here.resample_hidden(here.seat, seed=compared)
        places = np.arange(len(rows))
        chosen = [call_policy(MastersExpert(), table, places, np.random.default_rng(7)) for table in (here, other)]
        assert np.array_equal(*chosen)
        compared += len(rows)
        batch.step(call_policy(RandomPolicy(), batch, rows, rng), rows)
    assert compared > ROWS * 20


# How often the expert, alone against the others, must win: chance and three standard errors of the mean over deals.
@pytest.mark.parametrize(
    ("num_players", "opponent", "deals"), [(2, "greedy", 200), (4, "greedy", 300), (2, "random", 40), (4, "random", 40)]
)
def test_it_clearly_beats(num_players: int, opponent: str, deals: int) -> None:
    policies = {"expert": MastersExpert(), opponent: {"greedy": GreedyPolicy, "random": RandomPolicy}[opponent]()}
    result = compete(masters_v0.GAME, policies, deals=deals, seed=1, options={"num_players": num_players})
    wins = result.wins[:, 0, 1]
    standard_error = wins.std(ddof=1) / deals**0.5
    assert wins.mean() - 3 * standard_error > 1 / num_players
    assert result.win_rate("expert", opponent) > result.win_rate(opponent, "expert")


def test_it_is_what_expert_means_in_this_game() -> None:
    assert isinstance(make_policy("expert", masters_v0.GAME), MastersExpert)


# --- The command line ------------------------------------------------------------------------------------------------


@COUNTS
def test_the_arena_ranks_all_policies(
    num_players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = command_line(monkeypatch, tmp_path)
    assert main(["arena", "masters", "--deals", "2", "-p", str(num_players), "--out", "ranked"]) == 0
    assert f"masters_v0, {num_players} players" in capsys.readouterr().out
    saved = json.loads((tmp_path / "ranked" / "arena.json").read_text())
    assert saved["options"]["num_players"] == num_players
    assert {line["policy"] for line in saved["standings"]} == {"random", "greedy", "expert"}


@COUNTS
def test_training_leaves_a_policy_that_the_arena_ranks(
    num_players: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("sb3_contrib")
    main = command_line(monkeypatch, tmp_path)
    settings = ["num_envs=8", "num_steps=4", "batch_size=16", "evaluation_games=4", "hidden=[8,8]"]
    arguments = [part for setting in settings for part in ("--setting", setting)]
    players = ["-p", str(num_players)]
    assert main(["train", "masters", "--steps", "64", "--out", "run", *players, *arguments]) == 0
    assert "gallery arena masters run/policy.zip" in capsys.readouterr().out
    assert main(["arena", "masters", "run/policy.zip", "--deals", "2", "--out", "ranked", *players]) == 0
    saved = json.loads((tmp_path / "ranked" / "arena.json").read_text())
    assert {line["policy"] for line in saved["standings"]} == {"run/policy.zip", "random"}


def command_line(monkeypatch: pytest.MonkeyPatch, folder: Path):
    """The command ``gallery``, in a folder of its own."""
    for library in ("typer", "rich", "matplotlib"):
        pytest.importorskip(library)
    monkeypatch.chdir(folder)
    from agents.__main__ import main

    return main
