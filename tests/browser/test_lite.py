"""JupyterLab in a browser alone: the site that `audiencelab lite` writes, from a plain web server.

Runs where `PYODIDE` names a folder of packages compiled for that of `js/node_modules/pyodide`. It
holds no pandas, so cells that make frames and charts of them are left out here.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import Browser, expect

from audiencelab.cli import main
from tests.browser.conftest import (
    CHROMIUM_NAMES,
    PATIENCE,
    SCREENSHOTS,
    WINDOW,
)
from tests.browser.page import NotebookPage, Watch
from tests.browser.ports import free_port
from tests.emscripten import figures
from tests.emscripten.conftest import COMPILED, CORE

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "01-quickstart.ipynb"
LESSON = QUICKSTART.parent / "course" / "lesson-1-samples-and-weights.ipynb"
PUZZLE, TOWN, AGES = 6, 12, 16
"""Places of cells in it, Markdown counted."""
PICKER, EDITOR, GRID, FOLLOW, BENCH = 3, 7, 9, 11, 12
"""Places of cells in the notebook of the site, Markdown counted."""
SHOW_BENCH = 'bench = al.Workbench(client, "Social apps: how often", "Age")\nbench'
UPLOAD = """async (text) => {
  const file = { type: "file", format: "text", content: text };
  await window.jupyterapp.serviceManager.contents.save("people.csv", file);
}"""


def missing() -> str:
    """What these tests need and this machine does not have, or an empty string."""
    if not COMPILED:
        return "PYODIDE names no folder of compiled packages"
    if find_spec("jupyterlite_pyodide_kernel") is None:
        return "JupyterLite is not installed: pip install 'audiencelab[lite]'"
    if not any(map(shutil.which, CHROMIUM_NAMES)) and "AUDIENCELAB_CHROMIUM" not in os.environ:
        return "no Chromium on this machine"
    return ""


pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(missing()), reason=missing())]


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with a snapshot that native Python has recorded, and its figures as JSON."""
    folder = tmp_path_factory.mktemp("contents")
    return folder, json.loads(json.dumps(figures.figures(folder, record=True)))


@pytest.fixture(scope="module")
def address(
    native: tuple[Path, dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of the site: the quickstart as far as it needs no pandas, and a workbench."""
    contents, _ = native
    shutil.copy(figures.__file__, contents)
    shutil.copytree(QUICKSTART.parent / "course", contents / "course")
    notebook = nbformat.read(QUICKSTART, as_version=4)
    notebook.cells[BENCH:] = [nbformat.v4.new_code_cell(SHOW_BENCH)]
    nbformat.write(notebook, contents / QUICKSTART.name)
    runtime, site = (tmp_path_factory.mktemp(name) for name in ("pyodide", "site"))
    for source in (CORE, Path(COMPILED)):
        shutil.copytree(source, runtime, dirs_exist_ok=True)
    assert main(["lite", str(site), "--notebook", str(contents), "--pyodide", str(runtime)]) == 0
    # The tests handle JupyterLab by its commands.
    settings = site / "jupyter-lite.json"
    whole = json.loads(settings.read_text("utf-8"))
    whole["jupyter-config-data"]["exposeAppInBrowser"] = True
    settings.write_text(json.dumps(whole), "utf-8")
    port = free_port()
    serve = ["-m", "http.server", "--directory", str(site), "--bind", "127.0.0.1", str(port)]
    with subprocess.Popen([sys.executable, "-u", *serve], stdout=subprocess.PIPE) as server:
        assert server.stdout
        server.stdout.readline()  # It listens.
        yield f"http://127.0.0.1:{port}"
        server.terminate()


@pytest.fixture(scope="module")
def lite(browser: Browser, address: str) -> Iterator[NotebookPage]:
    """The notebook that the site opens on, run, and watched for requests to other machines."""
    context = browser.new_context(viewport=WINDOW)
    context.set_default_timeout(2 * PATIENCE)
    watch = Watch(context)
    page = NotebookPage(context.new_page(), address, SCREENSHOTS)
    page.load()
    for cell in (1, PICKER, 5, EDITOR, GRID, FOLLOW, BENCH):
        page.run_cell(cell)
    yield page
    context.close()
    assert watch.outside == [], "the site asked another machine"
    assert watch.exceptions == [], "the site threw an exception that nobody caught"


def test_picker_editor_and_crosstab_take_clicks(lite: NotebookPage) -> None:
    page = lite
    picker, editor, grid = (page.cell_output(cell) for cell in (PICKER, EDITOR, GRID))
    expect(grid.get_by_role("grid")).to_contain_text(re.compile(r"\d%"))

    picker.get_by_role("combobox").fill("m7_4")
    # The answer, its question and three groups: the search is over.
    expect(picker.get_by_role("treeitem")).to_have_count(5)
    picker.get_by_role("treeitem").filter(has_text=re.compile("m7_4$")).locator(
        ".al-picker-box"
    ).click()
    page.expect_python("'30 minutes to 1 hour' in picker.to_code()", True)

    editor.get_by_role("button", name="Add condition", exact=True).click()
    dialog = editor.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("gender female")
    dialog.get_by_role("treeitem").filter(has_text=re.compile("q2_2$")).locator(
        ".al-picker-box"
    ).click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    # Heavy viewers under 45 who are women.
    expect(editor.get_by_role("row").filter(has_text="3 conditions")).to_contain_text("1,582")

    grid.get_by_role("gridcell").nth(8).click()
    expect(grid.get_by_role("gridcell").nth(8)).to_be_focused()


def test_an_edit_reaches_python(lite: NotebookPage) -> None:
    lite.expect_python("client.size(viewers.value).sample", 1_582)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_quickstart_looks_well(theme: Any, lite: NotebookPage) -> None:
    page = lite
    page.theme(theme)
    for cell in (PICKER, EDITOR, GRID):
        output = page.cell_output(cell)
        output.scroll_into_view_if_needed()
        expect(output.locator(".al-skeleton")).to_have_count(0)
    page.screenshot(f"lite-quickstart-{theme}")
    assert page.violations() == []


def test_the_workbench_follows_clicks(lite: NotebookPage) -> None:
    page = lite
    bench = page.cell_output(BENCH).locator(".al-workbench")
    expect(bench.get_by_role("grid")).to_contain_text(re.compile(r"\d%"))
    bench.get_by_role("tab", name="Questions").click()
    bench.get_by_role("combobox").first.fill("gender female")
    bench.get_by_role("treeitem").filter(has_text=re.compile("q2_2$")).first.locator(
        ".al-picker-box"
    ).click()
    page.expect_python("'Female' in bench.picker.to_code()", True)
    for theme in ("light", "dark"):
        page.theme(theme)
        bench.scroll_into_view_if_needed()
        expect(bench.locator(".al-skeleton")).to_have_count(0)
        page.screenshot(f"lite-workbench-{theme}")


def test_it_computes_and_replays_what_native_python_does(
    native: tuple[Path, dict[str, Any]], lite: NotebookPage
) -> None:
    _, expected = native
    found = lite.python("__import__('figures').figures('/drive')")
    assert found.pop("replayed") == expected["replayed"]
    assert found == {name: expected[name] for name in found}


@pytest.fixture(scope="module")
def lesson(browser: Browser, address: str) -> Iterator[NotebookPage]:
    """A lesson of the course, as the site has it."""
    context = browser.new_context(viewport=WINDOW)
    context.set_default_timeout(2 * PATIENCE)
    opened = f"{address}/lab/index.html?path=course/{LESSON.name}"
    page = NotebookPage(context.new_page(), opened, SCREENSHOTS)
    page.load()
    yield page
    context.close()


def test_saved_outputs_are_shown_before_a_cell_is_run(lesson: NotebookPage) -> None:
    expect(lesson.cell_output(TOWN)).to_have_text(
        "sample: 3 of 5 respondents = 60% size: 500 of 1000 people = 50%"
    )


@pytest.mark.skipif(
    not any(Path(COMPILED).glob("pandas-*")), reason="the folder of compiled packages has no pandas"
)
def test_a_lesson_of_the_course_runs_whole(lesson: NotebookPage) -> None:
    page = lesson
    page.run_all(seconds=300)
    expect(page.cell_output(PUZZLE)).to_contain_text("35.0% of the people")
    chart = page.cell_output(AGES)
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".audiencelab-chart-plot")).to_contain_text("Interviews are younger")
    page.screenshot("lite-lesson")


def test_uploads_are_files_for_python(lite: NotebookPage) -> None:
    lite.page.evaluate(UPLOAD, "id,sex\n1,Woman\n2,Man\n")
    assert lite.python("open('people.csv').read()") == "id,sex\n1,Woman\n2,Man\n"
