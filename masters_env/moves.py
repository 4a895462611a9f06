"""Masters Gallery in words: moves, setups and results, as game records have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from env_core.errors import IllegalActionError, SetupError
from env_core.words import checked_cards, checked_keys, checked_number, checked_rows, same_words
from masters_env import rules
from masters_env.state import (
    ACTIONS,
    ARTIST_NAMES,
    AWARD_ACTION,
    AWARDING,
    CARD_TYPES,
    CARDS,
    COPIES,
    DECLINE,
    EXTRA_CARD,
    FIRST_HAND,
    OVER,
    PHASE_NAMES,
    SECOND_UP,
    SYMBOL_NAMES,
    SYMBOLS,
)

SETUP_KEYS = ("first_seat", "hands", "deck")


def number_of_actions(state: np.void) -> int:
    """The size of the action space, whatever the options."""
    return ACTIONS


def describe(state: np.void, action: int) -> dict[str, Any]:
    """An action in words.

    Args:
        state: One state.
        action: Any integer.

    Returns:
        ``{"kind": "play", "artist": 2, "symbol": 3}`` (or ``second_up``, ``second_down``, ``simultaneous``, ``extra``),
        ``{"kind": "award", "artist": 4}``, ``{"kind": "decline"}``, or ``{"kind": "none", "action": action}`` for a
        number that means nothing now.
    """
    phase = int(state["phase"])
    if phase != OVER and action == DECLINE and rules.may_decline(state):
        return {"kind": "decline"}
    if phase == AWARDING and AWARD_ACTION <= action < DECLINE:
        return {"kind": "award", "artist": action - AWARD_ACTION}
    if phase not in (AWARDING, OVER) and 0 <= action < CARD_TYPES:
        return {"kind": PHASE_NAMES[phase], "artist": action // SYMBOLS, "symbol": action % SYMBOLS}
    return {"kind": "none", "action": int(action)}


def encode(state: np.void, words: Mapping[str, Any]) -> int:
    """The action number of a move in words: the inverse of ``describe``.

    Raises:
        IllegalActionError: The words mean no action now.
    """
    for action in range(ACTIONS):
        found = describe(state, action)
        if found["kind"] != "none" and same_words(words, found):
            return action
    raise IllegalActionError(f"{dict(words)!r} means no action now.")


def why_illegal(state: np.void, action: int) -> str:
    """Why an action in range is not legal now."""
    phase = PHASE_NAMES[state["phase"]]
    if action == DECLINE:
        return f"only a second or an extra card may be declined, the phase is {phase!r}"
    if state["phase"] == AWARDING:
        return "an award token must be put on an artist"
    if action >= AWARD_ACTION:
        return f"no award token is being given, the phase is {phase!r}"
    card = f"{ARTIST_NAMES[action // SYMBOLS]} ({SYMBOL_NAMES[action % SYMBOLS]})"
    if state["hands"][state["seat"], action] == 0:
        return f"the hand has no {card}"
    if state["phase"] == SECOND_UP:
        return f"the second card must be by {ARTIST_NAMES[state['played_artist']]}"
    assert state["phase"] == EXTRA_CARD
    return f"no more cards by {ARTIST_NAMES[action // SYMBOLS]} may be added"


def setup_in_words(state: np.void) -> dict[str, Any]:
    """What chance decided for the game that has just been dealt, hidden cards included.

    Args:
        state: A state before the first move of a game.
    """
    players = int(state["num_players"])
    deck = state["deck"].tolist()
    return {
        "first_seat": int(state["seat"]),
        "hands": [deck[FIRST_HAND * seat : FIRST_HAND * (seat + 1)] for seat in range(players)],
        "deck": deck[FIRST_HAND * players :],
    }


def write_setup(state: np.void, setup: Mapping[str, Any]) -> None:
    """Put a setup in words into a state; ``kernels.lay_out_setups`` then lays the table out.

    Raises:
        SetupError: A part is missing, unknown, or not possible; nothing has changed.
    """
    checked_keys(setup, SETUP_KEYS, "setup")
    players = int(state["num_players"])
    first_seat = checked_number(setup["first_seat"], range(players), "first_seat")
    hands = checked_rows(setup["hands"], players, FIRST_HAND, range(CARD_TYPES), "hands")
    pack = [card for hand in hands for card in hand]
    pack += checked_cards(setup["deck"], CARDS - len(pack), range(CARD_TYPES), "deck")
    for card in range(CARD_TYPES):
        if pack.count(card) != COPIES[card]:
            raise SetupError(f"hands and deck: there are {COPIES[card]} cards of type {card}, not {pack.count(card)}.")
    state["seat"] = first_seat
    state["deck"] = pack


def chance_in_words(before: np.void, after: np.void) -> list[dict[str, Any]]:
    """What chance decided in the last action: nothing, the pack is shuffled once."""
    return []


def write_chance(before: np.void, action: int, after: np.void, decisions: list[Mapping[str, Any]]) -> bool:
    """Replace what chance decided in the last action by what a record says: there can be nothing.

    Raises:
        SetupError: The record says that chance decided something.
    """
    if decisions:
        raise SetupError("chance decides nothing after the setup.")
    return False


def result_in_words(state: np.void) -> dict[str, Any]:
    """What a record's result has beyond scores, winners and rewards: nothing."""
    return {}
