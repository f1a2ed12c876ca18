"""The notebooks among the examples, run from top to bottom in a kernel of their own."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["aqm", "argue", "first-steps"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_they_are_kept_without_what_they_showed(path):
    for cell in read(path).cells:
        assert not cell.get("outputs"), cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_something(path, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    notebook = read(path)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        assert all(output.output_type != "error" for output in cell.outputs)
        last = cell.source.rstrip().splitlines()[-1]
        if "=" not in last.split("(")[0] and not last.startswith(("net.", ")")):
            shown = [
                output for output in cell.outputs if output.output_type in ("execute_result", "display_data", "stream")
            ]
            assert shown, f"{last} shows nothing"


def test_networks_results_and_pictures_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    notebook = read(FOLDER / "first-steps.ipynb")
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()
    kinds = [kind for cell in notebook.cells for output in cell.get("outputs", ()) for kind in output.get("data", ())]
    # The network and the result are pages, the plots are pictures.
    assert kinds.count("text/html") >= 3
    assert "image/png" in kinds or "image/svg+xml" in kinds
