"""Protects the AEC environment and the batch against misuse: wrong actions, calls out of order, wrong rows and states.

Whatever is refused has the right class, says what was wrong, and has changed nothing; actions of any integer type work.
"""

from __future__ import annotations

import copy
import dataclasses
import enum
import pickle

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

import env_core
from env_core import BatchEnv, IllegalActionError, StateVersionError
from musee_env import musee_v0

NO_ACTIONS = [None, True, np.True_, 1.0, np.float64(1), "1", [1], (1,), np.array([1]), {}, np.array(True)]
OUT_OF_RANGE = [-1, 90, 10**30, -(10**30), np.uint64(2**64 - 1), np.int64(-(2**63)), np.int8(-1), 2**63, 2**64]


def finished(env, seed=1):
    rng = np.random.default_rng(seed)
    while env.unwrapped.legal_actions():
        env.step(int(rng.choice(env.unwrapped.legal_actions())))
    return env


def new(door=musee_v0.raw_env, **options):
    env = door(**options)
    env.reset(seed=4)
    return env


# --- raw_env ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_raw_env_refuses_what_is_no_action(action):
    env = new()
    before = env.table.states.copy()
    with pytest.raises(IllegalActionError, match="is no action: expected an integer from 0 to 89"):
        env.step(action)
    assert env.table.states.tobytes() == before.tobytes()
    assert env.record()["steps"] == []


@pytest.mark.parametrize("action", OUT_OF_RANGE, ids=repr)
def test_raw_env_refuses_what_is_out_of_range(action):
    env = new()
    before = env.table.states.copy()
    with pytest.raises(IllegalActionError, match=r"is out of range 0\.\.89"):
        env.step(action)
    assert str(int(action)) in str(pytest.raises(IllegalActionError, env.step, action).value), (
        "the number that was given"
    )
    assert env.table.states.tobytes() == before.tobytes()


class Number(enum.IntEnum):
    SEVEN = 7


@pytest.mark.parametrize("kind", [int, np.int8, np.uint8, np.int16, np.int64, np.uint64, np.array, Number])
def test_raw_env_takes_every_kind_of_integer(kind):
    env, plain = new(), new()
    env.step(kind(7))
    plain.step(7)
    assert env.record() == plain.record()
    assert type(env.record()["steps"][0]["action"]) is int


def test_illegal_actions_are_value_errors_that_say_the_action_in_words():
    env = new()
    env.step(0)
    env.step(0)
    card = int(env.table.states[0]["hands"][int(env.table.seat[0]), 4])
    with pytest.raises(ValueError, match=f"action 72 .*'card': {card}, 'gallery': 0, 'column': 0.* is filled"):
        env.step(72)


def test_raw_env_before_reset():
    env = musee_v0.raw_env()
    for call in (
        lambda: env.step(0),
        lambda: env.observe("player_0"),
        env.legal_actions,
        env.record,
        env.snapshot,
        env.state,
        lambda: env.describe(0),
        lambda: env.encode({"kind": "keep"}),
    ):
        with pytest.raises(ResetNeeded, match="reset"):
            call()
    twin = pickle.loads(pickle.dumps(env))
    twin.reset(seed=1)
    assert twin.legal_actions()


def test_raw_env_after_the_end():
    env = finished(new())
    assert env.legal_actions() == []
    assert env.describe(3) == {"kind": "none", "action": 3}
    with pytest.raises(IllegalActionError, match="over"):
        env.encode({"kind": "place", "card": 1, "gallery": 0, "column": 0})
    for action in (0, -1, "x"):
        with pytest.raises(IllegalActionError, match="the only action left is None"):
            env.step(action)
    state, record = env.state(), env.record()
    env.step(None)
    env.step(None)
    assert env.agents == []
    with pytest.raises(ResetNeeded, match="no agent is left"):
        env.step(None)
    assert np.array_equal(env.state(), state)
    assert env.record() == record


def test_describe_and_encode_refuse_what_they_do_not_know():
    env = new()
    for action in NO_ACTIONS:
        with pytest.raises(IllegalActionError):
            env.describe(action)
    for action in (-1, 90, 10**30):
        assert env.describe(action) == {"kind": "none", "action": action}
    good = env.describe(env.legal_actions()[0])
    for words in (
        None,
        "place",
        {},
        {"kind": "fly"},
        {"kind": "keep"},
        {"kind": "none", "action": 3},
        {**good, "card": 999},
        {**good, "card": float(good["card"])},
        {**good, "column": 6},
        {**good, "column": -1},
        {**good, "gallery": 3},
        {**good, "gallery": True},
        {**good, "extra": 1},
        {key: value for key, value in good.items() if key != "column"},
    ):
        with pytest.raises(IllegalActionError):
            env.encode(words)


# --- env() -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [*NO_ACTIONS, *OUT_OF_RANGE], ids=repr)
def test_env_keeps_pettingzoos_classes(action):
    env = new(musee_v0.env)
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert env.unwrapped.record()["steps"] == []


def test_an_illegal_action_ends_the_game_of_env():
    env = new(musee_v0.env)
    env.step(0)
    env.step(0)
    mover = env.agent_selection
    illegal = int(np.flatnonzero(env.observe(mover)["action_mask"] == 0)[0])
    env.step(illegal)
    assert env.rewards == {agent: -1.0 if agent == mover else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    assert env.unwrapped.legal_actions() == []
    assert env.unwrapped.record()["result"] is None
    assert len(env.unwrapped.record()["steps"]) == 2
    twin = copy.deepcopy(env)
    assert twin.rewards == env.rewards
    for _ in range(2):
        env.step(None)
    assert env.agents == []
    env.reset(seed=4)
    assert env.unwrapped.legal_actions()


# --- Snapshots -------------------------------------------------------------------------------------------------------


def test_snapshots_that_do_not_belong_are_refused():
    env = new()
    snapshot = env.snapshot()
    before = env.table.states.copy()
    for thing in (None, {}, env.table.states, "snapshot"):
        with pytest.raises(TypeError, match=r"restore takes what snapshot\(\) gave"):
            env.restore(thing)
    with pytest.raises(StateVersionError, match="musee_v9"):
        env.restore(dataclasses.replace(snapshot, version="musee_v9"))
    for options in ({"num_players": 3}, {"reward": "score"}, {"games_to_win": 2}, {"staircases": "random"}):
        other = new(**options)
        with pytest.raises(ValueError, match="was taken under"):
            env.restore(other.snapshot())
        with pytest.raises(ValueError, match="was taken under"):
            other.restore(snapshot)
    old = copy.deepcopy(snapshot)
    old.state["version"] = 99
    with pytest.raises(StateVersionError, match="version"):
        env.restore(old)
    kept = env.snapshot()
    for bookkeeping in (
        None,
        {},
        {name: value for name, value in kept.bookkeeping.items() if name != "rewards"},
        {name: value for name, value in kept.bookkeeping.items() if name != "ended"},
        {**kept.bookkeeping, "table": None},
        {**kept.bookkeeping, "rewards_of_step": np.zeros(7)},
    ):
        env.step(env.legal_actions()[0])
        before = env.record()
        with pytest.raises(StateVersionError, match="bookkeeping is damaged, or of another release"):
            env.restore(dataclasses.replace(kept, bookkeeping=bookkeeping))
        assert env.record() == before
        assert isinstance(env.table, BatchEnv)


def test_a_snapshot_of_an_ended_game_brings_the_end_back():
    env = finished(new())
    env.step(None)
    snapshot = env.snapshot()
    other = new()
    other.restore(snapshot)
    assert other.agents == env.agents
    assert other.record() == env.record()
    other.step(None)
    assert other.agents == []


# --- Batch -----------------------------------------------------------------------------------------------------------


def batch_of(rows=3, **settings):
    batch = musee_v0.batch_env(rows, **settings)
    batch.reset(seed=4)
    return batch


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ([0, 0], r"actions must have the shape \(3,\)"),
        (0, r"shape \(3,\)"),
        ([[0, 0, 0]], r"shape \(3,\)"),
        ([0.0, 0, 0], "actions must be integers, not float64"),
        ([True, False, True], "actions must be integers, not bool"),
        (["0", "0", "0"], "actions must be integers"),
        ([None] * 3, "actions must be integers, not object"),
        ([0, 10**30, 0], "actions must be integers"),
        ([[0], [0, 0], 0], "actions must be integers, not object"),
        (np.array([0, 0, 2**63], dtype=np.uint64), "row 2: action 9223372036854775808 is out of range"),
        (np.array([0, 2**64 - 1, 0], dtype=np.uint64), "row 1: action 18446744073709551615 is out of range"),
        ([0, -1, 0], r"row 1: action -1 is out of range 0\.\.89"),
        ([0, 0, 90], r"row 2: action 90 is out of range 0\.\.89"),
    ],
    ids=str,
)
def test_bad_actions_are_refused_before_any_row_moves(actions, words):
    for threads in (1, 2):
        batch = batch_of(threads=threads)
        before = [batch.states.copy(), *(buffer.copy() for buffer in batch.result)]
        with pytest.raises(IllegalActionError, match=words):
            batch.step(actions)
        for buffer, kept in zip([batch.states, *batch.result], before, strict=True):
            assert buffer.tobytes() == kept.tobytes()


def test_an_illegal_action_names_its_row_and_no_row_moves():
    for threads in (1, 3):
        batch = batch_of(40, threads=threads)
        batch.step(batch.sample_legal(1))
        batch.step(batch.sample_legal(1))
        actions = batch.sample_legal(2)
        actions[37] = int(np.flatnonzero(batch.action_mask[37] == 0)[0])
        before = batch.states.tobytes()
        with pytest.raises(IllegalActionError, match="row 37: action .* is not legal for seat"):
            batch.step(actions)
        assert batch.states.tobytes() == before


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64])
def test_actions_of_any_integer_type_are_taken(kind):
    batch, plain = batch_of(), batch_of()
    actions = plain.sample_legal(3)
    batch.step(actions.astype(kind))
    plain.step(actions.tolist())
    assert batch.states.tobytes() == plain.states.tobytes()
    assert batch.copy().step(np.repeat(actions, 2)[::2]) is not None, "strided arrays too"


def test_a_batch_before_reset():
    batch = musee_v0.batch_env(3)
    for call in (
        lambda: batch.step([0, 0, 0]),
        lambda: batch.sample_legal(1),
        lambda: batch.observe(0),
        lambda: batch.resample_hidden(0, 1),
        lambda: batch.playout(1),
        lambda: batch.take([0]),
        lambda: batch.game_seed(0),
        lambda: batch.describe(0, 0),
        batch.copy,
        batch.scores,
        batch.standings,
        batch.perfect_information,
        lambda: batch.winners(0),
        lambda: batch.deal_next(np.array([0])),
    ):
        before = batch.states.tobytes()
        with pytest.raises(ResetNeeded, match="reset"):
            call()
        assert batch.states.tobytes() == before


def test_finished_rows_take_minus_one_only():
    batch = batch_of(4, auto_reset=False)
    while (batch.seat >= 0).all():
        batch.step(batch.sample_legal(5))
    row = int(np.flatnonzero(batch.seat < 0)[0])
    actions = batch.sample_legal(6)
    assert actions[row] == -1
    ended = batch.states[row].tobytes()
    wrong = actions.copy()
    wrong[row] = 0
    with pytest.raises(IllegalActionError, match=f"row {row}: the game is over; only the action -1 is left"):
        batch.step(wrong)
    result = batch.step(actions)
    assert batch.states[row].tobytes() == ended
    assert not result.terminated[row]
    assert not result.rewards[row].any()
    batch.deal_next(np.array([row]))
    assert batch.seat[row] >= 0


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([3], IndexError),
        ([-1], IndexError),
        ([0.0], TypeError),
        ([True], TypeError),
        (0, TypeError),
        ([[0]], TypeError),
        ("0", TypeError),
        ([[0], [1, 2]], TypeError),
        (np.array([2**64 - 1], dtype=np.uint64), IndexError),
    ],
    ids=str,
)
def test_wrong_rows_are_refused(rows, error):
    batch = batch_of()
    before = batch.states.tobytes()
    for call in (lambda: batch.take(rows), lambda: batch.step([0], rows), lambda: batch.deal_next(rows)):
        with pytest.raises(error, match="row"):
            call()
    assert batch.states.tobytes() == before


def test_rows_are_stepped_once_and_taken_any_number_of_times():
    batch = batch_of()
    with pytest.raises(ValueError, match="each row once"):
        batch.step([0, 0], np.array([1, 1]))
    with pytest.raises(ValueError, match="at least one row"):
        batch.take(np.array([], dtype=np.int64))
    assert batch.take([1, 1, 0]).num_envs == 3
    for row, error in ((3, IndexError), (-1, IndexError), (1.0, TypeError), (True, TypeError), ("0", TypeError)):
        for call in (lambda row=row: batch.describe(row, 0), lambda row=row: batch.winners(row)):
            with pytest.raises(error, match="row must be"):
                call()
        with pytest.raises(error, match="row must be"):
            batch.game_seed(row)
    with pytest.raises(IndexError, match="not 18446744073709551615"):
        batch.take(np.array([2**64 - 1], dtype=np.uint64))


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_a_batch_describes_actions_only(action):
    with pytest.raises(IllegalActionError, match="is no action"):
        batch_of().describe(0, action)


@pytest.mark.parametrize("seats", [[[0], [0, 1], 0], None, 0.0, [True] * 3, [0, 1], "0"], ids=str)
def test_wrong_seats_are_refused(seats):
    batch = batch_of()
    for call in (batch.observe, lambda seats: batch.resample_hidden(seats, 1)):
        with pytest.raises(TypeError, match="seats must be one integer, or 3"):
            call(seats)


@pytest.mark.parametrize("door", [musee_v0.raw_env, musee_v0.env, musee_v0.single_seat_env])
def test_what_is_no_dictionary_is_no_reset_option(door):
    for options in (np.array([1, 2]), [], "setup", 1):
        with pytest.raises(TypeError, match="options must be a dictionary"):
            door().reset(options=options)


def test_game_seeds_of_every_kind_of_integer():
    batch, plain = musee_v0.batch_env(2), musee_v0.batch_env(2)
    plain.reset(options={"game_seed": 7})
    for seeds in (np.uint64(7), np.array(7), Number.SEVEN, [7, np.int8(7)], (7, 7), np.array([7, 7])):
        batch.reset(options={"game_seed": seeds})
        assert batch.states.tobytes() == plain.states.tobytes()
    vector = musee_v0.vector_env(2)
    vector.reset(seed=1)
    for seeds in ([[7], [7, 7]], "77", {7: 7}, np.array(7.0)):
        with pytest.raises(TypeError, match="game_seed must be an integer"):
            batch.reset(options={"game_seed": seeds})
        with pytest.raises(TypeError, match="game_seed must be an integer"):
            vector.reset(options={"game_seed": seeds, "reset_mask": np.array([True, False])})
    assert batch.states.tobytes() == plain.states.tobytes()


def test_playouts_refuse_unknown_policies_and_seeds():
    batch = batch_of()
    for policy in ("greedy", "Light", ""):
        with pytest.raises(ValueError, match="policy must be 'random' or 'light' or a policy"):
            batch.playout(1, policy)
    for policy in (None, 5, env_core.RandomPolicy, [env_core.RandomPolicy()]):
        with pytest.raises(TypeError, match="must be a policy"):
            batch.playout(1, policy)
    for seed, error in ((-1, ValueError), (2**63, ValueError), (1.0, TypeError), (True, TypeError)):
        with pytest.raises(error, match="seed must be"):
            batch.playout(seed)
        with pytest.raises(error, match="seed must be"):
            batch.sample_legal(seed)


def test_states_that_do_not_belong_are_refused():
    batch = batch_of()
    kept = batch.states.copy()
    others = batch_of(num_players=3).states
    for states, error, words in (
        (np.zeros(3), StateVersionError, "expected a one-dimensional array of musee_v0 states"),
        (kept.tolist(), StateVersionError, "not list"),
        (kept[0], StateVersionError, "one-dimensional"),
        (kept.reshape(3, 1), StateVersionError, "one-dimensional"),
        (kept[:2], ValueError, "expected 3 states"),
        (others, ValueError, "dealt under other options: their num_players differs"),
        (batch_of(reward="score").states, ValueError, "reward differs"),
        (batch_of(games_to_win=2).states, ValueError, "games_to_win differs"),
    ):
        with pytest.raises(error, match=words):
            batch.load_states(states)
    old = kept.copy()
    old["version"] -= 1
    with pytest.raises(StateVersionError, match="install the release that saved them"):
        batch.load_states(old)
    assert batch.states.tobytes() == kept.tobytes()
    with pytest.raises(ValueError, match="dealt under other options: their num_players differs"):
        BatchEnv.from_states(musee_v0.GAME, kept, options=batch_of(num_players=3).options)
    with pytest.raises(ValueError, match="one state at least"):
        BatchEnv.from_states(musee_v0.GAME, kept[:0], options=batch.options)
    with pytest.raises(TypeError, match="options must be MuseeOptions"):
        BatchEnv.from_states(musee_v0.GAME, kept, options={"num_players": 2})


def test_only_a_batch_hands_out_live_buffers():
    env = new()
    handed_out = [env.observe("player_0"), env.last()[0], env.state(), env.infos[env.agent_selection]]
    kept = copy.deepcopy(handed_out)
    env.step(env.legal_actions()[0])
    env.step(env.legal_actions()[-1])
    for now, then in zip(handed_out, kept, strict=True):
        np.testing.assert_equal(now, then)
    batch = batch_of()
    result = batch.step(batch.sample_legal(1))
    assert result.observation is batch.observation
    assert batch.step(batch.sample_legal(2)).observation is batch.observation
    fresh = batch.observe(batch.seat)
    assert np.array_equal(fresh, batch.observation)
    assert not np.shares_memory(fresh, batch.observation)


def test_what_a_batch_gives_has_the_promised_types():
    batch = batch_of(5, num_players=3)
    result = batch.step(batch.sample_legal(1))
    found = {name: (buffer.dtype.name, buffer.shape) for name, buffer in result._asdict().items()}
    size = batch.observation_features.size
    assert found == {
        "observation": ("int8", (5, size)),
        "action_mask": ("int8", (5, 75)),
        "seat": ("int64", (5,)),
        "rewards": ("float32", (5, 3)),
        "terminated": ("bool", (5,)),
        "truncated": ("bool", (5,)),
        "scores": ("int64", (5, 3)),
    }
    assert isinstance(batch, BatchEnv)


# --- play ------------------------------------------------------------------------------------------------------------


class Stubborn:
    """Always gives the same, legal or not."""

    needs_states = False

    def __init__(self, answer):
        self.answer = answer

    def __call__(self, observation, action_mask, seats, rng):
        return self.answer

    def __repr__(self):
        return "Stubborn()"


def test_play_gives_the_record_of_a_game():
    for env in (musee_v0.raw_env(num_players=3), musee_v0.env(num_players=3)):
        record = env_core.play(env, env_core.RandomPolicy(), seed=6)
        assert record["seed"] == 6
        assert record["result"] is not None
        assert record == env_core.play(env, [env_core.RandomPolicy()] * 3, seed=6)
        assert record != env_core.play(env, env_core.RandomPolicy())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.array([90]), "gave the action 90"),
        (np.array([-1]), "gave the action -1"),
        (np.array([0.0]), "must give 1 integers, not float64"),
        (np.array([0, 0]), "must give 1 integers"),
        (None, "must give 1 integers"),
        ([[0], [0, 0]], "must give 1 integers"),
        (np.array([2**64 - 1], dtype=np.uint64), "gave the action 18446744073709551615"),
    ],
    ids=str,
)
def test_play_names_a_policy_that_gives_no_legal_action(answer, words):
    with pytest.raises(IllegalActionError, match=r"policy Stubborn\(\)") as caught:
        env_core.play(musee_v0.raw_env(), [Stubborn(answer)] * 2, seed=1)
    assert words in str(caught.value)


def test_play_wants_a_policy_for_each_seat():
    with pytest.raises(ValueError, match="expected 2 policies, one for each seat, not 3"):
        env_core.play(musee_v0.raw_env(), [env_core.RandomPolicy()] * 3)


@pytest.mark.parametrize(
    "policies", [None, "random", env_core.RandomPolicy, [None, None], {0: env_core.RandomPolicy()}]
)
def test_play_wants_policies(policies):
    env = new()
    before = env.record()
    with pytest.raises(TypeError, match="must be a policy"):
        env_core.play(env, policies)
    assert env.record() == before


@pytest.mark.parametrize("env", [None, batch_of(), musee_v0.single_seat_env()], ids=lambda env: type(env).__name__)
def test_play_wants_an_environment_of_the_suite(env):
    with pytest.raises(TypeError, match="play takes an environment of this suite"):
        env_core.play(env, env_core.RandomPolicy())


class Searching:
    """Asks a policy that plays badly in a game of its own, whose row 0 is none of the caller's."""

    needs_states = True

    def __call__(self, observation, action_mask, seats, rng, *, states):
        return env_core.policies.call_policy(Stubborn(np.array([90])), states.take([0]), np.array([0]), rng)


def test_a_row_of_a_policys_own_search_is_not_taken_for_the_callers():
    batch = batch_of()
    with pytest.raises(IllegalActionError, match="gave the action 90") as caught:
        env_core.policies.call_policy(Searching(), batch, np.array([2]), np.random.default_rng(1))
    assert caught.value.row is None
