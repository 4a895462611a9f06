"""One seat of every row is a learner's, policies play the others: the core of the Gymnasium doors and of training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium.error import ResetNeeded

from env_core import random
from env_core.batch import BatchEnv, checked_reset_options
from env_core.options import checked_choice, checked_integer
from env_core.policies import Policy, PolicyWithStates, RandomPolicy, call_policy
from env_core.states import as_bytes, copied

AnyPolicy = Policy | PolicyWithStates

ROTATE = "rotate"

ChooseOpponents = Callable[[np.ndarray, np.ndarray], Sequence[Sequence[AnyPolicy]]]
"""``choose(rows (n,), seats (n,)) -> n sequences of P - 1 policies``: who plays the other seats in the games that begin
in ``rows``, in turn order after the learner, who has ``seats``."""

_POLICIES_STREAM = 1
"""Keeps the policies' randomness apart from all else that is drawn from the same seed."""


class LearnerStep(NamedTuple):
    """What a step brought to the learners; fresh arrays.

    Attributes:
        rewards: float64 (N,), all that came to the learner since its last move, whoever moved; in the first step of a
            game also what came before its first move. 0 in a row that was not played.
        terminated: bool (N,), the game of this row ended in this step.
        truncated: bool (N,), the game of this row was cut off in this step.
    """

    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class LearnerSeats:
    """N games in each of which one seat is a learner's and the other seats are played by policies.

    After ``reset``, ``step`` and ``begin_next`` every row either waits for its learner's move or is over. A learner
    that cannot play any more has the others play on to the end. A game that ends before the learner's first move is
    passed over and the next one is dealt. Policies are asked for many rows at once.

    One round of training, in full::

        learners = LearnerSeats(batch_env(256, auto_reset=False), choose_opponents=pool.draw)
        learners.reset(seed=7)
        while True:
            actions = choose(learners.observation(), learners.action_masks())
            rewards, terminated, truncated = learners.step(actions)
            ended = np.flatnonzero(terminated | truncated)
            last_observations, scores = learners.observation(ended), learners.scores(ended)
            learners.begin_next(ended)

    Args:
        batch: The games, made with ``auto_reset=False``; nobody else may step it.
        learner_seat: ``"rotate"``: in row i's k-th game the learner has seat (i + k) % P; or the seat of all games.
        choose_opponents: Asked each time games begin; see ``ChooseOpponents``. Random players by default.

    Attributes:
        batch: The games.
        num_envs: Number of rows, N.
        seats: int64 (N,), the learner's seat in each row's present game.
        games: int64 (N,), the number of each row's present game, counted from 0 since the last seed.
        over: bool (N,), this row's game has ended, or was given up with ``give_up``.

    Raises:
        ValueError: The batch resets itself, or (``OptionError``) there is no such learner seat.
        TypeError: The learner seat is neither a number nor ``"rotate"``.
    """

    def __init__(
        self,
        batch: BatchEnv,
        *,
        learner_seat: int | str = ROTATE,
        choose_opponents: ChooseOpponents | None = None,
    ) -> None:
        if batch.auto_reset:
            raise ValueError("the batch must be made with auto_reset=False: games are dealt when learners are ready.")
        self.batch = batch
        self.num_envs = batch.num_envs
        self.learner_seat = checked_learner_seat(learner_seat, batch.num_players)
        self.choose_opponents = choose_opponents or FixedOpponents(None, batch.num_players)
        self.seats = np.zeros(self.num_envs, dtype=np.int64)
        self.games = np.zeros(self.num_envs, dtype=np.int64)
        self.over = np.zeros(self.num_envs, dtype=np.bool_)
        self._rows = np.arange(self.num_envs, dtype=np.int64)
        self._pending = np.zeros(self.num_envs, dtype=np.float64)
        # The policies in use, and which of them plays each seat.
        self._policies: list[AnyPolicy] = []
        self._plays = np.zeros((self.num_envs, batch.num_players), dtype=np.int64)
        self._rng: np.random.Generator | None = None
        self._ready = False

    # --- Games begin -----------------------------------------------------------------------------------------------

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None, rows: np.ndarray | None = None
    ) -> None:
        """Deal a game in every row, or in some, and play on to the learner's first move.

        Args:
            seed: 0 to 2**63 - 1; row i then begins stream i of this seed with its game number 0, and the policies'
                randomness starts anew. Without one the next game is dealt.
            options: As ``BatchEnv.reset`` takes them. A row dealt from a ``game_seed`` begins with its game number 0.
            rows: int64 (n,), only these rows; every row the first time.

        Raises:
            TypeError, ValueError: As ``BatchEnv.reset``; nothing has changed.
            ResetNeeded: Some rows, before every row has been reset.
        """
        if seed is not None:
            seed = random.checked_seed(seed)
        options = checked_reset_options(options)
        first = self._rng is None
        if rows is None or len(rows) == self.num_envs:
            rows = self._rows
            self.batch.reset(seed, options)
        else:
            self.require_reset()
            self._deal_some(rows, seed, options)
        if seed is not None:
            self._rng = np.random.default_rng((_POLICIES_STREAM, seed))
        elif first:
            self._rng = np.random.default_rng()
        self.games[rows] += 1
        if first or seed is not None or "game_seed" in options:
            self.games[rows] = 0
        self._begin(rows)

    def begin_next(self, rows: np.ndarray) -> None:
        """Deal the next game of their streams in some rows, and play on to the learner's first move.

        Args:
            rows: int64 (n,), each a row once.
        """
        self.require_reset()
        if len(rows):
            self._deal_next(rows)
            self._begin(rows)

    def _deal_next(self, rows: np.ndarray) -> None:
        self.batch.deal_next(rows)
        self.games[rows] += 1

    def _deal_some(self, rows: np.ndarray, seed: int | None, options: dict[str, Any]) -> None:
        if seed is None and not options:
            self.batch.deal_next(rows)
            return
        game_seeds: Any = options.get("game_seed")
        if seed is not None:
            if game_seeds is not None:
                raise ValueError("reset takes a seed or options={'game_seed': ...}, not both.")
            options = {**options, "game_seed": random.first_game_seeds(seed, self.num_envs)[rows]}
        elif np.ndim(game_seeds) > 0:
            if len(game_seeds) != self.num_envs:
                raise ValueError(
                    f"game_seed must be one integer, or {self.num_envs} (one for each row), not {len(game_seeds)}."
                )
            options = {**options, "game_seed": [game_seeds[row] for row in rows]}
        dealt = self.batch.take(rows)
        dealt.reset(options=options)
        states = copied(self.batch.states)
        as_bytes(states)[rows] = as_bytes(dealt.states)
        self.batch.load_states(states)

    def _begin(self, rows: np.ndarray) -> None:
        self._ready = False
        while len(rows):
            self._pending[rows] = 0
            self.over[rows] = False
            if self.learner_seat == ROTATE:
                self.seats[rows] = (rows + self.games[rows]) % self.batch.num_players
            else:
                self.seats[rows] = self.learner_seat
            self._seat_opponents(rows)
            self._play_others(rows)
            rows = rows[self.batch.seat[rows] < 0]
            if len(rows):
                self._deal_next(rows)
        self._ready = True

    def _seat_opponents(self, rows: np.ndarray) -> None:
        others = self.batch.num_players - 1
        chosen = self.choose_opponents(rows, self.seats[rows])
        if len(chosen) != len(rows):
            raise ValueError(f"choose_opponents must choose for {len(rows)} games, not {len(chosen)}.")
        known = len(self._policies)
        # Often many games share one sequence.
        places: dict[int, list[int]] = {}
        for opponents in chosen:
            if id(opponents) not in places:
                if len(opponents) != others:
                    raise ValueError(f"choose_opponents must choose {others} policies a game, not {len(opponents)}.")
                places[id(opponents)] = [self._place(policy) for policy in opponents]
        seated = np.array([places[id(opponents)] for opponents in chosen], dtype=np.int64)
        # The learner's own place is never looked up, but must not keep a policy alive either.
        self._plays[rows] = seated[:, :1]
        for turn in range(others):
            self._plays[rows, (self.seats[rows] + 1 + turn) % self.batch.num_players] = seated[:, turn]
        if len(self._policies) > known:
            # New ones have come, so old ones may have left for good: do not keep them alive.
            used, self._plays = np.unique(self._plays, return_inverse=True)
            self._plays = self._plays.reshape(self.num_envs, -1)
            self._policies = [self._policies[place] for place in used]

    def _place(self, policy: AnyPolicy) -> int:
        for place, known in enumerate(self._policies):
            if known is policy:
                return place
        self._policies.append(policy)
        return len(self._policies) - 1

    # --- Playing ---------------------------------------------------------------------------------------------------

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> LearnerStep:
        """Play the learners' actions and then the other seats, until each learner is to move again or the game is over.

        Args:
            actions: Integers (N,), or one for each of ``rows``.
            rows: int64 (n,), play in these rows only, none of which may be over; by default in all.

        Raises:
            IllegalActionError: An action that is not legal, the message names the row; nothing has moved. Or a policy
                gave one; then a reset is needed.
            ResetNeeded: Before the first reset, after a step that broke off, or in a row that is over.
        """
        self.require_reset()
        rows = self._rows if rows is None else rows
        if self.over[rows].any():
            done = rows[self.over[rows]]
            raise ResetNeeded(f"the games of the rows {short_list(done)} are over: begin the next ones first.")
        batch = self.batch
        result = batch.step(actions, rows)
        self._ready = False
        self._pending[rows] += result.rewards[rows, self.seats[rows]]
        self._play_others(rows)
        self._ready = True
        rewards = np.zeros(self.num_envs, dtype=np.float64)
        terminated, truncated = np.zeros((2, self.num_envs), dtype=np.bool_)
        rewards[rows] = self._pending[rows]
        self._pending[rows] = 0
        terminated[rows] = result.terminated[rows]
        truncated[rows] = result.truncated[rows]
        self.over[rows] = batch.seat[rows] < 0
        return LearnerStep(rewards, terminated, truncated)

    def give_up(self, rows: np.ndarray) -> None:
        """Take the games of some rows for over as they stand.

        Args:
            rows: int64 (n,).
        """
        self.require_reset()
        self.over[rows] = True

    def _play_others(self, rows: np.ndarray) -> None:
        batch = self.batch
        while True:
            seats = batch.seat[rows]
            rows = rows[(seats >= 0) & (seats != self.seats[rows])]
            if not len(rows):
                return
            rewards = batch.step(self._choose(rows), rows).rewards
            self._pending[rows] += rewards[rows, self.seats[rows]]

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        assert self._rng is not None
        if len(self._policies) == 1:
            return call_policy(self._policies[0], self.batch, rows, self._rng)
        playing = self._plays[rows, self.batch.seat[rows]]
        actions = np.empty(len(rows), dtype=np.int64)
        for place in np.unique(playing):
            asked = np.flatnonzero(playing == place)
            actions[asked] = call_policy(self._policies[place], self.batch, rows[asked], self._rng)
        return actions

    # --- Looking ---------------------------------------------------------------------------------------------------

    def observation(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What the learners see, also when the game is over: int8 (N, F), or (n, F) of some rows; fresh.

        Args:
            rows: int64 (n,); by default all.
        """
        self.require_reset()
        batch = self.batch
        observation = batch.observation.copy() if rows is None else batch.observation[rows]
        rows = self._rows if rows is None else rows
        ended = np.flatnonzero(batch.seat[rows] < 0)
        if len(ended):
            last = np.empty((len(ended), observation.shape[1]), dtype=np.int8)
            batch.game.kernels.observe(batch.states, rows[ended], self.seats[rows[ended]], last)
            observation[ended] = last
        return observation

    def action_masks(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What the learners may do: bool (N, A), or (n, A) of some rows; all False where the game is over; fresh.

        Args:
            rows: int64 (n,); by default all.
        """
        self.require_reset()
        mask = self.batch.action_mask.copy() if rows is None else self.batch.action_mask[rows]
        mask[self.over if rows is None else self.over[rows]] = 0
        return mask.view(np.bool_)

    def scores(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Each seat's score as it stands: int64 (N, P), or (n, P) of some rows; fresh."""
        return self.batch.scores(rows)

    def winners(self, row: int) -> list[int]:
        """The seats that have won or shared a row's game (or match), ascending; none while it goes on."""
        return self.batch.winners(row)

    def require_reset(self) -> None:
        """Refuse to go on before the first reset, or after a step that broke off halfway.

        Raises:
            ResetNeeded: Either is so.
        """
        if self._rng is None:
            raise ResetNeeded("call reset() first.")
        if not self._ready:
            raise ResetNeeded("the last call broke off while other seats were playing: call reset().")


class FixedOpponents:
    """The same opponents in every game.

    Args:
        opponents: One policy for all other seats; or a sequence of P - 1, in turn order after the learner; or None,
            random players.
        num_players: Number of seats, P.

    Raises:
        TypeError: Something that is no policy.
        ValueError: Another number of policies.
    """

    def __init__(self, opponents: AnyPolicy | Sequence[AnyPolicy] | None, num_players: int) -> None:
        others = num_players - 1
        if opponents is None:
            opponents = RandomPolicy()
        if isinstance(opponents, Sequence) and not isinstance(opponents, str):
            self.opponents = list(opponents)
            if len(self.opponents) != others:
                raise ValueError(
                    f"opponents must be one policy, or {others} (one for each seat after the learner's, in turn "
                    f"order), not {len(self.opponents)}."
                )
        else:
            self.opponents = [opponents] * others
        for policy in self.opponents:
            if not callable(policy) or isinstance(policy, type):
                hint = f" Did you mean {policy.__name__}()?" if isinstance(policy, type) else ""
                raise TypeError(f"an opponent must be a policy (see env_core.Policy), not {policy!r}.{hint}")

    def __call__(self, rows: np.ndarray, seats: np.ndarray) -> list[list[AnyPolicy]]:
        """See ``ChooseOpponents``."""
        return [self.opponents] * len(rows)


def checked_learner_seat(learner_seat: Any, num_players: int) -> int | str:
    """Return the option ``learner_seat``, or refuse it.

    Raises:
        TypeError: It is neither a number nor a string.
        OptionError: It is no seat, and not ``"rotate"``.
    """
    if isinstance(learner_seat, str):
        return checked_choice("learner_seat", learner_seat, (ROTATE,))
    return checked_integer("learner_seat", learner_seat, range(num_players))


def short_list(rows: np.ndarray) -> str:
    """Some row numbers for an error message, which does not grow with their number."""
    shown = ", ".join(map(str, rows[:5].tolist()))
    return shown if len(rows) <= 5 else f"{shown} and {len(rows) - 5} more"
