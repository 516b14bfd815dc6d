"""Exports of a grid in JupyterLab: clipboard, files, cell details, charts."""

from __future__ import annotations

import csv
import io

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Lab
from tests.browser.page import resize
from tests.browser.test_grid import HALF_SHOWN, SETUP, cell, open_grid, pasted

GRID = """\
sites = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
grid = al.Crosstab(client, rows=sites, columns=[women, men, *ages],
                       metrics=["index", "column_percentage"])
grid
"""
CHART = "chart = grid.linked_chart(); chart"


def take(grid: Locator, item: str) -> None:
    """Press an item of the menu *Send*."""
    grid.get_by_role("button", name="Send").click()
    grid.page.get_by_role("menuitem", name=item).click()


def sent(page: Page) -> str:
    """The name of the file that was written beside the notebook."""
    placed = page.locator(".al-delivered bdi")
    # The first chart of a kernel imports what draws it.
    placed.wait_for(timeout=180_000)
    return placed.inner_text()


def test_pasted_and_saved_tables_equal_the_frame(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-taking", GRID)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid.get_by_role("button", name="Copy table").click()
    expect(page.cell_output(1)).to_contain_text("cells copied")
    lines = pasted(page)
    end = lines.index([])
    for block, metric in ((lines[:end], "index"), (lines[end + 1 :], "column_percentage")):
        cells = [[float(field) for field in line[3:]] for line in block[3:]]
        frame = page.python(f"grid.to_wide({metric!r}).to_numpy().tolist()")
        assert cells == [pytest.approx(line, abs=HALF_SHOWN) for line in frame], metric
        assert [line[0] for line in block[3:]] == page.python("[row.name for row in sites]")
    # A spreadsheet takes the table of HTML beside the text: the same names, in full precision.
    rows = page.page.evaluate(
        """async () => {
          const [item] = await navigator.clipboard.read();
          const html = await (await item.getType("text/html")).text();
          const parsed = new DOMParser().parseFromString(html, "text/html");
          return [...parsed.querySelectorAll("tr")].map((row) =>
            [...row.querySelectorAll("td")].map((field) => field.textContent));
        }"""
    )
    rows = rows[: rows.index([""])]
    assert [line[0] for line in rows] == [line[0] for line in lines if line]
    for block, metric in ((rows[:end], "index"), (rows[end:], "column_percentage")):
        cells = [[float(field) for field in line[3:]] for line in block[3:]]
        frame = page.python(f"grid.to_wide({metric!r}).to_numpy().tolist()")
        assert cells == [pytest.approx(line, rel=1e-12) for line in frame], metric

    saved = {}
    for item in ("Workbook", "CSV, as shown", "Image (SVG)"):
        take(grid, item)
        name = sent(page.page)
        saved[name] = (lab.folder / name).read_bytes()
    assert list(saved) == [f"14-rows-by-9-columns{end}" for end in (".xlsx", ".csv", ".svg")]
    workbook, text, picture = saved.values()
    # It is saved by the browser as well.
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Download").click()
    assert download.value.path().read_bytes() == picture
    # The same figures give the same bytes, whoever writes them.
    written = "[grid.to_excel(b := __import__('io').BytesIO()), list(b.getvalue())][1]"
    assert list(workbook) == page.python(written)
    assert list(csv.reader(io.StringIO(text.decode("utf-8-sig"), newline="")))[3][3:] == [
        str(value) for value in page.python("grid.to_wide('index').iloc[0].tolist()")
    ]
    assert picture.startswith(b"<svg")


def test_the_menu_copies_markdown_and_code_of_a_selection(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-taking-menu", GRID)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    cell(grid, 3, 4).click()
    for key in ("Shift+ArrowDown", "Shift+ArrowRight"):
        page.page.keyboard.press(key)
    grid.get_by_role("button", name="Send").click()
    page.screenshot("grid-taking-menu")
    assert page.violations() == []
    page.page.keyboard.press("Escape")
    take(grid, "Copy as Python")
    expect(page.cell_output(1)).to_contain_text("Python copied")
    code = page.page.evaluate("navigator.clipboard.readText()")
    counted = page.python(f"[exec({code!r}, globals()), table.values('size').tolist()][1]")
    assert counted == page.python("grid.to_wide('size').iloc[:2, :2].to_numpy().tolist()")
    take(grid, "Copy as Markdown")
    expect(page.cell_output(1)).to_contain_text("4 cells copied")
    table = page.page.evaluate("navigator.clipboard.readText()").split("\n")
    assert table[0].startswith("**Index · Base: all respondents")
    assert table[4].startswith("| Loopa | ")


def test_the_details_of_a_cell_are_shown(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-cell", GRID)
    # As high as all of it, for the pictures.
    resize(page.page, 1600, 1400)
    cell(grid, 4, 5).dblclick()
    panel = grid.get_by_role("region", name="Clipstream × Men")
    shown = page.python(
        "__import__('msgspec').to_builtins(grid.drill('Clipstream', 'Men').to_page())"
    )
    expect(panel).to_contain_text(shown["test"])
    for formula in shown["formulas"]:
        expect(panel).to_contain_text(formula["written"])
    assert page.violations() == []
    page.screenshot("grid-cell-light", of=grid)
    page.page.keyboard.press("ArrowUp")
    expect(grid.get_by_role("region", name="Loopa × Men")).to_be_visible()
    expect(cell(grid, 3, 5)).to_be_focused()
    page.theme("dark")
    assert page.violations() == []
    page.screenshot("grid-cell-dark", of=grid)
    resize(page.page, 960, 1600)
    page.screenshot("grid-cell-narrow", of=grid)
    # Whoever narrows the window keeps the keyboard.
    expect(cell(grid, 3, 5)).to_be_focused()
    page.page.keyboard.press("Escape")
    expect(grid.get_by_role("region", name="Loopa × Men")).to_have_count(0)
    expect(cell(grid, 3, 5)).to_be_focused()


def test_a_linked_chart_follows_the_selection_and_the_theme(lab: Lab) -> None:
    page = lab.run("grid-chart", [SETUP, GRID, CHART])
    grid = page.cell_output(1).locator(".al-grid")
    chart = page.cell_output(2).get_by_role("img")
    expect(chart).to_be_visible(timeout=180_000)
    cell(grid, 3, 4).click()
    for key in ("Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowRight"):
        page.page.keyboard.press(key)
    # On the way to this selection there were others, and charts of them.
    expect(chart).not_to_contain_text("Birdcall", timeout=180_000)
    for name in ("Loopa", "Hearthside"):
        expect(chart).to_contain_text(name)
    ground = chart.locator("svg").first
    expect(ground).to_have_css("background-color", "rgb(255, 255, 255)")
    page.screenshot("grid-chart-light", of=page.cell_output(2))
    page.theme("dark")
    expect(ground).to_have_css("background-color", "rgb(17, 17, 17)", timeout=180_000)
    page.screenshot("grid-chart-dark", of=page.cell_output(2))
    assert page.violations() == []
