"""The list of games. Adding one is one line of ``FACES``."""

from __future__ import annotations

import importlib
import json
import shlex
from collections.abc import Iterable
from types import ModuleType
from typing import Any

from env_core.errors import OptionError
from env_core.game import Game
from env_core.options import GameOptions, unknown_name_message

AnyGame = str | Game | ModuleType
"""What the functions of ``agents`` take for a game: its name, ``"musee"``, the game itself, or its module."""

FACES = {
    "musee": "musee_env.musee_v0",
    "masters": "masters_env.masters_v0",
    "pictura": "pictura_env.pictura_v0",
}
"""The module of each game's newest version, by the game's name."""


WORDS_FOR_VALUES = {"none": None, "null": None, "true": True, "yes": True, "false": False, "no": False}
"""What an option's value may be called besides its JSON, in whatever case."""


class UnknownGameError(ValueError):
    """A game that the suite does not have."""


def face_of(name: str) -> ModuleType:
    """The module of a game, with ``GAME``, ``env()``, ``raw_env()`` and ``batch_env()``.

    Args:
        name: The game's name, ``"musee"``, or its version's, ``"musee_v0"``.

    Raises:
        UnknownGameError: There is no such game; the message names those there are.
    """
    for game, face in FACES.items():
        if name in (game, face.split(".")[-1]):
            return importlib.import_module(face)
    raise UnknownGameError(unknown_name_message("game", name, list(FACES)))


def game_of(game: AnyGame) -> Game:
    """The game that a name, ``"musee"`` or ``"musee_v0"``, a module, ``musee_v0``, or the game itself means.

    Raises:
        UnknownGameError: There is no game of this name; the message names those there are.
        TypeError: It is neither a name nor a game.
    """
    if isinstance(game, str):
        game = face_of(game)
    if isinstance(game, ModuleType):
        game = getattr(game, "GAME", game)
    if not isinstance(game, Game):
        raise TypeError(
            f"a game is given by its name, {next(iter(FACES))!r} say, by its module, musee_v0, or as musee_v0.GAME, "
            f"not as {game!r}."
        )
    return game


def changed_options(options: GameOptions) -> list[str]:
    """The options that are not the default ones, as a command line has them; without the number of players.

    Returns:
        Words of the form ``"name=value"``, quoted for a shell, that ``options_from_words`` reads.
    """
    default = type(options)().as_record()
    return [
        option_in_words(name, value)
        for name, value in options.as_record().items()
        if name != "num_players" and value != default[name]
    ]


def option_in_words(name: str, value: Any) -> str:
    """An option as a command line has it: ``name=value``, quoted for a shell, as ``options_from_words`` reads it."""
    return shlex.quote(f"{name}={value if isinstance(value, str) else json.dumps(value)}")


def options_from_words(words: Iterable[str]) -> dict[str, Any]:
    """Read game options as a command line has them.

    Args:
        words: Each ``"name=value"``; a value that is JSON (a number, ``[[0,1],[1,0]]``, ``true``) is read as such,
            ``none``, ``yes`` and ``no`` as None, True and False, anything else is a string.

    Raises:
        OptionError: One has no ``=``, or the same option stands there twice.
    """
    options: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise OptionError(f"a game option is written NAME=VALUE, for example games_to_win=2, not {word!r}.")
        if name in options:
            raise OptionError(f"the game option {name!r} is given twice.")
        try:
            options[name] = json.loads(value)
        except (json.JSONDecodeError, RecursionError):
            options[name] = WORDS_FOR_VALUES.get(value.strip().lower(), value.strip())
    return options
