"""What ``env_core`` needs to know of a game: its names and its modules.

A game's package keeps one job in each file; this object points at them. The protocols below say what each module
offers, so that a new game can be checked against them.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from env_core.errors import StateVersionError
from env_core.features import FeatureTable
from env_core.options import GameOptions


@dataclass(frozen=True, eq=False)
class Game:
    """One game of the suite.

    Attributes:
        name: As records have it, ``"musee"``.
        title: As people write it, ``"Musée"``.
        version: Of the environment, ``"musee_v0"``; it changes when any golden record does.
        face: The module that holds this object as ``GAME``, ``"musee_env.musee_v0"``.
        options: The dataclass of the game's options.
        state: Module with ``STATE`` (structured dtype) and ``STATE_VERSION``.
        kernels: Module with the compiled loops, see ``musee_env/kernels.py`` for the list and the signatures.
        observation: Module with ``features``, ``state_features``, ``knowledge`` and ``read_observation``.
        moves: Module with the game in words: ``describe``, ``encode``, ``setup_in_words``, ``write_setup``,
            ``chance_in_words``, ``write_chance``.
        render: Name of the module that draws; imported when something is drawn.
    """

    name: str
    title: str
    version: str
    face: str
    options: type[GameOptions]
    state: ModuleType
    kernels: ModuleType
    observation: ModuleType
    moves: ModuleType
    render: str

    def __reduce__(self) -> tuple[Any, ...]:
        return load_game, (self.face,)

    @property
    def dtype(self) -> np.dtype:
        """The structured dtype of a state."""
        return self.state.STATE

    def renderer(self) -> ModuleType:
        """The module that draws this game."""
        return importlib.import_module(self.render)

    def new_states(self, options: GameOptions, count: int) -> np.ndarray:
        """Blank states that hold the options and nothing else: structured, shape (count,)."""
        states = np.zeros(count, dtype=self.dtype)
        states["version"] = self.state.STATE_VERSION
        options.write(states)
        return states

    def rules_sha256(self, options: GameOptions) -> str:
        """A digest of all that the options decide but the reward: alike where games are played by the same rules."""
        states = self.new_states(options, 1)
        digest = hashlib.sha256()
        for name in self.state.OPTION_FIELDS:
            if name != "reward":
                digest.update(states[name].tobytes())
        return digest.hexdigest()

    def checked_states(self, states: Any) -> np.ndarray:
        """Return states of this game and version, contiguous and of shape (n,), or refuse them.

        Raises:
            StateVersionError: They are of another dtype or another version.
        """
        if not isinstance(states, np.ndarray) or states.dtype != self.dtype or states.ndim != 1:
            found = f"{type(states).__name__} of dtype {getattr(states, 'dtype', None)}"
            raise StateVersionError(
                f"expected a one-dimensional array of {self.version} states (version {self.state.STATE_VERSION}), "
                f"not {found[:120]}. States are only read by the version that saved them."
            )
        versions = np.unique(states["version"])
        if len(states) and versions.tolist() != [self.state.STATE_VERSION]:
            raise StateVersionError(
                f"these states are of version {versions.tolist()}, this is version {self.state.STATE_VERSION} of "
                f"{self.version}: install the release that saved them, or play the games again from their records."
            )
        return states

    def features(self, options: GameOptions) -> FeatureTable:
        """The columns of an observation under these options."""
        return self.observation.features(options.num_players)

    def state_features(self, options: GameOptions) -> FeatureTable:
        """The columns of the perfect-information observation under these options."""
        return self.observation.state_features(options.num_players)


def load_game(face: str) -> Game:
    """The game whose face is the module of this name, ``"musee_env.musee_v0"``.

    Raises:
        ImportError: There is no such module, or no game in it.
    """
    game = getattr(importlib.import_module(face), "GAME", None)
    if not isinstance(game, Game):
        raise ImportError(f"the module {face} holds no game.")
    return game


def plain(value: Any) -> Any:
    """A copy of nested dictionaries and sequences in which every value is a plain Python one."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value
