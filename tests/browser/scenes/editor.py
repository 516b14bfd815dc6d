"""Scenes of the editor for the guides: each sets a state, and what to show."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.editing import OpenEditor
from tests.browser.page import NotebookPage
from tests.browser.scenes.scene import Scene, Shown

__all__ = ["EDITOR_SCENES"]


EDITOR = """\
young = al.Q("q4").any("q4_2", "q4_3")
often = al.Q("q20", suffixes=[1, 2]).at_least(2, "q20_1", "q20_2", "q20_3")
nested = young & (often | ~al.Q("q2").any("q2_1")) & al.Q("s2").any("s2_1", "s2_44")
editor = al.AudienceEditor(client, value=al.Audience("Young and connected", nested))
editor"""
WARNED = """\
nobody = al.Q("q2").any("q2_1") & ~al.Q("q2").any("q2_1")
apart = al.Q("waves").any("q1_2025") & al.Q("waves").any("q2_2025")
few = al.Q("q4").any("q4_1") & al.Q("s2").any("s2_49") & al.Q("waves").any("q1_2025")
editor = al.AudienceEditor(client, value=al.Audience("Warnings", nobody | apart | few))
editor"""


def editor(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.row("Age").hover()
    yield (shown.out,)


def editor_add(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.button("Add condition").click()
    panel = shown.out.get_by_role("dialog")
    panel.get_by_role("combobox").fill("tablet")
    panel.get_by_role("treeitem").filter(has_text="m1_3").locator(".al-picker-box").click()
    yield shown.out, panel


def editor_answers(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.row("Social").get_by_role("button", name="Choose answers of").click()
    yield shown.out, shown.out.get_by_role("dialog")


def editor_menu(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.row("Age").click(button="right")
    yield shown.out, shown.out.get_by_role("menu")


def editor_muted(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.row("Market").focus()
    shown.press("m")
    yield (shown.out,)


def editor_several(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    for word in ("Market", "Social"):
        shown.row(word).get_by_role("gridcell").nth(3).click(modifiers=["Control"])
    yield (shown.out,)


def editor_unfinished(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.button("Add group").click()
    yield (shown.out,)


def editor_saved(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.button("Saved audiences").click()
    yield shown.out, shown.out.get_by_role("dialog")


def editor_compared(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.button("Saved audiences").click()
    shown.out.get_by_role("button", name="Compare with").first.click()
    expect(shown.out.get_by_role("region")).to_contain_text("of the base")
    yield (shown.out,)


def editor_warnings(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    expect(shown.out).to_contain_text("too few to report")
    yield (shown.out,)


def editor_empty(page: NotebookPage) -> Iterator[Shown]:
    yield (OpenEditor(page).out,)


EDITOR_SCENES: dict[str, tuple[str, Scene]] = {
    "editor": (EDITOR, editor),
    "editor-empty": ("al.AudienceEditor(client)", editor_empty),
    "editor-add": (EDITOR, editor_add),
    "editor-answers": (EDITOR, editor_answers),
    "editor-menu": (EDITOR, editor_menu),
    "editor-muted": (EDITOR, editor_muted),
    "editor-several": (EDITOR, editor_several),
    "editor-unfinished": (EDITOR, editor_unfinished),
    "editor-saved": (EDITOR, editor_saved),
    "editor-compared": (EDITOR, editor_compared),
    "editor-warnings": (WARNED, editor_warnings),
}
