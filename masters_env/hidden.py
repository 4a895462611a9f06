"""Resample all that a seat cannot know.

Unseen cards are dealt anew to the other hands, the others' face-down cards and hidden choices, and the deck, uniformly
among the deals in which the seat that is being asked holds a card that it may play.
"""

from __future__ import annotations

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.compile import compiled
from env_core.random import random_word, shuffle
from masters_env.rules import has_card_of, may_add_a_card
from masters_env.state import CARD_TYPES, CARDS, COPIES, EXTRA_CARD, NOTHING, SECOND_UP


@compiled(allocates=True)
def resample_hidden(state: np.void, seat: int, word: np.uint64) -> None:
    """Replace everything that ``seat`` cannot know: cards, the deck, the generator, the game's seed.

    A function of what the seat knows and of ``word`` alone.

    Args:
        state: One state; changed in place.
        seat: The seat whose knowledge is kept.
        word: uint64, where the randomness comes from.
    """
    state["random"] = word
    unseen = np.empty(CARDS, np.uint8)
    dealt = np.empty(CARDS, np.uint8)
    count = collect_unseen(state, seat, unseen)
    while True:
        for place in range(count):
            dealt[place] = unseen[place]
        shuffle(state, dealt, count)
        deal_unseen(state, seat, dealt)
        # Drawing again until the seat that is asked has what it is asked for keeps all allowed deals equally likely.
        if state["seat"] == seat or holds_what_is_asked(state):
            break
    state["game_seed"] = random_word(state)


@compiled
def collect_unseen(state: np.void, seat: int, unseen: np.ndarray) -> int:
    """List, ascending, the cards that the seat does not see; return how many there are."""
    count = 0
    for card in range(CARD_TYPES):
        seen = int64(state["on_table"][card]) + int64(state["gone"][card])
        seen += int64(state["hands"][seat, card]) + int64(state["face_down"][seat, card])
        if state["choice"][seat] == card:
            seen += 1
        for _ in range(int64(COPIES[card]) - seen):
            unseen[count] = card
            count += 1
    return count


@compiled
def deal_unseen(state: np.void, seat: int, cards: np.ndarray) -> None:
    """Deal shuffled unseen cards to the others and the deck."""
    place = 0
    for other in range(int64(state["num_players"])):
        if other == seat:
            continue
        fill(state["hands"][other], 0)
        for _ in range(int64(state["hand_sizes"][other])):
            state["hands"][other, cards[place]] += 1
            place += 1
        fill(state["face_down"][other], 0)
        for _ in range(int64(state["face_down_counts"][other])):
            state["face_down"][other, cards[place]] += 1
            place += 1
        if state["choice"][other] != NOTHING:
            state["choice"][other] = cards[place]
            place += 1
    for drawn in range(int64(state["deck_next"])):
        state["deck"][drawn] = 0
    for left in range(int64(state["deck_size"])):
        state["deck"][int64(state["deck_next"]) + left] = cards[place + left]


@compiled
def holds_what_is_asked(state: np.void) -> bool:
    """Whether the seat to move holds a card that the phase asks for: nobody is asked who can only decline."""
    asked = int64(state["seat"])
    if state["phase"] == SECOND_UP:
        return has_card_of(state, asked, int64(state["played_artist"]))
    if state["phase"] == EXTRA_CARD:
        return may_add_a_card(state, asked)
    return True
