"""Protects the doors of Musée against bad input: options, staircase patterns, seeds, setups and reset options.

Everything wrong is refused by an error of the right class that names what was wrong and what was expected, before
anything has changed.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

from env_core import OptionError, SetupError, UnknownOptionError
from musee_env import musee_v0
from musee_env.options import MuseeOptions

SIX = [[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]
FIVE = [[1, 1, 0, 0, 0], [0, 0, 1, 1, 1]]
DOORS = {
    "raw_env": musee_v0.raw_env,
    "env": musee_v0.env,
    "batch_env": lambda **options: musee_v0.batch_env(2, **options),
    "single_seat_env": musee_v0.single_seat_env,
    "vector_env": lambda **options: musee_v0.vector_env(2, **options),
}
WRONG_OPTIONS = [
    ({"num_players": 1}, OptionError, "num_players must be one of 2, 3, 4, not 1"),
    ({"num_players": 5}, OptionError, "num_players must be one of 2, 3, 4, not 5"),
    ({"num_players": 0}, OptionError, "num_players"),
    ({"num_players": 2.0}, TypeError, "num_players must be an integer, not 2.0"),
    ({"num_players": "2"}, TypeError, "num_players must be an integer"),
    ({"num_players": True}, TypeError, "num_players must be an integer"),
    ({"num_players": None}, TypeError, "num_players must be an integer"),
    ({"num_player": 2}, UnknownOptionError, "unknown option 'num_player'. Did you mean 'num_players'"),
    ({"cards": "default"}, UnknownOptionError, "Known: num_players, reward, staircases, games_to_win"),
    ({"reward": "margins"}, OptionError, "Did you mean 'margin'"),
    ({"reward": ""}, OptionError, "reward must be one of 'outcome', 'margin', 'score'"),
    ({"reward": None}, TypeError, "reward must be one of"),
    ({"reward": 0}, TypeError, "reward must be one of"),
    ({"games_to_win": 0}, OptionError, "games_to_win must be from 1 to 5, not 0"),
    ({"games_to_win": 6}, OptionError, "games_to_win must be from 1 to 5, not 6"),
    ({"games_to_win": 2.0}, TypeError, "games_to_win must be an integer"),
    ({"games_to_win": True}, TypeError, "games_to_win must be an integer"),
    ({"staircases": "first"}, OptionError, "staircases must be one of 'first_game', 'random'"),
    ({"staircases": None}, TypeError, "staircases must be 'first_game', 'random', or two rows"),
    ({"staircases": 3}, TypeError, "two rows"),
    ({"staircases": {0: [1]}}, TypeError, "two rows"),
    ({"staircases": []}, OptionError, "not 0 rows"),
    ({"staircases": [SIX[0]]}, OptionError, "not 1 rows"),
    ({"staircases": [*SIX, SIX[0]]}, OptionError, "not 3 rows"),
    ({"staircases": FIVE}, OptionError, "the upper row of staircases must have 6 tokens with 2 players, not 5"),
    ({"staircases": [SIX[0], SIX[1][:5]]}, OptionError, "the lower row"),
    ({"staircases": [SIX[0], 5]}, TypeError, "the lower row of staircases must be 6 booleans"),
    ({"staircases": [SIX[0], "000111"]}, TypeError, "the lower row"),
    ({"staircases": [SIX[0], [0, 0, 0, 1, 1, 2]]}, TypeError, "True or False"),
    ({"staircases": [SIX[0], [0, 0, 0, 1, 1, 1.0]]}, TypeError, "True or False"),
    ({"staircases": [SIX[0], [0, 0, 0, 1, 1, None]]}, TypeError, "True or False"),
    ({"staircases": [SIX[0], [0, 0, 0, 1, 1, 0]]}, OptionError, "3 and 3 .* not 3 and 2"),
    ({"staircases": [[1] * 6, [0] * 6]}, OptionError, "not 6 and 0"),
    ({"staircases": np.ones((2, 6))}, TypeError, "True or False"),
    ({"staircases": SIX, "num_players": 3}, OptionError, "5 tokens with 3 players, not 6"),
    (
        {"staircases": [[1, 1, 1, 1, 0], [0, 0, 0, 0, 1]], "num_players": 3},
        OptionError,
        "2 and 3 or 3 and 2 .* not 4 and 1",
    ),
    ({"staircases": FIVE, "num_players": 4}, OptionError, "6 tokens with 4 players"),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("options", "error", "words"), WRONG_OPTIONS, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused_at_every_door(door, options, error, words):
    with pytest.raises(error, match=words):
        DOORS[door](**options)


def test_wrong_options_are_type_or_value_errors():
    assert issubclass(OptionError, ValueError)
    assert issubclass(UnknownOptionError, TypeError)


@pytest.mark.parametrize(
    ("players", "pattern"),
    [
        (2, SIX),
        (3, FIVE),
        (3, FIVE[::-1]),
        (4, tuple(map(tuple, SIX))),
        (2, np.array(SIX, dtype=bool)),
        (2, np.array(SIX, dtype=np.int64)),
        (2, [[True, True, True, False, False, False], [False, False, False, True, True, True]]),
    ],
)
def test_agreed_patterns_are_laid_out(players, pattern):
    env = musee_v0.raw_env(num_players=players, staircases=pattern)
    env.reset(seed=1)
    wanted = [[int(token) for token in row] for row in pattern]
    assert env.record()["setup"]["staircases"] == wanted
    assert env.record()["options"]["staircases"] == wanted
    assert env.options == MuseeOptions(num_players=players, staircases=wanted), "however they were written"


def test_every_option_stands_in_the_record_defaults_included():
    env = musee_v0.raw_env(num_players=np.int64(3))
    env.reset(seed=1)
    options = {"num_players": 3, "reward": "outcome", "staircases": "first_game", "games_to_win": 1}
    assert env.record()["options"] == options
    assert type(env.record()["options"]["num_players"]) is int


def test_doors_take_their_own_settings_only():
    with pytest.raises(OptionError, match="render_mode must be one of 'human', 'rgb_array', 'ansi'"):
        musee_v0.raw_env(render_mode="text")
    with pytest.raises(TypeError, match="render_mode must be one of"):
        musee_v0.env(render_mode=1)
    with pytest.raises(TypeError):
        musee_v0.raw_env(3)
    for settings, error, words in (
        ({"threads": 0}, OptionError, "threads must be from 1 to 1024"),
        ({"threads": 1.0}, TypeError, "threads must be an integer"),
        ({"auto_reset": 1}, TypeError, "auto_reset must be True or False"),
        ({"render_mode": "ansi"}, UnknownOptionError, "unknown option 'render_mode'"),
    ):
        with pytest.raises(error, match=words):
            musee_v0.batch_env(2, **settings)
    for num_envs, error in ((0, OptionError), (-1, OptionError), (2.0, TypeError), (True, TypeError), ("2", TypeError)):
        with pytest.raises(error, match="num_envs must be"):
            musee_v0.batch_env(num_envs)
    for setting in ("threads", "auto_reset", "num_envs", "game"):
        with pytest.raises(UnknownOptionError, match=f"unknown option '{setting}'"):
            musee_v0.raw_env(**{setting: 2})


# --- Resets ----------------------------------------------------------------------------------------------------------

RESETTABLE = {"raw_env": musee_v0.raw_env, "env": musee_v0.env, "batch_env": lambda: musee_v0.batch_env(2)}


def states_of(env):
    return (env if hasattr(env, "states") else env.unwrapped.table).states.tobytes()


@pytest.mark.parametrize("door", RESETTABLE)
@pytest.mark.parametrize(
    ("seed", "options", "error", "words"),
    [
        (-1, None, ValueError, "seed must be an integer from 0"),
        (2**63, None, ValueError, "seed must be"),
        (1.0, None, TypeError, "seed must be an integer"),
        (True, None, TypeError, "seed must be an integer"),
        ("1", None, TypeError, "seed must be an integer"),
        (None, {"setups": {}}, UnknownOptionError, "Did you mean 'setup'"),
        (None, {"seed": 3}, UnknownOptionError, "Known: setup, game_seed"),
        (None, [("setup", {})], TypeError, "options must be a dictionary"),
        (None, "setup", TypeError, "options must be a dictionary"),
        (None, {"game_seed": -1}, ValueError, "game_seed must be from 0"),
        (None, {"game_seed": 2**64}, ValueError, "game_seed must be from 0"),
        (None, {"game_seed": 1.5}, TypeError, "game_seed must be an integer"),
        (None, {"game_seed": True}, TypeError, "game_seed must be an integer"),
        (None, {"game_seed": None}, TypeError, "game_seed must be an integer"),
        (None, {"game_seed": [1, 2, 3]}, ValueError, "game_seed must be one integer, or"),
        (3, {"game_seed": 1}, ValueError, "not both"),
    ],
)  # fmt: skip
def test_wrong_resets_are_refused_and_change_nothing(door, seed, options, error, words):
    env = RESETTABLE[door]()
    env.reset(seed=5)
    before = states_of(env)
    with pytest.raises(error, match=words):
        env.reset(seed=seed, options=options)
    assert states_of(env) == before


def good_setup(**options):
    env = musee_v0.raw_env(**options)
    env.reset(seed=2)
    return env.record()["setup"]


def changed(setup, **parts):
    return {**copy.deepcopy(setup), **parts}


GOOD = good_setup()
WRONG_SETUPS = {
    "no mapping": ([], "setup must be an object"),
    "nothing": ({}, "lacks 'first_seat'"),
    "key missing": ({key: value for key, value in GOOD.items() if key != "deck"}, "lacks 'deck'"),
    "key unknown": (changed(GOOD, hand=[]), "unknown 'hand'"),
    "seat out of range": (changed(GOOD, first_seat=2), "first_seat must be an integer from 0 to 1, not 2"),
    "seat of another type": (changed(GOOD, first_seat=True), "first_seat"),
    "hand too few": (changed(GOOD, hands=GOOD["hands"][:1]), "hands must be a list of 2 lists, not 1"),
    "card too few": (changed(GOOD, hands=[GOOD["hands"][0][:4], GOOD["hands"][1]]), r"hands\[0\] must be a list of 5"),
    "card twice": (changed(GOOD, hands=[GOOD["hands"][0], GOOD["hands"][0]]), "each card exists once"),
    "card of no pack": (changed(GOOD, deck=[51, *GOOD["deck"][1:]]), r"deck\[0\] must be an integer from 1 to 50"),
    "card of another type": (changed(GOOD, deck=[1.0, *GOOD["deck"][1:]]), r"deck\[0\]"),
    "deck too short": (changed(GOOD, deck=GOOD["deck"][1:]), "deck must be a list of 40 numbers, not 39"),
    "deck no list": (changed(GOOD, deck="deck"), "deck must be a list"),
    "staircases of another option": (changed(GOOD, staircases=SIX), "the option says"),
    "staircases too short": (changed(GOOD, staircases=FIVE), r"staircases\[0\]"),
}


@pytest.mark.parametrize("door", RESETTABLE)
@pytest.mark.parametrize("name", WRONG_SETUPS)
def test_wrong_setups_are_refused_and_change_nothing(door, name):
    setup, words = WRONG_SETUPS[name]
    env = RESETTABLE[door]()
    env.reset(seed=5)
    before = states_of(env)
    with pytest.raises(SetupError, match=words):
        env.reset(options={"setup": setup})
    assert states_of(env) == before


def test_a_setup_with_impossible_staircases_is_refused():
    setup = good_setup(staircases="random")
    with pytest.raises(SetupError, match="6 columns have 3 and 3"):
        musee_v0.raw_env(staircases="random").reset(options={"setup": changed(setup, staircases=[[1] * 6, [0] * 6])})


def test_a_setup_is_dealt_in_every_row_and_with_a_seed_the_stream_goes_on():
    batch = musee_v0.batch_env(3)
    batch.reset(seed=1, options={"setup": GOOD})
    assert (batch.seat == GOOD["first_seat"]).all()
    assert (batch.states["deck"][:, 10:50] == GOOD["deck"]).all()
    after_setup = batch.reset().observation.copy()
    batch.reset(seed=1)
    assert np.array_equal(batch.reset().observation, after_setup)


def test_game_seeds_deal_the_games_that_they_name():
    batch = musee_v0.batch_env(3, staircases="random")
    batch.reset(seed=9)
    again = musee_v0.batch_env(3, staircases="random")
    again.reset(options={"game_seed": [batch.game_seed(row) for row in range(3)]})
    assert again.states.tobytes() == batch.states.tobytes()
    again.reset(options={"game_seed": batch.game_seed(2)})
    assert (again.states == batch.states[2]).all()
    again.reset(options={"game_seed": 2**64 - 1})
    assert again.game_seed(0) == 2**64 - 1


def test_without_a_seed_the_first_reset_is_fresh():
    first, second = musee_v0.raw_env(), musee_v0.raw_env()
    first.reset()
    second.reset()
    assert first.record()["setup"] != second.record()["setup"]
    assert first.record()["seed"] is None
