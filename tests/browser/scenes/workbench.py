"""Scenes of the workbench for the guides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, expect

from tests.browser.page import NotebookPage
from tests.browser.scenes.scene import WIDE, Scene, Shown

__all__ = ["WORKBENCH_SCENES"]

WORKBENCH = """\
apps = [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]
bench = al.Workbench(
    client,
    rows={"Social apps": apps},
    columns={"Gender": client.catalogue.audiences("q2"), "Age": client.catalogue.audiences("q4")},
)
bench"""


# The first chart waits for the libraries that draw.
FIRST_CHART_MS = 90_000


def opened(page: NotebookPage) -> Locator:
    """The workbench of the scene, once its table is complete and drawn."""
    shown = page.cell_output(1).locator(".al-workbench")
    grid = shown.locator(".al-pane-table").get_by_role("grid")
    expect(grid).to_have_attribute("aria-busy", "false")
    return shown


def drawn(shown: Locator) -> Locator:
    chart = shown.locator('.al-pane-chart .al-chart[data-current="true"]')
    chart.locator("svg").wait_for(timeout=FIRST_CHART_MS)
    return chart


def workbench(page: NotebookPage) -> Iterator[Shown]:
    page.page.set_viewport_size(WIDE)
    shown = opened(page)
    questions = shown.locator(".al-pane-questions")
    questions.locator("input[role=combobox]").fill("gender")
    questions.get_by_role("treeitem", name="Gender").first.locator(".al-picker-box").click()
    questions.locator("input[role=combobox]").fill("")
    chart = drawn(shown)
    rows = shown.get_by_role("row")
    cell = rows.filter(has=page.page.get_by_role("rowheader", name="Corkboard", exact=True))
    cell.locator('[aria-colindex="5"]').click()
    expect(chart).to_have_attribute("aria-label", re.compile("bar"))
    yield (shown,)


def workbench_narrow(page: NotebookPage) -> Iterator[Shown]:
    page.page.set_viewport_size({"width": 760, "height": 1200})
    shown = opened(page)
    shown.get_by_role("tab", name="Table").click()
    yield (shown,)


def workbench_save(page: NotebookPage) -> Iterator[Shown]:
    page.page.set_viewport_size({"width": 760, "height": 1200})
    shown = opened(page)
    shown.get_by_role("tab", name="Table").click()
    shown.get_by_role("button", name="Save workbench").click()
    dialog = shown.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Name").fill("Social apps by age")
    yield shown, dialog


WORKBENCH_SCENES: dict[str, tuple[str, Scene]] = {
    "workbench": (WORKBENCH, workbench),
    "workbench-narrow": (WORKBENCH, workbench_narrow),
    "workbench-save": (WORKBENCH, workbench_save),
}
