"""Compiling the rules with Numba, with an on-disk cache that is never stale.

Numba's own cache notices a change of the file that holds a function, not a change of the files that hold the
functions and constants it uses. Here a function's cache entry is stamped with the source of its file and of every
file that this one imports, directly or not, so that the run after an edit always uses the edit.

The cache lies in ``NUMBA_CACHE_DIR`` if that is set, else beside the source, else (a read-only install) in the
user's cache folder, else in a folder of this user in the system's temporary folder. Where none of them can be
written, functions are compiled anew in each process.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
from numba.core import caching, codegen, config
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types.misc import unliteral

PLAIN_PYTHON: bool = bool(config.DISABLE_JIT)
"""True under ``NUMBA_DISABLE_JIT=1``: the rules then run as plain Python, for a debugger and for coverage."""

FunctionType = TypeVar("FunctionType", bound=Callable[..., Any])

_NOT_FOLLOWED = sys.stdlib_module_names | {"numpy", "numba", "llvmlite"}


@overload
def compiled(function: FunctionType) -> FunctionType: ...


@overload
def compiled(*, allocates: bool) -> Callable[[FunctionType], FunctionType]: ...


def compiled(function: Any = None, *, allocates: bool = False) -> Any:
    """Compile a function of one file of rules, or leave it alone in plain-Python mode.

    The function runs without the interpreter lock, so that threads may share a batch. Integers divide as in C where
    the divisor is 0 (the rules never do that).

    Args:
        function: A module-level function that Numba's nopython mode accepts.
        allocates: The function makes arrays. Without it Numba counts no references, which takes a third off the
            time to compile (``python -m benchmarks compile``).

    Returns:
        The compiled function, or ``function`` itself under ``NUMBA_DISABLE_JIT=1``.
    """
    if function is None:
        return functools.partial(compiled, allocates=allocates)
    if PLAIN_PYTHON:
        return function
    dispatcher = _RulesDispatcher(function, allocates)
    if _cache_folder(function.__code__.co_filename) is not None:
        dispatcher._cache = _SourceStampedCache(function)
    return dispatcher


class _RulesDispatcher(CPUDispatcher):
    """A compiled function that other compiled functions use as a part (``_Part``) and Python calls as a whole."""

    def __init__(self, function: Callable[..., Any], allocates: bool) -> None:
        options = {
            "nopython": True,
            "nogil": True,
            "error_model": "numpy",
            "no_cfunc_wrapper": True,
            "_nrt": allocates,
        }
        super().__init__(function, targetoptions=options)
        self.part = _Part(function, targetoptions={**options, "no_cpython_wrapper": True}, pipeline_class=_PartCompiler)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # Without this there would be a part for each constant that it is called with.
        args = tuple(unliteral(kind) for kind in args)
        return self.part.get_call_template(args, {name: unliteral(kind) for name, kind in kws.items()})

    def get_overload(self, sig: Any) -> Any:
        return self.part.get_overload(sig)


class _Part(CPUDispatcher):
    """A function as others call it: linked into each kernel and optimised there, never by itself.

    Numba would make machine code of every function with all that it calls, again and again up to the kernels: more
    than half of the time to compile (``python -m benchmarks compile``).
    """

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres


class _PartCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        position = [step for step, _ in passes.passes].index(NativeLowering)
        passes.passes[position] = (_PartLowering, "lowering of a part")
        passes.finalize()
        return [passes]


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        library.enable_object_caching()
        state.library = library
        state.flags.no_compile = True
        super().run_pass(state)
        state.cr = state.cr._replace(cfunc=library)
        # Whoever calls it links what it calls too: each library once, however many ways lead to it.
        state.targetctx.insert_user_function(library, state.cr.fndesc, [library, *library._linking_libraries])
        return True


class _PartLibrary(codegen.JITCodeLibrary):
    def finalize(self) -> None:
        self._finalized = True


@functools.cache
def source_stamp(path: str) -> str:
    """Hash a source file together with all files that it imports, directly or not.

    The standard library, NumPy and Numba are left out: their versions are part of Numba's own cache key.

    Args:
        path: A Python source file.

    Returns:
        A hexadecimal SHA-256 digest.
    """
    found: set[str] = set()
    waiting = [path]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            waiting += _digest_and_imports(current)[1]
    digest = hashlib.sha256(numba.__version__.encode())
    for name in sorted(found):
        digest.update(_digest_and_imports(name)[0])
    return digest.hexdigest()


@functools.cache
def _digest_and_imports(path: str) -> tuple[bytes, list[str]]:
    source = Path(path).read_bytes()
    files = []
    for node in _statements(ast.parse(source, filename=path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.ImportFrom) and node.level == 1:
            folder = Path(path).parent
            stems = [node.module] if node.module else [alias.name for alias in node.names]
            files += [str(folder / f"{stem}.py") for stem in stems if (folder / f"{stem}.py").exists()]
            continue
        else:
            continue
        files += [file for name in names if (file := _source_file(name)) is not None]
    return hashlib.sha256(source).digest(), files


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    # An import is a statement; not to look into expressions, as ast.walk does, saves most of the time.
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            waiting += getattr(node, part, ())


@functools.cache
def _source_file(module: str) -> str | None:
    if module.split(".")[0] in _NOT_FOLLOWED:
        return None
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, AttributeError, ValueError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    if Path(spec.origin).name == "__init__.py":
        # A package's __init__ registers environments; following it would tie the rules to the doors.
        return None
    return spec.origin


@functools.cache
def _cache_folder(source_path: str) -> str | None:
    folder = Path(source_path).parent
    name = f"{folder.name}_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    beside = Path(config.CACHE_DIR) / name if config.CACHE_DIR else folder / "__pycache__"
    for candidate in (lambda: beside, lambda: _user_cache() / name, lambda: _temporary_cache() / name):
        try:
            place = candidate()
        except (OSError, RuntimeError):
            # In a container there may be neither a home nor a temporary folder.
            continue
        if _is_writable(place):
            return str(place)
    warnings.warn(
        f"no folder can hold the compiled rules of {folder}; they are compiled anew in each process.", stacklevel=2
    )
    return None


def _user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gallery-envs"


def _temporary_cache() -> Path:
    # The temporary folder is shared: a name of another user's making must not be trusted, so it is made private.
    return Path(tempfile.gettempdir()) / f"gallery-envs-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid() and os.getuid() != 0:
            return os.access(folder, os.W_OK) and folder.name == "__pycache__"
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


class _SourceStampedLocator(caching._CacheLocator):
    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._py_file = path
        self._line_number = function.__code__.co_firstlineno
        self._folder = _cache_folder(path)

    def get_cache_path(self) -> str | None:
        return self._folder

    def get_source_stamp(self) -> str:
        return source_stamp(self._py_file)

    def get_disambiguator(self) -> str:
        return str(self._line_number)

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _SourceStampedLocator:
        return cls(py_func, py_file)


class _SourceStampedCacheImplementation(caching.CompileResultCacheImpl):
    _locator_classes = [_SourceStampedLocator]


class _SourceStampedCache(caching.FunctionCache):
    _impl_class = _SourceStampedCacheImplementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # A damaged or half-written file is no reason to stop: the function is compiled anew and the file replaced.
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            self._discard_damaged_index()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            warnings.warn(f"the compiled rules could not be kept in {self.cache_path}: {error}", stacklevel=2)

    def _discard_damaged_index(self) -> None:
        try:
            self._cache_file.flush()
        except OSError:
            pass
