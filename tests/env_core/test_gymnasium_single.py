"""Protects the single-seat Gymnasium environment.

It passes Gymnasium's and Stable-Baselines3's own checks, plays the games of its seed, ends an illegal action as asked,
hands out fresh data, and refuses misuse before anything has changed.
"""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, check_returned_data_not_reused

import musee_env  # noqa: F401 - registers the game
from env_core import IllegalActionError, RandomPolicy
from musee_env import musee_v0
from tests.env_core.gymnasium_helpers import ByObservation

POLICY = ByObservation()


def choose(observation, env) -> int:
    return POLICY(observation[None], env.action_masks()[None], None, None)[0]


def first_illegal(env) -> int:
    return int(np.flatnonzero(~env.action_masks())[0])


def after_a_few_moves(**options):
    env = musee_v0.single_seat_env(**options)
    observation, _ = env.reset(seed=3)
    for _ in range(3):
        observation, *_ = env.step(choose(observation, env))
    return env


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_gymnasiums_own_checks_pass_without_a_warning(num_players):
    env = gymnasium.make("gallery/Musee-v0", num_players=num_players).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env, skip_render_check=num_players > 2)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_stable_baselines3s_own_checks_pass_without_a_warning(num_players):
    env_checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(musee_v0.single_seat_env(num_players=num_players))


def test_make_gives_the_bare_environment_with_its_options():
    opponent = RandomPolicy()
    env = gymnasium.make("gallery/Musee-v0", num_players=3, learner_seat=2, opponents=opponent, reward="score")
    assert isinstance(env, musee_v0.single_seat_env)
    assert env.learners.batch.options.num_players == 3
    assert env.reset(seed=1)[1]["seat"] == 2
    env.close()
    env.close()


def test_games_are_those_of_the_seed_and_the_seat_rotates():
    env = musee_v0.single_seat_env(num_players=3, opponents=POLICY)
    aec = musee_v0.raw_env(num_players=3)
    aec.reset(seed=17)
    observation, info = env.reset(seed=17)
    for game in range(4):
        assert info["seat"] == game % 3
        assert env.learners.batch.game_seed(0) == aec.table.game_seed(0)
        terminated = False
        while not terminated:
            assert observation in env.observation_space
            np.testing.assert_array_equal(info["action_mask"], env.action_masks())
            assert env.action_masks().any()
            assert "scores" not in info
            observation, reward, terminated, truncated, info = env.step(choose(observation, env))
            assert type(reward) is float
            assert not truncated
        while aec.table.seat[0] >= 0:
            aec.step(POLICY(aec.table.observation, aec.table.action_mask, None, None)[0])
        np.testing.assert_array_equal(info["scores"], aec.table.scores()[0])
        assert info["winners"] == aec.table.winners(0)
        assert reward == aec.rewards[f"player_{game % 3}"]
        assert not info["action_mask"].any()
        np.testing.assert_array_equal(observation, aec.table.observe(game % 3)[0])
        aec.reset()
        observation, info = env.reset()


def test_a_seed_repeats_everything_random_opponents_included():
    histories = []
    for _ in range(2):
        env = musee_v0.single_seat_env(num_players=4)
        env.reset()
        history = [env.reset(seed=2)[0]]
        for _ in range(30):
            observation, reward, terminated, _, info = env.step(choose(history[-1], env))
            history.append(env.reset()[0] if terminated else observation)
        histories.append(history)
    np.testing.assert_array_equal(*histories)
    assert (histories[0][0] != env.reset(seed=3)[0]).any()


def test_reset_options_deal_a_setup_or_a_game_seed():
    aec = musee_v0.raw_env()
    aec.reset(seed=5)
    env = musee_v0.single_seat_env(learner_seat=aec.table.seat.item())
    observation, _ = env.reset(options={"setup": aec.record()["setup"]})
    np.testing.assert_array_equal(observation, aec.table.observation[0])
    env.reset(seed=1)
    observation, _ = env.reset(options={"game_seed": aec.table.game_seed(0)})
    np.testing.assert_array_equal(observation, aec.table.observation[0])


def test_mask_samples_legal_actions_from_the_action_space():
    env = musee_v0.single_seat_env(illegal_action="raise")
    _, info = env.reset(seed=0)
    env.action_space.seed(0)
    terminated = False
    while not terminated:
        *_, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
    assert info["winners"]


def test_illegal_action_terminates_with_the_reason():
    env = after_a_few_moves()
    before = env.learners.batch.states.copy()
    action = first_illegal(env)
    seat = env.learners.seats[0]
    observation, reward, terminated, truncated, info = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert f"action {action}" in info["illegal_action"]
    assert "not legal" in info["illegal_action"]
    assert info["seat"] == seat
    assert info["winners"] == []
    np.testing.assert_array_equal(info["scores"], env.learners.scores()[0])
    assert not info["action_mask"].any()
    assert not env.action_masks().any()
    assert (env.learners.batch.states == before).all()
    with pytest.raises(ResetNeeded, match="over"):
        env.step(action)
    _, info = env.reset()
    assert env.action_masks().any()
    assert "illegal_action" not in info


def test_illegal_action_raises_and_changes_nothing():
    env = after_a_few_moves(illegal_action="raise")
    before = env.learners.batch.states.copy()
    with pytest.raises(IllegalActionError, match="not legal for seat 0"):
        env.step(first_illegal(env))
    assert (env.learners.batch.states == before).all()
    env.step(np.flatnonzero(env.action_masks())[0])


@pytest.mark.parametrize(
    "action", [True, np.True_, 1.0, "1", None, [1], np.array([1]), -1, 90, 2**70, np.uint64(2**64 - 1)]
)
def test_what_is_no_action_is_refused_and_changes_nothing(action):
    env = after_a_few_moves()
    before = env.learners.batch.states.copy()
    with pytest.raises(IllegalActionError, match="action"):
        env.step(action)
    assert (env.learners.batch.states == before).all()


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.array])
def test_every_kind_of_integer_is_an_action(kind):
    env = after_a_few_moves(illegal_action="raise")
    env.step(kind(np.flatnonzero(env.action_masks())[0]))


def test_out_of_order_calls_are_refused():
    env = musee_v0.single_seat_env(render_mode="ansi")
    for call in (lambda: env.step(0), env.action_masks, env.render):
        with pytest.raises(ResetNeeded):
            call()
    observation, _ = env.reset(seed=0)
    terminated = False
    while not terminated:
        observation, _, terminated, *_ = env.step(choose(observation, env))
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"players": 2}, TypeError, "num_players"),
        ({"threads": 2}, TypeError, "threads"),
        ({"auto_reset": False}, TypeError, "auto_reset"),
        ({"autoreset_mode": "NextStep"}, TypeError, "autoreset_mode"),
        ({"num_players": 5}, ValueError, "num_players"),
        ({"learner_seat": 2}, ValueError, "learner_seat must be from 0 to 1"),
        ({"learner_seat": "rotating"}, ValueError, "'rotate'"),
        ({"learner_seat": True}, TypeError, "learner_seat"),
        ({"illegal_action": "ignore"}, ValueError, "'terminate', 'raise'"),
        ({"illegal_action": None}, TypeError, "illegal_action"),
        ({"render_mode": "svg"}, ValueError, "render_mode"),
        ({"opponents": "random"}, TypeError, "must be a policy"),
        ({"opponents": RandomPolicy}, TypeError, r"RandomPolicy\(\)"),
        ({"opponents": [RandomPolicy(), RandomPolicy()]}, ValueError, "not 2"),
        ({"opponents": []}, ValueError, "not 0"),
    ],
)
def test_wrong_options_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        musee_v0.single_seat_env(**options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"seed": -1},
        {"seed": 2**63},
        {"seed": 1.0},
        {"seed": True},
        {"options": {"seat": 1}},
        {"options": {"setup": {}}},
    ],
)
def test_a_wrong_reset_is_refused_and_changes_nothing(wrong):
    env, twin = after_a_few_moves(), after_a_few_moves()
    env.np_random.random()
    state = env.np_random.bit_generator.state
    with pytest.raises((TypeError, ValueError)):
        env.reset(**wrong)
    assert env.np_random.bit_generator.state == state
    action = np.flatnonzero(env.action_masks())[0]
    np.testing.assert_array_equal(env.step(action)[0], twin.step(action)[0])


def test_greatest_seed_is_taken():
    musee_v0.single_seat_env().reset(seed=np.int64(2**63 - 1))


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_goes_on_alike_and_apart(twin_of):
    env = after_a_few_moves(num_players=3, opponents=RandomPolicy())
    twin = twin_of(env)
    assert twin.observation_space == env.observation_space
    observation = env.learners.observation()[0]
    for _ in range(30):
        action = choose(observation, env)
        observation, reward, terminated, _, info = env.step(action)
        twin_observation, twin_reward, twin_terminated, _, twin_info = twin.step(action)
        np.testing.assert_array_equal(observation, twin_observation)
        assert (reward, terminated, info["seat"]) == (twin_reward, twin_terminated, twin_info["seat"])
        if terminated:
            observation, twin_observation = env.reset()[0], twin.reset()[0]
            np.testing.assert_array_equal(observation, twin_observation)


def test_data_handed_out_is_not_used_again():
    check_returned_data_not_reused(musee_v0.single_seat_env())
    env = after_a_few_moves()
    observation, _, _, _, info = env.step(np.flatnonzero(env.action_masks())[0])
    mask = env.action_masks()
    kept = copy.deepcopy((observation, info, mask))
    observation[:] = info["action_mask"][:] = 1
    mask[:] = True
    np.testing.assert_array_equal(env.learners.observation()[0], kept[0])
    np.testing.assert_array_equal(env.action_masks(), kept[2])
    observation, info, mask = copy.deepcopy(kept)
    env.step(np.flatnonzero(env.action_masks())[0])
    np.testing.assert_array_equal(observation, kept[0])


def test_rendering_shows_what_the_learner_sees(monkeypatch):
    env = after_a_few_moves(render_mode="ansi", learner_seat=1)
    renderer = env.game.renderer()
    assert env.render() == renderer.text(env.learners.batch.states[0], 1)
    while not env.learners.over[0]:
        env.step(np.flatnonzero(env.action_masks())[0])
    assert env.render() == renderer.text(env.learners.batch.states[0], None)
    drawn = after_a_few_moves(render_mode="rgb_array", learner_seat=1)
    picture = drawn.render()
    assert picture.dtype == np.uint8
    np.testing.assert_array_equal(picture, renderer.picture(drawn.learners.batch.states[0], 1))


def test_human_mode_draws_without_being_asked(monkeypatch):
    import env_core.rendering

    shown = []

    class Screen:
        def __init__(self, title, frames_per_second):
            assert title == "Musée"

        def show(self, picture):
            shown.append(picture)

        def close(self):
            shown.append("closed")

    monkeypatch.setattr(env_core.rendering, "Window", Screen)
    env = musee_v0.single_seat_env(render_mode="human")
    env.reset(seed=0)
    env.step(np.flatnonzero(env.action_masks())[0])
    assert len(shown) == 2
    assert env.render() is None
    assert len(shown) == 3
    assert copy.deepcopy(env)._window is None
    env.close()
    env.close()
    assert shown[3:] == ["closed"]
