"""A rule-of-thumb player of Masters Gallery, worth beating.

It looks one decision ahead and asks of each outcome: where will the artists stand when the round ends, what will the
works on the displays then be worth, and what are the cards in hand good for in the rounds to come?

Its weights are for the default options. With ``extra_card="any_artist"`` it does not count how many cards a display of
many artists lets a player add; there greedy play is its equal with three players and better with four or five.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env_core.batch import BatchEnv
from env_core.policies import RandomPolicy
from masters_env.state import ARTISTS, AWARD_VALUE, EXTRA_CARD, LIMIT_BY_PLAYERS, ROUNDS, SYMBOLS, VALUE_TOKENS


@dataclass(frozen=True)
class Judgement:
    """How the expert weighs what it sees; found by play against greedy and against other weights.

    Attributes:
        own_hand: How much a card in the own hand counts towards its artist's works at the end of the round.
        others_hands: The same for the share of unseen cards in others' hands.
        spread: Works by which artists may still change places, for each work that the leader lacks to the limit.
        least_spread: The same when the round is about to end.
        kept_card: What a card in hand is worth for later rounds, in parts of what its artist's works may bring then.
        new_token: What a work may bring in a later round beyond the tokens that its artist has already.
    """

    own_hand: float = 0.35
    others_hands: float = 0.15
    spread: float = 0.45
    least_spread: float = 0.25
    kept_card: float = 0.35
    new_token: float = 3.0


class MastersExpert:
    """Plays the action after which it judges its margin over the others to be largest.

    What it cannot know has been dealt anew in the states that it is given, so it cannot peek.

    Args:
        judgement: The weights.
    """

    needs_states = True

    def __init__(self, judgement: Judgement | None = None) -> None:
        self.judgement = judgement or Judgement()
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
        """Choose an action in each position; see ``env_core.policies.PolicyWithStates``."""
        positions, actions = np.nonzero(action_mask)
        after = states.states[positions]
        states.game.kernels.advance(after, np.arange(len(after), dtype=np.int64), actions)
        worth = np.full(action_mask.shape, -np.inf)
        worth[positions, actions] = judged_margin(after, seats[positions], states.num_players, self.judgement)
        best = worth >= worth.max(axis=1, keepdims=True) - 1e-9
        return self._choose_among(observation, best, seats, rng)

    def __repr__(self) -> str:
        return "MastersExpert()"


def judged_margin(states: np.ndarray, seats: np.ndarray, num_players: int, judgement: Judgement) -> np.ndarray:
    """By how many points a seat may be expected to beat the mean of the others.

    Args:
        states: Structured array (n,).
        seats: int64 (n,), whose margin is asked for in each.
        num_players: Number of seats.
        judgement: The weights.

    Returns:
        float64 (n,).
    """
    rows = np.arange(len(states))
    hands = states["hands"][:, :num_players].reshape(-1, num_players, ARTISTS, SYMBOLS).sum(axis=3, dtype=np.int64)
    hidden = states["face_down"][:, :num_players].reshape(-1, num_players, ARTISTS, SYMBOLS).sum(axis=3, dtype=np.int64)
    chosen = states["choice"][:, :num_players].astype(np.int64)
    hidden += (chosen[..., None] // SYMBOLS == np.arange(ARTISTS)) & (chosen[..., None] >= 0)
    displays = states["displays"][:, :num_players] + hidden
    value = work_values(states, hands, hidden, seats, num_players, judgement)
    later = (ROUNDS - 1 - states["round"].astype(np.int64))[:, None]
    lasting = states["tokens"] + AWARD_VALUE * states["awards"].astype(np.int64)
    kept = np.where(later > 0, judgement.kept_card * (likely_ranked(lasting) * lasting + judgement.new_token), 0.0)
    points = states["totals"][:, :num_players] + (displays * value[:, None]).sum(axis=2)
    own_kept = (hands[rows, seats] * kept).sum(axis=1)
    own = points[rows, seats]
    others = (points.sum(axis=1) - own) / (num_players - 1)
    return own - others + own_kept


def likely_ranked(lasting: np.ndarray) -> np.ndarray:
    """How likely an artist is to be among the first three of a later round: the worthier, the more it is played."""
    ahead = (lasting[:, None, :] > lasting[:, :, None]).sum(axis=2)
    return np.where(ahead == 0, 0.8, np.where(ahead <= 2, 0.65, 0.5))


def work_values(
    states: np.ndarray,
    hands: np.ndarray,
    hidden: np.ndarray,
    seats: np.ndarray,
    num_players: int,
    judgement: Judgement,
) -> np.ndarray:
    """What a work of each artist may be expected to bring at the end of this round: float64 (n, artists)."""
    rows = np.arange(len(states))
    works = states["works"].astype(np.float64) + hidden.sum(axis=1)
    own = hands[rows, seats].astype(np.float64)
    others = (hands.sum(axis=1) - own).astype(np.float64)
    # The other hands have been dealt at random: what they hold of an artist says little more than its share.
    others = others.sum(axis=1, keepdims=True) / ARTISTS / (num_players - 1)
    strength = works + judgement.own_hand * np.minimum(own, 3) + judgement.others_hands * np.minimum(others, 3)
    lacking = LIMIT_BY_PLAYERS[num_players] - states["works"].max(axis=1)
    spread = (judgement.least_spread + judgement.spread * np.maximum(lacking, 0))[:, None, None]
    tie = 0.1 * (np.arange(ARTISTS)[:, None] > np.arange(ARTISTS)[None, :])
    difference = strength[:, None, :] - strength[:, :, None] + tie[None]
    is_ahead = 1.0 / (1.0 + np.exp(-difference / spread))
    is_ahead[:, np.arange(ARTISTS), np.arange(ARTISTS)] = 0.0
    ahead = is_ahead.sum(axis=2)
    # From the expected number of artists ahead to the chance of being ranked and the token that comes with it.
    ranked = 1.0 / (1.0 + np.exp((ahead - 2.5) / 0.35))
    token = np.interp(ahead, [0.0, 1.0, 2.0, 3.0], [*VALUE_TOKENS.astype(float), 0.0])
    lasting = states["tokens"] + AWARD_VALUE * states["awards"].astype(np.float64)
    expected = ranked * lasting + token
    exact = np.where(states["scoring"] == 1, lasting, 0.0)
    return np.where((states["phase"] == EXTRA_CARD)[:, None], exact, expected)
