"""The documented notebooks as they are committed; `make test-notebooks` runs them.

nbval compares the output of a cell only when the notebook was saved after a run, so a notebook
that was never run would pass whatever it prints. And all of them have one form: what they teach, a
story, exercises with their solutions folded.
"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))
# A notebook is read on pages that refuse a large one, and reviewed as a diff. Pictures take 10 to
# 50 KB each as SVG and as PNG, a widget's static table less than 20, and half of it as text.
BUDGET_BYTES = 400_000
BUDGET_BYTES_WITHOUT_PICTURES = 100_000
# Outputs that differ from run to run, by what they tell; everything else is compared.
NOT_COMPARED = {
    "18-snapshots.ipynb": 1,  # when a snapshot was recorded
    "22-a-million-respondents.ipynb": 4,  # times and memory
}
SOLUTION = "Solution (open the folded cell below)"

pytestmark = pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)


def cells(notebook: Path) -> list[dict[str, Any]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    return [cell for cell in cells(notebook) if cell["cell_type"] == "code"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def words(notebook: Path) -> str:
    """All prose of a notebook."""
    return "\n\n".join(source(cell) for cell in cells(notebook) if cell["cell_type"] == "markdown")


def tags(cell: dict[str, Any]) -> set[str]:
    return set(cell["metadata"].get("tags", []))


def is_folded(cell: dict[str, Any]) -> bool:
    """In JupyterLab, source and outputs, and on a page of the site."""
    hidden = {"source_hidden": True, "outputs_hidden": True}
    return cell["metadata"].get("jupyter") == hidden and "hide-cell" in tags(cell)


def test_was_run_from_top_to_bottom(notebook: Path) -> None:
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1)), "run `make notebooks`"
    assert any(cell["outputs"] for cell in code_cells(notebook))


def test_shows_no_error(notebook: Path) -> None:
    outputs = [output for cell in code_cells(notebook) for output in cell["outputs"]]
    assert [output["evalue"] for output in outputs if output["output_type"] == "error"] == []


def test_is_small(notebook: Path) -> None:
    size = notebook.stat().st_size
    forms = [
        len(json.dumps(content))
        for cell in code_cells(notebook)
        for output in cell["outputs"]
        for kind, content in output.get("data", {}).items()
        if kind in ("image/svg+xml", "image/png", "text/markdown", "text/latex")
    ]
    assert size < BUDGET_BYTES
    assert size - sum(forms) < BUDGET_BYTES_WITHOUT_PICTURES


def test_names_no_folder_of_its_author(notebook: Path) -> None:
    text = notebook.read_text(encoding="utf-8")
    found = re.findall(r"(?<![\w.:/])/(?:home|root|Users|tmp|var|work)/|[A-Z]:\\\\|\bfile://", text)
    assert found == []
    assert str(Path.cwd()) not in text


def test_says_what_it_teaches(notebook: Path) -> None:
    first, *others = re.findall(r"^# .+", words(notebook), re.MULTILINE)
    assert words(notebook).startswith(first)
    assert others == [], "one title"
    _, heading, rest = words(notebook).partition("\n## What you will learn\n\n")
    assert heading
    taught = re.match(r"(?:- .+\n(?:  .+\n)*)+", rest)
    assert taught
    assert 3 <= taught[0].count("- ") <= 7


def test_ends_with_exercises(notebook: Path) -> None:
    assert words(notebook).count("## Exercises\n\n") == 1
    rest = words(notebook).partition("## Exercises\n\n")[2]
    numbers = [int(number) for number in re.findall(r"^### (\d+) \S", rest, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert 3 <= len(numbers) <= 5
    assert re.findall(r"^## .+", rest, re.MULTILINE) == [], "nothing else comes after them"


def test_every_exercise_has_a_solution_that_is_run(notebook: Path) -> None:
    told = [
        (cell, after)
        for cell, after in zip(cells(notebook), cells(notebook)[1:], strict=False)
        if re.search(r"^### \d+ ", source(cell), re.MULTILINE)
    ]
    for number, (exercise, solution) in enumerate(told, start=1):
        assert source(exercise).count("\n### ") <= 1, "one exercise in a cell"
        assert source(exercise).rstrip().splitlines()[-1].startswith(SOLUTION)
        assert solution["cell_type"] == "code"
        assert is_folded(solution)
        # JupyterLab shows the first line of a folded cell.
        assert source(solution).startswith(f"# Solution {number}\n")
        assert solution["outputs"], "a solution shows what comes of it"
    folded = [cell["id"] for cell in code_cells(notebook) if is_folded(cell)]
    assert len(folded) >= len(told)
    assert "<details" not in words(notebook)


def test_only_what_changes_is_not_compared(notebook: Path) -> None:
    skipped = [
        cell
        for cell in code_cells(notebook)
        if "nbval-ignore-output" in tags(cell) or "NBVAL_" in source(cell)
    ]
    assert len(skipped) == NOT_COMPARED.get(notebook.name, 0)
    assert not any("nbval-skip" in tags(cell) for cell in code_cells(notebook))
