"""The documented notebooks as they are committed; `make test-notebooks` runs them.

nbval compares the output of a cell only when the notebook was saved after a run, so a notebook
that was never run would pass whatever it prints.
"""

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
# A notebook is read on pages that refuse a large one, and reviewed as a diff.
BUDGET_BYTES = 600_000

pytestmark = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    document = json.loads(notebook.read_text(encoding="utf-8"))
    return [cell for cell in document["cells"] if cell["cell_type"] == "code"]


def test_was_run_from_top_to_bottom(notebook: Path) -> None:
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"


def test_shows_no_error(notebook: Path) -> None:
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []


def test_is_small(notebook: Path) -> None:
    assert notebook.stat().st_size < BUDGET_BYTES


def test_names_no_folder_of_its_author(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8")
    found = [word for word in ("/home/", "/root/", "/Users/", str(Path.cwd())) if word in text]
    assert found == []
