"""The screenshots of the guides, taken of the real widgets in a real JupyterLab.

`python -m tests.browser.screenshots` (or `make screenshots`) takes them all again, in the light
and the dark theme, into `docs/images`; with names, only those scenes. Look at them before they
are committed.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import FloatRect, Locator, ViewportSize, expect, sync_playwright

from tests.browser.conftest import CHROMIUM_OPTIONS, PATIENCE, Lab, find_chromium
from tests.browser.editing import SET_UP, OpenEditor
from tests.browser.page import NotebookPage
from tests.browser.picking import OpenPicker
from tests.browser.png import small_png
from tests.browser.server import LabServer

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
QUICKSTART = ROOT / "notebooks" / "01-quickstart.ipynb"
THEMES = ("light", "dark")
# What a page of the guides shows in its own size.
WINDOW: ViewportSize = {"width": 1010, "height": 1000}

PICKER = "picker = al.QuestionPicker(client)\npicker"
AUDIENCE_PICKER = "picker = al.QuestionPicker(client, mode='audience')\npicker"
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
WORKBENCH = """\
bench = al.Workbench(
    client,
    rows={"Social apps": client.catalogue.audiences("q20")},
    columns={"Gender": client.catalogue.audiences("q2"), "Age": client.catalogue.audiences("q4")},
)
bench"""

Shown = tuple[Locator, ...]
"""What a picture has to show, all of it."""


# ---- the picker ----


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
    shown.out.get_by_role("button", name="Suffixes of").click()
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


# ---- the editor ----


def editor(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.row("Market").hover()
    yield (shown.out,)


def editor_add(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    shown.button("Add condition").click()
    panel = shown.out.get_by_role("dialog")
    panel.get_by_role("combobox").fill("tablet")
    panel.get_by_role("treeitem").filter(has_text="m1_3").click()
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
    for word in ("Social", "Market"):
        shown.row(word).get_by_role("gridcell").nth(1).click(modifiers=["Control"])
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
    expect(shown.out.get_by_role("region")).to_contain_text("sample")
    yield (shown.out,)


def editor_warnings(page: NotebookPage) -> Iterator[Shown]:
    shown = OpenEditor(page)
    expect(shown.out).to_contain_text("too few to report")
    yield (shown.out,)


def editor_empty(page: NotebookPage) -> Iterator[Shown]:
    yield (OpenEditor(page).out,)


# ---- the workbench ----


def workbench(page: NotebookPage) -> Iterator[Shown]:
    page.page.set_viewport_size({"width": 1560, "height": 1000})
    shown = page.cell_output(1).locator(".al-workbench")
    questions = shown.locator(".al-pane-questions")
    questions.locator("input[role=combobox]").fill("gender")
    questions.get_by_role("treeitem", name="Gender").first.click()
    questions.locator("input[role=combobox]").fill("")
    chart = shown.locator('.al-pane-chart img[data-current="true"]')
    # The first one waits for the libraries that draw.
    chart.wait_for(timeout=3 * PATIENCE)
    rows = shown.get_by_role("row")
    cell = rows.filter(has=page.page.get_by_role("rowheader", name="Corkboard", exact=True))
    cell.locator('[aria-colindex="5"]').click()
    expect(chart).to_have_attribute("alt", re.compile("bar"))
    yield (shown,)
    page.page.set_viewport_size(WINDOW)


# Scenes whose numbers are old, and are meant to be.
GREY = {"editor-unfinished"}

Scene = Callable[[NotebookPage], Iterator[Shown]]

SCENES: dict[str, tuple[str, Scene]] = {
    "picker": (PICKER, picker),
    "picker-categories": (PICKER, picker_categories),
    "picker-filter": (PICKER, picker_filter),
    "picker-suffixes": (PICKER, picker_suffixes),
    "picker-locked": (PICKER, picker_locked),
    "picker-audience": (AUDIENCE_PICKER, picker_audience),
    "picker-nothing": (PICKER, picker_nothing),
    "jupyterlab-insert": (PICKER, jupyterlab_insert),
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
    "workbench": (WORKBENCH, workbench),
}


# ---- taking them ----


def main(names: list[str]) -> int:
    """Take the scenes of these names, by default all; 2 for an unknown name."""
    known = [*SCENES, "quickstart"]
    if unknown := [name for name in names if name not in known]:
        print(f"No scene {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    with real_lab() as lab:
        page = lab.open(lab.write("scene", [SET_UP, PICKER]))
        page.page.set_viewport_size(WINDOW)
        page.command("application:toggle-left-area")
        page.run_cell(0)
        for name in names or known:
            if name in SCENES:
                take(page, name, *SCENES[name])
        if not names or "quickstart" in names:
            take_quickstart(lab)
    return 0


@contextmanager
def real_lab() -> Generator[Lab]:
    """JupyterLab in a browser, as the tests drive it."""
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = LabServer(Path(folder))
        try:
            server.start()
            chromium = playwright.chromium.launch(
                executable_path=find_chromium(), args=CHROMIUM_OPTIONS, headless=True
            )
            context = chromium.new_context(viewport={"width": 1200, "height": 860})
            context.set_default_timeout(PATIENCE)
            yield Lab(server, context)
            chromium.close()
        finally:
            server.stop()


def take(page: NotebookPage, name: str, code: str, scene: Scene) -> None:
    """Run the widget anew, bring it into its state, and take it in each theme."""
    page.page.evaluate(
        "code => window.jupyterapp.shell.currentWidget.content.widgets[1]"
        ".model.sharedModel.setSource(code)",
        code,
    )
    # Questions that other scenes picked are not offered again.
    page.page.evaluate("() => localStorage.removeItem('audiencelab.recent')")
    page.run_cell(1)
    for shown in scene(page):
        for theme in THEMES:
            page.theme(theme)
            waiting = ".al-skeleton"
            if name not in GREY:
                waiting += ", .al-stale, [data-current=false]"
            expect(page.cell_output(1).locator(waiting)).to_have_count(0)
            keep(page, f"{name}-{theme}", box_around(page, shown))
    page.page.keyboard.press("Escape")
    page.theme("light")


def box_around(page: NotebookPage, shown: Shown) -> FloatRect:
    """The widget without its cell's prompt, and what floats over it."""
    widget = page.cell_output(1).locator(".audiencelab").first
    boxes = [box for each in (widget, *shown[1:]) if (box := each.bounding_box())]
    left, top = min(b["x"] for b in boxes), min(b["y"] for b in boxes)
    right = max(b["x"] + b["width"] for b in boxes)
    bottom = max(b["y"] + b["height"] for b in boxes)
    # Right above it stands the code.
    return {"x": left - 8, "y": top, "width": right - left + 16, "height": bottom - top + 8}


def take_quickstart(lab: Lab) -> None:
    """The first notebook as it opens: an audience, and the table of it."""
    page = lab.open(QUICKSTART)
    page.page.set_viewport_size({"width": 1080, "height": 740})
    page.command("application:toggle-left-area")
    page.run_all()
    grid = page.page.locator(".jp-Notebook .jp-Cell").filter(has=page.page.get_by_role("grid"))
    expect(grid.first.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    for theme in THEMES:
        page.theme(theme)
        grid.first.scroll_into_view_if_needed()
        keep(page, f"quickstart-{theme}", None)


def keep(page: NotebookPage, name: str, clip: FloatRect | None) -> None:
    taken = page.page.screenshot(clip=clip, animations="disabled", caret="hide")
    file = IMAGES / f"{name}.png"
    file.write_bytes(small_png(page.page, taken))
    print(f"{file.stat().st_size / 1000:5.0f} kB  {file.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
