"""The screenshots of the guides, taken of widgets in JupyterLab.

`python -m tests.browser.screenshots` (or `make screenshots`) takes them all again, in the light
and the dark theme, into `docs/images`; with names, only those scenes. Look at them before they
are committed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import FloatRect, expect, sync_playwright

from tests.browser.conftest import CHROMIUM_OPTIONS, PATIENCE, Lab, find_chromium
from tests.browser.editing import SET_UP
from tests.browser.page import NotebookPage
from tests.browser.png import small_png
from tests.browser.scenes import GREY, SCENES, WINDOW, Scene, Shown
from tests.browser.server import LabServer
from tests.browser.sidebar import OpenSidebar

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
QUICKSTART = ROOT / "notebooks" / "01-quickstart.ipynb"
THEMES = ("light", "dark")

PLACEHOLDER = "..."


def main(names: list[str]) -> int:
    """Take the scenes of these names, by default all; 2 for an unknown name."""
    known = [*SCENES, *PAGES]
    if unknown := [name for name in names if name not in known]:
        print(f"No scene {', '.join(unknown)}; there are {', '.join(known)}.", file=sys.stderr)
        return 2
    with real_lab() as lab:
        page = lab.open(lab.write("scene", [SET_UP, PLACEHOLDER]))
        page.command("application:toggle-left-area")
        # The bar that marks the selected cell is Lab's, and stands so near that it would show.
        page.page.add_style_tag(content=".jp-Collapser { visibility: hidden; }")
        page.run_cell(0)
        for name in names or known:
            if name in SCENES:
                take(page, name, *SCENES[name])
        for name in names or known:
            if name in PAGES:
                PAGES[name](lab)
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
    page.page.set_viewport_size(WINDOW)
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
    # Right above it stands the code, at the left and the right the frame of the cell.
    return {"x": left - 6, "y": top, "width": right - left + 12, "height": bottom - top + 6}


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


def take_sidebar(lab: Lab) -> None:
    """The sidebar, and in the notebook beside it what came of a question."""
    page = lab.open(lab.write("audiences", ["# Who they are"]))
    page.page.set_viewport_size({"width": 1080, "height": 620})
    sidebar = OpenSidebar(page)
    sidebar.tick("age", "Age")
    sidebar.button("Stats").click(modifiers=["Shift"])
    sidebar.expect_cells(2)
    page.wait_idle()
    expect(page.cell_output(1)).to_contain_text("65 and over")
    page.page.mouse.move(5, 5)
    for theme in THEMES:
        page.theme(theme)
        keep(page, f"sidebar-{theme}", None)


def take_launcher(lab: Lab) -> None:
    """The cards of the launcher."""
    page = lab.open(lab.write("launched", ["1"]))
    page.command("application:toggle-left-area")
    page.page.set_viewport_size({"width": 860, "height": 1000})
    page.command("launcher:create")
    section = page.page.locator(".jp-Launcher-section").filter(has_text="Audience research")
    expect(section.locator(".jp-LauncherCard").last).to_be_visible()
    for theme in THEMES:
        page.theme(theme)
        keep(page, f"launcher-{theme}", section.bounding_box())


PAGES: dict[str, Callable[[Lab], None]] = {
    "quickstart": take_quickstart,
    "sidebar": take_sidebar,
    "launcher": take_launcher,
}


def keep(page: NotebookPage, name: str, clip: FloatRect | None) -> None:
    taken = page.page.screenshot(clip=clip, animations="disabled", caret="hide")
    file = IMAGES / f"{name}.png"
    file.write_bytes(small_png(page.page, taken))
    print(f"{file.stat().st_size / 1000:5.0f} kB  {file.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
