"""Game records: moves into words, playing a record back, reading and writing files.

A record holds enough to play the game again with nothing but the rules: setup, moves, and all that chance decides.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from env_core.errors import IllegalActionError, RecordError, SetupError
from env_core.files import write_whole
from env_core.game import Game, plain
from env_core.states import copied
from env_core.words import checked_keys, same_words

if TYPE_CHECKING:
    from env_core.aec import RawEnv

FORMAT = "gallery-record/1"
KEYS = ("format", "game", "version", "options", "seed", "setup", "steps", "result")
MOVE_KEYS = ("seat", "action", "move")
REWARD_TOLERANCE = 1e-6

_ONE_ROW = np.zeros(1, dtype=np.int64)


def steps_in_words(game: Game, states: np.ndarray, actions: list[int]) -> list[dict[str, Any]]:
    """The record's steps of a run of actions, chance steps included.

    Args:
        game: The game.
        states: Structured array (1,), the state before the first action; left as it stands after the last one.
        actions: Legal actions, in order.
    """
    steps: list[dict[str, Any]] = []
    for action in actions:
        before = copied(states)
        seat = int(before[0]["seat"])
        steps.append({"seat": seat, "action": action, "move": game.moves.describe(before[0], action)})
        game.kernels.advance(states, _ONE_ROW, np.array([action], dtype=np.int64))
        steps += [{"chance": words} for words in game.moves.chance_in_words(before[0], states[0])]
    return steps


def replayed(env_class: type[RawEnv], record: Any, step: int | None) -> RawEnv:
    """The game of a record as it stood before a step; see ``raw_env.from_record``."""
    env = _dealt(env_class, record)
    steps = record["steps"]
    if step is None:
        step = len(steps)
    if isinstance(step, bool) or not isinstance(step, (int, np.integer)):
        raise TypeError(f"step must be an integer, not {step!r}.")
    if not 0 <= step <= len(steps):
        raise RecordError(f"step must be from 0 to {len(steps)}, the number of steps, not {step}.")
    number = 0
    while number < step:
        number = _play_step(env, steps, number, int(step))
    return env


def check(env_class: type[RawEnv], record: Any) -> RawEnv:
    """Play a whole record back and check every step and the result.

    Returns:
        The game as it stands at the end of the record.

    Raises:
        RecordError: The record does not hold; the message names the part or step at fault and why.
    """
    env = replayed(env_class, record, None)
    result = record["result"]
    played = env.record()["result"]
    if result is None:
        if played is not None:
            raise RecordError("result: the game is over, but the record has none.")
        return env
    if played is None:
        raise RecordError("result: the game is not over, but the record has one.")
    _checked_keys(result, tuple(played), "result")
    for key, expected in played.items():
        if not _equal_result(key, result[key], expected):
            raise RecordError(f"result: {key} must be {expected}, not {result[key]!r}.")
    return env


def _equal_result(key: str, found: Any, expected: Any) -> bool:
    if key != "rewards":
        return same_words(found, expected)
    return (
        isinstance(found, list)
        and len(found) == len(expected)
        and all(isinstance(reward, (int, float)) and not isinstance(reward, bool) for reward in found)
        # Compared, not subtracted: an integer of a record may be too large for a float.
        and all(
            other - REWARD_TOLERANCE <= reward <= other + REWARD_TOLERANCE
            for reward, other in zip(found, expected, strict=True)
        )
    )


def _checked_keys(words: Any, keys: tuple[str, ...], what: str, step: int | None = None) -> None:
    try:
        checked_keys(words, keys, what)
    except SetupError as error:
        raise RecordError(str(error), step) from None


def _dealt(env_class: type[RawEnv], record: Any) -> RawEnv:
    game = env_class.game
    _checked_keys(record, KEYS, "record")
    for key, expected in (("format", FORMAT), ("game", game.name), ("version", game.version)):
        if record[key] != expected:
            raise RecordError(f"{key} must be {expected!r}, not {record[key]!r}.")
    if not isinstance(record["steps"], list):
        raise RecordError(f"steps must be a list, not {record['steps']!r}.")
    known = game.options().as_record()
    _checked_keys(record["options"], tuple(known), "options")
    try:
        env = env_class(**record["options"])
    except (OSError, TypeError, ValueError) as error:
        raise RecordError(f"options: {error}") from None
    try:
        env.reset(record["seed"], {"setup": record["setup"]})
    except SetupError as error:
        raise RecordError(f"setup: {error}") from None
    except (TypeError, ValueError) as error:
        raise RecordError(str(error)) from None
    return env


def _play_step(env: RawEnv, steps: list[Any], number: int, end: int) -> int:
    game, table = env.game, env.table
    step = steps[number]
    if isinstance(step, Mapping) and "chance" in step:
        raise RecordError("chance decides nothing here.", number)
    _checked_keys(step, MOVE_KEYS, "the step", number)
    if env._mover is None:
        raise RecordError("the game is over before this step.", number)
    seat, action = step["seat"], step["action"]
    if type(seat) is not int or seat != table.seat.item():
        raise RecordError(f"it is the turn of seat {table.seat.item()}, not {seat!r}.", number)
    before = copied(table.states)
    try:
        words = env.describe(action)
        if not same_words(step["move"], words):
            raise RecordError(f"action {action} is {words}, not {step['move']!r}.", number)
        env._write_up()
        env._play(env._mover, action)
    except IllegalActionError as error:
        raise RecordError(str(error), number) from None
    # The chance steps that follow belong to this action: they say how it came out.
    following = number + 1
    decisions = []
    while following < len(steps) and isinstance(steps[following], Mapping) and "chance" in steps[following]:
        _checked_keys(steps[following], ("chance",), "the step", following)
        if not isinstance(steps[following]["chance"], Mapping):
            raise RecordError(f"chance must be an object, not {steps[following]['chance']!r}.", following)
        decisions.append(steps[following]["chance"])
        following += 1
    try:
        laid_out_anew = game.moves.write_chance(before[0], action, table.states[0], decisions)
    except SetupError as error:
        raise RecordError(str(error), min(number + 1, len(steps) - 1)) from None
    env._steps.append({"seat": seat, "action": action, "move": words})
    env._steps += [{"chance": plain(decision)} for decision in decisions]
    if laid_out_anew:
        game.kernels.lay_out_setups(table.states, _ONE_ROW)
    if decisions:
        env.show_chance()
    env._begin_record(env._steps)
    return following


def save(records: Mapping[str, Any] | Iterable[Mapping[str, Any]], path: str | Path) -> None:
    """Write one record as ``.json``, or many as ``.jsonl``, to a temporary name that is then renamed.

    Raises:
        ValueError: The name ends in neither, or there is not exactly one record for a ``.json``.
        TypeError: Something that is no record.
    """
    path = Path(path)
    given = [records] if isinstance(records, Mapping) else list(records)
    for record in given:
        if not isinstance(record, Mapping):
            raise TypeError(f"a record is an object, not {record!r}.")
    if path.suffix == ".jsonl":
        write_whole(path, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in given))
    elif path.suffix == ".json":
        if len(given) != 1:
            raise ValueError(f"{path.name}: a .json file holds one record, not {len(given)}; use .jsonl for many.")
        write_whole(path, json.dumps(given[0], ensure_ascii=False, indent=1) + "\n")
    else:
        raise ValueError(f"{path.name}: a record file ends in .json or .jsonl.")


def load(path: str | Path) -> list[dict[str, Any]]:
    """Read the records of a ``.json`` or ``.jsonl`` file.

    Raises:
        OSError: The file cannot be read.
        RecordError: It is no such file; the message names the line.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: no text in UTF-8: {error}") from None
    # Strings in JSON may hold what str.splitlines also takes for the end of a line.
    lines = text.split("\n") if path.suffix == ".jsonl" else [text]
    records = []
    for number, line in enumerate(lines, 1):
        if not line.strip() and path.suffix == ".jsonl":
            continue
        try:
            record = json.loads(line, object_pairs_hook=_object)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{path}: line {number}: no JSON: {error}") from None
        if not isinstance(record, dict):
            raise RecordError(f"{path}: line {number}: a record is an object, not {type(record).__name__}.")
        records.append(record)
    if not records:
        raise RecordError(f"{path}: there is no record in this file.")
    return records


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    words = dict(pairs)
    if len(words) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(name for name in names if names.count(name) > 1)!r} stands there twice")
    return words
