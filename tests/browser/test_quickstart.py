"""The quick start notebook: run, used by mouse, and read from Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, resize

QUICKSTART = Path(__file__).parents[2] / "notebooks" / "01-quickstart.ipynb"
# Places of the widgets' cells in the notebook, Markdown counted.
PICKER, EDITOR, GRID = 3, 7, 9


@pytest.fixture
def quickstart(lab: Lab) -> NotebookPage:
    page = lab.open(QUICKSTART)
    page.run_all()
    return page


def test_a_newcomer_completes_the_notebook(quickstart: NotebookPage) -> None:
    page = quickstart
    picker, editor, grid = (page.cell_output(cell) for cell in (PICKER, EDITOR, GRID))

    # Pick a question's answer: the code follows.
    picker.get_by_role("combobox").fill("m7_4")
    picker.get_by_role("treeitem").filter(has_text=re.compile("m7_4$")).locator(
        ".al-picker-box"
    ).click()
    page.expect_python(
        "picker.to_code()",
        "(client['Short video a day'].isin(["
        "'30 minutes to 1 hour', '1 to 2 hours', '2 to 3 hours', 'More than 3 hours']),)",
    )

    # Build the audience further: one more condition, from the editor's own picker.
    sample = page.python("int(viewers.to_frame()['sample'][0])")
    editor.get_by_role("button", name="Add condition", exact=True).click()
    dialog = editor.get_by_role("dialog")
    dialog.get_by_role("combobox").fill("gender female")
    dialog.get_by_role("treeitem").filter(has_text=re.compile("q2_2$")).locator(
        ".al-picker-box"
    ).click()
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(editor.locator("pre")).to_contain_text("client['Gender'].isin(['Female'])")
    page.expect_python("'Female' in viewers.to_code()", True)
    women = page.python("int(viewers.to_frame()['sample'][0])")
    assert 0 < women < sample

    # The grid has changed with it, and shows the figures that Python has.
    page.python("grid.wait(60) is grid")
    expect(grid.get_by_role("grid")).to_contain_text(f"{women:,}")
    page.expect_python("int(grid.result.values('column_sample')[0, 0])", women)
    share = page.python("float(grid.to_wide('column').iloc[18, 0])")
    expect(grid.get_by_role("grid")).to_contain_text(f"{share:.1f}%")


def test_it_is_displayed_correctly(quickstart: NotebookPage) -> None:
    page = quickstart
    for theme in ("light", "dark"):
        page.theme(theme)
        for name, cell in (("picker", PICKER), ("editor", EDITOR), ("grid", GRID)):
            output = page.cell_output(cell)
            output.scroll_into_view_if_needed()
            expect(output.locator(".al-skeleton")).to_have_count(0)
            page.screenshot(f"quickstart-{name}-{theme}", of=output)
        assert page.violations() == []


def test_audience_and_table_are_visible_together(quickstart: NotebookPage) -> None:
    """In a high window; the picture is there to be looked at."""
    page = quickstart
    resize(page.page, 1240, 1290)
    page.command("application:toggle-left-area")
    grid = page.cell_output(GRID)
    expect(grid.locator(".al-skeleton")).to_have_count(0)
    grid.get_by_role("gridcell").nth(12).click()
    page.cell_output(EDITOR).evaluate("output => output.scrollIntoView({block: 'start'})")
    page.wait_idle()
    page.screenshot("quickstart-together")
