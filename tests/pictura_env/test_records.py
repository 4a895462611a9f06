"""Protects the rules of Museum: Pictura by a second implementation, and records by all that can be wrong in one.

Random games under every option, with changed card files too, are replayed step by step by ``second_rules``, which was
written from the rules text alone. Every record must hold, round-trip through files, and give back the game before any
step; a record with any part changed or missing must be refused with the step and the reason.
"""

from __future__ import annotations

import copy
import functools
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from env_core import RecordError, records
from pictura_env import pictura_v0, rules
from tests.pictura_env import card_files
from tests.pictura_env.card_files import FILES, written
from tests.pictura_env.invariants import in_deck, paintings_at
from tests.pictura_env.second_rules import SecondPictura, Shuffle, replay

OPTIONS = [
    {"num_players": 2},
    {"num_players": 3, "reward": "margin"},
    {"num_players": 4, "reward": "score"},
    {"num_players": 2, "reward": "score", "exhibits_per_action": 1, "rearrange_limit": 0},
    {"num_players": 3, "reward": "outcome", "exhibits_per_action": 3, "max_rounds": 6},
    {"num_players": 4, "reward": "margin", "rearrange_limit": 30, "max_rounds": 2},
    {"num_players": 2, "reward": "margin", "cards": "short"},
    {"num_players": 3, "reward": "score", "cards": "short", "rearrange_limit": 1},
    {"num_players": 4, "reward": "outcome", "cards": "short", "exhibits_per_action": 2},
    {"num_players": 2, "reward": "score", "cards": "many"},
    {"num_players": 4, "reward": "margin", "cards": "many"},
    {"num_players": 2, "cards": "long", "max_rounds": 26, "rearrange_limit": 1, "exhibits_per_action": 1},
    {"num_players": 3, "cards": "long", "max_rounds": 24, "rearrange_limit": 0, "exhibits_per_action": 1},
]
GAMES_OF_EACH = 4
LOOKED_AT = 5
"""The whole table is compared before every so many steps."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the changed card files."""
    path = tmp_path_factory.mktemp("cards")
    for name, words in FILES.items():
        written(path / f"{name}.toml", words)
    return path


def made(options: dict[str, Any], folder: Path) -> pictura_v0.raw_env:
    if "cards" in options:
        options = {**options, "cards": str(folder / f"{options['cards']}.toml")}
    return pictura_v0.raw_env(**options)


def name_of(options: dict[str, Any]) -> str:
    return "-".join(str(value) for value in options.values())


def chosen(env: pictura_v0.raw_env, rng: np.random.Generator, idle: float = 0.2) -> int:
    """A legal action at random; of rearranging moves, and of *done*, *no* and *pass*, only a share is taken.

    Uniformly random games are over before anything rare happens.
    """
    legal = env.legal_actions()
    no = env.table.num_actions - 1
    busy = [action for action in legal if not 180 <= action < 205 and action != no]
    return int(rng.choice(busy if busy and rng.random() > idle else legal))


def played(env: pictura_v0.raw_env, seed: int, idle: float = 0.2) -> tuple[dict[str, Any], list[list[int]]]:
    """Play random moves to the end; the record, and the legal actions before each move."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    legal = []
    while actions := env.legal_actions():
        legal.append(actions)
        env.step(int(rng.choice(actions)) if seed % 2 else chosen(env, rng, idle))
    return env.record(), legal


@functools.cache
def games_of(number: int, folder: Path) -> list[tuple[dict[str, Any], list[list[int]]]]:
    """Random games under one of ``OPTIONS``."""
    env = made(OPTIONS[number], folder)
    return [played(env, seed) for seed in range(GAMES_OF_EACH)]


@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=lambda number: name_of(OPTIONS[number]))
def test_random_games_equal_the_second_implementation(number, folder):
    for seed, (record, legal) in enumerate(games_of(number, folder)):
        assert replay(record) == legal, f"legal actions differ with seed {seed}"


def assert_same_table(state: np.void, second: SecondPictura) -> None:
    """Everything on the table and in the hands stands alike in both implementations."""
    for seat in second.seats:
        assert paintings_at(state, f"hand {seat}") == sorted(second.hands[seat]), f"hand {seat}"
        assert paintings_at(state, f"discard pile {seat}") == sorted(second.discards[seat]), f"discard pile {seat}"
        museum = {slot: int(hanging) - 1 for slot, hanging in enumerate(state["slots"][seat]) if hanging}
        assert museum == second.museums[seat], f"museum {seat}"
        held = {favor: int(count) for favor, count in enumerate(state["favors"][seat]) if count}
        assert held == +second.favors[seat], f"favors of {seat}"
        assert np.flatnonzero(state["patron_where"] == 3 + seat).tolist() == sorted(second.claimed[seat])
        assert {space: kind - 1 for space, kind in enumerate(state["spaces"][seat].tolist()) if kind} == {
            **second.spaces[seat]
        }
        assert np.flatnonzero(state["kinds_shown"][seat]).tolist() == sorted(second.shows[seat])
        secret = second.secret[seat]
        assert state["secret_trend"][seat] == (-1 if secret is None else secret)
    for museum in range(4):
        assert paintings_at(state, f"international museum {museum}") == sorted(second.international[museum])
    players = second.players
    assert state["prestige"][:players].tolist() == second.prestige
    assert state["markers"][:players].tolist() == second.markers
    assert in_deck(state, "painting") == second.painting_deck
    assert in_deck(state, "favor") == second.favor_deck
    assert in_deck(state, "patron") == second.patron_deck
    assert [None if patron < 0 else patron for patron in state["shown"].tolist()] == second.shown
    assert np.flatnonzero(state["patron_where"] == 2).tolist() == sorted(second.replaced)
    assert {favor: int(count) for favor, count in enumerate(state["used_favors"]) if count} == +second.used_favors
    assert state["public_trend"] == second.public_trend
    assert np.flatnonzero(state["used_trends"]).tolist() == sorted(second.used_trends)
    if second.secret[second.first - 1] is not None:
        assert in_deck(state, "trend") == second.trend_deck
    assert state["tokens_left"].tolist() == [len(tokens) for tokens in second.tokens]
    assert state["round"] == second.round
    assert state["end_token"] == (-1 if second.end_token is None else second.end_token)
    assert bool(state["free_exhibit"]) == second.free


@pytest.mark.parametrize("options", OPTIONS, ids=name_of)
def test_everything_equals_the_second_implementation_on_the_way(options, folder):
    env = made(options, folder)
    rng = np.random.default_rng(5)
    env.reset(seed=5)
    record = env.record()
    second = SecondPictura(record["options"], record["setup"])
    total = np.zeros(second.players)
    for step in range(5000):
        state = env.table.states[0]
        if second.waiting is None or step % LOOKED_AT == 0:
            assert_same_table(state, second)
        if second.waiting is None:
            break
        assert second.waiting.seat == state["seat"]
        assert env.legal_actions() == sorted(second.waiting.answers), f"step {step}"
        if step % LOOKED_AT == 0:
            assert {action: env.describe(action) for action in env.legal_actions()} == second.waiting.answers
            token_waits = "reward_space" in {words["kind"] for words in second.waiting.answers.values()}
            for seat in second.seats:
                if seat != second.waiting.seat or not token_waits:
                    assert rules.final_points(state, seat) == sum(second.final_points(seat).values())
        action = chosen(env, rng)
        env.step(action)
        total += list(env.rewards.values())
        second.send(action)
        while isinstance(second.waiting, Shuffle):
            name = second.waiting.deck
            stem = name.removesuffix("_deck")
            order = state[name][: int(state[f"{stem}_next"]) + int(state[f"{stem}_left"])].tolist()
            second.send(order)
    assert not env.legal_actions()
    assert total == pytest.approx(second.result()["rewards"], abs=1e-5)
    assert env.record()["result"]["winners"] == second.result()["winners"]
    assert env.truncations["player_0"] == (second.ended == "truncated")
    assert env.terminations["player_0"] == (second.ended == "terminated")


def test_rare_events_happen_in_the_games_compared(folder):
    """The comparison is worth something only if the rare rules come up in it."""
    seen: Counter[str] = Counter()
    for number in range(len(OPTIONS)):
        for record, _ in games_of(number, folder):
            seen.update(rare_events(record))
    wanted = {
        "trend_deck made anew",
        "favor_deck made anew",
        "patron_deck made anew",
        "painting deck empty",
        "terminated",
        "truncated",
        "favor drawn by a seat that is not asked",
        "more than three favors",
        "hand over twelve",
        "prestige at 0",
        "free exhibit",
        "exhibit of another's discard",
        "place of a patron empty",
        "lower token",
        "full museum",
        "trade declined",
        "trade by an effect",
        "recover stopped",
    }
    wanted |= {
        f"move {kind}" for kind in (
            "keep_trend trade_take trade_give exhibit pay recover discard place pick_up put_down open_exhibition "
            "reward_space inventory play_favor claim_patron discard_favor take_favor replace_patrons pass done"
        ).split()
    }  # fmt: skip
    assert wanted <= set(seen), f"never seen: {wanted - set(seen)}"


def rare_events(record: dict[str, Any]) -> set[str]:
    """Names of what happens in a game."""
    second = SecondPictura(record["options"], record["setup"])
    seen = {record["result"]["ended"]}
    for step in record["steps"]:
        held = [favors.total() for favors in second.favors]
        waiting = second.waiting
        if "chance" in step:
            first_one = second.round == 0 and step["chance"]["kind"] == "trend_deck"
            seen.add("trends shuffled back" if first_one else f"{step['chance']['kind']} made anew")
            second.send(list(step["chance"]["order"]))
            continue
        move = step["move"]
        seen.add(f"move {move['kind']}")
        free = second.free
        second.send(step["action"])
        active_asked = waiting.seat == second.active
        free_action = second.favor_played or second.patron_taken
        happened = {
            "painting deck empty": not second.painting_deck,
            "favor drawn by a seat that is not asked": any(
                favors.total() > held[seat] for seat, favors in enumerate(second.favors) if seat != waiting.seat
            ),
            "more than three favors": max(held) > 3,
            "hand over twelve": max(map(len, second.hands)) > 12,
            "prestige at 0": 0 in second.prestige,
            "free exhibit": free and move["kind"] == "place",
            "exhibit of another's discard": move["kind"] == "exhibit" and move["from"] != "hand",
            "place of a patron empty": None in second.shown,
            "lower token": [] in second.tokens,
            "full museum": max(map(len, second.museums)) == 25,
            "trade declined": move["kind"] == "pass" and not active_asked,
            "trade by an effect": move["kind"] == "trade_take" and active_asked and free_action,
            "recover stopped": move["kind"] == "pass" and active_asked and len(waiting.answers) != 17,
        }
        seen |= {name for name, happens in happened.items() if happens}
    return seen


# --- Round trips -----------------------------------------------------------------------------------------------------

ROUND_TRIPS = [
    {"num_players": 2, "reward": "score", "max_rounds": 3},
    {"num_players": 4, "cards": "short", "max_rounds": 2},
]


@pytest.mark.parametrize("options", ROUND_TRIPS, ids=name_of)
def test_a_record_gives_back_the_game_before_its_steps(options, folder):
    env = made(options, folder)
    env.reset(seed=11)
    rng = np.random.default_rng(11)
    positions = {}
    while True:
        record = env.record()
        positions[len(record["steps"])] = copy.deepcopy(env)
        if not env.legal_actions():
            break
        env.step(chosen(env, rng))
    assert env.record() == json.loads(json.dumps(record)), "a record holds plain Python values only"
    chances = [number for number, step in enumerate(record["steps"]) if "chance" in step]
    assert sorted([*positions, *chances]) == list(range(len(record["steps"]) + 1))
    assert chances
    for step in sorted({*range(0, len(record["steps"]) + 1, 9), *chances, len(record["steps"])}):
        following = step
        while following in chances:
            following += 1
        known = positions[following]
        again = pictura_v0.raw_env.from_record(record, step)
        assert again.table.states.tobytes() == known.table.states.tobytes(), f"step {step}"
        assert again.legal_actions() == known.legal_actions()
        assert again.record() == known.record()
        for name in ("agents", "agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations"):
            assert getattr(again, name) == getattr(known, name), f"{name} before step {step}"
    assert records.check(pictura_v0.raw_env, record).record() == record


def test_a_setup_of_ones_own_is_dealt_and_recorded(folder):
    setup = played(made({"max_rounds": 1}, folder), 8)[0]["setup"]
    setup["painting_deck"] = setup["painting_deck"][::-1]
    setup["first_seat"] = 1 - setup["first_seat"]
    env = made({}, folder)
    env.reset(seed=3, options={"setup": setup})
    assert env.agent_selection == f"player_{setup['first_seat']}"
    env.step(env.legal_actions()[0])
    assert env.record()["setup"] == setup
    assert records.check(pictura_v0.raw_env, env.record()).record() == env.record()


def test_a_record_needs_its_own_card_file(folder):
    record, _ = played(made({"cards": "short", "max_rounds": 1}, folder), 8)
    with pytest.raises(RecordError, match="cards_sha256"):
        records.check(pictura_v0.raw_env, {**record, "options": {**record["options"], "cards": "default"}})
    missing = str(folder / "missing.toml")
    with pytest.raises(RecordError, match=r"options: .*missing\.toml"):
        records.check(pictura_v0.raw_env, {**record, "options": {**record["options"], "cards": missing}})


# --- What chance decides ---------------------------------------------------------------------------------------------


def last_chance(record: dict[str, Any], kind: str) -> int:
    """The number of the last chance step of a kind."""
    return max(n for n, step in enumerate(record["steps"]) if step.get("chance", {}).get("kind") == kind)


@pytest.mark.parametrize("kind", ["trend_deck", "favor_deck", "patron_deck"])
def test_another_order_of_a_deck_is_imposed_and_played_on(kind, folder):
    record = long_record(folder)
    number = last_chance(record, kind)
    order = record["steps"][number]["chance"]["order"]
    other = order[::-1]
    assert other != order
    chance = {"chance": {"kind": kind, "order": other}}
    twin = {**record, "steps": [*record["steps"][:number], chance], "result": None}
    env = records.check(pictura_v0.raw_env, twin)
    state = env.table.states[0]
    stem = kind.removesuffix("_deck")
    drawn = int(state[f"{stem}_next"])
    assert in_deck(state, stem) == other[drawn:]
    if kind == "patron_deck":
        assert set(other[:drawn]) <= set(state["shown"].tolist())
    again = copy.deepcopy(env)
    rng = np.random.default_rng(1)
    for _ in range(40):
        if env.legal_actions():
            env.step(chosen(env, rng))
    assert env.record()["steps"][number] == chance
    replay(env.record())
    assert records.check(pictura_v0.raw_env, env.record()).table.states.tobytes() == env.table.states.tobytes()
    # Nothing of the imposed order stays where a search could see it.
    resampled = again.table.resample_hidden(0, 3)
    assert resampled.resample_hidden(0, 3).states.tobytes() == resampled.states.tobytes()
    assert not again.table.states["forced"].any()


def test_a_deck_made_anew_twice_by_one_action_has_both_orders_in_the_record(tmp_path):
    # Every patron claimed has all that are shown replaced; when few are left, the deck runs out before and after.
    patrons = [{"period": p % 5, "count": 1, "points": 1, "reward": "refresh"} for p in range(60)]
    words = card_files.changed(patrons={"cards": patrons}, end_token={"at": 250, "value": 0})
    cards = written(tmp_path / "cards.toml", words)
    env = pictura_v0.raw_env(num_players=4, cards=cards, max_rounds=20, rearrange_limit=0)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    while legal := env.legal_actions():
        claims = [action for action in legal if env.describe(action).get("take") == "reward"]
        env.step(claims[0] if claims else int(rng.choice(legal)))
    record = env.record()
    steps = record["steps"]
    (number,) = [n for n, step in enumerate(steps[:-1]) if "chance" in step and "chance" in steps[n + 1]]
    assert {steps[n]["chance"]["kind"] for n in (number, number + 1)} == {"patron_deck"}
    replay(record)
    records.check(pictura_v0.raw_env, record)
    # Another program's record may have other orders; the first deck's top card decides what the second deck holds.
    first, second = (steps[n]["chance"]["order"] for n in (number, number + 1))
    assert first[0] in second
    assert first[-1] not in second
    moved = [first[-1] if patron == first[0] else patron for patron in second]
    for orders in ([first, second[::-1]], [first[::-1], moved], [first[::-1], moved[::-1]]):
        chance = [{"chance": {"kind": "patron_deck", "order": order}} for order in orders]
        twin = {**record, "steps": [*steps[:number], *chance], "result": None}
        env = records.check(pictura_v0.raw_env, twin)
        assert env.record()["steps"][number:] == chance
        replay(env.record())
    wrong = [{"chance": {"kind": "patron_deck", "order": order}} for order in (first[::-1], second)]
    with pytest.raises(RecordError, match="the patron_deck holds the cards"):
        records.check(pictura_v0.raw_env, {**record, "steps": [*steps[:number], *wrong], "result": None})


@functools.cache
def long_record(folder: Path) -> dict[str, Any]:
    """A game in which every deck is made anew."""
    env = made({"cards": "short", "max_rounds": 60}, folder)
    for seed in range(0, 60, 2):
        record, _ = played(env, seed)
        kinds = Counter(step["chance"]["kind"] for step in record["steps"] if "chance" in step)
        if kinds["favor_deck"] and kinds["patron_deck"]:
            return record
    raise AssertionError("no game in which the decks are made anew")


@pytest.mark.parametrize("kind", ["trend_deck", "favor_deck", "patron_deck"])
def test_an_impossible_order_of_a_deck_is_refused(kind, folder):
    record = long_record(folder)
    number = last_chance(record, kind)
    order = record["steps"][number]["chance"]["order"]
    foreign = next(card for card in range(60) if card not in order)
    for wrong, reason in (
        ([foreign, *order[1:]], "holds the cards|must be an integer"),
        (order[1:], f"order must be a list of {len(order)} numbers"),
        ([*order, order[0]], f"order must be a list of {len(order)} numbers"),
        ([float(card) for card in order], r"order\[0\] must be an integer"),
        ([-1, *order[1:]], r"order\[0\] must be an integer"),
        (None, "order must be a list"),
    ):
        twin = copy.deepcopy(record)
        twin["steps"][number]["chance"]["order"] = wrong
        with pytest.raises(RecordError, match=f"^step {number}: .*({reason})"):
            records.check(pictura_v0.raw_env, twin)
    for steps, reason in (
        ([*record["steps"][:number], *record["steps"][number + 1 :]], "chance steps? belong"),
        ([*record["steps"][: number + 1], *record["steps"][number:]], "chance steps? belong"),
        ([*record["steps"][:number], {"chance": {"kind": "deal", "order": order}}, *record["steps"][number + 1 :]],
         "belongs here, not 'deal'"),
        ([record["steps"][number], *record["steps"]], "chance decides nothing here"),
    ):  # fmt: skip
        with pytest.raises(RecordError, match=reason):
            records.check(pictura_v0.raw_env, {**record, "steps": steps})


# --- Files -----------------------------------------------------------------------------------------------------------


def test_records_survive_files(tmp_path, folder):
    all_records = [played(made(options, folder), 2)[0] for options in ROUND_TRIPS]
    records.save(all_records, tmp_path / "many.jsonl")
    assert records.load(tmp_path / "many.jsonl") == all_records
    records.save(all_records[0], tmp_path / "one.json")
    assert records.load(tmp_path / "one.json") == all_records[:1]


# --- Records that do not hold ----------------------------------------------------------------------------------------


def tampered_values(value: Any) -> list[Any]:
    """Values that are not ``value``, most of them of another type or just beside it."""
    wrong = [None, "x", -1, 1.5, 10**30, [], {}, [None], float("nan")]
    if isinstance(value, int):
        wrong += [value + 1, float(value), str(value), bool(value) if value in (0, 1) else True]
    if isinstance(value, list):
        wrong += [value[:-1], [*value, value[-1]] if value else [0], {str(i): item for i, item in enumerate(value)}]
    if isinstance(value, float):
        wrong += [value + 1e-3, True, str(value)]
    return [other for other in wrong if not (type(other) is type(value) and other == value)]


def paths(part: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value, at every depth; of long lists to the first and the last only."""
    items: list[Any] = []
    if isinstance(part, dict):
        items = list(part)
    elif isinstance(part, list):
        items = sorted({*range(min(1, len(part))), *range(max(0, len(part) - 1), len(part))})
    found = [so_far] if so_far else []
    for item in items:
        found += paths(part[item], (*so_far, item))
    return found


def at(record: dict[str, Any], path: tuple[Any, ...]) -> Any:
    part: Any = record
    for key in path:
        part = part[key]
    return part


def changed(record: dict[str, Any], path: tuple[Any, ...], value: Any = None, remove: bool = False) -> dict[str, Any]:
    twin = copy.deepcopy(record)
    part = at(twin, path[:-1])
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
    if path in (("options", "exhibits_per_action"), ("options", "rearrange_limit"), ("options", "max_rounds")):
        # A limit that is not reached in this game.
        return wrong is None or type(wrong) is int
    if path[:2] == ("setup", "trends_dealt"):
        # A trend that nobody was dealt, instead of one that nobody keeps: all are shuffled back together.
        return type(wrong) is int
    return path[:2] == ("result", "rewards") and type(wrong) is int and wrong == value


def assert_refused(record: dict[str, Any], path: tuple[Any, ...]) -> None:
    """Refused, naming the step or else the part, unless it is another part that the change has made wrong."""
    with pytest.raises(RecordError) as caught:
        records.check(pictura_v0.raw_env, record)
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


def one_of_each(record: dict[str, Any]) -> list[tuple[Any, ...]]:
    """Paths into the first step of each kind of move and of chance, and to all the other parts."""
    found = [path for path in paths(record) if path[0] != "steps" or len(path) == 1]
    kinds = set()
    for number, step in enumerate(record["steps"]):
        kind = (step.get("move") or step.get("chance"))["kind"]
        if kind not in kinds:
            kinds.add(kind)
            found += paths(step, ("steps", number))
    return found


@functools.cache
def sample_record(folder: Path) -> dict[str, Any]:
    """A short game in which much happens, and a deck is made anew."""
    env = made({"num_players": 2, "reward": "margin", "cards": "short", "max_rounds": 4}, folder)
    for seed in range(0, 200, 2):
        record, _ = played(env, seed, 0.05)
        kinds = Counter(step["chance"]["kind"] for step in record["steps"] if "chance" in step)
        if kinds["favor_deck"] + kinds["patron_deck"]:
            return record
    raise AssertionError("no short game in which a deck is made anew")


def test_every_part_that_is_missing_is_refused(folder):
    record = sample_record(folder)
    for path in one_of_each(record):
        assert_refused(changed(record, path, remove=True), path)


def test_every_part_that_is_changed_is_refused(folder):
    record = sample_record(folder)
    tried = 0
    rng = np.random.default_rng(0)
    for path in one_of_each(record):
        value = at(record, path)
        wrong_values = [wrong for wrong in tampered_values(value) if not holds_as_well(path, value, wrong)]
        for place in rng.permutation(len(wrong_values))[:5].tolist():
            wrong = wrong_values[place]
            try:
                assert_refused(changed(record, path, wrong), path)
            except BaseException as error:
                raise AssertionError(f"{path} = {wrong!r} instead of {value!r}") from error
            tried += 1
    assert tried > 500


def test_every_unknown_key_is_refused(folder):
    record = sample_record(folder)
    for path in [(), *one_of_each(record)]:
        twin = copy.deepcopy(record)
        part = at(twin, path)
        if isinstance(part, dict):
            part["surprise"] = 1
            with pytest.raises(RecordError):
                records.check(pictura_v0.raw_env, twin)


def test_steps_left_out_or_doubled_are_refused(folder):
    record = sample_record(folder)
    steps = record["steps"]
    for number in range(0, len(steps), 7):
        with pytest.raises(RecordError) as caught:
            records.check(pictura_v0.raw_env, {**record, "steps": steps[:number] + steps[number + 1 :]})
        assert caught.value.step is None or caught.value.step >= number - 1
        doubled = [*steps[: number + 1], copy.deepcopy(steps[number]), *steps[number + 1 :]]
        with pytest.raises(RecordError) as caught:
            records.check(pictura_v0.raw_env, {**record, "steps": doubled})
    with pytest.raises(RecordError, match="result"):
        records.check(pictura_v0.raw_env, {**record, "result": None})
    unfinished = {**record, "steps": steps[:12], "result": None}
    assert records.check(pictura_v0.raw_env, unfinished).record() == unfinished
    with pytest.raises(RecordError, match="the game is not over"):
        records.check(pictura_v0.raw_env, {**unfinished, "result": record["result"]})


def test_the_second_implementation_refuses_too(folder):
    """``replay`` is trusted above, so it must be able to fail."""
    record = sample_record(folder)
    replay(record)
    scores = [score + 1 for score in record["result"]["scores"]]
    with pytest.raises(AssertionError, match="scores"):
        replay({**record, "result": {**record["result"], "scores": scores}})
    number = next(n for n, step in enumerate(record["steps"]) if step.get("move", {}).get("kind") == "trade_take")
    for key in ("action", "seat"):
        step = {**record["steps"][number], key: record["steps"][number][key] + 1}
        with pytest.raises(AssertionError, match=f"step {number}"):
            replay({**record, "steps": [*record["steps"][:number], step, *record["steps"][number + 1 :]]})
    with pytest.raises(AssertionError, match="step"):
        replay({**record, "steps": [step for step in record["steps"] if "chance" not in step]})
