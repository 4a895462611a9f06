"""Protects the README: its Python runs, its commands exist, its links lead somewhere, its figures were measured."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

from benchmarks.__main__ import README, README_RUN
from benchmarks.table import BEGIN, END, Run

ROOT = Path(__file__).resolve().parents[1]
TEXT = README.read_text(encoding="utf-8")
EXTRA_OF = {"sb3_contrib": "train", "stable_baselines3": "train", "torch": "train", "agents.train_ppo": "train"}
NEEDED_BY = {"agents.train_ppo": "sb3_contrib"}


def blocks(language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def imported(block: str) -> set[str]:
    """The modules that a block imports, by their full names."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            modules.add(str(node.module))
    return modules


def heading_of(block: str) -> str:
    """The heading under which a block stands."""
    return re.findall(r"^## (.+)$", TEXT[: TEXT.index(block)], re.MULTILINE)[-1]


def commands() -> list[list[str]]:
    """The words of every line of the README that calls ``gallery``."""
    lines = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("gallery ")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_there_is_something_to_run() -> None:
    assert len(blocks("python")) >= 7
    assert len(commands()) >= 5
    doors = ("PettingZoo AEC", "batch", "Gymnasium", "Stable-Baselines3")
    for door in doors:
        assert any(door in heading_of(block) for block in blocks("python")), door


@pytest.mark.parametrize(
    "block", blocks("python"), ids=[f"{number}: {heading_of(block)}" for number, block in enumerate(blocks("python"))]
)
def test_python_of_the_readme_runs(block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in imported(block) & EXTRA_OF.keys():
        if importlib.util.find_spec(NEEDED_BY.get(module, module)) is None:
            pytest.skip(f"needs the extra {EXTRA_OF[module]!r}")
    monkeypatch.chdir(tmp_path)
    exec(compile(block, str(README), "exec"), {"__name__": "__main__"})


def test_the_readmes_own_policies_are_ranked_by_the_readmes_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("typer", reason="needs the extra 'train'")
    from agents.__main__ import main

    (block,) = (block for block in blocks("python") if heading_of(block) == "A policy of your own")
    (words,) = (words for words in commands() if "my_policies:" in " ".join(words))
    (tmp_path / "my_policies.py").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main([*words[:-1], "2"]) == 0
    shown = capsys.readouterr().out
    for name in (word for word in words if word.startswith("my_policies:")):
        assert name[:20] in shown


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_of_the_readme_exist(words: list[str]) -> None:
    typer = pytest.importorskip("typer", reason="needs the extra 'train'")
    from agents.command_line import app

    subcommand = typer.main.get_command(app).commands[words[0]]
    # Parsing refuses unknown options and arguments; nothing is run.
    assert subcommand.make_context(words[0], words[1:]).params is not None


@pytest.mark.parametrize("target", re.findall(r"\]\((?!https?:)([^)#]+)", TEXT))
def test_links_lead_to_files(target: str) -> None:
    assert (ROOT / target).is_file()


@pytest.mark.parametrize("anchor", re.findall(r"\]\(#([^)]+)\)", TEXT))
def test_links_lead_to_headings(anchor: str) -> None:
    assert anchor in [heading.lower().replace(" ", "-") for heading in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)]


def test_make_commands_of_the_readme_exist() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    named = re.findall(r"(?:^|`)make ([a-z]+)", TEXT, re.MULTILINE)
    assert {"demo", "test", "bench"} <= set(named) <= set(targets)


def test_the_speed_table_is_that_of_the_run_that_is_kept() -> None:
    assert f"{BEGIN}\n{Run.load(README_RUN).markdown()}{END}" in TEXT
