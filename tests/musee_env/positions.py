"""Positions of Musée laid out by hand, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from env_core.batch import BatchEnv
from musee_env import musee_v0, rules
from musee_env.options import MuseeOptions
from musee_env.state import PLACING

Museum = Sequence[Sequence[int]]


def blank_states(count: int = 1, **options: Any) -> np.ndarray:
    """States of games that have just been dealt, structured (count,)."""
    batch = musee_v0.batch_env(count, **options)
    batch.reset(seed=0)
    return batch.states.copy()


def set_up(
    state: np.void,
    *,
    museums: Sequence[Museum] = (),
    hands: Sequence[Sequence[int]],
    deck: Sequence[int] = (),
    seat: int = 0,
    out: Sequence[int] = (),
    staircases: Sequence[Sequence[int]] | None = None,
    last_card_taken: Sequence[int] = (),
    given_when_out: Sequence[int] = (),
) -> None:
    """Write a position into a state: museums of three galleries (0 is an empty space), a hand for each seat, the deck.

    Bonus cards go to the first museum that fills a gallery, in the order in which the museums are given.
    """
    rules.lay_out(state)
    state["phase"] = PLACING
    state["seat"] = seat
    columns = int(state["columns"])
    if staircases is not None:
        state["staircases"][:, :columns] = staircases
    for side, museum in enumerate(museums):
        for gallery, row in enumerate(museum):
            assert len(row) == columns
            for column, card in enumerate(row):
                if card:
                    rules.hang(state, side, gallery, column, card)
            rules.award_bonus_card(state, side, gallery)
    state["hand_sizes"] = 0
    state["hands"] = 0
    for owner, hand in enumerate(hands):
        for card in hand:
            rules.take_into_hand(state, owner, card)
    state["deck"] = 0
    state["deck_next"] = int(state["paintings"]) - len(deck)
    state["deck_size"] = len(deck)
    state["deck"][int(state["deck_next"]) : int(state["paintings"])] = deck
    for name, places in (("out", out), ("last_card_taken", last_card_taken), ("given_when_out", given_when_out)):
        state[name] = 0
        for place in places:
            state[name][place] = 1


def position(*, options: dict[str, Any] | None = None, **parts: Any) -> BatchEnv:
    """A batch of one, without auto-reset, that stands as ``set_up`` says."""
    states = blank_states(**(options or {}))
    set_up(states[0], **parts)
    return BatchEnv.from_states(
        musee_v0.GAME, states, options=MuseeOptions.from_keywords(options or {}), auto_reset=False
    )


def place(batch: BatchEnv, card: int, gallery: int, column: int) -> Any:
    """Play a placement in a batch of one."""
    words = {"kind": "place", "card": card, "gallery": gallery, "column": column}
    return batch.step([musee_v0.GAME.moves.encode(batch.states[0], words)])


def say(batch: BatchEnv, kind: str) -> Any:
    """Play *keep* or *give* in a batch of one."""
    return batch.step([musee_v0.GAME.moves.encode(batch.states[0], {"kind": kind})])


def legal_words(batch: BatchEnv) -> list[dict[str, Any]]:
    """The legal actions of a batch of one, in words."""
    return [batch.describe(0, int(action)) for action in np.flatnonzero(batch.action_mask[0])]


def hand_of(batch: BatchEnv, seat: int) -> list[int]:
    """A seat's hand in a batch of one."""
    return batch.states[0]["hands"][seat][: batch.states[0]["hand_sizes"][seat]].tolist()
