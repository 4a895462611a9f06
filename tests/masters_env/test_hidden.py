"""Protects search from dealing wrong hands: ``resample_hidden`` is uniform among the deals that the public facts allow.

On small positions every order of the unseen cards is listed by brute force, and the frequencies of many resamplings are
held against that list.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from masters_env import kernels, masters_v0
from tests.masters_env.invariants import assert_possible, cards_of, listed
from tests.masters_env.positions import (
    AWARD,
    DEGAS,
    DOWN,
    DRAW,
    MONET,
    RENOIR,
    TOGETHER,
    UP,
    VAN_GOGH,
    VERMEER,
    blank_states,
    set_up,
)

DRAWS = 20_000

POSITIONS: dict[str, dict[str, Any]] = {
    "two players, nothing known": {
        "hands": [[MONET], [DEGAS, DEGAS + UP, RENOIR]],
        "deck": [VERMEER, DEGAS, RENOIR],
        "seat": 1,
    },
    "face-down cards of others": {
        "players": 3,
        "hands": [[MONET], [DEGAS], [VERMEER]],
        "face_down": [[RENOIR], [DEGAS + DOWN, MONET], [VAN_GOGH]],
        "deck": [DEGAS, VERMEER],
    },
    "a second card of the artist is being asked for": {
        "hands": [[MONET], [DEGAS, VERMEER]],
        "displays": [[], [DEGAS + UP]],
        "deck": [DEGAS + AWARD, RENOIR, VERMEER, MONET],
        "seat": 1,
        "phase": "second_up",
        "played_artist": 1,
    },
    "a second card face down is being asked for": {
        "hands": [[MONET], [DEGAS, VERMEER]],
        "displays": [[], [RENOIR + DOWN]],
        "deck": [DEGAS, RENOIR, VERMEER],
        "seat": 1,
        "phase": "second_down",
        "played_artist": 3,
    },
    "choices are hidden, own one kept": {
        "players": 4,
        "hands": [[MONET], [DEGAS], [RENOIR, VERMEER], [VERMEER]],
        "displays": [[], [], [], [MONET + TOGETHER]],
        "chosen": {3: VAN_GOGH, 0: MONET + AWARD, 1: RENOIR + DRAW},
        "deck": [],
        "seat": 2,
        "active": 3,
        "phase": "simultaneous",
        "played_artist": 2,
    },
    "an extra card is being added": {
        "players": 3,
        "hands": [[MONET], [DEGAS, VERMEER], [VERMEER]],
        "displays": [[MONET] * 2, [RENOIR, DEGAS] * 2, []],
        "deck": [RENOIR, MONET],
        "seat": 1,
        "active": 0,
        "phase": "extra",
        "scoring": [0, 1, 1, 1, 0],
        "may_add": [0, 1, 0, 1, 0],
    },
    "a further extra card is being added": {
        "hands": [[MONET], [DEGAS, RENOIR]],
        "displays": [[MONET] * 2, [RENOIR, DEGAS] * 2],
        "deck": [RENOIR + UP, MONET, VERMEER],
        "seat": 1,
        "active": 1,
        "phase": "extra",
        "may_add": [0, 0, 0, 1, 0],
    },
    "any card may be added": {
        "options": {"extra_card": "any_artist"},
        "hands": [[MONET], [DEGAS, VERMEER]],
        "displays": [[MONET] * 2, [RENOIR, DEGAS] * 2],
        "deck": [RENOIR, MONET, VERMEER],
        "seat": 1,
        "active": 0,
        "phase": "extra",
        "may_add_any": 2,
    },
    "seen by another seat": {
        "players": 3,
        "viewer": 2,
        "hands": [[DEGAS, VERMEER], [MONET, MONET], [VERMEER]],
        "displays": [[DEGAS + UP], [], []],
        "face_down": [[], [RENOIR], []],
        "deck": [DEGAS],
        "seat": 0,
        "phase": "second_up",
        "played_artist": 1,
    },
    "the one who sees is asked": {
        "hands": [[DEGAS], [MONET, VERMEER]],
        "displays": [[DEGAS + UP]],
        "deck": [DEGAS + DRAW, RENOIR, VERMEER],
        "seat": 0,
        "phase": "second_up",
        "played_artist": 1,
    },
}
CONSTRAINED = (
    "a second card of the artist is being asked for",
    "an extra card is being added",
    "a further extra card is being added",
    "seen by another seat",
)


def laid_out(name: str) -> tuple[np.ndarray, int]:
    """A position, and who looks at it."""
    parts = dict(POSITIONS[name])
    viewer = parts.pop("viewer", 0)
    states = blank_states(num_players=parts.pop("players", 2), **parts.pop("options", {}))
    set_up(states[0], **parts)
    assert_possible(states[0])
    return states, viewer


Deal = tuple[tuple[int, ...], ...]


def unseen_places(state: np.void, viewer: int) -> list[tuple[str, int, int]]:
    """Where unseen cards lie: what, whose, how many; the deck last."""
    others = [seat for seat in range(int(state["num_players"])) if seat != viewer]
    return [
        *(("hands", seat, int(state["hand_sizes"][seat])) for seat in others),
        *(("face_down", seat, int(state["face_down_counts"][seat])) for seat in others),
        *(("choice", seat, int(state["choice"][seat] >= 0)) for seat in others),
        ("deck", 0, int(state["deck_size"])),
    ]


def hidden_part(state: np.void, viewer: int) -> Deal:
    """What the viewer cannot know, place by place; in the deck the order counts."""
    parts = []
    for what, seat, count in unseen_places(state, viewer):
        if what == "deck":
            parts.append(tuple(state["deck"][95 - count :].tolist()))
        elif what == "choice":
            parts.append((int(state["choice"][seat]),) * count)
        else:
            parts.append(tuple(listed(state[what][seat])) if count else ())
    return tuple(parts)


def is_asked_for_what_it_holds(state: np.void, hand: tuple[int, ...]) -> bool:
    """Whether the seat to move could be asked, with this hand."""
    phase = int(state["phase"])
    if phase == 1:
        return any(card // 6 == state["played_artist"] for card in hand)
    if phase == 5:
        return any(state["may_add"][card // 6] or state["may_add_any"] for card in hand)
    return True


def deals(state: np.void, viewer: int, constrained: bool = True) -> Counter[Deal]:
    """Every possible deal of the unseen cards, with the number of orders of the cards that make it."""
    places = unseen_places(state, viewer)
    cards = sorted(card for part in hidden_part(state, viewer) for card in part)
    asked = ("hands", int(state["seat"]))
    found: Counter[Deal] = Counter()
    for order in itertools.permutations(cards):
        rest = list(order)
        parts = []
        for what, seat, count in places:
            part, rest = rest[:count], rest[count:]
            parts.append(tuple(part if what == "deck" else sorted(part)))
            if constrained and (what, seat) == asked and not is_asked_for_what_it_holds(state, parts[-1]):
                break
        else:
            found[tuple(parts)] += 1
    return found


@pytest.mark.parametrize("name", POSITIONS)
def test_resampling_is_uniform_among_the_possible_deals(name):
    states, viewer = laid_out(name)
    expected = deals(states[0], viewer)
    assert len(expected) > 10, "the position leaves too little open to be worth a test"
    assert (len(deals(states[0], viewer, constrained=False)) > len(expected)) == (name in CONSTRAINED)
    many = np.repeat(states, DRAWS)
    kernels.resample(many, np.arange(DRAWS), np.full(DRAWS, viewer), np.uint64(7))
    found = Counter(hidden_part(state, viewer) for state in many)
    assert set(found) <= set(expected), f"impossible: {set(found) - set(expected)}"
    total = sum(expected.values())
    statistic = sum((found[deal] - DRAWS * w / total) ** 2 / (DRAWS * w / total) for deal, w in expected.items())
    degrees = len(expected) - 1
    # Chi-square has mean k and variance 2 k; cells may be thin, so the variance is taken with what thin cells add.
    variance = 2 * degrees + sum(total / w for w in expected.values()) / DRAWS
    assert abs(statistic - degrees) < 5 * variance**0.5, f"chi-square {statistic:.1f} with {degrees} degrees of freedom"


@pytest.mark.parametrize("name", POSITIONS)
def test_two_states_alike_to_the_seat_give_identical_results(name):
    states, viewer = laid_out(name)
    other = states.copy()
    places = unseen_places(other[0], viewer)
    # The same table with the unseen cards dealt otherwise by hand, and other generators behind it.
    deal = next(deal for deal in sorted(deals(other[0], viewer), reverse=True) if deal != hidden_part(other[0], viewer))
    for (what, seat, count), cards in zip(places, deal, strict=True):
        if what == "deck":
            other[0]["deck"][95 - count :] = cards
        elif what == "choice" and count:
            other[0]["choice"][seat] = cards[0]
        elif what != "choice":
            other[0][what][seat] = [cards.count(card) for card in range(30)]
    other["deck"][0, : int(other[0]["deck_next"])] = 5
    other["random"] = 12345
    other["game_seed"] = 54321
    results = []
    for alike in (states, other):
        many = np.repeat(alike, 50)
        kernels.resample(many, np.arange(50), np.full(50, viewer), np.uint64(3))
        results.append(many.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_in_random_games_resampled_states_are_possible_and_keep_what_is_known(players):
    env = masters_v0.raw_env(num_players=players, extra_card=("any_artist", "same_artist")[players % 2])
    rng = np.random.default_rng(players)
    hidden = ("hands", "face_down", "choice", "deck", "random", "game_seed")
    for game in range(2):
        env.reset(seed=game)
        while env.legal_actions():
            state = env.table.states[0]
            for seat in range(players):
                other = env.table.resample_hidden(seat, int(rng.integers(2**63))).states[0]
                assert_possible(other)
                for name in state.dtype.names:
                    if name not in hidden:
                        assert np.array_equal(other[name], state[name]), name
                for name in ("hands", "face_down", "choice"):
                    assert np.array_equal(other[name][seat], state[name][seat]), name
                assert np.array_equal(other["choice"] >= 0, state["choice"] >= 0)
                assert other["random"] != state["random"]
                assert other["game_seed"] != state["game_seed"]
                assert [len(cards) for cards in cards_of(other).values()] == [
                    len(cards) for cards in cards_of(state).values()
                ]
            env.step(int(rng.choice(env.legal_actions())))


def test_cards_that_were_drawn_are_forgotten():
    """The pack behind the deck would tell who holds what."""
    env = masters_v0.raw_env()
    env.reset(seed=1)
    other = env.table.resample_hidden(0, 1).states[0]
    assert not other["deck"][: int(other["deck_next"])].any()
