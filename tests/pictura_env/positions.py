"""Positions of Museum: Pictura laid out by hand, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from env_core.batch import BatchEnv
from pictura_env import pictura_v0, rules
from pictura_env.options import PicturaOptions
from pictura_env.state import FINAL_MENU, MENU, NOTHING, PATRON_REPLACED, PATRON_SHOWN
from tests.pictura_env.invariants import PLACES, assert_possible, in_deck, paintings_at

Museum = Mapping[int, int]
"""Slot to painting."""


def painting(painter: int, domain: int) -> int:
    """The painting's number in the default card file."""
    return painter * 6 + domain


def set_up(
    state: np.void,
    *,
    phase: int = MENU,
    seat: int = 0,
    hands: Sequence[Sequence[int]] = ((), ()),
    museums: Sequence[Museum] = (),
    discards: Sequence[Sequence[int]] = (),
    international: Sequence[Sequence[int]] = (),
    deck: Sequence[int] | None = None,
    rest: str = "deck",
    favors: Sequence[Sequence[int]] = (),
    used_favors: Sequence[int] = (),
    favor_deck: Sequence[int] | None = None,
    shown: Sequence[int] | None = None,
    claimed: Sequence[Sequence[int]] = (),
    patron_deck: Sequence[int] | None = None,
    public_trend: int = 0,
    museum_trends: Sequence[int] = (1, 2, 3, 4),
    secret: Sequence[int] = (),
    trend_deck: Sequence[int] | None = None,
    spaces: Sequence[Mapping[int, int]] = (),
    prestige: Sequence[int] = (),
    markers: Sequence[int] = (),
    **fields: Any,
) -> None:
    """Write a position into a state of a game that has been dealt.

    Of each sort of card, what is not named lies in its deck, ascending, unless the deck is given: then it lies with
    what has been used (favors, trends), replaced (patrons), or in the place ``rest`` (paintings).

    Args:
        state: Changed.
        phase: What is asked.
        seat: Who is asked, and whose turn it is.
        hands: Paintings, for each seat.
        museums: Slot to painting, for each seat.
        discards: Paintings, for each seat.
        international: Paintings in each international museum; filled up from the last paintings not named.
        deck: The painting deck in drawing order.
        rest: Where paintings lie that are not named, one of ``PLACES``.
        favors: Types held, for each seat.
        used_favors: Types played or discarded; not together with ``favor_deck``.
        favor_deck: In drawing order.
        shown: Patron in each place, ``NOTHING`` in an empty one; by default 0 to 4 where not claimed.
        claimed: Patrons, for each seat.
        patron_deck: In drawing order.
        public_trend: The public trend.
        museum_trends: The trend of each international museum.
        secret: Secret trends, for each seat; by default the last ones.
        trend_deck: In drawing order.
        spaces: Reward space to kind of the token on it, for each seat.
        prestige: For each seat.
        markers: Favor markers, for each seat; by default as prestige has it.
        **fields: Other fields of the state.
    """
    players = int(state["num_players"])
    rules.clear_table(state)
    state["phase"], state["seat"], state["active"], state["first_seat"] = phase, seat, seat, 0
    named = [*sum(map(list, (*hands, *discards, *international, deck or ())), [])]
    named += [hanging for museum in museums for hanging in museum.values()]
    assert len(set(named)) == len(named), "a painting is named twice"
    free = [number for number in range(180) if number not in named]
    museum_rows = [list(row) for row in international] + [[] for _ in range(4 - len(international))]
    for row in museum_rows:
        while len(row) < 4:
            row.append(free.pop())
    state["where"] = PLACES.index(rest)
    for places, name in ((hands, "hand"), (discards, "discard pile"), (museum_rows, "international museum")):
        for number, paintings in enumerate(places):
            state["where"][list(paintings)] = PLACES.index(f"{name} {number}")
    for owner, museum in enumerate(museums):
        for slot, hanging in museum.items():
            rules.hang(state, owner, slot, hanging)
            state["where"][hanging] = PLACES.index(f"museum of {owner}")
        state["filled"][owner] = len(museum)
    if deck:
        state["where"][list(deck)] = PLACES.index("deck")
    for owner in range(4):
        state["hand_sizes"][owner] = len(paintings_at(state, f"hand {owner}"))
        state["discard_sizes"][owner] = len(paintings_at(state, f"discard pile {owner}"))
    lay_deck(state, "painting", paintings_at(state, "deck") if deck is None or rest == "deck" else deck)

    left = [favor for favor in range(24) for _ in range(int(state["favor_copies"][favor]))]
    for owner, types in enumerate(favors):
        for favor in types:
            state["favors"][owner, favor] += 1
            left.remove(favor)
        state["favors_held"][owner] = len(types)
    used = list(used_favors)
    for favor in used if favor_deck is None else favor_deck:
        left.remove(favor)
    in_favor_deck = left if favor_deck is None else favor_deck
    for favor in used if favor_deck is None else left:
        state["used_favors"][favor] += 1
    lay_deck(state, "favor", in_favor_deck)

    for owner, patrons in enumerate(claimed):
        for patron in patrons:
            state["patron_where"][patron] = 3 + owner
        state["patrons_claimed"][owner] = len(patrons)
    if shown is None:
        shown = np.flatnonzero(state["patron_where"] == 0)[:5].tolist()
    state["shown"] = shown
    for patron in shown:
        if patron != NOTHING:
            state["patron_where"][patron] = PATRON_SHOWN
    unplaced = np.flatnonzero(state["patron_where"] == 0).tolist()
    if patron_deck is not None:
        for patron in unplaced:
            if patron not in patron_deck:
                state["patron_where"][patron] = PATRON_REPLACED
    lay_deck(state, "patron", unplaced if patron_deck is None else patron_deck)

    state["public_trend"] = public_trend
    state["museum_trends"] = museum_trends
    taken = [public_trend, *museum_trends, *secret, *(trend_deck or ())]
    others = [trend for trend in range(30) if trend not in taken]
    for owner in range(players):
        kept = secret[owner] if owner < len(secret) else others.pop()
        state["secret_trend"][owner] = kept
        state["dealt_trends"][owner] = [kept, others[2 * owner], others[2 * owner + 1]]
    if trend_deck is None:
        lay_deck(state, "trend", others)
    else:
        state["used_trends"][others] = 1
        lay_deck(state, "trend", trend_deck)

    for owner, tokens in enumerate(spaces):
        for space, kind in tokens.items():
            state["spaces"][owner, space] = kind + 1
            state["kinds_shown"][owner, kind] = 1
            state["tokens_left"][kind] -= 1
        state["exhibitions"][owner] = len(tokens)
    state["prestige"][:players] = list(prestige) or [5] * players
    step = int(state["marker_step"])
    for owner in range(players):
        reached = int(state["first_marker"])
        while reached <= state["prestige"][owner]:
            reached += step
        state["markers"][owner] = markers[owner] if markers else reached
    for name, value in fields.items():
        state[name] = value
    if phase == FINAL_MENU:
        state["end_token"] = fields.get("end_token", 0)
    assert_possible(state)


def lay_deck(state: np.void, stem: str, cards: Sequence[int]) -> None:
    """Let a deck hold the given cards, in drawing order."""
    size = len(state[f"{stem}_deck"])
    state[f"{stem}_deck"] = 0
    state[f"{stem}_next"], state[f"{stem}_left"] = size - len(cards), len(cards)
    state[f"{stem}_deck"][size - len(cards) :] = cards


def position(*, options: dict[str, Any] | None = None, **parts: Any) -> BatchEnv:
    """A batch of one, without auto-reset, that stands as ``set_up`` says."""
    batch = pictura_v0.batch_env(1, **(options or {}))
    batch.reset(seed=0)
    states = batch.states.copy()
    set_up(states[0], **parts)
    checked = PicturaOptions.from_keywords(options or {})
    return BatchEnv.from_states(pictura_v0.GAME, states, options=checked, auto_reset=False)


def play(batch: BatchEnv, kind: str, **words: Any) -> Any:
    """Play a move, in words, in a batch of one; the buffers."""
    result = batch.step([pictura_v0.GAME.moves.encode(batch.states[0], {"kind": kind, **words})])
    assert_possible(batch.states[0])
    return result


def exhibit(batch: BatchEnv, painting: int, slot: int, pay: int | None = None, source: Any = "hand") -> Any:
    """Exhibit a painting, in a batch of one; ``pay`` is None where the exhibit is free."""
    play(batch, "exhibit", painting=painting, **{"from": source})
    result = play(batch, "place", slot=slot)
    return result if pay is None else play(batch, "pay", painting=pay)


def legal_words(batch: BatchEnv, *kinds: str) -> list[dict[str, Any]]:
    """The legal actions of a batch of one, in words; of some kinds only, if any are named."""
    words = [batch.describe(0, int(action)) for action in np.flatnonzero(batch.action_mask[0])]
    return [word for word in words if not kinds or word["kind"] in kinds]


def legal_kinds(batch: BatchEnv) -> set[str]:
    """The kinds of moves that are legal in a batch of one."""
    return {word["kind"] for word in legal_words(batch)}


def hand_of(batch: BatchEnv, seat: int) -> list[int]:
    """A seat's hand in a batch of one, ascending."""
    return paintings_at(batch.states[0], f"hand {seat}")


def discards_of(batch: BatchEnv, seat: int) -> list[int]:
    """A seat's discard pile in a batch of one, ascending."""
    return paintings_at(batch.states[0], f"discard pile {seat}")


def museum_of(batch: BatchEnv, seat: int) -> dict[int, int]:
    """Slot to painting of a seat's museum in a batch of one."""
    return {slot: int(hanging) - 1 for slot, hanging in enumerate(batch.states[0]["slots"][seat]) if hanging}


def deck_of(batch: BatchEnv, stem: str) -> list[int]:
    """A deck of a batch of one, in drawing order."""
    return in_deck(batch.states[0], stem)
