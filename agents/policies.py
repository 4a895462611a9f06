"""Policies by name: what the arena, ``play`` and the training's opponents are named by."""

from __future__ import annotations

import importlib
from pathlib import Path

from agents.games import AnyGame, game_of
from env_core.options import GameOptions, unknown_name_message
from env_core.policies import Policy, PolicyWithStates, RandomPolicy, checked_policy

EXPERTS = {
    "musee": "agents.musee_expert:MuseeExpert",
    "masters": "agents.masters_expert:MastersExpert",
    "pictura": "agents.pictura_expert:PicturaExpert",
}
"""The player written by hand for each game that has one."""

TRAINED_SUFFIX = ".zip"

OWN_SEPARATOR = ":"
"""Stands between the module and the name of a policy of the user's own."""


class UnknownPolicyError(ValueError):
    """A name that no policy has, or no policy for this game."""


def policy_names(game: AnyGame) -> list[str]:
    """The names of the policies that a game has ready, weakest first."""
    return ["random", "greedy", *(["expert"] if game_of(game).name in EXPERTS else [])]


def make_policy(name: str, game: AnyGame, options: GameOptions | None = None) -> Policy | PolicyWithStates:
    """A policy by its name.

    Args:
        name: ``"random"``, ``"greedy"``, ``"expert"``, the path of a trained policy's ``.zip``, or
            ``"my_module:MyPolicy"``: a policy in a module of yours, or a class that makes one without arguments.
        game: The game that it is to play.
        options: The options under which it is to play; a trained policy is refused if it was trained with another
            number of players.

    Raises:
        UnknownPolicyError: No policy of this game has that name, or the module cannot be imported or has no such name.
        TypeError: What has that name in a module is no policy.
        FileNotFoundError: There is no such file.
        MissingExtraError: A trained policy needs the extra ``train``.
        ValueError: The file is no policy, or not one of this game (``agents.ppo_policy.PolicyFileError``).
    """
    game = game_of(game)
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
    if OWN_SEPARATOR in name:
        return _own_policy(name)
    known = [
        *policy_names(game),
        f"the path of a trained policy ({TRAINED_SUFFIX})",
        f"a policy of your own (my_module{OWN_SEPARATOR}MyPolicy)",
    ]
    raise UnknownPolicyError(f"{game.title}: {unknown_name_message('policy', name, known)}")


def _own_policy(path: str) -> Policy | PolicyWithStates:
    module, _, name = path.rpartition(OWN_SEPARATOR)
    try:
        found = importlib.import_module(module)
    except Exception as error:  # whatever a module of the user's does when it is imported
        raise UnknownPolicyError(
            f"the policy {path!r}: the module {module!r} cannot be imported: {type(error).__name__}: {error}"
        ) from error
    policy = getattr(found, name, None)
    if policy is None:
        raise UnknownPolicyError(f"the policy {path!r}: the module {module!r} ({found.__file__}) has no {name!r}.")
    if isinstance(policy, type):
        try:
            policy = policy()
        except TypeError as error:
            raise TypeError(f"the policy {path!r}: {name}() cannot be made without arguments: {error}") from error
    return checked_policy(policy, f"the policy {path!r}")
