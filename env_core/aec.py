"""The PettingZoo AEC environment of every game: ``raw_env`` and what ``env()`` puts around it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import gymnasium.spaces as spaces
import numpy as np
from gymnasium.error import ResetNeeded
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import BaseWrapper

from env_core import records
from env_core.batch import BatchEnv, checked_action, refusal
from env_core.errors import IllegalActionError, StateVersionError
from env_core.features import FeatureTable
from env_core.game import Game
from env_core.options import GameOptions, checked_choice
from env_core.rewards import REWARDS, SCORE
from env_core.states import copied

RENDER_MODES = ("human", "rgb_array", "ansi")

_API_TEST_OPTIONS = {"options": 1}
"""PettingZoo's ``api_test`` resets with these to see whether options are taken; they mean nothing."""

_OF_THE_LAST_STEP = ("rewards_of_step", "ended")
"""What a snapshot's bookkeeping has of the table's buffers."""

ILLEGAL_REWARD = -1.0

Observation = dict[str, np.ndarray]


@dataclass(frozen=True)
class Snapshot:
    """A game as it stands, picklable: state, AEC bookkeeping and the record so far.

    Attributes:
        version: Of the environment, ``"musee_v0"``.
        options: The game's options.
        state: Structured array (1,), generator included.
        seed: The seed of the reset that dealt the game, or None.
        setup: The setup in words.
        steps: The record's steps so far.
        bookkeeping: What PettingZoo's API shows: agents, rewards, terminations and so on.
    """

    version: str
    options: GameOptions
    state: np.ndarray
    seed: int | None
    setup: dict[str, Any] | None
    steps: list[dict[str, Any]]
    bookkeeping: dict[str, Any]


class RawEnv(AECEnv[str, Observation, int]):
    """One game as a PettingZoo AEC environment.

    An agent stays until the game ends, also when it cannot play any more; it is just not selected. Rewards reach every
    agent. The action mask stands in the observation and, equal, in ``infos[agent]["action_mask"]``; only that of the
    agent to move is not all zero.

    Args:
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        **options: The game's options.

    Raises:
        TypeError: An option of the wrong type, or an unknown one.
        ValueError: An option with a value that is not possible.
    """

    game: ClassVar[Game]
    metadata: ClassVar[dict[str, Any]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.metadata = {
            "name": cls.game.version,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }

    def __init__(self, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        # Checked here, or settings of a batch would pass for options of the game.
        game_options = self.game.options.from_keywords(options)
        self._set_up(BatchEnv.with_options(self.game, 1, game_options, auto_reset=False), render_mode)

    @classmethod
    def with_options(cls, options: GameOptions, *, render_mode: str | None = None) -> Self:
        """An environment under options that have been checked already, and whose files are not read a second time.

        Args:
            options: Options of this game, as ``options`` of a batch or of another environment.
            render_mode: See the class.
        """
        env = cls.__new__(cls)
        AECEnv.__init__(env)
        env._set_up(BatchEnv.with_options(cls.game, 1, options, auto_reset=False), render_mode)
        return env

    def _set_up(self, table: BatchEnv, render_mode: str | None) -> None:
        if render_mode is not None:
            checked_choice("render_mode", render_mode, RENDER_MODES)
        self.table = table
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(table.num_players)]
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        observation_space = table.single_observation_space
        mask_space = spaces.Box(0, 1, (table.num_actions,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": observation_space, "action_mask": mask_space})
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(table.num_actions) for agent in self.possible_agents}
        highs = table.state_features.highs()
        self.state_space = spaces.Box(np.zeros_like(highs), highs, dtype=np.int8)
        self._window: Any = None
        self._has_reset = False
        self._mover: str | None = None
        # Views on the live buffers of the table, and the arguments of the one compiled call that a step is.
        self._observation = table.observation[0]
        self._action_mask = table.action_mask[0]
        self._seat = table.seat
        self._no_actions = np.zeros(table.num_actions, dtype=np.int8)
        # The infos of all agents but the mover's share it.
        self._no_actions.flags.writeable = False
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)
        self._action = np.zeros(1, dtype=np.int64)
        self._one_row = np.zeros(1, dtype=np.int64)
        self._every_seat = np.arange(table.num_players, dtype=np.int64)
        self._step_kernel = table.step_kernel
        self._num_actions = table.num_actions
        self._step_arguments = table.step_arguments(self._one_row, self._action)
        self._scores_in_steps = table.options.reward == REWARDS[SCORE]

    # --- Spaces ----------------------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """``Dict`` of ``observation``, int8 (F,), and ``action_mask``, int8 (A,)."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The action numbers; the game's page says what they mean."""
        return self.action_spaces[agent]

    @property
    def options(self) -> GameOptions:
        """The game's options."""
        return self.table.options

    @property
    def observation_features(self) -> FeatureTable:
        """Which columns of an observation mean what."""
        return self.table.observation_features

    @property
    def state_features(self) -> FeatureTable:
        """Which columns of ``state()`` mean what."""
        return self.table.state_features

    # --- Playing ---------------------------------------------------------------------------------------------------

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: 0 to 2**63 - 1. Without one the next game of the same stream is dealt, the first time from fresh
                entropy.
            options: ``{"setup": {...}}`` lays out the setup of a game record; ``{"game_seed": g}`` deals the game that
                ``game_seed`` of a batch's row named.

        Raises:
            TypeError: The seed is no integer, or a key of ``options`` is unknown.
            ValueError: The seed is out of range, or the setup cannot be dealt.
        """
        if isinstance(options, dict) and options == _API_TEST_OPTIONS:
            options = None
        self.table.reset(seed, options)
        self._seed = None if seed is None else int(seed)
        self._setup: dict[str, Any] | None = None
        self._begin_record([])
        self.agents = self.possible_agents[:]
        self.rewards = self._no_rewards.copy()
        self._cumulative_rewards = self._no_rewards.copy()
        self._total_rewards = self._no_rewards.copy()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {"action_mask": self._no_actions} for agent in self.agents}
        self._skip_agent_selection = None
        self._ended_illegally = False
        self._has_reset = True
        self._select_mover()

    def show_chance(self) -> None:
        """Show the table anew after a record has said what chance decided."""
        self.table._show(self._one_row)
        self.infos = {agent: {"action_mask": self._no_actions} for agent in self.agents}
        self._select_mover()

    def _select_mover(self) -> None:
        self._mover = self.possible_agents[self._seat.item()]
        self.agent_selection = self._mover
        self.infos[self._mover] = {"action_mask": self._action_mask.copy()}

    def observe(self, agent: str) -> Observation:
        """What an agent sees: fresh arrays ``observation`` (F,) and ``action_mask`` (A,), both int8."""
        if agent == self._mover_or_none():
            return {"observation": self._observation.copy(), "action_mask": self._action_mask.copy()}
        observation = np.empty((1, len(self._observation)), dtype=np.int8)
        seat = self._seats[agent]
        self.game.kernels.observe(self.table.states, self._one_row, self._every_seat[seat : seat + 1], observation)
        return {"observation": observation[0], "action_mask": self._no_actions.copy()}

    def _mover_or_none(self) -> str | None:
        if not self._has_reset:
            raise ResetNeeded("call reset() first.")
        return self._mover

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """Observation, reward since its last move, termination, truncation and info of the agent selected."""
        agent = self.agent_selection
        if not observe:
            observation = None
        elif agent is self._mover:
            observation = {"observation": self._observation.copy(), "action_mask": self._action_mask.copy()}
        else:
            observation = self.observe(agent)
        return (
            observation,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def step(self, action: int | None) -> None:
        """Play one action for the agent selected; None for one whose game has ended.

        Raises:
            IllegalActionError: No action, out of range, or not legal now; the message says which and why. Nothing has
                changed.
            ResetNeeded: Before the first reset, or when no agent is left.
        """
        mover = self._mover
        if mover is None:
            self._step_dead(action)
            return
        if type(action) is not int:
            action = checked_action(action, self.table.num_actions)
        self._play(mover, action)

    def _play(self, mover: str, action: int) -> None:
        # A number too large for the array is out of range like any other.
        self._action[0] = action if -1 < action < self._num_actions else -1
        if self._step_kernel(*self._step_arguments) >= 0:
            raise IllegalActionError(refusal(self.game, self.table.states[0], self._num_actions, action))
        self._actions.append(action)
        self.infos[mover] = {"action_mask": self._no_actions}
        self._cumulative_rewards[mover] = 0.0
        seat = self._seat.item()
        if seat < 0 or self._scores_in_steps:
            self._take_rewards()
        if seat >= 0:
            self._select_mover()
        else:
            self._end(bool(self.table.result.terminated[0]), bool(self.table.result.truncated[0]))
        if self.render_mode == "human":
            self.render()

    def _take_rewards(self) -> None:
        for agent, reward in zip(self.possible_agents, self.table.result.rewards[0].tolist(), strict=True):
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
            self._total_rewards[agent] += reward

    def _end(self, terminated: bool, truncated: bool) -> None:
        self._mover = None
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)
        self._deads_step_first()

    def _step_dead(self, action: Any) -> None:
        self._mover_or_none()
        if not self.agents:
            raise ResetNeeded("the game is over and no agent is left: call reset().")
        if action is not None:
            raise IllegalActionError(
                f"the game of {self.agent_selection} has ended: the only action left is None, not {action!r}."
            )
        self._was_dead_step(None)

    def end_illegally(self) -> None:
        """End the game because the agent selected has played an illegal action: -1 for it, 0 for the others."""
        offender = self.agent_selection
        self._mover = None
        self._ended_illegally = True
        self._cumulative_rewards[offender] = 0.0
        self.rewards = {agent: ILLEGAL_REWARD if agent == offender else 0.0 for agent in self.agents}
        self.infos[offender] = {"action_mask": self._no_actions}
        self._accumulate_rewards()
        self._end(True, True)

    # --- Looking ---------------------------------------------------------------------------------------------------

    def state(self) -> np.ndarray:
        """The perfect-information observation, int8, see ``state_features``; it answers after the end too."""
        return self.table.perfect_information()[0]

    def legal_actions(self) -> list[int]:
        """The legal action numbers of the agent to move, ascending; none when the game is over."""
        if self._mover_or_none() is None:
            return []
        return np.flatnonzero(self._action_mask).tolist()

    def describe(self, action: int) -> dict[str, Any]:
        """An action in words, plain Python values; ``{"kind": "none", "action": a}`` if it means nothing now.

        Raises:
            IllegalActionError: It is no integer.
        """
        if self._mover_or_none() is None:
            return {"kind": "none", "action": checked_action(action, self.table.num_actions)}
        return self.table.describe(0, action)

    def encode(self, words: Mapping[str, Any]) -> int:
        """The number of an action in words: the inverse of ``describe``.

        Raises:
            IllegalActionError: The words mean no action now.
        """
        if not isinstance(words, Mapping):
            raise IllegalActionError(f"a move in words is a dictionary with a kind, not {words!r}.")
        if self._mover_or_none() is None:
            raise IllegalActionError(f"{dict(words)!r} means no action now: the game is over.")
        return self.game.moves.encode(self.table.states[0], words)

    def render(self) -> np.ndarray | str | None:
        """Draw the table as the agent to move sees it, everything when the game is over.

        Returns:
            Text for ``"ansi"``, uint8 (height, width, 3) for ``"rgb_array"``, None for ``"human"`` (a window).
        """
        seat = self.table.seat.item() if self._mover_or_none() is not None else None
        if self.render_mode is None:
            import gymnasium.logger

            gymnasium.logger.warn("render() does nothing: make the environment with a render_mode.")
            return None
        renderer = self.game.renderer()
        state = self.table.states[0]
        if self.render_mode == "ansi":
            return renderer.text(state, seat)
        picture = renderer.picture(state, seat)
        if self.render_mode == "rgb_array":
            return picture
        from env_core.rendering import Window

        if self._window is None:
            self._window = Window(self.game.title, self.metadata["render_fps"])
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
            self._window = None

    # --- Records ---------------------------------------------------------------------------------------------------

    def record(self) -> dict[str, Any]:
        """The game record so far, plain Python values only; see ``record-format``."""
        self._mover_or_none()
        self._write_up()
        over = self.table.seat.item() < 0
        return {
            "format": records.FORMAT,
            "game": self.game.name,
            "version": self.game.version,
            "options": self.options.as_record(),
            "seed": self._seed,
            "setup": copy.deepcopy(self._setup),
            "steps": copy.deepcopy(self._steps),
            "result": self._result() if over else None,
        }

    def _result(self) -> dict[str, Any]:
        table = self.table
        return {
            "scores": table.scores()[0].tolist(),
            "winners": table.winners(0),
            "rewards": [self._total_rewards[agent] for agent in self.possible_agents],
            "ended": "truncated" if table.result.truncated[0] else "terminated",
            **self.game.moves.result_in_words(table.states[0]),
        }

    def _begin_record(self, steps: list[dict[str, Any]]) -> None:
        self._steps = steps
        self._written_state = copied(self.table.states)
        self._actions: list[int] = []

    def _write_up(self) -> None:
        # Setup and moves are put into words when somebody asks, by playing them again: a step then costs no words.
        if self._setup is None:
            self._setup = self.game.moves.setup_in_words(self._written_state[0])
        if self._actions:
            self._steps += records.steps_in_words(self.game, self._written_state, self._actions)
            self._actions = []

    @classmethod
    def from_record(cls, record: Mapping[str, Any], step: int | None = None) -> RawEnv:
        """The game of a record as it stood before a step.

        Args:
            record: A game record of this environment's version.
            step: Number of the step, chance steps counted; None for the end of the record.

        Raises:
            RecordError: The record does not hold; the message names the part or step at fault.
        """
        return records.replayed(cls, record, step)

    # --- Snapshots -------------------------------------------------------------------------------------------------

    _BOOKKEEPING = (
        "agents",
        "agent_selection",
        "rewards",
        "terminations",
        "truncations",
        "infos",
        "_cumulative_rewards",
        "_total_rewards",
        "_skip_agent_selection",
        "_ended_illegally",
        "_mover",
    )

    def snapshot(self) -> Snapshot:
        """The game as it stands, to be put back with ``restore``; it shares nothing with the environment."""
        self._mover_or_none()
        self._write_up()
        bookkeeping = {name: copy.deepcopy(getattr(self, name)) for name in self._BOOKKEEPING}
        bookkeeping["rewards_of_step"] = self.table.result.rewards.copy()
        bookkeeping["ended"] = [bool(self.table.result.terminated[0]), bool(self.table.result.truncated[0])]
        return Snapshot(
            self.game.version,
            self.options,
            copied(self.table.states),
            self._seed,
            copy.deepcopy(self._setup),
            copy.deepcopy(self._steps),
            bookkeeping,
        )

    def restore(self, snapshot: Snapshot) -> None:
        """Put a snapshot back: the game, its bookkeeping, and its record.

        Raises:
            TypeError: It is no snapshot.
            StateVersionError: It is of another game or version.
            ValueError: It was taken under other options.
        """
        if not isinstance(snapshot, Snapshot):
            raise TypeError(f"restore takes what snapshot() gave, not {type(snapshot).__name__}.")
        if snapshot.version != self.game.version:
            raise StateVersionError(f"a snapshot of {snapshot.version} cannot be put back into {self.game.version}.")
        if snapshot.options != self.options:
            raise ValueError(f"the snapshot was taken under {snapshot.options}, this environment has {self.options}.")
        bookkeeping = copy.deepcopy(snapshot.bookkeeping)
        if not isinstance(bookkeeping, dict) or set(bookkeeping) != {*self._BOOKKEEPING, *_OF_THE_LAST_STEP}:
            raise StateVersionError("the snapshot's bookkeeping is damaged, or of another release.")
        if np.shape(bookkeeping["rewards_of_step"]) != self.table.result.rewards.shape:
            raise StateVersionError("the snapshot's bookkeeping is damaged, or of another release.")
        self.table.load_states(snapshot.state)
        self.table.result.rewards[...] = bookkeeping.pop("rewards_of_step")
        self.table.result.terminated[0], self.table.result.truncated[0] = bookkeeping.pop("ended")
        for name, value in bookkeeping.items():
            setattr(self, name, value)
        self._seed = snapshot.seed
        self._setup = copy.deepcopy(snapshot.setup)
        self._begin_record(copy.deepcopy(snapshot.steps))
        self._has_reset = True

    def __getstate__(self) -> dict[str, Any]:
        return {
            "options": self.options,
            "render_mode": self.render_mode,
            "snapshot": self.snapshot() if self._has_reset else None,
            "action_spaces": self.action_spaces,
            "observation_spaces": self.observation_spaces,
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        AECEnv.__init__(self)
        table = BatchEnv.with_options(self.game, 1, saved["options"], auto_reset=False)
        self._set_up(table, saved["render_mode"])
        if saved["snapshot"] is not None:
            self.restore(saved["snapshot"])
        self.action_spaces = saved["action_spaces"]
        self.observation_spaces = saved["observation_spaces"]


_AFTER_RESET = frozenset(("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"))


class CheckedEnv(BaseWrapper[str, Observation, int]):
    """What ``env()`` gives: a game that behaves as PettingZoo's three classic wrappers make it.

    Calls before ``reset`` and steps out of order are refused, an action outside the action space fails an assertion,
    an illegal action ends the game with -1 for its agent and 0 for the others (its record then has no result). One
    class does all three: the wrappers cost more than ten times what the game does.

    Args:
        env: The ``raw_env``.
    """

    env: RawEnv

    def __init__(self, env: RawEnv) -> None:
        super().__init__(env)
        self._has_reset = False
        self._has_updated = False

    def __getattr__(self, name: str) -> Any:
        # Reached for a property that refused, and for all that only the raw environment has.
        if name in _AFTER_RESET and not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        if name in ("env", "_has_reset", "_has_updated"):
            raise AttributeError(name)
        return super().__getattr__(name)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; see ``raw_env.reset``."""
        self.env.reset(seed, options)
        self._has_reset = True
        self._has_updated = True

    def step(self, action: int | None) -> None:
        """Play one action for the agent selected; None for one whose game has ended."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        raw = self.env
        if not raw.agents:
            self._has_updated = True
            EnvLogger.warn_step_after_terminated_truncated()
            return
        self._has_updated = True
        mover = raw._mover
        if mover is None:
            assert action is None or raw.action_space(raw.agent_selection).contains(action), (
                f"action is not in action space: the game has ended, only None is left, not {action!r}."
            )
            raw._step_dead(action)
            return
        if type(action) is not int:
            try:
                action = checked_action(action, raw.table.num_actions)
            except IllegalActionError as error:
                raise AssertionError(f"action is not in action space: {error}") from None
        assert 0 <= action < raw.table.num_actions, (
            f"action is not in action space: {action} is out of range 0..{raw.table.num_actions - 1}."
        )
        if not raw._action_mask[action]:
            EnvLogger.warn_on_illegal_move()
            raw.end_illegally()
            return
        raw._play(mover, action)

    def observe(self, agent: str) -> Observation:
        """What an agent sees; see ``raw_env.observe``."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.observe(agent)

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What the agent selected needs to move; see ``raw_env.last``."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self.env.last(observe)

    def state(self) -> np.ndarray:
        """The perfect-information observation; see ``raw_env.state``."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return self.env.state()

    def render(self) -> np.ndarray | str | None:
        """Draw the table; see ``raw_env.render``."""
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        return self.env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.env.close()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Observation, int]:
        """The agents in the order in which they are selected; each must be stepped before the next."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return _CheckedIterable(self, max_iter)

    def restore(self, snapshot: Snapshot) -> None:
        """Put a snapshot back; see ``raw_env.restore``."""
        self.env.restore(snapshot)
        self._has_reset = True
        self._has_updated = True

    def __str__(self) -> str:
        return str(self.env)


class _CheckedIterable(AECIterable[str, Observation, int]):
    def __iter__(self) -> _CheckedIterator:
        return _CheckedIterator(self.env, self.max_iter)


class _CheckedIterator(AECIterator[str, Observation, int]):
    def __next__(self) -> str:
        raw = self.env.env
        if not raw.agents or self.iters_til_term <= 0:
            raise StopIteration
        self.iters_til_term -= 1
        assert self.env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._has_updated = False
        return raw.agent_selection
