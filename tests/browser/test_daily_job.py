"""The daily job of an agency by mouse: from a file in an empty folder to a deck, clicks counted."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd
from playwright.sync_api import Locator, expect
from pptx import Presentation
from pptx.table import Table

from tests import agency_texts as texts
from tests.agency import Agency
from tests.browser.conftest import Lab
from tests.browser.page import resize

MOST_CLICKS = 18
SUPPRESSED = 75
TOP_TWO = re.compile(r": top 2 \(.*")
LETTER = re.compile(r" \([A-Z]+\)$")

# Keeps when the import was over: the line that says so may be there for a moment only.
WATCH_IMPORT = """() => {
  new MutationObserver((_, watch) => {
    if (!document.body.textContent.includes("Counting the first table")) return;
    window.imported = performance.now();
    watch.disconnect();
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""

Figures = dict[tuple[str, str, str], float]
"""Percentages by age, gender and row; NaN where too few answered."""


class Mouse:
    """Clicks, counted."""

    def __init__(self) -> None:
        self.clicks = 0

    def click(self, target: Locator, *, times: int = 1) -> None:
        target.click(click_count=times)
        self.clicks += 1

    def choose(self, target: Locator, option: str) -> None:
        """One of a list that a click opens, and another click chooses from."""
        target.select_option(option)
        self.clicks += 2


def test_the_daily_job_by_mouse(lab: Lab) -> None:
    agency, mouse = Agency(), Mouse()
    agency.write(lab.folder / "agency.sav")
    page = lab.open(lab.write("beside", ["1"]))
    view = page.page
    resize(view, 1440, 900)
    page.command("filebrowser:refresh")
    view.evaluate(WATCH_IMPORT)
    mouse.click(view.locator(".jp-DirListing-item").filter(has_text="agency.sav"), times=2)
    tab = view.locator(".audiencelab-tab:visible")
    grid, panel = tab.get_by_role("grid"), tab.get_by_role("dialog")
    complete(grid)
    seconds = view.evaluate("() => (performance.now() - window.imported) / 1000")

    card = tab.get_by_role("region", name="About this survey")
    mouse.click(card.get_by_role("radio", name=re.compile("^weight:")))
    expect(card).to_contain_text("weighted by weight")
    complete(grid)

    mouse.click(tab.get_by_role("button", name="Add rows"))
    panel.get_by_role("combobox").fill("stimmen aussagen")
    mouse.click(box_of(panel, "Wie sehr stimmen"))
    mouse.click(panel.get_by_role("radio", name="Top 2"))
    mouse.click(panel.get_by_role("button", name="Add 30 rows"))
    complete(grid)
    mouse.click(tab.get_by_role("button", name="Add columns"))
    panel.get_by_role("combobox").fill("altersgruppe")
    mouse.click(box_of(panel, "Altersgruppe"))
    mouse.click(panel.get_by_role("radio", name="Nest"))
    mouse.click(panel.get_by_role("button", name="Nest under 6"))
    complete(grid)
    expect(grid).to_have_accessible_name("Crosstab of 50 rows and 24 columns")

    mouse.click(tab.get_by_role("button", name="Display", exact=True))
    looks = view.get_by_role("dialog", name="Metrics, heat map")
    mouse.choose(looks.get_by_label("Significance"), "letters")
    expect(grid).to_contain_text(re.compile(r"A\s(·\s)?weiblich"))
    mouse.click(looks.get_by_label("Suppress"))
    view.keyboard.type(f"{SUPPRESSED}")
    view.keyboard.press("Escape")

    mouse.click(tab.get_by_role("button", name="Add to deck"))
    mouse.click(tab.get_by_role("tab", name="Chart"))
    mouse.click(tab.get_by_role("button", name="Add to deck"))
    mouse.click(panel.get_by_role("button", name="Save deck"))
    expect(panel).to_contain_text("deck.pptx")
    assert seconds > 0
    print(f"{mouse.clicks} clicks; first table {seconds:.1f} s after the import")
    assert mouse.clicks <= MOST_CLICKS

    expected = dict(by_pandas(agency))
    deck = Presentation(str(lab.folder / "deck.pptx"))
    frames = [shape for slide in deck.slides for shape in slide.shapes]
    shown: Figures = {}
    for shape in frames:
        if shape.has_table and len(shape.table.columns) > 1:
            shown |= in_table(shape.table)
    assert {key for key, value in shown.items() if np.isnan(value)} == {
        key for key, value in expected.items() if np.isnan(value)
    }
    assert shown.keys() == expected.keys()
    assert max(abs(shown[key] - expected[key]) for key in shown if shown[key] == shown[key]) < 0.051
    plots = [plot for shape in frames if shape.has_chart for plot in shape.chart.plots]
    assert plots
    for plot in plots:
        rows = [TOP_TWO.sub("", name) for name in plot.categories]
        for series in plot.series:
            values = [np.nan if each is None else each for each in series.values]
            assert any(
                np.allclose(
                    values, [expected[age, series.name, row] for row in rows], equal_nan=True
                )
                for age in agency.values["altersgruppe"].values()
            )


def complete(grid: Locator) -> None:
    expect(grid).to_have_attribute("aria-busy", "false")
    expect(grid.locator(".al-grid-line-row:not([hidden]) .al-grid-cell").first).to_contain_text(
        re.compile(r"\d")
    )


def box_of(panel: Locator, name: str) -> Locator:
    """The tick box of a question."""
    return panel.get_by_role("treeitem", name=name).locator(".al-picker-box")


def by_pandas(agency: Agency) -> Iterator[tuple[tuple[str, str, str], float]]:
    """Weighted shares of those with an answer, in percent."""
    frame, labels = agency.frame(), agency.values
    rows = {name: frame[f"b1_{at}"] for at, name in enumerate(texts.BRANDS, 1)}
    for at, name in enumerate(texts.ATTITUDES, 1):
        given = frame[f"f10_{at}"]
        rows[name] = (given >= 6).where(given.notna()).astype(float)
    everyone = frame.altersgruppe.notna()
    columns = {("", "All"): everyone}
    for code, age in labels["altersgruppe"].items():
        for gender, name in {0: "All", **labels["geschlecht"]}.items():
            of_gender = everyone if gender == 0 else frame.geschlecht == gender
            columns[age, name] = (frame.altersgruppe == code) & of_gender
    for column, inside in columns.items():
        for row, given in rows.items():
            asked = given.notna() & inside
            weight = frame.weight[asked]
            share = 100 * float((given[asked] * weight).sum() / weight.sum())
            yield (*column, row), share if asked.sum() >= SUPPRESSED else np.nan


def in_table(table: Table) -> Figures:
    """The percentages of a table on a slide."""
    lines = [[cell.text for cell in row.cells] for row in table.rows]
    bases = next(at for at, line in enumerate(lines) if line[0].startswith("Weighted base"))
    ages = pd.Series(lines[0]).replace("", np.nan).ffill().fillna("")
    genders = [LETTER.sub("", name.replace("\n", " ")) for name in lines[bases - 1]]
    return {
        (ages[at], genders[at], TOP_TWO.sub("", line[0])): (
            float(text.partition("%")[0]) if "%" in text else np.nan
        )
        for line in lines[bases + 2 :]
        if any(line[1:])
        for at, text in enumerate(line[1:], 1)
    }
