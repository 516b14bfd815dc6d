"""The lessons of the course run whole where Python runs in a browser, with the saved outputs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from audiencelab.charts.specification import VEGA_LITE
from audiencelab.course.distribute import lesson_files
from audiencelab.survey import demo_survey
from tests.emscripten.conftest import HERE, needs_pyodide, run_in_node

pytestmark = needs_pyodide
CALL = (
    "import os; os.chdir('/folder'); os.environ['AUDIENCELAB_CACHE'] = '/folder'; "
    "await run('lesson.ipynb')"
)


def missing(lesson: Any, runtime: Path) -> list[str]:
    """The packages of Pyodide that a lesson uses and the folder of packages does not hold."""
    cells = "\n".join(cell.source for cell in lesson.cells if cell.cell_type == "code")
    used = {"pandas", *re.findall(r"^(?:import|from) (\w+)", cells, re.MULTILINE)}
    known = json.loads((runtime / "pyodide-lock.json").read_text("utf-8"))["packages"]
    return [
        name
        for name in sorted(used & set(known))
        if not (runtime / known[name]["file_name"]).is_file()
    ]


def shown(data: dict[str, Any]) -> str:
    """What is compared of an output: its HTML, or else its text."""
    return data["text/html"] if "text/html" in data else data["text/plain"]


@pytest.mark.parametrize("path", lesson_files(), ids=lambda path: path.stem)
def test_a_lesson_runs_whole(path: Path, runtime: Path, site: Path, tmp_path: Path) -> None:
    lesson = nbformat.read(path, as_version=4)
    if lacking := missing(lesson, runtime):
        pytest.skip(f"the folder of compiled packages has no {', '.join(lacking)}")
    shutil.copy(path, tmp_path / "lesson.ipynb")
    survey = demo_survey().path
    shutil.copytree(survey, tmp_path / survey.name)
    there = json.loads(run_in_node(runtime, site, tmp_path, HERE / "notebooks.py", CALL))

    saved = [cell.outputs for cell in lesson.cells if cell.cell_type == "code"]
    assert [cell["error"] for cell in there] == [None] * len(saved)
    for cell, outputs in zip(there, saved, strict=True):
        displayed = [each.data for each in outputs if "data" in each]
        assert cell["printed"] == "".join(each.text for each in outputs if "text" in each)
        assert list(map(shown, cell["displayed"])) == list(map(shown, displayed))
        # The page draws a chart from its specification.
        charts = ["image/svg+xml" in data for data in displayed]
        assert [VEGA_LITE in data for data in cell["displayed"]] == charts
