"""Musée in words: moves, setups and what chance decides later, as game records have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from env_core.errors import IllegalActionError, SetupError
from env_core.words import checked_cards, checked_keys, checked_number, checked_rows, same_words
from musee_env import rules
from musee_env.state import (
    AGREED_STAIRCASES,
    EMPTY,
    FIRST_GAME_STAIRCASES,
    FIRST_HAND,
    GALLERIES,
    GALLERY_NAMES,
    LAST_CARD,
    OVER,
    TOKEN_ROWS,
)

SETUP_KEYS = ("first_seat", "staircases", "hands", "deck")


def number_of_actions(state: np.void) -> int:
    """The size of the action space under the options in a state."""
    return int(rules.number_of_actions(state))


def describe(state: np.void, action: int) -> dict[str, Any]:
    """An action in words.

    Args:
        state: One state.
        action: Any integer.

    Returns:
        ``{"kind": "place", "card": 14, "gallery": 0, "column": 3}``, ``{"kind": "keep"}``, ``{"kind": "give"}``, or
        ``{"kind": "none", "action": action}`` for a number that means nothing now.
    """
    keep = int(rules.keep_action(state))
    if state["phase"] == LAST_CARD and keep <= action < keep + 2:
        return {"kind": "keep" if action == keep else "give"}
    if state["phase"] not in (LAST_CARD, OVER) and 0 <= action < keep:
        slot, gallery, column = (int(part) for part in rules.placement(state, action))
        if slot < state["hand_sizes"][state["seat"]]:
            card = int(state["hands"][state["seat"], slot])
            return {"kind": "place", "card": card, "gallery": gallery, "column": column}
    return {"kind": "none", "action": int(action)}


def encode(state: np.void, words: Mapping[str, Any]) -> int:
    """The action number of a move in words: the inverse of ``describe``.

    Raises:
        IllegalActionError: The words mean no action now.
    """
    action = -1
    if words.get("kind") in ("keep", "give"):
        action = int(rules.keep_action(state)) + (words["kind"] == "give")
    elif words.get("kind") == "place" and state["phase"] != OVER:
        hand = state["hands"][state["seat"], : state["hand_sizes"][state["seat"]]].tolist()
        numbers = [words.get("card"), words.get("gallery"), words.get("column")]
        if all(type(number) is int for number in numbers) and words["card"] in hand:
            columns = int(state["columns"])
            action = (hand.index(words["card"]) * GALLERIES + words["gallery"]) * columns + words["column"]
    if not same_words(words, describe(state, action)):
        raise IllegalActionError(f"{dict(words)!r} means no action now.")
    return action


def why_illegal(state: np.void, action: int) -> str:
    """Why an action in range is not legal now."""
    words = describe(state, action)
    if words["kind"] == "none":
        if state["phase"] == LAST_CARD:
            return "the seat to move keeps or gives the team's last card, nothing else"
        if action >= rules.keep_action(state):
            return "keep and give are for the team's last card, which is not being decided"
        return f"the hand of seat {int(state['seat'])} has {int(state['hand_sizes'][state['seat']])} cards"
    gallery, column, card = words["gallery"], words["column"], words["card"]
    museum = int(rules.museum_of(state, int(state["seat"])))
    hanging = state["museums"][museum, gallery, : state["columns"]].tolist()
    shown = " ".join(str(number) if number != EMPTY else "_" for number in hanging)
    if hanging[column] != EMPTY:
        return f"column {column} of the {GALLERY_NAMES[gallery]} gallery [{shown}] is filled"
    return (
        f"{card} does not rise from left to right in column {column} of the {GALLERY_NAMES[gallery]} gallery [{shown}]"
    )


def setup_in_words(state: np.void) -> dict[str, Any]:
    """What chance decided for the game that has just been dealt, hidden cards included.

    Args:
        state: A state before the first move of a game.
    """
    columns, players = int(state["columns"]), int(state["num_players"])
    deck = state["deck"][: state["paintings"]].tolist()
    hands = [deck[FIRST_HAND * seat : FIRST_HAND * (seat + 1)] for seat in range(players)]
    return {
        "first_seat": int(state["seat"]),
        "staircases": state["staircases"][:, :columns].tolist(),
        "hands": hands,
        "deck": deck[FIRST_HAND * players :],
    }


def write_setup(state: np.void, setup: Mapping[str, Any]) -> None:
    """Put a setup in words into a state; ``kernels.lay_out_setups`` then lays the table out.

    Raises:
        SetupError: A part is missing, unknown, or not possible under the options; nothing has changed.
    """
    checked_keys(setup, SETUP_KEYS, "setup")
    players, columns, paintings = int(state["num_players"]), int(state["columns"]), int(state["paintings"])
    first_seat = checked_number(setup["first_seat"], range(players), "first_seat")
    staircases = checked_rows(setup["staircases"], TOKEN_ROWS, columns, range(2), "staircases")
    if state["staircase_rule"] == FIRST_GAME_STAIRCASES:
        agreed = [[(column + row) % 2 for column in range(columns)] for row in (0, 1)]
    elif state["staircase_rule"] == AGREED_STAIRCASES:
        agreed = state["agreed_staircases"][:, :columns].tolist()
    else:
        agreed = None
    counts = sorted(sum(row) for row in staircases)
    if agreed is not None and staircases != agreed:
        raise SetupError(f"staircases: the option says {agreed}, the setup {staircases}.")
    if counts != sorted((columns // 2, columns - columns // 2)):
        raise SetupError(
            f"staircases: {columns} columns have {columns // 2} and {columns - columns // 2}, not {counts}."
        )
    hands = checked_rows(setup["hands"], players, FIRST_HAND, range(1, paintings + 1), "hands")
    pack = [card for hand in hands for card in hand]
    pack += checked_cards(setup["deck"], paintings - len(pack), range(1, paintings + 1), "deck")
    if len(set(pack)) != paintings:
        twice = sorted({card for card in pack if pack.count(card) > 1})
        raise SetupError(f"hands and deck: each card exists once; {twice} stand there more than once.")
    state["seat"] = first_seat
    state["staircases"][:, :columns] = staircases
    state["deck"][:paintings] = pack


def chance_in_words(before: np.void, after: np.void) -> list[dict[str, Any]]:
    """What chance decided in the last action: the deal of a match's next game, or nothing."""
    if after["game_number"] == before["game_number"]:
        return []
    return [{"kind": "deal", **setup_in_words(after)}]


def write_chance(before: np.void, action: int, after: np.void, decisions: list[Mapping[str, Any]]) -> bool:
    """Replace what chance decided in the last action by what a record says.

    Args:
        before: The state before the action.
        action: The action.
        after: The state after it; changed.
        decisions: The chance steps that follow the action in the record.

    Returns:
        Whether the table has to be laid out anew.

    Raises:
        SetupError: Chance decided nothing of the kind here, or not so.
    """
    expected = chance_in_words(before, after)
    if len(decisions) != len(expected):
        raise SetupError(f"{len(expected)} chance steps belong here, the record has {len(decisions)}.")
    if not decisions:
        return False
    decision = dict(decisions[0])
    kind = decision.pop("kind", None)
    if kind != "deal":
        raise SetupError(f"kind: 'deal' belongs here, not {kind!r}.")
    checked_keys(decision, SETUP_KEYS, "deal")
    first_seat = checked_number(decision["first_seat"], range(int(after["num_players"])), "first_seat")
    if not after["may_start"] >> first_seat & 1:
        raise SetupError(f"first_seat: seat {first_seat} won the game before; a seat with no part in the win starts.")
    write_setup(after, decision)
    return True


def result_in_words(state: np.void) -> dict[str, Any]:
    """What a record's result has beyond scores, winners and rewards: the games won, in a match."""
    if state["games_to_win"] == 1:
        return {}
    players, sides = int(state["num_players"]), int(state["num_sides"])
    return {"games_won": [int(state["games_won"][seat % sides]) for seat in range(players)]}
