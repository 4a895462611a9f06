"""What is true of every state of a game of Musée, read from the state's fields without the rules' code."""

from __future__ import annotations

import numpy as np

from tests.musee_env.second_rules import museum_points


def cards_of(state: np.void) -> dict[str, list[int]]:
    """Where each card is: in a museum, a hand, or the deck."""
    players, sides, columns = int(state["num_players"]), int(state["num_sides"]), int(state["columns"])
    first = int(state["deck_next"])
    return {
        "museums": [int(card) for card in state["museums"][:sides, :, :columns].ravel() if card],
        "hands": [int(card) for seat in range(players) for card in state["hands"][seat][: state["hand_sizes"][seat]]],
        "deck": state["deck"][first : first + int(state["deck_size"])].tolist(),
    }


def assert_possible(state: np.void) -> None:
    """Cards are conserved and unique, hands sorted, galleries rise, scores are right, and somebody can move.

    Raises:
        AssertionError: The state is not possible.
    """
    players, sides, columns = int(state["num_players"]), int(state["num_sides"]), int(state["columns"])
    places = cards_of(state)
    assert sorted(sum(places.values(), [])) == list(range(1, int(state["paintings"]) + 1)), f"cards are {places}"
    for seat in range(players):
        hand = state["hands"][seat].tolist()
        size = int(state["hand_sizes"][seat])
        assert hand[:size] == sorted(hand[:size]), f"the hand {hand} is not sorted"
        assert not any(hand[size:]), f"cards behind the {size} of the hand {hand}"
        assert size <= state["hand_limit"], f"{size} cards in a hand"
    stairs = state["staircases"][:, :columns].tolist()
    assert sorted(map(sum, stairs)) == sorted((columns // 2, columns - columns // 2)), f"staircases {stairs}"
    for side in range(sides):
        museum = state["museums"][side]
        assert not museum[:, columns:].any(), "a painting hangs beyond the last column"
        for gallery in range(3):
            hanging = [int(card) for card in museum[gallery] if card]
            assert hanging == sorted(hanging), f"the gallery {hanging} does not rise"
            assert len(hanging) == state["hung"][side, gallery]
        spaces = {(g, c): int(museum[g, c]) for g in range(3) for c in range(columns) if museum[g, c]}
        bonus_cards = int((state["bonus_owner"] == side).sum())
        assert state["scores"][side] == museum_points(spaces, stairs, columns, bonus_cards), f"score of museum {side}"
    for gallery in range(3):
        owner = int(state["bonus_owner"][gallery])
        filled = [side for side in range(sides) if state["hung"][side, gallery] == columns]
        assert (owner in filled) if filled else owner == -1, f"bonus card {gallery}: owner {owner}, filled by {filled}"
    assert state["phase"] in (0, 1, 2)
    assert (state["seat"] == -1) == (state["phase"] == 2)
    if state["seat"] >= 0:
        assert not state["out"][state["seat"]], "the seat to move is out"
    else:
        assert state["out"][:players].all(), "the game is over, but somebody is not out"
