"""Protects how a record is read out: each step once, in words, and the table as it stood."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.games import face_of
from agents.play import phrase
from agents.replay import board, course, outcome, position, positions
from env_core import play
from env_core.errors import RecordError
from env_core.policies import RandomPolicy
from musee_env import musee_v0


def with_chance() -> tuple[Any, dict[str, Any]]:
    """A face and a record in which chance decides something: a match deals its next game."""
    record = play(musee_v0.raw_env(games_to_win=2), RandomPolicy(), seed=3)
    assert any("chance" in step for step in record["steps"])
    return musee_v0, record


@pytest.mark.parametrize("game", ["musee", "masters"])
def test_the_course_has_every_step_and_the_end(game: str) -> None:
    record = play(face_of(game).raw_env(), RandomPolicy(), seed=1)
    first, *moves, last = course(record)
    assert f"{game}_v0" in first
    assert "seed 1" in first
    for number, (line, step) in enumerate(zip(moves, record["steps"], strict=True)):
        assert line.split() == [str(number), f"player_{step['seat']}", *phrase(game, step["move"]).split()]
    for seat, score in enumerate(record["result"]["scores"]):
        assert f"player_{seat} {score}" in last
    assert last.endswith("won by " + " and ".join(f"player_{seat}" for seat in record["result"]["winners"]))
    assert outcome({**record, "result": None}) == "unfinished"


def test_positions_are_those_of_the_record() -> None:
    face, record = with_chance()
    seen = []
    for number, env in positions(face.raw_env, record):
        expected = face.raw_env.from_record(record, number)
        assert np.array_equal(env.state(), expected.state())
        assert board(env) == board(expected)
        seen.append(number)
    decisions = [number for number, step in enumerate(record["steps"]) if "chance" not in step]
    assert seen == [*decisions, len(record["steps"])]


def test_chance_has_no_position_of_its_own() -> None:
    face, record = with_chance()
    number = next(number for number, step in enumerate(record["steps"]) if "chance" in step)
    assert f"{number:4}  chance" in "\n".join(course(record))
    with pytest.raises(RecordError, match=f"step {number} is what chance decided"):
        position(face.raw_env, record, number)
    for wrong in (-1, len(record["steps"]) + 1):
        with pytest.raises(RecordError, match="step must be from 0 to"):
            position(face.raw_env, record, wrong)
    assert position(face.raw_env, record, number - 1).table.seat.item() == record["steps"][number - 1]["seat"]
