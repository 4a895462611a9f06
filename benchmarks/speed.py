"""Steps a second, beside PettingZoo's connect four and beside NumPy copying as many rows.

Actions are drawn before the clock starts: a game is a function of its seed and its actions, so each run plays the same
games again.
"""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
import pettingzoo

from benchmarks.games import GAMES, MeasuredGame
from benchmarks.measuring import Contestant, Measurement, Report, compared, interleaved
from env_core import MissingExtraError
from env_core.states import copied

BATCH_ROWS = 1024
BATCH_STEPS = 200
SINGLE_STEPS = 10_000
THREADS_ROWS = 8192
THREADS_STEPS = 80
COPIES = 1000
YARDSTICK_GAMES = 25
AEC_GAMES = 150
REPEATS = 40
"""Many short runs in turn rather than a few long ones: a median then forgives what else the machine does."""

PLAYED_BEFORE_ROWS = 256
SEED = 7
YARDSTICK = "connect_four_v3"


class BatchSteps:
    """Steps of a batch with observation, mask, rewards and auto-reset.

    Args:
        batch: The batch; it is reset.
        steps: Number of steps in a run, enough for games to end.
        played_before: Steps of each game that are played before.
        ends_a_row: Games that end in each row of a run at least, on average.
    """

    def __init__(self, batch: Any, steps: int, played_before: int = 0, ends_a_row: float = 1.0) -> None:
        self.batch = batch
        batch.reset(seed=SEED)
        if played_before:
            # A few rows played on stand for all: from here on each row's actions are its own.
            few = batch.take(np.arange(min(batch.num_envs, PLAYED_BEFORE_ROWS)))
            for step in range(played_before):
                few.step(few.sample_legal(step))
            batch.load_states(copied(few.states, np.arange(batch.num_envs) % few.num_envs))
        self.first_states = batch.states.copy()
        self.ended = 0
        self.actions = []
        for step in range(steps):
            self.actions.append(batch.sample_legal(step))
            self.ended += int(batch.step(self.actions[-1]).terminated.sum()) + int(batch.result.truncated.sum())
        self.last_states = batch.states.copy()
        assert self.ended >= ends_a_row * batch.num_envs, "too few games ended: more steps are needed"

    def prepare(self) -> None:
        """Deal the same games again."""
        self.batch.load_states(self.first_states)
        assert (self.first_states != self.last_states).all()

    def run(self) -> int:
        """Play all steps."""
        step = self.batch.step
        for actions in self.actions:
            step(actions)
        return len(self.actions) * self.batch.num_envs

    def check(self) -> None:
        """Every row has come to where it came when the actions were drawn, over the ends of ``ended`` games."""
        assert np.array_equal(self.batch.states, self.last_states)
        assert self.batch.action_mask.any(axis=1).all()
        assert self.batch.observation.any(axis=1).all()


class AecGames:
    """Whole games of an AEC environment: ``agent_iter``, ``last`` and ``step``, the dead steps too.

    Args:
        env: The environment; it is reset.
        games: Number of games in a run.
    """

    def __init__(self, env: Any, games: int) -> None:
        self.env = env
        self.games: list[list[int]] = []
        rng = np.random.default_rng(SEED)
        env.reset(seed=SEED)
        for game in range(games):
            if game:
                env.reset()
            actions: list[int] = []
            for _ in env.agent_iter():
                observation, _, termination, truncation, _ = env.last()
                if termination or truncation:
                    env.step(None)
                else:
                    actions.append(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                    env.step(actions[-1])
            self.games.append(actions)
        self.last_observation = observation["observation"].copy()

    def prepare(self) -> None:
        """Deal the first game again; the others follow in its stream."""
        self.env.reset(seed=SEED)
        self.ended = 0
        self.winnings = 0.0
        self.observation = self.env.last()[0]["observation"].copy()
        assert not np.array_equal(self.observation, self.last_observation)

    def run(self) -> int:
        """Play all games; dead steps are played, but not counted."""
        env = self.env
        moves = 0
        for game, actions in enumerate(self.games):
            if game:
                env.reset()
            waiting = iter(actions)
            for _ in env.agent_iter():
                observation, reward, termination, truncation, _ = env.last()
                if termination or truncation:
                    self.winnings += abs(reward)
                    env.step(None)
                else:
                    env.step(next(waiting))
            moves += len(actions)
            self.ended += not env.agents and next(waiting, None) is None
        self.observation = observation["observation"]
        return moves

    def check(self) -> None:
        """All games have ended, with all of their actions played, and rewards have been given."""
        assert self.ended == len(self.games)
        assert self.winnings > 0
        assert np.array_equal(self.observation, self.last_observation)


class RowCopies:
    """NumPy copying rows: what moving the observations alone would cost.

    Args:
        rows: int8 (N, F), as a batch holds them.
        copies: Number of copies of all rows in a run.
    """

    def __init__(self, rows: np.ndarray, copies: int) -> None:
        self.sources = [rows.copy(), 1 - rows]
        self.target = np.zeros_like(rows)
        self.copies = copies

    def prepare(self) -> None:
        """Clear the target."""
        self.target[...] = 0

    def run(self) -> int:
        """Copy two different sources in turn."""
        for copy in range(self.copies):
            np.copyto(self.target, self.sources[copy % 2])
        return self.copies * len(self.target)

    def check(self) -> None:
        """The last copy has arrived."""
        assert np.array_equal(self.target, self.sources[(self.copies - 1) % 2])


def measure(report: Report, repeats: int = REPEATS) -> list[Measurement]:
    """Measure every game against the yardstick, all in turn.

    Args:
        report: Told what is being measured.
        repeats: Timed runs of each contestant.

    Raises:
        MissingExtraError: Without the extra ``render``: connect four imports pygame with its rules.
    """
    report("connect four, the yardstick")
    try:
        yardstick_env = pettingzoo.make("aec", f"classic/{YARDSTICK}")
    except ImportError as error:
        raise MissingExtraError("the yardstick, PettingZoo's connect four,", "render") from error
    yardstick = AecGames(yardstick_env, YARDSTICK_GAMES)
    rows: list[Measurement] = []
    yardstick_rates: list[float] = []
    for measured in GAMES:
        rates, of_game = _measured_game(measured, yardstick, report, repeats)
        yardstick_rates += rates
        rows += of_game
    first = Measurement(
        "speed",
        f"PettingZoo {YARDSTICK}, env(), full loop (the yardstick)",
        statistics.median(yardstick_rates),
        "steps/s",
    )
    return [first, *rows]


def _measured_game(
    measured: MeasuredGame, yardstick: Contestant, report: Report, repeats: int
) -> tuple[list[float], list[Measurement]]:
    title, module = measured.game.title, measured.module()
    report(f"{title}: batches, AEC loops and copies beside the yardstick, {repeats} times in turn")
    batch = module.batch_env(BATCH_ROWS)
    length = (measured.played_before, measured.ends_a_row)
    many = BatchSteps(batch, BATCH_STEPS, *length)
    contestants: list[Contestant] = [
        yardstick,
        many,
        RowCopies(batch.observation, COPIES),
        BatchSteps(module.batch_env(1), SINGLE_STEPS),
        AecGames(module.raw_env(), AEC_GAMES),
        AecGames(module.env(), AEC_GAMES),
    ]
    standard, batched, copied, single, raw, checked = interleaved(contestants, repeats)

    report(f"{title}: one thread and two at {THREADS_ROWS:,} rows, {repeats} times in turn")
    threads = [BatchSteps(module.batch_env(THREADS_ROWS, threads=n), THREADS_STEPS, *length) for n in (1, 2)]
    assert np.array_equal(threads[0].last_states, threads[1].last_states)
    one, two = interleaved(threads, repeats)

    players = f"{batch.num_players} players"
    row_bytes = batch.observation.shape[1]
    rows = [
        (f"batch of {BATCH_ROWS:,}", batched, standard, "the yardstick", measured.batch),
        (f"batch of {BATCH_ROWS:,}", batched, copied, f"copying rows of {row_bytes} bytes", None),
        (f"batch of {THREADS_ROWS:,}, threads=2", two, one, "threads=1", measured.threads),
        ("batch of 1", single, standard, "the yardstick", measured.single),
        ("raw_env, full loop", raw, standard, "the yardstick", measured.raw_env),
        ("env(), full loop", checked, standard, "the yardstick", measured.env),
    ]
    return standard, [
        compared("speed", f"{title}, {players}: {name}", rates, "steps/s", others, compared_with, budget)
        for name, rates, others, compared_with, budget in rows
    ]
