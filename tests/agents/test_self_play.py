"""Self-play as Stable-Baselines3 sees it: whose turn, which rewards, which keys, fresh arrays, and who plays along."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecNormalize

from agents.self_play import OpponentPool, SelfPlayVecEnv
from env_core.errors import IllegalActionError, OptionError
from env_core.policies import RandomPolicy
from musee_env.musee_v0 import GAME

ROWS = 12


class Watched(RandomPolicy):
    """Random play that counts the positions it is asked in and keeps the seats."""

    def __init__(self) -> None:
        self.seats: list[int] = []

    def __call__(self, observation: Any, action_mask: Any, seats: Any, rng: Any) -> Any:
        self.seats += seats.tolist()
        return super().__call__(observation, action_mask, seats, rng)


def new_env(rows: int = ROWS, seed: int = 3, pool: OpponentPool | None = None, **options: Any) -> SelfPlayVecEnv:
    env = SelfPlayVecEnv(GAME, GAME.options(**options), rows, pool or OpponentPool([(RandomPolicy(), 1.0)]))
    env.seed(seed)
    return env


def any_legal(env: SelfPlayVecEnv, rng: np.random.Generator) -> np.ndarray:
    masks = get_action_masks(env)
    return RandomPolicy()(np.zeros((len(masks), 1)), masks, np.zeros(len(masks)), rng)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_row_waits_for_its_learner(players: int) -> None:
    env = new_env(num_players=players)
    observation = env.reset()
    rng = np.random.default_rng(0)
    for _ in range(40):
        assert observation.shape == (ROWS, *env.observation_space.shape)
        assert (env.learners.batch.seat == env.learners.seats).all()
        assert (observation == env.learners.batch.observe(env.learners.seats)).all()
        masks = get_action_masks(env)
        assert masks.shape == (ROWS, env.action_space.n)
        assert (masks == env.learners.batch.action_mask).all()
        assert masks.any(axis=1).all()
        observation, rewards, dones, infos = env.step(any_legal(env, rng))
        assert rewards.dtype == np.float32
        assert dones.dtype == np.bool_
        assert len(infos) == ROWS


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_reward_arrives_whoever_ended_the_game(players: int) -> None:
    env = new_env(num_players=players)
    env.reset()
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(60):
        _, rewards, dones, infos = env.step(any_legal(env, rng))
        assert (rewards[~dones] == 0).all()
        for row in np.flatnonzero(dones):
            assert (rewards[row] > 0) == infos[row]["is_success"] or rewards[row] == 0
            assert infos[row]["episode"]["r"] == pytest.approx(rewards[row])
            ended += 1
    assert ended >= ROWS


@pytest.mark.parametrize("players", [2, 4])
def test_score_rewards_of_an_episode_sum_to_the_score(players: int) -> None:
    env = new_env(num_players=players, reward="score")
    env.reset()
    rng = np.random.default_rng(2)
    final: dict[int, float] = {}
    totals = np.zeros(ROWS)
    batch, begin_next = env.learners.batch, env.learners.begin_next

    def noting_scores(rows: np.ndarray) -> None:
        final.update({row: float(batch.scores()[row, env.learners.seats[row]]) for row in rows.tolist()})
        begin_next(rows)

    env.learners.begin_next = noting_scores  # type: ignore[method-assign]
    ended = 0
    for _ in range(50):
        _, rewards, dones, infos = env.step(any_legal(env, rng))
        totals += rewards
        for row in np.flatnonzero(dones).tolist():
            assert totals[row] == final[row] == infos[row]["episode"]["r"]
            totals[row] = 0
            ended += 1
    assert ended >= ROWS


def test_the_end_of_a_game_has_the_keys_that_stable_baselines_expects() -> None:
    env = new_env(rows=4)
    env.reset()
    rng = np.random.default_rng(3)
    decisions = np.zeros(4, dtype=int)
    seen_seats: dict[int, list[int]] = {row: [] for row in range(4)}
    for _ in range(60):
        observation, _, dones, infos = env.step(any_legal(env, rng))
        decisions += 1
        for row, info in enumerate(infos):
            if not dones[row]:
                assert info == {}
                continue
            assert info["TimeLimit.truncated"] is False
            assert set(info["episode"]) == {"r", "l", "t"}
            assert info["episode"]["l"] == decisions[row]
            last = info["terminal_observation"]
            assert last.dtype == np.int8
            assert env.observation_space.contains(last)
            assert not (last == observation[row]).all()
            seen_seats[row].append(info["seat"])
            decisions[row] = 0
    for row, seats in seen_seats.items():
        assert len(seats) >= 2
        assert seats == [(row + number) % 2 for number in range(len(seats))]


def test_a_cut_off_game_says_so() -> None:
    # No game of the suite that is here yet cuts games off, so the core's answer is put in.
    env = new_env(rows=3)
    env.reset()
    core_step = env.learners.step

    def cut_off(actions: np.ndarray) -> Any:
        answer = core_step(actions)
        return answer._replace(truncated=np.array([False, True, False]), terminated=np.zeros(3, dtype=bool))

    env.learners.step = cut_off  # type: ignore[method-assign, assignment]
    _, _, dones, infos = env.step(any_legal(env, np.random.default_rng(0)))
    assert dones.tolist() == [False, True, False]
    assert infos[1]["TimeLimit.truncated"] is True


def test_arrays_are_fresh() -> None:
    env = new_env()
    given = [env.reset()]
    kept = [given[0].copy()]
    rng = np.random.default_rng(4)
    for _ in range(20):
        masks = get_action_masks(env)
        observation, rewards, dones, _ = env.step(any_legal(env, rng))
        for array in (masks, observation, rewards, dones):
            given.append(array)
            kept.append(array.copy())
    for array, copy in zip(given, kept, strict=True):
        assert (array == copy).all()


def test_a_seed_repeats() -> None:
    def played(seed: int) -> list[np.ndarray]:
        env = new_env(seed=seed)
        seen = [env.reset()]
        rng = np.random.default_rng(5)
        for _ in range(30):
            observation, rewards, _, _ = env.step(any_legal(env, rng))
            seen += [observation, rewards]
        return seen

    first, again, other = played(8), played(8), played(9)
    assert all((one == two).all() for one, two in zip(first, again, strict=True))
    assert any((one != two).any() for one, two in zip(first, other, strict=True))


def test_an_illegal_action_is_refused_and_nothing_has_moved() -> None:
    env = new_env()
    env.reset()
    before, *_ = env.step(any_legal(env, np.random.default_rng(0)))
    actions = any_legal(env, np.random.default_rng(1))
    actions[5] = np.flatnonzero(get_action_masks(env)[5] == 0)[0]
    with pytest.raises(IllegalActionError, match="row 5"):
        env.step(actions)
    assert (env.learners.observation() == before).all()


def test_what_the_rows_have() -> None:
    env = new_env()
    env.reset()
    assert is_masking_supported(env)
    assert len(env.env_method("action_masks", indices=[1, 4])) == 2
    assert (env.env_method("action_masks", indices=[4])[0] == get_action_masks(env)[4]).all()
    assert env.get_attr("render_mode") == [None] * ROWS
    assert env.env_is_wrapped(Monitor) == [True] * ROWS
    assert env.env_is_wrapped(VecNormalize) == [False] * ROWS
    for wrong in (
        lambda: env.env_method("fly"),
        lambda: env.get_attr("wings"),
        lambda: env.set_attr("wings", 2),
    ):
        with pytest.raises(AttributeError, match="SelfPlayVecEnv"):
            wrong()


def test_other_seats_are_played_by_the_pool_in_its_proportions() -> None:
    often, seldom, never, past = Watched(), Watched(), Watched(), Watched()
    pool = OpponentPool([(often, 3.0), (seldom, 1.0), (never, 0.0)], past=4.0)
    env = new_env(rows=64, pool=pool)
    env.reset()
    assert often.seats
    assert seldom.seats
    assert not past.seats
    pool.add_past_self(past)
    rng = np.random.default_rng(6)
    for _ in range(120):
        env.step(any_legal(env, rng))
    assert not never.seats
    assert len(past.seats) > len(often.seats) > 2 * len(seldom.seats) > 0
    assert set(past.seats) == {0, 1}


def test_a_full_pool_replaces_past_selves() -> None:
    pool = OpponentPool([(RandomPolicy(), 1.0)], past=1.0, capacity=2)
    selves = [RandomPolicy() for _ in range(5)]
    for policy in selves:
        pool.add_past_self(policy)
        assert pool.past_selves.count(policy) == 1
    assert len(pool.past_selves) == 2


@pytest.mark.parametrize("weights", [[-1.0], [float("nan")], [0.0], []])
def test_a_pool_that_cannot_be_drawn_from_is_refused(weights: list[float]) -> None:
    with pytest.raises(OptionError, match="how often"):
        OpponentPool([(RandomPolicy(), weight) for weight in weights], past=1.0)
    with pytest.raises(OptionError, match="capacity"):
        OpponentPool([(RandomPolicy(), 1.0)], capacity=0)
