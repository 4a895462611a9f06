"""What a seat sees: the compiled observation, the feature table that names its columns, and the way back.

Own side and own seat come first, the others follow in turn order, so that one network plays every seat.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64

from env_core.arrays import fill
from env_core.columns import write_at_least, write_bits
from env_core.compile import compiled
from env_core.features import FeatureTable, from_bits
from musee_env.rules import is_team_game, museum_of, seat_after
from musee_env.state import (
    COLUMNS_BY_PLAYERS,
    EMPTY,
    FIRST_HAND,
    GALLERIES,
    HAND_LIMIT_BY_PLAYERS,
    LAST_CARD,
    MAX_GAMES_TO_WIN,
    NOBODY,
    PAINTINGS_BY_PLAYERS,
    THEMES,
    TOKEN_ROWS,
)

SCORE_BITS = 7
DECK_BITS = 6
CARD_BITS = 6


def features(num_players: int) -> FeatureTable:
    """The columns of an observation.

    Args:
        num_players: 2, 3 or 4; the other options do not change the columns.
    """
    paintings, columns = PAINTINGS_BY_PLAYERS[num_players], COLUMNS_BY_PLAYERS[num_players]
    hand_limit = HAND_LIMIT_BY_PLAYERS[num_players]
    sides = 2 if num_players == 4 else num_players
    rows: list[Any] = []
    for turn in range(sides):
        whose = "own" if turn == 0 else "next" if turn == 1 else "last"
        rows += [
            (
                f"museum_{turn}_themes",
                (GALLERIES, columns, THEMES),
                f"{whose} museum: theme (number mod 5) of the painting in each space; all 0 in an empty space",
            ),
            (
                f"museum_{turn}_paintings",
                (GALLERIES, paintings),
                f"{whose} museum: painting 1.. hangs in the gallery (from left to right numbers rise)",
            ),
            (f"museum_{turn}_bonus_cards", (GALLERIES,), f"{whose} museum holds the bonus card of top, middle, bottom"),
            (f"museum_{turn}_score", (SCORE_BITS,), f"{whose} museum's score in this game, bits, lowest first"),
            (
                f"side_{turn}_games_won",
                (MAX_GAMES_TO_WIN,),
                f"{whose} side has won at least 1, 2, ... games of the match",
            ),
        ]
    rows += [
        ("games_to_win", (MAX_GAMES_TO_WIN,), "the match is to at least 1, 2, ... wins"),
        ("staircases", (TOKEN_ROWS, columns), "staircase in the upper and lower row of tokens"),
        ("hand", (hand_limit, paintings), "own hand: painting 1.. in each slot, lowest first"),
        ("hand_sizes", (num_players, hand_limit), "each seat holds at least 1, 2, ... cards, own seat first"),
        ("out", (num_players,), "each seat is out, own seat first"),
        ("to_move", (num_players,), "whose turn it is, own seat first; all 0 when the episode is over"),
        ("deck_size", (DECK_BITS,), "cards left in the deck, bits, lowest first"),
    ]
    if num_players == 4:
        rows += [
            ("last_card_decision", (1,), "the seat to move keeps or gives its team's last card"),
            ("last_card_taken", (sides,), "each team has taken its last card, own team first"),
            (
                "given_when_out",
                (num_players,),
                "each seat was given its team's last card after it was out, own seat first",
            ),
        ]
    return FeatureTable(rows)


def state_features(num_players: int) -> FeatureTable:
    """The columns of the perfect-information observation: what seat 0 sees, the other hands, and the deck.

    Args:
        num_players: 2, 3 or 4.
    """
    paintings = PAINTINGS_BY_PLAYERS[num_players]
    rows: list[Any] = [
        (feature.name, feature.shape, f"as seat 0 sees it: {feature.meaning}")
        for feature in features(num_players).values()
    ]
    rows += [
        (f"hand_of_seat_{seat}", (paintings,), f"painting 1.. in the hand of seat {seat}")
        for seat in range(1, num_players)
    ]
    first_deck = paintings - FIRST_HAND * num_players
    rows.append(("deck", (first_deck, CARD_BITS), "the deck in drawing order: each card's number, bits, lowest first"))
    return FeatureTable(rows)


@compiled
def write_museum(state: np.void, side: int, observation: np.ndarray, offset: int) -> int:
    """Write all that is public of a side; return the column behind it."""
    columns = int64(state["columns"])
    paintings = int64(state["paintings"])
    numbers = offset + GALLERIES * columns * THEMES
    # Slices, in which places are counted from 0, spare a test for negative places at each store.
    themes_seen = observation[offset:numbers]
    # It starts a column early, so that painting 1 has place 1; an empty space adds 0 there or to a neighbour, without
    # a branch, which could not be predicted.
    paintings_seen = observation[numbers - 1 : numbers + GALLERIES * paintings]
    for gallery in range(GALLERIES):
        for column in range(columns):
            painting = int64(state["museums"][side, gallery, column])
            hangs = np.int8(painting != EMPTY)
            themes_seen[(gallery * columns + column) * THEMES + painting % THEMES] = hangs
            paintings_seen[gallery * paintings + painting] |= hangs
    offset = numbers + GALLERIES * paintings
    for gallery in range(GALLERIES):
        if state["bonus_owner"][gallery] == side:
            observation[offset + gallery] = 1
    offset = write_bits(observation, offset + GALLERIES, int64(state["scores"][side]), SCORE_BITS)
    return write_at_least(observation, offset, int64(state["games_won"][side]), MAX_GAMES_TO_WIN)


@compiled
def write_observation(state: np.void, seat: int, observation: np.ndarray) -> None:
    """Write what a seat sees.

    Args:
        state: One state.
        seat: The seat that looks.
        observation: int8 of shape (F,); written whole.
    """
    fill(observation, 0)
    columns = int64(state["columns"])
    paintings = int64(state["paintings"])
    num_players = int64(state["num_players"])
    num_sides = int64(state["num_sides"])
    hand_limit = int64(state["hand_limit"])
    own_side = museum_of(state, seat)
    offset = int64(0)
    for turn in range(num_sides):
        offset = write_museum(state, museum_of(state, own_side + turn), observation, offset)
    offset = write_at_least(observation, offset, int64(state["games_to_win"]), MAX_GAMES_TO_WIN)
    for row in range(TOKEN_ROWS):
        for column in range(columns):
            observation[offset + row * columns + column] = state["staircases"][row, column]
    offset += TOKEN_ROWS * columns
    for slot in range(int64(state["hand_sizes"][seat])):
        observation[offset + slot * paintings + int64(state["hands"][seat, slot]) - 1] = 1
    offset += hand_limit * paintings
    for turn in range(num_players):
        other = seat_after(state, seat, turn)
        offset = write_at_least(observation, offset, int64(state["hand_sizes"][other]), hand_limit)
    for turn in range(num_players):
        other = seat_after(state, seat, turn)
        observation[offset + turn] = state["out"][other]
        observation[offset + num_players + turn] = state["seat"] == other
    offset = write_bits(observation, offset + 2 * num_players, int64(state["deck_size"]), DECK_BITS)
    if is_team_game(state):
        observation[offset] = state["phase"] == LAST_CARD
        offset += 1
        for turn in range(num_sides):
            observation[offset + turn] = state["last_card_taken"][museum_of(state, own_side + turn)]
        offset += num_sides
        for turn in range(num_players):
            observation[offset + turn] = state["given_when_out"][seat_after(state, seat, turn)]


@compiled
def write_perfect_information(state: np.void, observation: np.ndarray) -> None:
    """Write everything, hidden cards included, for centralised critics.

    Args:
        state: One state.
        observation: int8 of shape (S,), see ``state_features``; written whole.
    """
    paintings = int64(state["paintings"])
    num_players = int64(state["num_players"])
    first_deck = paintings - FIRST_HAND * num_players
    write_observation(state, int64(0), observation)
    offset = len(observation) - (num_players - 1) * paintings - first_deck * CARD_BITS
    for seat in range(1, num_players):
        for slot in range(int64(state["hand_sizes"][seat])):
            observation[offset + int64(state["hands"][seat, slot]) - 1] = 1
        offset += paintings
    for place in range(int64(state["deck_size"])):
        card = int64(state["deck"][int64(state["deck_next"]) + place])
        offset = write_bits(observation, offset, card, CARD_BITS)


def knowledge(state: np.void, seat: int) -> dict[str, Any]:
    """All that a seat knows now, in plain Python values, own seat and side first.

    Args:
        state: One state.
        seat: The seat that looks.
    """
    num_players, num_sides = int(state["num_players"]), int(state["num_sides"])
    columns = int(state["columns"])
    seats = [(seat + turn) % num_players for turn in range(num_players)]
    sides = [(seat + turn) % num_sides for turn in range(num_sides)]
    known: dict[str, Any] = {
        "museums": [state["museums"][side][:, :columns].tolist() for side in sides],
        "bonus_cards": [[bool(owner == side) for owner in state["bonus_owner"]] for side in sides],
        "scores": [int(state["scores"][side]) for side in sides],
        "games_won": [int(state["games_won"][side]) for side in sides],
        "games_to_win": int(state["games_to_win"]),
        "staircases": state["staircases"][:, :columns].tolist(),
        "hand": state["hands"][seat][: state["hand_sizes"][seat]].tolist(),
        "hand_sizes": [int(state["hand_sizes"][other]) for other in seats],
        "out": [bool(state["out"][other]) for other in seats],
        "to_move": seats.index(int(state["seat"])) if state["seat"] != NOBODY else None,
        "deck_size": int(state["deck_size"]),
    }
    if num_players == 4:
        known["last_card_decision"] = bool(state["phase"] == LAST_CARD)
        known["last_card_taken"] = [bool(state["last_card_taken"][side]) for side in sides]
        known["given_when_out"] = [bool(state["given_when_out"][other]) for other in seats]
    return known


def read_observation(observation: np.ndarray, num_players: int) -> dict[str, Any]:
    """Rebuild what a seat knows from its observation alone: the inverse of ``write_observation``.

    Args:
        observation: int8 of shape (F,).
        num_players: 2, 3 or 4.

    Returns:
        The same as ``knowledge`` of the state and seat that the observation was made of.
    """
    table = features(num_players)
    part = {name: feature.of(observation) for name, feature in table.items()}
    sides = range(2 if num_players == 4 else num_players)
    known: dict[str, Any] = {
        "museums": [_read_museum(part[f"museum_{side}_themes"], part[f"museum_{side}_paintings"]) for side in sides],
        "bonus_cards": [part[f"museum_{side}_bonus_cards"].astype(bool).tolist() for side in sides],
        "scores": [from_bits(part[f"museum_{side}_score"]) for side in sides],
        "games_won": [int(part[f"side_{side}_games_won"].sum()) for side in sides],
        "games_to_win": int(part["games_to_win"].sum()),
        "staircases": part["staircases"].tolist(),
        "hand": [int(number) + 1 for number in np.nonzero(part["hand"])[1]],
        "hand_sizes": part["hand_sizes"].sum(axis=1).tolist(),
        "out": part["out"].astype(bool).tolist(),
        "to_move": int(part["to_move"].argmax()) if part["to_move"].any() else None,
        "deck_size": from_bits(part["deck_size"]),
    }
    if num_players == 4:
        known["last_card_decision"] = bool(part["last_card_decision"][0])
        known["last_card_taken"] = part["last_card_taken"].astype(bool).tolist()
        known["given_when_out"] = part["given_when_out"].astype(bool).tolist()
    return known


def _read_museum(themes: np.ndarray, paintings: np.ndarray) -> list[list[int]]:
    museum = np.zeros(themes.shape[:2], dtype=int)
    for gallery in range(GALLERIES):
        # Numbers rise from left to right, so the filled spaces and the numbers tell each other's order.
        museum[gallery, themes[gallery].any(axis=1)] = np.nonzero(paintings[gallery])[0] + 1
    return museum.tolist()
