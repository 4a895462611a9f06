"""The card file: read, checked whole, and turned into the tables that the compiled rules read."""

from __future__ import annotations

import functools
import hashlib
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pictura_env.state import (
    ANY,
    CARD_FIELDS,
    DOMAINS,
    EFFECT_NAMES,
    FAVORS,
    KINDS,
    MAX_PLAYERS,
    PAINTERS,
    PAINTINGS,
    PATRONS,
    PERIODS,
    REWARD_NAMES,
    REWARD_SPACES,
    SLOTS,
    TOKENS_OF_A_KIND,
    TRENDS,
)

FORMAT = "gallery-cards/1"
DEFAULT = "default"
DEFAULT_PATH = Path(__file__).parent / "cards" / "default.toml"
SOURCES = ("published", "default")
TREND_SUM = 6
MAX_AMOUNT = 50
LONGEST_SHOWN = 80
"""A message repeats so many characters of a wrong value."""

WITHOUT_AMOUNT = ("none", "trade", "free_exhibit", "refresh")

CARD_TABLES = np.dtype(CARD_FIELDS)


class CardFileError(ValueError):
    """A card file that is not well formed; the message names the line or key and what was expected."""


@dataclass(frozen=True, eq=False)
class Cards:
    """A checked card file.

    Attributes:
        tables: What the rules read, structured array (1,) of ``CARD_TABLES``, read-only.
        favor_names: The name of each favor type.
        sha256: Of the file's bytes, hexadecimal.
        sources: Per table of the file, ``"published"`` or ``"default"``.
    """

    tables: np.ndarray
    favor_names: tuple[str, ...]
    sha256: str
    sources: dict[str, str]


def load(path: str) -> Cards:
    """Read and check a card file.

    Args:
        path: ``"default"``, or the path of a TOML file.

    Raises:
        FileNotFoundError: There is no such file.
        CardFileError: It is not well formed.
    """
    file = DEFAULT_PATH if path == DEFAULT else Path(path)
    try:
        content = file.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise FileNotFoundError(
            f"cards: there is no card file {path!r}; give 'default' or the path of a TOML file."
        ) from None
    except (OSError, ValueError) as error:
        raise OSError(f"cards: {_shown(path)} cannot be read: {error}") from None
    return _read(str(file), content)


@functools.lru_cache(maxsize=8)
def _read(path: str, content: bytes) -> Cards:
    try:
        words = tomllib.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        # Besides TOML's own: no UTF-8, or an integer of more digits than Python reads.
        raise CardFileError(f"{path}: no TOML: {error}") from None
    try:
        return _checked(words, hashlib.sha256(content).hexdigest())
    except CardFileError as error:
        raise CardFileError(f"{path}: {error}") from None


def _checked(words: dict[str, Any], sha256: str) -> Cards:
    _keys(words, ("format", *_TABLES), "the file")
    if words["format"] != FORMAT:
        raise CardFileError(f"format: must be {FORMAT!r}, not {_shown(words['format'])}.")
    tables = np.zeros(1, dtype=CARD_TABLES)
    tables["cards_sha256"] = np.frombuffer(bytes.fromhex(sha256), dtype=np.uint8)
    sources = {}
    for name, (keys, read) in _TABLES.items():
        _keys(words[name], ("source", *keys), f"[{name}]")
        source = words[name]["source"]
        if source not in SOURCES:
            raise CardFileError(f"{name}.source: must be 'published' or 'default', not {_shown(source)}.")
        sources[name] = source
        read(words[name], tables[0])
    tables.flags.writeable = False
    names = tuple(favor["name"] for favor in words["favors"]["types"])
    return Cards(tables, names, sha256, sources)


def _paintings(words: dict[str, Any], tables: np.void) -> None:
    for name, count in (("painter", PAINTERS), ("period", PERIODS), ("domain", DOMAINS)):
        tables[f"painting_{name}"] = _numbers(words[name], PAINTINGS, 0, count - 1, f"paintings.{name}")


def _trends(words: dict[str, Any], tables: np.void) -> None:
    for name, count in (("painter", PAINTERS), ("period", PERIODS), ("domain", DOMAINS)):
        tables[f"trend_{name}"] = _numbers(words[name], TRENDS, 0, count - 1, f"trends.{name}")
    values = _list(words["values"], TRENDS, "trends.values")
    for trend, amounts in enumerate(values):
        key = f"trends.values[{trend}]"
        amounts = _numbers(amounts, 3, 0, TREND_SUM, key)
        if len(set(amounts)) != 3 or sum(amounts) != TREND_SUM:
            raise CardFileError(f"{key}: must be three different amounts that sum to {TREND_SUM}, not {amounts}.")
        tables["trend_values"][trend] = amounts


def _favors(words: dict[str, Any], tables: np.void) -> None:
    types = words["types"]
    if not isinstance(types, list) or not 1 <= len(types) <= FAVORS:
        raise CardFileError(f"favors.types: must be a list of 1 to {FAVORS} favor types, not {_shown(types)}.")
    tables["favor_types"] = len(types)
    for number, favor in enumerate(types):
        key = f"favors.types[{number}]"
        _keys(favor, ("name", "copies", "upper", "lower"), key)
        if not isinstance(favor["name"], str) or not favor["name"]:
            raise CardFileError(f"{key}.name: must be a word, not {_shown(favor['name'])}.")
        tables["favor_copies"][number] = _number(favor["copies"], 1, FAVORS, f"{key}.copies")
        tables["favor_effects"][number, 0] = _effect(favor["upper"], f"{key}.upper")
        tables["favor_effects"][number, 1] = _effect(favor["lower"], f"{key}.lower")
    copies = int(tables["favor_copies"].sum(dtype=int))
    if copies != FAVORS:
        raise CardFileError(f"favors.types: the copies must add up to {FAVORS} cards, not {copies}.")


def _patrons(words: dict[str, Any], tables: np.void) -> None:
    for number, patron in enumerate(_list(words["cards"], PATRONS, "patrons.cards")):
        key = f"patrons.cards[{number}]"
        asked = [name for name in ("painter", "period", "domain") if isinstance(patron, dict) and name in patron]
        _keys(patron, (*asked, "count", "points", "reward"), key)
        if not asked:
            raise CardFileError(f"{key}: must ask for a painter, a period or a domain.")
        for name, count in (("painter", PAINTERS), ("period", PERIODS), ("domain", DOMAINS)):
            wanted = _number(patron[name], 0, count - 1, f"{key}.{name}") if name in asked else ANY
            tables[f"patron_{name}"][number] = wanted
        tables["patron_count"][number] = _number(patron["count"], 1, SLOTS, f"{key}.count")
        tables["patron_points"][number] = _number(patron["points"], 0, MAX_AMOUNT, f"{key}.points")
        tables["patron_effect"][number] = _effect(patron["reward"], f"{key}.reward")


def _reward_spaces(words: dict[str, Any], tables: np.void) -> None:
    for space, word in enumerate(_list(words["spaces"], REWARD_SPACES, "reward_spaces.spaces")):
        name, amount = _name_and_amount(word, REWARD_NAMES, (), f"reward_spaces.spaces[{space}]")
        tables["space_reward"][space] = REWARD_NAMES.index(name)
        tables["space_amount"][space] = amount


def _tokens(words: dict[str, Any], tables: np.void) -> None:
    for kind, values in enumerate(_list(words["values"], KINDS, "tokens.values")):
        tables["token_values"][kind] = _numbers(values, TOKENS_OF_A_KIND, 0, MAX_AMOUNT, f"tokens.values[{kind}]")


def _prestige(words: dict[str, Any], tables: np.void) -> None:
    tables["starting_prestige"] = _numbers(words["starting"], MAX_PLAYERS, 0, MAX_AMOUNT, "prestige.starting")
    lowest = max(words["starting"]) + 1
    tables["first_marker"] = _number(words["first_marker"], lowest, 100, "prestige.first_marker")
    tables["marker_step"] = _number(words["marker_step"], 1, 100, "prestige.marker_step")


def _end_token(words: dict[str, Any], tables: np.void) -> None:
    tables["end_prestige"] = _number(words["at"], 1, 250, "end_token.at")
    tables["end_token_value"] = _number(words["value"], 0, MAX_AMOUNT, "end_token.value")


def _collections(words: dict[str, Any], tables: np.void) -> None:
    smallest = _number(words["smallest"], 2, SLOTS, "collections.smallest")
    values = words["values"]
    if not isinstance(values, list) or not 1 <= len(values) <= SLOTS + 1 - smallest:
        raise CardFileError(f"collections.values: must be a list of 1 to {SLOTS + 1 - smallest} values.")
    values = _numbers(values, len(values), 0, MAX_AMOUNT, "collections.values")
    tables["collection_size"] = smallest
    for size in range(smallest, SLOTS + 1):
        tables["collection_values"][size] = values[min(size - smallest, len(values) - 1)]


def _exhibitions(words: dict[str, Any], tables: np.void) -> None:
    tables["exhibition_values"] = _numbers(words["values"], REWARD_SPACES + 1, 0, MAX_AMOUNT, "exhibitions.values")


def _full(words: dict[str, Any], tables: np.void) -> None:
    tables["gallery_value"] = _number(words["main_gallery"], 0, MAX_AMOUNT, "full.main_gallery")
    tables["museum_value"] = _number(words["museum"], 0, MAX_AMOUNT, "full.museum")


def _penalties(words: dict[str, Any], tables: np.void) -> None:
    tables["discard_penalty"] = _number(words["discarded_card"], 0, MAX_AMOUNT, "penalties.discarded_card")


_TABLES: dict[str, tuple[tuple[str, ...], Callable[[dict[str, Any], np.void], None]]] = {
    "paintings": (("painter", "period", "domain"), _paintings),
    "trends": (("painter", "period", "domain", "values"), _trends),
    "favors": (("types",), _favors),
    "patrons": (("cards",), _patrons),
    "reward_spaces": (("spaces",), _reward_spaces),
    "tokens": (("values",), _tokens),
    "prestige": (("starting", "first_marker", "marker_step"), _prestige),
    "end_token": (("at", "value"), _end_token),
    "collections": (("smallest", "values"), _collections),
    "exhibitions": (("values",), _exhibitions),
    "full": (("main_gallery", "museum"), _full),
    "penalties": (("discarded_card",), _penalties),
}


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:
        return "an integer of very many digits"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def _keys(words: Any, keys: tuple[str, ...], what: str) -> None:
    if not isinstance(words, dict):
        raise CardFileError(f"{what}: must be a table with the keys {', '.join(keys)}, not {_shown(words)}.")
    for key in keys:
        if key not in words:
            raise CardFileError(f"{what}: the key {key!r} is missing.")
    for key in words:
        if key not in keys:
            raise CardFileError(f"{what}: unknown key {_shown(key)}; known are {', '.join(keys)}.")


def _number(value: Any, lowest: int, highest: int, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
        raise CardFileError(f"{key}: must be an integer from {lowest} to {highest}, not {_shown(value)}.")
    return value


def _list(values: Any, count: int, key: str) -> list[Any]:
    if not isinstance(values, list) or len(values) != count:
        found = f"{len(values)}" if isinstance(values, list) else repr(values)
        raise CardFileError(f"{key}: must be a list of {count}, not {found}.")
    return values


def _numbers(values: Any, count: int, lowest: int, highest: int, key: str) -> list[int]:
    return [_number(value, lowest, highest, f"{key}[{place}]") for place, value in enumerate(_list(values, count, key))]


def _effect(word: Any, key: str) -> tuple[int, int]:
    name, amount = _name_and_amount(word, EFFECT_NAMES, WITHOUT_AMOUNT, key)
    return EFFECT_NAMES.index(name), amount


def _name_and_amount(word: Any, names: tuple[str, ...], without: tuple[str, ...], key: str) -> tuple[str, int]:
    match = re.fullmatch(r"([a-z_]+)(?: (0|[1-9][0-9]{0,8}))?", word) if isinstance(word, str) else None
    if match is None or match[1] not in names or (match[2] is None) != (match[1] in without):
        known = ", ".join(name if name in without else f"{name} n" for name in names)
        raise CardFileError(f"{key}: must be one of {known}, not {_shown(word)}.")
    return match[1], 0 if match[2] is None else _number(int(match[2]), 1, MAX_AMOUNT, key)
