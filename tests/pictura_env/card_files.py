"""Card files that differ from the default one, for tests."""

from __future__ import annotations

import copy
import json
import tomllib
from pathlib import Path
from typing import Any

from tests.pictura_env.second_rules import DEFAULT_CARDS

DEFAULT: dict[str, Any] = tomllib.loads(DEFAULT_CARDS.read_text(encoding="utf-8"))
EFFECTS = ("prestige 7", "draw 1", "favor 4", "trade", "recover 5", "free_exhibit", "refresh", "none")


def as_toml(words: dict[str, Any]) -> str:
    """A card file's text: tables of plain values, the other keys first."""
    plain = [f"{key} = {in_line(value)}\n" for key, value in words.items() if not isinstance(value, dict)]
    tables = [
        f"\n[{name}]\n" + "".join(f"{key} = {in_line(value)}\n" for key, value in table.items())
        for name, table in words.items()
        if isinstance(table, dict)
    ]
    return "".join(plain + tables)


def in_line(value: Any) -> str:
    """A value as TOML writes it on one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {in_line(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(in_line, value)) + "]"
    return json.dumps(value)


def changed(**tables: dict[str, Any]) -> dict[str, Any]:
    """The default card file in words, with some keys of some tables replaced."""
    words = copy.deepcopy(DEFAULT)
    for name, keys in tables.items():
        words[name].update(keys)
    return words


def written(path: Path, words: dict[str, Any]) -> str:
    """Write a card file; the path, as the option ``cards`` takes it."""
    path.write_text(as_toml(words), encoding="utf-8")
    return str(path)


def favor_types(count: int) -> list[dict[str, Any]]:
    """So many favor types with every effect among their halves; the last one has all the copies that are left."""
    return [
        {
            "name": f"favor {number}",
            "copies": 1 if number < count - 1 else 25 - count,
            "upper": EFFECTS[2 * number % len(EFFECTS)],
            "lower": EFFECTS[(2 * number + 1) % len(EFFECTS)],
        }
        for number in range(count)
    ]


def requirement(number: int) -> dict[str, int]:
    """What a patron asks for: each of the seven ways in which painter, period and domain can be named."""
    named = number % 7 + 1
    asked = {"painter": number % 30, "period": number % 30 // 6, "domain": number % 6}
    return {what: value for bit, (what, value) in enumerate(asked.items()) if named >> bit & 1}


SHORT = changed(
    favors={
        "types": [
            {"name": "purse", "copies": 12, "upper": "prestige 9", "lower": "favor 3"},
            {"name": "crate", "copies": 8, "upper": "recover 3", "lower": "free_exhibit"},
            {"name": "salon", "copies": 4, "upper": "refresh", "lower": "trade"},
        ]
    },
    patrons={
        "cards": [
            {**requirement(number), "count": 1, "points": number % 4, "reward": EFFECTS[number % len(EFFECTS)]}
            for number in range(60)
        ]
    },
    trends={"values": [[[3, 1, 2], [0, 2, 4], [5, 1, 0], [2, 3, 1]][trend % 4] for trend in range(30)]},
    prestige={"starting": [2, 0, 5, 0], "first_marker": 7, "marker_step": 3},
    end_token={"at": 40, "value": 9},
)
"""Three favor types, patrons that ask for little and in every way, other trend values, close favor markers."""

MANY = changed(
    favors={"types": favor_types(24)},
    paintings={"painter": [(7 * p + 3) % 30 for p in range(180)], "domain": [p // 2 % 6 for p in range(180)]},
    trends={"domain": [5 - t % 6 for t in range(30)], "period": [(t + 2) % 5 for t in range(30)]},
    reward_spaces={
        "spaces": ["exhibition 1", "hand_limit 1", "hand_limit 3", "end_per_two_in_gallery 4", "trade 2", "trade 1"]
    },
    tokens={"values": [[kind % 3, 4 - kind % 4] for kind in range(11)]},
    collections={"smallest": 2, "values": [9, 1, 5, 2]},
    exhibitions={"values": [5, 0, 9, 1, 8, 2, 7]},
    full={"main_gallery": 1, "museum": 2},
    penalties={"discarded_card": 3},
)
"""24 favor types of one card each, small collections that are worth less as they grow, other pictures and rewards."""

LONG = changed(
    end_token={"at": 250, "value": 0},
    favors={
        "types": [
            {"name": "brush", "copies": 23, "upper": "none", "lower": "draw 50"},
            {"name": "frame", "copies": 1, "upper": "none", "lower": "recover 50"},
        ]
    },
    reward_spaces={
        "spaces": [*(["acquisition 5", "hand_limit 50"] * 2), "end_per_patron 50", "end_per_two_in_gallery 50"]
    },
)
"""A game that seldom ends before its rounds do: trends are made anew, and the painting deck runs out."""

FILES = {"short": SHORT, "many": MANY, "long": LONG}
