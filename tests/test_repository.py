"""Protects the walls of the repository.

Imports run one way (agents -> a game -> env_core), extras are not imported with an environment, every game has the same
files, every test file says what it protects, no file is large, versions agree, and the wheel holds the packages and
nothing else.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
VERSION = PYPROJECT["project"]["version"]

GAMES = sorted(folder.name for folder in ROOT.glob("*_env") if folder.is_dir())
PACKAGES = ["env_core", *GAMES, "agents"]
OWN_FOLDERS = {*PACKAGES, "benchmarks", "docs", "notebooks", "tests"}

CORE_DEPENDENCIES = {"numpy", "numba", "pettingzoo", "gymnasium"}
EXTRAS = {
    "matplotlib",
    "pygame",
    "rich",
    "sb3_contrib",
    "stable_baselines3",
    "tensorboard",
    "torch",
    "tqdm",
    "typer",
}

GAME_FILES = [
    "options.py",
    "state.py",
    "rules.py",
    "observation.py",
    "hidden.py",
    "kernels.py",
    "moves.py",
    "render.py",
    "README.md",
    "__init__.py",
    "py.typed",
]
LARGEST_FILE = 2 * 1024 * 1024


def source_files(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def faces(game: str) -> list[Path]:
    """The files that a user imports a game from: ``musee_v0.py`` and its later versions."""
    return sorted((ROOT / game).glob(f"{game.removesuffix('_env')}_v[0-9]*.py"))


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def _children(node: ast.AST, at_import_only: bool) -> Iterator[ast.AST]:
    """The nodes under one node; with ``at_import_only`` those that run when the module is imported."""
    if at_import_only and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    if at_import_only and _is_type_checking(node):
        assert isinstance(node, ast.If)
        yield from node.orelse
        return
    yield from ast.iter_child_nodes(node)


def imported_packages(source: str, package: str, at_import_only: bool = False) -> set[str]:
    """The top-level packages that a module of ``package`` imports, anywhere or only when it is itself imported."""
    found: set[str] = set()
    todo: list[ast.AST] = [ast.parse(source)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.add(package if node.level else str(node.module).split(".")[0])
        elif (
            isinstance(node, ast.Call)
            and ast.unparse(node.func) in ("importlib.import_module", "import_module", "__import__")
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            found.add(str(node.args[0].value).split(".")[0])
        todo.extend(_children(node, at_import_only))
    return found


def git_files() -> list[str]:
    """The files that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return sorted({name for name in listed.split("\0") if name and (ROOT / name).is_file()})


@pytest.mark.parametrize(
    ("source", "anywhere", "at_import"),
    [
        ("import a.b, c", {"a", "c"}, {"a", "c"}),
        ("from a.b import c\nfrom . import d", {"a", "own"}, {"a", "own"}),
        ("def f():\n    import a", {"a"}, set()),
        ("class C:\n    import a", {"a"}, {"a"}),
        ("try:\n    import a\nexcept ImportError:\n    import b", {"a", "b"}, {"a", "b"}),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b", {"a", "b"}, {"b"}),
        ("import_module('a.b')", {"a"}, {"a"}),
    ],
)
def test_the_reader_of_imports(source: str, anywhere: set[str], at_import: set[str]) -> None:
    assert imported_packages(source, "own") == anywhere
    assert imported_packages(source, "own", at_import_only=True) == at_import


def test_there_are_packages_to_check() -> None:
    assert "musee_env" in GAMES
    for package in PACKAGES:
        assert source_files(package), f"{package} holds no Python file"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_run_one_way(package: str) -> None:
    allowed = {"env_core": {"env_core"}, "agents": set(PACKAGES)}.get(package, {"env_core", package})
    for path in source_files(package):
        imported = imported_packages(path.read_text(encoding="utf-8"), package) & OWN_FOLDERS
        assert imported <= allowed, f"{path.relative_to(ROOT)} may not import {sorted(imported - allowed)}"


@pytest.mark.parametrize("package", ["env_core", *GAMES])
def test_environments_import_only_core_dependencies(package: str) -> None:
    allowed = sys.stdlib_module_names | CORE_DEPENDENCIES | {"env_core", package}
    for path in source_files(package):
        imported = imported_packages(path.read_text(encoding="utf-8"), package, at_import_only=True)
        assert imported <= allowed, (
            f"{path.relative_to(ROOT)} imports {sorted(imported - allowed)} when it is itself imported; "
            "an extra is imported inside the function that uses it"
        )


@pytest.mark.parametrize("game", GAMES)
def test_importing_a_game_brings_no_extra(game: str) -> None:
    modules = [game, *(f"{game}.{path.stem}" for path in faces(game))]
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    loaded = set(ran.stdout.split())
    assert loaded.issuperset(modules)
    assert not loaded & EXTRAS
    assert not loaded & (set(PACKAGES) - {"env_core", game})


def test_core_dependencies_are_the_declared_ones() -> None:
    declared = PYPROJECT["project"]["dependencies"]
    assert {re.split(r"[^\w-]", requirement)[0] for requirement in declared} == CORE_DEPENDENCIES


@pytest.mark.parametrize("game", GAMES)
def test_a_game_has_the_files_of_the_design(game: str) -> None:
    missing = [name for name in GAME_FILES if not (ROOT / game / name).is_file()]
    assert not missing, f"{game} lacks {missing}"
    assert faces(game), f"{game} lacks {game.removesuffix('_env')}_v0.py"


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests").rglob("test_*.py")), ids=lambda path: str(path.relative_to(ROOT))
)
def test_a_test_file_says_what_it_protects(path: Path) -> None:
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert len(docstring.split()) >= 5, f"{path.relative_to(ROOT)} begins with no docstring that says what it protects"


def test_no_file_is_large() -> None:
    large = {name: size for name in git_files() if (size := (ROOT / name).stat().st_size) > LARGEST_FILE}
    assert not large


def test_versions_agree() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == VERSION
    assert re.search(r"^## \[(\d.*?)\]", changelog, re.MULTILINE)[1] == VERSION


@pytest.mark.slow
def test_the_wheel_holds_the_packages_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("build")
    for name in git_files():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "wheel", "."]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr

    (wheel,) = (tmp_path / "wheel").iterdir()
    assert wheel.name == f"gallery_envs-{VERSION}-py3-none-any.whl"
    metadata = f"gallery_envs-{VERSION}.dist-info"
    held = {name for name in zipfile.ZipFile(wheel).namelist() if not name.startswith(metadata)}
    wanted = {name for name in git_files() if name.split("/")[0] in PACKAGES}
    assert {f"{package}/{name}" for package in PACKAGES for name in ("__init__.py", "py.typed")} <= held
    assert held == wanted
