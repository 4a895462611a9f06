"""Protects the rules of Masters Gallery by a second implementation of them, and records by what can be wrong in one.

Hundreds of random games are replayed, step by step, by ``second_rules``, which was written from the rules text alone.
Every record must hold, round-trip through files, and give back the game before any step; a record with any part
changed or missing must be refused with the step and the reason.
"""

from __future__ import annotations

import copy
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from env_core import RecordError, records
from masters_env import masters_v0
from tests.masters_env.invariants import PHASES, assert_possible, listed
from tests.masters_env.second_rules import SecondMasters, replay, totals_of_record, works_by_artist

REWARDS = ("outcome", "margin", "score")
CHOICES = tuple(itertools.product(("active", "clockwise"), (False, True), ("same_artist", "any_artist")))
OPTIONS = [
    {
        "num_players": players,
        "reward": REWARDS[(number + players) % 3],
        "simultaneous_ender": ender,
        "empty_artist_token": empty,
        "extra_card": extra,
    }
    for players in (2, 3, 4, 5)
    for number, (ender, empty, extra) in enumerate(CHOICES)
]
GAMES_OF_EACH = 10


def name_of(options: dict[str, Any]) -> str:
    return "-".join(str(value) for value in options.values())


every_option = pytest.mark.parametrize("options", OPTIONS, ids=name_of)


def eager(rng: np.random.Generator, legal: list[int]) -> int:
    """A random move that rather plays a symbol than a plain card, so that rare things happen."""
    rare = [action for action in legal if action % 6 and action < 30]
    return int(rng.choice(rare if rare and rng.random() < 0.5 else legal))


def played(env: masters_v0.raw_env, seed: int) -> tuple[dict[str, Any], list[list[int]]]:
    """Play random moves to the end; the record, and the legal actions before each move."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    legal = []
    while actions := env.legal_actions():
        legal.append(actions)
        env.step(eager(rng, actions))
    return env.record(), legal


def test_every_value_of_every_option_is_compared_with_every_number_of_players():
    for players in (2, 3, 4, 5):
        found = [options for options in OPTIONS if options["num_players"] == players]
        for name, values in (("reward", 3), ("simultaneous_ender", 2), ("empty_artist_token", 2), ("extra_card", 2)):
            assert len({options[name] for options in found}) == values


@every_option
def test_random_games_equal_the_second_implementation(options):
    env = masters_v0.raw_env(**options)
    for seed in range(GAMES_OF_EACH):
        record, legal = played(env, seed)
        assert replay(record) == legal, f"legal actions differ with seed {seed}"
        assert totals_of_record(record)[0] == record["result"]["scores"], f"seed {seed}"


def compared(options: dict[str, Any], seed: int) -> Iterator[tuple[np.void, SecondMasters]]:
    """Play one random game in both implementations; yield both before each move and at the end."""
    env = masters_v0.raw_env(**options)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    second = SecondMasters(env.options.as_record(), env.record()["setup"])
    yield env.table.states[0], second
    while actions := env.legal_actions():
        action = eager(rng, actions)
        env.step(action)
        second.play(action)
        yield env.table.states[0], second


@every_option
def test_everything_equals_the_second_implementation_at_every_step(options):
    players = range(options["num_players"])
    for seed in (5, 6):
        for step, (state, second) in enumerate(compared(options, seed)):
            where = f"seed {seed}, step {step}"
            question = second.question
            asked = (question.seat, question.kind) if question else (-1, "over")
            assert (int(state["seat"]), PHASES[state["phase"]]) == asked, where
            assert [listed(state["hands"][seat]) for seat in players] == [sorted(hand) for hand in second.hands], where
            down = [listed(state["face_down"][seat]) for seat in players]
            assert down == [sorted(cards) for cards in second.face_down], where
            chosen = {seat: int(state["choice"][seat]) for seat in players if state["choice"][seat] >= 0}
            assert chosen == second.chosen, where
            displays = [state["displays"][seat].tolist() for seat in players]
            assert displays == [works_by_artist(cards) for cards in second.displays], where
            assert listed(state["on_table"]) == sorted(second.extra + sum(second.displays, [])), where
            assert listed(state["gone"]) == sorted(second.left_the_game), where
            assert state["works"].tolist() == second.works(), where
            assert [int(state["extra_card"])] == (second.extra or [-1]), where
            first = int(state["deck_next"])
            assert state["deck"][first : first + int(state["deck_size"])].tolist() == second.deck, where
            assert state["tokens"].tolist() == [sum(tokens) for tokens in second.tokens], where
            assert state["awards"].tolist() == second.awards, where
            assert state["totals"][: len(players)].tolist() == second.totals, where
            assert int(state["round"]) == second.round, where
            assert (int(state["starter"]), int(state["active"])) == (second.starter, second.active), where
            assert_possible(state)


def test_rare_events_happen_in_the_games_compared():
    """The comparison is worth something only if the rare rules come up in it."""
    seen: Counter[str] = Counter()
    for options in OPTIONS:
        env = masters_v0.raw_env(**options)
        for seed in range(GAMES_OF_EACH):
            record, _ = played(env, seed)
            second = SecondMasters(record["options"], record["setup"])
            for step in record["steps"]:
                before = (second.round, second.works(), second.hands[step["seat"]][:])
                question = second.question
                seen[question.kind] += 1
                seen["declined " + question.kind] += step["move"]["kind"] == "decline"
                second.play(step["action"])
                after = second.question
                if question.kind == "second_up" and after and after.kind == "extra":
                    seen["a second card ends the round"] += 1
                if question.kind == "simultaneous" and len(second.chosen) == 0:
                    at_limit = [works for works in second.works() if works >= (5 if second.players == 2 else 6)]
                    seen["a simultaneous play ends the round"] += len(at_limit) > 0
                    seen["several artists reach the limit"] += len(at_limit) > 1
                    seen["an artist is past the limit"] += any(works > 6 for works in at_limit)
                if after is None and before[0] < 3 and second.round == 3:
                    seen["the last round begins with empty hands"] += 1
                if not any(second.hands) and question.kind not in ("extra", "award") and max(second.works()) < 5:
                    seen["hands run out"] += 1
            _, tokens = totals_of_record(record)
            seen["an artist without works"] += any(len(given) < 3 for given in tokens)
            seen["a shared win"] += len(record["result"]["winners"]) > 1
    wanted = {"second_up", "second_down", "simultaneous", "award", "extra"}
    wanted |= {"declined second_up", "declined second_down", "declined extra"}
    wanted |= {"a second card ends the round", "a simultaneous play ends the round", "several artists reach the limit"}
    wanted |= {"an artist is past the limit", "hands run out", "an artist without works"}
    wanted |= {"the last round begins with empty hands", "a shared win"}
    assert {event for event in wanted if not seen[event]} == set()


# --- Round trips -----------------------------------------------------------------------------------------------------

ROUND_TRIPS = [
    {"num_players": 2},
    {"num_players": 3, "simultaneous_ender": "clockwise", "reward": "score"},
    {"num_players": 5, "extra_card": "any_artist", "empty_artist_token": True, "reward": "margin"},
]


@pytest.mark.parametrize("options", ROUND_TRIPS, ids=name_of)
def test_a_record_gives_back_the_game_before_every_step(options):
    env = masters_v0.raw_env(**options)
    env.reset(seed=11)
    rng = np.random.default_rng(11)
    positions = [copy.deepcopy(env)]
    while actions := env.legal_actions():
        env.step(eager(rng, actions))
        positions.append(copy.deepcopy(env))
    record = env.record()
    assert record == json.loads(json.dumps(record)), "a record holds plain Python values only"
    assert len(positions) == len(record["steps"]) + 1
    for step, known in enumerate(positions):
        again = masters_v0.raw_env.from_record(record, step)
        assert again.table.states.tobytes() == known.table.states.tobytes(), f"step {step}"
        assert again.legal_actions() == known.legal_actions()
        assert again.record() == known.record()
        for name in ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations"):
            assert getattr(again, name) == getattr(known, name), f"{name} before step {step}"
    assert records.check(masters_v0.raw_env, record).record() == record


def test_a_setup_of_ones_own_is_dealt_and_recorded():
    setup = played(masters_v0.raw_env(), 8)[0]["setup"]
    setup["deck"] = setup["deck"][::-1]
    setup["first_seat"] = 1 - setup["first_seat"]
    env = masters_v0.raw_env()
    env.reset(seed=3, options={"setup": setup})
    assert env.agent_selection == f"player_{setup['first_seat']}"
    assert env.table.states[0]["extra_card"] == setup["deck"][0]
    env.step(env.legal_actions()[0])
    assert env.record()["setup"] == setup
    assert records.check(masters_v0.raw_env, env.record()).record() == env.record()


def test_records_survive_files(tmp_path):
    all_records = [played(masters_v0.raw_env(**options), 2)[0] for options in ROUND_TRIPS]
    records.save(all_records, tmp_path / "many.jsonl")
    assert records.load(tmp_path / "many.jsonl") == all_records
    records.save(all_records[0], tmp_path / "one.json")
    assert records.load(tmp_path / "one.json") == all_records[:1]


# --- Records that do not hold ----------------------------------------------------------------------------------------


def with_every_kind() -> dict[str, Any]:
    """A record that has every kind of move in it."""
    env = masters_v0.raw_env(num_players=3, reward="margin")
    kinds = {"play", "second_up", "second_down", "simultaneous", "award", "extra", "decline"}
    return next(
        record
        for record in (played(env, seed)[0] for seed in range(100))
        if {step["move"]["kind"] for step in record["steps"]} == kinds
    )


RECORD = with_every_kind()
STEPS = RECORD["steps"]


def first_steps() -> dict[str, int]:
    """The number of the first step of each kind."""
    return {step["move"]["kind"]: number for number, step in reversed(list(enumerate(STEPS)))}


def paths(part: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value at every depth: of hands and deck the first and last, of steps the first of each kind."""
    keys: list[Any] = list(part) if isinstance(part, dict) else []
    if isinstance(part, list):
        keys = sorted(first_steps().values()) if part is STEPS else sorted({0, len(part) - 1})
    return [so_far] * bool(so_far) + [path for key in keys for path in paths(part[key], (*so_far, key))]


def value_at(path: tuple[Any, ...]) -> Any:
    value = RECORD
    for key in path:
        value = value[key]
    return value


def changed(path: tuple[Any, ...], *values: Any) -> dict[str, Any]:
    """The record with another value at a path, or without what stands there."""
    record = copy.deepcopy(RECORD)
    part: Any = record
    for key in path[:-1]:
        part = part[key]
    if values:
        part[path[-1]] = values[0]
    else:
        del part[path[-1]]
    return record


def wrong_values(path: tuple[Any, ...]) -> list[Any]:
    """Values that must not stand at a path: of other types, and just beside the right one."""
    value = value_at(path)
    wrong: list[Any] = [None, "x", -1, 0.5, 10**30, [], {}, [None], float("nan"), not value]
    if isinstance(value, int):
        wrong += [value + 1, float(value), str(value)]
    elif isinstance(value, float):
        wrong += [value + 1e-3, str(value)]
    elif isinstance(value, list):
        wrong += [value[:-1], value + value[-1:], dict(enumerate(value))]
    if path == ("seed",):
        # Nothing in the game hangs on the seed once the setup is there.
        wrong = [other for other in wrong if other not in (None, value + 1)]
    if path[:2] == ("options", "empty_artist_token"):
        # In this game every round has three artists: no sign of the option.
        wrong = [other for other in wrong if not isinstance(other, bool)]
    return [other for other in wrong if not (type(other) is type(value) and other == value)]


def refused(record: Any, path: tuple[Any, ...]) -> RecordError:
    with pytest.raises(RecordError) as caught:
        records.check(masters_v0.raw_env, record)
    if path[:1] == ("steps",) and len(path) > 1:
        # What a step says may be found wanting by the next one only: a seat, or an action that is legal as well.
        assert caught.value.step is not None
        assert path[1] <= caught.value.step <= path[1] + 1, str(caught.value)
        assert str(caught.value).startswith(f"step {caught.value.step}: ")
    elif path[0] not in ("options", "setup", "steps"):
        # Another setup or other steps may make a later part wrong.
        assert path[0] in str(caught.value), f"the message does not name the part: {caught.value}"
    return caught.value


def test_every_part_that_is_missing_is_refused():
    for path in paths(RECORD):
        if path[:1] == ("steps",) and len(path) == 2:
            continue
        refused(changed(path), path)


def test_every_part_that_is_changed_is_refused():
    tried = 0
    for path in paths(RECORD):
        for wrong in wrong_values(path):
            try:
                refused(changed(path, wrong), path)
            except BaseException as error:
                raise AssertionError(f"{path} = {wrong!r} instead of {value_at(path)!r}") from error
            tried += 1
    assert tried > 500


def test_every_unknown_key_is_refused():
    for path in [(), *paths(RECORD)]:
        if isinstance(value_at(path), dict):
            with pytest.raises(RecordError, match="surprise"):
                records.check(masters_v0.raw_env, changed((*path, "surprise"), 1))


def test_steps_left_out_or_added_are_refused():
    for number, step in enumerate(STEPS):
        with pytest.raises(RecordError):
            records.check(masters_v0.raw_env, {**RECORD, "steps": STEPS[:number] + STEPS[number + 1 :]})
        with_chance = [*STEPS[:number], {"chance": {"kind": "deal"}}, *STEPS[number:]]
        with pytest.raises(RecordError, match=f"step {number}: chance"):
            records.check(masters_v0.raw_env, {**RECORD, "steps": with_chance})
        if step["move"]["kind"] == "decline":
            with pytest.raises(RecordError, match=f"step {number + 1}: "):
                records.check(masters_v0.raw_env, {**RECORD, "steps": [*STEPS[: number + 1], *STEPS[number:]]})
    with pytest.raises(RecordError, match=f"step {len(STEPS)}: the game is over"):
        records.check(masters_v0.raw_env, {**RECORD, "steps": [*STEPS, STEPS[0]]})
    with pytest.raises(RecordError, match="result"):
        records.check(masters_v0.raw_env, {**RECORD, "result": None})
    unfinished = {**RECORD, "steps": STEPS[:10], "result": None}
    assert records.check(masters_v0.raw_env, unfinished).record() == unfinished
    with pytest.raises(RecordError, match="the game is not over"):
        records.check(masters_v0.raw_env, {**unfinished, "result": RECORD["result"]})


def test_a_record_of_another_game_is_refused():
    with pytest.raises(RecordError, match="game must be 'masters', not 'musee'"):
        records.check(masters_v0.raw_env, {**RECORD, "game": "musee"})


def test_the_second_implementation_refuses_too():
    """``replay`` is trusted above, so it must be able to fail."""
    scores = [score + 1 for score in RECORD["result"]["scores"]]
    with pytest.raises(AssertionError, match="scores"):
        replay({**RECORD, "result": {**RECORD["result"], "scores": scores}})
    for number in first_steps().values():
        step = STEPS[number]
        for wrong, words in (
            ({**step, "seat": (step["seat"] + 1) % 3}, "turn of seat"),
            ({**step, "action": 36}, "not among the legal"),
            ({**step, "move": {"kind": "none", "action": 36}}, "not {'kind': 'none'"),
        ):
            with pytest.raises(AssertionError, match=f"step {number}: .*{words}"):
                replay({**RECORD, "steps": [*STEPS[:number], wrong, *STEPS[number + 1 :]]})
