"""N games side by side: the core behind every other door."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import gymnasium.spaces as spaces
import numpy as np
from gymnasium.error import ResetNeeded

from env_core import random
from env_core.arrays import as_array, as_integer
from env_core.errors import IllegalActionError, UnknownOptionError
from env_core.features import FeatureTable
from env_core.game import Game
from env_core.options import GameOptions, checked_integer, unknown_name_message
from env_core.policies import Policy, PolicyWithStates, call_policy, checked_policy
from env_core.states import as_bytes, copied

RESET_OPTIONS = ("setup", "game_seed")
MAX_GAME_SEED = 2**64 - 1
THREADS = range(1, 1025)
LIGHT = "light"
PLAYOUT_POLICIES = ("random", LIGHT)
"""The compiled policies of ``BatchEnv.playout``."""


class BatchStep(NamedTuple):
    """What a step of a batch gives: live buffers, overwritten by the next step.

    Attributes:
        observation: int8 (N, F), what the seat to move sees; zeros in a finished row.
        action_mask: int8 (N, A), 1 for each legal action.
        seat: int64 (N,), whose turn; -1 in a finished row.
        rewards: float32 (N, P), what this step brought to each seat.
        terminated: bool (N,), the game of this row ended in this step.
        truncated: bool (N,), the game of this row was cut off in this step.
        scores: int64 (N, P), each seat's score; in a row whose game ended in this step, of the ended one.
    """

    observation: np.ndarray
    action_mask: np.ndarray
    seat: np.ndarray
    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    scores: np.ndarray


class BatchEnv:
    """N games of one kind side by side, one seat to move in each.

    Args:
        game: The game.
        num_envs: Number of rows, 1 or more.
        threads: Rows are shared among so many cores; results do not depend on it.
        auto_reset: Deal a new game at once in a row whose game ends. Otherwise a finished row has seat -1, a zero
            mask and observation, and takes the action -1.
        **options: The game's options.

    Raises:
        TypeError: An option of the wrong type, or (``UnknownOptionError``) an unknown one.
        OptionError: An option with a value that is not possible.
    """

    def __init__(self, game: Game, num_envs: int, *, threads: int = 1, auto_reset: bool = True, **options: Any) -> None:
        self._begin_under(game, num_envs, game.options.from_keywords(options), threads, auto_reset)

    @classmethod
    def with_options(
        cls, game: Game, num_envs: int, options: GameOptions, *, threads: int = 1, auto_reset: bool = True
    ) -> BatchEnv:
        """A batch under options that have been checked already, and whose files are not read a second time.

        Args:
            game: The game.
            num_envs: See the class.
            options: Options of this game, as those of another batch.
            threads: See the class.
            auto_reset: See the class.
        """
        batch = cls.__new__(cls)
        batch._begin_under(game, num_envs, _checked_options(game, options), threads, auto_reset)
        return batch

    def _begin_under(self, game: Game, num_envs: int, options: GameOptions, threads: int, auto_reset: bool) -> None:
        num_envs = checked_integer("num_envs", num_envs, range(1, 2**31))
        self._set_up(game, options, game.new_states(options, num_envs), threads, auto_reset)
        self._has_reset = False

    @classmethod
    def from_states(
        cls,
        game: Game,
        states: np.ndarray,
        *,
        options: GameOptions,
        threads: int = 1,
        auto_reset: bool = True,
    ) -> BatchEnv:
        """A batch of the given states, which are copied.

        Args:
            game: The game.
            states: Structured array (N,) of the game's dtype, N at least 1, all dealt under ``options``.
            options: The options they were dealt under.
            threads: See the class.
            auto_reset: See the class.

        Raises:
            StateVersionError: The states are of another game or version.
            ValueError: There is none, or they were dealt under other options.
        """
        options = _checked_options(game, options)
        states = game.checked_states(states)
        if len(states) == 0:
            raise ValueError("a batch needs one state at least.")
        _check_dealt_under(game, options, states)
        return cls._of_states(game, copied(states), options, threads, auto_reset)

    @classmethod
    def _of_states(
        cls, game: Game, states: np.ndarray, options: GameOptions, threads: int, auto_reset: bool
    ) -> BatchEnv:
        batch = cls.__new__(cls)
        batch._set_up(game, options, states, threads, auto_reset)
        batch._has_reset = True
        batch._show(batch._all_rows)
        return batch

    def _set_up(self, game: Game, options: GameOptions, states: np.ndarray, threads: int, auto_reset: bool) -> None:
        if not isinstance(auto_reset, (bool, np.bool_)):
            raise TypeError(f"auto_reset must be True or False, not {auto_reset!r}.")
        self.game = game
        self.options = options
        self.threads = checked_integer("threads", threads, THREADS)
        self.auto_reset = bool(auto_reset)
        self.num_envs = len(states)
        self.num_players = options.num_players
        self.states = states
        self.observation_features: FeatureTable = game.features(options)
        self.state_features: FeatureTable = game.state_features(options)
        self.num_actions: int = game.moves.number_of_actions(states[0])
        rows, players = self.num_envs, self.num_players
        self.observation = np.zeros((rows, self.observation_features.size), dtype=np.int8)
        self.action_mask = np.zeros((rows, self.num_actions), dtype=np.int8)
        self.seat = np.full(rows, -1, dtype=np.int64)
        self.result = BatchStep(
            self.observation,
            self.action_mask,
            self.seat,
            np.zeros((rows, players), dtype=np.float32),
            np.zeros(rows, dtype=np.bool_),
            np.zeros(rows, dtype=np.bool_),
            np.zeros((rows, players), dtype=np.int64),
        )
        self._all_rows = np.arange(rows, dtype=np.int64)
        self.step_kernel = game.kernels.step

    # --- Spaces ----------------------------------------------------------------------------------------------------

    @property
    def single_observation_space(self) -> spaces.Box:
        """The space of one row's observation: int8 (F,)."""
        highs = self.observation_features.highs()
        return spaces.Box(np.zeros_like(highs), highs, dtype=np.int8)

    @property
    def single_action_space(self) -> spaces.Discrete:
        """The space of one row's action."""
        return spaces.Discrete(self.num_actions)

    # --- Dealing ---------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> BatchStep:
        """Deal a new game in every row.

        Args:
            seed: 0 to 2**63 - 1; row i then draws its games from ``SeedSequence(seed).spawn(N)[i]``. Without one the
                next game of each row's stream is dealt, the first time from fresh entropy.
            options: ``{"setup": {...}}`` lays out the setup of a game record in every row; ``{"game_seed": g}`` deals
                the game that ``game_seed(row)`` named, in every row, or one for each row from a sequence of N.

        Returns:
            The live buffers, rewards and flags zero.

        Raises:
            TypeError: The seed is no integer, or (``UnknownOptionError``) a key of ``options`` is unknown.
            ValueError: The seed is out of range; ``SetupError`` where a setup cannot be dealt.
        """
        if seed is not None:
            seed = random.checked_seed(seed)
        options = checked_reset_options(options)
        game_seeds = self._checked_game_seeds(options["game_seed"]) if "game_seed" in options else None
        if game_seeds is not None and seed is not None:
            raise ValueError("reset takes a seed or options={'game_seed': ...}, not both.")
        states = copied(self.states) if "setup" in options else self.states
        if game_seeds is None and (seed is not None or not self._has_reset):
            game_seeds = random.first_game_seeds(_fresh_seed() if seed is None else seed, self.num_envs).copy()
        if game_seeds is not None:
            self.game.kernels.new_episodes(states, self._all_rows, game_seeds)
        else:
            self.game.kernels.next_episodes(states, self._all_rows)
        if "setup" in options:
            self.game.moves.write_setup(states[0], options["setup"])
            for row in range(1, self.num_envs):
                self.game.moves.write_setup(states[row], options["setup"])
            self.game.kernels.lay_out_setups(states, self._all_rows)
            as_bytes(self.states)[:] = as_bytes(states)
        self._has_reset = True
        return self._begin(self._all_rows)

    def deal_next(self, rows: np.ndarray) -> BatchStep:
        """Deal the next game of their streams in some rows, whatever stands there now.

        Args:
            rows: Integers (n,), each a row once.
        """
        self._require_reset()
        rows = self._checked_rows(rows)
        self.game.kernels.next_episodes(self.states, rows)
        return self._begin(rows)

    def game_seed(self, row: int) -> int:
        """What ``reset(options={"game_seed": ...})`` needs to deal this row's present game."""
        self._require_reset()
        return int(self.states["game_seed"][self._checked_row(row)])

    def _begin(self, rows: np.ndarray) -> BatchStep:
        result = self.result
        if rows is self._all_rows:
            result.rewards.fill(0)
            result.terminated.fill(False)
            result.truncated.fill(False)
            self.game.kernels.read_scores(self.states, rows, result.scores)
        else:
            result.rewards[rows] = 0
            result.terminated[rows] = False
            result.truncated[rows] = False
            result.scores[rows] = self.scores(rows)
        self._show(rows)
        return result

    # --- Playing ---------------------------------------------------------------------------------------------------

    def step(self, actions: Any, rows: np.ndarray | None = None) -> BatchStep:
        """Play one action in every row.

        Args:
            actions: Integers of any width, shape (N,); -1 in a finished row (without ``auto_reset``).
            rows: Play in these rows only, each named once; ``actions`` has one for each. The others, their buffers
                included, stay as they are.

        Returns:
            The live buffers.

        Raises:
            IllegalActionError: Wrong shape or type, or an action that is not legal; nothing has moved.
            ResetNeeded: Before the first reset.
        """
        if not self._has_reset:
            self._require_reset()
        rows = self._all_rows if rows is None else self._checked_rows(rows)
        actions = self._checked_actions(actions, len(rows))
        if self.threads == 1 or len(rows) < 2 * self.threads:
            bad = self.step_kernel(*self.step_arguments(rows, actions))
        else:
            bad = self._step_in_threads(rows, actions)
        if bad >= 0:
            self._refuse(int(rows[bad]), int(actions[bad]))
        return self.result

    def step_arguments(self, rows: np.ndarray, actions: np.ndarray) -> tuple[Any, ...]:
        """What ``step_kernel`` takes to play actions in rows (int64 (n,)); it gives the place of a bad one, or -1."""
        return (self.states, rows, actions, self.auto_reset, *self.result)

    def _step_in_threads(self, rows: np.ndarray, actions: np.ndarray) -> int:
        # All rows are checked before any moves.
        bad = self.game.kernels.first_illegal(self.states, rows, actions)
        if bad >= 0:
            return bad
        bounds = np.linspace(0, len(rows), self.threads + 1).astype(int).tolist()
        parts = [
            self.step_arguments(rows[start:end], actions[start:end])
            for start, end in zip(bounds[:-1], bounds[1:], strict=True)
        ]
        # This thread plays a part too: waking another one costs as much as a few hundred rows.
        waiting = [_thread_pool().submit(self.step_kernel, *part) for part in parts[1:]]
        self.step_kernel(*parts[0])
        for part in waiting:
            part.result()
        return -1

    def _refuse(self, row: int, action: int) -> None:
        raise IllegalActionError(f"row {row}: {refusal(self.game, self.states[row], self.num_actions, action)}")

    def sample_legal(self, seed: int) -> np.ndarray:
        """Draw one legal action for each row, uniformly: int64 (N,), -1 in a finished row.

        Args:
            seed: 0 to 2**63 - 1; row i's draw depends on the seed and i alone.
        """
        self._require_reset()
        actions = np.empty(self.num_envs, dtype=np.int64)
        random.sample_legal(self.action_mask, np.uint64(random.checked_seed(seed)), actions)
        return actions

    # --- Looking ---------------------------------------------------------------------------------------------------

    def observe(self, seats: Any) -> np.ndarray:
        """What given seats see, also when it is not their turn or the game is over: int8 (N, F), fresh.

        Args:
            seats: One seat for each row, shape (N,), or one for all.
        """
        self._require_reset()
        observation = np.empty_like(self.observation)
        self.game.kernels.observe(self.states, self._all_rows, self._checked_seats(seats), observation)
        return observation

    def perfect_information(self) -> np.ndarray:
        """All there is to know of each row, hidden cards included, for centralised critics: int8 (N, S), fresh."""
        self._require_reset()
        observation = np.empty((self.num_envs, self.state_features.size), dtype=np.int8)
        self.game.kernels.perfect_information(self.states, self._all_rows, observation)
        return observation

    def scores(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Each seat's score in the present game: int64 (N, P), fresh."""
        self._require_reset()
        rows = self._all_rows if rows is None else self._checked_rows(rows)
        scores = np.empty((len(rows), self.num_players), dtype=np.int64)
        self.game.kernels.read_scores(self.states, rows, scores)
        return scores

    def standings(self) -> np.ndarray:
        """What each seat would count if it looked one move ahead: float64 (N, P), fresh."""
        self._require_reset()
        standings = np.empty((self.num_envs, self.num_players), dtype=np.float64)
        self.game.kernels.read_standings(self.states, self._all_rows, standings)
        return standings

    def winners(self, row: int) -> list[int]:
        """The seats that have won or shared a finished row's game (or match), ascending; none while it goes on."""
        self._require_reset()
        state = self.states[self._checked_row(row)]
        winning = state["winning"]
        return [seat for seat in range(self.num_players) if winning[seat % int(state["num_sides"])]]

    def describe(self, row: int, action: int) -> dict[str, Any]:
        """An action of a row in words; see ``raw_env.describe``.

        Raises:
            IllegalActionError: The action is no integer.
        """
        self._require_reset()
        state = self.states[self._checked_row(row)]
        return self.game.moves.describe(state, checked_action(action, self.num_actions))

    # --- Copies and search -----------------------------------------------------------------------------------------

    def copy(self) -> BatchEnv:
        """A batch of its own that stands as this one does."""
        return self._with_states(copied(self.states))

    def take(self, rows: Any) -> BatchEnv:
        """A new batch of the given rows, in that order; a row may be taken more than once.

        Args:
            rows: Integers (n,), n at least 1.
        """
        return self._with_states(copied(self.states, self._checked_rows(rows, repeated=True)))

    def resample_hidden(self, seats: Any, seed: int) -> BatchEnv:
        """A new batch in which all that a seat cannot know is dealt anew; this one is untouched.

        Args:
            seats: Whose knowledge is kept: one seat for each row, shape (N,), or one for all.
            seed: 0 to 2**63 - 1; row i depends on what its seat knows, the seed, and i.
        """
        word = np.uint64(random.checked_seed(seed))
        batch = self.copy()
        self.game.kernels.resample(batch.states, batch._all_rows, self._checked_seats(seats), word)
        batch._show(batch._all_rows)
        return batch

    def playout(self, seed: int, policy: str | Policy | PolicyWithStates = "random") -> tuple[np.ndarray, np.ndarray]:
        """Play every game to its end on a copy.

        Args:
            seed: 0 to 2**63 - 1.
            policy: What plays every seat: ``"random"``, legal actions drawn uniformly; ``"light"``, the same but for
                what leads nowhere, such as Museum: Pictura's rearranging, which is rare (in the other games: random);
                both compiled; or a policy.

        Returns:
            Final scores int64 (N, P), and rewards float32 (N, P) summed over the playout.

        Raises:
            ValueError: There is no such policy word, or a wrong seed.
        """
        seed = random.checked_seed(seed)
        batch = self.copy()
        batch.auto_reset = False
        scores, rewards = batch.scores(), np.zeros((self.num_envs, self.num_players), dtype=np.float32)
        if isinstance(policy, str):
            if policy not in PLAYOUT_POLICIES:
                words = " or ".join(map(repr, PLAYOUT_POLICIES))
                raise ValueError(f"a playout's policy must be {words} or a policy, not {policy!r}.")
            self.game.kernels.playout(
                batch.states, batch._all_rows, np.uint64(seed), policy == LIGHT, self.num_actions, scores, rewards
            )
            return scores, rewards
        checked_policy(policy)
        rng = np.random.default_rng(seed)
        while True:
            rows = np.flatnonzero(batch.seat >= 0)
            if len(rows) == 0:
                return batch.scores(), rewards
            actions = call_policy(policy, batch, rows, rng)
            rewards[rows] += batch.step(actions, rows).rewards[rows]

    def _with_states(self, states: np.ndarray) -> BatchEnv:
        self._require_reset()
        return BatchEnv._of_states(self.game, states, self.options, self.threads, self.auto_reset)

    # --- Saving ----------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "options": self.options,
            "threads": self.threads,
            "auto_reset": self.auto_reset,
            "states": self.states,
            "result": [np.asarray(buffer) for buffer in self.result],
            "has_reset": self._has_reset,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        states = saved["game"].checked_states(saved["states"])
        self._set_up(saved["game"], saved["options"], states, saved["threads"], saved["auto_reset"])
        self._has_reset = saved["has_reset"]
        for buffer, content in zip(self.result, saved["result"], strict=True):
            buffer[...] = content

    def __deepcopy__(self, memo: dict[int, Any]) -> BatchEnv:
        twin = BatchEnv.__new__(type(self))
        saved = self.__getstate__()
        twin.__setstate__({**saved, "states": copied(self.states)})
        memo[id(self)] = twin
        return twin

    def load_states(self, states: np.ndarray) -> None:
        """Let the rows stand as saved states do, for example ``np.load`` of a saved ``batch.states``.

        Version and options are checked, nothing else: compiled rules read fields that no game could reach, altered by
        hand say, as they read any other memory, and may end the process. A record is what to take from strangers.

        Args:
            states: Structured array (N,), dealt under the same options.

        Raises:
            StateVersionError: They are of another game or version.
            ValueError: There are more or fewer than N, or they were dealt under other options.
        """
        states = self.game.checked_states(states)
        if len(states) != self.num_envs:
            raise ValueError(f"expected {self.num_envs} states, one for each row, not {len(states)}.")
        _check_dealt_under(self.game, self.options, states)
        as_bytes(self.states)[:] = as_bytes(states)
        self._has_reset = True
        self._begin(self._all_rows)

    # --- Checks ----------------------------------------------------------------------------------------------------

    def _show(self, rows: np.ndarray) -> None:
        self.game.kernels.show(self.states, rows, self.observation, self.action_mask, self.seat)

    def _require_reset(self) -> None:
        if not self._has_reset:
            raise ResetNeeded("call reset() first.")

    def _checked_actions(self, actions: Any, count: int) -> np.ndarray:
        if type(actions) is not np.ndarray:
            actions = as_array(actions)
        if actions.dtype.kind not in "iu":
            raise IllegalActionError(f"actions must be integers, not {actions.dtype}.")
        if actions.shape != (count,):
            raise IllegalActionError(f"actions must have the shape ({count},), one for each row, not {actions.shape}.")
        if actions.dtype == np.int64:
            return np.ascontiguousarray(actions)
        if actions.dtype == np.uint64 and count and actions.max() > np.uint64(2**63 - 1):
            row = int(actions.argmax())
            raise IllegalActionError(f"row {row}: action {actions[row]} is out of range 0..{self.num_actions - 1}.")
        return actions.astype(np.int64)

    def _checked_rows(self, rows: Any, repeated: bool = False) -> np.ndarray:
        array = as_array(rows)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise TypeError(f"rows must be a one-dimensional array of integers, not {rows!r}.")
        if len(array) and (array.min() < 0 or array.max() >= self.num_envs):
            raise IndexError(f"rows must be from 0 to {self.num_envs - 1}, not {array.min()}..{array.max()}.")
        if repeated and len(array) == 0:
            raise ValueError("at least one row must be taken.")
        array = np.ascontiguousarray(array, dtype=np.int64)
        if not repeated and len(array) > 1 and (np.diff(array) <= 0).any() and len(np.unique(array)) < len(array):
            raise ValueError("rows must name each row once.")
        return array

    def _checked_row(self, row: Any) -> int:
        number = as_integer(row)
        if number is None:
            raise TypeError(f"row must be an integer, not {row!r} ({type(row).__name__}).")
        if not 0 <= number < self.num_envs:
            raise IndexError(f"row must be from 0 to {self.num_envs - 1}, not {number}.")
        return number

    def _checked_seats(self, seats: Any) -> np.ndarray:
        array = as_array(seats)
        if array.dtype.kind not in "iu" or array.shape not in ((), (self.num_envs,)):
            raise TypeError(f"seats must be one integer, or {self.num_envs} (one for each row), not {seats!r}.")
        if array.min() < 0 or array.max() >= self.num_players:
            raise ValueError(f"seats must be from 0 to {self.num_players - 1}, not {array.min()}..{array.max()}.")
        # A copy: for an array that may not be written kernels would be compiled a second time.
        return np.array(np.broadcast_to(array, self.num_envs), dtype=np.int64)

    def _checked_game_seeds(self, game_seeds: Any) -> np.ndarray:
        single = as_array(game_seeds).ndim == 0
        given: Sequence[Any] = [game_seeds] * self.num_envs if single else list(game_seeds)
        if len(given) != self.num_envs:
            raise ValueError(f"game_seed must be one integer, or {self.num_envs} (one for each row), not {len(given)}.")
        numbers = []
        for value in given:
            number = as_integer(value)
            if number is None:
                raise TypeError(f"game_seed must be an integer, as game_seed(row) gives it, not {value!r}.")
            if not 0 <= number <= MAX_GAME_SEED:
                raise ValueError(f"game_seed must be from 0 to 2**64 - 1, not {number}.")
            numbers.append(number)
        return np.array(numbers, dtype=np.uint64)


def checked_action(action: Any, num_actions: int) -> int:
    """Return an action as a Python integer, in range or not, or refuse it.

    Raises:
        IllegalActionError: It is no integer (``True`` is none).
    """
    number = as_integer(action)
    if number is None:
        raise IllegalActionError(
            f"action {action!r} ({type(action).__name__}) is no action: expected an integer from 0 to "
            f"{num_actions - 1}."
        )
    return number


def _checked_options(game: Game, options: Any) -> GameOptions:
    if not isinstance(options, game.options):
        raise TypeError(f"options must be {game.options.__name__}, as a batch's options are, not {options!r}.")
    return options


def _check_dealt_under(game: Game, options: GameOptions, states: np.ndarray) -> None:
    blank = game.new_states(options, 1)
    for name in game.state.OPTION_FIELDS:
        if (states[name] != blank[name]).any():
            raise ValueError(f"these states were dealt under other options: their {name} differs.")


def checked_reset_options(options: Any) -> dict[str, Any]:
    """Return the options of a reset, or refuse them.

    Raises:
        TypeError: They are no dictionary, or (``UnknownOptionError``) a key is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise TypeError(f"options must be a dictionary with the keys {', '.join(RESET_OPTIONS)}, not {options!r}.")
    for key in options:
        if key not in RESET_OPTIONS:
            raise UnknownOptionError(unknown_name_message("reset option", key, list(RESET_OPTIONS)))
    return options


def refusal(game: Game, state: np.void, num_actions: int, action: int) -> str:
    """Say why an action is not legal in a state, in words."""
    if state["seat"] < 0:
        return f"the game is over; only the action -1 is left, not {action}."
    if not 0 <= action < num_actions:
        return f"action {action} is out of range 0..{num_actions - 1}."
    words = game.moves.describe(state, action)
    return (
        f"action {action} {words} is not legal for seat {int(state['seat'])}: {game.moves.why_illegal(state, action)}."
    )


_pools: dict[int, ThreadPoolExecutor] = {}


def _thread_pool() -> ThreadPoolExecutor:
    # Threads do not survive a fork, so each process has a pool of its own.
    process = os.getpid()
    if process not in _pools:
        _pools.clear()
        _pools[process] = ThreadPoolExecutor(max_workers=os.cpu_count() or 1, thread_name_prefix="gallery")
    return _pools[process]


def _fresh_seed() -> int:
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) & random.MAX_SEED
