"""A game's options: a frozen dataclass, checked once, that writes itself into states."""

from __future__ import annotations

import dataclasses
import difflib
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from env_core.arrays import as_integer
from env_core.errors import OptionError, UnknownOptionError
from env_core.rewards import REWARDS


@dataclass(frozen=True)
class GameOptions:
    """The options that every game has.

    Attributes:
        num_players: Number of seats; which numbers are possible is the game's.
        reward: ``"outcome"`` (zero-sum, at the end), ``"margin"`` (points ahead, at the end) or ``"score"`` (points as
            they are scored).
    """

    PLAYERS: ClassVar[tuple[int, ...]] = (2,)

    num_players: int = 2
    reward: str = "outcome"

    def __post_init__(self) -> None:
        """Check every option.

        Raises:
            TypeError: An option of the wrong type.
            OptionError: An option with a value that the game does not know.
        """
        self._set("num_players", checked_integer("num_players", self.num_players, self.PLAYERS))
        self._set("reward", checked_choice("reward", self.reward, REWARDS))

    @classmethod
    def from_keywords(cls, keywords: dict[str, Any]) -> Self:
        """Make options of keyword arguments.

        Raises:
            UnknownOptionError: A keyword that is no option of this game; the message names the nearest one.
        """
        names = [field.name for field in dataclasses.fields(cls)]
        for keyword in keywords:
            if keyword not in names:
                raise UnknownOptionError(unknown_name_message("option", keyword, names))
        return cls(**keywords)

    def as_record(self) -> dict[str, Any]:
        """Every option by name, plain Python values, as a game record holds them."""
        from env_core.game import plain

        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self)}

    def write(self, states: np.ndarray) -> None:
        """Write the options into an array of blank states."""
        states["num_players"] = self.num_players
        states["reward"] = REWARDS.index(self.reward)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def unknown_name_message(what: str, name: Any, known: list[str]) -> str:
    """Say that a name is not known, which one may be meant, and which there are."""
    near = difflib.get_close_matches(str(name), known, n=1)
    meant = f" Did you mean {near[0]!r}?" if near else ""
    return f"unknown {what} {name!r}.{meant} Known: {', '.join(known)}."


def checked_integer(name: str, value: Any, allowed: tuple[int, ...] | range) -> int:
    """Return an option as a Python integer, or refuse it.

    Raises:
        TypeError: It is no integer (``True`` is none).
        OptionError: It is not among the allowed ones.
    """
    number = as_integer(value)
    if number is None:
        raise TypeError(f"{name} must be an integer, not {value!r} ({type(value).__name__}).")
    if number not in allowed:
        choices = (
            f"from {allowed[0]} to {allowed[-1]}"
            if isinstance(allowed, range)
            else f"one of {', '.join(map(str, allowed))}"
        )
        raise OptionError(f"{name} must be {choices}, not {number}.")
    return number


def checked_choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return an option that is one of a few words, or refuse it.

    Raises:
        TypeError: It is no string.
        OptionError: It is not among the choices.
    """
    if not isinstance(value, str):
        raise TypeError(
            f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r} ({type(value).__name__})."
        )
    if value not in choices:
        near = difflib.get_close_matches(value, choices, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise OptionError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}.{meant}")
    # An enumeration's member or NumPy's string is taken, but not kept.
    return choices[choices.index(value)]
