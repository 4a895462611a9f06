"""Protects what is true of every game of Musée, whatever is drawn and played: Hypothesis looks for exceptions.

Games are given by their options, a seed and a list of choices, so that a counterexample shrinks to a short game.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from musee_env import musee_v0, rules
from musee_env.state import LAST_CARD, OVER
from tests.musee_env.invariants import assert_possible, cards_of
from tests.musee_env.positions import blank_states, set_up
from tests.musee_env.second_rules import fits, museum_points

ENVS: dict[tuple[Any, ...], musee_v0.raw_env] = {}


def env_of(**options: Any) -> musee_v0.raw_env:
    """One environment for each set of options: making one costs more than a short game."""
    key = tuple(sorted(options.items()))
    if key not in ENVS:
        ENVS[key] = musee_v0.raw_env(**options)
    return ENVS[key]


def played(env: musee_v0.raw_env, seed: int, choices: list[int]):
    """Play by choices (the last one again and again when they run out); yield the state before and after each move."""
    env.reset(seed=seed)
    for choice in itertools.chain(choices, itertools.repeat(choices[-1])):
        legal = env.legal_actions()
        if not legal:
            return
        before = env.table.states[0].copy()
        action = legal[choice % len(legal)]
        env.step(action)
        yield before, action, env.table.states[0].copy()


GAMES = {
    "players": st.sampled_from([2, 3, 4]),
    "staircases": st.sampled_from(["first_game", "random"]),
    "seed": st.integers(0, 2**63 - 1),
    "choices": st.lists(st.integers(0, 200), min_size=1, max_size=60),
}
quick = settings(max_examples=60, deadline=None)


@quick
@given(**GAMES)
def test_every_state_is_possible(players, staircases, seed, choices):
    for before, _, after in played(env_of(num_players=players, staircases=staircases), seed, choices):
        assert_possible(before)
        assert_possible(after)


@quick
@given(**GAMES)
def test_a_placed_card_never_moves_and_a_bonus_card_stays(players, staircases, seed, choices):
    for before, _, after in played(env_of(num_players=players, staircases=staircases), seed, choices):
        hung = before["museums"] > 0
        assert (after["museums"][hung] == before["museums"][hung]).all()
        assert (after["museums"] > 0).sum() - hung.sum() == (before["phase"] != LAST_CARD)
        taken = before["bonus_owner"] >= 0
        assert (after["bonus_owner"][taken] == before["bonus_owner"][taken]).all()
        assert (after["out"] >= before["out"]).all(), "out for the rest of the game"
        assert (after["scores"] >= before["scores"]).all()


@quick
@given(**GAMES)
def test_the_turn_goes_clockwise_past_those_who_are_out(players, staircases, seed, choices):
    for before, _, after in played(env_of(num_players=players, staircases=staircases), seed, choices):
        mover = int(before["seat"])
        if after["phase"] == LAST_CARD:
            assert after["seat"] == mover
            continue
        order = [(mover + turn) % players for turn in range(1, players + 1)]
        still_in = [seat for seat in order if not after["out"][seat]]
        assert (still_in[:1] or [-1]) == [int(after["seat"])]
        # Nobody beyond the next to move has been found stuck: being out is found on the own turn.
        asked = order[: order.index(int(after["seat"])) + 1] if still_in else order
        for seat in range(players):
            if after["out"][seat] and not before["out"][seat]:
                assert seat in asked
                museum = after["museums"][seat % int(after["num_sides"])]
                spaces = {(g, c): int(museum[g, c]) for g in range(3) for c in range(6) if museum[g, c]}
                hand = after["hands"][seat][: after["hand_sizes"][seat]].tolist()
                columns = range(int(after["columns"]))
                assert not any(fits(spaces, g, c, card) for card in hand for g in range(3) for c in columns)


@quick
@given(**GAMES)
def test_who_draws_and_when(players, staircases, seed, choices):
    decided = set()
    for before, _, after in played(env_of(num_players=players, staircases=staircases), seed, choices):
        mover, left = int(before["seat"]), int(before["deck_size"])
        drawn = left - int(after["deck_size"])
        if before["phase"] == LAST_CARD:
            assert players == 4
            assert mover % 2 not in decided
            assert drawn == 1
            assert 1 <= left <= 2
            decided.add(mover % 2)
        elif players == 2:
            assert drawn == 1
        else:
            assert drawn == (left > 2)
            if players == 4:
                assert (after["phase"] == LAST_CARD) == (left <= 2 and mover % 2 not in decided)
            else:
                assert after["phase"] != LAST_CARD
        assert (
            before["hand_sizes"][:players].sum() + drawn - (before["phase"] != LAST_CARD) == after["hand_sizes"].sum()
        )


@quick
@given(**GAMES, reward=st.sampled_from(["outcome", "margin", "score"]))
def test_results_are_those_of_the_museums(players, staircases, seed, choices, reward):
    env = env_of(num_players=players, staircases=staircases, reward=reward)
    *_, (_, _, after) = played(env, seed, choices)
    result = env.record()["result"]
    sides = int(after["num_sides"])
    columns = int(after["columns"])
    stairs = after["staircases"][:, :columns].tolist()
    ranks = []
    for side in range(sides):
        museum = {(g, c): int(after["museums"][side][g, c]) for g in range(3) for c in range(columns)}
        museum = {space: card for space, card in museum.items() if card}
        bonus_cards = int((after["bonus_owner"] == side).sum())
        ranks.append((museum_points(museum, stairs, columns, bonus_cards), len(museum), bonus_cards))
    best = [rank == max(ranks) for rank in ranks]
    assert result["scores"] == [ranks[seat % sides][0] for seat in range(players)]
    assert result["winners"] == [seat for seat in range(players) if best[seat % sides]]
    rewards = result["rewards"][:sides]
    if reward == "score":
        assert result["rewards"] == [float(score) for score in result["scores"]]
    else:
        assert abs(sum(rewards)) < 1e-5
        assert all(reward <= rewards[best.index(True)] + 1e-9 for reward in rewards)
    assert max(result["scores"]) <= 78


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**63 - 1), players=st.sampled_from([2, 3, 4]), games_to_win=st.integers(2, 4), data=st.data()
)
def test_a_match_goes_on_until_somebody_has_won_so_often(seed, players, games_to_win, data):
    env = env_of(num_players=players, games_to_win=games_to_win)
    choices = data.draw(st.lists(st.integers(0, 200), min_size=1, max_size=40))
    won_before, games = [0] * 4, 0
    for before, _, after in played(env, seed, choices):
        won = after["games_won"].tolist()
        assert before["phase"] != OVER
        if won != won_before or after["game_number"] != before["game_number"]:
            assert sum(won) - sum(won_before) in (0, 1), "a shared win counts for nobody"
            if after["phase"] != OVER:
                assert max(won) < games_to_win
                assert after["game_number"] == before["game_number"] + 1
                assert not after["museums"].any()
                assert not after["out"].any()
                assert sorted(sum(cards_of(after).values(), [])) == list(range(1, int(after["paintings"]) + 1))
                winner = [side for side in range(4) if won[side] > won_before[side]]
                assert not winner or int(after["seat"]) % int(after["num_sides"]) != winner[0], "a loser starts"
            games += 1
        won_before = won
    assert max(won_before) == games_to_win
    assert games >= games_to_win
    result = env.record()["result"]
    sides = 2 if players == 4 else players
    assert result["games_won"] == [won_before[seat % sides] for seat in range(players)]
    assert sum("chance" in step for step in env.record()["steps"]) == games - 1


@st.composite
def museums(draw):
    """A museum of two-player Musée with rising galleries, and the cards that are left."""
    pack = draw(st.permutations(range(1, 51)))
    rows, used = [], 0
    for _ in range(3):
        filled = sorted(draw(st.sets(st.integers(0, 5), max_size=6)))
        cards = sorted(pack[used : used + len(filled)])
        used += len(filled)
        row = [0] * 6
        for column, card in zip(filled, cards, strict=True):
            row[column] = card
        rows.append(row)
    return rows, pack[used:]


@settings(max_examples=150, deadline=None)
@given(museum=museums(), stairs=st.permutations([1, 1, 1, 0, 0, 0]))
def test_legal_spaces_and_scores_of_any_museum(museum, stairs):
    rows, left = museum
    states = blank_states()
    pattern = [stairs, [1 - token for token in stairs]]
    set_up(states[0], museums=[rows], hands=[sorted(left[:5]), left[5:10]], deck=left[10:14], staircases=pattern)
    spaces = {(g, c): rows[g][c] for g in range(3) for c in range(6) if rows[g][c]}
    bonus_cards = sum(0 not in row for row in rows)
    assert states[0]["scores"][0] == museum_points(spaces, pattern, 6, bonus_cards)
    mask = np.zeros(90, np.int8)
    rules.write_action_mask(states[0], mask)
    for action in range(90):
        slot, gallery, column = action // 18, action // 6 % 3, action % 6
        legal = fits(spaces, gallery, column, sorted(left[:5])[slot])
        assert mask[action] == legal
        assert rules.is_legal(states[0], action) == legal
