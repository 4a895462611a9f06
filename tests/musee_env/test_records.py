"""Protects the rules of Musée by a second implementation of them, and records by everything that can be wrong in one.

Hundreds of random games are replayed, step by step, by ``second_rules``, which was written from the rules text alone.
Every record must hold, round-trip through files, and give back the game before any step; a record with any part
changed or missing must be refused with the step and the reason.
"""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from env_core import RecordError, records
from musee_env import musee_v0
from tests.musee_env.second_rules import SecondMusee, replay

AGREED = {
    2: [[1, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 1]],
    3: [[True, False, True, False, True], [False, True, True, False, False]],
    4: [[0, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 1]],
}
OPTIONS = [
    {"num_players": players, "reward": reward, "staircases": staircases, "games_to_win": games}
    for players in (2, 3, 4)
    for reward, staircases, games in (
        ("outcome", "first_game", 1),
        ("outcome", "random", 3),
        ("margin", "random", 1),
        ("margin", "first_game", 2),
        ("score", "agreed", 1),
        ("score", "random", 2),
    )
]
GAMES_OF_EACH = 16


def made(options: dict[str, Any]) -> musee_v0.raw_env:
    if options.get("staircases") == "agreed":
        options = {**options, "staircases": AGREED[options["num_players"]]}
    return musee_v0.raw_env(**options)


def name_of(options: dict[str, Any]) -> str:
    return "-".join(str(value) for value in options.values())


def played(env: musee_v0.raw_env, seed: int) -> tuple[dict[str, Any], list[list[int]]]:
    """Play random moves to the end; the record, and the legal actions before each move."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    legal = []
    while actions := env.legal_actions():
        legal.append(actions)
        env.step(int(rng.choice(actions)))
    return env.record(), legal


@pytest.mark.parametrize("options", OPTIONS, ids=name_of)
def test_random_games_equal_the_second_implementation(options):
    env = made(options)
    for seed in range(GAMES_OF_EACH):
        record, legal = played(env, seed)
        assert replay(record) == legal, f"legal actions differ with seed {seed}"


@pytest.mark.parametrize("options", OPTIONS, ids=name_of)
def test_scores_and_hands_equal_the_second_implementation_at_every_step(options):
    env = made(options)
    rng = np.random.default_rng(5)
    env.reset(seed=5)
    second = SecondMusee(env.options.as_record(), env.record()["setup"])
    step = 0
    while actions := env.legal_actions():
        state = env.table.states[0]
        assert int(state["seat"]) == second.turn
        hands = [state["hands"][seat][: state["hand_sizes"][seat]].tolist() for seat in range(env.table.num_players)]
        assert hands == second.hands, f"step {step}"
        deck = state["deck"][int(state["deck_next"]) : int(state["deck_next"]) + int(state["deck_size"])].tolist()
        assert deck == second.deck, f"step {step}"
        assert env.table.scores()[0].tolist() == [second.points(second.team_of[s]) for s in range(second.players)]
        assert {s for s in range(second.players) if state["out"][s]} == second.stuck
        action = int(rng.choice(actions))
        env.step(action)
        second.play(action)
        step += 1
        if second.may_start_next is not None:
            chance = dict(env.record()["steps"][-1]["chance"])
            assert chance.pop("kind") == "deal"
            second.lay_out(chance)
    assert second.finished


def test_rare_events_happen_in_the_games_compared():
    """The comparison is worth something only if the rare rules come up in it."""
    seen = set()
    env = made({"num_players": 4})
    for seed in range(GAMES_OF_EACH * 4):
        record, _ = played(env, seed)
        second = SecondMusee(record["options"], record["setup"])
        for step in record["steps"]:
            if step["move"]["kind"] == "give" and (step["seat"] + 2) % 4 in second.stuck:
                seen.add("given to a player who is out")
            if step["move"]["kind"] in ("keep", "give"):
                seen.add(step["move"]["kind"])
            second.play(step["action"])
            seen.update("six cards" for hand in second.hands if len(hand) == 6)
            seen.update("stuck" for _ in second.stuck)
            seen.update("bonus" for _ in second.bonus)
        seen.update("card left in the deck" for _ in range(len(second.deck)))
    assert seen >= {"keep", "give", "six cards", "stuck", "bonus"}


# --- Round trips -----------------------------------------------------------------------------------------------------

ROUND_TRIPS = [
    {"num_players": 2},
    {"num_players": 3, "games_to_win": 2, "reward": "score"},
    {"num_players": 4, "staircases": "random"},
]


@pytest.mark.parametrize("options", ROUND_TRIPS, ids=name_of)
def test_a_record_gives_back_the_game_before_every_step(options):
    env = made(options)
    env.reset(seed=11)
    rng = np.random.default_rng(11)
    positions = {}
    while True:
        record = env.record()
        positions[len(record["steps"])] = copy.deepcopy(env)
        if not env.legal_actions():
            break
        env.step(int(rng.choice(env.legal_actions())))
    assert env.record() == json.loads(json.dumps(record)), "a record holds plain Python values only"
    deals = [number for number, step in enumerate(record["steps"]) if "chance" in step]
    assert sorted([*positions, *deals]) == list(range(len(record["steps"]) + 1))
    for step in range(len(record["steps"]) + 1):
        # A deal stands in the record as soon as it happens: before it, there is no position in which a seat is asked.
        known = positions[step + 1 if step in deals else step]
        again = musee_v0.raw_env.from_record(record, step)
        assert again.table.states.tobytes() == known.table.states.tobytes(), f"step {step}"
        assert again.legal_actions() == known.legal_actions()
        assert again.record() == known.record()
        for name in ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations"):
            assert getattr(again, name) == getattr(known, name), f"{name} before step {step}"
    assert records.check(musee_v0.raw_env, record).record() == record


def test_from_record_refuses_steps_that_are_not_there():
    record, _ = played(made({}), 1)
    count = len(record["steps"])
    for step in (-1, count + 1, 10**30):
        with pytest.raises(RecordError, match=f"from 0 to {count}"):
            musee_v0.raw_env.from_record(record, step)
    for step in (True, 1.0, "1"):
        with pytest.raises(TypeError, match="step must be an integer"):
            musee_v0.raw_env.from_record(record, step)


def test_the_game_of_a_record_plays_on_alike():
    env = made({"games_to_win": 3})
    record, _ = played(env, 3)
    again = musee_v0.raw_env.from_record(record, len(record["steps"]) // 2)
    for step in record["steps"][len(record["steps"]) // 2 :]:
        if "action" in step:
            again.step(step["action"])
    assert again.record() == record


def test_a_setup_of_ones_own_is_dealt_and_recorded():
    setup = played(made({}), 8)[0]["setup"]
    setup["deck"] = setup["deck"][::-1]
    setup["first_seat"] = 1 - setup["first_seat"]
    env = made({})
    env.reset(seed=3, options={"setup": setup})
    assert env.agent_selection == f"player_{setup['first_seat']}"
    env.step(env.legal_actions()[0])
    assert env.record()["setup"] == setup
    assert records.check(musee_v0.raw_env, env.record()).record() == env.record()


# --- Files -----------------------------------------------------------------------------------------------------------


def test_records_survive_files(tmp_path):
    all_records = [played(made(options), 2)[0] for options in ROUND_TRIPS]
    records.save(all_records, tmp_path / "many.jsonl")
    assert records.load(tmp_path / "many.jsonl") == all_records
    records.save(all_records[0], tmp_path / "one.json")
    assert records.load(tmp_path / "one.json") == all_records[:1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many.jsonl", "one.json"], (
        "nothing temporary stays behind"
    )


def test_what_only_python_takes_for_the_end_of_a_line_is_none(tmp_path):
    record = {"words": "one\u2028two\x85three\x0bfour"}
    records.save([record, record], tmp_path / "lines.jsonl")
    assert records.load(tmp_path / "lines.jsonl") == [record, record]


def test_record_files_that_are_none_are_refused(tmp_path):
    record, _ = played(made({}), 2)
    with pytest.raises(ValueError, match=r"\.json or \.jsonl"):
        records.save(record, tmp_path / "record.txt")
    with pytest.raises(ValueError, match="holds one record"):
        records.save([record, record], tmp_path / "two.json")
    for none in ("abc", [record, 5]):
        with pytest.raises(TypeError, match="a record is an object"):
            records.save(none, tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []
    contents = {
        "empty.json": (b"", "line 1"),
        "cut.json": (json.dumps(record).encode()[:-5], "line 1"),
        "list.json": (b"[]", "a record is an object"),
        "latin.json": ("Musée".encode("latin-1"), "UTF-8"),
        "deep.json": (b"[" * 100_000, "line 1"),
        "digits.json": (json.dumps(record).replace('"seed": 2', '"seed": ' + "9" * 5000).encode(), "line 1: no JSON"),
        "twice.json": (json.dumps(record).replace('"seed": 2', '"seed": 3, "seed": 2').encode(), "key 'seed' stands"),
        "nothing.jsonl": (b"\n\n", "no record"),
        "second.jsonl": (json.dumps(record).encode() + b"\n{\n", "line 2"),
    }
    for name, (content, reason) in contents.items():
        (tmp_path / name).write_bytes(content)
        with pytest.raises(RecordError, match=reason):
            records.load(tmp_path / name)
    with pytest.raises(FileNotFoundError):
        records.load(tmp_path / "missing.json")


# --- Records that do not hold ----------------------------------------------------------------------------------------


def tampered_values(value: Any) -> list[Any]:
    """Values that are not ``value``, most of them of another type or just beside it."""
    wrong = [None, "x", -1, 1.5, 10**30, -(10**400), [], {}, [None], float("nan")]
    if isinstance(value, int):
        wrong += [value + 1, float(value), str(value), bool(value) if value in (0, 1) else True]
    if isinstance(value, list):
        wrong += [value[:-1], [*value, value[-1]] if value else [0], {str(i): item for i, item in enumerate(value)}]
    if isinstance(value, float):
        wrong += [value + 1e-3, True, str(value)]
    return [other for other in wrong if not (type(other) is type(value) and other == value)]


def paths(part: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value, at every depth; of long lists to the first and last few only."""
    items: list[Any] = []
    if isinstance(part, dict):
        items = list(part)
    elif isinstance(part, list):
        items = sorted({*range(min(2, len(part))), *range(max(0, len(part) - 2), len(part))})
    found = [so_far] if so_far else []
    for item in items:
        found += paths(part[item], (*so_far, item))
    return found


def changed(record: dict[str, Any], path: tuple[Any, ...], value: Any = None, remove: bool = False) -> dict[str, Any]:
    twin = copy.deepcopy(record)
    part = twin
    for key in path[:-1]:
        part = part[key]
    if remove:
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return twin


def holds_as_well(path: tuple[Any, ...], value: Any, wrong: Any) -> bool:
    """Changes that make another record that is right, or say the same in another way."""
    if path == ("seed",):
        # Nothing in the game hangs on the seed once the setup is there.
        return wrong is None or (type(wrong) is int and 0 <= wrong < 2**63)
    if path[:2] == ("options", "staircases"):
        return type(wrong) is bool and wrong == value
    return path[:2] == ("result", "rewards") and type(wrong) is int and wrong == value


def assert_refused(record: dict[str, Any], path: tuple[Any, ...]) -> None:
    """Refused, naming the step or else the part, unless it is another part that the change has made wrong."""
    with pytest.raises(RecordError) as caught:
        records.check(musee_v0.raw_env, record)
    message, step = str(caught.value), caught.value.step
    if step is not None:
        assert message.startswith(f"step {step}: ")
    if path[0] == "steps" and len(path) > 2:
        assert step is not None
        # What a step says may be found wanting by the next one only: a seat, or an action that is legal as well.
        assert path[1] - 1 <= step <= path[1] + 1, message
    elif path[0] not in ("options", "setup", "steps"):
        assert path[0] in message, f"the message does not name the part: {message}"
    elif step is None:
        assert any(part in message for part in ("options", "setup", "steps", "result")), message


def sample_records() -> dict[str, dict[str, Any]]:
    """A single game with keep or give in it, and a match, with few of their steps to be tampered with."""
    decided = next(
        record
        for record in (played(made({"num_players": 4}), seed)[0] for seed in range(50))
        if any(step["move"]["kind"] in ("keep", "give") for step in record["steps"])
    )
    return {
        "two players": played(made({"staircases": "agreed", "num_players": 2}), 6)[0],
        "match": played(made({"games_to_win": 2, "num_players": 3, "reward": "margin"}), 4)[0],
        "teams": decided,
    }


RECORDS = sample_records()


@pytest.mark.parametrize("name", RECORDS)
def test_every_part_that_is_missing_is_refused(name):
    record = RECORDS[name]
    for path in [*paths(record), *deals_and_decisions(record)]:
        assert_refused(changed(record, path, remove=True), path)


@pytest.mark.parametrize("name", RECORDS)
def test_every_part_that_is_changed_is_refused(name):
    record = RECORDS[name]
    tried = 0
    for path in [*paths(record), *deals_and_decisions(record)]:
        value = record
        for key in path:
            value = value[key]
        for wrong in tampered_values(value):
            if not holds_as_well(path, value, wrong):
                try:
                    assert_refused(changed(record, path, wrong), path)
                except BaseException as error:
                    raise AssertionError(f"{path} = {wrong!r} instead of {value!r}") from error
                tried += 1
    assert tried > 500


def deals_and_decisions(record: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Paths into the first chance step and the first keep or give of a record."""
    found: list[tuple[Any, ...]] = []
    for wanted in ("chance", "keep", "give"):
        for number, step in enumerate(record["steps"]):
            if wanted in step or step.get("move", {}).get("kind") == wanted:
                found += paths(step, ("steps", number))
                break
    return found


@pytest.mark.parametrize("name", RECORDS)
def test_every_unknown_key_is_refused(name):
    record = RECORDS[name]
    for path in [(), *paths(record), *deals_and_decisions(record)]:
        twin = copy.deepcopy(record)
        part: Any = twin
        for key in path:
            part = part[key]
        if isinstance(part, dict):
            part["surprise"] = 1
            with pytest.raises(RecordError):
                records.check(musee_v0.raw_env, twin)


@pytest.mark.parametrize("name", RECORDS)
def test_steps_left_out_swapped_or_added_are_refused(name):
    record = RECORDS[name]
    steps = record["steps"]
    for number in range(len(steps)):
        with pytest.raises(RecordError) as caught:
            records.check(musee_v0.raw_env, {**record, "steps": steps[:number] + steps[number + 1 :]})
        assert caught.value.step is None or caught.value.step >= number - 1
        doubled = [*steps[: number + 1], copy.deepcopy(steps[number]), *steps[number + 1 :]]
        with pytest.raises(RecordError) as caught:
            records.check(musee_v0.raw_env, {**record, "steps": doubled})
        assert caught.value.step is not None
        assert caught.value.step >= number
    with pytest.raises(RecordError, match="result"):
        records.check(musee_v0.raw_env, {**record, "result": None})
    unfinished = {**record, "steps": steps[:10], "result": None}
    assert records.check(musee_v0.raw_env, unfinished).record() == unfinished
    with pytest.raises(RecordError, match="the game is not over"):
        records.check(musee_v0.raw_env, {**unfinished, "result": record["result"]})
    with pytest.raises(RecordError, match=f"step {len(steps)}: "):
        records.check(musee_v0.raw_env, {**record, "steps": [*steps, {"chance": {"kind": "deal"}}]})


@pytest.mark.parametrize("nothing", [None, [], "record", 7, True])
def test_what_is_no_record_is_refused(nothing):
    with pytest.raises(RecordError, match="record must be an object"):
        records.check(musee_v0.raw_env, nothing)


def test_the_second_implementation_refuses_too():
    """``replay`` is trusted above, so it must be able to fail."""
    record = RECORDS["match"]
    scores = [score + 1 for score in record["result"]["scores"]]
    with pytest.raises(AssertionError, match="scores"):
        replay({**record, "result": {**record["result"], "scores": scores}})
    step = {**record["steps"][3], "action": record["steps"][3]["action"] + 1}
    with pytest.raises(AssertionError, match="step 3"):
        replay({**record, "steps": [*record["steps"][:3], step, *record["steps"][4:]]})
