"""Page object of an audience editor in a notebook; finds controls by accessible names."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab
from tests.browser.page import NotebookPage

SET_UP = "import audiencelab as al\nclient = al.connect()"


class OpenEditor:
    """One editor, in the output of a cell."""

    def __init__(self, page: NotebookPage, cell: int = 1) -> None:
        self.page = page
        self.out = page.cell_output(cell)
        self.keys = page.page.keyboard
        expect(self.out.locator(".al-editor-base")).to_be_visible()

    @property
    def rows(self) -> Locator:
        return self.out.locator("[role=row][data-node]")

    def row(self, name: int | str) -> Locator:
        """A row by its place, or by words in its name."""
        return self.rows.nth(name) if isinstance(name, int) else self.named(name)

    def named(self, words: str) -> Locator:
        return self.out.locator(f'[role=row][data-node][aria-label*="{words}"]').last

    def button(self, name: str) -> Locator:
        return self.out.get_by_role("button", name=name, exact=True)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.keys.press(key)

    def add(self, *codes: str) -> None:
        """Tick answers in the open picker and add them."""
        dialog = self.out.get_by_role("dialog")
        for code in codes:
            dialog.get_by_role("combobox").fill(code)
            dialog.get_by_role("treeitem").filter(has_text=re.compile(f"{code}$")).locator(
                ".al-picker-box"
            ).click()
        dialog.get_by_role("button", name="Add", exact=True).click()
        expect(dialog).to_have_count(0)

    def undo_all(self) -> int:
        """Undo until nothing is left; returns the number of steps."""
        steps = 0
        undo = self.out.get_by_role("button", name="Undo:")
        while not self.button("Nothing to undo").is_visible():
            undo.click()
            steps += 1
        return steps

    def settled(self) -> None:
        """Wait until no number is old and the code is that of the tree."""
        expect(self.out.locator(".al-stale")).to_have_count(0)
        expect(self.out.locator(".al-skeleton")).to_have_count(0)

    def samples(self) -> list[int]:
        cells = self.rows.locator("[role=gridcell]:nth-child(3)")
        expect(cells.filter(has_not_text=re.compile(r"\d"))).to_have_count(0)
        cells = cells.all_inner_texts()
        return [int(cell.replace(",", "")) for cell in cells]

    def shows_samples_of(self, name: str) -> None:
        """Every node's sample comes to be that of the editor of this name in Python."""
        counted = self.python(f"{name}.to_frame()['sample'].tolist()")
        self.page.becomes(self.samples, counted)

    def python(self, code: str) -> Any:
        return self.page.python(code)

    def becomes(self, code: str, expected: object) -> None:
        """Python comes to see what the page shows."""
        self.page.expect_python(code, expected)


def open_editor(lab: Lab, name: str, show: str, *more: str) -> OpenEditor:
    """A new notebook with the editor that `show` shows, and more cells below it."""
    page = lab.run(name, [SET_UP, show, *more])
    editor = OpenEditor(page)
    # What comes in moves what is below it.
    editor.settled()
    return editor
