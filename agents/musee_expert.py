"""A rule-of-thumb player of Musée that keeps room for the numbers to come.

It weighs every legal placement by the museum that it leaves, and looks at nothing but its observation:

- points scored so far, bonus cards included;
- room: each run of empty spaces lies between two numbers. How many of the numbers between them can still be expected
  (those in hand, and of the unseen ones the share that will come to this side), divided among the galleries that could
  take them, tells how many of its spaces will be filled. Painting 14 belongs near 14/50 of the way along a gallery,
  because elsewhere one side of it gets more numbers than it has spaces;
- themes: an empty space beside a painting, or across a staircase from one, is worth the pair that it may yet bring, by
  how many numbers of that theme can still be expected there;
- bonus cards that nobody has: worth more the likelier the gallery is to be filled, and the further ahead of the others.

A loss for cards in hand that fit nowhere any more was tried and changed nothing: room says it already.
"""

# Compiled code: hints say int where plain Python has NumPy's integers too; the types that count are Numba's.
# mypy: disable-error-code="arg-type, assignment, return-value"

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from musee_env.observation import DECK_BITS, features
from musee_env.state import (
    CARDS_LEFT_IN_DECK,
    GALLERIES,
    MAX_COLUMNS,
    MAX_HAND,
    MAX_PAINTINGS,
    POINTS_PER_BONUS_CARD,
    POINTS_PER_PAINTING,
    POINTS_PER_STAIRCASE,
    POINTS_PER_THEME_PAIR,
    THEMES,
    TOKEN_ROWS,
)


class Weights(NamedTuple):
    """What the expert's considerations count, in points where not said otherwise; found by experiments.

    Attributes:
        space: An empty space that will be filled.
        hand_card: Weight of a card in hand among the numbers to come, where one that is certain to come counts 1.
        theme: Factor of the points that a theme may yet bring.
        theme_supply: How fast the hope for a theme grows with the numbers of it that can be expected.
        theme_window: How far, in spaces, a number may lie from its place in a run to count for a space.
        bonus: Factor of a bonus card's points that may yet come.
        race: How strongly the chance of a bonus card falls with each space that this side is behind the nearest other.
    """

    space: float = 1.75
    hand_card: float = 1.4
    theme: float = 0.65
    theme_supply: float = 0.5
    theme_window: float = 0.55
    bonus: float = 1.3
    race: float = 1.0


# Places in Weights, for compiled code.
SPACE, HAND_CARD, THEME, THEME_SUPPLY, THEME_WINDOW, BONUS, RACE = range(7)


class Layout(NamedTuple):
    """Where the kernel finds things in an observation: first columns, and sizes."""

    players: int
    sides: int
    columns: int
    paintings: int
    hand_limit: int
    side_size: int
    numbers: int
    bonus_cards: int
    staircases: int
    hand: int
    hand_sizes: int
    out: int
    deck_size: int
    last_card_decision: int


# Places in Layout, for compiled code.
PLAYERS, SIDES, COLUMNS, PAINTINGS, HAND_LIMIT, SIDE_SIZE, NUMBERS = range(7)
BONUS_CARDS, STAIRCASES, HAND, HAND_SIZES, OUT, DECK_SIZE, LAST_CARD_DECISION = range(7, 14)


class MuseeExpert:
    """Plays Musée with 2, 3 or 4 players by rules of thumb; see the module.

    Args:
        weights: What its considerations count.
    """

    needs_states = False

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = Weights() if weights is None else weights

    def __call__(
        self, observation: np.ndarray, action_mask: np.ndarray, seats: np.ndarray, rng: np.random.Generator
    ) -> np.ndarray:
        """Choose an action in each position; see ``env_core.policies.Policy``.

        Raises:
            ValueError: The observations are not Musée's.
        """
        actions = np.empty(len(observation), dtype=np.int64)
        choose(
            np.ascontiguousarray(observation),
            np.ascontiguousarray(action_mask),
            np.array(layout(observation.shape[1]), dtype=np.int64),
            np.array(self.weights, dtype=np.float64),
            actions,
        )
        return actions

    def __repr__(self) -> str:
        return "MuseeExpert()" if self.weights == Weights() else f"MuseeExpert({self.weights})"


@functools.cache
def layout(observation_size: int) -> Layout:
    """Where things stand in an observation of this size, which tells the number of players.

    Raises:
        ValueError: Musée has no observation of this size.
    """
    for players in (2, 3, 4):
        table = features(players)
        if table.size != observation_size:
            continue
        museum = table["museum_0_themes"]
        return Layout(
            players=players,
            sides=2 if players == 4 else players,
            columns=museum.shape[1],
            paintings=table["museum_0_paintings"].shape[1],
            hand_limit=table["hand"].shape[0],
            side_size=table["museum_1_themes"].start - museum.start,
            numbers=table["museum_0_paintings"].start,
            bonus_cards=table["museum_0_bonus_cards"].start,
            staircases=table["staircases"].start,
            hand=table["hand"].start,
            hand_sizes=table["hand_sizes"].start,
            out=table["out"].start,
            deck_size=table["deck_size"].start,
            last_card_decision=table["last_card_decision"].start if players == 4 else -1,
        )
    raise ValueError(f"the expert plays Musée; an observation of {observation_size} columns is not Musée's.")


@compiled(allocates=True)
def choose(
    observations: np.ndarray, action_masks: np.ndarray, where: np.ndarray, weights: np.ndarray, actions: np.ndarray
) -> None:
    """Choose an action in each position.

    Args:
        observations: int8 (n, F).
        action_masks: int8 (n, A).
        where: int64, a ``Layout``.
        weights: float64, ``Weights``.
        actions: int64 (n,); written.
    """
    museum = np.zeros((GALLERIES, MAX_COLUMNS), np.int64)
    expected = np.zeros(MAX_PAINTINGS + 1, np.float64)
    hand = np.zeros(MAX_HAND, np.int64)
    staircases = np.zeros((TOKEN_ROWS, MAX_COLUMNS), np.int64)
    missing = np.zeros((2, GALLERIES), np.int64)  # spaces that the nearest other museum lacks; 1 if the bonus is left
    scratch = np.zeros((2, MAX_PAINTINGS + 2), np.float64)
    columns, paintings = where[COLUMNS], where[PAINTINGS]
    keep = where[HAND_LIMIT] * GALLERIES * columns
    for row in range(len(actions)):
        observation = observations[row]
        read_museum(observation, where, museum)
        read_others(observation, where, missing)
        for token in range(TOKEN_ROWS * columns):
            staircases[token // columns, token % columns] = observation[where[STAIRCASES] + token]
        hand_size = read_hand(observation, where, hand)
        expect_numbers(observation, where, museum, hand, hand_size, weights, expected)
        if where[LAST_CARD_DECISION] >= 0 and observation[where[LAST_CARD_DECISION]]:
            actions[row] = keep + gives_last_card(observation, where, museum, hand, hand_size)
            continue
        best = -np.inf
        for action in range(keep):
            if not action_masks[row, action]:
                continue
            slot = action // (GALLERIES * columns)
            gallery = action // columns % GALLERIES
            column = action % columns
            card = hand[slot]
            museum[gallery, column] = card
            held = expected[card]
            expected[card] = 0.0
            value = worth(museum, columns, paintings, staircases, missing, expected, weights, scratch)
            museum[gallery, column] = 0
            expected[card] = held
            if value > best:
                best = value
                actions[row] = action


@compiled
def read_museum(observation: np.ndarray, where: np.ndarray, museum: np.ndarray) -> None:
    """The own museum's numbers, 0 in an empty space; in a gallery they rise from left to right."""
    columns, paintings, numbers = where[COLUMNS], where[PAINTINGS], where[NUMBERS]
    for gallery in range(GALLERIES):
        number = 0
        for column in range(columns):
            filled = False
            for theme in range(THEMES):
                filled |= observation[(gallery * columns + column) * THEMES + theme] == 1
            museum[gallery, column] = 0
            if filled:
                while not observation[numbers + gallery * paintings + number]:
                    number += 1
                number += 1
                museum[gallery, column] = number


@compiled
def read_others(observation: np.ndarray, where: np.ndarray, missing: np.ndarray) -> None:
    """Per gallery: how many spaces the nearest other museum lacks, and whether the bonus card is still there."""
    sides, columns, paintings = where[SIDES], where[COLUMNS], where[PAINTINGS]
    for gallery in range(GALLERIES):
        missing[0, gallery] = columns
        missing[1, gallery] = 1
        for side in range(sides):
            offset = side * where[SIDE_SIZE]
            if observation[offset + where[BONUS_CARDS] + gallery]:
                missing[1, gallery] = 0
            if side > 0:
                lacking = columns
                for number in range(paintings):
                    lacking -= int64(observation[offset + where[NUMBERS] + gallery * paintings + number])
                missing[0, gallery] = min(missing[0, gallery], lacking)


@compiled
def read_hand(observation: np.ndarray, where: np.ndarray, hand: np.ndarray) -> int:
    """The own hand, lowest first; returns its size."""
    paintings = where[PAINTINGS]
    size = 0
    fill(hand, 0)
    for slot in range(where[HAND_LIMIT]):
        for number in range(paintings):
            if observation[where[HAND] + slot * paintings + number]:
                hand[slot] = number + 1
                size += 1
    return size


@compiled
def expect_numbers(
    observation: np.ndarray,
    where: np.ndarray,
    museum: np.ndarray,
    hand: np.ndarray,
    hand_size: int,
    weights: np.ndarray,
    expected: np.ndarray,
) -> None:
    """How many of each number can be expected: the hand's weight in hand, 0 once hung, else the share to come."""
    players, sides, columns, paintings = where[PLAYERS], where[SIDES], where[COLUMNS], where[PAINTINGS]
    unseen = paintings
    for number in range(1, paintings + 1):
        expected[number] = 1.0
    for side in range(sides):
        for gallery in range(GALLERIES):
            start = side * where[SIDE_SIZE] + where[NUMBERS] + gallery * paintings
            for number in range(paintings):
                if observation[start + number]:
                    expected[number + 1] = 0.0
                    unseen -= 1
    for slot in range(hand_size):
        expected[hand[slot]] = 0.0
        unseen -= 1
    deck = 0
    for bit in range(DECK_BITS):
        deck += int64(observation[where[DECK_SIZE] + bit]) << bit
    left_over = CARDS_LEFT_IN_DECK if players == 3 else 0
    draws = max(deck - left_over, 0) / sides
    empty = 0
    for gallery in range(GALLERIES):
        for column in range(columns):
            empty += museum[gallery, column] == 0
    coming = min(draws, float(empty))
    if players == 4 and not observation[where[OUT] + 2]:
        # The partner's cards hang in the same museum.
        for card in range(where[HAND_LIMIT]):
            coming += observation[where[HAND_SIZES] + 2 * where[HAND_LIMIT] + card]
    share = min(coming / max(unseen, 1), 1.0)
    for number in range(1, paintings + 1):
        expected[number] *= share
    for slot in range(hand_size):
        expected[hand[slot]] = weights[HAND_CARD]


@compiled
def gives_last_card(
    observation: np.ndarray, where: np.ndarray, museum: np.ndarray, hand: np.ndarray, hand_size: int
) -> int:
    """Four players: 1 to give the team's last card to the partner, 0 to keep it.

    A partner who is out cannot use it. Otherwise it goes to whoever is likely to be stuck first: give while the own
    hand has more cards that fit than the partner's can be expected to have.
    """
    if observation[where[OUT] + 2]:
        return 0
    columns, paintings = where[COLUMNS], where[PAINTINGS]
    own = 0
    for slot in range(hand_size):
        own += has_space(museum, columns, hand[slot])
    fitting = 0
    for number in range(1, paintings + 1):
        fitting += has_space(museum, columns, number)
    partner = 0
    for card in range(where[HAND_LIMIT]):
        partner += observation[where[HAND_SIZES] + 2 * where[HAND_LIMIT] + card]
    return int64(own > partner * fitting / paintings)


@compiled
def has_space(museum: np.ndarray, columns: int, card: int) -> int:
    """Whether a card fits anywhere, 0 or 1."""
    for gallery in range(GALLERIES):
        low = 0
        empty = 0
        for column in range(columns + 1):
            number = museum[gallery, column] if column < columns else MAX_PAINTINGS + 1
            if number == 0:
                empty += 1
            else:
                if empty > 0 and low < card < number:
                    return 1
                low = number
                empty = 0
    return 0


@compiled
def worth(
    museum: np.ndarray,
    columns: int,
    paintings: int,
    staircases: np.ndarray,
    missing: np.ndarray,
    expected: np.ndarray,
    weights: np.ndarray,
    scratch: np.ndarray,
) -> float:
    """What a museum is worth, in points: those it has, and those it may yet bring."""
    galleries_for, coming_up_to = scratch[0], scratch[1]
    count_galleries(museum, columns, paintings, galleries_for)
    # Two loops: the first one, without the sum, runs on several numbers at a time.
    for number in range(1, paintings + 1):
        coming_up_to[number] = expected[number] / max(galleries_for[number], 1.0)
    for number in range(1, paintings + 1):
        coming_up_to[number] += coming_up_to[number - 1]
    value = 0.0
    for gallery in range(GALLERIES):
        low = 0
        empty = 0
        lacking = 0
        full_chance = 1.0
        for column in range(columns + 1):
            number = museum[gallery, column] if column < columns else paintings + 1
            if number == 0:
                empty += 1
                continue
            if column < columns:
                value += POINTS_PER_PAINTING + pairs_of(museum, columns, staircases, gallery, column)
            if empty > 0:
                filled, chance = filled_spaces(coming_up_to[number - 1] - coming_up_to[low], empty)
                value += weights[SPACE] * filled
                full_chance *= chance
                lacking += empty
                step = (number - low) / empty
                for place in range(empty):
                    first = max(low + 1, int64(np.ceil(low + (place - weights[THEME_WINDOW]) * step)))
                    last = min(number - 1, int64(np.floor(low + (place + 1 + weights[THEME_WINDOW]) * step)))
                    space = column - empty + place
                    value += theme_hope(museum, columns, staircases, expected, weights, gallery, space, first, last)
            low = number
            empty = 0
        if missing[1, gallery]:
            if lacking == 0:
                value += POINTS_PER_BONUS_CARD
            else:
                ahead = 1.0 / (1.0 + np.exp(weights[RACE] * (lacking - missing[0, gallery])))
                value += weights[BONUS] * POINTS_PER_BONUS_CARD * full_chance * ahead
    return value


@compiled
def count_galleries(museum: np.ndarray, columns: int, paintings: int, galleries_for: np.ndarray) -> None:
    """Write for each number how many galleries have a space for it."""
    fill(galleries_for, 0)
    for gallery in range(GALLERIES):
        low = 0
        empty = 0
        for column in range(columns + 1):
            number = museum[gallery, column] if column < columns else paintings + 1
            if number == 0:
                empty += 1
                continue
            if empty > 0:
                # Where a run of numbers begins and ends; the sums below make counts of them.
                galleries_for[low + 1] += 1.0
                galleries_for[number] -= 1.0
            low = number
            empty = 0
    for number in range(1, paintings + 1):
        galleries_for[number] += galleries_for[number - 1]


@compiled
def pairs_of(museum: np.ndarray, columns: int, staircases: np.ndarray, gallery: int, column: int) -> int:
    """Points of the pairs that a painting makes with its right and its lower neighbour."""
    points = 0
    theme = museum[gallery, column] % THEMES
    if column + 1 < columns:
        other = museum[gallery, column + 1]
        if other and other % THEMES == theme:
            points += POINTS_PER_THEME_PAIR
    if gallery < TOKEN_ROWS and staircases[gallery, column]:
        other = museum[gallery + 1, column]
        if other and other % THEMES == theme:
            points += POINTS_PER_STAIRCASE
    return points


@compiled
def filled_spaces(coming: float, empty: int) -> tuple[float, float]:
    """How many of a run of empty spaces are filled, and the chance that all are, if numbers come by Poisson's law."""
    exactly = np.exp(-coming)
    fewer = 0.0
    filled = 0.0
    for count in range(empty):
        fewer += exactly
        exactly *= coming / (count + 1)
        filled += 1.0 - fewer
    return filled, 1.0 - fewer


@compiled
def theme_hope(
    museum: np.ndarray,
    columns: int,
    staircases: np.ndarray,
    expected: np.ndarray,
    weights: np.ndarray,
    gallery: int,
    column: int,
    first: int,
    last: int,
) -> float:
    """Points that an empty space may yet bring with its neighbours, for the likeliest theme.

    The numbers from ``first`` to ``last`` count for this space.
    """
    left = museum[gallery, column - 1] if column > 0 else 0
    right = museum[gallery, column + 1] if column + 1 < columns else 0
    upper = museum[gallery - 1, column] if gallery > 0 and staircases[gallery - 1, column] else 0
    lower = museum[gallery + 1, column] if gallery < TOKEN_ROWS and staircases[gallery, column] else 0
    best = 0.0
    for neighbour in (left, right, upper, lower):
        if neighbour == 0:
            continue
        theme = neighbour % THEMES
        points = 0
        points += POINTS_PER_THEME_PAIR * (left != 0 and left % THEMES == theme)
        points += POINTS_PER_THEME_PAIR * (right != 0 and right % THEMES == theme)
        points += POINTS_PER_STAIRCASE * (upper != 0 and upper % THEMES == theme)
        points += POINTS_PER_STAIRCASE * (lower != 0 and lower % THEMES == theme)
        supply = 0.0
        for number in range(first + (theme - first) % THEMES, last + 1, THEMES):
            supply += expected[number]
        best = max(best, points * (1.0 - np.exp(-weights[THEME_SUPPLY] * supply)))
    return weights[THEME] * best
