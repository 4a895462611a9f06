"""What a person sees while something takes time: that rules are being compiled, and how far a long run has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
from numba.core import event

from env_core.batch import BatchEnv
from env_core.errors import MissingExtraError
from env_core.game import Game
from env_core.options import GameOptions
from env_core.policies import Policy, PolicyWithStates, RandomPolicy, call_policy
from env_core.seats import FixedOpponents, LearnerSeats

SECONDS_BETWEEN_LINES = 30.0
"""So often a plain line says how far a run has come where there is no terminal to draw a bar on."""

MOVES_TO_COMPILE = 30
"""Within so many moves a policy has called all that it calls."""

COMPILE_EVENT = "numba:compile"


def compile_rules(
    game: Game,
    options: GameOptions,
    policies: Iterable[Policy | PolicyWithStates] = (),
    *,
    shown: bool = True,
) -> None:
    """Play some moves with each policy, and a whole game at random, so that later none has to wait for the compiler.

    Where all of it has been compiled before, this takes a second at most and says nothing.

    Args:
        game: The game.
        options: Its options.
        policies: What is to play later.
        shown: Say on stderr that and how long something is compiled.
    """
    rng = np.random.default_rng(0)
    with _compiling_said(game.title, shown):
        for policy, moves in [(RandomPolicy(), sys.maxsize), *((policy, MOVES_TO_COMPILE) for policy in policies)]:
            batch = BatchEnv.with_options(game, options.num_players, options, auto_reset=False)
            batch.reset(options={"game_seed": 0})
            learners = LearnerSeats(batch, choose_opponents=FixedOpponents(policy, batch.num_players))
            # A policy that fails does so again, and is named, when it is asked in earnest.
            with suppress(Exception):
                learners.reset(seed=0)
                for _ in range(moves):
                    waiting = np.flatnonzero(~learners.over)
                    if not len(waiting):
                        break
                    learners.step(call_policy(policy, batch, waiting, rng), waiting)
                learners.observation()
                learners.begin_next(np.flatnonzero(learners.over))


@contextmanager
def _compiling_said(title: str, shown: bool) -> Iterator[None]:
    notice = _CompilingNotice(title)
    if not shown:
        yield
        return
    with event.install_listener(COMPILE_EVENT, notice):
        try:
            yield
        finally:
            notice.close()


class _CompilingNotice(event.Listener):
    """A line that begins when the first function is compiled, grows by a dot for each, and ends with the time taken."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.began: float | None = None
        self.depth = 0

    def on_start(self, event: Any) -> None:
        if self.began is None:
            self.began = time.monotonic()
            print(f"Compiling the rules of {self.title} (once after an edit) ", end="", file=sys.stderr, flush=True)
        if self.depth == 0:
            print(".", end="", file=sys.stderr, flush=True)
        self.depth += 1

    def on_end(self, event: Any) -> None:
        self.depth -= 1

    def close(self) -> None:
        if self.began is not None:
            print(f" {time.monotonic() - self.began:.0f} s", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(total: int, unit: str, shown: bool, done: int = 0) -> Iterator[Any]:
    """A bar on stderr; where that is no terminal, a plain line now and then.

    Args:
        total: So many in all.
        unit: What is counted, in the plural.
        shown: False for nothing at all.
        done: So many were done before.

    Yields:
        An object with ``update(count)``, so many more are done, and ``set_postfix(words)``, more to show.

    Raises:
        MissingExtraError: tqdm is not installed.
    """
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise MissingExtraError("a progress bar", "train") from error
    if shown and not sys.stderr.isatty():
        yield _PlainLines(total, unit, done)
        return
    with tqdm(total=total, initial=done, unit=f" {unit}", unit_scale=True, disable=not shown, mininterval=0.5) as bar:
        yield bar


class _PlainLines:
    """What ``progress_bar`` gives where there is no terminal."""

    def __init__(self, total: int, unit: str, done: int) -> None:
        self.total = total
        self.unit = unit
        self.begun_with = self.done = done
        self.began = self.last = time.monotonic()
        self.words: Mapping[str, str] = {}

    def update(self, count: int) -> None:
        self.done += count
        now = time.monotonic()
        if now - self.last >= SECONDS_BETWEEN_LINES:
            self.last = now
            rate = (self.done - self.begun_with) / (now - self.began)
            more = "".join(f", {name} {value}" for name, value in self.words.items())
            line = f"{self.done:,} of {self.total:,} {self.unit}, {rate:,.0f} a second{more}"
            print(line, file=sys.stderr, flush=True)

    def set_postfix(self, words: Mapping[str, str]) -> None:
        self.words = words
