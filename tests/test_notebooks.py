"""Protects the notebooks: each runs from a clean kernel, draws what it should, and is kept without outputs."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))
LARGEST_BYTES = 200_000
NEEDED = {
    "nbclient": "notebooks",
    "nbformat": "notebooks",
    "ipykernel": "notebooks",
    "sb3_contrib": "train",
    "matplotlib": "train",
    "pygame": "render",
}
SHORT_TRAINING = {"QUICKSTART_STEPS": "8192", "OMP_NUM_THREADS": "1"}
SECONDS_PER_CELL = 120
PICTURES = {"quickstart.ipynb": 6}
"""How many pictures each notebook draws, at least."""


def outputs_of(notebook: Any) -> list[Any]:
    return [output for cell in notebook["cells"] if cell["cell_type"] == "code" for output in cell["outputs"]]


def test_every_notebook_is_listed() -> None:
    assert [path.name for path in NOTEBOOKS] == sorted(PICTURES)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_is_kept_small_and_without_outputs(path: Path) -> None:
    assert path.stat().st_size < LARGEST_BYTES
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert outputs_of(notebook) == []
    assert all(cell["execution_count"] is None for cell in notebook["cells"] if cell["cell_type"] == "code")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_from_a_clean_kernel(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, extra in NEEDED.items():
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"needs {module} (extra {extra!r})")
    import nbclient
    import nbformat

    for name, value in SHORT_TRAINING.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=SECONDS_PER_CELL, kernel_name="python3", resources=resources).execute()
    outputs = outputs_of(notebook)
    assert not [output for output in outputs if output["output_type"] == "error"]
    assert sum("image/png" in output.get("data", {}) for output in outputs) >= PICTURES[path.name]
    warnings = [output["text"] for output in outputs if output.get("name") == "stderr"]
    assert not warnings
    assert list(tmp_path.rglob("policy.zip"))
