"""Arranging a crosstab grid in JupyterLab: groups, order, widths, hiding, and a reload."""

from __future__ import annotations

import csv

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import sort_by
from tests.browser.test_grid_taking import sent, take

OPEN = """import audiencelab as al
from audiencelab.survey import demo_survey
client = al.connect(survey=demo_survey(4_000))
gender, age, work = (client.catalogue.audiences(name) for name in ("Gender", "Age", "Work"))
rows = {"Age": age, "Work": work}
grid = al.Crosstab(client, rows=rows, columns=[al.Audience("All"), {"Gender": gender}])
grid.wait()"""

# Without the switch for the form of a question, which only a mouse has.
NAMES = """(grid) => [...grid.querySelectorAll("[role=rowheader]")]
  .filter((name) => !name.closest("[hidden]") && !name.closest(".al-grid-base"))
  .map((name) => [
    name.getBoundingClientRect().top,
    [...name.childNodes].filter((part) => !part.ariaHidden).map((part) => part.textContent).join("")
  ])
  .sort(([a], [b]) => a - b)
  .map(([, text]) => text)"""

SHOWN = "[list(frame) for frame in (grid.to_wide(arranged=True).index.get_level_values(1),)][0]"

STATIC = (
    "__import__('re').findall(r\"<th scope=row [^>]*>([^<]*)<\", "
    "grid._repr_mimebundle_()[0]['text/html'])"
)


def names(grid: Locator) -> list[str]:
    return grid.evaluate(NAMES)


def test_rows_and_columns_stay_arranged_over_a_reload(lab: Lab) -> None:
    page = lab.run("grid-lines", [OPEN, "grid"])
    output = page.cell_output(1)
    grid = output.get_by_role("grid")
    age = page.python("[a.name for a in age]")
    # A group's name says how many rows it has.
    expect(grid.get_by_role("rowheader", name=f"Age: {len(age)} rows", exact=True)).to_be_visible()
    page.becomes(lambda: names(grid)[: len(age) + 1], ["Age", *age])
    expect(grid.get_by_role("columnheader", name="Gender", exact=True)).to_have_attribute(
        "aria-colspan", str(page.python("len(gender)"))
    )

    # Sorted within their head, by one column and then by another.
    sort_by(grid.get_by_role("columnheader", name="Female", exact=True))
    sort = "[level.by for level in grid.arrangement.rows.sort]"
    page.expect_python(sort, page.python("[1 + [g.name for g in gender].index('Female')]"))
    sort_by(grid.get_by_role("columnheader", name="Male", exact=True), add=True)
    page.expect_python(f"len({sort})", 2)
    lines = page.python(SHOWN)
    page.becomes(lambda: names(grid)[: len(age) + 1], ["Age", *lines[: len(age)]])

    # Dragged to the end of its head.
    first, last = lines[0], lines[len(age) - 1]
    grid.get_by_role("rowheader", name=first, exact=True).drag_to(
        grid.get_by_role("rowheader", name=last, exact=True), target_position={"x": 40, "y": 20}
    )
    page.expect_python("len(grid.arrangement.rows.moves)", 1)
    page.becomes(lambda: page.python(SHOWN)[: len(age)], [*lines[1 : len(age)], first])

    # Hidden by a key, folded by a click, wider by a drag.
    grid.get_by_role("rowheader", name=lines[1], exact=True).press("h")
    page.expect_python("len(grid.arrangement.rows.hidden)", 1)
    work = f"Work: {page.python('len(work)')} rows"
    grid.get_by_role("rowheader", name=work, exact=True).click()
    page.expect_python("grid.arrangement.rows.folded", [["Work"]])
    box = grid.get_by_role("columnheader", name="All", exact=True).bounding_box()
    assert box is not None
    edge = box["x"] + box["width"] - 2, box["y"] + 12
    page.page.mouse.move(*edge)
    page.page.mouse.down()
    page.page.mouse.move(edge[0] + 60, edge[1], steps=4)
    page.page.mouse.up()
    page.expect_python("len(grid.arrangement.columns.widths)", 1)
    page.screenshot("grid-lines", of=output)

    shown = page.python(SHOWN)
    page.becomes(lambda: names(grid)[: len(shown) + 2], ["Age", *shown, "Work"])
    seen = names(grid)
    page.wait_idle()

    # A file and the static form have what is on the screen.
    take(output, "CSV, as shown")
    file = lab.folder / sent(page.page)
    saved = csv.reader(file.read_text("utf-8-sig").splitlines())
    audiences = page.python("[a.name for a in (*age, *work)]")
    assert [name for line in saved for name in line[:2] if name in audiences] == shown
    assert [name for name in page.python(STATIC) if name in audiences] == shown
    page.command("docmanager:save")
    page.reload()
    page.run_cell(1)
    grid = page.cell_output(1).get_by_role("grid")
    expect(grid.get_by_role("rowheader", name=work, exact=True)).to_be_visible()
    page.becomes(lambda: names(grid), seen)

    # Found by the keyboard, filtered, and all of it put back.
    grid.get_by_role("gridcell").nth(20).click()
    page.page.keyboard.press("Control+f")
    page.page.keyboard.type(lines[1])
    panel = page.cell_output(1).get_by_role("dialog")
    found = panel.get_by_role("listbox", name="Find a row or column")
    expect(found.get_by_role("option")).to_have_count(1)
    page.page.keyboard.press("Enter")
    page.expect_python("len(grid.arrangement.rows.hidden)", 0)
    panel.get_by_role("button", name="Reset").click()
    page.expect_python("bool(grid.arrangement)", False)
    page.page.keyboard.press("Escape")
    page.becomes(lambda: names(grid)[: len(age) + 1], ["Age", *age])
