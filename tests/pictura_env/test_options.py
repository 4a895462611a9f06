"""Protects the doors of Museum: Pictura against bad input: options, seeds, setups and reset options.

Everything wrong is refused by an error of the right class that names what was wrong and what was expected, before
anything has changed. Card files have ``test_cards.py``.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from env_core import OptionError, SetupError, UnknownOptionError
from pictura_env import pictura_v0
from tests.pictura_env.card_files import FILES, written

DOORS = {
    "raw_env": pictura_v0.raw_env,
    "env": pictura_v0.env,
    "batch_env": lambda **options: pictura_v0.batch_env(2, **options),
    "single_seat_env": pictura_v0.single_seat_env,
    "vector_env": lambda **options: pictura_v0.vector_env(2, **options),
}
WRONG_OPTIONS = [
    ({"num_players": 1}, OptionError, "num_players must be one of 2, 3, 4, not 1"),
    ({"num_players": 5}, OptionError, "num_players must be one of 2, 3, 4, not 5"),
    ({"num_players": 2.0}, TypeError, "num_players must be an integer"),
    ({"num_players": True}, TypeError, "num_players must be an integer"),
    ({"reward": "scores"}, OptionError, "Did you mean 'score'"),
    ({"reward": None}, TypeError, "reward must be one of"),
    ({"games_to_win": 2}, UnknownOptionError, "Known: num_players, reward, cards, exhibits_per_action"),
    ({"max_round": 2}, UnknownOptionError, "Did you mean 'max_rounds'"),
    ({"exhibits_per_action": 0}, OptionError, "exhibits_per_action must be from 1 to 25, not 0"),
    ({"exhibits_per_action": 26}, OptionError, "exhibits_per_action must be from 1 to 25, not 26"),
    ({"exhibits_per_action": "None"}, TypeError, "exhibits_per_action must be an integer"),
    ({"exhibits_per_action": False}, TypeError, "exhibits_per_action must be an integer"),
    ({"rearrange_limit": -1}, OptionError, "rearrange_limit must be from 0 to 100, not -1"),
    ({"rearrange_limit": 101}, OptionError, "rearrange_limit must be from 0 to 100, not 101"),
    ({"rearrange_limit": None}, TypeError, "rearrange_limit must be an integer"),
    ({"rearrange_limit": 5.0}, TypeError, "rearrange_limit must be an integer"),
    ({"max_rounds": 0}, OptionError, "max_rounds must be from 1 to 10000, not 0"),
    ({"max_rounds": 10**30}, OptionError, "max_rounds must be from 1 to 10000"),
    ({"max_rounds": None}, TypeError, "max_rounds must be an integer"),
    ({"cards": 3}, TypeError, "cards must be 'default' or the path of a card file, not 3"),
    ({"cards": "printed"}, FileNotFoundError, "there is no card file 'printed'; give 'default' or the path"),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("options", "error", "words"), WRONG_OPTIONS, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused_at_every_door(door, options, error, words):
    with pytest.raises(error, match=words):
        DOORS[door](**options)


def test_every_option_stands_in_the_record_defaults_included():
    env = pictura_v0.raw_env(num_players=np.int64(3), max_rounds=np.uint8(9))
    env.reset(seed=1)
    assert env.record()["options"] == {
        "num_players": 3,
        "reward": "outcome",
        "cards": "default",
        "exhibits_per_action": None,
        "rearrange_limit": 5,
        "max_rounds": 9,
    }
    assert type(env.record()["options"]["max_rounds"]) is int


def test_the_defaults_are_those_of_the_rules():
    env = pictura_v0.raw_env()
    assert env.options.as_record() == {
        "num_players": 2,
        "reward": "outcome",
        "cards": "default",
        "exhibits_per_action": None,
        "rearrange_limit": 5,
        "max_rounds": 60,
    }
    assert env.action_space("player_0").n == 256


def test_an_environment_with_a_card_file_is_pickled_and_copied(tmp_path):
    path = written(tmp_path / "cards.toml", FILES["short"])
    env = pictura_v0.raw_env(cards=path, max_rounds=2)
    env.reset(seed=1)
    env.step(env.legal_actions()[1])
    twins = pickle.loads(pickle.dumps(env)), copy.deepcopy(env)
    env.step(env.legal_actions()[0])
    for twin in twins:
        twin.step(twin.legal_actions()[0])
        assert twin.table.states.tobytes() == env.table.states.tobytes()
        assert twin.record() == env.record()


# --- Resets ----------------------------------------------------------------------------------------------------------

RESETTABLE = {"raw_env": pictura_v0.raw_env, "batch_env": lambda: pictura_v0.batch_env(2)}


def states_of(env):
    return (env if hasattr(env, "states") else env.unwrapped.table).states.tobytes()


@pytest.mark.parametrize("door", RESETTABLE)
@pytest.mark.parametrize(
    ("seed", "options", "error", "words"),
    [
        (-1, None, ValueError, "seed must be an integer from 0"),
        (True, None, TypeError, "seed must be an integer"),
        (None, {"setups": {}}, UnknownOptionError, "Did you mean 'setup'"),
        (None, {"game_seed": 2**64}, ValueError, "game_seed must be from 0"),
        (3, {"game_seed": 1}, ValueError, "not both"),
    ],
)
def test_wrong_resets_are_refused_and_change_nothing(door, seed, options, error, words):
    env = RESETTABLE[door]()
    env.reset(seed=5)
    before = states_of(env)
    with pytest.raises(error, match=words):
        env.reset(seed=seed, options=options)
    assert states_of(env) == before


def good_setup(**options):
    env = pictura_v0.raw_env(**options)
    env.reset(seed=2)
    return env.record()["setup"]


GOOD = good_setup()


def changed(**parts):
    return {**copy.deepcopy(GOOD), **parts}


def first_replaced(cards, card):
    return [card, *cards[1:]]


WRONG_SETUPS = {
    "no mapping": ([], "setup must be an object"),
    "nothing": ({}, "lacks 'first_seat'"),
    "key missing": ({key: value for key, value in GOOD.items() if key != "favors"}, "lacks 'favors'"),
    "key unknown": (changed(trend_deck=[]), "unknown 'trend_deck'"),
    "seat out of range": (changed(first_seat=2), "first_seat must be an integer from 0 to 1, not 2"),
    "seat of another type": (changed(first_seat=False), "first_seat"),
    "another card file": (changed(cards_sha256="0" * 64), "cards_sha256: the game's card file has"),
    "no hash": (changed(cards_sha256=None), "cards_sha256"),
    "trend out of range": (changed(public_trend=30), "public_trend must be an integer from 0 to 29"),
    "trend twice": (changed(public_trend=GOOD["museum_trends"][0]), "public_trend, museum_trends and trends_dealt"),
    "trends too few": (changed(museum_trends=GOOD["museum_trends"][:3]), "museum_trends must be a list of 4"),
    "dealt too few": (changed(trends_dealt=GOOD["trends_dealt"][:1]), "trends_dealt must be a list of 2 lists"),
    "museums too few": (changed(museum_paintings=GOOD["museum_paintings"][:3]), "museum_paintings must be a list of 4"),
    "hand too small": (changed(hands=[GOOD["hands"][0][:4], GOOD["hands"][1]]), r"hands\[0\] must be a list of 5"),
    "painting twice": (changed(hands=[GOOD["hands"][0]] * 2), "museum_paintings, hands and painting_deck"),
    "painting out of range": (
        changed(painting_deck=first_replaced(GOOD["painting_deck"], 180)),
        r"painting_deck\[0\] must be an integer from 0 to 179",
    ),
    "painting of another type": (changed(painting_deck=first_replaced(GOOD["painting_deck"], 1.0)), "painting_deck"),
    "deck too short": (changed(painting_deck=GOOD["painting_deck"][1:]), "painting_deck must be a list of 154"),
    "favor out of range": (changed(favors=[6, 0]), r"favors\[0\] must be an integer from 0 to 5"),
    "favor too often": (changed(favor_deck=[0] * 22), "there are 4 of type 0"),
    "patron twice": (changed(patrons_shown=[0] * 5), "patrons_shown and patron_deck"),
    "patrons too many": (changed(patron_deck=[*GOOD["patron_deck"], 1]), "patron_deck must be a list of 55"),
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


def test_a_setup_is_dealt_in_every_row_and_with_a_seed_the_stream_goes_on():
    batch = pictura_v0.batch_env(3)
    batch.reset(seed=1, options={"setup": GOOD})
    assert (batch.seat == GOOD["first_seat"]).all()
    assert (batch.states["painting_deck"][:, 26:] == GOOD["painting_deck"]).all()
    after_setup = batch.reset().observation.copy()
    batch.reset(seed=1)
    assert np.array_equal(batch.reset().observation, after_setup)


def test_game_seeds_deal_the_games_that_they_name():
    batch = pictura_v0.batch_env(3)
    batch.reset(seed=9)
    again = pictura_v0.batch_env(3)
    again.reset(options={"game_seed": [batch.game_seed(row) for row in range(3)]})
    assert again.states.tobytes() == batch.states.tobytes()
