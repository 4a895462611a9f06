"""A strong player of Masters Gallery: it tries each of its actions in a few quick playouts of the round.

For each legal action it plays the round to its end several times. Each time all that the seat cannot know is dealt
anew, alike for all actions, and every seat plays by a quick rule: the artist after which it would be furthest ahead of
the others if the round ended now, and at the end of the round each extra card that is worth more now than kept. After
some playouts the worse half of the actions is dropped, and the others are tried some more times.

A playout is worth the margin in points over the mean of the others, cards that are left in hand included: in later
rounds they bring what their artist's works are worth then, and more so with the extra cards of a round's end. After the
last round they are worth nothing. So who will be ranked, whether to end the round, what symbols are good for and how
many extra cards there are under either rule all come from the game's own rules; only what a kept card is worth is a
guess (``Weights``).

Its win rate alone against greedy play in all other seats, by the option ``extra_card``::

    players   chance    same_artist         any_artist
    2         0.50      0.87                0.95
    3         0.33      0.77                0.85
    4         0.25      0.69                0.76
    5         0.20      0.60                0.67

These are means of two runs of ``gallery arena masters greedy expert -p N -o extra_card=... --deals 300 --seed S`` with
the seeds 0 and 1, from the pairs in their ``arena.json``.
"""

# Compiled code: hints say int where plain Python has NumPy's integers too; the types that count are Numba's.
# mypy: disable-error-code="arg-type, assignment, return-value"

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy import int64

from env_core.batch import BatchEnv
from env_core.compile import compiled
from env_core.policies import RandomPolicy
from env_core.random import row_word
from masters_env.hidden import resample_hidden
from masters_env.rules import apply, has_card_of, may_play, turns_from, value_of_work, works_on_display
from masters_env.state import (
    ACTIONS,
    ARTISTS,
    AWARD_ACTION,
    AWARD_VALUE,
    AWARDING,
    CARD_TYPES,
    DEALT_BY_ROUND,
    DECLINE,
    EXTRA_CARD,
    LIMIT_BY_PLAYERS,
    NOTHING,
    OVER,
    PLAYING,
    RANKED_ARTISTS,
    ROUNDS,
    SECOND_DOWN,
    SECOND_UP,
    STATE,
    SYMBOLS,
    VALUE_TOKENS,
)

FIRST_PLAYOUTS = 6
"""So many playouts each action gets."""
MORE_PLAYOUTS = 8
"""So many more the better half of the actions gets."""


class Weights(NamedTuple):
    """What a card in hand at the end of a round is worth, in points; found by play against greedy and other weights.

    Attributes:
        kept_card: Any card, if one round is to come.
        further_round: The same for each round to come beyond that one.
        lasting: Share of the tokens and awards that its artist has by then.
    """

    kept_card: float = 1.5
    further_round: float = 0.5
    lasting: float = 0.6


# Places in Weights, and rows of the compiled code's scratch: one number for each artist.
WEIGHT_KEPT_CARD, WEIGHT_FURTHER_ROUND, WEIGHT_LASTING = range(3)
WORKS, LEAD, VALUE, KEPT, SCRATCH_ROWS = range(5)


class MastersExpert:
    """Plays the action that does best in a few playouts of the round.

    What it cannot know has been dealt anew in the states that it is given, and is dealt anew for each playout, so it
    cannot peek.

    Args:
        weights: What cards in hand are worth at the end of a round.
    """

    needs_states = True

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = Weights() if weights is None else weights
        self._choose_among = RandomPolicy()

    def __call__(
        self,
        observation: np.ndarray,
        action_mask: np.ndarray,
        seats: np.ndarray,
        rng: np.random.Generator,
        *,
        states: BatchEnv,
    ) -> np.ndarray:
        """Choose an action in each position; see ``env_core.policies.PolicyWithStates``.

        Raises:
            ValueError: The states are not those of Masters Gallery.
        """
        if states.states.dtype != STATE:
            raise ValueError(f"the expert plays Masters Gallery, not {states.game.title}.")
        worth = np.full(action_mask.shape, -np.inf)
        judge_actions(
            states.states,
            np.ascontiguousarray(seats, dtype=np.int64),
            np.ascontiguousarray(action_mask),
            np.uint64(rng.integers(2**63)),
            np.array(self.weights, dtype=np.float64),
            np.zeros(2, dtype=STATE),
            worth,
        )
        best = worth == worth.max(axis=1, keepdims=True)
        return self._choose_among(observation, best, seats, rng)

    def __repr__(self) -> str:
        return "MastersExpert()" if self.weights == Weights() else f"MastersExpert({self.weights})"


# --- Playouts ------------------------------------------------------------------------------------------------------


@compiled(allocates=True)
def judge_actions(
    states: np.ndarray,
    seats: np.ndarray,
    action_masks: np.ndarray,
    seed: np.uint64,
    weights: np.ndarray,
    tables: np.ndarray,
    worth: np.ndarray,
) -> None:
    """Write what each action brings in playouts; actions that were dropped keep what stands there.

    Args:
        states: Structured array (n,); they stay as they are.
        seats: int64 (n,), the seats to move.
        action_masks: int8 (n, A).
        seed: uint64, where all chance comes from.
        weights: float64, ``Weights``.
        tables: Structured array (2,), scratch: the position dealt anew, and a playout from it.
        worth: float64 (n, A); written: the sum over the playouts, in points.
    """
    scratch = np.zeros((SCRATCH_ROWS, ARTISTS), np.float64)
    tried = np.zeros(ACTIONS, np.bool_)
    points = np.zeros(ACTIONS, np.float64)
    for row in range(len(seats)):
        number = 0
        for action in range(ACTIONS):
            tried[action] = action_masks[row, action] == 1
            number += tried[action]
            points[action] = 0.0
        # With one action there is nothing to try.
        playouts = FIRST_PLAYOUTS + MORE_PLAYOUTS if number > 1 else 0
        for playout in range(playouts):
            if playout == FIRST_PLAYOUTS:
                drop_worse_half(tried, points, number)
            tables[0] = states[row]
            resample_hidden(tables[0], seats[row], row_word(row_word(seed, row), playout))
            for action in range(ACTIONS):
                if tried[action]:
                    tables[1] = tables[0]
                    points[action] += played_out(tables[1], seats[row], action, weights, scratch)
        for action in range(ACTIONS):
            if tried[action]:
                worth[row, action] = points[action]


@compiled
def drop_worse_half(tried: np.ndarray, points: np.ndarray, number: int) -> None:
    """Try the worse half of the actions no more; two stay at least."""
    for _ in range(min(number // 2, number - 2)):
        worst = NOTHING
        for action in range(ACTIONS):
            if tried[action] and (worst == NOTHING or points[action] < points[worst]):
                worst = action
        tried[worst] = False


@compiled
def played_out(state: np.void, seat: int, action: int, weights: np.ndarray, scratch: np.ndarray) -> float:
    """Play an action and then, all seats by the quick rule, the round to its end: what that is worth to a seat."""
    this_round = int64(state["round"])
    apply(state, action)
    while state["phase"] != OVER and state["round"] == this_round:
        apply(state, quick_action(state, weights, scratch))
    return margin_after_round(state, seat, weights, scratch[KEPT])


@compiled
def margin_after_round(state: np.void, seat: int, weights: np.ndarray, kept: np.ndarray) -> float:
    """A seat's points ahead of the mean of the others, with what the cards are worth that they have kept."""
    num_players = int64(state["num_players"])
    write_kept_values(state, weights, kept)
    # The next round's cards have been dealt. They say nothing of the action, so they count for nobody.
    dealt = int64(DEALT_BY_ROUND[num_players, state["round"]]) if state["phase"] != OVER else 0
    first_dealt = int64(state["deck_next"]) - dealt * num_players
    margin = 0.0
    for other in range(num_players):
        points = float(state["totals"][other])
        for card in range(CARD_TYPES):
            points += kept[card // SYMBOLS] * state["hands"][other, card]
        place = first_dealt + turns_from(state, int64(state["starter"]), other)
        for _ in range(dealt):
            points -= kept[int64(state["deck"][place]) // SYMBOLS]
            place += num_players
        margin += points if other == seat else -points / (num_players - 1)
    return margin


@compiled
def write_kept_values(state: np.void, weights: np.ndarray, kept: np.ndarray) -> None:
    """What a card of each artist is worth that is kept for the rounds after the one that is being, or was, scored."""
    rounds = ROUNDS - int64(state["round"])
    if state["phase"] == EXTRA_CARD:
        rounds -= 1
    elif state["phase"] == OVER:
        rounds = 0
    for artist in range(ARTISTS):
        kept[artist] = 0.0
        if rounds > 0:
            kept[artist] = weights[WEIGHT_KEPT_CARD] + weights[WEIGHT_FURTHER_ROUND] * (rounds - 1)
            kept[artist] += weights[WEIGHT_LASTING] * lasting_value(state, artist)


@compiled
def lasting_value(state: np.void, artist: int) -> int:
    """The tokens and awards that an artist has, ranked or not."""
    return int64(state["tokens"][artist]) + AWARD_VALUE * int64(state["awards"][artist])


# --- The quick rule ------------------------------------------------------------------------------------------------


@compiled
def quick_action(state: np.void, weights: np.ndarray, scratch: np.ndarray) -> int:
    """What a seat plays in a playout."""
    if state["phase"] == EXTRA_CARD:
        return quick_extra_card(state, weights, scratch[KEPT])
    read_table(state, scratch)
    if state["phase"] == AWARDING:
        return AWARD_ACTION + quick_award(scratch)
    return quick_card(state, scratch)


@compiled
def quick_extra_card(state: np.void, weights: np.ndarray, kept: np.ndarray) -> int:
    """Add the card that gains most on being kept, or decline."""
    write_kept_values(state, weights, kept)
    best = NOTHING
    best_gain = 0.0
    for artist in range(ARTISTS):
        gain = value_of_work(state, artist) - kept[artist]
        if gain > best_gain and may_play_artist(state, artist):
            best_gain = gain
            best = artist
    return DECLINE if best == NOTHING else plainest_card(state, best)


@compiled
def read_table(state: np.void, scratch: np.ndarray) -> None:
    """Per artist: works if all were shown, works that the seat to move is ahead of the others' mean, lasting value."""
    num_players = int64(state["num_players"])
    seat = int64(state["seat"])
    for artist in range(ARTISTS):
        scratch[WORKS, artist] = float(state["works"][artist])
        scratch[LEAD, artist] = 0.0
        scratch[VALUE, artist] = lasting_value(state, artist)
    for other in range(num_players):
        weight = 1.0 if other == seat else -1.0 / (num_players - 1)
        all_shown = state["face_down_counts"][other] == 0 and state["choice"][other] == NOTHING
        for artist in range(ARTISTS):
            works = int64(state["displays"][other, artist])
            if not all_shown:
                shown = works
                works = works_on_display(state, other, artist)
                scratch[WORKS, artist] += works - shown
            scratch[LEAD, artist] += weight * works


@compiled
def quick_award(scratch: np.ndarray) -> int:
    """The artist whose award brings the seat to move most if the round ended now."""
    best = 0
    best_margin = -np.inf
    for artist in range(ARTISTS):
        scratch[VALUE, artist] += AWARD_VALUE
        margin = margin_if_ended_now(scratch)
        scratch[VALUE, artist] -= AWARD_VALUE
        if margin > best_margin:
            best_margin = margin
            best = artist
    return best


@compiled
def quick_card(state: np.void, scratch: np.ndarray) -> int:
    """Play a card of the artist that puts the seat furthest ahead if the round ended now; decline if none does."""
    seat = int64(state["seat"])
    best = NOTHING
    best_margin = -np.inf
    if state["phase"] == SECOND_UP or state["phase"] == SECOND_DOWN:
        best_margin = margin_if_ended_now(scratch)
    for turns in range(ARTISTS):
        # Where several are as good, each seat has its own favourite.
        artist = (seat + turns) % ARTISTS
        if may_play_artist(state, artist):
            scratch[WORKS, artist] += 1.0
            scratch[LEAD, artist] += 1.0
            margin = margin_if_ended_now(scratch)
            scratch[WORKS, artist] -= 1.0
            scratch[LEAD, artist] -= 1.0
            if margin > best_margin:
                best_margin = margin
                best = artist
    if best == NOTHING:
        return DECLINE
    acts = state["phase"] == PLAYING and state["works"][best] + 1 < LIMIT_BY_PLAYERS[state["num_players"]]
    return strongest_card(state, best) if acts else plainest_card(state, best)


@compiled
def margin_if_ended_now(scratch: np.ndarray) -> float:
    """How many points the seat to move would be ahead on the displays if the round ended now."""
    works = scratch[WORKS]
    margin = 0.0
    for artist in range(ARTISTS):
        place = 0
        for other in range(artist):
            place += works[other] >= works[artist]
        for other in range(artist + 1, ARTISTS):
            place += works[other] > works[artist]
        if place < RANKED_ARTISTS:
            margin += scratch[LEAD, artist] * (scratch[VALUE, artist] + VALUE_TOKENS[place])
    return margin


@compiled
def may_play_artist(state: np.void, artist: int) -> bool:
    """Whether the seat to move has a card of an artist and may play it now."""
    return may_play(state, artist * SYMBOLS) and has_card_of(state, int64(state["seat"]), artist)


@compiled
def plainest_card(state: np.void, artist: int) -> int:
    """Of a held artist the card whose symbol is missed least where symbols are ignored: the first by number."""
    card = artist * SYMBOLS
    while state["hands"][state["seat"], card] == 0:
        card += 1
    return card


@compiled
def strongest_card(state: np.void, artist: int) -> int:
    """Of a held artist the card whose symbol brings most, roughly: the last by number."""
    card = artist * SYMBOLS + SYMBOLS - 1
    while state["hands"][state["seat"], card] == 0:
        card -= 1
    return card
