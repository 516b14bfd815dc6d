"""Scenes of the picker for the guides: each sets a state, and what to show."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.page import NotebookPage
from tests.browser.picking import OpenPicker
from tests.browser.scenes.scene import Scene, Shown

__all__ = ["PICKER_SCENES"]

PICKER = "picker = al.QuestionPicker(client)\npicker"
AUDIENCE_PICKER = "picker = al.QuestionPicker(client, mode='audience')\npicker"


def picker(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.out.get_by_role("button", name="Details").click()
    shown.tick("social apps: how", "Social apps: how often")
    shown.tick("age 25", "25 to 34")
    shown.box.fill("social")
    page.page.keyboard.press("Enter")
    expect(shown.out.get_by_role("list", name="Shares of answers")).to_be_visible()
    yield (shown.out,)


def picker_categories(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.tick("gender", "Gender")
    shown.box.fill("")
    shown.row("Mind and heart").locator(".al-picker-box").click()
    yield (shown.out,)


def picker_filter(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.out.get_by_role("button", name="Filter").click()
    panel = shown.out.get_by_role("dialog", name="Filter")
    panel.get_by_role("checkbox", name="numbers, with a mean").check()
    yield shown.out, panel


def picker_suffixes(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.tick("social apps: how", "Social apps: how often")
    shown.out.get_by_role("button", name="Points of the scale of").click()
    panel = shown.out.get_by_role("dialog")
    panel.get_by_role("checkbox").nth(0).check()
    panel.get_by_role("checkbox").nth(1).check()
    yield shown.out, panel


def picker_locked(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.out.get_by_role("button", name="Filter").click()
    shown.out.get_by_role("checkbox", name="not included").check()
    page.page.keyboard.press("Escape")
    locked = shown.out.locator('[role="treeitem"][aria-disabled]').first
    # Playwright would wait until it is enabled; people click all the same.
    locked.click(force=True)
    expect(shown.out.locator(".al-picker-details .al-warning")).to_be_visible()
    yield (shown.out,)


def picker_audience(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.tick("age 25", "25 to 34")
    shown.tick("age 18", "18 to 24")
    shown.tick("gender female", "Female")
    expect(shown.out).to_contain_text("respondents")
    yield (shown.out,)


def picker_nothing(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.box.fill("social apps at sea")
    yield (shown.out,)


def jupyterlab_insert(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenPicker(page)
    shown.tick("age 25", "25 to 34")
    shown.tick("gender female", "Female")
    shown.out.get_by_role("button", name="Insert into a cell below").click()
    yield shown.out, page.cell(2)
    page.command("notebook:undo-cell-action")


PICKER_SCENES: dict[str, tuple[str, Scene]] = {
    "picker": (PICKER, picker),
    "picker-categories": (PICKER, picker_categories),
    "picker-filter": (PICKER, picker_filter),
    "picker-suffixes": (PICKER, picker_suffixes),
    "picker-locked": (PICKER, picker_locked),
    "picker-audience": (AUDIENCE_PICKER, picker_audience),
    "picker-nothing": (PICKER, picker_nothing),
    "jupyterlab-insert": (PICKER, jupyterlab_insert),
}
