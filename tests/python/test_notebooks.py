"""The notebooks of `docs/notebooks`: six, each runs from top to bottom, and what stands in them names no machine."""

from __future__ import annotations

import importlib.util

import pytest

from pages import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NEEDED = ("nbclient", "nbformat", "ipykernel", "matplotlib", "sklearn")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]


def test_there_are_six():
    assert len(NOTEBOOKS) == 6


@pytest.mark.skipif(bool(MISSING), reason=f"the notebooks are NOT run: {', '.join(MISSING)} cannot be had")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_runs(path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(
        notebook, timeout=60, kernel_name="python3", resources={"metadata": {"path": ROOT}}
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", output.get("text")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook_names_no_machine(path):
    text = path.read_text()
    assert "/tmp/" not in text and "/home/" not in text and "/root/" not in text
    assert len(text) < 200_000
    assert '"output_type": "error"' not in text
