"""Protects search from dealing wrong hands: ``resample_hidden`` is uniform among the deals that the public facts allow.

On small positions every possible deal is listed by brute force, with nothing but the sentences of the rules, and the
frequencies of many resamplings are held against that list.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from musee_env import kernels, musee_v0
from musee_env.state import LAST_CARD, PLACING
from tests.musee_env.invariants import assert_possible
from tests.musee_env.positions import blank_states, set_up
from tests.musee_env.second_rules import fits

DRAWS = 40_000


def small_state(players: int, paintings: int, **parts: Any) -> np.ndarray:
    """A position in a game with few cards; those that lie nowhere are put into the deck."""
    states = blank_states(num_players=players)
    states["paintings"] = paintings
    placed = {card for museum in parts.get("museums", ()) for row in museum for card in row}
    held = {card for hand in parts["hands"] for card in hand}
    deck = [card for card in range(1, paintings + 1) if card not in placed | held]
    set_up(states[0], deck=deck, **parts)
    return states


def hidden_part(state: np.void, seat: int) -> tuple[Any, ...]:
    """The other hands and the deck: what ``seat`` cannot know."""
    players = int(state["num_players"])
    hands = [
        tuple(state["hands"][other][: state["hand_sizes"][other]].tolist()) for other in range(players) if other != seat
    ]
    first = int(state["deck_next"])
    return *hands, tuple(state["deck"][first : first + int(state["deck_size"])].tolist())


def fits_anywhere(state: np.void, seat: int, card: int) -> bool:
    columns = int(state["columns"])
    rows = state["museums"][seat % int(state["num_sides"])]
    museum = {(g, c): int(rows[g, c]) for g in range(3) for c in range(columns) if rows[g, c]}
    return any(fits(museum, gallery, column, card) for gallery in range(3) for column in range(columns))


def weights_of_deals(state: np.void, seat: int) -> Counter[tuple[Any, ...]]:
    """Every possible deal of the hidden cards, each with the number of ways in which it can have come about.

    A card that was given to a player who was out already may be any one of the hand: such a hand is as many times as
    likely as it has cards without which the others do not fit.
    """
    players = int(state["num_players"])
    others = [other for other in range(players) if other != seat]
    sizes = [int(state["hand_sizes"][other]) for other in others]
    hidden = sorted(card for part in hidden_part(state, seat) for card in part)
    weights: Counter[tuple[Any, ...]] = Counter()

    def deal(left: list[int], hands: tuple[tuple[int, ...], ...], weight: int) -> None:
        if len(hands) == len(others):
            for deck in itertools.permutations(left):
                weights[(*hands, deck)] += weight
            return
        other, size = others[len(hands)], sizes[len(hands)]
        for hand in itertools.combinations(left, size):
            fitting = [card for card in hand if fits_anywhere(state, other, card)]
            ways = 1
            if state["out"][other] and state["given_when_out"][other]:
                ways = {0: size, 1: 1}.get(len(fitting), 0)
            elif state["out"][other]:
                ways = int(not fitting)
            elif other == state["seat"] and state["phase"] == PLACING:
                ways = int(bool(fitting))
            if ways:
                deal([card for card in left if card not in hand], (*hands, hand), weight * ways)

    deal(hidden, (), 1)
    return weights


def only_above(*cards: int, columns: int = 6) -> list[list[int]]:
    """A museum with one painting in the first column of each gallery: what is lower than all three fits nowhere."""
    return [[card] + [0] * (columns - 1) for card in cards]


def only_below(*cards: int, columns: int = 6) -> list[list[int]]:
    """A museum with one painting in the last column of each gallery: what is higher than all three fits nowhere."""
    return [[0] * (columns - 1) + [card] for card in cards]


EMPTY_MUSEUM = [[0] * 6] * 3
TWO_SHUT = {"museums": [only_above(8, 9, 10), only_below(3, 4, 5)]}
THREE_TWO_SHUT = {
    "museums": [[[0] * 5] * 3, only_above(8, 9, 10, columns=5), only_below(3, 4, 5, columns=5)],
}
POSITIONS: dict[str, dict[str, Any]] = {
    "two players, nothing known": {"players": 2, "paintings": 7, "hands": [[1], [2, 6]]},
    "the other is out: holds nothing that fits": {
        "players": 2,
        "paintings": 10,
        "hands": [[1], [2, 3]],
        "museums": [EMPTY_MUSEUM, only_above(7, 8, 9)],
        "out": [1],
    },
    "the one asked holds something that fits": {
        "players": 2,
        "paintings": 10,
        "hands": [[1], [2, 6]],
        "museums": [EMPTY_MUSEUM, only_above(5, 8, 9)],
        "seat": 1,
    },
    "three players, two out in different museums": {
        "players": 3,
        "paintings": 14,
        "hands": [[1], [2, 6], [7]],
        "out": [1, 2],
        **THREE_TWO_SHUT,
    },
    "three players, one out, one asked": {
        "players": 3,
        "paintings": 14,
        "hands": [[6], [7], [1, 11]],
        "out": [1],
        "seat": 2,
        **THREE_TWO_SHUT,
    },
    "four players, partner and rival out": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [1], [2], [7, 11]],
        "out": [2, 3],
        **TWO_SHUT,
    },
    "four players, partner and rival out, rival asked": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [1, 11], [2], [7]],
        "out": [2, 3],
        "seat": 1,
        **TWO_SHUT,
    },
    "four players, both rivals out": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [7], [1], [11, 12]],
        "out": [1, 3],
        **TWO_SHUT,
    },
    "four players, partner and both rivals out": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [7], [2], [11, 12]],
        "out": [1, 2, 3],
        **TWO_SHUT,
    },
    "four players, a rival decides on the last card": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [7], [1], [2, 11]],
        "seat": 1,
        "out": [2],
        **TWO_SHUT,
    },
    "four players, a card was given to a partner who was out": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [1], [2, 12], [7]],
        "out": [2, 3],
        "given_when_out": [2],
        **TWO_SHUT,
    },
    "four players, a card was given to a rival who was out": {
        "players": 4,
        "paintings": 14,
        "hands": [[6], [1], [2], [7, 11]],
        "out": [2, 3],
        "given_when_out": [3],
        **TWO_SHUT,
    },
    "seen by another seat": {
        "players": 3,
        "paintings": 10,
        "hands": [[1, 6], [2], [3]],
        "museums": [only_above(8, 9, 10, columns=5)],
        "out": [0],
        "seat": 1,
    },
}
ANOTHER_SEAT = 2


@pytest.mark.parametrize("name", POSITIONS)
def test_resampling_is_uniform_among_the_possible_deals(name):
    states = small_state(**POSITIONS[name])
    if "decides" in name:
        states["phase"] = LAST_CARD
    assert_uniform(states, ANOTHER_SEAT if "another seat" in name else 0)


def assert_uniform(states: np.ndarray, seat: int) -> None:
    expected = weights_of_deals(states[0], seat)
    assert len(expected) > 10, "the position leaves too little open to be worth a test"
    many = np.repeat(states, DRAWS)
    kernels.resample(many, np.arange(DRAWS), np.full(DRAWS, seat), np.uint64(7))
    found = Counter(hidden_part(state, seat) for state in many)
    assert set(found) <= set(expected), f"impossible: {set(found) - set(expected)}"
    total = sum(expected.values())
    statistic = sum((found[deal] - DRAWS * w / total) ** 2 / (DRAWS * w / total) for deal, w in expected.items())
    degrees = len(expected) - 1
    # Chi-square has mean k and variance 2 k; cells may be thin, so the variance is taken with what thin cells add.
    variance = 2 * degrees + sum(total / w for w in expected.values()) / DRAWS
    assert abs(statistic - degrees) < 5 * variance**0.5, f"chi-square {statistic:.1f} with {degrees} degrees of freedom"


def test_the_list_of_deals_rules_deals_out():
    """The constraints must bite in the positions above: without them the list would be longer."""
    for name in ("the other is out: holds nothing that fits", "the one asked holds something that fits"):
        states = small_state(**POSITIONS[name])
        constrained = weights_of_deals(states[0], 0)
        states["out"] = 0
        states["seat"] = 0
        assert len(weights_of_deals(states[0], 0)) > len(constrained) > 10


@pytest.mark.parametrize("players", [2, 3, 4])
def test_in_random_games_resampled_states_are_possible_and_keep_the_public_facts(players):
    env = musee_v0.raw_env(num_players=players)
    rng = np.random.default_rng(players)
    for game in range(4):
        env.reset(seed=game)
        while env.legal_actions():
            state = env.table.states[0]
            for seat in range(players):
                other = env.table.resample_hidden(seat, int(rng.integers(2**63))).states[0]
                assert_possible(other)
                for name in (
                    "museums",
                    "hand_sizes",
                    "out",
                    "deck_size",
                    "seat",
                    "staircases",
                    "bonus_owner",
                    "scores",
                ):
                    assert np.array_equal(other[name], state[name]), name
                assert np.array_equal(other["hands"][seat], state["hands"][seat])
                for player in range(players):
                    if player != seat and other["out"][player]:
                        held = other["hands"][player][: other["hand_sizes"][player]].tolist()
                        fitting = [card for card in held if fits_anywhere(other, player, card)]
                        assert len(fitting) <= other["given_when_out"][player]
            env.step(int(rng.choice(env.legal_actions())))


def test_seats_and_seeds_are_checked():
    batch = musee_v0.batch_env(3, num_players=3)
    batch.reset(seed=1)
    for seats, error in ((3, ValueError), (-1, ValueError), ([0, 1], TypeError), (1.0, TypeError), ("0", TypeError)):
        with pytest.raises(error, match="seats must be"):
            batch.resample_hidden(seats, 1)
    for seed, error in ((-1, ValueError), (2**63, ValueError), (1.5, TypeError), (True, TypeError), (None, TypeError)):
        with pytest.raises(error, match="seed must be"):
            batch.resample_hidden(0, seed)


def test_one_seat_per_row_or_one_for_all():
    batch = musee_v0.batch_env(3, num_players=3)
    batch.reset(seed=1)
    same = batch.resample_hidden(1, 5)
    assert same.states.tobytes() == batch.resample_hidden([1, 1, 1], 5).states.tobytes()
    mixed = batch.resample_hidden(np.array([0, 1, 2], dtype=np.uint8), 5)
    assert mixed.states[1].tobytes() == same.states[1].tobytes()
    assert mixed.states[0].tobytes() != same.states[0].tobytes()
