"""Self-play for Stable-Baselines3: a ``VecEnv`` over the batch core, and the pool that plays the other seats.

Each row is the stream of one seat's decisions (``env_core.seats``). The other seats are played, all rows at once, by
policies that are drawn from the pool for each game; from game to game the learner moves on to the next seat.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.games import AnyGame, game_of
from env_core.batch import BatchEnv
from env_core.errors import MissingExtraError, OptionError
from env_core.options import GameOptions, checked_integer
from env_core.policies import Policy, PolicyWithStates
from env_core.seats import LearnerSeats

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError as error:
    raise MissingExtraError("self-play training", "train") from error

AnyPolicy = Policy | PolicyWithStates


class OpponentPool:
    """Who plays the other seats: policies that stay, the learner as it is now among them, and the learner as it was.

    Args:
        staying: Policies that stay in the pool, and how often each is drawn.
        past: How often any of the past selves is drawn, each of them equally often. Only the proportions between all
            these numbers count; as long as there is no past self, the others share what would be theirs.
        capacity: So many past selves are kept, 1 or more; a new one takes the place of one drawn at random, so that old
            ones grow rarer but do not all vanish.

    Raises:
        OptionError: A number is out of range, or nobody can be drawn.
    """

    def __init__(self, staying: Sequence[tuple[AnyPolicy, float]], *, past: float = 0.0, capacity: int = 8) -> None:
        weights = [weight for _, weight in staying]
        if not all(np.isfinite(weight) and weight >= 0 for weight in [*weights, past]) or sum(weights) <= 0:
            raise OptionError(
                f"how often policies are drawn must be numbers from 0, and not all 0 before there are past selves, not "
                f"{weights}."
            )
        self.staying = [(policy, float(weight)) for policy, weight in staying if weight > 0]
        self.past = float(past)
        self.capacity = checked_integer("capacity", capacity, range(1, 10**6))
        self.past_selves: list[AnyPolicy] = []
        self.rng = np.random.default_rng()

    def choose(self, rows: np.ndarray, seats: np.ndarray, num_players: int) -> list[list[AnyPolicy]]:
        """Draw who plays the other seats, each seat of each game apart; see ``env_core.seats.ChooseOpponents``."""
        policies = [*(policy for policy, _ in self.staying), *self.past_selves]
        weights = [weight for _, weight in self.staying]
        weights += [self.past / len(self.past_selves) for _ in self.past_selves]
        chances = np.array(weights) / sum(weights)
        drawn = self.rng.choice(len(policies), size=(len(rows), num_players - 1), p=chances)
        return [[policies[number] for number in game] for game in drawn.tolist()]

    def add_past_self(self, policy: AnyPolicy) -> None:
        """Add the learner as it is now, by a copy that will not change; games under way keep their players."""
        if len(self.past_selves) < self.capacity:
            self.past_selves.append(policy)
        else:
            self.past_selves[int(self.rng.integers(self.capacity))] = policy


class SelfPlayVecEnv(VecEnv):
    """Games of one kind side by side, each the stream of one seat, as Stable-Baselines3 wants them.

    A step plays the learner's actions and then, batched, everybody else's until it is the learner's turn again in each
    row. Rewards that reach the learner's seat meanwhile are summed, so the last one arrives whoever ended the game. All
    arrays handed out are fresh. The info of a row whose game ended has ``terminal_observation`` (int8 (F,), what the
    learner's seat sees at the end), ``TimeLimit.truncated``, ``episode`` (``r`` summed reward, ``l`` decisions of the
    learner, ``t`` seconds since the start), ``is_success`` (the learner won or shared the win) and ``seat``.

    Args:
        game: The game, or its name.
        options: Its options.
        num_envs: Number of rows.
        pool: Who plays the other seats.

    ``seed(n)``, which ``MaskablePPO(seed=n)`` calls, makes the next ``reset`` repeatable.
    """

    def __init__(self, game: AnyGame, options: GameOptions, num_envs: int, pool: OpponentPool) -> None:
        batch = BatchEnv.with_options(game_of(game), num_envs, options, auto_reset=False)
        self.pool = pool
        self.learners = LearnerSeats(batch, choose_opponents=self._choose_opponents)
        self.episode_reward = np.zeros(num_envs, dtype=np.float64)
        self.episode_length = np.zeros(num_envs, dtype=np.int64)
        self._actions = np.zeros(num_envs, dtype=np.int64)
        self._started = time.monotonic()
        super().__init__(num_envs, batch.single_observation_space, batch.single_action_space)

    def reset(self) -> np.ndarray:
        """Deal a new game in every row and play on to the learner's turn: observation int8 (N, F)."""
        seed = self._seeds[0]
        if seed is not None:
            self.pool.rng = np.random.default_rng(seed)
        self.learners.reset(seed)
        self.episode_reward[:] = 0
        self.episode_length[:] = 0
        self._reset_seeds()
        self._reset_options()
        return self.learners.observation()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, integers (N,), for the next ``step_wait``."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them, and everybody else up to the learner's turn.

        Returns:
            Observation int8 (N, F), rewards float32 (N,), dones bool (N,), infos.

        Raises:
            IllegalActionError: An action that is not legal; nothing has moved.
        """
        rewards, terminated, truncated = self.learners.step(self._actions)
        self.episode_reward += rewards
        self.episode_length += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        if len(ended):
            seconds = round(time.monotonic() - self._started, 6)
            for row, seen in zip(ended.tolist(), self.learners.observation(ended), strict=True):
                seat = int(self.learners.seats[row])
                infos[row] = {
                    "terminal_observation": seen,
                    "TimeLimit.truncated": bool(truncated[row] and not terminated[row]),
                    "episode": {
                        "r": float(self.episode_reward[row]),
                        "l": int(self.episode_length[row]),
                        "t": seconds,
                    },
                    "is_success": seat in self.learners.winners(row),
                    "seat": seat,
                }
            self.episode_reward[ended] = 0
            self.episode_length[ended] = 0
            self.learners.begin_next(ended)
        return self.learners.observation(), rewards.astype(np.float32), dones, infos

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """The rows' ``"action_masks"``, bool (A,) each; they have no other method."""
        if method_name != "action_masks":
            raise AttributeError(f"a row of a SelfPlayVecEnv has the method 'action_masks' only, not {method_name!r}.")
        return list(self.learners.action_masks(None if indices is None else np.array(self._get_indices(indices))))

    def has_attr(self, attr_name: str) -> bool:
        """Whether the rows have an attribute, or method, of this name."""
        return attr_name in ("action_masks", "render_mode")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The rows' ``"render_mode"``, None; they have no other attribute."""
        if attr_name != "render_mode":
            raise AttributeError(f"a row of a SelfPlayVecEnv has the attribute 'render_mode' only, not {attr_name!r}.")
        return [None for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refused: rows of a batch have no attributes of their own."""
        raise AttributeError(f"a row of a SelfPlayVecEnv has no attribute {attr_name!r} to set.")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Whether each row does what a wrapper would do: ``Monitor`` yes, as ``episode`` is there; any other no."""
        return [wrapper_class.__name__ == "Monitor" for _ in self._get_indices(indices)]

    def close(self) -> None:
        """Nothing is held open."""

    def _choose_opponents(self, rows: np.ndarray, seats: np.ndarray) -> list[list[AnyPolicy]]:
        return self.pool.choose(rows, seats, self.learners.batch.num_players)
