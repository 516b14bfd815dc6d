"""Page object of a question picker in a notebook; finds controls by accessible names."""

from __future__ import annotations

from playwright.sync_api import Locator, expect

from tests.browser.page import NotebookPage


class OpenPicker:
    """One picker, in the output of a cell."""

    def __init__(self, page: NotebookPage, cell: int = 1) -> None:
        self.page = page
        self.out = page.cell_output(cell)
        self.box = self.out.get_by_role("combobox")
        expect(self.out.get_by_role("treeitem").first).to_be_visible()

    def row(self, text: str) -> Locator:
        return self.out.get_by_role("treeitem").filter(has_text=text).first

    def tick(self, search: str, text: str) -> None:
        self.box.fill(search)
        self.row(text).locator(".al-picker-box").click()

    def expect_value(self, code: list[str]) -> None:
        """Wait until Python has picked what this code says."""
        self.page.expect_python("[leaf.to_code() for leaf in picker.value]", code)
