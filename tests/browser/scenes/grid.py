"""Scenes of the crosstab grid for the guides."""

from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Locator, expect

from tests.browser.page import NotebookPage, sort_by
from tests.browser.scenes.scene import Scene, Shown

__all__ = ["GRID_SCENES"]

LINES = """\
women, men = client.catalogue.audiences("q2")[1], client.catalogue.audiences("q2")[0]
rows = {"Social apps": [client["q20"].any(e.code).named(e.name) for e in client["q20"].datapoints]}
columns = {"Gender": [women, men], "Age": client.catalogue.audiences("q4")[1:5]}
"""
FEW = f"""{LINES}\
grid = al.Crosstab(client, {{"Social apps": rows["Social apps"][2:7]}}, columns)
grid"""
GRID = f"{LINES}grid = al.Crosstab(client, rows, columns)\ngrid"
FIGURES = f"""{LINES}\
grid = al.Crosstab(client, rows, columns, metrics=["index", "column_percentage", "letters"])
grid"""
BASES = f"""{LINES}\
bases = [al.Audience("Everyone"), women, men]
grid = al.Crosstab(client, rows, columns={{"Age": columns["Age"][:2]}}, bases=bases)
grid"""


def opened(page: NotebookPage) -> Locator:
    """The grid of the scene, once its table is complete."""
    grid = page.cell_output(1).locator(".al-grid")
    expect(grid.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(grid).not_to_contain_text("Not counted yet")
    return grid


def cell(grid: Locator, row: str, column: int) -> Locator:
    rows = grid.get_by_role("row")
    line = rows.filter(has=grid.page.get_by_role("rowheader", name=row, exact=True))
    return line.locator(f'[aria-colindex="{column}"]')


def grid_whole(page: NotebookPage) -> Iterator[Shown]:
    yield (opened(page),)


def grid_figures(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    grid.get_by_role("button", name="Display", exact=True).click()
    panel = page.page.get_by_role("dialog", name="Metrics, heat map")
    panel.get_by_label("Heat map").select_option("z")
    panel.get_by_role("checkbox", name="Bars for percentages").check()
    yield grid, panel


def grid_sorted(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    sort_by(grid.get_by_role("columnheader", name="18 to 24", exact=True))
    # Away from the name, which would show its tooltip.
    page.page.mouse.move(0, 0)
    yield (grid,)


def grid_different(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    grid.get_by_role("button", name="Rows & columns", exact=True).click()
    panel = grid.get_by_role("dialog")
    panel.get_by_role("button", name="Largest differences").click()
    yield grid, panel


def grid_menu(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    grid.get_by_role("rowheader", name="Corkboard", exact=True).click(button="right")
    yield grid, grid.get_by_role("menu")


def grid_add(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    grid.get_by_role("button", name="Add rows").click()
    panel = grid.get_by_role("dialog")
    panel.get_by_role("combobox", name="Search questions and answers").fill("tablet")
    panel.get_by_role("treeitem").filter(has_text="m1_3").locator(".al-picker-box").click()
    yield grid, panel


def grid_bases(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    page.page.mouse.move(0, 0)
    yield (grid,)


def grid_cell(page: NotebookPage) -> Iterator[Shown]:
    page.page.set_viewport_size({"width": 1010, "height": 1300})
    grid = opened(page)
    cell(grid, "Corkboard", 4).dblclick()
    page.page.mouse.move(0, 0)
    panel = grid.get_by_role("region", name=re.compile("^Corkboard × "))
    expect(panel).to_contain_text("95%")
    yield grid, panel


def grid_take(page: NotebookPage) -> Iterator[Shown]:
    grid = opened(page)
    grid.get_by_role("button", name="Send").click()
    yield grid, grid.get_by_role("menu")


GRID_SCENES: dict[str, tuple[str, Scene]] = {
    "grid": (GRID, grid_whole),
    "grid-figures": (FIGURES, grid_figures),
    "grid-sorted": (GRID, grid_sorted),
    "grid-different": (GRID, grid_different),
    "grid-menu": (GRID, grid_menu),
    "grid-add": (GRID, grid_add),
    "grid-bases": (BASES, grid_bases),
    "grid-cell": (FEW, grid_cell),
    "grid-take": (GRID, grid_take),
}
