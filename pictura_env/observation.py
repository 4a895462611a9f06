"""What a seat sees: the compiled observation, the feature table that names its columns, and the way back.

One layout for any number of players: own seat comes first, the others follow in turn order, seats not in play are all
zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.columns import write_at_least, write_bits, write_bits_of_each, write_counts, write_equal, write_place
from env_core.compile import compiled
from env_core.features import FeatureTable, from_bits
from pictura_env.rules import seat_after
from pictura_env.state import (
    BY_EFFECT,
    DEALT_TRENDS,
    EMPTY,
    FAVORS,
    IN_DISCARD,
    IN_HAND,
    IN_MUSEUM,
    INVENTORY,
    KINDS,
    MAX_PLAYERS,
    MUSEUMS,
    NOBODY,
    NOTHING,
    OVER,
    PAINTINGS,
    PATRON_CLAIMED,
    PATRON_REPLACED,
    PATRONS,
    PATRONS_SHOWN,
    PERIODS,
    PHASE_NAMES,
    PHASES,
    REWARD_SPACE,
    REWARD_SPACES,
    SLOTS,
    TOKENS_OF_A_KIND,
    TRADE_GIVE,
    TRENDS,
)

PAINTING_BITS = 8
KIND_BITS = 4
PRESTIGE_BITS = 15
ROUND_BITS = 14
FAVOR_BITS = 5
PATRON_BITS = 6
TREND_BITS = 5
MOVE_BITS = 7
EXHIBIT_BITS = 5
RECOVER_BITS = 6
TRADES = BY_EFFECT + 1
ACTIONS_TAKEN = INVENTORY + 1


def features(num_players: int) -> FeatureTable:
    """The columns of an observation: the same for every number of players.

    Args:
        num_players: 2, 3 or 4.
    """
    seats = MAX_PLAYERS
    rows: list[Any] = [
        ("hand", (PAINTINGS,), "painting is in the own hand"),
        ("museums", (MUSEUMS, PAINTINGS), "painting is in the international museum"),
        ("discards", (seats, PAINTINGS), "painting is in the discard pile of each seat, own first"),
        ("slots", (seats, SLOTS, PAINTING_BITS), "painting + 1 in each slot, own museum first, bits, lowest first"),
        ("own_kinds", (SLOTS, KINDS), "period and domain of the painting in each slot of the own museum"),
        ("on_the_way", (PAINTINGS,), "painting on its way: taken and not yet given for, chosen and not yet placed"),
        ("from_museum", (MUSEUMS,), "the international museum that it was taken from"),
        ("from_seat", (seats,), "the seat whose hand or discard pile it was taken from, own seat first"),
        ("token_kind", (KINDS,), "kind of the token that waits for a reward space"),
        ("chosen_slot", (SLOTS,), "slot picked up, or chosen for an exhibit"),
        ("public_trend", (TRENDS,), "the public trend"),
        ("museum_trends", (MUSEUMS, TRENDS), "the trend of each international museum"),
        ("used_trends", (TRENDS,), "public trends used since the deck was made"),
        ("secret_trends", (seats, TRENDS), "secret trend of each seat, own first; others' only once the game is over"),
        ("dealt_trends", (DEALT_TRENDS, TRENDS), "the three trends dealt to the own seat"),
        ("favors", (FAVORS,), "own favors of each type", FAVORS),
        ("favors_held", (seats,), "favors of each seat, own first", FAVORS),
        ("used_favors", (FAVORS,), "favors of each type played or discarded since the deck was made", FAVORS),
        ("shown_patrons", (PATRONS_SHOWN, PATRONS), "patron in each place; all 0 in an empty one"),
        ("claimed_patrons", (seats, PATRONS), "patrons claimed by each seat, own first"),
        ("replaced_patrons", (PATRONS,), "patrons replaced since the deck was made"),
        ("tokens_left", (KINDS, TOKENS_OF_A_KIND), "at least 1, 2 tokens of the kind are left"),
        ("kinds_shown", (seats, KINDS), "kinds that each seat has shown, own first"),
        ("spaces", (seats, REWARD_SPACES, KIND_BITS), "kind + 1 of the token on each reward space, own first, bits"),
        ("exhibitions", (seats,), "exhibitions of each seat, own first", REWARD_SPACES),
        ("prestige", (seats, PRESTIGE_BITS), "prestige of each seat, own first, bits, lowest first"),
        ("markers", (seats, PRESTIGE_BITS), "favor marker of each seat, own first, bits, lowest first"),
        ("hand_sizes", (seats, PAINTING_BITS), "paintings in each hand, own first, bits, lowest first"),
        ("painting_deck_size", (PAINTING_BITS,), "paintings in the deck, bits, lowest first"),
        ("trend_deck_size", (TREND_BITS,), "trends in the deck, bits, lowest first"),
        ("favor_deck_size", (FAVOR_BITS,), "favors in the deck, bits, lowest first"),
        ("patron_deck_size", (PATRON_BITS,), "patrons in the deck, bits, lowest first"),
        ("in_play", (seats,), "the seat is in play, own first"),
        ("to_move", (seats,), "whose decision it is, own seat first; all 0 when the game is over"),
        ("active", (seats,), "whose turn it is, own seat first"),
        ("first_seat", (seats,), "who was first, own seat first"),
        ("end_token", (seats,), "who has the end token, own seat first"),
        ("last_turns", (MAX_PLAYERS - 1,), "at least 1, 2, 3 turns are left"),
        ("phase", (PHASES,), f"the phase: {', '.join(PHASE_NAMES)}"),
        ("trade", (TRADES,), "the trade: own acquisition, others', by an effect"),
        ("action_taken", (ACTIONS_TAKEN,), "the action of this turn: none yet, exhibits, exhibition, inventory"),
        ("exhibits", (EXHIBIT_BITS,), "exhibits made in this action, bits, lowest first"),
        ("turn_flags", (3,), "a favor was played, a patron claimed in this turn; the next exhibit is free"),
        ("moves_made", (MOVE_BITS,), "rearranging moves made, bits, lowest first"),
        ("recover_left", (RECOVER_BITS,), "cards that may still be recovered, bits, lowest first"),
        ("round", (ROUND_BITS,), "the round from 0, bits, lowest first"),
    ]
    return FeatureTable(rows)


def state_features(num_players: int) -> FeatureTable:
    """The columns of the perfect-information observation: what seat 0 sees, all that others hide, and the decks.

    Args:
        num_players: 2, 3 or 4.
    """
    rows: list[Any] = [
        (feature.name, feature.shape, f"as seat 0 sees it: {feature.meaning}", feature.high)
        for feature in features(num_players).values()
    ]
    others = MAX_PLAYERS - 1
    rows += [
        ("other_hands", (others, PAINTINGS), "painting is in the hand of seat 1, 2, 3"),
        ("other_favors", (others, FAVORS), "favors of each type of seat 1, 2, 3", FAVORS),
        ("other_secret_trends", (others, TRENDS), "secret trend of seat 1, 2, 3"),
        ("other_dealt_trends", (others, DEALT_TRENDS, TRENDS), "the trends dealt to seat 1, 2, 3"),
        ("painting_deck", (PAINTINGS, PAINTING_BITS), "the deck in drawing order: painting + 1, bits, lowest first"),
        ("trend_deck", (TRENDS, TREND_BITS), "the deck in drawing order: trend + 1, bits, lowest first"),
        ("favor_deck", (FAVORS, FAVOR_BITS), "the deck in drawing order: favor type + 1, bits, lowest first"),
        ("patron_deck", (PATRONS, PATRON_BITS), "the deck in drawing order: patron + 1, bits, lowest first"),
    ]
    return FeatureTable(rows)


@compiled
def turns_to(state: np.void, seat: int, other: int) -> int:
    """How many seats clockwise another seat is from this one; negative for nobody."""
    if other < 0:
        return other
    return other - seat if other >= seat else other - seat + int64(state["num_players"])


@compiled
def write_paintings(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write where paintings are, as far as the seat sees it."""
    where = state["where"]
    offset = write_equal(observation, offset, where, IN_HAND + seat)
    for museum in range(MUSEUMS):
        offset = write_equal(observation, offset, where, IN_MUSEUM + museum)
    slots = offset + MAX_PLAYERS * PAINTINGS
    for turns in range(int64(state["num_players"])):
        offset = write_equal(observation, offset, where, IN_DISCARD + seat_after(state, seat, turns))
    kinds = slots + MAX_PLAYERS * SLOTS * PAINTING_BITS
    for turns in range(int64(state["num_players"])):
        hanging_there = state["slots"][seat_after(state, seat, turns)]
        slots = write_bits_of_each(observation, slots, hanging_there, PAINTING_BITS)
    for slot in range(SLOTS):
        hanging = int64(state["slots"][seat, slot])
        if hanging != EMPTY:
            observation[kinds + slot * KINDS + int64(state["painting_period"][hanging - 1])] = 1
            observation[kinds + slot * KINDS + PERIODS + int64(state["painting_domain"][hanging - 1])] = 1
    return kinds + SLOTS * KINDS


@compiled
def write_on_the_way(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write the painting on its way and where it comes from, the token that waits, and the slot."""
    chosen = int64(state["chosen"])
    source = int64(state["chosen_from"])
    museum = NOTHING
    owner = NOTHING
    kind = NOTHING
    if state["phase"] == REWARD_SPACE:
        kind = chosen
        chosen = NOTHING
    elif state["phase"] == TRADE_GIVE:
        museum = source
    elif chosen != NOTHING:
        owner = turns_to(state, seat, source)
    offset = write_place(observation, offset, chosen, PAINTINGS)
    offset = write_place(observation, offset, museum, MUSEUMS)
    offset = write_place(observation, offset, owner, MAX_PLAYERS)
    offset = write_place(observation, offset, kind, KINDS)
    return write_place(observation, offset, int64(state["chosen_slot"]), SLOTS)


@compiled
def write_trends(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write the public trends and the seat's own."""
    offset = write_place(observation, offset, int64(state["public_trend"]), TRENDS)
    for museum in range(MUSEUMS):
        offset = write_place(observation, offset, int64(state["museum_trends"][museum]), TRENDS)
    offset = write_counts(observation, offset, state["used_trends"], TRENDS)
    return write_own_trends(state, seat, observation, offset)


@compiled
def write_own_trends(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write a seat's secret trend and the three dealt to it; at the end secret trends are shown."""
    shown = int64(state["num_players"]) if state["phase"] == OVER else 1
    for turns in range(shown):
        trend = int64(state["secret_trend"][seat_after(state, seat, turns)])
        write_place(observation, offset + turns * TRENDS, trend, TRENDS)
    offset += MAX_PLAYERS * TRENDS
    for dealt in range(DEALT_TRENDS):
        offset = write_place(observation, offset, int64(state["dealt_trends"][seat, dealt]), TRENDS)
    return offset


@compiled
def write_favors_and_patrons(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write the own favors, and all that is public of favors and patrons."""
    offset = write_counts(observation, offset, state["favors"][seat], FAVORS)
    for turns in range(int64(state["num_players"])):
        observation[offset + turns] = state["favors_held"][seat_after(state, seat, turns)]
    offset = write_counts(observation, offset + MAX_PLAYERS, state["used_favors"], FAVORS)
    for place in range(PATRONS_SHOWN):
        offset = write_place(observation, offset, int64(state["shown"][place]), PATRONS)
    replaced = offset + MAX_PLAYERS * PATRONS
    for turns in range(int64(state["num_players"])):
        other = seat_after(state, seat, turns)
        offset = write_equal(observation, offset, state["patron_where"], PATRON_CLAIMED + other)
    write_equal(observation, replaced, state["patron_where"], PATRON_REPLACED)
    return replaced + PATRONS


@compiled
def write_exhibitions(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write tokens, kinds shown and reward spaces."""
    for kind in range(KINDS):
        offset = write_at_least(observation, offset, int64(state["tokens_left"][kind]), TOKENS_OF_A_KIND)
    spaces = offset + MAX_PLAYERS * KINDS
    exhibitions = spaces + MAX_PLAYERS * REWARD_SPACES * KIND_BITS
    for turns in range(int64(state["num_players"])):
        other = seat_after(state, seat, turns)
        write_counts(observation, offset + turns * KINDS, state["kinds_shown"][other], KINDS)
        spaces = write_bits_of_each(observation, spaces, state["spaces"][other], KIND_BITS)
        observation[exhibitions + turns] = state["exhibitions"][other]
    return exhibitions + MAX_PLAYERS


@compiled
def write_seats(state: np.void, seat: int, observation: np.ndarray, offset: int) -> int:
    """Write prestige, markers, hand and deck sizes, and who is who."""
    markers = offset + MAX_PLAYERS * PRESTIGE_BITS
    hand_sizes = markers + MAX_PLAYERS * PRESTIGE_BITS
    decks = hand_sizes + MAX_PLAYERS * PAINTING_BITS
    for turns in range(int64(state["num_players"])):
        other = seat_after(state, seat, turns)
        write_bits(observation, offset + turns * PRESTIGE_BITS, int64(state["prestige"][other]), PRESTIGE_BITS)
        write_bits(observation, markers + turns * PRESTIGE_BITS, int64(state["markers"][other]), PRESTIGE_BITS)
        write_bits(observation, hand_sizes + turns * PAINTING_BITS, int64(state["hand_sizes"][other]), PAINTING_BITS)
    offset = write_bits(observation, decks, int64(state["painting_left"]), PAINTING_BITS)
    offset = write_bits(observation, offset, int64(state["trend_left"]), TREND_BITS)
    offset = write_bits(observation, offset, int64(state["favor_left"]), FAVOR_BITS)
    offset = write_bits(observation, offset, int64(state["patron_left"]), PATRON_BITS)
    offset = write_at_least(observation, offset, int64(state["num_players"]), MAX_PLAYERS)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["seat"])), MAX_PLAYERS)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["active"])), MAX_PLAYERS)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["first_seat"])), MAX_PLAYERS)
    return write_place(observation, offset, turns_to(state, seat, int64(state["end_token"])), MAX_PLAYERS)


@compiled
def write_turn(state: np.void, observation: np.ndarray, offset: int) -> int:
    """Write the phase and what the turn has used up."""
    offset = write_at_least(observation, offset, int64(state["last_turns"]), MAX_PLAYERS - 1)
    offset = write_place(observation, offset, int64(state["phase"]), PHASES)
    offset = write_place(observation, offset, int64(state["trade"]), TRADES)
    offset = write_place(observation, offset, int64(state["action_taken"]), ACTIONS_TAKEN)
    offset = write_bits(observation, offset, int64(state["exhibits"]), EXHIBIT_BITS)
    observation[offset] = state["favor_played"]
    observation[offset + 1] = state["patron_taken"]
    observation[offset + 2] = state["free_exhibit"]
    offset = write_bits(observation, offset + 3, int64(state["moves_made"]), MOVE_BITS)
    offset = write_bits(observation, offset, int64(state["recover_left"]), RECOVER_BITS)
    return write_bits(observation, offset, int64(state["round"]), ROUND_BITS)


@compiled
def write_what_is_seen(state: np.void, seat: int, observation: np.ndarray) -> int:
    """Write what a seat sees; return the column behind it."""
    fill(observation, 0)
    offset = write_paintings(state, seat, observation, int64(0))
    offset = write_on_the_way(state, seat, observation, offset)
    offset = write_trends(state, seat, observation, offset)
    offset = write_favors_and_patrons(state, seat, observation, offset)
    offset = write_exhibitions(state, seat, observation, offset)
    offset = write_seats(state, seat, observation, offset)
    return write_turn(state, observation, offset)


@compiled
def write_observation(state: np.void, seat: int, observation: np.ndarray) -> None:
    """Write what a seat sees.

    Args:
        state: One state.
        seat: The seat that looks.
        observation: int8 of shape (F,); written whole.
    """
    write_what_is_seen(state, seat, observation)


@compiled
def write_deck(observation: np.ndarray, offset: int, deck: np.ndarray, following: int, left: int, bits: int) -> int:
    """Write a deck in drawing order: each card + 1 in bits."""
    for place in range(left):
        write_bits(observation, offset + place * bits, int64(deck[following + place]) + 1, bits)
    return offset + len(deck) * bits


@compiled
def write_perfect_information(state: np.void, observation: np.ndarray) -> None:
    """Write everything, hidden cards included, for centralised critics.

    Args:
        state: One state.
        observation: int8 of shape (S,), see ``state_features``; written whole.
    """
    offset = write_what_is_seen(state, int64(0), observation)
    others = MAX_PLAYERS - 1
    favors = offset + others * PAINTINGS
    trends = favors + others * FAVORS
    dealt = trends + others * TRENDS
    for painting in range(PAINTINGS):
        seat = int64(state["where"][painting]) - IN_HAND
        if seat >= 1 and seat < MAX_PLAYERS:
            observation[offset + (seat - 1) * PAINTINGS + painting] = 1
    for seat in range(1, int64(state["num_players"])):
        write_counts(observation, favors + (seat - 1) * FAVORS, state["favors"][seat], FAVORS)
        write_place(observation, trends + (seat - 1) * TRENDS, int64(state["secret_trend"][seat]), TRENDS)
        for number in range(DEALT_TRENDS):
            column = dealt + ((seat - 1) * DEALT_TRENDS + number) * TRENDS
            write_place(observation, column, int64(state["dealt_trends"][seat, number]), TRENDS)
    offset = dealt + others * DEALT_TRENDS * TRENDS
    next_card, left = int64(state["painting_next"]), int64(state["painting_left"])
    offset = write_deck(observation, offset, state["painting_deck"], next_card, left, PAINTING_BITS)
    next_card, left = int64(state["trend_next"]), int64(state["trend_left"])
    offset = write_deck(observation, offset, state["trend_deck"], next_card, left, TREND_BITS)
    next_card, left = int64(state["favor_next"]), int64(state["favor_left"])
    offset = write_deck(observation, offset, state["favor_deck"], next_card, left, FAVOR_BITS)
    next_card, left = int64(state["patron_next"]), int64(state["patron_left"])
    write_deck(observation, offset, state["patron_deck"], next_card, left, PATRON_BITS)


def knowledge(state: np.void, seat: int) -> dict[str, Any]:
    """All that a seat knows now, in plain Python values, own seat first.

    Args:
        state: One state.
        seat: The seat that looks.
    """
    num_players = int(state["num_players"])
    seats = [(seat + turns) % num_players for turns in range(num_players)]
    where = state["where"]
    chosen = int(state["chosen"])
    phase = PHASE_NAMES[state["phase"]]
    is_painting = chosen != NOTHING and phase != "reward_space"

    def or_none(number: Any) -> int | None:
        return int(number) if number != NOTHING else None

    def turn_of(other: Any) -> int | None:
        return seats.index(int(other)) if other != NOBODY else None

    def paintings_at(place: int) -> list[int]:
        return np.flatnonzero(where == place).tolist()

    return {
        "hand": paintings_at(IN_HAND + seat),
        "museums": [paintings_at(IN_MUSEUM + museum) for museum in range(MUSEUMS)],
        "discards": [paintings_at(IN_DISCARD + other) for other in seats],
        "slots": [[or_none(int(hanging) - 1) for hanging in state["slots"][other]] for other in seats],
        "on_the_way": chosen if is_painting else None,
        "from_museum": int(state["chosen_from"]) if is_painting and phase == "trade_give" else None,
        "from_seat": turn_of(state["chosen_from"]) if is_painting and phase != "trade_give" else None,
        "token_kind": chosen if phase == "reward_space" else None,
        "chosen_slot": or_none(state["chosen_slot"]),
        "public_trend": int(state["public_trend"]),
        "museum_trends": state["museum_trends"].tolist(),
        "used_trends": np.flatnonzero(state["used_trends"]).tolist(),
        "secret_trends": [
            or_none(state["secret_trend"][other]) if other == seat or phase == "over" else None for other in seats
        ],
        "dealt_trends": [or_none(trend) for trend in state["dealt_trends"][seat]],
        "favors": state["favors"][seat].tolist(),
        "favors_held": [int(state["favors_held"][other]) for other in seats],
        "used_favors": state["used_favors"].tolist(),
        "shown_patrons": [or_none(patron) for patron in state["shown"]],
        "claimed_patrons": [
            np.flatnonzero(state["patron_where"] == PATRON_CLAIMED + other).tolist() for other in seats
        ],
        "replaced_patrons": np.flatnonzero(state["patron_where"] == PATRON_REPLACED).tolist(),
        "tokens_left": state["tokens_left"].tolist(),
        "kinds_shown": [np.flatnonzero(state["kinds_shown"][other]).tolist() for other in seats],
        "spaces": [[or_none(int(kind) - 1) for kind in state["spaces"][other]] for other in seats],
        "exhibitions": [int(state["exhibitions"][other]) for other in seats],
        "prestige": [int(state["prestige"][other]) for other in seats],
        "markers": [int(state["markers"][other]) for other in seats],
        "hand_sizes": [int(state["hand_sizes"][other]) for other in seats],
        "deck_sizes": [int(state[f"{deck}_left"]) for deck in ("painting", "trend", "favor", "patron")],
        "to_move": turn_of(state["seat"]),
        "active": turn_of(state["active"]),
        "first_seat": turn_of(state["first_seat"]),
        "end_token": turn_of(state["end_token"]),
        "last_turns": int(state["last_turns"]),
        "phase": phase,
        "trade": int(state["trade"]),
        "action_taken": int(state["action_taken"]),
        "exhibits": int(state["exhibits"]),
        "turn_flags": [int(state[flag]) for flag in ("favor_played", "patron_taken", "free_exhibit")],
        "moves_made": int(state["moves_made"]),
        "recover_left": int(state["recover_left"]),
        "round": int(state["round"]),
    }


def read_observation(observation: np.ndarray, num_players: int) -> dict[str, Any]:
    """Rebuild what a seat knows from its observation alone: the inverse of ``write_observation``.

    Args:
        observation: int8 of shape (F,).
        num_players: 2, 3 or 4.

    Returns:
        The same as ``knowledge`` of the state and seat that the observation was made of.
    """
    part = {name: feature.of(observation) for name, feature in features(num_players).items()}

    def place(name: str) -> int | None:
        return place_or_none(part[name])

    def place_or_none(columns: np.ndarray) -> int | None:
        return int(columns.argmax()) if columns.any() else None

    def places(columns: np.ndarray) -> list[int]:
        return np.flatnonzero(columns).tolist()

    def number_or_none(bits: np.ndarray) -> int | None:
        return from_bits(bits) - 1 if bits.any() else None

    def of_seats(name: str) -> np.ndarray:
        return part[name][:num_players]

    return {
        "hand": places(part["hand"]),
        "museums": [places(museum) for museum in part["museums"]],
        "discards": [places(pile) for pile in of_seats("discards")],
        "slots": [[number_or_none(bits) for bits in museum] for museum in of_seats("slots")],
        "on_the_way": place("on_the_way"),
        "from_museum": place("from_museum"),
        "from_seat": place("from_seat"),
        "token_kind": place("token_kind"),
        "chosen_slot": place("chosen_slot"),
        "public_trend": place("public_trend"),
        "museum_trends": [place_or_none(trend) for trend in part["museum_trends"]],
        "used_trends": places(part["used_trends"]),
        "secret_trends": [place_or_none(trend) for trend in of_seats("secret_trends")],
        "dealt_trends": [place_or_none(trend) for trend in part["dealt_trends"]],
        "favors": part["favors"].tolist(),
        "favors_held": of_seats("favors_held").tolist(),
        "used_favors": part["used_favors"].tolist(),
        "shown_patrons": [place_or_none(patron) for patron in part["shown_patrons"]],
        "claimed_patrons": [places(patrons) for patrons in of_seats("claimed_patrons")],
        "replaced_patrons": places(part["replaced_patrons"]),
        "tokens_left": part["tokens_left"].sum(axis=1).tolist(),
        "kinds_shown": [places(kinds) for kinds in of_seats("kinds_shown")],
        "spaces": [[number_or_none(bits) for bits in spaces] for spaces in of_seats("spaces")],
        "exhibitions": of_seats("exhibitions").tolist(),
        "prestige": [from_bits(bits) for bits in of_seats("prestige")],
        "markers": [from_bits(bits) for bits in of_seats("markers")],
        "hand_sizes": [from_bits(bits) for bits in of_seats("hand_sizes")],
        "deck_sizes": [from_bits(part[f"{deck}_deck_size"]) for deck in ("painting", "trend", "favor", "patron")],
        "to_move": place("to_move"),
        "active": place("active"),
        "first_seat": place("first_seat"),
        "end_token": place("end_token"),
        "last_turns": int(part["last_turns"].sum()),
        "phase": PHASE_NAMES[int(part["phase"].argmax())],
        "trade": place("trade"),
        "action_taken": place("action_taken"),
        "exhibits": from_bits(part["exhibits"]),
        "turn_flags": part["turn_flags"].tolist(),
        "moves_made": from_bits(part["moves_made"]),
        "recover_left": from_bits(part["recover_left"]),
        "round": from_bits(part["round"]),
    }
