"""Protects baseline play of Museum: Pictura: the expert's rules of thumb and strength, and that greedy makes sense."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.arena import compete
from agents.greedy import GreedyPolicy
from agents.pictura_expert import PicturaExpert
from agents.policies import make_policy, policy_names
from env_core.batch import BatchEnv
from env_core.policies import RandomPolicy, call_policy
from musee_env import musee_v0
from pictura_env import pictura_v0
from pictura_env.state import (
    DISCARDING,
    EXHIBIT_PAY,
    EXHIBIT_SLOT,
    FINAL_MENU,
    FINAL_PUT_DOWN,
    MENU,
    ON_THE_WAY,
    PUT_DOWN,
    REWARD_SPACE,
    TRADE_TAKE,
)
from tests.pictura_env.card_files import FILES, written
from tests.pictura_env.positions import painting, play, position

COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])

# In the positions the public trend is painter 0's, the international museums' trends are those of painters 1 to 4.
PATRONS = [22, 23, 24, 26, 27]
"""Patrons whose wishes nobody here meets."""


def answer(batch: BatchEnv) -> dict[str, Any]:
    """What the expert does, in words, in a batch of one."""
    (action,) = call_policy(PicturaExpert(), batch, np.array([0]), np.random.default_rng(0))
    return batch.describe(0, int(action))


def put_on_the_way(batch: BatchEnv, chosen: int, phase: int) -> None:
    states = batch.states.copy()
    states["where"][0, chosen] = ON_THE_WAY
    states["hand_sizes"][0, 0] -= 1
    states["chosen"], states["chosen_from"], states["phase"] = chosen, 0, phase
    batch.load_states(states)


# --- Rules of thumb --------------------------------------------------------------------------------------------------


def test_it_gives_what_a_museum_pays_for_and_keeps_what_its_own_trend_pays_for() -> None:
    hand = [painting(2, 5), painting(29, 5), painting(25, 0)]
    batch = position(phase=TRADE_TAKE, hands=[hand, []], secret=[29, 20])
    assert answer(batch)["museum"] == 1
    play(batch, **answer(batch))
    assert answer(batch) == {"kind": "trade_give", "painting": painting(2, 5)}


def test_it_takes_what_its_own_trend_pays_for() -> None:
    wanted = painting(20, 2)
    international = [[wanted, *(painting(8, domain) for domain in (3, 4, 5))]]
    batch = position(
        phase=TRADE_TAKE, hands=[[painting(25, 0), painting(9, 4)], []], international=international, secret=[20, 9]
    )
    assert answer(batch) == {"kind": "trade_take", "painting": wanted, "museum": 0}


def test_it_hangs_a_painting_where_a_collection_comes_of_it() -> None:
    museum = {0: painting(6, 1), 1: painting(7, 2), 2: painting(8, 3), 20: painting(20, 1), 24: painting(29, 1)}
    batch = position(hands=[[painting(9, 4), painting(25, 0)], []], museums=[museum], shown=PATRONS)
    put_on_the_way(batch, painting(9, 4), EXHIBIT_SLOT)
    assert answer(batch)["slot"] in (3, 5, 6, 7)


@pytest.mark.parametrize("phase", [EXHIBIT_PAY, DISCARDING])
def test_it_parts_with_the_least_useful_card(phase: int) -> None:
    useless = painting(29, 0)
    hand = [painting(20, 2), painting(21, 2), useless, painting(6, 1), *range(painting(7, 0), painting(8, 0))]
    batch = position(hands=[hand, []], museums=[{0: painting(8, 1), 1: painting(9, 1)}], shown=PATRONS, secret=[20, 9])
    states = batch.states.copy()
    states["phase"] = phase
    if phase == EXHIBIT_PAY:
        put_on_the_way(batch, painting(6, 1), EXHIBIT_SLOT)
        play(batch, "place", slot=12)
    else:
        batch.load_states(states)
    assert answer(batch) == {"kind": "pay" if phase == EXHIBIT_PAY else "discard", "painting": useless}


def test_it_opens_a_ripe_exhibition_and_takes_a_reward_that_helps() -> None:
    museum = {slot: painting(12 + slot % 6, slot // 6 + slot % 2) for slot in range(10)}
    batch = position(options={"rearrange_limit": 0}, museums=[museum], shown=PATRONS)
    assert answer(batch) == {"kind": "open_exhibition", "of": "period", "index": 2}
    play(batch, **answer(batch))
    assert batch.states["phase"][0] == REWARD_SPACE
    assert answer(batch)["space"] != 1


def test_it_claims_a_patron_and_plays_a_favor_before_it_is_done() -> None:
    museum = {0: painting(3, 0), 1: painting(3, 1)}
    batch = position(museums=[museum], favors=[[0], []], shown=[3, *PATRONS[1:]], action_taken=3)
    assert answer(batch) == {"kind": "claim_patron", "patron": 3, "place": 0, "take": "points"}
    play(batch, **answer(batch))
    assert answer(batch)["kind"] == "play_favor"
    play(batch, **answer(batch))
    assert answer(batch) == {"kind": "done"}


def test_it_takes_inventory_when_its_cards_lie_on_the_discard_pile() -> None:
    batch = position(hands=[[painting(25, 0)], []], discards=[list(range(40, 46)), []], shown=PATRONS)
    assert answer(batch) == {"kind": "inventory"}


def test_it_rearranges_at_the_end_until_nothing_is_gained() -> None:
    museum = {slot: painting(6 + place, place) for place, slot in enumerate((0, 4, 12, 20, 24))}
    batch = position(phase=FINAL_MENU, museums=[museum])
    moves = 0
    while batch.seat[0] == 0:
        before = batch.standings()[0, 0]
        play(batch, **answer(batch))
        moves += batch.states["phase"][0] == FINAL_PUT_DOWN
    assert before >= batch.options.loaded_cards.tables["collection_values"][0, 5]
    assert moves <= 5


def test_in_a_last_turn_it_takes_what_still_counts() -> None:
    hand = [painting(25, 1), painting(26, 2), painting(27, 3), painting(20, 2)]
    last = {"shown": PATRONS, "end_token": 1, "last_turns": 1, "secret": [20, 9]}
    batch = position(hands=[hand, []], **last)
    assert answer(batch) == {"kind": "exhibit", "painting": painting(20, 2), "from": "hand"}
    batch = position(hands=[[painting(25, 1)], []], discards=[list(range(40, 46)), []], **last)
    assert answer(batch) == {"kind": "inventory"}


# --- What it may do and know -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "exhibits_per_action": 1, "rearrange_limit": 0},
        {"num_players": 3, "max_rounds": 2},
        {"num_players": 4, "rearrange_limit": 40},
    ],
    ids=["few", "short", "many"],
)
def test_it_plays_legally_and_idles_nowhere(options: dict[str, Any]) -> None:
    batch = pictura_v0.batch_env(24, auto_reset=False, **options)
    batch.reset(seed=6)
    rng = np.random.default_rng(0)
    moves = 0
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        picked = np.isin(batch.states["phase"][running], (PUT_DOWN, FINAL_PUT_DOWN))
        seats, before = batch.seat[running], batch.states["slots"].copy()
        batch.step(call_policy(PicturaExpert(), batch, running, rng), running)
        for row, seat in zip(running[picked], seats[picked], strict=True):
            assert not np.array_equal(batch.states["slots"][row, seat], before[row, seat])
            moves += 1
    assert moves < 8 * 24 * options["num_players"]


@COUNTS
def test_an_action_depends_on_what_the_seat_knows_alone(num_players: int) -> None:
    batch = pictura_v0.batch_env(48, num_players=num_players)
    batch.reset(seed=4)
    expert, rng = PicturaExpert(), np.random.default_rng(0)
    every = np.arange(48)
    for move in range(160):
        actions = call_policy(expert, batch, every, rng)
        assert np.array_equal(actions, call_policy(expert, batch, every, rng))
        # Half of the games wander off, to positions that the expert would not come to.
        batch.step(np.where(every % 2, actions, batch.sample_legal(move)))


def test_it_is_known_by_name_and_refuses_other_games() -> None:
    assert "expert" in policy_names(pictura_v0.GAME)
    assert isinstance(make_policy("expert", pictura_v0.GAME), PicturaExpert)
    batch = musee_v0.batch_env(1)
    batch.reset(seed=0)
    with pytest.raises(ValueError, match="plays Museum: Pictura, not Musée"):
        call_policy(PicturaExpert(), batch, np.array([0]), np.random.default_rng(0))


# --- Strength --------------------------------------------------------------------------------------------------------


@COUNTS
def test_it_clearly_beats_greedy_play(num_players: int) -> None:
    result = compete(
        pictura_v0.GAME,
        {"expert": PicturaExpert(), "greedy": GreedyPolicy()},
        deals=15,
        seed=1,
        options={"num_players": num_players},
    )
    assert result.win_rate("expert", "greedy") > 0.8


@pytest.mark.parametrize(("name", "deals", "least"), [("short", 100, 0.55), ("many", 20, 0.8), ("long", 10, 0.8)])
def test_it_beats_greedy_play_with_a_card_file_of_ones_own(name: str, deals: int, least: float, tmp_path: Path) -> None:
    players = {"expert": PicturaExpert(), "greedy": GreedyPolicy()}
    options = {"cards": written(tmp_path / "cards.toml", FILES[name]), "max_rounds": 12}
    result = compete(pictura_v0.GAME, players, deals=deals, seed=1, options=options)
    assert result.win_rate("expert", "greedy") > least


def test_greedy_play_clearly_beats_random_play() -> None:
    result = compete(pictura_v0.GAME, {"greedy": GreedyPolicy(), "random": RandomPolicy()}, deals=20, seed=1)
    assert result.win_rate("greedy", "random") > 0.95


def test_greedy_play_does_not_idle() -> None:
    """What has been begun counts as finished: no inventory for cards to be discarded again, no aimless rearranging."""
    batch = pictura_v0.batch_env(16, auto_reset=False)
    batch.reset(seed=2)
    rng = np.random.default_rng(0)
    steps = 0
    while (running := np.flatnonzero(batch.seat >= 0)).size:
        assert not (batch.states["phase"][running] == PUT_DOWN).any()
        batch.step(call_policy(GreedyPolicy(), batch, running, rng), running)
        steps += len(running)
    assert steps / 16 < 250
    assert (batch.states["round"] < 15).all()


def test_standings_count_what_has_been_begun_and_leave_the_states_alone() -> None:
    worthy, plain = painting(20, 2), painting(29, 0)
    museum = {0: painting(18, 1), 1: painting(19, 1), 2: painting(21, 1)}
    batch = position(hands=[[worthy, plain], []], museums=[museum], secret=[20, 9], public_trend=8, prestige=[5, 5])
    before = batch.standings()[0, 0]
    play(batch, "exhibit", painting=worthy, **{"from": "hand"})
    # 2 for the domain from the public trend, 6 from the secret one, 1 lost for the payment.
    assert batch.standings()[0, 0] == before + 7
    play(batch, "place", slot=3)
    states = batch.states.copy()
    # Four of a period, too.
    assert batch.standings()[0, 0] == before + 11
    assert np.array_equal(states, batch.states)
    play(batch, "pay", painting=plain)
    assert batch.states["phase"][0] == MENU
    assert batch.standings()[0, 0] == before + 11


def test_standings_see_a_trade_to_its_end_and_cards_that_must_be_discarded_again() -> None:
    batch = position(
        phase=TRADE_TAKE, hands=[[painting(2, 5), painting(29, 5)], []], international=[[], [painting(8, 0)]]
    )
    before = batch.standings()[0, 0]
    play(batch, "trade_take", painting=painting(8, 0), museum=1)
    assert batch.standings()[0, 0] == before + 3
    play(batch, "trade_give", painting=painting(2, 5))
    assert batch.scores()[0, 0] == 5 + 3
    batch = position(hands=[list(range(90, 96)), []], discards=[list(range(40, 50)), []], shown=PATRONS)
    before = batch.standings()[0, 0]
    play(batch, "inventory")
    # Ten cards come back; of sixteen in hand eight may stay.
    assert batch.standings()[0, 0] == before + 2
