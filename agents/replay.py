"""A game record read out: its moves in words, the table as it stood, pictures of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.play import phrase, scores_in_words
from env_core.aec import RawEnv
from env_core.errors import RecordError
from env_core.rendering import player_name, save_picture


def course(record: dict[str, Any]) -> Iterator[str]:
    """A line for what was played, one for each step with its number, and one for how it ended.

    Args:
        record: A game record that holds (``env_core.records.check``).
    """
    options = ", ".join(f"{name}={value}" for name, value in record["options"].items())
    dealt = "a given setup" if record["seed"] is None else f"seed {record['seed']}"
    yield f"{record['version']} ({options}), {dealt}"
    for number in range(len(record["steps"]) + 1):
        yield step_in_words(record, number)


def step_in_words(record: dict[str, Any], number: int) -> str:
    """A step of a record in one line: its number, who moves, the move; of what chance decides the kind only.

    The number behind the last step gives how it ended.
    """
    if number == len(record["steps"]):
        return outcome(record)
    step = record["steps"][number]
    if "chance" in step:
        return f"{number:4}  chance    {step['chance'].get('kind', '')}"
    return f"{number:4}  {player_name(step['seat'])}  {phrase(record['game'], step['move'])}"


def outcome(record: dict[str, Any]) -> str:
    """Scores and winners, or that the game was not finished."""
    result = record["result"]
    if result is None:
        return "unfinished"
    return f"scores: {scores_in_words(result['scores'])}; won by {' and '.join(map(player_name, result['winners']))}"


def positions(env_class: type[RawEnv], record: dict[str, Any]) -> Iterator[tuple[int, RawEnv]]:
    """The game before each decision and, last, as it stands at the end, each with the number of the step to come.

    Args:
        env_class: The game's ``raw_env``.
        record: A game record that holds.

    Yields:
        The number and the environment, which may be the one of before, moved on.
    """
    steps = record["steps"]
    env = env_class.from_record(record, 0)
    for number, step in enumerate(steps):
        if "chance" in step:
            continue
        yield number, env
        following = next((later for later in range(number + 1, len(steps)) if "chance" not in steps[later]), len(steps))
        if following == number + 1:
            env.step(step["action"])
        else:
            # Chance decided something: let it come out as the record has it.
            env = env_class.from_record(record, following)
    yield len(steps), env


def position(env_class: type[RawEnv], record: dict[str, Any], number: int) -> RawEnv:
    """The game of a record as it stood before a step.

    Raises:
        RecordError: There is no such step, or it is one of chance, which has no position of its own.
    """
    steps = record["steps"]
    if 0 <= number < len(steps) and "chance" in steps[number]:
        raise RecordError(f"step {number} is what chance decided; it belongs to the decision before it.")
    return env_class.from_record(record, number)


def board(env: RawEnv) -> str:
    """The table as text, as the seat to move sees it; everything when the game is over."""
    seat = env.table.seat.item()
    return env.game.renderer().text(env.table.states[0], seat if seat >= 0 else None)


def save_board(env: RawEnv, number: int, folder: Path) -> Path:
    """Save the table as a picture, ``step_0012.png``, and say where.

    Raises:
        MissingExtraError: pygame-ce is not installed.
    """
    seat = env.table.seat.item()
    path = folder / f"step_{number:04}.png"
    save_picture(env.game.renderer().picture(env.table.states[0], seat if seat >= 0 else None), path)
    return path
