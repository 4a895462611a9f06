"""The options of Musée."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from env_core.errors import OptionError
from env_core.options import GameOptions, checked_choice, checked_integer
from musee_env.state import (
    AGREED_STAIRCASES,
    COLUMNS_BY_PLAYERS,
    FIRST_GAME_STAIRCASES,
    HAND_LIMIT_BY_PLAYERS,
    MAX_GAMES_TO_WIN,
    PAINTINGS_BY_PLAYERS,
    RANDOM_STAIRCASES,
    TOKEN_ROWS,
)

STAIRCASE_WORDS = ("first_game", "random")


@dataclass(frozen=True)
class MuseeOptions(GameOptions):
    """The options of a game, or match, of Musée.

    Attributes:
        num_players: 2, 3 or 4 (four play in two teams).
        reward: See ``GameOptions``.
        staircases: ``"first_game"``, ``"random"`` (drawn anew for each game), or an agreed pattern: two rows (upper,
            lower) of booleans or 0/1, one for each column, with 3 staircases in each row (5 columns: 2 in one row, 3
            in the other).
        games_to_win: 1 is a single game; 2 to 5 a match to so many wins.
    """

    PLAYERS: ClassVar[tuple[int, ...]] = (2, 3, 4)

    staircases: str | Sequence[Sequence[bool]] = "first_game"
    games_to_win: int = 1

    def __post_init__(self) -> None:
        """Check every option; see ``GameOptions``."""
        super().__post_init__()
        self._set("games_to_win", checked_integer("games_to_win", self.games_to_win, range(1, MAX_GAMES_TO_WIN + 1)))
        if isinstance(self.staircases, str):
            self._set("staircases", checked_choice("staircases", self.staircases, STAIRCASE_WORDS))
        else:
            self._set("staircases", checked_pattern(self.staircases, self.num_players))

    def write(self, states: np.ndarray) -> None:
        """Write the options into an array of blank states."""
        super().write(states)
        states["num_sides"] = 2 if self.num_players == 4 else self.num_players
        states["paintings"] = PAINTINGS_BY_PLAYERS[self.num_players]
        states["columns"] = COLUMNS_BY_PLAYERS[self.num_players]
        states["hand_limit"] = HAND_LIMIT_BY_PLAYERS[self.num_players]
        states["games_to_win"] = self.games_to_win
        if self.staircases == "first_game":
            states["staircase_rule"] = FIRST_GAME_STAIRCASES
        elif self.staircases == "random":
            states["staircase_rule"] = RANDOM_STAIRCASES
        else:
            states["staircase_rule"] = AGREED_STAIRCASES
            states["agreed_staircases"][:, :, : COLUMNS_BY_PLAYERS[self.num_players]] = self.staircases


def checked_pattern(pattern: Any, num_players: int) -> tuple[tuple[int, ...], ...]:
    """Return an agreed pattern of staircases as two rows of 0/1, or refuse it.

    Raises:
        TypeError: It is not two rows of booleans or 0/1.
        OptionError: It has the wrong shape or the wrong number of staircases.
    """
    columns = COLUMNS_BY_PLAYERS[num_players]
    wanted = f"'first_game', 'random', or two rows (upper, lower) of {columns} booleans"
    if isinstance(pattern, np.ndarray):
        pattern = pattern.tolist()
    if not isinstance(pattern, (list, tuple)):
        raise TypeError(f"staircases must be {wanted}, not {pattern!r} ({type(pattern).__name__}).")
    if len(pattern) != TOKEN_ROWS:
        raise OptionError(f"staircases must be {wanted}, not {len(pattern)} rows.")
    rows = []
    for name, row in zip(("upper", "lower"), pattern, strict=True):
        if isinstance(row, np.ndarray):
            row = row.tolist()
        if not isinstance(row, (list, tuple)):
            raise TypeError(f"the {name} row of staircases must be {columns} booleans, not {row!r}.")
        if len(row) != columns:
            raise OptionError(
                f"the {name} row of staircases must have {columns} tokens with {num_players} players, not {len(row)}."
            )
        for token in row:
            if not isinstance(token, (bool, np.bool_, int, np.integer)) or token not in (0, 1):
                raise TypeError(
                    f"a token of the {name} row of staircases must be True or False (1 or 0), not {token!r}."
                )
        rows.append(tuple(int(token) for token in row))
    counts = [sum(row) for row in rows]
    allowed = [[2, 3], [3, 2]] if columns % 2 else [[columns // 2, columns // 2]]
    if counts not in allowed:
        needed = " or ".join(f"{upper} and {lower}" for upper, lower in allowed)
        raise OptionError(
            f"staircases must have {needed} staircases in the upper and lower row with {num_players} players, "
            f"not {counts[0]} and {counts[1]}."
        )
    return tuple(rows)
