"""What is true of every state of a game of Museum: Pictura, read from the state's fields without the rules' code."""

from __future__ import annotations

from collections import Counter

import numpy as np

PLACES = ("deck", *(f"hand {s}" for s in range(4)), *(f"discard pile {s}" for s in range(4)))
PLACES += (*(f"museum of {s}" for s in range(4)), *(f"international museum {m}" for m in range(4)), "on the way")


def in_deck(state: np.void, stem: str) -> list[int]:
    """The cards of a deck, in drawing order."""
    first = int(state[f"{stem}_next"])
    return state[f"{stem}_deck"][first : first + int(state[f"{stem}_left"])].tolist()


def paintings_at(state: np.void, place: str) -> list[int]:
    """The paintings in one of ``PLACES``, ascending."""
    return np.flatnonzero(state["where"] == PLACES.index(place)).tolist()


def assert_possible(state: np.void) -> None:
    """Paintings, favors, patrons, trends and tokens are conserved, and what is counted twice is counted alike.

    Raises:
        AssertionError: The state is not possible.
    """
    assert_paintings(state)
    assert_favors_and_patrons(state)
    assert_trends(state)
    assert_exhibitions_and_prestige(state)
    assert_turn(state)


def assert_paintings(state: np.void) -> None:
    players = int(state["num_players"])
    counts = np.bincount(state["where"], minlength=len(PLACES))
    assert len(counts) == len(PLACES), "a painting is nowhere"
    assert sorted(in_deck(state, "painting")) == paintings_at(state, "deck"), "the painting deck"
    for seat in range(4):
        assert state["hand_sizes"][seat] == counts[PLACES.index(f"hand {seat}")], f"size of hand {seat}"
        assert state["discard_sizes"][seat] == counts[PLACES.index(f"discard pile {seat}")], f"discards of {seat}"
        hanging = [int(painting) - 1 for painting in state["slots"][seat] if painting]
        assert sorted(hanging) == paintings_at(state, f"museum of {seat}"), f"museum of {seat}: {hanging}"
        assert state["filled"][seat] == len(hanging)
        for kind in range(11):
            shows = state["painting_period"] if kind < 5 else state["painting_domain"]
            wanted = kind if kind < 5 else kind - 5
            board = sum(1 << s for s in range(25) if (p := int(state["slots"][seat, s])) and shows[p - 1] == wanted)
            assert state["boards"][seat, kind] == board, f"bitboard {kind} of {seat}"
        if seat >= players:
            assert not hanging
            assert counts[PLACES.index(f"hand {seat}")] == counts[PLACES.index(f"discard pile {seat}")] == 0
    giving, placing = state["phase"] == 2, state["phase"] in (4, 5)
    assert counts[PLACES.index("on the way")] == (giving or placing), "a painting is on its way"
    for museum in range(4):
        taken = giving and state["chosen_from"] == museum
        assert counts[PLACES.index(f"international museum {museum}")] == 4 - taken, f"international museum {museum}"
    if giving or placing:
        assert PLACES[state["where"][state["chosen"]]] == "on the way"


def assert_favors_and_patrons(state: np.void) -> None:
    types = int(state["favor_types"])
    deck = Counter(in_deck(state, "favor"))
    for favor in range(24):
        copies = int(state["favors"][:, favor].sum()) + int(state["used_favors"][favor]) + deck[favor]
        assert copies == state["favor_copies"][favor], f"{copies} favors of type {favor}"
    assert not state["favors"][:, types:].any()
    assert (state["favors"].sum(axis=1) == state["favors_held"]).all()
    shown = [int(patron) for patron in state["shown"] if patron >= 0]
    assert sorted(in_deck(state, "patron")) == np.flatnonzero(state["patron_where"] == 0).tolist(), "the patron deck"
    assert sorted(shown) == np.flatnonzero(state["patron_where"] == 1).tolist(), f"patrons shown are {shown}"
    for seat in range(4):
        assert state["patrons_claimed"][seat] == (state["patron_where"] == 3 + seat).sum(), f"patrons of {seat}"
    if len(shown) < 5:
        assert not in_deck(state, "patron"), "a place is empty, but the deck is not"


def assert_trends(state: np.void) -> None:
    players = int(state["num_players"])
    dealt = state["dealt_trends"][:players]
    secret = state["secret_trend"][:players]
    choosing = state["phase"] == 0
    seen = [int(state["public_trend"]), *state["museum_trends"].tolist()]
    seen += dealt.ravel().tolist() if choosing else secret.tolist()
    seen += np.flatnonzero(state["used_trends"]).tolist() + in_deck(state, "trend")
    assert sorted(seen) == list(range(30)), f"trends are {sorted(seen)}"
    for seat in range(players):
        assert secret[seat] in dealt[seat] or (choosing and secret[seat] == -1), f"secret trend of {seat}"


def assert_exhibitions_and_prestige(state: np.void) -> None:
    players, over = int(state["num_players"]), state["phase"] == 15
    waiting = int(state["chosen"]) if state["phase"] == 7 else None
    for seat in range(players):
        shown = np.flatnonzero(state["kinds_shown"][seat]).tolist()
        on_spaces = [int(kind) - 1 for kind in state["spaces"][seat] if kind]
        if waiting is not None and seat == state["seat"]:
            on_spaces.append(waiting)
        assert sorted(on_spaces) == shown, f"tokens of {seat}: {on_spaces}, shown: {shown}"
        assert state["exhibitions"][seat] == len(shown) <= 6
        assert state["prestige"][seat] >= 0
        assert over or state["prestige"][seat] < state["markers"][seat], f"favor marker of {seat}"
        assert (int(state["markers"][seat]) - int(state["first_marker"])) % int(state["marker_step"]) == 0
    assert (state["kinds_shown"].sum(axis=0) + state["tokens_left"] == 2).all(), "tokens"


def assert_turn(state: np.void) -> None:
    players, phase, seat = int(state["num_players"]), int(state["phase"]), int(state["seat"])
    assert phase in range(16)
    assert (seat == -1) == (phase == 15)
    assert seat < players
    if phase in (1, 2):
        assert (seat == state["active"]) or state["trade"] == 1
    elif phase not in (0, 15):
        assert seat == state["active"], "another than the active player is asked"
    limits = [25] * (phase >= 13) + [int(state["rearrange_limit"])] * (phase not in (13, 14))
    assert state["moves_made"] <= max(limits), f"{state['moves_made']} rearranging moves"
    assert state["truncated"] == 0 or phase == 15
    assert state["last_turns"] < players
    assert state["end_token"] >= 0 or state["last_turns"] == 0
    assert (state["recover_left"] > 0) == (phase == 10)
    if phase == 11:
        assert state["hand_sizes"][seat] > 8
    if phase == 12:
        assert state["favors_held"][seat] > 3
    assert not state["forced"].any()
    made_anew = state["made_anew"] >= 0
    assert not state["anew_orders"][~made_anew].any(), "a deck's order stays in the state"
    for name in ("prestige", "markers", "hand_sizes", "discard_sizes", "favors_held", "patrons_claimed", "exhibitions"):
        assert not state[name][players:].any(), f"{name} of a seat that is not in play"
