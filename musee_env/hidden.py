"""Resample all that a seat cannot know.

Unseen cards are dealt anew, uniformly among the deals that the present public facts allow:

- a player who is out held, when going out, no card that fits; a card given later by the partner is free;
- a player who is being asked for a placement holds at least one card that fits.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import random_fraction, random_word, shuffle
from musee_env.rules import can_place, fits_somewhere, museum_of, take_into_hand
from musee_env.state import EMPTY, GALLERIES, MAX_PAINTINGS, MAX_PLAYERS, NOBODY, PLACING


@compiled(allocates=True)
def resample_hidden(state: np.void, seat: int, word: np.uint64) -> None:
    """Replace everything that ``seat`` cannot know: other hands, the deck, the generator, the game's seed.

    A function of what the seat knows and of ``word`` alone.

    Args:
        state: One state; changed in place.
        seat: The seat whose knowledge is kept.
        word: uint64, where the randomness comes from.
    """
    state["random"] = word
    unseen = np.empty(MAX_PAINTINGS, np.uint8)
    dealt = np.empty(MAX_PAINTINGS, np.uint8)
    count = collect_unseen(state, seat, unseen)
    while True:
        for place in range(count):
            dealt[place] = unseen[place]
        deal_unseen(state, seat, dealt, count)
        asked = int64(state["seat"])
        # Drawing again until the player who is being asked can place keeps all allowed deals equally likely.
        if asked == NOBODY or asked == seat or state["phase"] != PLACING or can_place(state, asked):
            break
    state["game_seed"] = random_word(state)


@compiled(allocates=True)
def collect_unseen(state: np.void, seat: int, unseen: np.ndarray) -> int:
    """List, ascending, the cards that the seat does not see; return how many there are."""
    seen = np.zeros(MAX_PAINTINGS + 1, np.uint8)
    for side in range(int64(state["num_sides"])):
        for gallery in range(GALLERIES):
            for column in range(int64(state["columns"])):
                seen[state["museums"][side, gallery, column]] = 1
    for slot in range(int64(state["hand_sizes"][seat])):
        seen[state["hands"][seat, slot]] = 1
    count = 0
    for card in range(1, int64(state["paintings"]) + 1):
        if not seen[card]:
            unseen[count] = card
            count += 1
    return count


@compiled(allocates=True)
def deal_unseen(state: np.void, seat: int, cards: np.ndarray, count: int) -> None:
    """Deal the unseen cards to the other hands and the deck; ``cards`` is used up."""
    num_players = int64(state["num_players"])
    bound = np.zeros(MAX_PLAYERS, np.int64)  # per seat: cards that must not fit
    bound_of_museum = np.zeros(MAX_PLAYERS, np.int64)
    for other in range(num_players):
        if other != seat and state["out"][other]:
            bound[other] = int64(state["hand_sizes"][other]) - int64(state["given_when_out"][other])
            bound_of_museum[museum_of(state, other)] += bound[other]
    # At most two museums have bound cards: three players have two others, four players two museums.
    first = int64(NOBODY)
    second = int64(NOBODY)
    for museum in range(int64(state["num_sides"])):
        if bound_of_museum[museum] > 0:
            if first == NOBODY:
                first = museum
            else:
                second = museum
    first_count = bound_of_museum[first] if first != NOBODY else 0
    second_count = bound_of_museum[second] if second != NOBODY else 0
    choose_bound_cards(state, cards, count, first, first_count, second, second_count)
    # cards: first museum's bound cards, second museum's, then all that is free, each part in random order.
    next_first = 0
    next_second = first_count
    next_free = first_count + second_count
    for other in range(num_players):
        if other == seat:
            continue
        hand_size = int64(state["hand_sizes"][other])
        fill(state["hands"][other], EMPTY)
        state["hand_sizes"][other] = 0
        for held in range(hand_size):
            if held >= bound[other]:
                card = int64(cards[next_free])
                next_free += 1
            elif museum_of(state, other) == first:
                card = int64(cards[next_first])
                next_first += 1
            else:
                card = int64(cards[next_second])
                next_second += 1
            take_into_hand(state, other, card)
    deck_next = int64(state["deck_next"])
    for place in range(deck_next):
        state["deck"][place] = EMPTY
    for place in range(int64(state["deck_size"])):
        state["deck"][deck_next + place] = cards[next_free + place]


@compiled(allocates=True)
def choose_bound_cards(
    state: np.void, cards: np.ndarray, count: int, first: int, first_count: int, second: int, second_count: int
) -> None:
    """Order the cards: those for the first museum's stuck players, those for the second's, the free ones.

    Both choices together are uniform: how many of the first museum's cards could have served the second as well is
    drawn in proportion to the number of choices.
    """
    shuffle(state, cards, count)
    if first_count + second_count == 0:
        return
    # Classes: 0 fits both museums, 1 fits only the second, 2 fits only the first, 3 fits neither.
    classes = np.zeros(MAX_PAINTINGS + 1, np.int64)
    sizes = np.zeros(4, np.int64)
    for place in range(count):
        card = int64(cards[place])
        if first != NOBODY and not fits_somewhere(state, first, card):
            classes[card] += 1
        if second != NOBODY and not fits_somewhere(state, second, card):
            classes[card] += 2
        sizes[classes[card]] += 1
    total = 0.0
    for both in range(first_count + 1):
        total += number_of_choices(sizes, first_count, second_count, both)
    left = random_fraction(state) * total
    from_both = first_count
    for both in range(first_count + 1):
        choices = number_of_choices(sizes, first_count, second_count, both)
        if choices > 0.0:
            from_both = both
            left -= choices
            if left < 0.0:
                break
    bring_forward(cards, classes, 1, 1, 0, first_count - from_both)
    bring_forward(cards, classes, 3, 3, first_count - from_both, from_both)
    # What a choice leaves behind is no longer in random order: what fits has moved forward.
    free = cards[first_count:]
    shuffle(state, free, count - first_count)
    bring_forward(cards, classes, 2, 3, first_count, second_count)
    shuffle(state, cards, first_count)
    shuffle(state, free, second_count)
    shuffle(state, free[second_count:], count - first_count - second_count)


@compiled
def bring_forward(
    cards: np.ndarray, classes: np.ndarray, one_class: int, other_class: int, start: int, wanted: int
) -> None:
    """Move the next ``wanted`` cards of two classes from behind ``start`` to ``start`` and on."""
    place = start
    for _ in range(wanted):
        found = place
        while classes[cards[found]] != one_class and classes[cards[found]] != other_class:
            found += 1
        cards[place], cards[found] = cards[found], cards[place]
        place += 1


@compiled
def number_of_choices(sizes: np.ndarray, first_count: int, second_count: int, both: int) -> float:
    """In how many ways the bound cards can be chosen with ``both`` of the first's among those that fit neither."""
    return (
        binomial(sizes[1], first_count - both)
        * binomial(sizes[3], both)
        * binomial(sizes[2] + sizes[3] - both, second_count)
    )


@compiled
def binomial(n: int, k: int) -> float:
    """Number of ways to choose k of n, as float64; 0 where there is none."""
    if k < 0 or k > n:
        return 0.0
    ways = 1.0
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways
