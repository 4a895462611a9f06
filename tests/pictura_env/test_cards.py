"""Protects card files: the default one is what the rules text says, and a malformed one is refused with line or key.

Every way in which a file can be wrong is tried on every key; nothing is dealt before the whole file has been checked.
"""

from __future__ import annotations

import copy
import hashlib
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pictura_env import cards, pictura_v0
from pictura_env.cards import CardFileError
from pictura_env.state import EFFECT_NAMES, REWARD_NAMES
from tests.pictura_env.card_files import DEFAULT, FILES, as_toml, written
from tests.pictura_env.second_rules import DEFAULT_CARDS

TABLES = cards.load("default").tables[0]


# --- The default file ------------------------------------------------------------------------------------------------


def test_the_default_file_says_where_its_values_come_from():
    assert cards.load("default").sources == {
        "paintings": "default",
        "trends": "default",
        "favors": "default",
        "patrons": "default",
        "reward_spaces": "default",
        "tokens": "published",
        "prestige": "published",
        "end_token": "published",
        "collections": "default",
        "exhibitions": "default",
        "full": "published",
        "penalties": "default",
    }


def test_paintings_and_trends_of_the_default_file():
    paintings = np.arange(180)
    assert (TABLES["painting_painter"] == paintings // 6).all()
    assert (TABLES["painting_period"] == paintings // 6 // 6).all()
    assert (TABLES["painting_domain"] == paintings % 6).all()
    trends = np.arange(30)
    assert (TABLES["trend_painter"] == trends).all()
    assert (TABLES["trend_period"] == trends // 6).all()
    assert (TABLES["trend_domain"] == trends % 6).all()
    assert (TABLES["trend_values"] == [1, 2, 3]).all()


def effect(pair: np.ndarray) -> str:
    name, amount = EFFECT_NAMES[pair[0]], int(pair[1])
    return f"{name} {amount}" if amount else name


def test_favors_and_patrons_of_the_default_file():
    table = {
        "donation": ("draw 2", "prestige 2"),
        "exchange": ("trade", "prestige 2"),
        "loan": ("free_exhibit", "draw 1"),
        "restoration": ("recover 2", "prestige 1"),
        "gala": ("refresh", "prestige 2"),
        "invitation": ("favor 1", "draw 1"),
    }
    assert cards.load("default").favor_names == tuple(table)
    assert TABLES["favor_types"] == 6
    assert TABLES["favor_copies"].tolist() == [4] * 6 + [0] * 18
    assert [tuple(effect(half) for half in halves) for halves in TABLES["favor_effects"][:6]] == list(table.values())
    rewards = ("favor 1", "draw 2", "trade", "recover 2")
    for patron in range(60):
        asked = [int(TABLES[f"patron_{what}"][patron]) for what in ("painter", "period", "domain")]
        pair = patron - 30
        assert asked == ([patron, -1, -1] if patron < 30 else [-1, pair // 6, pair % 6])
        assert TABLES["patron_count"][patron] == 2
        assert TABLES["patron_points"][patron] == 3
        assert effect(TABLES["patron_effect"][patron]) == rewards[patron % 4]


def test_the_other_tables_of_the_default_file():
    spaces = [f"{REWARD_NAMES[r]} {a}" for r, a in zip(TABLES["space_reward"], TABLES["space_amount"], strict=True)]
    assert spaces == [
        "acquisition 1",
        "hand_limit 2",
        "trade 1",
        "exhibition 2",
        "end_per_patron 1",
        "end_per_two_in_gallery 1",
    ]
    assert (TABLES["token_values"] == [3, 0]).all()
    assert TABLES["token_values"].size == 22
    assert TABLES["starting_prestige"].tolist() == [4, 3, 2, 1]
    assert (TABLES["first_marker"], TABLES["marker_step"]) == (10, 10)
    assert (TABLES["end_prestige"], TABLES["end_token_value"]) == (50, 5)
    assert TABLES["collection_size"] == 4
    assert TABLES["collection_values"].tolist() == [0] * 4 + [4, 6, 8, 11, 14, 17] + [20] * 16
    assert TABLES["exhibition_values"].tolist() == [0, 1, 3, 6, 10, 15, 21]
    assert (TABLES["gallery_value"], TABLES["museum_value"], TABLES["discard_penalty"]) == (5, 15, 1)


def test_a_files_hash_is_that_of_its_bytes_and_stands_in_the_record(tmp_path):
    path = written(tmp_path / "cards.toml", FILES["short"])
    sha256 = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    assert cards.load(path).sha256 == sha256
    for name, expected in ((path, sha256), ("default", hashlib.sha256(DEFAULT_CARDS.read_bytes()).hexdigest())):
        env = pictura_v0.raw_env(cards=name)
        env.reset(seed=1)
        assert env.record()["setup"]["cards_sha256"] == expected
        assert env.record()["options"]["cards"] == name


@pytest.mark.parametrize("name", FILES)
def test_changed_files_are_read_and_keep_what_was_not_changed(name, tmp_path):
    found = cards.load(written(tmp_path / "cards.toml", FILES[name])).tables[0]
    same = cards.load(written(tmp_path / "same.toml", DEFAULT)).tables[0]
    assert found["favor_types"] == len(FILES[name]["favors"]["types"])
    assert found.tobytes() != TABLES.tobytes()
    for field in TABLES.dtype.names:
        if field != "cards_sha256":
            assert np.array_equal(same[field], TABLES[field]), field


def test_a_changed_file_is_read_anew_and_a_game_keeps_its_own(tmp_path):
    path = tmp_path / "cards.toml"
    written(path, DEFAULT)
    env = pictura_v0.raw_env(cards=str(path))
    env.reset(seed=1)
    before = env.record()["setup"]["cards_sha256"]
    written(path, FILES["short"])
    env.reset(seed=1)
    assert env.record()["setup"]["cards_sha256"] == before
    other = pictura_v0.raw_env(cards=str(path))
    assert other.action_space("player_0").n == 238 + 3 * 3
    path.unlink()
    env.reset(seed=1)
    assert env.record()["setup"]["cards_sha256"] == before


@pytest.mark.parametrize(("name", "types"), [("default", 6), ("short", 3), ("many", 24)])
def test_the_number_of_favor_types_changes_the_action_space(name, types, tmp_path):
    path = "default" if name == "default" else written(tmp_path / "cards.toml", FILES[name])
    env = pictura_v0.raw_env(cards=path)
    assert env.action_space("player_0").n == 238 + 3 * types
    env.reset(seed=1)
    first = 223 + 2 * types + 10 + types
    assert env.legal_actions() == [first, first + 1, first + 2]


# --- Files that are not well formed ----------------------------------------------------------------------------------


def refused(content: bytes | str, tmp_path: Path) -> str:
    """The message with which a file is refused."""
    path = tmp_path / "cards.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(CardFileError) as caught:
        pictura_v0.raw_env(cards=str(path))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def test_no_toml_is_refused_with_its_line(tmp_path):
    lines = as_toml(DEFAULT).splitlines()
    assert "line 5" in refused("\n".join([*lines[:3], "painter = [1, 2", *lines[4:]]), tmp_path)
    twice = refused("\n".join([*lines, "[full]", "main_gallery = 5"]), tmp_path)
    assert f"line {len(lines) + 1}" in twice
    assert "no TOML" in refused("Musée".encode("latin-1"), tmp_path)
    assert "the key 'format' is missing" in refused("", tmp_path)


def test_a_missing_file_is_named(tmp_path):
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(FileNotFoundError, match=f"there is no card file '{path}'"):
            pictura_v0.raw_env(cards=str(path))
    for wrong in (None, 3, Path("cards.toml"), b"default", True):
        with pytest.raises(TypeError, match="cards must be 'default' or the path"):
            pictura_v0.raw_env(cards=wrong)


def test_what_cannot_be_read_is_refused_as_what_it_is(tmp_path):
    with pytest.raises(OSError, match="cards: 'aaa.*cannot be read"):
        pictura_v0.raw_env(cards="a" * 5000)
    with pytest.raises(OSError, match="cannot be read"):
        pictura_v0.raw_env(cards="a\0b")
    many = "9" * 5000
    for content, said in (
        (as_toml(DEFAULT).replace("at = 50", f"at = {many}"), "no TOML"),
        (as_toml(DEFAULT).replace("at = 50", f"at = 0x{many}"), "end_token.at: must be an integer from 1 to 250"),
        (as_toml(DEFAULT).replace('"draw 2"', f'"draw {many}"', 1), "favors.types[0].upper: must be one of"),
        (as_toml(DEFAULT).replace("gallery-cards/1", "x" * 100_000), "format: must be 'gallery-cards/1'"),
    ):
        message = refused(content, tmp_path)
        assert message.startswith(said)
        assert len(message) < 400


def test_the_byte_order_mark_of_windows_editors_is_no_fault(tmp_path):
    path = tmp_path / "cards.toml"
    path.write_bytes(b"\xef\xbb\xbf" + as_toml(DEFAULT).replace("\n", "\r\n").encode())
    assert pictura_v0.raw_env(cards=str(path)).action_space("player_0").n == 256


def test_copies_of_a_game_keep_its_cards_whatever_becomes_of_the_file(tmp_path, monkeypatch):
    written(tmp_path / "cards.toml", FILES["short"])
    monkeypatch.chdir(tmp_path)
    env = pictura_v0.env(cards="cards.toml")
    unplayed = pickle.dumps(env)
    env.reset(seed=1)
    pickled = pickle.dumps(env)
    for change in (lambda: written(tmp_path / "cards.toml", DEFAULT), (tmp_path / "cards.toml").unlink):
        change()
        for other in (copy.deepcopy(env), pickle.loads(pickled), pickle.loads(unplayed)):
            other.reset(seed=1)
            assert other.record() == env.record()
            assert other.last()[0]["action_mask"].shape == (other.action_space("player_0").n,) == (247,)


def test_the_same_cards_under_another_path_are_the_same_options(tmp_path):
    paths = [written(tmp_path / name, FILES["short"]) for name in ("one.toml", "two.toml")]
    one, two = (pictura_v0.raw_env(cards=path) for path in paths)
    assert one.options == two.options
    assert hash(one.options) == hash(two.options)
    one.reset(seed=1)
    two.restore(one.snapshot())
    assert two.legal_actions() == one.legal_actions()
    (tmp_path / "one.toml").write_bytes(cards.DEFAULT_PATH.read_bytes())
    assert pictura_v0.raw_env(cards=paths[0]).options != one.options
    assert pictura_v0.raw_env(cards=paths[0]).options == pictura_v0.raw_env().options


def at(words: dict[str, Any], path: tuple[Any, ...]) -> Any:
    part: Any = words
    for key in path:
        part = part[key]
    return part


def replaced(path: tuple[Any, ...], value: Any) -> str:
    words = copy.deepcopy(DEFAULT)
    at(words, path[:-1])[path[-1]] = value
    return as_toml(words)


def all_tables() -> list[tuple[Any, ...]]:
    """Every table of the file and every entry of its lists that is one."""
    return [(), *((name,) for name in DEFAULT if name != "format"), ("favors", "types", 2), ("patrons", "cards", 59)]


@pytest.mark.parametrize("path", all_tables(), ids=str)
def test_keys_that_are_missing_or_unknown_are_named(path, tmp_path):
    may_be_left_out = {"period", "domain"} if path[:1] == ("patrons",) and len(path) == 3 else set()
    for key in set(at(DEFAULT, path)) - may_be_left_out:
        words = copy.deepcopy(DEFAULT)
        del at(words, path)[key]
        message = refused(as_toml(words), tmp_path)
        assert repr(key) in message, message
        assert "is missing" in message
    words = copy.deepcopy(DEFAULT)
    at(words, path)["surprise"] = 1
    assert "unknown key 'surprise'" in refused(as_toml(words), tmp_path)


@pytest.mark.parametrize("name", [name for name in DEFAULT if name != "format"])
def test_a_table_must_be_one_and_say_its_source(name, tmp_path):
    words = copy.deepcopy(DEFAULT)
    words[name] = 5
    assert f"[{name}]: must be a table" in refused(as_toml(words), tmp_path)
    for wrong in ("printed", "", 1, ["default"], True):
        assert f"{name}.source: must be 'published' or 'default'" in refused(
            replaced((name, "source"), wrong), tmp_path
        )


LISTS = {
    ("paintings", "painter"): 180,
    ("paintings", "period"): 180,
    ("paintings", "domain"): 180,
    ("trends", "painter"): 30,
    ("trends", "period"): 30,
    ("trends", "domain"): 30,
    ("trends", "values"): 30,
    ("patrons", "cards"): 60,
    ("reward_spaces", "spaces"): 6,
    ("tokens", "values"): 11,
    ("prestige", "starting"): 4,
    ("exhibitions", "values"): 7,
}


@pytest.mark.parametrize("path", LISTS, ids=".".join)
def test_lists_of_another_length_are_refused(path, tmp_path):
    values, key = at(DEFAULT, path), ".".join(path)
    assert len(values) == LISTS[path]
    for wrong in (values[:-1], [*values, values[-1]], [], 3, "three"):
        message = refused(replaced(path, wrong), tmp_path)
        assert message.startswith(f"{key}: must be a list of {LISTS[path]}, not "), message


NUMBERS = {
    ("paintings", "painter", 7): (0, 29),
    ("paintings", "period", 179): (0, 4),
    ("paintings", "domain", 0): (0, 5),
    ("trends", "painter", 3): (0, 29),
    ("trends", "period", 3): (0, 4),
    ("trends", "domain", 3): (0, 5),
    ("favors", "types", 0, "copies"): (1, 24),
    ("patrons", "cards", 3, "painter"): (0, 29),
    ("patrons", "cards", 40, "period"): (0, 4),
    ("patrons", "cards", 40, "domain"): (0, 5),
    ("patrons", "cards", 40, "count"): (1, 25),
    ("patrons", "cards", 40, "points"): (0, 50),
    ("tokens", "values", 10, 1): (0, 50),
    ("prestige", "starting", 0): (0, 50),
    ("prestige", "first_marker"): (5, 100),
    ("prestige", "marker_step"): (1, 100),
    ("end_token", "at"): (1, 250),
    ("end_token", "value"): (0, 50),
    ("collections", "smallest"): (2, 25),
    ("collections", "values", 2): (0, 50),
    ("exhibitions", "values", 6): (0, 50),
    ("full", "main_gallery"): (0, 50),
    ("full", "museum"): (0, 50),
    ("penalties", "discarded_card"): (0, 50),
}


def key_of(path: tuple[Any, ...]) -> str:
    """A key as messages name it."""
    key = str(path[0])
    for part in path[1:]:
        key += f"[{part}]" if isinstance(part, int) else f".{part}"
    return key


@pytest.mark.parametrize("path", NUMBERS, ids=key_of)
def test_numbers_out_of_range_or_of_another_type_are_refused(path, tmp_path):
    lowest, highest = NUMBERS[path]
    for wrong in (lowest - 1, highest + 1, 2**70, 1.0, True, "1", [1]):
        message = refused(replaced(path, wrong), tmp_path)
        assert message.startswith(f"{key_of(path)}: must be an integer from {lowest} to {highest}, not "), message


def test_the_markers_start_above_every_starting_prestige(tmp_path):
    words = copy.deepcopy(DEFAULT)
    words["prestige"]["starting"] = [0, 0, 0, 30]
    assert refused(as_toml(words), tmp_path).startswith("prestige.first_marker: must be an integer from 31")


@pytest.mark.parametrize("values", [[1, 1, 4], [2, 2, 2], [0, 1, 6], [1, 2, 4], [1, 2], [1, 2, 3, 0], [-1, 3, 4]])
def test_trend_values_are_three_different_amounts_that_sum_to_six(values, tmp_path):
    assert refused(replaced(("trends", "values", 17), values), tmp_path).startswith("trends.values[17]")


EFFECT_KEYS = [("favors", "types", 5, "upper"), ("favors", "types", 0, "lower"), ("patrons", "cards", 9, "reward")]


@pytest.mark.parametrize("path", EFFECT_KEYS, ids=key_of)
def test_unknown_effects_are_refused(path, tmp_path):
    for wrong in ("steal", "", "draw", "draw two", "draw 0", "draw 51", "draw -1", "draw 1 ", "draw 01", "draw ２",
                  "trade 2", "none 1", "free_exhibit 1", "prestige", "Draw 1", "acquisition 1", 3, ["draw 1"],
                  True):  # fmt: skip
        assert refused(replaced(path, wrong), tmp_path).startswith(key_of(path)), wrong


def test_unknown_rewards_of_spaces_are_refused(tmp_path):
    for wrong in ("acquisition", "acquisition 0", "acquisition 51", "draw 1", "", 1):
        assert refused(replaced(("reward_spaces", "spaces", 4), wrong), tmp_path).startswith("reward_spaces.spaces[4]")


def test_favor_types_and_copies(tmp_path):
    types = DEFAULT["favors"]["types"]
    for wrong in ([], 5, [{**types[0], "copies": 1}] * 25):
        assert refused(replaced(("favors", "types"), wrong), tmp_path).startswith("favors.types: must be a list of 1")
    for wrong in (types[:5], [*types, types[0]]):
        assert "the copies must add up to 24 cards" in refused(replaced(("favors", "types"), wrong), tmp_path)
    for wrong in ("", 3, False):
        assert refused(replaced(("favors", "types", 3, "name"), wrong), tmp_path).startswith("favors.types[3].name")
    assert refused(replaced(("favors", "types", 3), "gala"), tmp_path).startswith("favors.types[3]")


def test_a_patron_must_ask_for_something(tmp_path):
    patron = {"count": 2, "points": 3, "reward": "none"}
    message = refused(replaced(("patrons", "cards", 12), patron), tmp_path)
    assert message == "patrons.cards[12]: must ask for a painter, a period or a domain."
    assert refused(replaced(("patrons", "cards", 12), "painter 3"), tmp_path).startswith("patrons.cards[12]")


def test_values_of_collections_fit_the_museum(tmp_path):
    assert refused(replaced(("collections", "values"), []), tmp_path).startswith("collections.values: must be a list")
    assert refused(replaced(("collections", "values"), [1] * 23), tmp_path).startswith("collections.values: must be")
    assert refused(replaced(("collections", "values"), 4), tmp_path).startswith("collections.values: must be a list")
    found = cards.load(written(tmp_path / "full.toml", {**DEFAULT, "collections": {
        "source": "default", "smallest": 25, "values": [9]
    }}))  # fmt: skip
    assert found.tables[0]["collection_values"].tolist() == [0] * 25 + [9]


def test_another_format_is_refused(tmp_path):
    assert "format: must be 'gallery-cards/1'" in refused(replaced(("format",), "gallery-cards/2"), tmp_path)
