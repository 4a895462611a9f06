"""Protects the lists of games and policies by name, and what they say to a wrong one."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from agents.games import FACES, UnknownGameError, face_of, options_from_words
from agents.policies import UnknownPolicyError, make_policy, policy_names
from env_core.errors import OptionError
from env_core.policies import Policy, PolicyWithStates, call_policy

MUSEE = face_of("musee").GAME


def test_every_game_of_the_list_is_there() -> None:
    for name, face in FACES.items():
        assert face_of(name).GAME.name == name
        assert face_of(face.split(".")[-1]) is face_of(name)
    with pytest.raises(UnknownGameError, match="Did you mean 'musee'"):
        face_of("musé")


@pytest.mark.parametrize("name", policy_names(MUSEE))
def test_named_policies_play_are_picklable_and_say_their_name(name: str) -> None:
    policy = make_policy(name, MUSEE)
    assert isinstance(policy, Policy | PolicyWithStates)
    assert repr(policy) in ("RandomPolicy()", "GreedyPolicy()", "MuseeExpert()")
    batch = face_of("musee").batch_env(8)
    batch.reset(seed=1)
    rows = np.arange(8)
    actions = call_policy(policy, batch, rows, np.random.default_rng(2))
    again = call_policy(pickle.loads(pickle.dumps(policy)), batch, rows, np.random.default_rng(2))
    assert np.array_equal(actions, again)


def test_wrong_policies_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownPolicyError, match="Did you mean 'greedy'"):
        make_policy("gredy", MUSEE)
    with pytest.raises(FileNotFoundError, match="no trained policy"):
        make_policy(str(tmp_path / "none.zip"), MUSEE)
    pytest.importorskip("torch")
    no_policy = tmp_path / "text.zip"
    no_policy.write_text("not a zip")
    with pytest.raises(ValueError, match="no policy file"):
        make_policy(str(no_policy), MUSEE)


def test_options_are_read_as_a_command_line_has_them() -> None:
    words = ["games_to_win=2", "staircases=random", " reward = margin"]
    assert options_from_words(words) == {"games_to_win": 2, "staircases": "random", "reward": "margin"}
    assert options_from_words(["staircases=[[0,1],[1,0]]"]) == {"staircases": [[0, 1], [1, 0]]}
    for wrong in (["games_to_win"], ["=2"], ["a=1", "a=2"]):
        with pytest.raises(OptionError):
            options_from_words(wrong)
