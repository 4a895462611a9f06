"""Protects the Gymnasium vector environment.

It gives, row by row and in every autoreset mode, exactly what Gymnasium's own ``SyncVectorEnv`` of single environments
gives, illegal actions and infos included; it hands out fresh data and refuses misuse before any row has moved.
"""

from __future__ import annotations

import copy
import pickle
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import musee_env  # noqa: F401 - registers the game
from env_core import IllegalActionError, RandomPolicy
from env_core.random import first_game_seeds
from musee_env import musee_v0
from tests.env_core.gymnasium_helpers import ByObservation

MODES = [mode.value for mode in AutoresetMode]


class Row(gymnasium.Wrapper):
    """A single environment that takes a vector environment's seed for that of its own row."""

    def __init__(self, row: int, num_envs: int, **options) -> None:
        super().__init__(musee_v0.single_seat_env(**options))
        self.row = row
        self.num_envs = num_envs

    def reset(self, *, seed=None, options=None):
        if seed is None:
            return super().reset(options=options)
        # SyncVectorEnv seeds its i-th environment with seed + i.
        game_seed = first_game_seeds(seed - self.row, self.num_envs)[self.row]
        return super().reset(options={"game_seed": int(game_seed)})


def choose(observations, masks, step, illegal_every=0):
    """Legal actions by what is seen; now and then an illegal one where there is any; 0 in a row that is over."""
    actions = ByObservation()(observations, np.where(masks.any(1, keepdims=True), masks, 1), None, None)
    for row in range(len(masks)):
        if illegal_every and (step + row) % illegal_every == 0 and masks[row].any() and not masks[row].all():
            actions[row] = np.flatnonzero(~masks[row])[0]
    return actions


def assert_same(one, other) -> None:
    for left, right in zip(one, other, strict=True):
        assert data_equivalence(left, right, exact=True), (left, right)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("illegal_every", [0, 19])
@pytest.mark.parametrize("options", [{}, {"num_players": 3, "reward": "score"}, {"num_players": 4, "reward": "margin"}])
def test_rows_are_what_single_environments_give(mode, illegal_every, options):
    num_envs = 6
    options = {"opponents": ByObservation(1), "learner_seat": 1, **options}
    vector = musee_v0.vector_env(num_envs, autoreset_mode=mode, **options)
    rows = SyncVectorEnv(
        [lambda row=row: Row(row, num_envs, **options) for row in range(num_envs)], autoreset_mode=mode
    )
    assert vector.single_observation_space == rows.single_observation_space
    assert vector.observation_space == rows.observation_space
    assert vector.action_space == rows.action_space
    assert vector.metadata["autoreset_mode"] is rows.metadata["autoreset_mode"]
    observations, infos = vector.reset(seed=4)
    assert_same((observations, infos), rows.reset(seed=4))
    ended = illegal = 0
    for step in range(60):
        masks = vector.action_masks()
        np.testing.assert_array_equal(masks, infos["action_mask"].astype(bool))
        result = vector.step(choose(observations, masks, step, illegal_every))
        assert_same(result, rows.step(choose(observations, masks, step, illegal_every)))
        observations, _, terminations, truncations, infos = result
        ended += terminations.sum()
        final = infos.get("final_info", {}) if mode == "SameStep" else infos
        illegal += final.get("_illegal_action", np.zeros(1)).sum()
        if mode == "Disabled" and terminations.any():
            resets = [{"reset_mask": terminations | truncations} for _ in range(2)]
            observations, reset_infos = vector.reset(options=resets[0])
            assert "reset_mask" in resets[0]
            assert_same((observations, reset_infos), rows.reset(options=resets[1]))
            infos = {"action_mask": np.where(terminations[:, None], reset_infos["action_mask"], infos["action_mask"])}
    assert ended >= num_envs
    assert (illegal > 0) == (illegal_every > 0)


@pytest.mark.parametrize("mode", MODES)
def test_the_seat_rotates_by_row_and_game(mode):
    vector = musee_v0.vector_env(8, num_players=3, autoreset_mode=mode)
    observations, infos = vector.reset(seed=1)
    games, over = np.zeros(8, int), np.zeros(8, bool)
    for step in range(50):
        expected = (np.arange(8) + games) % 3
        np.testing.assert_array_equal(infos["seat"], expected)
        observations, _, terminations, _, infos = vector.step(choose(observations, vector.action_masks(), step))
        if mode == "SameStep":
            if terminations.any():
                np.testing.assert_array_equal(infos["final_info"]["seat"][terminations], expected[terminations])
            games += terminations
        elif mode == "NextStep":
            games += over
            over = terminations
        elif terminations.any():
            observations, reset_infos = vector.reset(options={"reset_mask": terminations})
            np.testing.assert_array_equal(reset_infos["_seat"], terminations)
            infos["seat"][terminations] = reset_infos["seat"][terminations]
            games += terminations
    assert (games >= 2).all()


def test_row_0_is_the_single_environment_also_with_random_opponents():
    single, vector = musee_v0.single_seat_env(num_players=4), musee_v0.vector_env(1, num_players=4)
    observation, _ = single.reset(seed=6)
    observations, infos = vector.reset(seed=6)
    over = False
    for step in range(60):
        np.testing.assert_array_equal(observation, observations[0])
        actions = choose(observations, vector.action_masks(), step)
        observations, rewards, terminations, _, infos = vector.step(actions)
        if over:
            (observation, info), reward, over = single.reset(), 0.0, False
        else:
            observation, reward, over, _, info = single.step(actions[0])
        assert (reward, over, info["seat"]) == (rewards[0], terminations[0], infos["seat"][0])


def test_a_rows_game_does_not_depend_on_the_number_of_rows_or_threads():
    few = musee_v0.vector_env(5, opponents=ByObservation(2))
    many = musee_v0.vector_env(40, opponents=ByObservation(2), threads=2)
    observations, _ = few.reset(seed=12)
    many_observations, _ = many.reset(seed=12)
    for step in range(45):
        np.testing.assert_array_equal(observations, many_observations[:5])
        observations, rewards, terminations, _, _ = few.step(choose(observations, few.action_masks(), step))
        many_observations, many_rewards, many_terminations, _, _ = many.step(
            choose(many_observations, many.action_masks(), step)
        )
        np.testing.assert_array_equal(rewards, many_rewards[:5])
        np.testing.assert_array_equal(terminations, many_terminations[:5])


@pytest.mark.parametrize("twin_of", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_a_copy_goes_on_alike_and_apart(twin_of, mode):
    vector = musee_v0.vector_env(4, num_players=3, autoreset_mode=mode)
    observations, _ = vector.reset(seed=3)
    for step in range(15):
        observations, *_ = vector.step(choose(observations, vector.action_masks(), step))
    twin = twin_of(vector)
    assert twin.observation_space == vector.observation_space
    for step in range(40):
        actions = choose(observations, vector.action_masks(), step)
        result = vector.step(actions)
        assert_same(result, twin.step(actions))
        observations = result[0]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_data_handed_out_is_not_used_again(mode):
    vector = musee_v0.vector_env(4, autoreset_mode=mode)
    given = [vector.reset(seed=3)]
    kept = [copy.deepcopy(given[0])]
    for step in range(30):
        given.append(vector.step(choose(given[-1][0], vector.action_masks(), step, illegal_every=17)))
        kept.append(copy.deepcopy(given[-1]))
    assert_same(given, kept)
    live = vector.learners.batch.result
    for (observations, *_, infos), (later, *_, later_infos) in pairwise(given):
        assert not np.shares_memory(observations, later)
        assert not np.shares_memory(observations, live.observation)
        assert not np.shares_memory(infos["action_mask"], later_infos["action_mask"])
        assert not np.shares_memory(infos["action_mask"], live.action_mask)
    final = next((infos for *_, infos in given if "final_obs" in infos), None)
    assert (final is None) == (mode == "NextStep")


def test_what_is_given_has_gymnasiums_types():
    vector = musee_v0.vector_env(3, autoreset_mode=AutoresetMode.SAME_STEP)
    observations, _ = vector.reset(seed=0)
    assert observations in vector.observation_space
    assert vector.action_masks().dtype == np.bool_
    for _ in range(60):
        observations, rewards, terminations, truncations, infos = vector.step(vector.learners.batch.sample_legal(0))
        assert observations in vector.observation_space
        assert (observations.dtype, rewards.dtype) == (np.int8, np.float64)
        assert (terminations.dtype, truncations.dtype) == (np.bool_, np.bool_)
        if terminations.any():
            break
    row = int(terminations.argmax())
    assert infos["final_obs"][row] in vector.single_observation_space
    assert infos["final_info"]["scores"].shape == (3, 2)
    assert infos["final_info"]["winners"][row] in ([0], [1], [0, 1])


def test_make_vec_makes_the_native_environment_and_gymnasiums_wrappers_work():
    vector = gymnasium.make_vec("gallery/Musee-v0", num_envs=32, num_players=3, opponents=RandomPolicy())
    assert isinstance(vector, musee_v0.vector_env)
    assert vector.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    again = gymnasium.make_vec(vector.spec)
    assert (again.num_envs, again.learners.batch.num_players) == (32, 3)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(vector)
    observations, _ = wrapped.reset(seed=0)
    episodes = 0
    for step in range(40):
        observations, rewards, terminations, _, infos = wrapped.step(choose(observations, vector.action_masks(), step))
        if terminations.any():
            np.testing.assert_array_equal(infos["episode"]["r"][terminations], rewards[terminations])
            assert (infos["episode"]["l"][terminations] > 5).all()
            episodes += terminations.sum()
    assert episodes > 32
    wrapped.close()
    vector.close()
    assert vector.closed


def test_a_seed_repeats_everything_and_other_seeds_do_not():
    vector = musee_v0.vector_env(16)
    first = vector.reset(seed=2)
    steps = [vector.step(vector.learners.batch.sample_legal(step)) for step in range(30)]
    assert_same(first, vector.reset(seed=2))
    for step, before in enumerate(steps):
        assert_same(before, vector.step(vector.learners.batch.sample_legal(step)))
    assert (vector.reset(seed=3)[0] != first[0]).any()
    assert vector.np_random_seed == 3


def test_reset_mask_with_a_seed_begins_that_rows_stream():
    vector, whole = musee_v0.vector_env(5, opponents=ByObservation()), musee_v0.vector_env(5, opponents=ByObservation())
    vector.reset(seed=1)
    expected, _ = whole.reset(seed=9)
    mask = np.array([False, True, False, True, False])
    before = vector.learners.observation()
    observations, infos = vector.reset(seed=9, options={"reset_mask": mask})
    np.testing.assert_array_equal(observations, np.where(mask[:, None], expected, before))
    np.testing.assert_array_equal(infos["_action_mask"], mask)
    assert not infos["action_mask"][~mask].any()


def test_next_step_ignores_the_action_of_a_row_that_it_resets():
    vector = musee_v0.vector_env(2, illegal_action="raise")
    observations, _ = vector.reset(seed=0)
    terminations = np.zeros(2, bool)
    while not terminations.any():
        observations, _, terminations, _, _ = vector.step(vector.learners.batch.sample_legal(0))
    actions = vector.learners.batch.sample_legal(0)
    actions[terminations] = -1
    _, rewards, terminations, _, infos = vector.step(actions)
    assert not rewards.any()
    assert not terminations.any()
    assert infos["action_mask"].any(axis=1).all()


def played_on(**options):
    vector = musee_v0.vector_env(4, **options)
    observations, _ = vector.reset(seed=3)
    for step in range(4):
        observations, *_ = vector.step(choose(observations, vector.action_masks(), step))
    return vector


def test_illegal_action_ends_its_row_only():
    vector = played_on()
    states = vector.learners.batch.states.copy()
    actions = vector.learners.batch.sample_legal(0)
    actions[2] = np.flatnonzero(~vector.action_masks()[2])[0]
    _, rewards, terminations, _, infos = vector.step(actions)
    assert rewards.tolist() == [0, 0, -1, 0]
    assert terminations.tolist() == [False, False, True, False]
    assert infos["_illegal_action"].tolist() == terminations.tolist()
    assert "not legal" in infos["illegal_action"][2]
    assert infos["winners"][2] == []
    moved = vector.learners.batch.states != states
    assert moved.tolist() == [True, True, False, True]


def test_all_rows_may_play_illegal_actions_at_once():
    vector = played_on()
    _, rewards, terminations, _, _ = vector.step((~vector.action_masks()).argmax(axis=1))
    assert rewards.tolist() == [-1] * 4
    assert terminations.all()
    assert not vector.action_masks().any()
    _, rewards, terminations, _, infos = vector.step(np.full(4, -1))
    assert not terminations.any()
    assert infos["action_mask"].any(axis=1).all()


def test_raising_on_an_illegal_action_moves_no_row():
    vector = played_on(illegal_action="raise")
    states = vector.learners.batch.states.copy()
    actions = vector.learners.batch.sample_legal(0)
    actions[2] = np.flatnonzero(~vector.action_masks()[2])[0]
    with pytest.raises(IllegalActionError, match="row 2: .*not legal"):
        vector.step(actions)
    assert (vector.learners.batch.states == states).all()
    vector.step(vector.learners.batch.sample_legal(0))


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0, 0, 0], r"shape \(4,\)"),
        (np.zeros((4, 1), int), r"shape \(4,\)"),
        (0, r"shape \(4,\)"),
        (np.zeros(4), "float64"),
        (np.zeros(4, bool), "bool"),
        (None, "shape"),
        (["a"] * 4, "integers"),
        ([0, 0, 90, 0], "row 2: action 90 is out of range 0..89"),
        ([0, -1, 0, 0], "row 1: action -1"),
        (np.array([0, 0, 0, 2**64 - 1], np.uint64), "row 3: action 18446744073709551615"),
    ],
)
def test_what_are_no_actions_are_refused_and_no_row_moves(actions, words):
    vector = played_on()
    states = vector.learners.batch.states.copy()
    with pytest.raises(IllegalActionError, match=words):
        vector.step(actions)
    assert (vector.learners.batch.states == states).all()


@pytest.mark.parametrize("kind", [list, tuple, np.int8, np.uint8, np.int32, np.uint64])
def test_every_kind_of_integers_are_actions(kind):
    vector = played_on(illegal_action="raise")
    actions = vector.learners.batch.sample_legal(0)
    vector.step(kind(actions.tolist()) if kind in (list, tuple) else actions.astype(kind))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"num_envs": 0}, ValueError, "num_envs"),
        ({"num_envs": 2.0}, TypeError, "num_envs"),
        ({"threads": 0}, ValueError, "threads"),
        ({"auto_reset": True}, TypeError, "auto_reset"),
        ({"players": 2}, TypeError, "num_players"),
        ({"num_players": 1}, ValueError, "num_players"),
        ({"autoreset_mode": "SameSteps"}, ValueError, "Did you mean 'SameStep'"),
        ({"autoreset_mode": None}, TypeError, "autoreset_mode"),
        ({"illegal_action": "refuse"}, ValueError, "illegal_action"),
        ({"learner_seat": -1}, ValueError, "learner_seat"),
        ({"opponents": 3}, TypeError, "must be a policy"),
        ({"opponents": [RandomPolicy()] * 3}, ValueError, "not 3"),
    ],
)
def test_wrong_options_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        musee_v0.vector_env(**options)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"seed": -1}, ValueError),
        ({"seed": [1, 2, 3, 4]}, TypeError),
        ({"options": {"mask": 1}}, TypeError),
        ({"options": [1]}, TypeError),
        ({"options": {"reset_mask": [True] * 4}}, TypeError),
        ({"options": {"reset_mask": np.ones(4, int)}}, TypeError),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError),
        ({"options": {"reset_mask": np.zeros(4, bool)}}, ValueError),
        ({"options": {"reset_mask": np.arange(4) < 2, "mask": 1}}, TypeError),
        ({"options": {"reset_mask": np.arange(4) < 2}, "seed": -1}, ValueError),
    ],
)
def test_a_wrong_reset_is_refused_and_changes_nothing(wrong, error):
    vector, twin = played_on(), played_on()
    with pytest.raises(error):
        vector.reset(**wrong)
    actions = vector.learners.batch.sample_legal(0)
    assert_same(vector.step(actions), twin.step(actions))


def test_out_of_order_calls_are_refused():
    vector = musee_v0.vector_env(3, autoreset_mode="Disabled")
    for call in (
        lambda: vector.step([0, 0, 0]),
        vector.action_masks,
        lambda: vector.reset(options={"reset_mask": np.array([True, False, False])}),
    ):
        with pytest.raises(ResetNeeded):
            call()
    vector.reset(options={"reset_mask": np.array([True, True, True])})
    terminations = np.zeros(3, bool)
    while not terminations.any():
        _, _, terminations, _, _ = vector.step(vector.learners.batch.sample_legal(0))
    with pytest.raises(ResetNeeded, match=f"rows {terminations.argmax()}.*reset_mask"):
        vector.step([0, 0, 0])
