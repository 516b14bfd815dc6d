"""The animation in the README, recorded from a workbench in JupyterLab.

`python -m tests.browser.moving` (part of `make screenshots`) takes it again in both themes, with a
still of each for readers who want nothing to move: answers are ticked, become rows and an audience,
the table is counted, a cell drawn, and all of it written as code.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path
from typing import Literal

from PIL import Image
from playwright.sync_api import Locator, ViewportSize, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage
from tests.browser.screenshots import IMAGES, real_lab

CELL = "import audiencelab as al\n\nclient = al.connect()\nal.Workbench(client)"
# As small as shows all of it, since readers see it smaller still.
WINDOW: ViewportSize = {"width": 1120, "height": 880}
# The first chart of a kernel waits for the libraries that draw.
FIRST_CHART_MS = 90_000

POINTER = """([x, y]) => {
  const dot = document.getElementById("pointer") ?? document.body.appendChild(
    Object.assign(document.createElement("div"), { id: "pointer" }));
  dot.style.cssText = `position: fixed; left: ${x - 11}px; top: ${y - 11}px; width: 22px;
    height: 22px; border-radius: 50%; background: rgb(255 140 0 / 55%);
    pointer-events: none; z-index: 99999`;
}"""


class Film:
    """What the workbench shows, picture by picture; `still` is the place of the best one."""

    def __init__(self, page: NotebookPage) -> None:
        self.page = page
        self.bench = page.cell_output(0).locator(".al-workbench")
        self.frames: list[tuple[Image.Image, int]] = []
        self.still = 0

    def part(self, name: str) -> Locator:
        return self.bench.locator(f".al-pane-{name}")

    def box(self, questions: Locator, name: str) -> Locator:
        """The tick box of the first row with such a name."""
        row = questions.get_by_role("treeitem", name=re.compile(name)).first
        return row.locator(".al-picker-box")

    def show(self, seconds: float) -> None:
        """Once everything is counted, keep what is seen, for so long."""
        expect(self.bench.locator(".al-skeleton, .al-stale")).to_have_count(0)
        expect(self.part("table")).not_to_contain_text("Not counted yet")
        png = self.page.page.screenshot(animations="disabled", caret="hide")
        picture = Image.open(io.BytesIO(png)).convert("RGB")
        self.frames.append((picture, round(seconds * 1000)))

    def click(self, what: Locator, seconds: float = 1.2) -> None:
        """Point at something, show that, click it, and show what came of it."""
        box = what.bounding_box()
        assert box is not None
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        self.page.page.evaluate(POINTER, middle)
        self.show(0.6)
        what.click()
        self.page.page.wait_for_timeout(400)
        self.show(seconds)

    def search(self, words: str) -> None:
        """Look for words, with nothing picked before."""
        clear = self.part("questions").get_by_role("button", name="Clear", exact=True)
        if clear.count():
            clear.click()
        self.part("questions").locator("input[role=combobox]").fill(words)
        self.page.page.wait_for_timeout(400)
        self.show(0.8)

    def button(self, name: str) -> Locator:
        return self.bench.get_by_role("button", name=name, exact=True)

    # ---- the story ----

    def play(self) -> None:
        """Pick, build an audience, count, draw, and take the code."""
        questions, audience, table = map(self.part, ("questions", "audience", "table"))
        self.show(1.0)
        self.search("social apps")
        self.click(self.box(questions, "Social apps: how"))
        self.click(self.button("Add to rows"))
        self.search("gender")
        self.click(self.box(questions, "^Gender"), 0.8)
        self.click(self.button("Add to columns"))
        self.search("age 18")
        self.click(self.box(questions, "^18 to 24"), 0.8)
        self.click(self.button("Add to the audience"))
        self.click(self.bench.get_by_role("tab", name="Audience"), 1.4)
        expect(audience.get_by_role("row").filter(has_text="Age")).to_be_visible()
        self.click(self.button("Use as base"), 1.6)
        row = table.get_by_role("row").filter(
            has=self.page.page.get_by_role("rowheader", name="Corkboard", exact=True)
        )
        self.click(row.locator('[aria-colindex="5"]').first, 1.8)
        self.still = len(self.frames) - 1
        self.click(self.bench.get_by_role("tab", name="Chart"), 0.2)
        chart = self.part("chart").locator('.al-chart[data-current="true"]')
        chart.wait_for(timeout=FIRST_CHART_MS)
        self.show(2.0)
        self.click(self.button("Save workbench"), 1.0)
        dialog = self.bench.get_by_role("dialog")
        self.click(dialog.get_by_role("button", name="Insert as a cell below"), 0.6)
        self.page.page.keyboard.press("Escape")
        self.bench.get_by_role("tab", name="Table").click()
        self.page.page.evaluate("() => document.getElementById('pointer')?.remove()")
        self.page.cell(1).evaluate("(cell) => cell.scrollIntoView({ block: 'end' })")
        self.show(3.0)


def film(lab: Lab, theme: Literal["light", "dark"]) -> None:
    """The story in a theme, and its most telling picture by itself."""
    page = lab.open(lab.write(f"tour-{theme}", [CELL]))
    page.page.set_viewport_size(WINDOW)
    page.command("application:toggle-left-area")
    page.theme(theme)
    page.run_all()
    taken = Film(page)
    taken.play()
    pictures, times = zip(*taken.frames, strict=True)
    how = {"lossless": True, "quality": 90, "method": 6}
    moving = IMAGES / f"tour-{theme}.webp"
    pictures[0].save(
        moving, save_all=True, append_images=pictures[1:], duration=list(times), loop=0, **how
    )
    still = IMAGES / f"tour-{theme}-still.webp"
    pictures[taken.still].save(still, **how)
    for file in (moving, still):
        print(f"{file.stat().st_size / 1000:5.0f} kB  {file.name}", flush=True)


def main() -> int:
    Path(IMAGES).mkdir(exist_ok=True)
    with real_lab() as lab:
        for theme in ("light", "dark"):
            film(lab, theme)
    return 0


if __name__ == "__main__":
    sys.exit(main())
