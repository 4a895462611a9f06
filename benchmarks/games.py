"""Which games are measured, and what each is held to. A further game is one line."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from types import ModuleType
from typing import Any


@dataclass(frozen=True)
class MeasuredGame:
    """A game and its budgets.

    Attributes:
        face: Its module, ``"musee_env.musee_v0"``.
        batch: A batch of 1,024 plays at least so many times as many steps a second as the yardstick.
        single: The same for a batch of 1.
        raw_env: The same for ``raw_env`` in a full AEC loop.
        env: The same for ``env()``.
        threads: Two threads play at least so many times as many steps a second as one, at 8,192 rows.
        import_seconds: Importing the package takes at most so long.
        first_step_seconds: The first step of a fresh process takes at most so much longer, with a warm cache.
        compile_seconds: Compiling everything takes at most so long.
        played_before: So many steps of each game are played before the clock starts: where games are long, a run then
            sees all of their course.
        ends_a_row: So many games end in each row of a timed run at least, on average: the proof that games moved on.
    """

    face: str
    batch: float
    single: float = 25
    raw_env: float = 15
    env: float = 10
    threads: float = 1.7
    import_seconds: float = 1.0
    first_step_seconds: float = 0.5
    compile_seconds: float = 20
    played_before: int = 0
    ends_a_row: float = 1.0

    def module(self) -> ModuleType:
        """The face itself."""
        return importlib.import_module(self.face)

    @property
    def game(self) -> Any:
        """What ``env_core`` knows of the game, an ``env_core.game.Game``."""
        return self.module().GAME


GAMES = (
    MeasuredGame("musee_env.musee_v0", batch=300),
    MeasuredGame("masters_env.masters_v0", batch=300),
    MeasuredGame("pictura_env.pictura_v0", batch=100, compile_seconds=30, played_before=600, ends_a_row=0.05),
)
