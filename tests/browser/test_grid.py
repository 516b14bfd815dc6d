"""The crosstab grid in JupyterLab: metrics, sorting, keyboard, copying, scrolling."""

from __future__ import annotations

import csv
import io
import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, sort_by

SETUP = """\
import audiencelab as al
client = al.connect()
women = al.Audience("Women", al.Q("q2").any("q2_2"))
men = al.Audience("Men", al.Q("q2").any("q2_1"))
ages = client.catalogue.audiences("q4")
"""
SMALL = """\
sites = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
grid = al.Crosstab(client, rows=[women, men, *sites], columns=ages)
grid
"""
LARGE = """\
leaves = [
    al.Audience(
        f"{question.name}: {code.name}",
        al.Q(f"{question.namespace_code}.{question.code}").any(code.code),
    )
    for question in client.questions.filter(include={"datapoints": True}).questions
    if question.accessible
    for code in question.datapoints
]
rows = (leaves * 2)[:1000]
columns = [al.Audience(f"{age.name}, {leaf.name}", age.expression & leaf.expression)
           for age in ages[:4] for leaf in leaves[:25]]
grid = al.Crosstab(client, rows=rows, columns=columns)
grid
"""


def open_grid(lab: Lab, name: str, *cells: str) -> tuple[NotebookPage, Locator]:
    """A notebook whose last cell shows a grid, run; the grid once its table is complete."""
    page = lab.run(name, [SETUP, *cells])
    grid = page.cell_output(len(cells)).locator(".al-grid")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false", timeout=120_000)
    return page, grid


def cell(grid: Locator, row: int, column: int) -> Locator:
    """What is drawn at a place, by ARIA indices: the first cell of the table is 3, 4."""
    line = grid.locator(f'[role="row"][aria-rowindex="{row}"]:visible')
    return line.locator(f'[aria-colindex="{column}"]:visible')


def drawn(grid: Locator, column: int, rows: int) -> list[str]:
    return [cell(grid, row, column).inner_text() for row in range(3, 3 + rows)]


def test_a_table_is_switched_sorted_and_copied(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid", SMALL)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    wide = page.python("grid.to_wide('column').to_numpy().tolist()")
    expect(cell(grid, 3, 4)).to_have_text(f"{wide[0][0]:.1f}%")
    page.becomes(lambda: drawn(grid, 5, 4), [f"{line[1]:.1f}%" for line in wide[:4]])
    expect(cell(grid, 3, 1)).to_have_text("Women")
    expect(cell(grid, 2, 3)).to_have_text(f"{page.python('grid.result.base_sample'):,.0f}")
    page.screenshot("grid-light")

    grid.get_by_role("radio", name="Index").click()
    index = page.python("grid.to_wide('index').iloc[0, 0]")
    expect(cell(grid, 3, 4)).to_have_text(f"{index:.1f}")
    page.expect_python("grid.metric", "index")

    sort_by(cell(grid, 1, 4))
    best = page.python("grid.to_wide('index').iloc[:, 0].idxmax()")
    expect(cell(grid, 3, 1)).to_have_text(best)
    expect(cell(grid, 1, 4)).to_have_attribute("aria-sort", "descending")
    page.screenshot("grid-sorted", of=grid)

    grid.get_by_role("button", name="Copy table").click()
    expect(page.cell_output(1)).to_contain_text(re.compile(r"\d+ cells copied"))
    lines = pasted(page)
    copied = {line[0]: [float(field) for field in line[3:]] for line in lines[3:]}
    frame = page.python("{row: line.tolist() for row, line in grid.to_wide('index').iterrows()}")
    assert next(iter(copied)) == best
    assert copied.keys() == frame.keys()
    for row, values in frame.items():
        assert copied[row] == pytest.approx(values, abs=HALF_SHOWN), row
    assert lines[0][3:] == page.python("[column.name for column in ages]")
    assert [float(field) for field in lines[1][3:]] == pytest.approx(
        page.python("grid.result.column_values('column_size').tolist()"), abs=HALF_SHOWN
    )

    grid.get_by_role("button", name="Swap rows and columns").click()
    expect(cell(grid, 3, 1)).to_have_text("16 to 17")
    expect(cell(grid, 3, 4)).to_have_text(f"{max(line[0] for line in frame.values()):.1f}")
    page.screenshot("grid-transposed", of=grid)
    page.theme("dark")
    page.screenshot("grid-dark")


def test_the_keyboard_moves_selects_and_does_not_reach_the_notebook(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-keys", SMALL)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    keyboard = page.page.keyboard
    cell(grid, 3, 4).click()
    keyboard.press("ArrowDown")
    expect(cell(grid, 4, 4)).to_be_focused()
    keyboard.press("Control+End")
    expect(cell(grid, 18, 10)).to_be_focused()
    keyboard.press("Control+Home")
    expect(cell(grid, 1, 1)).to_be_focused()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight"):
        keyboard.press(key)
    expect(cell(grid, 3, 4)).to_be_focused()
    keyboard.press("Shift+ArrowDown")
    keyboard.press("Shift+ArrowRight")
    expect(grid.get_by_role("button", name="Copy 4 cells")).to_be_visible()
    page.screenshot("grid-selection", of=grid)
    keyboard.press("Control+c")
    expect(page.cell_output(1)).to_contain_text("4 cells copied")
    assert [line[0] for line in pasted(page)] == ["Column %", "Women", "Men"]
    chosen = "grid.selection and [audience.name for audience in grid.selection.rows]"
    page.expect_python(chosen, ["Women", "Men"])
    # Lab's own shortcuts (b: new cell, d d: delete) must not hear what is typed in the grid.
    for key in ("b", "d", "d", "a"):
        keyboard.press(key)
    assert page.page.locator(".jp-Notebook .jp-Cell").count() == 2
    keyboard.press("Escape")
    expect(grid.get_by_role("button", name="Copy table")).to_be_visible()
    keyboard.press("Escape")
    expect(grid.locator(":focus")).to_have_count(0)


def test_a_grid_of_a_hundred_thousand_cells_scrolls_to_its_last_cell(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-large", LARGE)
    box = grid.get_by_role("grid")
    expect(box).to_have_attribute("aria-rowcount", "1002")
    expect(box).to_have_attribute("aria-colcount", "103")
    box.evaluate("box => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    last = page.python("[grid.result.values('index')[-1, -1], grid.result.values('size')[-1, -1]]")
    grid.get_by_role("radio", name="Weighted count", exact=True).click()
    expect(cell(grid, 1002, 103)).not_to_be_empty()
    page.screenshot("grid-corner", of=grid)
    cells = grid.get_by_role("gridcell").count()
    assert cells < 1_000, f"{cells} cells in the page"
    assert last[1] >= 0
    box.evaluate("box => box.scrollTo(0, 0)")
    expect(cell(grid, 3, 4)).not_to_be_empty()
    frames = box.evaluate(SCROLL)
    print(f"scroll of 1,000 × 100: {frames}")


def test_loaded_cells_are_usable_while_the_kernel_is_busy(lab: Lab) -> None:
    hold = lab.hold()
    page, grid = open_grid(lab, "grid-busy", LARGE)
    page.command("notebook:insert-cell-below")
    page.page.evaluate(
        "(code) => window.jupyterapp.shell.currentWidget.content.activeCell.model.sharedModel"
        ".setSource(code)",
        hold.code,
    )
    hold.start()
    page.run_cell(2, wait=False)
    expect(page.cell(2)).to_contain_text("[*]")
    grid.get_by_role("radio", name="Count (n)").click()
    expect(cell(grid, 3, 4)).not_to_contain_text(".")
    grid.get_by_role("grid").evaluate("box => box.scrollTo(0, 600)")
    expect(cell(grid, 30, 4)).not_to_be_empty()
    expect(page.cell(2)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()


def test_the_query_is_changed_from_python_and_the_grid_follows(lab: Lab) -> None:
    page, grid = open_grid(lab, "grid-follows", SMALL)
    page.python("setattr(grid, 'rows', [men]) or 1")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-rowcount", "3")
    expect(cell(grid, 3, 1)).to_have_text("Men")
    page.python("setattr(grid, 'rows', [al.Q('q2').any('nobody')]) or 1")
    expect(grid.get_by_role("alert")).to_contain_text("/rows/0/expression")
    page.screenshot("grid-error", of=grid)
    page.python("setattr(grid, 'rows', [women]) or 1")
    expect(cell(grid, 3, 1)).to_have_text("Women")
    expect(grid.get_by_role("alert")).to_have_count(0)


# Scrolls a page at a time for a second and tells how long frames took, in milliseconds.
SCROLL = """async (box) => {
  const times = [];
  let last = performance.now();
  for (let i = 0; i < 60; i++) {
    box.scrollTop += 120;
    box.scrollLeft += 30;
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  times.sort((a, b) => a - b);
  return { p50: times[30], p95: times[57], worst: times[59] };
}"""


HALF_SHOWN = 0.05 + 1e-9
"""How far copied text, of one decimal as shown, may be from the value."""


def pasted(page: NotebookPage) -> list[list[str]]:
    """The clipboard as a spreadsheet would read it, without the lines on what it is of."""
    text = page.page.evaluate("() => navigator.clipboard.readText()")
    lines = list(csv.reader(io.StringIO(text), delimiter="\t"))
    if [] not in lines:  # A part of the table.
        return lines
    assert lines[-1][0].startswith("Source: ")
    return lines[: len(lines) - 1 - lines[::-1].index([])]
