"""Page object of the audiences sidebar; finds controls by accessible names."""

from __future__ import annotations

from collections.abc import Sequence

from playwright.sync_api import Locator, expect

from tests.browser.page import NotebookPage

__all__ = ["OpenSidebar"]

SOURCES = """() => {
  const { model } = window.jupyterapp.shell.currentWidget.content;
  return [...Array(model.cells.length).keys()]
    .map((i) => model.cells.get(i).sharedModel.getSource());
}"""


class OpenSidebar:
    """The sidebar of a page, shown by its command."""

    def __init__(self, page: NotebookPage) -> None:
        self.lab = page
        self.page = page.page
        page.command("audiencelab:show-sidebar")
        self.out = page.page.locator(".audiencelab-sidebar")
        expect(self.survey).to_be_enabled()

    @property
    def survey(self) -> Locator:
        """The button that says which survey it is and opens the choice of others."""
        return self.out.get_by_role("button", name="Survey:")

    @property
    def status(self) -> Locator:
        """What is said of the survey: whether it answers, and where its credential is."""
        return self.out.locator(".al-sidebar-status")

    @property
    def box(self) -> Locator:
        """The search box of the catalogue."""
        return self.out.get_by_role("combobox")

    def row(self, text: str) -> Locator:
        return self.out.get_by_role("treeitem").filter(has_text=text).first

    def tick(self, search: str, text: str) -> None:
        self.box.fill(search)
        self.row(text).locator(".al-picker-box").click()

    def section(self, name: str) -> Locator:
        """Go to one of the sections, and have it."""
        self.out.get_by_role("tab", name=name).click()
        return self.out.get_by_role("tabpanel", name=name)

    def button(self, name: str) -> Locator:
        return self.out.get_by_role("button", name=name, exact=True)

    def choose(self, name: str) -> None:
        """Choose another survey."""
        self.survey.click()
        panel = self.out.get_by_role("dialog", name="Choose a survey")
        panel.get_by_role("button", name=name).first.click()
        expect(panel).to_have_count(0)

    def sources(self) -> list[str]:
        """What stands in the cells of the notebook in front."""
        return self.page.evaluate(SOURCES)

    def expect_cells(self, many: int) -> Sequence[str]:
        """Wait for a number of cells, and have their sources."""
        expect(self.page.locator(".jp-Notebook .jp-Cell")).to_have_count(many)
        return self.sources()

    def drag(self, what: Locator, onto: Locator) -> None:
        """As a hand does it: press, move over the target, let go."""
        onto.scroll_into_view_if_needed()
        start = what.bounding_box()
        assert start is not None
        # Waits until the row stays where it is: a search moves the rows.
        what.hover(position={"x": min(60, start["width"] / 2), "y": start["height"] / 2})
        start, card = what.bounding_box(), self.page.locator(".al-drag-card")
        assert start is not None
        mouse = self.page.mouse
        mouse.down()
        mouse.move(start["x"] + 80, start["y"] + start["height"] / 2 + 10, steps=3)
        expect(card).to_be_visible()
        end = onto.bounding_box()
        assert end is not None
        mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=5)
        mouse.up()
        expect(card).to_have_count(0)
