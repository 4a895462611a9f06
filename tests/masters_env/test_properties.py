"""Protects what is true of every game of Masters Gallery, however it is dealt and played: Hypothesis seeks exceptions.

Games are given by their options, a seed and a list of choices, so that a counterexample shrinks to a short game.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from masters_env import masters_v0, rules
from tests.masters_env.invariants import PHASES, assert_possible, cards_of, listed
from tests.masters_env.positions import blank_states, set_up
from tests.masters_env.second_rules import DEAL, LIMIT, PACK, token_winners, totals_of_record, works_by_artist

ENVS: dict[tuple[Any, ...], masters_v0.raw_env] = {}


def env_of(**options: Any) -> masters_v0.raw_env:
    """One environment for each set of options: making one costs more than a short game."""
    key = tuple(sorted(options.items()))
    if key not in ENVS:
        ENVS[key] = masters_v0.raw_env(**options)
    return ENVS[key]


def played(env: masters_v0.raw_env, seed: int, choices: list[int]):
    """Play by choices (over and over when they run out); yield the state before and after each move, and the move."""
    env.reset(seed=seed)
    for choice in itertools.cycle(choices):
        legal = env.legal_actions()
        if not legal:
            return
        before = env.table.states[0].copy()
        action = legal[choice % len(legal)]
        env.step(action)
        yield before, action, env.table.states[0].copy()


OPTIONS = st.fixed_dictionaries(
    {
        "num_players": st.sampled_from([2, 3, 4, 5]),
        "simultaneous_ender": st.sampled_from(["active", "clockwise"]),
        "empty_artist_token": st.booleans(),
        "extra_card": st.sampled_from(["same_artist", "any_artist"]),
    }
)
GAMES = {
    "options": OPTIONS,
    "seed": st.integers(0, 2**63 - 1),
    "choices": st.lists(st.integers(0, 35), min_size=1, max_size=60),
}
quick = settings(max_examples=50, deadline=None)


@quick
@given(**GAMES)
def test_every_state_is_possible_and_the_95_cards_are_conserved_by_type(options, seed, choices):
    for before, _, after in played(env_of(**options), seed, choices):
        for state in (before, after):
            assert_possible(state)
            assert Counter(sum(cards_of(state).values(), [])) == PACK


@quick
@given(**GAMES)
def test_each_round_gives_three_two_and_one_less_what_empty_artists_do_not_get(options, seed, choices):
    env = env_of(**options)
    for before, _, after in played(env, seed, choices):
        if before["phase"] == PHASES.index("extra") or after["round"] - before["round"] > 1:
            continue
        given_now = (after["tokens"].astype(int) - before["tokens"]).tolist()
        if after["phase"] == PHASES.index("extra"):
            works = after["works"].tolist()
            assert given_now == [token_winners(works, options["empty_artist_token"]).get(a, 0) for a in range(5)]
        elif after["round"] == before["round"] and after["phase"] != PHASES.index("over"):
            assert not any(given_now)
    _, tokens = totals_of_record(env.record())
    final = env.table.states[0]["tokens"].tolist()
    assert final == [sum(given_then[artist] for given_then in tokens) for artist in range(5)]
    for given_then in tokens:
        ranked = sorted(given_then.values(), reverse=True)
        assert ranked == [3, 2, 1][: len(ranked)]
        assert ranked, "the extra card's artist has a work"
        assert len(ranked) == 3 or not options["empty_artist_token"]


@quick
@given(**GAMES)
def test_every_round_deals_what_the_table_says(options, seed, choices):
    players = options["num_players"]
    env = env_of(**options)
    env.reset(seed=seed)
    assert env.table.states[0]["hand_sizes"][:players].tolist() == [DEAL[players][0]] * players
    for before, action, after in played(env, seed, choices):
        drawn = int(before["deck_size"]) - int(after["deck_size"])
        rounds = range(int(before["round"]) + 1, int(after["round"]) + 1)
        played_from_hand = action < 30
        held = before["hand_sizes"][:players].sum() - played_from_hand
        if rounds:
            assert drawn == sum(1 + players * DEAL[players][number] for number in rounds)
            assert after["hand_sizes"][:players].sum() == held + drawn - len(rounds)
            for seat in range(players):
                kept = int(before["hand_sizes"][seat]) - (played_from_hand and seat == before["seat"])
                assert after["hand_sizes"][seat] - kept == sum(DEAL[players][number] for number in rounds)
        else:
            symbol_acts = before["phase"] == PHASES.index("play") and action % 6 == 1
            assert drawn in (0, int(symbol_acts))
            assert after["hand_sizes"][:players].sum() == held + drawn
        assert after["deck_size"] <= before["deck_size"]


@quick
@given(**GAMES)
def test_no_artist_passes_the_limit_during_a_round_but_by_a_simultaneous_play(options, seed, choices):
    limit = LIMIT[options["num_players"]]
    for before, _, after in played(env_of(**options), seed, choices):
        before_phase, after_phase = PHASES[before["phase"]], PHASES[after["phase"]]
        if after_phase not in ("extra", "over"):
            assert after["works"].max() < limit
        elif before_phase in ("play", "second_up"):
            # What lay face down has been revealed since.
            revealed = works_by_artist([card for seat in range(5) for card in listed(before["face_down"][seat])])
            if after_phase == "extra":
                face_up = after["works"].astype(int) - revealed
                assert face_up.max() <= limit
                assert face_up.max() == limit or not before["hand_sizes"].sum() - 1


@quick
@given(**GAMES)
def test_the_turn_goes_clockwise_past_those_without_cards(options, seed, choices):
    players = options["num_players"]
    for before, _, after in played(env_of(**options), seed, choices):
        if PHASES[after["phase"]] != "play" or after["round"] != before["round"]:
            continue
        active = int(before["active"])
        order = [(active + turn) % players for turn in range(1, players + 1)]
        with_cards = [seat for seat in order if after["hand_sizes"][seat]]
        assert with_cards[0] == int(after["seat"]) == int(after["active"])


@quick
@given(**GAMES)
def test_tokens_awards_and_totals_only_grow_and_what_is_gone_stays_gone(options, seed, choices):
    for before, action, after in played(env_of(**options), seed, choices):
        assert (after["tokens"] >= before["tokens"]).all()
        assert (after["totals"] >= before["totals"]).all()
        assert (after["gone"] >= before["gone"]).all()
        given_now = after["awards"].astype(int) - before["awards"]
        assert given_now.tolist() == [int(action == 30 + artist) for artist in range(5)]


@quick
@given(**GAMES, reward=st.sampled_from(["outcome", "margin", "score"]))
def test_totals_equal_a_second_scoring_of_the_record(options, seed, choices, reward):
    env = env_of(**options, reward=reward)
    *_, _ = played(env, seed, choices)
    record = env.record()
    totals, _ = totals_of_record(record)
    result = record["result"]
    assert result["scores"] == totals
    assert result["winners"] == [seat for seat, total in enumerate(totals) if total == max(totals)]
    if reward == "score":
        assert result["rewards"] == [float(total) for total in totals]
    else:
        assert abs(sum(result["rewards"])) < 1e-5
        assert max(result["rewards"]) == result["rewards"][result["winners"][0]]


@settings(max_examples=100, deadline=None)
@given(
    hand=st.lists(st.sampled_from(sorted(PACK.elements())), min_size=1, max_size=8),
    phase=st.sampled_from(["play", "second_up", "second_down", "simultaneous", "award", "extra"]),
    played_artist=st.integers(0, 4),
    may_add=st.lists(st.integers(0, 1), min_size=5, max_size=5),
    may_add_any=st.integers(0, 5),
)
def test_the_mask_and_the_single_test_of_an_action_agree_in_every_phase(
    hand, phase, played_artist, may_add, may_add_any
):
    hand = list((Counter(hand) & PACK).elements())
    states = blank_states()
    set_up(
        states[0],
        hands=[hand, []],
        extra_card=next(card for card in range(30) if card not in hand),
        phase=phase,
        played_artist=played_artist,
        may_add=may_add,
        may_add_any=may_add_any,
    )
    allowed = {
        "second_up": [card for card in hand if card // 6 == played_artist],
        "award": [30, 31, 32, 33, 34],
        "extra": [card for card in hand if may_add[card // 6] or may_add_any],
    }.get(phase, hand)
    allowed = sorted({*allowed, *([35] if phase in ("second_up", "second_down", "extra") else [])})
    mask = np.ones(36, np.int8)
    rules.write_action_mask(states[0], mask)
    assert np.flatnonzero(mask).tolist() == allowed
    assert [action for action in range(-1, 37) if rules.is_legal(states[0], action)] == allowed
