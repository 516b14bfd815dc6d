"""The widgets in marimo: rendering, interaction, and their values in Python."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.browser.conftest import SCREENSHOTS
from tests.browser.page import AXE, Watch, sort_by
from tests.browser.ports import free_port

pytest.importorskip("marimo")

START_SECONDS = 120
# marimo answers widgets between cells only, and a busy machine takes its time for all of them.
PATIENCE = 240_000

APP = """
import marimo

app = marimo.App()

@app.cell
def _():
    import marimo as mo
    import audiencelab as al
    client = al.connect()
    heard, hear = mo.state("")
    return al, client, hear, heard, mo

@app.cell
def _(al, client, mo):
    picker = mo.ui.anywidget(al.QuestionPicker(client))
    picker
    return (picker,)

@app.cell
def _(mo, picker):
    mo.md(f"picked: `{picker.widget.to_code()}`")
    return

@app.cell
def _(al, client, hear):
    editor = al.AudienceEditor(client, al.Q("q4").any("q4_2"))
    editor.observe(lambda _: hear(editor.to_code()), "value")
    editor
    return (editor,)

@app.cell
def _(al, client):
    brands, ages = (client.catalogue.audiences(name) for name in ("Finding brands", "Age"))
    grid = al.Crosstab(client, rows=brands, columns=ages * 12, metric="index")
    grid
    return ages, brands, grid

@app.cell
def _(al, client):
    bench = al.Workbench(client)
    bench
    return (bench,)

@app.cell
def _(heard, mo):
    mo.md(f"heard: `{heard()}`")
    return

@app.cell
def _(ages, brands, client):
    result = client.crosstab(rows=brands, columns=ages)
    result
    return (result,)

@app.cell
def _(al, result):
    al.charts.heatmap(result)
    return

if __name__ == "__main__":
    app.run()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A marimo server with one app."""
    folder = tmp_path_factory.mktemp("marimo")
    (folder / "app.py").write_text(APP, encoding="utf-8")
    port = free_port()
    log = folder / "log.txt"
    with log.open("wb") as written:
        command = ["marimo", "run", "app.py", "--headless", "--no-token", "--host", "127.0.0.1"]
        server = subprocess.Popen(
            [sys.executable, "-m", *command, "--port", str(port)],
            cwd=folder,
            stdout=written,
            stderr=subprocess.STDOUT,
        )
    try:
        _wait(f"http://127.0.0.1:{port}", server, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(timeout=15)


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            httpx.get(f"{address}/health").raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"marimo did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The app of a second visitor, while the first is there; each loaded it twice."""
    contexts = [browser.new_context(viewport={"width": 1300, "height": 900}) for _ in range(2)]
    watches = [Watch(context) for context in contexts]
    first, second = (visit(context, address) for context in contexts)
    expect_drawn(first)
    yield second
    second.screenshot(path=SCREENSHOTS / "marimo.png", full_page=True)
    for context, watch in zip(contexts, watches, strict=True):
        context.close()
        assert watch.exceptions == []


def visit(context: BrowserContext, address: str) -> Page:
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.goto(address)
    expect_drawn(page)
    page.reload()
    expect_drawn(page)
    return page


def expect_drawn(page: Page) -> None:
    """The picker is there as soon as the cells before it have run; the workbench is the last."""
    drawn = widget(page, "Question picker").get_by_role("treeitem").first
    expect(drawn).to_be_visible(timeout=PATIENCE)
    tabs = page.get_by_role("group", name="Workbench", exact=True).get_by_role("tab")
    expect(tabs.first).to_be_visible(timeout=PATIENCE)


def widget(page: Page, name: str) -> Locator:
    """By its accessible name; each stands in a shadow root of marimo's. The workbench is last."""
    return page.get_by_role("group", name=name, exact=True).first


def told(page: Page, code: str) -> Locator:
    """What a cell says that Python was told; the widgets' own code stands elsewhere."""
    return page.locator(".markdown code").filter(has_text=code)


def test_a_question_is_picked(page: Page) -> None:
    picker = widget(page, "Question picker")
    picker.get_by_role("combobox").fill("short video")
    picker.get_by_role("treeitem").filter(has_text="Short video a day").locator(
        ".al-picker-box"
    ).click()
    expect(told(page, "client['Short video a day'].isin(")).to_be_visible()


def test_an_audience_is_edited(page: Page) -> None:
    editor = widget(page, "Audience editor")
    expect(editor).to_contain_text("71,638,648")
    editor.get_by_role("textbox").first.fill("Young")
    expect(told(page, ".named('Young')")).to_be_visible()


def test_a_grid_scrolls_and_sorts(page: Page) -> None:
    grid = widget(page, "Crosstab")
    table = grid.get_by_role("grid")
    expect(table).to_have_attribute("aria-busy", "false")
    expect(table).to_have_attribute("aria-colcount", "87")
    grid.get_by_role("gridcell", name="120.4").first.click()
    page.keyboard.press("Control+End")
    expect(grid.locator('[aria-colindex="87"]:visible').last).to_have_text("167.8")
    head = grid.locator('[aria-rowindex="1"] [aria-colindex="87"]:visible')
    sort_by(head)
    expect(head).to_have_attribute("aria-sort", "descending")


def test_the_panes_of_a_workbench_work_together(page: Page) -> None:
    bench = page.get_by_role("group", name="Workbench", exact=True)
    bench.get_by_role("tab", name="Questions").click()
    bench.get_by_role("combobox").first.fill("kind of place")
    bench.get_by_role("treeitem").filter(has_text="Kind of place").last.locator(
        ".al-picker-box"
    ).click()
    bench.get_by_role("button", name="Add to rows").click()
    expect(bench).to_contain_text("4 rows added")
    bench.get_by_role("tab", name="Table").click()
    # Python has counted them for the table.
    expect(bench.get_by_role("grid", name="Crosstab of 4 rows and 1 column")).to_be_visible()


def test_results_and_charts_are_shown(page: Page) -> None:
    expect(page.locator("table").filter(has_text="Word of mouth").last).to_be_visible()
    expect(page.locator("svg, canvas").filter(visible=True).last).to_be_visible()


def test_axe_finds_no_violations_in_the_widgets(page: Page) -> None:
    page.add_script_tag(path=AXE)
    # Two tables stand in this page, and both have a line below that is called alike.
    found = page.evaluate(
        """async () => {
          const rules = { "landmark-unique": { enabled: false } };
          return (await axe.run("marimo-anywidget", { rules })).violations;
        }"""
    )
    assert [each["id"] for each in found] == []
