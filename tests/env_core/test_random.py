"""Protects the random generator: SplitMix64 as published, uniform draws, streams that hang on seed and row alone."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from env_core import random
from env_core.random import RANDOM_ONLY


def generator(word=0):
    state = np.zeros(1, RANDOM_ONLY)
    state["random"] = word
    return state[0]


# The first outputs of SplitMix64, as the authors' C program gives them for these seeds.
REFERENCE = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
    1234567: [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821],
}


@pytest.mark.parametrize("seed", REFERENCE)
def test_splitmix64_gives_the_published_numbers(seed):
    state = generator(seed)
    assert [int(random.random_word(state)) for _ in range(5)] == REFERENCE[seed]


def splitmix64_in_integers(word):
    """The generator once more, in Python's integers."""
    word = (word + 0x9E3779B97F4A7C15) % 2**64
    mixed = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) % 2**64
    mixed = ((mixed ^ mixed >> 27) * 0x94D049BB133111EB) % 2**64
    return word, mixed ^ mixed >> 31


def test_splitmix64_at_the_edges_of_the_word():
    for start in (2**64 - 1, 2**63, 2**63 - 1, 0x61C8864680B583EB):
        state, word = generator(start), start
        for _ in range(20):
            word, expected = splitmix64_in_integers(word)
            assert int(random.random_word(state)) == expected
        assert int(state["random"]) == word


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 50, 60, 1000])
def test_random_below_is_uniform(bound):
    state, draws = generator(bound), 200 * bound
    counts = Counter(int(random.random_below(state, bound)) for _ in range(draws))
    assert set(counts) == set(range(bound))
    statistic = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert statistic < bound + 5 * (2 * bound) ** 0.5


def test_random_below_rejects_what_would_be_biased():
    """With a bound of 3 * 2**29 a multiplication without rejection would hit every third number a third less often."""
    bound = 3 * 2**29
    state = generator(5)
    thirds = Counter(int(random.random_below(state, bound)) % 3 for _ in range(30_000))
    assert max(thirds.values()) - min(thirds.values()) < 600


def test_random_below_is_right_up_to_the_greatest_bound():
    state = generator(9)
    drawn = [int(random.random_below(state, 2**31)) for _ in range(1000)]
    assert all(0 <= number < 2**31 for number in drawn)
    assert max(drawn) > 0.99 * 2**31
    assert min(drawn) < 0.01 * 2**31


def test_random_fraction_is_in_the_unit_interval():
    state = generator(3)
    drawn = np.array([random.random_fraction(state) for _ in range(10_000)])
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert abs(drawn.mean() - 0.5) < 0.02


def test_shuffle_is_uniform_and_leaves_the_rest():
    counts = Counter()
    state = generator(1)
    for _ in range(12_000):
        cards = np.arange(6, dtype=np.uint8)
        random.shuffle(state, cards, 4)
        assert cards[4:].tolist() == [4, 5]
        counts[tuple(cards[:4].tolist())] += 1
    assert len(counts) == 24
    assert sum((count - 500) ** 2 / 500 for count in counts.values()) < 24 + 5 * 48**0.5


def test_drawn_action_is_uniform_among_the_legal():
    mask = np.array([0, 1, 0, 1, 1, 0], dtype=np.int8)
    state = generator(1)
    counts = Counter(int(random.drawn_action(state, mask)) for _ in range(6000))
    assert set(counts) == {1, 3, 4}
    assert max(counts.values()) - min(counts.values()) < 250
    assert random.drawn_action(state, np.zeros(4, np.int8)) == -1


def test_sample_legal_of_a_row_hangs_on_seed_and_row_alone():
    masks = np.ones((50, 40), dtype=np.int8)
    few, many = np.empty(10, np.int64), np.empty(50, np.int64)
    random.sample_legal(masks[:10], np.uint64(4), few)
    random.sample_legal(masks, np.uint64(4), many)
    assert few.tolist() == many[:10].tolist()
    assert len(set(many.tolist())) > 20, "rows draw apart"


def test_first_game_seeds_are_numpys_spawned_streams():
    seeds = random.first_game_seeds(7, 5)
    children = np.random.SeedSequence(7).spawn(5)
    assert seeds.tolist() == [int(child.generate_state(1, np.uint64)[0]) for child in children]
    assert random.first_game_seeds(7, 2).tolist() == seeds[:2].tolist(), "whatever the number of rows"
    with pytest.raises(ValueError, match="read-only"):
        seeds[0] = 1


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1, np.int64(3), np.uint64(2**63 - 1), np.uint8(4)])
def test_seeds_that_are_taken(seed):
    assert random.checked_seed(seed) == int(seed)
    assert type(random.checked_seed(seed)) is int


@pytest.mark.parametrize(
    ("seed", "error"),
    [
        (-1, ValueError),
        (2**63, ValueError),
        (np.uint64(2**63), ValueError),
        (True, TypeError),
        (np.True_, TypeError),
        (1.0, TypeError),
        ("1", TypeError),
        ([1], TypeError),
        (np.array([1, 2]), TypeError),
    ],
)
def test_seeds_that_are_refused(seed, error):
    with pytest.raises(error, match=r"seed must be an integer from 0 to 2\*\*63 - 1"):
        random.checked_seed(seed)
