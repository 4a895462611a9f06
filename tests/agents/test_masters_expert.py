"""Protects the Masters Gallery expert: always legal, never peeking, clearly better than greedy and random play for
every player count and option, right where the right choice is plain; and that ``gallery train masters`` and ``gallery
arena masters`` work for every player count.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.arena import compete
from agents.greedy import GreedyPolicy
from agents.masters_expert import MastersExpert
from agents.policies import make_policy
from env_core.batch import BatchEnv
from env_core.policies import RandomPolicy, call_policy
from masters_env import masters_v0
from masters_env.state import ARTISTS, CARDS, DECLINE, EXTRA_CARD, OVER, SYMBOLS
from musee_env import musee_v0

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


@COUNTS
@EXTRA_CARDS
def test_it_clearly_beats_greedy_and_random_play(num_players: int, extra_card: str) -> None:
    assert_clearly_best(num_players=num_players, extra_card=extra_card)


@COUNTS
def test_it_clearly_beats_them_under_the_other_options(num_players: int) -> None:
    assert_clearly_best(num_players=num_players, simultaneous_ender="clockwise", empty_artist_token=False)


def assert_clearly_best(num_players: int, **options: Any) -> None:
    """Chance and three standard errors of the mean over deals is the least that it must win, alone against others."""
    policies = {"expert": MastersExpert(), "greedy": GreedyPolicy(), "random": RandomPolicy()}
    result = compete(masters_v0.GAME, policies, deals=16, seed=1, options={"num_players": num_players, **options})
    for place, opponent in enumerate(["greedy", "random"], start=1):
        wins = result.wins[:, 0, place]
        standard_error = wins.std(ddof=1) / result.deals**0.5
        assert wins.mean() - 3 * standard_error > 1 / num_players
        assert result.win_rate("expert", opponent) > result.win_rate(opponent, "expert")


# --- Positions in which the right choice is plain --------------------------------------------------------------------

PLAIN_CARDS = np.arange(ARTISTS) * SYMBOLS


def position(
    extra_card: str,
    round_number: int,
    hand: list[int],
    displays: list[list[int]],
    tokens: list[int],
    others_hand: int = 0,
    scoring: list[int] | None = None,
) -> BatchEnv:
    """Two players, seat 0 to move, plain cards in hand and on display by artist; ``scoring`` if the round has ended."""
    batch = masters_v0.batch_env(1, num_players=2, extra_card=extra_card, auto_reset=False)
    batch.reset(seed=0)
    states = batch.states.copy()
    state = states[0]
    for name in ("hands", "on_table", "gone", "displays", "works", "hand_sizes"):
        state[name][:] = 0
    state["round"] = round_number
    state["seat"] = state["active"] = state["starter"] = 0
    state["hands"][0, PLAIN_CARDS] = hand
    state["hand_sizes"][:2] = sum(hand), others_hand
    state["displays"][:2] = displays
    state["works"] = state["displays"].sum(axis=0)
    state["works"][state["extra_card"] // SYMBOLS] += 1
    state["on_table"][PLAIN_CARDS] = state["displays"].sum(axis=0)
    state["on_table"][state["extra_card"]] += 1
    state["tokens"] = tokens
    state["deck_size"] = CARDS - state["on_table"].sum() - sum(hand) - others_hand
    state["deck_next"] = CARDS - state["deck_size"]
    if scoring is not None:
        state["phase"] = EXTRA_CARD
        state["scoring"] = scoring
        if extra_card == "any_artist":
            state["may_add_any"] = np.count_nonzero(displays[0])
        else:
            state["may_add"] = np.array(displays[0]) > 0
    batch.load_states(states)
    # The other hand and the deck are filled in.
    return batch.resample_hidden(0, seed=1)


def chosen(batch: BatchEnv, seed: int = 0) -> int:
    return int(call_policy(MastersExpert(), batch, np.array([0]), np.random.default_rng(seed))[0])


def added(batch: BatchEnv) -> list[int]:
    """The artists of the extra cards that seat 0 adds, ascending."""
    artists = []
    scored = batch.states["round"][0]
    while batch.seat[0] == 0 and batch.states["phase"][0] == EXTRA_CARD and batch.states["round"][0] == scored:
        action = chosen(batch, seed=len(artists))
        if action != DECLINE:
            artists.append(action // SYMBOLS)
        batch.step(np.array([action]))
    return sorted(artists)


# Works of artists 0, 1, 2 score; of these seat 0 has one each on display.
@pytest.mark.parametrize(
    ("extra_card", "round_number", "tokens", "expected"),
    [
        # Nothing is kept for a fifth round: as many cards as the display has artists, the most valuable first,
        ("any_artist", 3, [7, 4, 1, 9, 9], [0, 0, 1]),
        # or one card of each artist on display.
        ("same_artist", 3, [7, 4, 1, 9, 9], [0, 1, 2]),
        # With three rounds to come a card that brings a single point is kept, one that brings many is added.
        ("any_artist", 0, [15, 1, 1, 0, 0], [0, 0]),
        ("same_artist", 0, [15, 1, 1, 0, 0], [0]),
    ],
)
def test_it_adds_what_is_worth_more_now_than_later(
    extra_card: str, round_number: int, tokens: list[int], expected: list[int]
) -> None:
    batch = position(
        extra_card,
        round_number,
        hand=[2, 2, 1, 2, 0],
        displays=[[1, 1, 1, 0, 0], [2, 2, 1, 0, 0]],
        tokens=tokens,
        scoring=[1, 1, 1, 0, 0],
    )
    assert added(batch) == expected


@EXTRA_CARDS
def test_it_ends_the_round_when_that_pays(extra_card: str) -> None:
    # In the last round, with three works to one of the most valuable artist, of whom there are four.
    batch = position(
        extra_card, 3, hand=[2, 0, 0, 0, 1], displays=[[3, 0, 0, 0, 0], [1, 0, 0, 0, 0]], tokens=[9, 0, 0, 0, 0],
        others_hand=4,
    )  # fmt: skip
    assert batch.states["works"][0, 0] == 4
    assert chosen(batch) // SYMBOLS == 0


@EXTRA_CARDS
def test_it_does_not_end_the_round_when_the_other_would_gain(extra_card: str) -> None:
    # The other has all four works of the first artist, seat 0 none of anybody but a hand of the second.
    batch = position(
        extra_card, 3, hand=[1, 7, 0, 0, 0], displays=[[0, 0, 0, 0, 0], [4, 0, 0, 0, 0]], tokens=[0, 0, 0, 0, 0],
        others_hand=1,
    )  # fmt: skip
    assert batch.states["works"][0, 0] == 4
    assert chosen(batch) // SYMBOLS == 1


def test_it_refuses_states_of_another_game() -> None:
    batch = musee_v0.batch_env(2, auto_reset=False)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match="plays Masters Gallery, not Musée"):
        call_policy(MastersExpert(), batch, np.arange(2), np.random.default_rng(0))


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
