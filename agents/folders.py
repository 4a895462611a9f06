"""Where results go: nothing that an earlier run has left is written over."""

from __future__ import annotations

from itertools import count
from pathlib import Path


def new_folder(wanted: str | Path) -> Path:
    """Make a folder of this name, or, where that holds something already, ``wanted-2``, ``wanted-3`` and so on.

    Returns:
        The folder, which is empty.
    """
    wanted = Path(wanted)
    for number in count(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:  # a file of this name
            continue
        if not any(folder.iterdir()):
            return folder
    raise AssertionError("unreachable")
