"""A table of 600,000 cells over a real survey of 24,762 respondents, in a real JupyterLab.

Half of it comes at once and the rest when the test says so: what is seen in between does not
hang on how quick a machine is.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from audiencelab.survey import Survey
from tests.browser.conftest import Hold, Lab
from tests.browser.page import NotebookPage, sort_by
from tests.browser.test_grid import HALF_SHOWN, SCROLL, cell, pasted

ROWS, COLUMNS = 2_000, 300
FEWER = 400
# Base row, name and the two bases come before the first cell.
LAST = (ROWS + 2, COLUMNS + 3)
HALF = "half"

SETUP = """\
import pathlib, time
import audiencelab as al

class Halfway:
    "A client whose streams wait in the middle, for as long as a file is there."
    def __init__(self, client, held):
        self.real, self.held = client, pathlib.Path(held)
    def __getattr__(self, name):
        return getattr(self.real, name)
    def crosstab_stream(self, **query):
        return HalfStream(self.real.crosstab_stream(**query), self.held)

class HalfStream:
    def __init__(self, stream, held):
        self.stream, self.held, self.result = stream, held, stream.result
    def __iter__(self):
        for update in self.stream:
            yield update
            while self.held.exists() and self.result.count >= self.result.expected // 2:
                time.sleep(0.05)
    def close(self):
        self.held.unlink(missing_ok=True)
        self.stream.close()
"""
SIDES = f"""\
client = Halfway(al.connect(survey=survey), held)
leaves = [
    al.Audience(question.name + ": " + answer.name, al.Q(question.code).any(answer.code))
    for question in client.catalogue if question.accessible for answer in question.datapoints
]
ages, regions = client.catalogue.audiences("AGE"), client.catalogue.audiences("REGION")
def crossed(some, others):
    return [al.Audience(each.name + ", " + other.name, each.expression & other.expression)
            for other in others for each in some]
rows = [*leaves, *crossed(leaves, ages[:3])][:{ROWS}]
columns = crossed(leaves[:75], regions)[:{COLUMNS}]
"""
GRID = "grid = al.Crosstab(client, rows=rows, columns=columns, metric='index')\ngrid"


@pytest.fixture
def held(lab: Lab) -> Hold:
    return Hold(lab.folder / HALF)


def opened(lab: Lab, survey: Survey, name: str, grid: str, more: str) -> NotebookPage:
    """A notebook with the grid in its third cell, run as far as that, and one cell more."""
    where = f"survey, held = {str(survey.path)!r}, {str(lab.folder / HALF)!r}\n"
    page = lab.open(lab.write(name, [SETUP, where + SIDES, grid, more]))
    for each in range(3):
        page.run_cell(each)
    return page


def grid_in(page: NotebookPage) -> Locator:
    return page.cell_output(2).locator(".al-grid").first


def to_corner(box: Locator) -> None:
    box.evaluate("box => box.scrollTo(box.scrollWidth, box.scrollHeight)")


def index_at(page: NotebookPage, row: int, column: int) -> str:
    """What a cell has to show: its index, or a dash where nobody is in a denominator."""
    value = page.python(f"float(grid.result.values('index')[{row}, {column}])")
    return "–" if value != value else f"{value:,.1f}"


def test_it_can_be_used_while_it_loads_and_arranged_afterwards(
    lab: Lab, hps_survey: Survey, held: Hold
) -> None:
    hold = lab.hold()
    held.start()
    page = opened(lab, hps_survey, "large", GRID, hold.code)
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid = grid_in(page)
    box = grid.get_by_role("grid")
    expect(box).to_have_attribute("aria-rowcount", str(ROWS + 2))
    expect(box).to_have_attribute("aria-colcount", str(COLUMNS + 3))
    page.expect_python("grid._progress.cells >= 300_000", True, seconds=240)
    expect(box).to_have_attribute("aria-busy", "true")
    expect(grid.get_by_role("progressbar")).to_be_visible()

    # The far corner has not come; what has come is there without the kernel's main thread.
    to_corner(box)
    expect(cell(grid, *LAST)).to_be_visible()
    page.screenshot("grid-large-corner-not-yet", of=grid)
    hold.start()
    page.run_cell(3, wait=False)
    expect(page.cell(3)).to_contain_text("[*]")
    box.evaluate("box => box.scrollTo(0, 0)")
    expect(cell(grid, 3, 4)).to_contain_text(".")
    box.evaluate("box => box.scrollTo(4000, 9000)")
    middle = grid.get_by_role("gridcell").filter(has_text=".")
    expect(middle.nth(50)).to_be_visible()
    print(f"scroll of {ROWS:,} × {COLUMNS} under a busy kernel: {box.evaluate(SCROLL)}")
    assert grid.get_by_role("gridcell").count() < 1_500
    expect(page.cell(3)).to_contain_text("[*]")
    hold.release()
    page.wait_idle()

    to_corner(box)
    held.release()
    expect(box).to_have_attribute("aria-busy", "false", timeout=120_000)
    expect(cell(grid, *LAST)).to_contain_text(index_at(page, -1, -1))
    page.screenshot("grid-large-corner", of=grid)

    box.evaluate("box => box.scrollTo(0, 0)")
    sort_by(cell(grid, 1, 4))
    expect(cell(grid, 1, 4)).to_have_attribute("aria-sort", "descending")
    best = page.python("grid.to_wide('index').iloc[:, 0].max()")
    page.expect_python("grid.to_wide('index', arranged=True).iloc[0, 0]", best)
    expect(cell(grid, 3, 4)).to_contain_text(f"{best:,.1f}")
    keep_large_rows(grid)
    expect(box).not_to_have_attribute("aria-rowcount", str(ROWS + 2))
    page.expect_python("grid.to_wide(arranged=True).shape[0] < grid.to_wide().shape[0]", True)
    shown = page.python("list(grid.to_wide(arranged=True).shape)")
    assert 50 < shown[0] < 800
    expect(box).to_have_attribute("aria-rowcount", str(shown[0] + 2))
    page.screenshot("grid-large-sorted")

    grid.get_by_role("button", name="Copy table").click()
    expect(page.cell_output(2)).to_contain_text("cells copied", timeout=60_000)
    assert_pasted_is_the_frame(page)

    grid.get_by_role("button", name="Swap rows and columns").click()
    expect(box).to_have_attribute("aria-rowcount", str(COLUMNS + 2))
    expect(box).to_have_attribute("aria-colcount", str(shown[0] + 3))
    page.expect_python("grid.transposed", True)
    corner = page.python("grid.to_wide('index', arranged=True).iloc[0, 0]")
    expect(cell(grid, 3, 4)).to_contain_text(f"{corner:,.1f}")
    page.theme("dark")
    page.screenshot("grid-large-transposed-dark", of=grid)
    assert page.violations() == []


def keep_large_rows(grid: Locator) -> None:
    """Only rows of many respondents: a clipboard does not carry all cells."""
    grid.get_by_role("button", name="Rows & columns").click()
    panel = grid.get_by_role("dialog")
    panel.get_by_label("Metric", exact=True).select_option(label="Count (n)")
    panel.get_by_label("Value", exact=True).fill("2500")
    panel.get_by_label("Cells", exact=True).select_option(label="in the base")
    panel.get_by_role("button", name="Add filter", exact=True).click()
    grid.page.keyboard.press("Escape")


def assert_pasted_is_the_frame(page: NotebookPage) -> None:
    lines = pasted(page)[3:]
    frame = page.python("[[name, *line] for name, line in grid.to_wide(arranged=True).iterrows()]")
    assert [line[0] for line in lines] == [line[0] for line in frame]
    for given, wanted in zip(lines, frame, strict=True):
        # Before them its name, both counts, and the respondents of its base.
        values = [float(field or "nan") for field in given[4:]]
        assert values == pytest.approx(wanted[1:], abs=HALF_SHOWN, nan_ok=True), given[0]


def test_it_survives_a_reload_a_second_view_and_a_restart(lab: Lab, hps_survey: Survey) -> None:
    page = opened(
        lab, hps_survey, "large-reload", GRID.replace("rows=rows", f"rows=rows[:{FEWER}]"), "grid"
    )
    page.run_cell(3)
    last = (FEWER + 2, COLUMNS + 3)
    for output in (2, 3):
        box = page.cell_output(output).get_by_role("grid")
        expect(box).to_have_attribute("aria-busy", "false", timeout=120_000)
    # Two views of one table: the same cells, each where it was scrolled to.
    first, second = (page.cell_output(output).locator(".al-grid").first for output in (2, 3))
    to_corner(second.get_by_role("grid"))
    corner = index_at(page, -1, -1)
    expect(cell(second, *last)).to_contain_text(corner)
    expect(cell(first, 3, 4)).to_be_visible()
    first.get_by_role("radio", name="Count (n)").click()
    sample = page.python("int(grid.result.values('sample')[-1, -1])")
    expect(cell(second, *last)).to_contain_text(f"{sample:,}")

    page.command("docmanager:save")
    page.reload()
    grid = grid_in(page)
    expect(grid.get_by_role("grid")).to_have_attribute("aria-rowcount", str(FEWER + 2))
    to_corner(grid.get_by_role("grid"))
    expect(cell(grid, *last)).to_contain_text(f"{sample:,}")

    page.restart_kernel()
    expect(page.cell_output(2)).to_contain_text("kernel", ignore_case=True)
    # What had come is still there to be read.
    expect(cell(grid, *last)).to_contain_text(f"{sample:,}")
    page.screenshot("grid-large-restarted", of=grid)
