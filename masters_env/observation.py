"""What a seat sees: the compiled observation, the feature table that names its columns, and the way back.

Own seat comes first, the others follow in turn order, so that one network plays every seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.columns import write_at_least, write_bits, write_counts, write_place
from env_core.compile import compiled
from env_core.features import FeatureTable, from_bits
from masters_env.rules import seat_after
from masters_env.state import (
    ARTISTS,
    CARD_TYPES,
    CARDS,
    EXTRA_CARD,
    FIRST_HAND,
    NOBODY,
    NOTHING,
    PHASE_NAMES,
    PHASES,
    ROUNDS,
    VALUE_TOKENS,
)

MOST_OF_A_TYPE = 15
MOST_OF_AN_ARTIST = 21
MOST_IN_HAND = 95
MOST_TOKENS = int(VALUE_TOKENS.max()) * ROUNDS
MOST_AWARDS = ARTISTS
TOTAL_BITS = 11
DECK_BITS = 7
CARD_BITS = 5


def features(num_players: int) -> FeatureTable:
    """The columns of an observation.

    Args:
        num_players: 2 to 5; the other options do not change the columns.
    """
    return FeatureTable(
        [
            ("hand", (CARD_TYPES,), "own hand: cards of each type", MOST_OF_A_TYPE),
            ("own_face_down", (CARD_TYPES,), "own face-down cards of each type", MOST_OF_A_TYPE),
            ("own_choice", (CARD_TYPES,), "own card in a simultaneous play, not yet shown"),
            ("displays", (num_players, ARTISTS), "works face up by artist, own display first", MOST_OF_AN_ARTIST),
            ("face_down_counts", (num_players,), "face-down cards of each seat, own first", MOST_IN_HAND),
            ("has_chosen", (num_players,), "each seat has chosen in a simultaneous play, own first"),
            ("on_table", (CARD_TYPES,), "cards of each type face up this round, extra card included", MOST_OF_A_TYPE),
            ("gone", (CARD_TYPES,), "cards of each type that have left the game", MOST_OF_A_TYPE),
            ("extra_card", (CARD_TYPES,), "the round's extra card"),
            ("works", (ARTISTS,), "works face up on the table against the limit, by artist", MOST_OF_AN_ARTIST),
            ("tokens", (ARTISTS,), "sum of the value tokens on each artist", MOST_TOKENS),
            ("awards", (ARTISTS,), "award tokens on each artist", MOST_AWARDS),
            ("scoring", (ARTISTS,), "the artist's works score at the end of this round (while extra cards are added)"),
            ("may_add", (ARTISTS,), "the seat to move may add a card of this artist"),
            ("may_add_any", (ARTISTS,), "the seat to move may add at least 1, 2, ... cards of whatever artist"),
            ("played_artist", (ARTISTS,), "artist of the card whose symbol acts"),
            ("phase", (PHASES,), f"the phase: {', '.join(PHASE_NAMES)}"),
            ("round", (ROUNDS,), "the round"),
            ("to_move", (num_players,), "whose decision it is, own seat first; all 0 when the game is over"),
            ("active", (num_players,), "whose turn it is, or who ended the round; own seat first"),
            ("starter", (num_players,), "who started the round, own seat first"),
            ("hand_sizes", (num_players,), "cards in each hand, own first", MOST_IN_HAND),
            ("totals", (num_players, TOTAL_BITS), "each total, own first, bits, lowest first"),
            ("deck_size", (DECK_BITS,), "cards left in the deck, bits, lowest first"),
        ]
    )


def state_features(num_players: int) -> FeatureTable:
    """The columns of the perfect-information observation: what seat 0 sees, all that others hide, and the deck.

    Args:
        num_players: 2 to 5.
    """
    rows: list[Any] = [
        (feature.name, feature.shape, f"as seat 0 sees it: {feature.meaning}", feature.high)
        for feature in features(num_players).values()
    ]
    for seat in range(1, num_players):
        rows += [
            (f"hand_of_seat_{seat}", (CARD_TYPES,), f"cards of each type in the hand of seat {seat}", MOST_OF_A_TYPE),
            (f"face_down_of_seat_{seat}", (CARD_TYPES,), f"face-down cards of seat {seat} by type", MOST_OF_A_TYPE),
            (f"choice_of_seat_{seat}", (CARD_TYPES,), f"card of seat {seat} in a simultaneous play, not yet shown"),
        ]
    deck = CARDS - FIRST_HAND * num_players
    rows.append(("deck", (deck, CARD_BITS), "the deck in drawing order: each card's type + 1, bits, lowest first"))
    return FeatureTable(rows)


@compiled
def turns_to(state: np.void, seat: int, other: int) -> int:
    """How many seats clockwise another seat is from this one; negative for nobody."""
    if other < 0:
        return other
    return other - seat if other >= seat else other - seat + int64(state["num_players"])


@compiled
def write_observation(state: np.void, seat: int, observation: np.ndarray) -> None:
    """Write what a seat sees.

    Args:
        state: One state.
        seat: The seat that looks.
        observation: int8 of shape (F,); written whole.
    """
    fill(observation, 0)
    num_players = int64(state["num_players"])
    offset = write_counts(observation, int64(0), state["hands"][seat], CARD_TYPES)
    offset = write_counts(observation, offset, state["face_down"][seat], CARD_TYPES)
    offset = write_place(observation, offset, int64(state["choice"][seat]), CARD_TYPES)
    for turns in range(num_players):
        offset = write_counts(observation, offset, state["displays"][seat_after(state, seat, turns)], ARTISTS)
    for turns in range(num_players):
        other = seat_after(state, seat, turns)
        observation[offset + turns] = state["face_down_counts"][other]
        observation[offset + num_players + turns] = state["choice"][other] != NOTHING
    offset = write_counts(observation, offset + 2 * num_players, state["on_table"], CARD_TYPES)
    offset = write_counts(observation, offset, state["gone"], CARD_TYPES)
    offset = write_place(observation, offset, int64(state["extra_card"]), CARD_TYPES)
    offset = write_counts(observation, offset, state["works"], ARTISTS)
    offset = write_counts(observation, offset, state["tokens"], ARTISTS)
    offset = write_counts(observation, offset, state["awards"], ARTISTS)
    offset = write_counts(observation, offset, state["scoring"], ARTISTS)
    offset = write_counts(observation, offset, state["may_add"], ARTISTS)
    offset = write_at_least(observation, offset, int64(state["may_add_any"]), ARTISTS)
    offset = write_place(observation, offset, int64(state["played_artist"]), ARTISTS)
    offset = write_place(observation, offset, int64(state["phase"]), PHASES)
    offset = write_place(observation, offset, int64(state["round"]), ROUNDS)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["seat"])), num_players)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["active"])), num_players)
    offset = write_place(observation, offset, turns_to(state, seat, int64(state["starter"])), num_players)
    for turns in range(num_players):
        observation[offset + turns] = state["hand_sizes"][seat_after(state, seat, turns)]
    offset += num_players
    for turns in range(num_players):
        total = int64(state["totals"][seat_after(state, seat, turns)])
        offset = write_bits(observation, offset, total, TOTAL_BITS)
    write_bits(observation, offset, int64(state["deck_size"]), DECK_BITS)


@compiled
def write_perfect_information(state: np.void, observation: np.ndarray) -> None:
    """Write everything, hidden cards included, for centralised critics.

    Args:
        state: One state.
        observation: int8 of shape (S,), see ``state_features``; written whole.
    """
    write_observation(state, int64(0), observation)
    num_players = int64(state["num_players"])
    hidden_columns = (num_players - 1) * 3 * CARD_TYPES + (CARDS - FIRST_HAND * num_players) * CARD_BITS
    offset = len(observation) - hidden_columns
    for seat in range(1, num_players):
        offset = write_counts(observation, offset, state["hands"][seat], CARD_TYPES)
        offset = write_counts(observation, offset, state["face_down"][seat], CARD_TYPES)
        offset = write_place(observation, offset, int64(state["choice"][seat]), CARD_TYPES)
    for place in range(int64(state["deck_size"])):
        card = int64(state["deck"][int64(state["deck_next"]) + place])
        offset = write_bits(observation, offset, card + 1, CARD_BITS)


def knowledge(state: np.void, seat: int) -> dict[str, Any]:
    """All that a seat knows now, in plain Python values, own seat first.

    Args:
        state: One state.
        seat: The seat that looks.
    """
    num_players = int(state["num_players"])
    seats = [(seat + turns) % num_players for turns in range(num_players)]

    def turn_of(other: int) -> int | None:
        return seats.index(other) if other != NOBODY else None

    def type_or_none(card: int) -> int | None:
        return card if card != NOTHING else None

    return {
        "hand": state["hands"][seat].tolist(),
        "own_face_down": state["face_down"][seat].tolist(),
        "own_choice": type_or_none(int(state["choice"][seat])),
        "displays": [state["displays"][other].tolist() for other in seats],
        "face_down_counts": [int(state["face_down_counts"][other]) for other in seats],
        "has_chosen": [bool(state["choice"][other] != NOTHING) for other in seats],
        "on_table": state["on_table"].tolist(),
        "gone": state["gone"].tolist(),
        "extra_card": type_or_none(int(state["extra_card"])),
        "works": state["works"].tolist(),
        "tokens": state["tokens"].tolist(),
        "awards": state["awards"].tolist(),
        "scoring": state["scoring"].tolist(),
        "may_add": state["may_add"].tolist() if state["phase"] == EXTRA_CARD else [0] * ARTISTS,
        "may_add_any": int(state["may_add_any"]),
        "played_artist": type_or_none(int(state["played_artist"])),
        "phase": PHASE_NAMES[state["phase"]],
        "round": int(state["round"]),
        "to_move": turn_of(int(state["seat"])),
        "active": turn_of(int(state["active"])),
        "starter": turn_of(int(state["starter"])),
        "hand_sizes": [int(state["hand_sizes"][other]) for other in seats],
        "totals": [int(state["totals"][other]) for other in seats],
        "deck_size": int(state["deck_size"]),
    }


def read_observation(observation: np.ndarray, num_players: int) -> dict[str, Any]:
    """Rebuild what a seat knows from its observation alone: the inverse of ``write_observation``.

    Args:
        observation: int8 of shape (F,).
        num_players: 2 to 5.

    Returns:
        The same as ``knowledge`` of the state and seat that the observation was made of.
    """
    part = {name: feature.of(observation) for name, feature in features(num_players).items()}

    def place_or_none(columns: np.ndarray) -> int | None:
        return int(columns.argmax()) if columns.any() else None

    as_they_stand = ("hand", "own_face_down", "displays", "face_down_counts", "on_table", "gone", "works", "tokens")
    as_they_stand += ("awards", "scoring", "may_add", "hand_sizes")
    places = ("own_choice", "extra_card", "played_artist", "to_move", "active", "starter")
    known = {
        **{name: part[name].tolist() for name in as_they_stand},
        **{name: place_or_none(part[name]) for name in places},
        "has_chosen": part["has_chosen"].astype(bool).tolist(),
        "may_add_any": int(part["may_add_any"].sum()),
        "phase": PHASE_NAMES[int(part["phase"].argmax())],
        "round": int(part["round"].argmax()),
        "totals": [from_bits(bits) for bits in part["totals"]],
        "deck_size": from_bits(part["deck_size"]),
    }
    return {name: known[name] for name in part}
