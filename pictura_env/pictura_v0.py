"""The face of Museum: Pictura: ``env()``, ``raw_env()``, ``batch_env()`` and Gymnasium's two doors."""

from __future__ import annotations

from typing import Any

from env_core.aec import CheckedEnv, RawEnv
from env_core.batch import BatchEnv
from env_core.game import Game
from env_core.gymnasium_env import SeatVectorEnv, SingleSeatEnv
from pictura_env import kernels, moves, observation, state
from pictura_env.options import PicturaOptions

GAME = Game(
    name="pictura",
    title="Museum: Pictura",
    version="pictura_v0",
    face=__name__,
    options=PicturaOptions,
    state=state,
    kernels=kernels,
    observation=observation,
    moves=moves,
    render="pictura_env.render",
)


class raw_env(RawEnv):
    """One game of Museum: Pictura as a PettingZoo AEC environment, see ``env_core.aec.RawEnv``.

    Args:
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        **options: ``num_players``, ``reward`` and the game's own; see ``PicturaOptions``.
    """

    game = GAME


def env(*, render_mode: str | None = None, **options: Any) -> CheckedEnv:
    """One game of Museum: Pictura that behaves as PettingZoo's wrappers make it, see ``env_core.aec.CheckedEnv``.

    Args:
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        **options: ``num_players``, ``reward`` and the game's own; see ``PicturaOptions``.
    """
    return CheckedEnv(raw_env(render_mode=render_mode, **options))


def batch_env(num_envs: int, *, threads: int = 1, auto_reset: bool = True, **options: Any) -> BatchEnv:
    """N games of Museum: Pictura side by side, see ``env_core.batch.BatchEnv``.

    Args:
        num_envs: Number of rows.
        threads: Rows are shared among so many cores; results do not depend on it.
        auto_reset: Deal a new game at once in a row whose game ends.
        **options: ``num_players``, ``reward`` and the game's own; see ``PicturaOptions``.
    """
    return BatchEnv(GAME, num_envs, threads=threads, auto_reset=auto_reset, **options)


class single_seat_env(SingleSeatEnv):
    """One seat of Museum: Pictura as a Gymnasium environment, see ``env_core.gymnasium_env.SingleSeatEnv``.

    Args:
        opponents: Policies of the other seats; random players by default.
        learner_seat: ``"rotate"``, or the seat of all games.
        illegal_action: ``"terminate"`` or ``"raise"``.
        render_mode: None, ``"human"``, ``"rgb_array"`` or ``"ansi"``.
        **options: ``num_players``, ``reward`` and the game's own; see ``PicturaOptions``.
    """

    game = GAME


class vector_env(SeatVectorEnv):
    """One seat in each of N games of Museum: Pictura as a Gymnasium vector environment, see ``env_core.gymnasium_env``.

    Args:
        num_envs: Number of rows.
        opponents: Policies of the other seats; random players by default.
        learner_seat: ``"rotate"``, or the seat of all games.
        illegal_action: ``"terminate"`` or ``"raise"``.
        autoreset_mode: ``"NextStep"``, ``"SameStep"`` or ``"Disabled"``, or Gymnasium's ``AutoresetMode``.
        threads: Rows are shared among so many cores; results do not depend on it.
        **options: ``num_players``, ``reward`` and the game's own; see ``PicturaOptions``.
    """

    game = GAME
