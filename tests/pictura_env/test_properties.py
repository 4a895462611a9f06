"""Protects what is true of every game of Museum: Pictura, whatever is played: Hypothesis looks for exceptions.

Games are given by their options, a seed and a list of choices, so that a counterexample shrinks to a short game.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from env_core import records
from pictura_env import pictura_v0, rules
from pictura_env.state import (
    FINAL_MENU,
    FINAL_PUT_DOWN,
    IN_DECK,
    IN_HAND,
    KEEPING_TREND,
    MENU,
    OVER,
    PUT_DOWN,
    TRADE_GIVE,
    TRADE_TAKE,
)
from tests.pictura_env.invariants import assert_possible
from tests.pictura_env.positions import position
from tests.pictura_env.second_rules import Cards, SecondPictura, kinds, replay

ENVS: dict[tuple[Any, ...], pictura_v0.raw_env] = {}
LIMITS = {"max_rounds": 3}
CARDS = Cards("default")


def env_of(**options: Any) -> pictura_v0.raw_env:
    """One environment for each set of options: making one costs more than a short game."""
    key = tuple(sorted(options.items()))
    if key not in ENVS:
        ENVS[key] = pictura_v0.raw_env(**options)
    return ENVS[key]


def played(env: pictura_v0.raw_env, seed: int, choices: list[int]):
    """Play by choices, then to the end with the last legal action each time; yield the state before and after."""
    env.reset(seed=seed)
    for choice in itertools.chain(choices, itertools.repeat(-1)):
        legal = env.legal_actions()
        if not legal:
            return
        before = env.table.states[0].copy()
        action = legal[choice % len(legal)]
        env.step(action)
        yield before, action, env.table.states[0].copy()


GAMES = {
    "players": st.sampled_from([2, 3, 4]),
    "seed": st.integers(0, 2**63 - 1),
    "choices": st.lists(st.integers(0, 300), max_size=150),
}
quick = settings(max_examples=12, deadline=None)


@quick
@given(**GAMES)
def test_paintings_favors_patrons_trends_and_tokens_are_conserved(players, seed, choices):
    for _, _, after in played(env_of(num_players=players, **LIMITS), seed, choices):
        assert_possible(after)


@quick
@given(**GAMES)
def test_what_a_move_may_change(players, seed, choices):
    for before, _, after in played(env_of(num_players=players, **LIMITS), seed, choices):
        mover, phase = int(before["seat"]), int(before["phase"])
        others = [seat for seat in range(players) if seat != mover]
        assert (after["slots"][others] == before["slots"][others]).all(), "nobody touches another's museum"
        # A hand changes at its owner's moves alone, but for what is drawn as a turn begins.
        for seat in others:
            lost = (before["where"] == IN_HAND + seat) & (after["where"] != IN_HAND + seat)
            gained = (after["where"] == IN_HAND + seat) & (before["where"] != IN_HAND + seat)
            assert not lost.any()
            assert (before["where"][gained] == IN_DECK).all()
            if gained.any():
                assert seat == after["active"]
            secret = int(before["secret_trend"][seat])
            assert after["secret_trend"][seat] == secret
        assert (after["exhibitions"] >= before["exhibitions"]).all()
        assert (after["patrons_claimed"] >= before["patrons_claimed"]).all()
        assert (after["markers"][:players] >= before["markers"][:players]).all()
        assert after["round"] - before["round"] in (0, 1)
        if phase in (MENU, PUT_DOWN, FINAL_MENU, FINAL_PUT_DOWN) and after["phase"] in (PUT_DOWN, FINAL_PUT_DOWN):
            assert (after["prestige"] == before["prestige"]).all(), "rearranging scores nothing"
        if phase == KEEPING_TREND:
            assert after["secret_trend"][mover] in after["dealt_trends"][mover]


@quick
@given(**GAMES)
def test_a_trade_leaves_every_hand_as_large_and_every_museum_with_four(players, seed, choices):
    for before, action, after in played(env_of(num_players=players, **LIMITS), seed, choices):
        if before["phase"] == TRADE_TAKE and action < 180:
            assert after["phase"] == TRADE_GIVE
            assert after["hand_sizes"].tolist() == before["hand_sizes"].tolist()
        if before["phase"] == TRADE_GIVE:
            assert after["hand_sizes"].tolist() == before["hand_sizes"].tolist()
            assert (np.bincount(after["where"], minlength=18)[13:17] == 4).all()


@settings(max_examples=10, deadline=None)
@given(**GAMES, reward=st.sampled_from(["outcome", "margin", "score"]), rounds=st.integers(1, 4))
def test_final_scores_are_those_of_a_second_scoring_of_the_record(players, seed, choices, reward, rounds):
    env = env_of(num_players=players, reward=reward, max_rounds=rounds)
    *_, (_, _, after) = played(env, seed, choices)
    assert after["phase"] == OVER
    record = env.record()
    replay(record)
    second = SecondPictura(record["options"], record["setup"])
    for step in record["steps"]:
        second.send(list(step["chance"]["order"]) if "chance" in step else step["action"])
    assert record["result"] == {**second.result(), "rewards": record["result"]["rewards"]}
    assert np.allclose(record["result"]["rewards"], second.result()["rewards"], atol=1e-6)
    if reward != "score":
        assert abs(sum(record["result"]["rewards"])) < 1e-5
    assert records.check(pictura_v0.raw_env, record).record() == record


def groups_by_union(museum: dict[int, int], of: str, index: int) -> list[int]:
    """Sizes of the connected groups of a period or domain: a third search, by joining neighbours pair by pair."""
    group_of = {slot: {slot} for slot, painting in museum.items() if CARDS.shows(painting)[of] == index}
    for slot in list(group_of):
        for other in (slot + 1 if slot % 5 < 4 else None, slot + 5):
            if other in group_of and group_of[other] is not group_of[slot]:
                group_of[slot] |= group_of[other]
                for member in group_of[slot]:
                    group_of[member] = group_of[slot]
    return sorted(len(group) for group in {id(group): group for group in group_of.values()}.values())


@st.composite
def museums(draw):
    """A museum with paintings of few periods and domains, so that there is much to connect."""
    periods = draw(st.sets(st.integers(0, 4), min_size=1, max_size=3))
    domains = draw(st.sets(st.integers(0, 5), min_size=1, max_size=3))
    pool = [p for p in range(180) if p // 36 in periods and p % 6 in domains]
    slots = sorted(draw(st.sets(st.integers(0, 24), min_size=4)))
    paintings = draw(st.permutations(pool))
    return dict(zip(slots, paintings, strict=False))


@settings(max_examples=60, deadline=None)
@given(museum=museums(), trend=st.integers(5, 27))
def test_collections_and_points_of_any_museum(museum, trend):
    batch = position(museums=[museum], secret=[trend])
    state = batch.states[0]
    value = 0
    for number, (of, index) in enumerate(kinds()):
        sizes = [size for size in groups_by_union(museum, of, index) if size >= 4]
        assert sizes == sorted(CARDS.collections(museum, of, index))
        assert rules.largest_collection(state, 0, number) == max(sizes, default=0)
        assert batch.action_mask[0][205 + number] == bool(sizes)
        value += sum(CARDS.value_of_collection(size) for size in sizes)
    assert rules.value_of_collections(state, 0) == value
    matches = sum(CARDS.total(hanging, trend) for hanging in museum.values())
    in_gallery = sum(slot // 5 == 2 or slot % 5 == 2 for slot in museum)
    full = 5 * (in_gallery == 9) + 15 * (len(museum) == 25)
    assert rules.final_points(state, 0) == value + matches + full


@settings(max_examples=60, deadline=None)
@given(museum=museums(), first=st.integers(0, 24), second=st.integers(0, 24))
def test_rearranging_moves_a_painting_and_swaps(museum, first, second):
    batch = position(museums=[museum])
    if first not in museum or first == second:
        assert batch.action_mask[0][180 + first] == (first in museum)
        return
    batch.step([180 + first])
    batch.step([180 + second])
    assert_possible(batch.states[0])
    expected = {**museum, second: museum[first]}
    del expected[first]
    if second in museum:
        expected[first] = museum[second]
    assert {slot: int(p) - 1 for slot, p in enumerate(batch.states[0]["slots"][0]) if p} == expected


@settings(max_examples=60, deadline=None)
@given(start=st.integers(0, 9), gains=st.lists(st.integers(-40, 40), max_size=8))
def test_favors_are_drawn_for_every_ten_reached_once(start, gains):
    batch = position(prestige=[start, 5])
    state = batch.states[0]
    prestige, highest = start, start
    for gain in gains:
        if gain >= 0:
            rules.gain(state, 0, gain)
        else:
            rules.lose(state, 0, -gain)
        prestige = max(prestige + gain, 0)
        highest = max(highest, prestige)
        assert state["prestige"][0] == prestige
        assert state["favors_held"][0] == min(highest // 10, 24)
        assert state["markers"][0] == highest // 10 * 10 + 10
