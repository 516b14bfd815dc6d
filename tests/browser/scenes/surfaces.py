"""Everything that people see of audiencelab in JupyterLab, on a survey of an agency and the demo.

Each surface is a function that brings a desk into a state. What it returns, if anything, opens
what closes when the window changes, such as a menu, and is called before every picture.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from playwright.sync_api import Locator, expect

import audiencelab as al
from tests.agency import Agency
from tests.browser.conftest import Lab
from tests.browser.sidebar import OpenSidebar

__all__ = ["SURFACES", "Desk"]

Again: TypeAlias = Callable[[], object] | None

SURVEY = "agency.sav"
OPEN = f'al.open("{SURVEY}", weight="weight", quiet=True)'
CELLS = {
    "set up": f"import audiencelab as al\nclient, demo = {OPEN}, al.connect()",
    "picker": "al.QuestionPicker(client)",
    "editor": (
        "brands = client['b1'].any('b1_1', 'b1_2') & ~client['geschlecht'].any('geschlecht_1')\n"
        "al.AudienceEditor(client, al.Audience('Kennen Nordwald oder Brühwerk', brands))"
    ),
    "grid": (
        "al.Crosstab(client, 'b1', al.nest('geschlecht', 'altersgruppe'),\n"
        "    metrics=['column_percentage', 'letters'])"
    ),
    "demo": "al.Crosstab(demo, 'Social apps: how often', ['Gender', 'Age'])",
    "result": "client.crosstab('f30', 'geschlecht')",
}
NESTED = al.nest("altersgruppe", "geschlecht")


class Desk:
    """A JupyterLab with the files of the surfaces, and one page of it."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.folder = lab.folder
        Agency().write(self.folder / SURVEY)
        self._write_documents()
        self.page = lab.open(lab.write("cells", list(CELLS.values())))
        self.view = self.page.page
        self._has_run = False

    @property
    def tab(self) -> Locator:
        """The workbench tab in front."""
        return self.view.locator(".audiencelab-tab:visible")

    def open(self, name: str) -> Locator:
        """The tab of a document of the folder, its table complete, and the file browser."""
        self.page.command("filebrowser:activate")
        self.page.command("docmanager:open", path=f"{name}.audiencelab.json")
        expect(self.tab.get_by_role("grid")).to_have_attribute("aria-busy", "false")
        return self.tab

    def double_click(self, name: str) -> None:
        """Double click a file in the file browser."""
        self.page.command("filebrowser:activate")
        self.view.locator(".jp-DirListing-item").filter(has_text=name).dblclick()

    def cell(self, name: str) -> Again:
        """Show a cell of the notebook, after all of them have run."""
        self.page.command("filebrowser:activate")
        self.page.command("docmanager:open", path="cells.ipynb")
        if not self._has_run:
            self.page.run_all()
            self._has_run = True
        cell = self.page.cell(list(CELLS).index(name))
        return lambda: cell.evaluate("cell => cell.scrollIntoView({ block: 'start' })")

    def _write_documents(self) -> None:
        client = al.open(self.folder / SURVEY, weight="weight", quiet=True)
        agency = f'al.open("{SURVEY}", weight="weight")'
        for name, connect, bench in (
            ("brands", agency, al.Workbench(client, "b1", NESTED)),
            ("grid", agency, al.Workbench(client, "f10", NESTED)),
            ("japanese", agency, al.Workbench(client, "j20", "geschlecht")),
            ("demo", "al.connect()", al.Workbench(al.connect(), "Finding brands", "Age")),
            ("empty", agency, al.Workbench(client)),
        ):
            document = bench.to_document() | {"connect": connect}
            self._write(f"{name}.audiencelab.json", json.dumps(document))
        self._write("broken.sav", "not a survey")
        client.crosstab("b1", NESTED).save(self.folder / "table.html")

    def _write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


# ---- JupyterLab around the widgets ----


def launcher(desk: Desk) -> Again:
    desk.page.command("launcher:create")
    card = desk.view.locator(".jp-LauncherCard").filter(has_text="Workbench").last
    return card.scroll_into_view_if_needed


def files(desk: Desk) -> Again:
    desk.page.command("launcher:create")
    desk.page.command("filebrowser:activate")
    item = desk.view.locator(".jp-DirListing-item").filter(has_text=SURVEY)

    def again() -> None:
        desk.page.command("filebrowser:activate")
        item.click(button="right")

    return again


def card(desk: Desk) -> Again:
    """What a double click on a data file opens."""
    desk.double_click(SURVEY)
    expect(desk.tab.get_by_role("grid")).to_have_attribute("aria-busy", "false")
    expect(desk.tab.get_by_role("region", name="About this survey")).to_contain_text("more")
    return None


def unreadable(desk: Desk) -> Again:
    desk.double_click("broken.sav")
    expect(desk.tab.get_by_role("button", name="Try again")).to_be_visible()
    return None


def _section(name: str) -> Callable[[Desk], Again]:
    return lambda desk: lambda: OpenSidebar(desk.page).section(name)


# ---- the workbench ----


def table(desk: Desk) -> Again:
    desk.open("brands")
    return None


def table_of_grid(desk: Desk) -> Again:
    desk.open("grid")
    return None


def table_of_japanese(desk: Desk) -> Again:
    desk.open("japanese")
    return None


def table_of_demo(desk: Desk) -> Again:
    desk.open("demo")
    return None


def empty(desk: Desk) -> Again:
    desk.page.command("docmanager:open", path="empty.audiencelab.json")
    expect(desk.tab.locator(".al-workbench")).to_be_visible()
    return None


def selected(desk: Desk) -> Again:
    tab = desk.open("brands")
    names = tab.get_by_role("rowheader")

    def again() -> None:
        names.nth(2).click()
        names.nth(4).click(modifiers=["Shift"])

    return again


def display(desk: Desk) -> Again:
    return _opens(desk.open("brands").get_by_role("button", name="Display", exact=True))


def keep(desk: Desk) -> Again:
    return _opens(desk.open("brands").get_by_role("button", name="Save workbench"))


def send(desk: Desk) -> Again:
    return _opens(desk.open("brands").get_by_role("button", name="Send", exact=True).first)


def deck(desk: Desk) -> Again:
    tab = desk.open("brands")
    tab.get_by_role("button", name="Add to deck").first.click()
    expect(tab.get_by_role("dialog", name="Deck").get_by_role("listitem")).to_have_count(1)
    desk.view.keyboard.press("Escape")
    return _opens(tab.get_by_role("button", name="Deck of").first)


def chart(desk: Desk) -> Again:
    tab = desk.open("brands")

    def again() -> None:
        if (choice := tab.get_by_role("tab", name="Chart")).is_visible():
            choice.click()
        expect(tab.locator('.al-chart[data-current="true"] svg').first).to_be_visible()

    return again


def audience(desk: Desk) -> Again:
    return _pane(desk, "Audience")


def questions(desk: Desk) -> Again:
    return _pane(desk, "Questions")


def _pane(desk: Desk, name: str) -> Again:
    tab = desk.open("demo")

    def again() -> None:
        choice = tab.get_by_role("tab", name=name).or_(tab.get_by_role("button", name=name)).first
        if choice.get_attribute("aria-selected") != "true":
            choice.click()

    return again


def _opens(button: Locator) -> Again:
    return lambda: button.click()


# ---- a notebook, and what leaves it ----


def _in_notebook(name: str) -> Callable[[Desk], Again]:
    return lambda desk: desk.cell(name)


def restarted(desk: Desk) -> Again:
    """The saved form: a notebook whose kernel has ended."""
    again = desk.cell("grid")
    desk.page.command("docmanager:save")
    desk.page.restart_kernel()
    desk.page.reload()
    return again


def exported(desk: Desk) -> Again:
    """A page that somebody is sent, in a tab of its own."""
    desk.view.goto((desk.folder / "table.html").as_uri())
    return None


SURFACES: dict[str, Callable[[Desk], Again]] = {
    "launcher": launcher,
    "files": files,
    "catalogue": _section("Questions"),
    "surveys": _section("Surveys"),
    "saved": _section("Saved"),
    "table": table,
    "table-grid": table_of_grid,
    "table-japanese": table_of_japanese,
    "table-demo": table_of_demo,
    "empty": empty,
    "selected": selected,
    "display": display,
    "keep": keep,
    "send": send,
    "deck": deck,
    "chart": chart,
    "questions": questions,
    "audience": audience,
    "card": card,
    "unreadable": unreadable,
    **{f"cell-{name}": _in_notebook(name) for name in list(CELLS)[1:]},
    "restarted": restarted,
    "exported": exported,
}
