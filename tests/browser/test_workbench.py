"""The workbench in JupyterLab: transfer between panes, saving, and layout."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage, resize

SETUP = """\
import audiencelab as al
client = al.connect()
apps = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
"""
FILLED = """\
bench = al.Workbench(
    client,
    rows={"Social apps": apps},
    columns={"Gender": client.catalogue.audiences("q2"), "Age": client.catalogue.audiences("q4")},
)
bench
"""
WIDE, MIDDLE, NARROW = 1_900, 1_400, 1_036
"""Widths of the window, of which JupyterLab uses about 430 pixels."""
FITS = "box => box.scrollWidth <= box.clientWidth"
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(17, 17, 17)"
"""The background of a chart in each theme."""


class OpenBench:
    """The workbench of a notebook's last cell."""

    def __init__(self, page: NotebookPage) -> None:
        self.page = page
        self.out = page.cell_output(1)
        self.box = self.out.locator(".al-workbench")

    def part(self, name: str) -> Locator:
        return self.box.locator(f".al-pane-{name}")

    def tab(self, name: str) -> Locator:
        return self.box.get_by_role("tab", name=name)

    def button(self, name: str) -> Locator:
        return self.box.get_by_role("button", name=name, exact=True)

    @property
    def picture(self) -> Locator:
        """The chart, once it is of what the table shows."""
        return self.part("chart").locator('.al-chart[data-current="true"]')

    def expect_chart(self, words: str) -> None:
        """Wait for a chart with these words in its name."""
        # The first one waits for the library that draws.
        expect(self.picture).to_have_attribute("aria-label", re.compile(words), timeout=90_000)
        self.picture.locator("svg").wait_for(timeout=90_000)

    def expect_ground(self, colour: str) -> None:
        """Wait for a chart on this background."""
        ground = self.picture.locator("svg").first
        expect(ground).to_have_css("background-color", colour, timeout=90_000)

    def cell(self, row: str, column: int) -> Locator:
        """A cell of the row of this name, by its ARIA index; the first three are frozen."""
        rows = self.part("table").get_by_role("row")
        line = rows.filter(has=self.page.page.get_by_role("rowheader", name=row, exact=True))
        return line.locator(f'[aria-colindex="{column}"]:visible')

    def pick(self, words: str, name: str) -> None:
        """Search for words and tick the question or answer of this name."""
        self.tab("Questions").click()
        questions = self.part("questions")
        questions.locator("input[role=combobox]").fill(words)
        questions.get_by_role("treeitem", name=name, exact=False).first.locator(
            ".al-picker-box"
        ).click()


def open_bench(lab: Lab, name: str, width: int = MIDDLE) -> OpenBench:
    page = lab.run(name, [SETUP, FILLED])
    resize(page.page, width, 1_000)
    bench = OpenBench(page)
    expect(bench.part("table").get_by_role("grid")).to_have_attribute("aria-busy", "false")
    bench.box.scroll_into_view_if_needed()
    page.come_to_rest()
    return bench


def test_picks_become_rows_of_the_table_and_conditions_of_the_audience(lab: Lab) -> None:
    bench = open_bench(lab, "bench-picks")
    bench.tab("Questions").click()
    expect(bench.button("Add to rows")).to_have_attribute("aria-disabled", "true")
    bench.pick("gender", "Gender")
    bench.button("Add to rows").click()
    bench.page.expect_python(
        "[row.name for row in bench.value.rows][-3:]",
        ["Male", "Female", "Non-binary or another identity"],
    )
    expect(bench.part("questions")).to_contain_text("3 rows added")
    bench.page.expect_python("bench.picker.value", [])
    bench.pick("gender", "Gender")
    bench.button("Add to the audience").click()
    bench.page.expect_python(
        "bench.editor.value.to_code()",
        "al.Audience(expression=al.Q('q2').any('q2_1', 'q2_2', 'q2_3'))",
    )
    bench.tab("Audience").click()
    expect(bench.part("audience").get_by_role("row").filter(has_text="Gender")).to_be_visible()
    bench.part("audience").get_by_role("button", name="Undo: add condition").click()
    bench.page.expect_python("bench.editor.value.expression is None", True)


def test_the_audience_becomes_the_base_and_a_cell_becomes_the_audience(lab: Lab) -> None:
    bench = open_bench(lab, "bench-audience")
    bench.page.python(
        "bench.editor.__setattr__('value', al.Audience('Women', al.Q('q2').any('q2_2')))"
    )
    bench.tab("Audience").click()
    bench.button("Use as base").click()
    bench.page.expect_python("bench.grid.base_audience.name", "Women")
    grid = bench.part("table")
    expect(grid).to_contain_text("Base: Women")
    loopa = bench.page.python("bench.grid.result.row_values('row_sample')[0]")
    expect(bench.cell("Loopa", 3)).to_have_text(f"{loopa:,.0f}")
    grid.get_by_role("button", name=re.compile("^Undo")).click()
    bench.page.expect_python("bench.grid.base_audience", None)

    bench.tab("Questions").click()
    bench.cell("Murmur", 5).click()
    bench.box.get_by_role("button", name=re.compile("^Legend")).click()
    bench.button("Open cell as audience").click()
    bench.page.expect_python("bench.editor.value.name", "Murmur · Female")
    in_editor = bench.page.python("bench.editor.measure().size")
    assert in_editor == pytest.approx(
        bench.page.python("float(bench.grid.result.values('size')[3, 1])")
    )
    expect(bench.tab("Audience")).to_have_attribute("aria-selected", "true")


def test_the_chart_follows_selection_metric_kind_and_theme(lab: Lab) -> None:
    bench = open_bench(lab, "bench-chart", WIDE)
    expect(bench.box).to_have_attribute("data-shape", "wide")
    bench.expect_chart("bars of column_percentage")
    bench.picture.locator(".mark-rect path").first.hover(force=True)
    expect(bench.page.page.locator(".audiencelab-chart-tooltip")).to_contain_text("Value")
    bench.page.python("bench.grid.__setattr__('metric', 'index')")
    bench.expect_chart("bars of index")
    bench.part("chart").get_by_role("combobox", name="Kind of chart").select_option("Heat map")
    bench.expect_chart("heat map")
    bench.page.expect_python("bench.panes['kind']", "heatmap")
    edit = bench.part("chart").get_by_role("button", name="Edit the chart")
    edit.click()
    bench.page.page.keyboard.type("Who uses what")
    expect(bench.picture.get_by_text("Who uses what")).to_be_visible()
    # Names of columns are texts too.
    values = bench.picture.locator(".mark-text text", has_text=re.compile(r"^\d+\**$"))
    expect(values).not_to_have_count(0)
    panel = bench.part("chart").get_by_role("dialog", name="Edit the chart")
    panel.get_by_label("Order of rows").select_option("Largest first")
    panel.get_by_label("Colours").select_option("Green")
    panel.get_by_label("Values").uncheck()
    chosen = "[bench.panes[name] for name in ('title', 'sort', 'palette', 'labels')]"
    bench.page.expect_python(chosen, ["Who uses what", "value", "green", False])
    expect(values).to_have_count(0, timeout=60_000)
    # Until the chart without values is drawn, the earlier one is pale.
    bench.picture.wait_for()
    assert bench.page.violations() == []
    bench.page.screenshot("workbench-chart-edited", of=bench.part("chart"))
    for _ in range(4):
        bench.page.page.keyboard.press("Control+z")
    bench.page.expect_python(chosen, ["", "asked", "standard", True])
    bench.page.page.keyboard.press("Escape")
    expect(edit).to_be_focused()
    bench.page.theme("dark")
    bench.expect_ground(DARK)
    bench.cell("Loopa", 4).click()
    bench.cell("Hearthside", 5).click(modifiers=["Shift"])
    bench.expect_chart("3 rows × 2 columns")


def test_the_layout_fits_the_width(lab: Lab) -> None:
    bench = open_bench(lab, "bench-room", WIDE)
    bench.tab("Questions").click()
    bench.picture.wait_for(timeout=90_000)
    for name in ("questions", "table", "chart"):
        expect(bench.part(name)).to_be_visible()
    bench.page.screenshot("workbench-light", of=bench.box)
    bench.page.theme("dark")
    bench.expect_ground(DARK)
    bench.page.screenshot("workbench-dark", of=bench.box)
    assert bench.page.violations() == []
    bench.page.theme("light")
    bench.expect_ground(LIGHT)
    assert bench.page.violations() == []

    resize(bench.page.page, MIDDLE, 1_000)
    expect(bench.box).to_have_attribute("data-shape", "middle")
    expect(bench.part("chart")).to_be_hidden()
    bench.tab("Chart").click()
    expect(bench.part("table")).to_be_hidden()
    bench.picture.wait_for(timeout=90_000)
    bench.page.screenshot("workbench-middle", of=bench.box)

    resize(bench.page.page, NARROW, 1_000)
    expect(bench.box).to_have_attribute("data-shape", "narrow")
    for name, pane in (
        ("Questions", "questions"),
        ("Audience", "audience"),
        ("Table", "table"),
        ("Chart", "chart"),
    ):
        bench.tab(name).click()
        expect(bench.part(pane)).to_be_visible()
        assert bench.page.violations() == []
        bench.page.screenshot(f"workbench-narrow-{pane}", of=bench.box)
        bench.page.becomes(partial(bench.box.evaluate, FITS), True)


def test_panes_are_resized_by_mouse_and_keys(lab: Lab) -> None:
    bench = open_bench(lab, "bench-sizes", WIDE)
    bench.tab("Questions").click()
    rail = bench.box.get_by_role("separator", name="Width of questions and audience")
    # Once it stands still.
    rail.hover()
    box = rail.bounding_box()
    assert box is not None
    mouse = bench.page.page.mouse
    mouse.move(box["x"] + 8, box["y"] + 100)
    mouse.down()
    mouse.move(box["x"] + 48, box["y"] + 100, steps=4)
    mouse.up()
    bench.page.expect_python("bench.panes['rail']", 400)
    rail.focus()
    bench.page.page.keyboard.press("ArrowLeft")
    bench.page.expect_python("bench.panes['rail']", 384)
    height = bench.box.get_by_role("separator", name="Height of the workbench")
    before = round(bench.box.evaluate("box => box.offsetHeight"))
    height.press("ArrowDown")
    bench.page.expect_python("bench.panes['height']", before + 16)
    expect(bench.box).to_have_css("height", f"{before + 16}px")


def test_a_search_without_matches_keeps_its_box_visible(lab: Lab) -> None:
    bench = open_bench(lab, "bench-nothing")
    bench.box.get_by_role("separator", name="Height of the workbench").press("Home")
    bench.tab("Questions").click()
    bench.button("Add rows").click()
    panel = bench.box.get_by_role("dialog", name="Add rows")
    for place in (panel, bench.part("questions")):
        box, tree = place.locator("input[role=combobox]"), place.get_by_role("tree")
        box.fill("xylophone zebra")
        said = place.get_by_text("Nothing matches")
        expect(said).to_be_visible()
        # Playwright waits until nothing covers it.
        box.click()
        bench.page.becomes(partial(is_below, said, box), True)
        box.fill("")
        expect(tree.get_by_role("treeitem").first).to_be_visible()
        bench.page.page.keyboard.press("Escape")


def top_of(element: Locator) -> float:
    return element.evaluate("(element) => element.getBoundingClientRect().top")


def is_below(said: Locator, box: Locator) -> bool:
    """Whether a line is under a box, which it does not cover."""
    return top_of(said) > top_of(box) + 20


def test_tabs_are_selected_with_the_arrow_keys(lab: Lab) -> None:
    bench = open_bench(lab, "bench-tabs", NARROW)
    bench.tab("Table").focus()
    keys = bench.page.page.keyboard
    keys.press("ArrowRight")
    expect(bench.tab("Chart")).to_be_focused()
    expect(bench.part("chart")).to_be_visible()
    keys.press("ArrowRight")
    expect(bench.tab("Questions")).to_be_focused()
    keys.press("End")
    expect(bench.tab("Chart")).to_have_attribute("aria-selected", "true")
    # Not taken for commands of the notebook.
    keys.type("dd")
    expect(bench.page.page.locator(".jp-Notebook .jp-Cell")).to_have_count(2)


def test_a_reloaded_page_and_a_second_view_show_the_same(lab: Lab) -> None:
    bench = open_bench(lab, "bench-reload")
    bench.page.python("bench.grid.ask(base_audience=al.Q('q2').any('q2_1'))")
    bench.page.expect_python("len(bench.shown)", 2)
    bench.pick("gender", "Gender")
    bench.page.expect_python("len(bench.picker.value)", 1)
    bench.page.command("docmanager:save")
    bench.page.reload()
    bench.tab("Questions").click()
    expect(bench.part("questions")).to_contain_text("Gender")
    expect(bench.part("table")).to_contain_text("Base: Gender is Male")
    bench.button("History").click()
    shown = bench.box.get_by_role("dialog").get_by_role("button")
    expect(shown).to_have_count(2)
    shown.nth(1).click()
    bench.page.expect_python("bench.grid.base_audience", None)
    expect(bench.part("table")).to_contain_text("Base: All")


def test_it_is_saved_and_exported(lab: Lab) -> None:
    bench = open_bench(lab, "bench-save")
    bench.button("Save workbench").click()
    dialog = bench.box.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("My study")
    dialog.get_by_role("button", name="Save", exact=True).click()
    expect(dialog).to_contain_text("Saved as my-study.audiencelab.json")
    document = json.loads((lab.folder / "my-study.audiencelab.json").read_text())
    assert document == bench.page.python("bench.to_document()")
    dialog.get_by_role("button", name="Export as notebook").click()
    expect(dialog).to_contain_text("Saved as my-study.ipynb")
    dialog.get_by_role("button", name="Open", exact=True).click()
    expect(bench.page.page.get_by_role("tab", name="my-study.ipynb")).to_be_visible()
    written = lab.open("my-study.ipynb")
    written.run_all()
    chart = written.page.locator(".jp-OutputArea-output:is(.jp-RenderedSVG, :has(svg))").first
    expect(chart).to_be_visible()


def test_a_restarted_kernel_is_reported_once(lab: Lab) -> None:
    bench = open_bench(lab, "bench-restart")
    bench.page.restart_kernel()
    expect(bench.out.get_by_text("The kernel was restarted.")).to_have_count(1)
    expect(bench.part("table").get_by_role("grid")).to_be_visible()
