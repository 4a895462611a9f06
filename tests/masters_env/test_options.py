"""Protects the doors of Masters Gallery against bad input: options and setups.

Everything wrong is refused by an error of the right class that names what was wrong and what was expected, before
anything has changed. What all games share, seeds and reset options, is tested with Musée.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest

from env_core import OptionError, SetupError, UnknownOptionError
from masters_env import masters_v0
from masters_env.options import MastersOptions

DOORS = {
    "raw_env": masters_v0.raw_env,
    "env": masters_v0.env,
    "batch_env": lambda **options: masters_v0.batch_env(2, **options),
    "single_seat_env": masters_v0.single_seat_env,
    "vector_env": lambda **options: masters_v0.vector_env(2, **options),
}
WRONG_OPTIONS = [
    ({"num_players": 1}, OptionError, "num_players must be one of 2, 3, 4, 5, not 1"),
    ({"num_players": 6}, OptionError, "num_players must be one of 2, 3, 4, 5, not 6"),
    ({"num_players": 2.0}, TypeError, "num_players must be an integer, not 2.0"),
    ({"num_players": "2"}, TypeError, "num_players must be an integer"),
    ({"num_players": True}, TypeError, "num_players must be an integer"),
    ({"num_players": None}, TypeError, "num_players must be an integer"),
    ({"reward": "points"}, OptionError, "reward must be one of 'outcome', 'margin', 'score'"),
    ({"reward": None}, TypeError, "reward must be one of"),
    ({"simultaneous_ender": "Active"}, OptionError, "Did you mean 'active'"),
    ({"simultaneous_ender": "first"}, OptionError, "simultaneous_ender must be one of 'active', 'clockwise'"),
    ({"simultaneous_ender": 0}, TypeError, "simultaneous_ender must be one of"),
    ({"simultaneous_ender": None}, TypeError, "simultaneous_ender must be one of"),
    ({"extra_card": "same"}, OptionError, "extra_card must be one of 'same_artist', 'any_artist'"),
    ({"extra_card": "any_artists"}, OptionError, "Did you mean 'any_artist'"),
    ({"extra_card": True}, TypeError, "extra_card must be one of"),
    ({"empty_artist_token": 1}, TypeError, "empty_artist_token must be True or False, not 1"),
    ({"empty_artist_token": "True"}, TypeError, "empty_artist_token must be True or False"),
    ({"empty_artist_token": None}, TypeError, "empty_artist_token must be True or False"),
    ({"empty_artist_token": np.int8(0)}, TypeError, "empty_artist_token must be True or False"),
    ({"extra_cards": "any_artist"}, UnknownOptionError, "unknown option 'extra_cards'. Did you mean 'extra_card'"),
    ({"staircases": "random"}, UnknownOptionError, "Known: num_players, reward, simultaneous_ender, empty_artist"),
    ({"games_to_win": 2}, UnknownOptionError, "unknown option 'games_to_win'"),
]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(("options", "error", "words"), WRONG_OPTIONS, ids=lambda value: str(value)[:40])
def test_wrong_options_are_refused_at_every_door(door, options, error, words):
    with pytest.raises(error, match=words):
        DOORS[door](**options)


def test_every_option_stands_in_the_record_defaults_included():
    env = masters_v0.raw_env(num_players=np.int64(3), empty_artist_token=np.True_)
    env.reset(seed=1)
    options = {
        "num_players": 3,
        "reward": "outcome",
        "simultaneous_ender": "active",
        "empty_artist_token": True,
        "extra_card": "same_artist",
    }
    assert env.record()["options"] == options
    assert type(env.record()["options"]["num_players"]) is int
    assert type(env.record()["options"]["empty_artist_token"]) is bool
    assert env.options == MastersOptions(num_players=3, empty_artist_token=True)


# --- Setups ----------------------------------------------------------------------------------------------------------

RESETTABLE = {"raw_env": masters_v0.raw_env, "env": masters_v0.env, "batch_env": lambda: masters_v0.batch_env(2)}


def states_of(env):
    return (env if hasattr(env, "states") else env.unwrapped.table).states.tobytes()


def good_setup():
    env = masters_v0.raw_env()
    env.reset(seed=2)
    return env.record()["setup"]


GOOD = good_setup()
HANDS, DECK = GOOD["hands"], GOOD["deck"]


def changed(**parts):
    return {**copy.deepcopy(GOOD), **parts}


WRONG_SETUPS = {
    "no mapping": ([], "setup must be an object"),
    "nothing": ({}, "lacks 'first_seat', 'hands', 'deck'"),
    "key missing": ({key: value for key, value in GOOD.items() if key != "deck"}, "lacks 'deck'"),
    "key unknown": (changed(extra_card=3), "unknown 'extra_card'"),
    "seat out of range": (changed(first_seat=2), "first_seat must be an integer from 0 to 1, not 2"),
    "seat of another type": (changed(first_seat=True), "first_seat must be an integer"),
    "hand too few": (changed(hands=HANDS[:1]), "hands must be a list of 2 lists, not 1"),
    "hand too many": (changed(hands=[*HANDS, HANDS[0]]), "hands must be a list of 2 lists, not 3"),
    "hand no list": (changed(hands="hands"), "hands must be a list of 2 lists"),
    "card too few": (changed(hands=[HANDS[0][:12], HANDS[1]]), r"hands\[0\] must be a list of 13 numbers, not 12"),
    "card of no type": (changed(deck=[30, *DECK[1:]]), r"deck\[0\] must be an integer from 0 to 29, not 30"),
    "card below": (changed(hands=[[-1, *HANDS[0][1:]], HANDS[1]]), r"hands\[0\]\[0\] must be an integer from 0"),
    "card of another type": (changed(deck=[float(DECK[0]), *DECK[1:]]), r"deck\[0\]"),
    "deck too short": (changed(deck=DECK[1:]), "deck must be a list of 69 numbers, not 68"),
    "deck too long": (changed(deck=[*DECK, DECK[0]]), "deck must be a list of 69 numbers, not 70"),
    "cards of a type too many": (changed(deck=[0] * 69), "there are 11 cards of type 0, not "),
    "hand twice": (changed(hands=[HANDS[0], HANDS[0]]), "hands and deck: there are"),
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


def test_a_setup_is_dealt_in_every_row():
    batch = masters_v0.batch_env(3)
    batch.reset(seed=1, options={"setup": GOOD})
    assert (batch.seat == GOOD["first_seat"]).all()
    assert (batch.states["deck"][:, 26:] == DECK).all()
    assert (batch.states["extra_card"] == DECK[0]).all()
    assert (batch.states["hands"][:, 1].sum(axis=1) == 13).all()


def test_game_seeds_deal_the_games_that_they_name():
    batch = masters_v0.batch_env(3, num_players=4)
    batch.reset(seed=9)
    again = masters_v0.batch_env(3, num_players=4)
    again.reset(options={"game_seed": [batch.game_seed(row) for row in range(3)]})
    assert again.states.tobytes() == batch.states.tobytes()


def test_the_setup_hangs_on_the_seed_alone():
    setups = []
    for options in ({}, {"reward": "score", "extra_card": "any_artist"}):
        env = masters_v0.raw_env(**options)
        env.reset(seed=4)
        if options:
            env.step(env.legal_actions()[-1])
        setups.append(env.record()["setup"])
    assert setups[0] == setups[1]
