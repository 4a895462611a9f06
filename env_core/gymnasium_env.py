"""Gymnasium's two doors to every game: one learner in one game, and one learner in each of N games."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import gymnasium.logger
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from env_core.aec import ILLEGAL_REWARD, RENDER_MODES
from env_core.arrays import as_array
from env_core.batch import BatchEnv, checked_action, refusal
from env_core.errors import IllegalActionError
from env_core.game import Game
from env_core.options import checked_choice
from env_core.seats import ROTATE, AnyPolicy, FixedOpponents, LearnerSeats, short_list

TERMINATE = "terminate"
RAISE = "raise"
ILLEGAL_ACTION_CHOICES = (TERMINATE, RAISE)

_ROW = np.zeros(1, dtype=np.int64)
_ROW.flags.writeable = False


class SingleSeatEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One seat of a game as a Gymnasium environment; policies play the other seats.

    The observation is int8 (F,), the action a number from 0 to A - 1. A reward is all that came to the learner since
    its last move, whoever moved; so the last one reaches it whoever ended the game. A learner that cannot play any more
    has the others play on to the end. Every ``info`` holds ``"action_mask"`` (int8 (A,), as Gymnasium's spaces sample
    with; zeros when the game is over) and ``"seat"``; at the end also ``"scores"`` (int64 (P,)) and ``"winners"``
    (the seats, ascending; none after an illegal action), after an illegal action also ``"illegal_action"``, the reason.

    Args:
        opponents: One policy for all other seats; or a sequence of P - 1, in turn order after the learner; random
            players by default.
        learner_seat: ``"rotate"``: the learner has seat 0 in the first game after a seed, seat 1 in the next, and so
            on; or the seat of all games.
        illegal_action: ``"terminate"``: the game is over for the learner, with a reward of -1; ``"raise"``: it is
            refused with an ``IllegalActionError``, and nothing has changed.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        **options: The game's options.

    Attributes:
        learners: The game and its seats behind this environment, see ``env_core.seats.LearnerSeats``.

    Raises:
        TypeError: An option of the wrong type, an unknown one, or an opponent that is no policy.
        ValueError: An option with a value that is not possible, or the wrong number of opponents.
    """

    game: ClassVar[Game]
    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        *,
        opponents: AnyPolicy | Sequence[AnyPolicy] | None = None,
        learner_seat: int | str = ROTATE,
        illegal_action: str = TERMINATE,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode is not None:
            checked_choice("render_mode", render_mode, RENDER_MODES)
        self.render_mode = render_mode
        self.illegal_action = checked_choice("illegal_action", illegal_action, ILLEGAL_ACTION_CHOICES)
        self.learners = _learners(self.game, 1, 1, options, learner_seat, opponents)
        self.observation_space = self.learners.batch.single_observation_space
        self.action_space = self.learners.batch.single_action_space
        self._window: Any = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Deal a game and play on to the learner's first move.

        Args:
            seed: 0 to 2**63 - 1; deals the game that an AEC environment with this seed deals, and the learner has the
                first seat of the rotation. Without one the next game of the same stream is dealt.
            options: ``{"setup": ...}`` or ``{"game_seed": ...}``, see ``BatchEnv.reset``.

        Returns:
            The observation and the info, see the class; both fresh.

        Raises:
            TypeError, ValueError: A seed or options that are not possible; nothing has changed.
        """
        self.learners.reset(seed, options)
        super().reset(seed=None if seed is None else operator.index(seed))
        if self.render_mode == "human":
            self.render()
        return self.learners.observation()[0], self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the other seats until it is the learner's turn again or the game is over.

        Args:
            action: An integer from 0 to A - 1.

        Returns:
            Observation, reward, terminated, truncated, info, see the class; all fresh.

        Raises:
            IllegalActionError: The action is no integer or out of range, or it is not legal and
                ``illegal_action="raise"``; nothing has changed. Or an opponent gave a bad one.
            ResetNeeded: Before the first reset, or when the game is over.
        """
        learners = self.learners
        learners.require_reset()
        if learners.over[0]:
            raise ResetNeeded("the game is over: call reset().")
        batch = learners.batch
        number = _checked_action(action, batch.num_actions)
        if batch.action_mask[0, number]:
            rewards, terminations, truncations = learners.step(np.array([number]))
            reward, terminated, truncated = rewards.item(), terminations.item(), truncations.item()
            info = self._info()
        else:
            reason = refusal(self.game, batch.states[0], batch.num_actions, number)
            if self.illegal_action == RAISE:
                raise IllegalActionError(reason)
            learners.give_up(_ROW)
            reward, terminated, truncated = ILLEGAL_REWARD, True, False
            info = self._info()
            info["illegal_action"] = reason
        if self.render_mode == "human":
            self.render()
        return learners.observation()[0], reward, terminated, truncated, info

    def action_masks(self) -> np.ndarray:
        """What the learner may do: bool (A,), fresh; all False when the game is over.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self.learners.action_masks()[0]

    def render(self) -> Any:
        """Draw the table as the learner sees it, everything when the game is over.

        Returns:
            Text for ``"ansi"``, uint8 (height, width, 3) for ``"rgb_array"``, None for ``"human"`` (a window).

        Raises:
            ResetNeeded: Before the first reset.
        """
        self.learners.require_reset()
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: make the environment with a render_mode.")
            return None
        batch = self.learners.batch
        state = batch.states[0]
        seat = None if batch.seat[0] < 0 else self.learners.seats[0].item()
        renderer = self.game.renderer()
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

    def _info(self) -> dict[str, Any]:
        learners = self.learners
        info = {"action_mask": learners.action_masks()[0].view(np.int8), "seat": learners.seats[0].item()}
        if learners.over[0]:
            info["scores"] = learners.scores()[0]
            info["winners"] = learners.winners(0)
        return info

    def __getstate__(self) -> dict[str, Any]:
        # A window belongs to this process; a copy opens its own.
        return {**self.__dict__, "_window": None}


class SeatVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """One seat in each of N games as a Gymnasium vector environment; policies play the other seats.

    All games run in one batch, in this process. Row i is what a single environment plays: observations int8 (N, F),
    actions integers (N,), rewards float64 (N,), and the ``info`` of ``SingleSeatEnv`` as Gymnasium batches it: under
    each key an array of N, and under ``_key`` which rows have it.

    Args:
        num_envs: Number of rows, N.
        opponents: One policy for all other seats; or a sequence of P - 1, in turn order after the learner; random
            players by default.
        learner_seat: ``"rotate"``: in row i's k-th game the learner has seat (i + k) % P; or the seat of all games.
        illegal_action: ``"terminate"``: the row's game is over, with a reward of -1; ``"raise"``: the step is refused
            with an ``IllegalActionError``, and no row has moved.
        autoreset_mode: What becomes of a row whose game is over, one of Gymnasium's ``AutoresetMode`` or its string:
            ``"NextStep"``: the next step ignores its action and deals it the next game; ``"SameStep"``: the next game
            is dealt at once, the end of the last one stands in ``final_obs`` and ``final_info``; ``"Disabled"``: it
            must be reset with ``reset(options={"reset_mask": ...})`` before the next step.
        threads: Rows are shared among so many cores; results do not depend on it.
        **options: The game's options.

    Attributes:
        learners: The games and their seats behind this environment, see ``env_core.seats.LearnerSeats``.

    Raises:
        TypeError: An option of the wrong type, an unknown one, or an opponent that is no policy.
        ValueError: An option with a value that is not possible, or the wrong number of opponents.
    """

    game: ClassVar[Game]

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: AnyPolicy | Sequence[AnyPolicy] | None = None,
        learner_seat: int | str = ROTATE,
        illegal_action: str = TERMINATE,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        **options: Any,
    ) -> None:
        self.autoreset_mode = _checked_autoreset_mode(autoreset_mode)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.illegal_action = checked_choice("illegal_action", illegal_action, ILLEGAL_ACTION_CHOICES)
        self.learners = _learners(self.game, num_envs, threads, options, learner_seat, opponents)
        batch = self.learners.batch
        self.num_envs = batch.num_envs
        self.single_observation_space = batch.single_observation_space
        self.single_action_space = batch.single_action_space
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._rows = np.arange(self.num_envs, dtype=np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a game in every row, or in some, and play on to the learner's first move in each.

        Args:
            seed: 0 to 2**63 - 1; row i then draws its games from ``SeedSequence(seed).spawn(N)[i]``. Without one each
                row's next game is dealt.
            options: As ``BatchEnv.reset`` takes them; ``"reset_mask"``, bool (N,) with a True, resets only some rows.

        Returns:
            Observations and infos, the infos of the rows that were reset; all fresh.

        Raises:
            TypeError, ValueError: A seed or options that are not possible; nothing has changed.
            ResetNeeded: Some rows, before every row has been reset.
        """
        rows = None
        if isinstance(options, dict) and "reset_mask" in options:
            rows = self._checked_reset_mask(options["reset_mask"])
            options = {key: value for key, value in options.items() if key != "reset_mask"}
        self.learners.reset(seed, options, rows)
        super().reset(seed=None if seed is None else operator.index(seed))
        return self.learners.observation(), self._infos(self._rows if rows is None else rows)

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play one action of the learner in every row, then the other seats.

        Args:
            actions: Integers (N,), each from 0 to A - 1; of any value in a row that this step resets.

        Returns:
            Observations int8 (N, F), rewards float64 (N,), terminations bool (N,), truncations bool (N,), infos; all
            fresh.

        Raises:
            IllegalActionError: Wrong shape, type or range, or an action that is not legal and
                ``illegal_action="raise"``; no row has moved. Or an opponent gave a bad one.
            ResetNeeded: Before the first reset; or, with ``"Disabled"``, when a row's game is over.
        """
        learners = self.learners
        learners.require_reset()
        waiting = np.flatnonzero(learners.over)
        if len(waiting) and self.autoreset_mode is AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"the games of the rows {short_list(waiting)} are over: call "
                "reset(options={'reset_mask': terminations | truncations}) first."
            )
        playing = np.flatnonzero(~learners.over) if len(waiting) else self._rows
        numbers = self._checked_actions(actions, playing)
        legal = learners.batch.action_mask[playing, numbers] != 0
        reasons = {} if legal.all() else self._reasons(playing[~legal], numbers[~legal])
        if reasons and self.illegal_action == RAISE:
            row, reason = next(iter(reasons.items()))
            raise IllegalActionError(f"row {row}: {reason}")
        given_up = playing[~legal]
        learners.give_up(given_up)
        rewards, terminations, truncations = learners.step(numbers[legal], playing[legal])
        rewards[given_up] = ILLEGAL_REWARD
        terminations[given_up] = True
        learners.begin_next(waiting)
        ended = np.flatnonzero(terminations | truncations)
        if len(ended) and self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = {
                **_batched("final_obs", list(learners.observation(ended)), ended, self.num_envs),
                "final_info": self._infos(ended, ended, reasons),
                "_final_info": terminations | truncations,
            }
            learners.begin_next(ended)
            infos = {**self._infos(self._rows), **final}
        else:
            infos = self._infos(self._rows, ended, reasons)
        return learners.observation(), rewards, terminations, truncations, infos

    def action_masks(self) -> np.ndarray:
        """What the learners may do: bool (N, A), fresh; all False in a row whose game is over.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self.learners.action_masks()

    # --- Infos -----------------------------------------------------------------------------------------------------

    def _infos(
        self, rows: np.ndarray, ended: np.ndarray = _ROW[:0], reasons: dict[int, str] | None = None
    ) -> dict[str, Any]:
        learners = self.learners
        everywhere = rows is self._rows
        masks = learners.action_masks().view(np.int8)
        seats = learners.seats.copy()
        has_info = np.ones(self.num_envs, dtype=np.bool_)
        if not everywhere:
            has_info[:] = False
            has_info[rows] = True
            masks[~has_info] = 0
            seats[~has_info] = 0
        infos: dict[str, Any] = {
            "action_mask": masks,
            "_action_mask": has_info,
            "seat": seats,
            "_seat": has_info.copy(),
        }
        if len(ended):
            scores = np.zeros((self.num_envs, learners.batch.num_players), dtype=np.int64)
            scores[ended] = learners.scores(ended)
            has_ended = np.zeros(self.num_envs, dtype=np.bool_)
            has_ended[ended] = True
            infos |= {"scores": scores, "_scores": has_ended}
            infos |= _batched("winners", [learners.winners(row) for row in ended.tolist()], ended, self.num_envs)
        if reasons:
            illegal = np.fromiter(reasons, dtype=np.int64)
            infos |= _batched("illegal_action", list(reasons.values()), illegal, self.num_envs)
        return infos

    # --- Checks ----------------------------------------------------------------------------------------------------

    def _reasons(self, rows: np.ndarray, actions: np.ndarray) -> dict[int, str]:
        batch = self.learners.batch
        return {
            row: refusal(self.game, batch.states[row], batch.num_actions, action)
            for row, action in zip(rows.tolist(), actions.tolist(), strict=True)
        }

    def _checked_actions(self, actions: Any, rows: np.ndarray) -> np.ndarray:
        # The actions of rows as int64; those of other rows mean nothing.
        array = as_array(actions)
        if array.shape != (self.num_envs,):
            raise IllegalActionError(
                f"actions must have the shape ({self.num_envs},), one for each row, not {array.shape}."
            )
        if array.dtype.kind not in "iu":
            raise IllegalActionError(f"actions must be integers, not {array.dtype}.")
        array = array[rows]
        last = self.learners.batch.num_actions - 1
        wrong = (array < 0) | (array > last)
        if wrong.any():
            place = int(wrong.argmax())
            raise IllegalActionError(f"row {rows[place]}: action {array[place]} is out of range 0..{last}.")
        return array.astype(np.int64)

    def _checked_reset_mask(self, mask: Any) -> np.ndarray:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
            found = f"of {mask.dtype}" if isinstance(mask, np.ndarray) else repr(mask)
            raise TypeError(f"options['reset_mask'] must be an array of bool, not {found}.")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"options['reset_mask'] must have the shape ({self.num_envs},), not {mask.shape}.")
        if not mask.any():
            raise ValueError("options['reset_mask'] must be True for one row at least.")
        return np.flatnonzero(mask)


def _batched(key: str, values: list[Any], rows: np.ndarray, num_envs: int) -> dict[str, Any]:
    # What Gymnasium makes of a value that is neither number nor array: an array of objects, and which rows have one.
    objects = np.full(num_envs, None, dtype=object)
    present = np.zeros(num_envs, dtype=np.bool_)
    for row, value in zip(rows.tolist(), values, strict=True):
        objects[row] = value
    present[rows] = True
    return {key: objects, f"_{key}": present}


def _learners(
    game: Game,
    num_envs: int,
    threads: int,
    options: dict[str, Any],
    learner_seat: int | str,
    opponents: AnyPolicy | Sequence[AnyPolicy] | None,
) -> LearnerSeats:
    # Checked here so that the batch's own options are not taken for the game's.
    num_players = game.options.from_keywords(options).num_players
    batch = BatchEnv(game, num_envs, threads=threads, auto_reset=False, **options)
    return LearnerSeats(batch, learner_seat=learner_seat, choose_opponents=FixedOpponents(opponents, num_players))


def _checked_action(action: Any, num_actions: int) -> int:
    number = checked_action(action, num_actions)
    if not 0 <= number < num_actions:
        raise IllegalActionError(f"action {number} is out of range 0..{num_actions - 1}.")
    return number


def _checked_autoreset_mode(mode: Any) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    return AutoresetMode(checked_choice("autoreset_mode", mode, tuple(mode.value for mode in AutoresetMode)))
