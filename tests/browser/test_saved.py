"""Saved tables and widgets in a notebook without their kernel."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Lab, notebook_7
from tests.browser.page import NotebookPage, sort_by

SET_UP = """\
import audiencelab as al
client = al.connect()
age = client.catalogue.audiences
apps = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]"""
RESULT = "table = client.crosstab(rows=apps, columns=age('q4'))\ntable"
GRID = (
    "grid = al.Crosstab(client, rows={'Gender': age('q2'), 'Age': age('q4')},\n"
    "    columns=age('q4'), metric='column_percentage').wait()\ngrid"
)
PICKER = "picker = al.QuestionPicker(client, [al.Q('q4').any('q4_2')])\npicker"
RUN = "Saved output. Run this cell to work with it."


def view(page: NotebookPage, cell: int) -> Locator:
    """The output of a widget, live or saved."""
    return page.cell_output(cell).locator("[data-audiencelab-view]")


FIRST_COLUMN = """(grid) => [...grid.querySelectorAll(".al-grid-line-row:not([hidden])")]
  .sort((a, b) => a.getAttribute("aria-rowindex") - b.getAttribute("aria-rowindex"))
  .map((row) => Number(row.querySelector('[aria-colindex="4"]').textContent))"""


def first_column(grid: Locator) -> list[float]:
    """The figures of the first column as they stand, from above."""
    return grid.evaluate(FIRST_COLUMN)


def cells_of(table: Locator) -> Locator:
    return table.locator(".al-grid-line-row .al-grid-cell:not([hidden])")


def test_a_saved_result_can_be_sorted_switched_and_copied(lab: Lab) -> None:
    page = lab.open(lab.write("result", [SET_UP, RESULT]))
    page.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.run_all()
    table = page.cell_output(1).get_by_role("group", name="Saved crosstab")
    grid = table.get_by_role("grid")
    expect(cells_of(grid).first).to_contain_text("%")
    table.get_by_role("button", name="Display", exact=True).click()
    table.get_by_role("checkbox", name="Column %").uncheck()
    page.page.keyboard.press("Escape")
    head = grid.get_by_role("columnheader").nth(3)
    expect(cells_of(grid).first).to_contain_text(re.compile(r"\d"))
    sort_by(head)
    expect(head).to_have_attribute("aria-sort", "descending")
    page.becomes(lambda: first_column(grid), sorted(first_column(grid), reverse=True))
    # The same by the keyboard, and once more as it was.
    head.click()
    page.page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "ascending")
    page.page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "none")
    page.page.keyboard.press("Escape")
    for metric in ("column_percentage", "row_percentage", "percentage"):
        name = {"column_percentage": "Column %", "row_percentage": "Row %"}.get(metric, "Total %")
        table.get_by_role("radio", name=name, exact=True).click()
        expected = page.python(f"table.to_wide({metric!r}).iloc[0, 0].round(1)")
        expect(cells_of(grid).first).to_contain_text(f"{expected:.1f}")
    expect(table.locator(".al-grid-short .al-grid-scale")).to_be_visible()
    table.get_by_role("button", name="Copy table").click()
    expect(table).to_contain_text("copied")
    copied = page.page.evaluate("navigator.clipboard.readText()")
    table_lines, about = copied.split("\n\n")
    assert table_lines.count("\n") == page.python("len(table.rows)") + 2
    assert "\nSource: demo survey (version " in about
    assert page.violations('[aria-label="Saved crosstab"]') == []
    page.screenshot("saved-result-light", of=page.cell_output(1))
    page.theme("dark")
    page.screenshot("saved-result-dark", of=page.cell_output(1))


CLIPPED = """(grid) => [...grid.querySelectorAll("[role=gridcell], [role=rowheader]")]
  .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth)
  .map((cell) => cell.textContent)"""


WINDOWING = """async (mode) => {
  const plugin = "@jupyterlab/notebook-extension:tracker";
  const { settings } = window.jupyterapp.serviceManager;
  await settings.save(plugin, JSON.stringify({ windowingMode: mode }));
}"""


def test_tables_of_a_reopened_notebook_are_not_clipped(lab: Lab) -> None:
    tables = [f"client.crosstab('Finding brands', ['Gender', {name!r}])" for name in ("Age", "q4")]
    page = lab.open(lab.write("reopened", [SET_UP, *tables]))
    page.run_all()
    page.command("docmanager:save")
    page.restart_kernel()
    # JupyterLab's default, with which outputs are drawn before they are in the page.
    page.page.evaluate(WINDOWING, "contentVisibility")
    page.reload()
    for cell in range(1, 1 + len(tables)):
        output = page.cell_output(cell)
        output.scroll_into_view_if_needed()
        grid = output.get_by_role("grid")
        expect(cells_of(grid).first).to_contain_text("%")
        page.screenshot(f"reopened-{cell}-light")
        page.becomes(lambda grid=grid: grid.evaluate(CLIPPED), [])
    page.page.evaluate(WINDOWING, "none")


def test_widgets_are_shown_without_their_kernel_and_live_with_it(lab: Lab) -> None:
    notebook = lab.write("widgets", [SET_UP, GRID, PICKER])
    page = lab.open(notebook)
    page.run_all()
    for cell in (1, 2):
        expect(view(page, cell)).to_have_attribute("data-audiencelab-view", "live")
    expect(page.cell_output(1).get_by_text(RUN)).to_have_count(0)
    page.command("docmanager:save")

    # Loaded anew, the kernel still has the widgets.
    page.reload()
    for cell in (1, 2):
        expect(view(page, cell)).to_have_attribute("data-audiencelab-view", "live")
    expect(page.cell_output(1).get_by_role("group", name="Saved crosstab")).to_have_count(0)
    expect(page.cell_output(1).get_by_role("group", name="Crosstab")).to_be_visible()
    page.expect_python("grid.transposed", False)
    page.cell_output(1).get_by_role("button", name="Swap rows and columns").click()
    page.expect_python("grid.transposed", True)

    # The kernel is another: what was saved is read, sorted and switched.
    page.restart_kernel()
    page.reload()
    saved = page.cell_output(1)
    expect(saved.get_by_text(RUN)).to_be_visible()
    expect(page.cell_output(2).get_by_text(RUN)).to_be_visible()
    expect(page.cell_output(2)).to_contain_text("18 to 24")
    expect(page.page.get_by_text("model not found")).to_have_count(0)
    grid = saved.get_by_role("grid")
    expect(cells_of(grid).first).to_contain_text("%")
    expect(saved.get_by_role("radio", name="Column %")).to_have_attribute("aria-checked", "true")
    page.screenshot("saved-widgets-light")
    page.theme("dark")
    page.screenshot("saved-widgets-dark")

    # Run again, it is the widget.
    page.run_all()
    for cell in (1, 2):
        expect(view(page, cell)).to_have_attribute("data-audiencelab-view", "live")
    expect(page.cell_output(1).get_by_text(RUN)).to_have_count(0)
    page.cell_output(1).get_by_role("button", name="Swap rows and columns").click()
    page.expect_python("grid.transposed", True)
    page.command("docmanager:save")
    nbformat.validate(nbformat.read(notebook, as_version=4))


def test_an_untrusted_notebook_is_shown_and_contacts_no_kernel(lab: Lab) -> None:
    notebook = lab.write("stranger", [SET_UP, GRID, RESULT])
    page = lab.open(notebook)
    page.run_all()
    page.command("docmanager:save")
    # In another place nobody has trusted it, though the kernel of the first still runs.
    other = Path(lab.folder / "stranger-copy.ipynb")
    saved = nbformat.read(notebook, as_version=4)
    for cell in saved.cells:
        cell.metadata.pop("trusted", None)
        cell.source += "\n# not the same"
        for output in cell.outputs:
            if "data" in output and "text/html" in output.data:
                output.data["text/html"] += "<script>document.title = 'owned'</script>"
    nbformat.write(saved, other)
    strange = lab.open(other)
    for cell in (1, 2):
        table = strange.cell_output(cell).get_by_role("group", name="Saved crosstab")
        expect(cells_of(table).first).to_contain_text(re.compile(r"\d"))
    expect(view(strange, 1)).to_have_attribute("data-audiencelab-view", "saved")
    assert strange.page.title() != "owned"


def test_notebook_7_shows_saved_output_too_and_runs_it_again(
    browser: Browser, tmp_path: Path
) -> None:
    with notebook_7(browser, tmp_path, [SET_UP, GRID, RESULT]) as page:
        page.run_all()
        expect(view(page, 1)).to_have_attribute("data-audiencelab-view", "live")
        page.command("docmanager:save")
        page.restart_kernel()
        page.reload()
        expect(page.cell_output(1).get_by_text(RUN)).to_be_visible()
        for cell in (1, 2):
            table = page.cell_output(cell).get_by_role("group", name="Saved crosstab")
            expect(cells_of(table).first).to_contain_text("%")
        page.screenshot("saved-notebook7")
        # With the cells above it, of a saved output and of a widget that was open.
        again = page.cell_output(1).get_by_role("button", name="Run again")
        again.click()
        expect(view(page, 1)).to_have_attribute("data-audiencelab-view", "live")
        expect(again).to_have_count(0)
        page.wait_idle()
        page.restart_kernel()
        again.click()
        expect(again).to_have_count(0)
        expect(page.cell_output(1).get_by_role("grid")).to_be_visible()


FORM = "__import__('gzip').decompress(__import__('base64').b64decode(grid._saved)).decode()"
TEXT = "(html) => new DOMParser().parseFromString(html, 'text/html').body.textContent"


def test_a_widget_saved_with_its_state_is_shown_as_it_was_on_the_screen(lab: Lab) -> None:
    keep_state = "@jupyter-widgets/jupyterlab-manager:saveWidgetState"
    page = lab.open(lab.write("state", [SET_UP, GRID]))
    page.run_all()
    expect(view(page, 1)).to_have_attribute("data-audiencelab-view", "live")
    first = page.python(FORM)
    page.cell_output(1).get_by_role("button", name="Swap rows and columns").click()
    page.becomes(lambda: page.python(FORM) != first, True)
    shown = page.page.evaluate(TEXT, page.python(FORM))
    page.command(keep_state)
    page.command("docmanager:save")
    page.command(keep_state)
    page.restart_kernel()
    page.reload()
    expect(view(page, 1)).to_have_attribute("data-audiencelab-view", "saved")
    form = page.cell_output(1).locator("[data-audiencelab-part=form]")
    expect(form).to_contain_text(shown)
    expect(page.cell_output(1).get_by_text(RUN)).to_be_visible()
    page.screenshot("saved-state-light")
    page.theme("dark")
    page.screenshot("saved-state-dark")
