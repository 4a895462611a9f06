"""Museum: Pictura in words: moves, setups and decks made anew, as game records have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from env_core.errors import IllegalActionError, SetupError
from env_core.words import checked_cards, checked_keys, checked_number, checked_rows, same_words
from pictura_env import rules
from pictura_env.state import (
    DEALT_TRENDS,
    DECK_NAMES,
    DISCARDING,
    DISCARDING_FAVORS,
    EXHIBIT_PAY,
    EXHIBIT_SLOT,
    FAVOR_ACTION,
    FAVOR_DECK,
    FAVORS,
    FINAL_MENU,
    FINAL_PUT_DOWN,
    FIRST_HAND,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    INVENTORY_ACTION,
    KEEPING_TREND,
    KIND_ACTION,
    MENU,
    MUSEUM_PAINTINGS,
    MUSEUMS,
    NOTHING,
    OVER,
    PAINTINGS,
    PATRON_DECK,
    PATRONS,
    PATRONS_SHOWN,
    PERIODS,
    PHASE_NAMES,
    PUT_DOWN,
    RECOVERING,
    REPLACE_PATRONS,
    REWARD_SPACE,
    SLOT_ACTION,
    SPACE_ACTION,
    TAKE_FAVOR,
    TRADE_GIVE,
    TRADE_TAKE,
    TREND_DECK,
    TRENDS,
)

SETUP_KEYS = (
    "first_seat",
    "cards_sha256",
    "public_trend",
    "museum_trends",
    "museum_paintings",
    "hands",
    "favors",
    "trends_dealt",
    "patrons_shown",
    "painting_deck",
    "favor_deck",
    "patron_deck",
)
SLOT_WORDS = {
    EXHIBIT_SLOT: "place",
    MENU: "pick_up",
    FINAL_MENU: "pick_up",
    PUT_DOWN: "put_down",
    FINAL_PUT_DOWN: "put_down",
}
HAND_WORDS = {TRADE_GIVE: "trade_give", EXHIBIT_PAY: "pay", DISCARDING: "discard"}
DECK_SIZES = {TREND_DECK: TRENDS, FAVOR_DECK: FAVORS, PATRON_DECK: PATRONS}


def number_of_actions(state: np.void) -> int:
    """The size of the action space with the card data in a state: 238 + 3F with F favor types."""
    return _first_numbers(state)[-1] + 2


def _first_numbers(state: np.void) -> tuple[int, int, int, int]:
    """The first claim, discard of a favor and trend to keep, and *yes*: as the rules have them.

    Calling compiled code for each would be nearly all of the price of describing an action.
    """
    favor_types = int(state["favor_types"])
    claim = FAVOR_ACTION + 2 * favor_types
    discard_favor = claim + 2 * PATRONS_SHOWN
    trend = discard_favor + favor_types
    return claim, discard_favor, trend, trend + DEALT_TRENDS


def describe(state: np.void, action: int) -> dict[str, Any]:
    """An action in words, see the table of actions in the game's page.

    Args:
        state: One state.
        action: Any integer.

    Returns:
        The words, or ``{"kind": "none", "action": action}`` for a number that means nothing now.
    """
    words = None
    if state["phase"] != OVER and 0 <= action < number_of_actions(state):
        if action < SLOT_ACTION:
            words = _painting_in_words(state, action)
        elif action < INVENTORY_ACTION:
            words = _place_in_words(state, action)
        else:
            words = _card_in_words(state, action)
    return words or {"kind": "none", "action": int(action)}


def _painting_in_words(state: np.void, painting: int) -> dict[str, Any] | None:
    phase, seat, where = int(state["phase"]), int(state["seat"]), int(state["where"][painting])
    if phase == TRADE_TAKE and IN_MUSEUM <= where < IN_MUSEUM + MUSEUMS:
        return {"kind": "trade_take", "painting": painting, "museum": where - IN_MUSEUM}
    if phase in HAND_WORDS and where == IN_HAND + seat:
        return {"kind": HAND_WORDS[phase], "painting": painting}
    if phase == MENU and where == IN_HAND + seat:
        return {"kind": "exhibit", "painting": painting, "from": "hand"}
    owner = where - IN_DISCARD
    if phase == MENU and 0 <= owner < state["num_players"] and owner != seat:
        return {"kind": "exhibit", "painting": painting, "from": owner}
    if phase == RECOVERING and owner == seat:
        return {"kind": "recover", "painting": painting}
    return None


def _place_in_words(state: np.void, action: int) -> dict[str, Any] | None:
    phase = int(state["phase"])
    if action < KIND_ACTION:
        return {"kind": SLOT_WORDS[phase], "slot": action - SLOT_ACTION} if phase in SLOT_WORDS else None
    if action < SPACE_ACTION:
        kind = action - KIND_ACTION
        of, index = ("period", kind) if kind < PERIODS else ("domain", kind - PERIODS)
        return {"kind": "open_exhibition", "of": of, "index": index} if phase == MENU else None
    return {"kind": "reward_space", "space": action - SPACE_ACTION} if phase == REWARD_SPACE else None


def _card_in_words(state: np.void, action: int) -> dict[str, Any] | None:
    phase = int(state["phase"])
    claim, discard_favor, trend, yes = _first_numbers(state)
    if action == INVENTORY_ACTION:
        return {"kind": "inventory"} if phase == MENU else None
    if action < claim:
        favor, half = divmod(action - FAVOR_ACTION, 2)
        return {"kind": "play_favor", "favor": favor, "half": half} if phase == MENU else None
    if action < discard_favor:
        place, reward = divmod(action - claim, 2)
        patron = int(state["shown"][place])
        if phase != MENU or patron == NOTHING:
            return None
        take = "reward" if reward else "points"
        return {"kind": "claim_patron", "patron": patron, "place": place, "take": take}
    if action < trend:
        return {"kind": "discard_favor", "favor": action - discard_favor} if phase == DISCARDING_FAVORS else None
    if action < yes:
        dealt = int(state["dealt_trends"][state["seat"], action - trend])
        return {"kind": "keep_trend", "trend": dealt} if phase == KEEPING_TREND else None
    if phase in (TAKE_FAVOR, REPLACE_PATRONS):
        return {"kind": PHASE_NAMES[phase], "yes": action == yes}
    if action == yes or not rules.may_say_no(state, phase):
        return None
    return {"kind": "done" if phase in (MENU, FINAL_MENU) else "pass"}


def encode(state: np.void, words: Mapping[str, Any]) -> int:
    """The action number of a move in words: the inverse of ``describe``.

    Raises:
        IllegalActionError: The words mean no action now.
    """
    for action in _actions_meant(state, words):
        found = describe(state, action)
        if found["kind"] != "none" and same_words(words, found):
            return action
    raise IllegalActionError(f"{dict(words)!r} means no action now.")


def _actions_meant(state: np.void, words: Mapping[str, Any]) -> range:
    """The actions among which words may stand: a painting is named by its number."""
    painting = words.get("painting")
    if painting is None:
        return range(SLOT_ACTION, number_of_actions(state))
    known = isinstance(painting, int) and 0 <= painting < PAINTINGS
    return range(painting, painting + 1) if known else range(0)


def why_illegal(state: np.void, action: int) -> str:
    """Why an action in range is not legal now."""
    words = describe(state, action)
    if words["kind"] == "none":
        return f"it means nothing while the phase is {PHASE_NAMES[state['phase']]!r}"
    return _REASONS[words["kind"]]


_REASONS = {
    "exhibit": "an exhibit needs an empty slot, a hand card to pay with, for another's discard 1 prestige, and that no "
    "other action was taken and the limit not reached",
    "place": "the slot is filled",
    "pick_up": "the slot is empty, or no rearranging move is left",
    "put_down": "a painting must be put down on another slot",
    "open_exhibition": "it needs a collection of that kind, a token left, a kind not shown before, a free reward "
    "space, and that no action was taken",
    "reward_space": "there is a token on it",
    "inventory": "an action was taken already",
    "play_favor": "this favor is not held, or one was played in this turn",
    "claim_patron": "the museum does not meet what the patron asks for, or one was claimed in this turn",
    "discard_favor": "this favor is not held",
}


def setup_in_words(state: np.void) -> dict[str, Any]:
    """What chance decided for the game that has just been dealt, hidden cards included.

    Args:
        state: A state before the first move of a game.
    """
    players = int(state["num_players"])
    paintings, favors = state["painting_deck"].tolist(), state["favor_deck"].tolist()
    in_museums = MUSEUMS * MUSEUM_PAINTINGS
    dealt = in_museums + FIRST_HAND * players
    return {
        "first_seat": int(state["first_seat"]),
        "cards_sha256": bytes(state["cards_sha256"]).hex(),
        "public_trend": int(state["public_trend"]),
        "museum_trends": state["museum_trends"].tolist(),
        "museum_paintings": _in_rows(paintings[:in_museums], MUSEUM_PAINTINGS),
        "hands": _in_rows(paintings[in_museums:dealt], FIRST_HAND),
        "favors": favors[:players],
        "trends_dealt": state["dealt_trends"][:players].tolist(),
        "patrons_shown": state["shown"].tolist(),
        "painting_deck": paintings[dealt:],
        "favor_deck": favors[players:],
        "patron_deck": state["patron_deck"].tolist()[PATRONS_SHOWN:],
    }


def _in_rows(cards: list[int], length: int) -> list[list[int]]:
    return [cards[start : start + length] for start in range(0, len(cards), length)]


def write_setup(state: np.void, setup: Mapping[str, Any]) -> None:
    """Put a setup in words into a state; ``kernels.lay_out_setups`` then lays the table out.

    Raises:
        SetupError: A part is missing, unknown, or not possible; nothing has changed.
    """
    checked_keys(setup, SETUP_KEYS, "setup")
    players = int(state["num_players"])
    first_seat = checked_number(setup["first_seat"], range(players), "first_seat")
    sha256 = bytes(state["cards_sha256"]).hex()
    if setup["cards_sha256"] != sha256:
        raise SetupError(f"cards_sha256: the game's card file has {sha256}, the setup {setup['cards_sha256']!r}.")
    all_paintings, all_trends = range(PAINTINGS), range(TRENDS)
    in_museums = checked_rows(setup["museum_paintings"], MUSEUMS, MUSEUM_PAINTINGS, all_paintings, "museum_paintings")
    hands = checked_rows(setup["hands"], players, FIRST_HAND, all_paintings, "hands")
    paintings = [painting for row in (*in_museums, *hands) for painting in row]
    paintings += checked_cards(setup["painting_deck"], PAINTINGS - len(paintings), all_paintings, "painting_deck")
    _each_once(paintings, "museum_paintings, hands and painting_deck")
    trends = [checked_number(setup["public_trend"], all_trends, "public_trend")]
    trends += checked_cards(setup["museum_trends"], MUSEUMS, all_trends, "museum_trends")
    for row in checked_rows(setup["trends_dealt"], players, DEALT_TRENDS, all_trends, "trends_dealt"):
        trends += row
    _each_once(trends, "public_trend, museum_trends and trends_dealt")
    favors = checked_cards(setup["favors"], players, range(int(state["favor_types"])), "favors")
    favors += checked_cards(setup["favor_deck"], FAVORS - players, range(int(state["favor_types"])), "favor_deck")
    for favor in range(int(state["favor_types"])):
        if favors.count(favor) != state["favor_copies"][favor]:
            copies = int(state["favor_copies"][favor])
            raise SetupError(f"favors and favor_deck: there are {copies} of type {favor}, not {favors.count(favor)}.")
    patrons = checked_cards(setup["patrons_shown"], PATRONS_SHOWN, range(PATRONS), "patrons_shown")
    patrons += checked_cards(setup["patron_deck"], PATRONS - PATRONS_SHOWN, range(PATRONS), "patron_deck")
    _each_once(patrons, "patrons_shown and patron_deck")
    state["first_seat"] = first_seat
    state["painting_deck"] = paintings
    # The rest of the trends is shuffled when all have kept one; a chance step of its own says how.
    state["trend_deck"] = trends + [trend for trend in all_trends if trend not in trends]
    state["favor_deck"] = favors
    state["patron_deck"] = patrons


def _each_once(cards: list[int], what: str) -> None:
    if len(set(cards)) != len(cards):
        twice = sorted({card for card in cards if cards.count(card) > 1})
        raise SetupError(f"{what}: each card exists once; {twice} stand there more than once.")


def chance_in_words(before: np.void, after: np.void) -> list[dict[str, Any]]:
    """What chance decided in the last action: the decks made anew, each in drawing order."""
    steps = []
    for number, deck in enumerate(after["made_anew"].tolist()):
        if deck != NOTHING:
            order = after["anew_orders"][number, : after["anew_sizes"][number]]
            steps.append({"kind": DECK_NAMES[deck], "order": order.tolist()})
    return steps


def write_chance(before: np.void, action: int, after: np.void, decisions: list[Mapping[str, Any]]) -> bool:
    """Replace what chance decided in the last action by what a record says.

    Args:
        before: The state before the action.
        action: The action.
        after: The state after it; changed.
        decisions: The chance steps that follow the action in the record.

    Returns:
        Whether the table has to be laid out anew: never.

    Raises:
        SetupError: Chance decided nothing of the kind here, or not so.
    """
    expected = len(chance_in_words(before, after))
    if len(decisions) != expected:
        raise SetupError(f"{expected} chance steps belong here, the record has {len(decisions)}.")
    for number, decision in enumerate(decisions):
        # What one deck holds may hang on the order of the deck before it.
        drawn = chance_in_words(before, after)[number]
        checked_keys(decision, ("kind", "order"), "the chance step")
        if decision["kind"] != drawn["kind"]:
            raise SetupError(f"kind: {drawn['kind']!r} belongs here, not {decision['kind']!r}.")
        size = DECK_SIZES[DECK_NAMES.index(drawn["kind"])]
        order = checked_cards(decision["order"], len(drawn["order"]), range(size), "order")
        if sorted(order) != sorted(drawn["order"]):
            raise SetupError(f"order: the {drawn['kind']} holds the cards {sorted(drawn['order'])}, not these.")
        if order != drawn["order"]:
            orders = after["anew_orders"].copy()
            orders[number, : len(order)] = order
            for name in after.dtype.names or ():
                after[name] = before[name]
            rules.forget_decks_made_anew(after)
            after["anew_orders"][: number + 1] = orders[: number + 1]
            after["forced"][: number + 1] = 1
            rules.apply(after, action)
    return False


def result_in_words(state: np.void) -> dict[str, Any]:
    """What a record's result has beyond scores, winners and rewards: nothing."""
    return {}
