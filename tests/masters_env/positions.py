"""Positions of Masters Gallery laid out by hand, for tests. A card is written ``MONET + DRAW``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from env_core.batch import BatchEnv
from masters_env import masters_v0
from masters_env.options import MastersOptions
from tests.masters_env.invariants import assert_possible
from tests.masters_env.second_rules import PACK

VERMEER, DEGAS, MONET, RENOIR, VAN_GOGH = range(0, 30, 6)
PLAIN, DRAW, UP, DOWN, TOGETHER, AWARD = range(6)
PHASES = ("play", "second_up", "second_down", "simultaneous", "award", "extra", "over")


def blank_states(count: int = 1, **options: Any) -> np.ndarray:
    """States of games that have just been dealt, structured (count,)."""
    batch = masters_v0.batch_env(count, **options)
    batch.reset(seed=0)
    return batch.states.copy()


def set_up(
    state: np.void,
    *,
    hands: Sequence[Sequence[int]],
    displays: Sequence[Sequence[int]] = (),
    face_down: Sequence[Sequence[int]] = (),
    chosen: dict[int, int] | None = None,
    extra_card: int = VAN_GOGH,
    deck: Sequence[int] | None = None,
    seat: int = 0,
    active: int | None = None,
    phase: str = "play",
    played_artist: int = -1,
    round_number: int = 0,
    tokens: Sequence[int] = (0, 0, 0, 0, 0),
    awards: Sequence[int] = (0, 0, 0, 0, 0),
    scoring: Sequence[int] = (0, 0, 0, 0, 0),
    may_add: Sequence[int] = (0, 0, 0, 0, 0),
    may_add_any: int = 0,
    totals: Sequence[int] = (),
) -> None:
    """Write a position into a state; artists by number where they are listed.

    The cards that are named nowhere lie in the deck, ascending, or have left the game where a deck is given.
    """
    for name in ("hands", "hand_sizes", "face_down", "face_down_counts", "on_table", "gone", "displays", "works"):
        state[name] = 0
    state["choice"] = -1
    for owner, hand in enumerate(hands):
        for card in hand:
            state["hands"][owner, card] += 1
            state["hand_sizes"][owner] += 1
    for owner, display in enumerate(displays):
        for card in display:
            state["on_table"][card] += 1
            state["displays"][owner, card // 6] += 1
            state["works"][card // 6] += 1
    for owner, hidden in enumerate(face_down):
        for card in hidden:
            state["face_down"][owner, card] += 1
            state["face_down_counts"][owner] += 1
    for owner, card in (chosen or {}).items():
        state["choice"][owner] = card
    state["extra_card"] = extra_card
    state["on_table"][extra_card] += 1
    state["works"][extra_card // 6] += 1
    named = Counter([card for part in (*hands, *displays, *face_down, [extra_card]) for card in part])
    named.update((chosen or {}).values())
    named.update(deck or ())
    assert named <= PACK, f"more cards than there are: {named - PACK}"
    left = sorted((PACK - named).elements())
    if deck is None:
        deck = left
    else:
        for card in left:
            state["gone"][card] += 1
    state["deck"] = 0
    state["deck_next"] = 95 - len(deck)
    state["deck_size"] = len(deck)
    state["deck"][95 - len(deck) :] = deck
    state["seat"] = seat
    state["active"] = seat if active is None else active
    state["starter"] = state["active"]
    state["phase"] = PHASES.index(phase)
    state["played_artist"] = played_artist
    state["round"] = round_number
    state["tokens"] = tokens
    state["awards"] = awards
    state["scoring"] = scoring
    state["may_add"] = may_add
    state["may_add_any"] = may_add_any
    state["totals"] = 0
    state["totals"][: len(totals)] = totals


def position(*, options: dict[str, Any] | None = None, **parts: Any) -> BatchEnv:
    """A batch of one, without auto-reset, that stands as ``set_up`` says."""
    states = blank_states(**(options or {}))
    set_up(states[0], **parts)
    return BatchEnv.from_states(
        masters_v0.GAME, states, options=MastersOptions.from_keywords(options or {}), auto_reset=False
    )


def play(batch: BatchEnv, *cards: int) -> None:
    """Play cards one after the other, whatever for, in a batch of one; each must be legal."""
    for card in cards:
        batch.step([card])


def award(batch: BatchEnv, artist: int) -> None:
    """Put an award token on an artist (by number) in a batch of one."""
    batch.step([masters_v0.GAME.moves.encode(batch.states[0], {"kind": "award", "artist": artist})])


def decline(batch: BatchEnv) -> None:
    """Decline in a batch of one."""
    batch.step([masters_v0.GAME.moves.encode(batch.states[0], {"kind": "decline"})])


def legal(batch: BatchEnv) -> list[int]:
    """The legal action numbers of a batch of one."""
    return np.flatnonzero(batch.action_mask[0]).tolist()


def phase_of(batch: BatchEnv) -> tuple[int, str]:
    """Who is asked for what in a batch of one."""
    return int(batch.seat[0]), PHASES[batch.states[0]["phase"]]


def checked(batch: BatchEnv) -> BatchEnv:
    """The same batch of one, whose state must be possible."""
    assert_possible(batch.states[0])
    return batch
