"""What is true of every state of a game of Masters Gallery, read from the state's fields without the rules' code."""

from __future__ import annotations

from collections import Counter

import numpy as np

from tests.masters_env.second_rules import ARTISTS, LIMIT, PACK, works_by_artist

PHASES = ("play", "second_up", "second_down", "simultaneous", "award", "extra", "over")


def listed(counts: np.ndarray) -> list[int]:
    """Cards counted by type as a list of types, ascending."""
    return [card for card, count in enumerate(counts.tolist()) for _ in range(count)]


def cards_of(state: np.void) -> dict[str, list[int]]:
    """Where each card is, by type."""
    players = range(int(state["num_players"]))
    first = int(state["deck_next"])
    return {
        "hands": [card for seat in players for card in listed(state["hands"][seat])],
        "face down": [card for seat in players for card in listed(state["face_down"][seat])],
        "chosen": [int(state["choice"][seat]) for seat in players if state["choice"][seat] >= 0],
        "on the table": listed(state["on_table"]),
        "gone": listed(state["gone"]),
        "deck": state["deck"][first : first + int(state["deck_size"])].tolist(),
    }


def assert_possible(state: np.void) -> None:
    """Cards are conserved, counts agree with each other, tokens and awards are possible, and somebody can move.

    Raises:
        AssertionError: The state is not possible.
    """
    players = range(int(state["num_players"]))
    phase = PHASES[state["phase"]]
    places = cards_of(state)
    assert Counter(sum(places.values(), [])) == PACK, f"cards are {places}"
    assert state["deck_next"] + state["deck_size"] == 95
    for seat in players:
        assert state["hands"][seat].sum() == state["hand_sizes"][seat], f"size of hand {seat}"
        assert state["face_down"][seat].sum() == state["face_down_counts"][seat], f"face-down cards of seat {seat}"
    for name in ("hands", "face_down", "displays", "hand_sizes", "face_down_counts", "totals", "winning"):
        assert not state[name][len(players) :].any(), f"{name} of a seat that nobody has"
    extra_card = int(state["extra_card"])
    displayed = [int(works) for works in state["displays"].sum(axis=0)]
    if extra_card >= 0:
        assert extra_card in places["on the table"], "the extra card is not on the table"
        displayed[extra_card // 6] += 1
    assert displayed == works_by_artist(places["on the table"]) == state["works"].tolist(), "works on the table"
    rounds_scored = int(state["round"]) + (phase in ("extra", "over"))
    assert state["tokens"].sum() <= 6 * rounds_scored, f"value tokens {state['tokens']} after {rounds_scored} rounds"
    assert state["tokens"].max(initial=0) <= 3 * rounds_scored
    awards_played = [card for card in places["on the table"] + places["gone"] if card % 6 == 5]
    assert state["awards"].sum() + (phase == "award") <= len(awards_played), f"award tokens {state['awards']}"
    limit = LIMIT[len(players)]
    if phase in ("extra", "over"):
        assert not places["face down"]
        assert not places["chosen"]
    else:
        assert max(state["works"]) < limit, f"works {state['works']} at the limit {limit}, but the round goes on"
        assert not state["scoring"].any()
    if phase == "over":
        best = max(state["totals"][seat] for seat in players)
        assert state["seat"] == -1
        assert not places["on the table"]
        assert [bool(state["winning"][seat]) for seat in players] == [state["totals"][seat] == best for seat in players]
        return
    seat = int(state["seat"])
    assert seat in players
    assert int(state["active"]) in players
    assert int(state["starter"]) in players
    assert not state["winning"].any()
    hand = listed(state["hands"][seat])
    if phase == "second_up":
        assert any(card // 6 == state["played_artist"] for card in hand), "asked for a second card without one"
    elif phase == "extra":
        addable = [card for card in hand if state["may_add"][card // 6] or state["may_add_any"]]
        assert addable, "asked for an extra card without one"
    elif phase != "award":
        assert hand, f"asked for a card ({phase}) without one"
    if phase == "simultaneous":
        order = [(int(state["active"]) + turn) % len(players) for turn in range(len(players))]
        asked = order.index(seat)
        for turn, other in enumerate(order):
            assert turn < asked or state["choice"][other] < 0, "chosen before being asked"
            assert turn >= asked or state["choice"][other] >= 0 or not state["hand_sizes"][other], "passed over"
    else:
        assert not places["chosen"]
    assert all(state["awards"][artist] <= 5 for artist in ARTISTS)
