"""Resample all that a seat cannot know: other hands, favors and secret trends, and all deck orders.

Unseen cards of each sort are dealt anew, uniformly: hand and deck sizes are public, and every question that a seat may
be asked can be answered from any hand of its size.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import random_word, shuffle
from pictura_env.rules import forget_decks_made_anew
from pictura_env.state import (
    DEALT_TRENDS,
    IN_DECK,
    IN_HAND,
    KEEPING_TREND,
    MUSEUMS,
    NOTHING,
    OVER,
    PAINTINGS,
    PATRON_IN_DECK,
    PATRONS,
    TRENDS,
)


@compiled(allocates=True)
def resample_hidden(state: np.void, seat: int, word: np.uint64) -> None:
    """Replace everything that ``seat`` cannot know: cards, deck orders, the generator, the game's seed.

    A function of what the seat knows and of ``word`` alone.

    Args:
        state: One state; changed in place.
        seat: The seat whose knowledge is kept.
        word: uint64, where the randomness comes from.
    """
    state["random"] = word
    forget_decks_made_anew(state)
    cards = np.empty(PAINTINGS, np.uint8)
    deal_paintings(state, seat, cards)
    deal_trends(state, seat, cards)
    deal_favors(state, seat, cards)
    shuffle_patrons(state, cards)
    state["game_seed"] = random_word(state)


@compiled
def lay_deck(deck: np.ndarray, left: int, cards: np.ndarray, first: int) -> None:
    """Let a deck hold the cards from ``first`` on and begin with them; of what has been drawn nothing remains."""
    fill(deck, 0)
    for place in range(left):
        deck[place] = cards[first + place]


@compiled
def deal_paintings(state: np.void, seat: int, cards: np.ndarray) -> None:
    """Deal the paintings of the other hands and the deck anew."""
    count = 0
    for painting in range(PAINTINGS):
        where = int64(state["where"][painting])
        in_a_hand = where >= IN_HAND and where < IN_HAND + int64(state["num_players"])
        if where == IN_DECK or (in_a_hand and where != IN_HAND + seat):
            cards[count] = painting
            count += 1
    shuffle(state, cards, count)
    place = 0
    for other in range(int64(state["num_players"])):
        if other != seat:
            for _ in range(int64(state["hand_sizes"][other])):
                state["where"][cards[place]] = IN_HAND + other
                place += 1
    for left in range(place, count):
        state["where"][cards[left]] = IN_DECK
    state["painting_next"] = 0
    lay_deck(state["painting_deck"], int64(state["painting_left"]), cards, place)


@compiled
def is_unseen_trend(state: np.void, seat: int, trend: int) -> bool:
    """Whether a trend is neither public nor known to the seat to be somebody's own."""
    if trend == state["public_trend"] or state["used_trends"][trend]:
        return False
    for museum in range(MUSEUMS):
        if trend == state["museum_trends"][museum]:
            return False
    for other in range(int64(state["num_players"])):
        # Secret trends are shown at the end.
        if (other == seat or state["phase"] == OVER) and trend == state["secret_trend"][other]:
            return False
    return True


@compiled
def is_dealt_to(state: np.void, seat: int, trend: int) -> bool:
    """Whether a trend is one of the three dealt to a seat: nobody else can have kept it."""
    for dealt in range(DEALT_TRENDS):
        if state["dealt_trends"][seat, dealt] == trend:
            return True
    return False


@compiled
def deal_trends(state: np.void, seat: int, cards: np.ndarray) -> None:
    """Deal the trends that others were dealt, those that they kept, and the deck anew."""
    num_players = int64(state["num_players"])
    count = 0
    for trend in range(TRENDS):
        if is_unseen_trend(state, seat, trend) and not is_dealt_to(state, seat, trend):
            cards[count] = trend
            count += 1
    shuffle(state, cards, count)
    place = 0
    choosing = state["phase"] == KEEPING_TREND
    for other in range(num_players):
        if other != seat:
            has_kept = state["secret_trend"][other] != NOTHING
            # While trends are being kept, all three lie before their seat; later only the kept one is out of the deck.
            for dealt in range(DEALT_TRENDS):
                if dealt == 0 and state["phase"] == OVER:
                    state["dealt_trends"][other, dealt] = state["secret_trend"][other]
                elif choosing or dealt == 0:
                    state["dealt_trends"][other, dealt] = cards[place]
                    place += 1
                else:
                    state["dealt_trends"][other, dealt] = NOTHING
            if has_kept:
                state["secret_trend"][other] = state["dealt_trends"][other, 0]
    # The seat's own returned trends lie in the deck with the rest.
    rest = count
    if not choosing:
        for dealt in range(DEALT_TRENDS):
            trend = int64(state["dealt_trends"][seat, dealt])
            if is_unseen_trend(state, seat, trend):
                cards[rest] = trend
                rest += 1
        shuffle_from(state, cards, place, rest)
    state["trend_next"] = 0
    lay_deck(state["trend_deck"], int64(state["trend_left"]), cards, place)


@compiled
def shuffle_from(state: np.void, cards: np.ndarray, first: int, end: int) -> None:
    """Put the cards from ``first`` to before ``end`` into random order."""
    shuffle(state, cards[first:end], end - first)


@compiled
def deal_favors(state: np.void, seat: int, cards: np.ndarray) -> None:
    """Deal the favors of the others and the deck anew."""
    count = 0
    for favor in range(int64(state["favor_types"])):
        seen = int64(state["favors"][seat, favor]) + int64(state["used_favors"][favor])
        for _ in range(int64(state["favor_copies"][favor]) - seen):
            cards[count] = favor
            count += 1
    shuffle(state, cards, count)
    place = 0
    for other in range(int64(state["num_players"])):
        if other != seat:
            fill(state["favors"][other], 0)
            for _ in range(int64(state["favors_held"][other])):
                state["favors"][other, cards[place]] += 1
                place += 1
    state["favor_next"] = 0
    lay_deck(state["favor_deck"], int64(state["favor_left"]), cards, place)


@compiled
def shuffle_patrons(state: np.void, cards: np.ndarray) -> None:
    """Shuffle the patron deck anew; which patrons it holds is public."""
    count = 0
    for patron in range(PATRONS):
        if state["patron_where"][patron] == PATRON_IN_DECK:
            cards[count] = patron
            count += 1
    shuffle(state, cards, count)
    state["patron_next"] = 0
    lay_deck(state["patron_deck"], int64(state["patron_left"]), cards, 0)
