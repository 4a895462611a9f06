"""Protects the cache of compiled rules: never stale, never in the way.

An edit in any file of the rules counts in the very next process; a read-only install, several processes at once, a
damaged cache and a forked worker all give right answers. Tiny rules in a package of their own stand for a game's.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from env_core import compile as compiling
from env_core.compile import source_stamp

CONSTANTS = "FACTOR = 3\n"
RULES = """\
from env_core.compile import compiled
from tiny_env.constants import FACTOR

@compiled
def scaled(number):
    return number * FACTOR
"""
KERNELS = """\
from env_core.compile import compiled
from tiny_env.rules import scaled

@compiled
def total(count):
    sum = 0
    for number in range(count):
        sum += scaled(number)
    return sum
"""
PROGRAM = """\
from tiny_env import kernels
print(kernels.total(5), sum(kernels.total.stats.cache_hits.values()))
"""


@pytest.fixture
def tiny(tmp_path):
    package = tmp_path / "tiny_env"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "constants.py").write_text(CONSTANTS)
    (package / "rules.py").write_text(RULES)
    (package / "kernels.py").write_text(KERNELS)
    return package


def started(package: Path, program: str = PROGRAM, **variables: str) -> subprocess.Popen[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT")}
    root = str(Path(compiling.__file__).parents[1])
    environment = {**kept, "PYTHONPATH": os.pathsep.join((str(package.parent), root)), **variables}
    return subprocess.Popen(
        [sys.executable, "-B", "-c", program],
        env=environment,
        cwd=package.parent,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def answer(process: subprocess.Popen[str]) -> tuple[int, int]:
    """What the program printed: the total, and how often the cache was hit."""
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "Warning" not in errors, errors
    total, hits = output.split()
    return int(total), int(hits)


def cache_files(folder: Path) -> list[Path]:
    return sorted([*folder.rglob("*.nbi"), *folder.rglob("*.nbc")])


def edited(path: Path, old: str, new: str) -> None:
    """Change a file and nothing that a clock could tell: same size, same time."""
    before = path.stat()
    text = path.read_text()
    assert old in text
    assert len(old) == len(new)
    path.write_text(text.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_an_edit_in_any_file_counts_in_the_very_next_process(tiny):
    assert answer(started(tiny)) == (30, 0)
    assert answer(started(tiny)) == (30, 1), "the cache is used"
    edited(tiny / "constants.py", "3", "4")
    assert answer(started(tiny)) == (40, 0), "a constant two files away"
    assert answer(started(tiny)) == (40, 1)
    edited(tiny / "rules.py", "number * FACTOR", "number + FACTOR")
    assert answer(started(tiny)) == (30, 0), "a function of another file"
    edited(tiny / "kernels.py", "sum += ", "sum -= ")
    assert answer(started(tiny)) == (-30, 0), "the file itself"
    assert answer(started(tiny)) == (-30, 1)


def test_what_a_kernel_calls_is_compiled_into_it_and_by_itself_only_when_python_calls_it(tiny):
    assert answer(started(tiny)) == (30, 0)
    compiled_alone = {path.name.split("-")[0] for path in cache_files(tiny)}
    assert compiled_alone == {"kernels.total"}
    program = "from tiny_env.rules import scaled\nprint(scaled(5), sum(scaled.stats.cache_hits.values()))"
    assert answer(started(tiny, program)) == (15, 0)
    assert answer(started(tiny, program)) == (15, 1)
    assert answer(started(tiny)) == (30, 1)


def test_a_part_is_compiled_once_for_all_constants_it_is_called_with(tiny):
    (tiny / "kernels.py").write_text(KERNELS.replace("sum = 0", "sum = scaled(1) - scaled(2) + scaled(number=1)"))
    program = PROGRAM.replace("sum(kernels.total.stats.cache_hits.values())", "len(kernels.scaled.part.overloads)")
    assert answer(started(tiny, program)) == (30, 1)


def test_moving_the_package_loses_nothing_but_time(tiny):
    assert answer(started(tiny)) == (30, 0)
    moved = tiny.parent / "elsewhere" / "tiny_env"
    moved.parent.mkdir()
    shutil.move(tiny, moved)
    assert answer(started(moved))[0] == 30
    assert answer(started(moved)) == (30, 1)


@pytest.mark.parametrize(("kind", "damage"), [("nbi", b"nonsense"), ("nbi", b""), ("nbc", b"\x80\x04.")])
def test_a_damaged_cache_is_replaced(tiny, kind, damage):
    answer(started(tiny))
    files = [path for path in cache_files(tiny) if path.suffix == f".{kind}"]
    assert files
    for path in files:
        path.write_bytes(damage)
    assert answer(started(tiny))[0] == 30
    assert answer(started(tiny)) == (30, 1), "the damage is mended for the next process"


def test_a_cut_off_cache_file_is_replaced(tiny):
    answer(started(tiny))
    for path in cache_files(tiny):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert answer(started(tiny))[0] == 30
    assert answer(started(tiny)) == (30, 1)


def test_several_processes_starting_at_once_share_the_cache(tiny):
    processes = [started(tiny) for _ in range(4)]
    assert {answer(process)[0] for process in processes} == {30}
    assert answer(started(tiny)) == (30, 1)
    assert not list(tiny.rglob("*.tmp*")), "no half-written file stays behind"


def test_a_given_cache_folder_is_used(tiny, tmp_path):
    folder = tmp_path / "cache"
    assert answer(started(tiny, NUMBA_CACHE_DIR=str(folder))) == (30, 0)
    assert answer(started(tiny, NUMBA_CACHE_DIR=str(folder))) == (30, 1)
    assert cache_files(folder)
    assert not cache_files(tiny)


READ_ONLY = """\
import os
from pathlib import Path
import tempfile
really_made = tempfile.TemporaryFile
refused = {refused!r}
def made(*arguments, dir=None, **keywords):
    if any(str(dir).startswith(folder) for folder in refused):
        raise PermissionError("read-only")
    return really_made(*arguments, dir=dir, **keywords)
tempfile.TemporaryFile = made
"""


def test_a_read_only_install_keeps_its_cache_in_the_users_folder(tiny, tmp_path):
    home = tmp_path / "home"
    program = READ_ONLY.format(refused=[str(tiny)]) + PROGRAM
    assert answer(started(tiny, program, XDG_CACHE_HOME=str(home))) == (30, 0)
    assert answer(started(tiny, program, XDG_CACHE_HOME=str(home))) == (30, 1)
    assert cache_files(home / "gallery-envs")
    assert not cache_files(tiny)
    edited(tiny / "constants.py", "3", "5")
    assert answer(started(tiny, program, XDG_CACHE_HOME=str(home))) == (50, 0), "never stale there either"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_folder_really_is_one(tiny, tmp_path):
    tiny.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert answer(started(tiny, XDG_CACHE_HOME=str(tmp_path / "home"))) == (30, 0)
        assert answer(started(tiny, XDG_CACHE_HOME=str(tmp_path / "home"))) == (30, 1)
    finally:
        tiny.chmod(stat.S_IRWXU)


def test_without_any_folder_the_rules_are_compiled_in_each_process_with_a_warning(tiny, tmp_path):
    program = READ_ONLY.format(refused=[str(tmp_path)]) + PROGRAM
    variables = {"XDG_CACHE_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    for _ in range(2):
        process = started(tiny, program, **variables)
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        assert output.split() == ["30", "0"]
        assert "compiled anew in each process" in errors
    assert not cache_files(tmp_path)


@pytest.mark.parametrize("missing", ["home", "temporary", "both"])
def test_without_home_or_temporary_folder_the_cache_lies_beside_the_source(tiny, missing):
    program = """\
import os, pwd, tempfile
from pathlib import Path
def nowhere(*arguments):
    raise {error}
"""
    if missing in ("home", "both"):
        program += "os.environ.pop('HOME', None); os.environ.pop('XDG_CACHE_HOME', None); Path.home = nowhere\n"
    if missing in ("temporary", "both"):
        program += "tempfile.gettempdir = nowhere\n"
    program = program.format(error="FileNotFoundError" if missing == "temporary" else "RuntimeError") + PROGRAM
    assert answer(started(tiny, program)) == (30, 0)
    assert answer(started(tiny, program)) == (30, 1)


def test_a_forked_worker_uses_what_its_parent_compiled(tiny):
    program = (
        PROGRAM.replace("print", "first = ")
        + """
import os, sys
child = os.fork()
if child == 0:
    os._exit(0 if kernels.total(6) == 45 else 1)
_, status = os.waitpid(child, 0)
print(kernels.total(5), os.waitstatus_to_exitcode(status))
"""
    )
    assert answer(started(tiny, program)) == (30, 0)


def test_plain_python_needs_no_cache(tiny):
    program = "from tiny_env import kernels; print(kernels.total(5), int(hasattr(kernels.total, 'stats')))"
    assert answer(started(tiny, program, NUMBA_DISABLE_JIT="1")) == (30, 0)
    assert not cache_files(tiny)


def test_threads_do_not_survive_a_fork_but_games_do():
    """A worker forked while a batch with threads lives plays on with threads of its own."""
    program = """
import os
from musee_env import musee_v0
batch = musee_v0.batch_env(64, threads=2)
batch.reset(seed=1)
batch.step(batch.sample_legal(1))
child = os.fork()
expected = batch.copy()
expected.threads = 1
expected.step(expected.sample_legal(2))
batch.step(batch.sample_legal(2))
right = batch.states.tobytes() == expected.states.tobytes()
if child == 0:
    os._exit(0 if right else 1)
_, status = os.waitpid(child, 0)
print(int(right), os.waitstatus_to_exitcode(status))
"""
    ran = subprocess.run([sys.executable, "-c", program], text=True, capture_output=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["1", "0"]


def test_the_stamp_follows_imports_of_every_form(tmp_path, monkeypatch):
    package = tmp_path / "stamped_env"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for name in "abcd":
        (package / f"{name}.py").write_text("X = 1\n")
    (package / "b.py").write_text("from stamped_env import c\n")
    (package / "main.py").write_text(
        "import numpy\nimport stamped_env.a\nfrom stamped_env.b import c\nfrom . import d\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def stamp():
        source_stamp.cache_clear()
        compiling._digest_and_imports.cache_clear()
        return source_stamp(str(package / "main.py"))

    seen = {stamp()}
    for name in "abcd":
        (package / f"{name}.py").write_text((package / f"{name}.py").read_text() + "Y = 2\n")
        seen.add(stamp())
    assert len(seen) == 5
    assert stamp() in seen, "nothing has changed, nor has the stamp"


def test_the_rules_of_musee_are_stamped_with_all_they_use():
    import musee_env

    folder = Path(musee_env.__file__).parent
    followed = set()
    waiting = [str(folder / "kernels.py")]
    while waiting:
        current = waiting.pop()
        if current not in followed:
            followed.add(current)
            waiting += compiling._digest_and_imports(current)[1]
    names = {Path(path).name for path in followed}
    assert names >= {"kernels.py", "rules.py", "hidden.py", "observation.py", "state.py", "random.py", "rewards.py"}
