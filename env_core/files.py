"""Writing files whole: to a temporary name in the same folder, then renamed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary name to write to; the file takes its place when the block ends, or nothing has changed.

    Args:
        path: The file to write; its folder is made when missing.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    # The ending is kept: many a library chooses its format by it.
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: str | Path, text: str) -> None:
    """Write a text file whole, in UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
