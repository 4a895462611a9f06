"""Policies by name: what the arena, ``play`` and the training's opponents are named by."""

from __future__ import annotations

import importlib
from pathlib import Path

from env_core.game import Game
from env_core.options import GameOptions, unknown_name_message
from env_core.policies import Policy, PolicyWithStates, RandomPolicy

EXPERTS = {
    "musee": "agents.musee_expert:MuseeExpert",
    "masters": "agents.masters_expert:MastersExpert",
    "pictura": "agents.pictura_expert:PicturaExpert",
}
"""The rule-of-thumb player of each game that has one."""

TRAINED_SUFFIX = ".zip"


class UnknownPolicyError(ValueError):
    """A name that no policy has, or no policy for this game."""


def policy_names(game: Game) -> list[str]:
    """The names of the policies that a game has ready, weakest first."""
    return ["random", "greedy", *(["expert"] if game.name in EXPERTS else [])]


def make_policy(name: str, game: Game, options: GameOptions | None = None) -> Policy | PolicyWithStates:
    """A policy by its name.

    Args:
        name: ``"random"``, ``"greedy"``, ``"expert"``, or the path of a trained policy's ``.zip``.
        game: The game that it is to play.
        options: The options under which it is to play; a trained policy is refused if it was trained with another
            number of players.

    Raises:
        UnknownPolicyError: No policy of this game has that name.
        FileNotFoundError: There is no such file.
        MissingExtraError: A trained policy needs the extra ``train``.
        ValueError: The file is no policy, or not one of this game (``agents.ppo_policy.PolicyFileError``).
    """
    if name == "random":
        return RandomPolicy()
    if name == "greedy":
        from agents.greedy import GreedyPolicy

        return GreedyPolicy()
    if name == "expert" and game.name in EXPERTS:
        module, _, expert = EXPERTS[game.name].partition(":")
        return getattr(importlib.import_module(module), expert)()
    if name.endswith(TRAINED_SUFFIX):
        if not Path(name).is_file():
            raise FileNotFoundError(f"there is no trained policy {name}.")
        from agents.ppo_policy import load_policy

        return load_policy(name, game, options)
    known = [*policy_names(game), f"the path of a trained policy ({TRAINED_SUFFIX})"]
    raise UnknownPolicyError(f"{game.title}: {unknown_name_message('policy', name, known)}")
