"""Protects earlier results: a new folder is one that holds nothing."""

from __future__ import annotations

from pathlib import Path

from agents.folders import new_folder


def test_what_holds_something_is_left_alone(tmp_path: Path) -> None:
    wanted = tmp_path / "runs" / "mine"
    assert new_folder(wanted) == wanted
    assert wanted.is_dir()
    assert new_folder(wanted) == wanted
    (wanted / "result").write_text("")
    (tmp_path / "runs" / "mine-2").write_text("a file")
    assert new_folder(str(wanted)) == tmp_path / "runs" / "mine-3"
