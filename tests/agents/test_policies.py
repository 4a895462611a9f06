"""Protects the lists of games and policies by name, and what they say to a wrong one."""

from __future__ import annotations

import pickle
import shlex
from pathlib import Path

import numpy as np
import pytest

from agents.games import FACES, UnknownGameError, changed_options, face_of, game_of, options_from_words
from agents.policies import UnknownPolicyError, make_policy, policy_names
from env_core.errors import OptionError
from env_core.policies import Policy, PolicyWithStates, RandomPolicy, call_policy
from masters_env import masters_v0
from musee_env import musee_v0
from pictura_env import pictura_v0

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


def test_a_policy_of_ones_own_is_found_by_its_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_policies.py").write_text(
        "from env_core.policies import RandomPolicy\n"
        "class Needy(RandomPolicy):\n"
        "    def __init__(self, strength): ...\n"
        "ready = Needy(3)\n"
        "number = 5\n"
    )
    (tmp_path / "broken_policies.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    assert isinstance(make_policy("own_policies:ready", "musee"), RandomPolicy)
    assert isinstance(make_policy("env_core.policies:RandomPolicy", "musee"), RandomPolicy)
    for name, error, says in (
        ("own_policies:Needy", TypeError, r"Needy\(\) cannot be made without arguments"),
        ("own_policies:number", TypeError, "must be a policy .* not 5"),
        ("own_policies:missing", UnknownPolicyError, r"own_policies\.py\) has no 'missing'"),
        ("own_policies:", UnknownPolicyError, "has no ''"),
        ("broken_policies:Any", UnknownPolicyError, "cannot be imported: ZeroDivisionError"),
        (":Any", UnknownPolicyError, "cannot be imported"),
    ):
        with pytest.raises(error, match=says):
            make_policy(name, "musee")


def test_a_game_is_given_by_name_module_or_itself() -> None:
    for game in ("musee", "musee_v0", face_of("musee"), MUSEE):
        assert game_of(game) is MUSEE
        assert policy_names(game) == ["random", "greedy", "expert"]
    with pytest.raises(UnknownGameError, match="Did you mean 'musee'"):
        game_of("muse")
    for wrong in (5, None, pickle, MUSEE.options()):
        with pytest.raises(TypeError, match="a game is given by its name, 'musee' say"):
            game_of(wrong)  # type: ignore[arg-type]


def test_options_are_written_as_they_are_read() -> None:
    for options in (
        pictura_v0.GAME.options(num_players=3, exhibits_per_action=2, reward="score", max_rounds=7),
        musee_v0.GAME.options(num_players=4, staircases="random", games_to_win=2),
    ):
        words = [shlex.split(word)[0] for word in changed_options(options)]
        given = {"num_players": options.num_players, **options_from_words(words)}
        assert type(options)(**given) == options
    assert changed_options(pictura_v0.GAME.options()) == []
    assert changed_options(masters_v0.GAME.options(num_players=5, extra_card="any_artist")) == ["extra_card=any_artist"]


def test_options_are_read_as_a_command_line_has_them() -> None:
    words = ["games_to_win=2", "staircases=random", " reward = margin"]
    assert options_from_words(words) == {"games_to_win": 2, "staircases": "random", "reward": "margin"}
    assert options_from_words(["staircases=[[0,1],[1,0]]"]) == {"staircases": [[0, 1], [1, 0]]}
    for wrong in (["games_to_win"], ["=2"], ["a=1", "a=2"]):
        with pytest.raises(OptionError):
            options_from_words(wrong)
