"""Checks of what a setup, a move or a record says in words. Those that refuse name the key at fault."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from env_core.errors import SetupError


def checked_keys(words: Any, keys: Sequence[str], what: str) -> None:
    """Refuse anything but a mapping with exactly these keys.

    Raises:
        SetupError: A key is missing or unknown.
    """
    if not isinstance(words, Mapping):
        raise SetupError(f"{what} must be an object with the keys {', '.join(keys)}, not {words!r}.")
    missing = [key for key in keys if key not in words]
    unknown = [key for key in words if key not in keys]
    if missing or unknown:
        parts = [
            f"{kind} {', '.join(map(repr, names))}"
            for kind, names in (("lacks", missing), ("has unknown", unknown))
            if names
        ]
        raise SetupError(f"{what} {' and '.join(parts)}; it has the keys {', '.join(keys)}.")


def checked_number(value: Any, allowed: range, what: str) -> int:
    """Return an integer in a range, or refuse it.

    Raises:
        SetupError: It is no integer (``True`` is none) or outside the range.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value not in allowed:
        raise SetupError(f"{what} must be an integer from {allowed[0]} to {allowed[-1]}, not {value!r}.")
    return value


def checked_cards(values: Any, count: int, allowed: range, what: str) -> list[int]:
    """Return a list of so many integers in a range, or refuse it.

    Raises:
        SetupError: It is no list, has another length, or an element is no integer in the range.
    """
    if not isinstance(values, (list, tuple)) or len(values) != count:
        found = f"{len(values)}" if isinstance(values, (list, tuple)) else repr(values)
        raise SetupError(f"{what} must be a list of {count} numbers, not {found}.")
    return [checked_number(value, allowed, f"{what}[{place}]") for place, value in enumerate(values)]


def checked_rows(values: Any, rows: int, count: int, allowed: range, what: str) -> list[list[int]]:
    """Return so many lists of so many integers in a range, or refuse them.

    Raises:
        SetupError: As for ``checked_cards``.
    """
    if not isinstance(values, (list, tuple)) or len(values) != rows:
        found = f"{len(values)}" if isinstance(values, (list, tuple)) else repr(values)
        raise SetupError(f"{what} must be a list of {rows} lists, not {found}.")
    return [checked_cards(row, count, allowed, f"{what}[{place}]") for place, row in enumerate(values)]


def same_words(found: Any, expected: Any) -> bool:
    """Whether words are the expected ones, types and all: to Python 14, 14.0 and, for 1, True are equal.

    Args:
        found: Anything.
        expected: Plain Python values.
    """
    if isinstance(expected, dict):
        return (
            isinstance(found, Mapping)
            and found.keys() == expected.keys()
            and all(same_words(found[key], value) for key, value in expected.items())
        )
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(same_words, found, expected))
    return type(found) is type(expected) and bool(found == expected)
