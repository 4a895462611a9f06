"""Protects search from dealing wrong cards: ``resample_hidden`` is uniform among the deals that the public facts allow.

On positions with few hidden cards every possible deal is listed by brute force, with nothing but the sentences of the
rules, and the frequencies of many resamplings are held against that list.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from pictura_env import kernels, pictura_v0
from pictura_env.hidden import resample_hidden
from pictura_env.state import KEEPING_TREND, NOTHING, STATE
from tests.pictura_env.card_files import FILES, written
from tests.pictura_env.invariants import assert_possible, in_deck, paintings_at
from tests.pictura_env.positions import position

DRAWS = 20_000
FEW = {"rest": "discard pile 0", "claimed": [range(5, 30), range(30, 60)], "shown": [0, 1, 2, 3, 4]}
"""All paintings lie open but for those named, and no patron is left in the deck."""
NO_FAVORS = {"favors": [[f for f in range(6) for _ in range(4)]], "favor_deck": []}
ONE_TREND_UNSEEN = {"trend_deck": [], "secret": [20, 21]}


def resampled(states: np.ndarray, seat: int = 0, draws: int = DRAWS) -> np.ndarray:
    many = np.repeat(states, draws)
    kernels.resample(many, np.arange(draws), np.full(draws, seat), np.uint64(7))
    return many


def hidden_part(state: np.void, seat: int) -> tuple[Any, ...]:
    """The other hands, favors and trends, and the decks in order: what a seat cannot know."""
    players = int(state["num_players"])
    others = [other for other in range(players) if other != seat]
    held = [tuple(state["favors"][other].tolist()) for other in others]
    return (
        tuple(tuple(paintings_at(state, f"hand {other}")) for other in others),
        tuple(held),
        tuple(int(state["secret_trend"][other]) for other in others),
        *(tuple(in_deck(state, stem)) for stem in ("painting", "favor", "trend", "patron")),
    )


def orders_with_hands(cards: list[int], sizes: list[int], forbidden: frozenset[int] = frozenset()) -> Counter[Any]:
    """Every deal of cards to hands of given sizes (as sets) and a deck (in order), by the number of ways to deal it.

    Args:
        cards: All that is unseen.
        sizes: Of the hands.
        forbidden: Cards that cannot be in a hand.
    """
    found: Counter[Any] = Counter()
    for order in itertools.permutations(cards):
        hands, left = [], list(order)
        for size in sizes:
            hands.append(tuple(sorted(left[:size])))
            left = left[size:]
        if not forbidden & {card for hand in hands for card in hand}:
            found[(tuple(hands), tuple(left))] += 1
    return found


def assert_uniform(found: Counter[Any], expected: Counter[Any]) -> None:
    assert len(expected) > 3, "the position leaves too little open to be worth a test"
    assert set(found) == set(expected), f"impossible: {set(found) - set(expected)}; never: {set(expected) - set(found)}"
    total, draws = sum(expected.values()), sum(found.values())
    statistic = sum((found[deal] - draws * w / total) ** 2 / (draws * w / total) for deal, w in expected.items())
    degrees = len(expected) - 1
    assert abs(statistic - degrees) < 5 * (2 * degrees) ** 0.5, f"chi-square {statistic:.1f}, {degrees} degrees"


def test_paintings_are_dealt_uniformly():
    batch = position(
        options={"num_players": 3}, hands=[[1, 2], [3], [4, 5]], deck=[6, 7], **FEW, **NO_FAVORS,
        trend_deck=[], secret=[20, 21, 22],
    )  # fmt: skip
    found = Counter(
        ((tuple(paintings_at(s, "hand 1")), tuple(paintings_at(s, "hand 2"))), tuple(in_deck(s, "painting")))
        for s in resampled(batch.states)
    )
    assert_uniform(found, orders_with_hands([3, 4, 5, 6, 7], [1, 2]))


def test_favors_are_dealt_uniformly_as_cards_not_as_types():
    batch = position(favors=[[0, 1], [5, 5, 2]], favor_deck=[5, 0, 2], **FEW, **ONE_TREND_UNSEEN)
    favors = [5, 5, 2, 5, 0, 2]
    found = Counter(
        (
            (tuple(f for f, count in enumerate(s["favors"][1].tolist()) for _ in range(count)),),
            tuple(in_deck(s, "favor")),
        )
        for s in resampled(batch.states)
    )
    assert_uniform(found, orders_with_hands(favors, [3]))


def test_trends_are_dealt_uniformly_and_nobody_else_keeps_what_the_seat_was_dealt():
    batch = position(options={"num_players": 3}, **FEW, **NO_FAVORS, trend_deck=[7, 8, 9], secret=[20, 21, 22], seat=1)
    # The seat gave back 8, which lies in the deck, and a trend that has been public since.
    batch.states[0]["dealt_trends"][1] = [8, 21, 10]
    found = Counter(
        (((int(s["secret_trend"][0]),), (int(s["secret_trend"][2]),)), tuple(in_deck(s, "trend")))
        for s in resampled(batch.states, 1)
    )
    assert_uniform(found, orders_with_hands([7, 8, 9, 20, 22], [1, 1], frozenset({8})))
    assert all(s["secret_trend"][1] == 21 and s["dealt_trends"][1].tolist() == [8, 21, 10] for s in
               resampled(batch.states, 1, 50))  # fmt: skip


def test_while_trends_are_kept_all_three_of_the_others_are_hidden():
    env = pictura_v0.raw_env(num_players=3)
    env.reset(seed=1)
    env.step(252)
    state = env.table.states[0]
    first, second = int(state["first_seat"]), int(state["seat"])
    third = 3 - first - second
    own = set(state["dealt_trends"][second].tolist())
    unseen = set(range(30)) - own - {int(state["public_trend"]), *state["museum_trends"].tolist()}
    found: Counter[int] = Counter()
    kept: Counter[int] = Counter()
    draws = 4000
    for other in resampled(env.table.states, second, draws):
        dealt = other["dealt_trends"]
        assert other["secret_trend"][first] in dealt[first]
        assert other["secret_trend"][third] == other["secret_trend"][second] == NOTHING
        assert set(dealt[second].tolist()) == own
        assert len({*dealt[first].tolist(), *dealt[third].tolist(), *in_deck(other, "trend")}) == 6 + 16
        found.update(dealt[third].tolist())
        kept[int(other["secret_trend"][first])] += 1
    assert set(found) == set(kept) == unseen
    for counts, mean in ((found, draws * 3 / 22), (kept, draws / 22)):
        assert all(abs(count - mean) < 5 * mean**0.5 for count in counts.values())


def test_patrons_in_the_deck_are_shuffled():
    parts = {**FEW, "claimed": [range(8, 30), range(30, 60)], "patron_deck": [5, 6, 7]}
    batch = position(hands=[[1], [2]], **parts, **NO_FAVORS, **ONE_TREND_UNSEEN)
    found = Counter(tuple(in_deck(s, "patron")) for s in resampled(batch.states))
    assert_uniform(found, Counter(itertools.permutations([5, 6, 7])))


def test_the_sorts_of_cards_are_dealt_independently():
    parts = {**FEW, "claimed": [range(7, 30), range(30, 60)], "patron_deck": [5, 6]}
    batch = position(
        hands=[[1], [2]], deck=[3], favors=[[0], [1]], favor_deck=[2], trend_deck=[9], secret=[20, 21], **parts
    )
    found = Counter(hidden_part(state, 0) for state in resampled(batch.states))
    assert_uniform(found, Counter(dict.fromkeys(found, 1)))
    assert len(found) == 2**4


# --- What is kept, and what must not be looked at --------------------------------------------------------------------

HIDDEN_FIELDS = {
    "where",
    "painting_deck",
    "secret_trend",
    "dealt_trends",
    "trend_deck",
    "favors",
    "favor_deck",
    "patron_deck",
    "random",
    "game_seed",
    # Where a deck begins in its array, and the orders that the last action's chance steps gave decks made anew.
    "painting_next",
    "trend_next",
    "favor_next",
    "patron_next",
    "made_anew",
    "anew_sizes",
    "anew_orders",
}
"""All other fields are public and stay as they are."""

GAMES = [
    {"num_players": 2},
    {"num_players": 3, "cards": "short"},
    {"num_players": 4, "cards": "many", "max_rounds": 3},
    {"num_players": 2, "cards": "long", "max_rounds": 24, "exhibits_per_action": 1, "rearrange_limit": 1},
]


@pytest.mark.parametrize("options", GAMES, ids=lambda options: "-".join(map(str, options.values())))
def test_in_random_games_resampled_states_are_possible_and_keep_the_public_facts(options, tmp_path):
    if "cards" in options:
        options = {**options, "cards": written(tmp_path / "cards.toml", FILES[options["cards"]])}
    env = pictura_v0.raw_env(**options)
    players = options["num_players"]
    rng = np.random.default_rng(players)
    env.reset(seed=players)
    step = 0
    while env.legal_actions():
        state = env.table.states[0]
        for seat in range(players) if step < players or step % 16 == 0 else ():
            other = env.table.states.copy()
            resample_hidden(other[0], seat, np.uint64(step + 1))
            assert_possible(other[0])
            for name in STATE.names:
                if name not in HIDDEN_FIELDS:
                    assert np.array_equal(other[0][name], state[name]), name
            for name in ("secret_trend", "dealt_trends", "favors"):
                assert np.array_equal(other[0][name][seat], state[name][seat]), name
            for place in range(1, 18):
                if place not in range(1, 1 + players) or place == 1 + seat:
                    assert np.array_equal(other[0]["where"] == place, state["where"] == place), place
            assert other[0]["random"] != state["random"]
            assert other[0]["game_seed"] != state["game_seed"]
        env.step(int(rng.choice(env.legal_actions())))
        step += 1


def test_two_states_that_are_alike_to_a_seat_are_resampled_alike():
    parts: dict[str, Any] = {"public_trend": 3, "museum_trends": [0, 1, 2, 4]}
    one = position(
        hands=[[1, 2], [3, 4]], favors=[[0], [1, 2]], secret=[20, 21], options={"num_players": 2}, **parts
    ).states
    two = position(
        hands=[[1, 2], [7, 90]], favors=[[0], [5, 5]], secret=[20, 12], options={"num_players": 2}, **parts
    ).states
    two[0]["dealt_trends"][0] = one[0]["dealt_trends"][0]
    if 12 in one[0]["dealt_trends"][0]:
        raise AssertionError("the other cannot keep a trend that this seat was dealt")
    for stem in ("painting", "trend", "favor", "patron"):
        left = int(two[0][f"{stem}_left"])
        start = int(two[0][f"{stem}_next"])
        two[0][f"{stem}_deck"][start : start + left] = two[0][f"{stem}_deck"][start : start + left][::-1].copy()
        # Of the cards drawn so far nothing is known either, nor how many there were.
        two[0][f"{stem}_deck"][:start] = 1
        if start > 0:
            two[0][f"{stem}_deck"] = np.roll(two[0][f"{stem}_deck"], -1)
            two[0][f"{stem}_next"] = start - 1
    two[0]["made_anew"][0], two[0]["anew_sizes"][0], two[0]["anew_orders"][0, :3] = 2, 3, (4, 5, 6)
    two[0]["random"], two[0]["game_seed"] = 5, 6
    assert one.tobytes() != two.tobytes()
    for states in (one, two):
        resample_hidden(states[0], 0, np.uint64(9))
    assert one.tobytes() == two.tobytes()


def test_no_trace_of_the_choice_of_trends_is_left():
    """Which of its three a seat has kept, and which two it gave back, is seen by itself alone."""
    results = set()
    for kept in (251, 252, 253):
        env = pictura_v0.raw_env()
        env.reset(seed=4)
        env.step(kept)
        assert env.table.states[0]["phase"] == KEEPING_TREND
        results.add(env.table.resample_hidden(int(env.table.seat[0]), 1).states.tobytes())
    assert len(results) == 1


def test_resampling_answers_to_seat_and_seed():
    batch = pictura_v0.batch_env(2, num_players=3)
    batch.reset(seed=1)
    same = batch.resample_hidden(1, 5)
    assert same.states.tobytes() == batch.resample_hidden([1, 1], 5).states.tobytes()
    assert same.states.tobytes() != batch.resample_hidden(1, 6).states.tobytes()
    assert same.states[0].tobytes() != batch.resample_hidden(0, 5).states[0].tobytes()
