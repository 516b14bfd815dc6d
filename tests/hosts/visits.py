"""What a visitor of a page must see, and what must reach Python when they click."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page
from playwright.sync_api import Error as PlaywrightError

from tests.browser.page import sort_by

__all__ = ["KINDS", "LIVE", "SAVED", "Heard", "Visit", "Visitor", "click", "look"]

KINDS = ("picker", "editor", "grid", "chart", "workbench", "play")

# What of each widget of `apps/everything.py` stands on the page while its kernel lives …
LIVE: dict[str, Callable[[Page], Locator]] = {
    "picker": lambda page: _group(page, "Question picker").get_by_role("treeitem"),
    "editor": lambda page: _group(page, "Audience editor").get_by_text("71,638,648"),
    "grid": lambda page: _group(page, "Crosstab").get_by_role("gridcell").filter(has_text="100.3"),
    "chart": lambda page: _group(page, "Chart of a crosstab").locator("svg, img, canvas"),
    "workbench": lambda page: (
        _group(page, "Workbench").get_by_role("gridcell").filter(has_text="17.2%")
    ),
    "play": lambda page: _group(page, "Simulation").get_by_role("img", name="1 dot,"),
}
# … and where none ever did, or it has ended.
SAVED: dict[str, Callable[[Page], Locator]] = {
    "picker": lambda page: page.get_by_text("any answer"),
    "editor": lambda page: page.get_by_text("71,638,648"),
    "grid": lambda page: page.get_by_text("100.3"),
    "chart": lambda page: page.get_by_text("Chart of the selected cells").or_(
        page.locator("img[src^='data:image/svg'], svg.marks, svg[class*=vega], .jp-RenderedSVG")
    ),
    "workbench": lambda page: page.get_by_text("17.2%"),
    "play": lambda page: page.get_by_text("the truth is 37%"),
}
FALSE = (
    "Run this cell again",
    "was restarted",
    "Waiting for the kernel",
    "model not found",
    "Error displaying widget",
    "Error creating widget",
    "Failed to load model",
    "Loading widget",
)
"""Sentences that are not true of a page that only waits for nobody, in these hosts."""

# Widgets that something around them cuts off below, where nobody can scroll to.
_CUT = """() => {
  const roots = [];
  const find = (within) => {
    for (const each of within.querySelectorAll("*")) {
      if (each.matches(".audiencelab")) roots.push(each);
      if (each.shadowRoot) find(each.shadowRoot);
    }
  };
  find(document);
  const isCut = (root) => {
    const { bottom, height } = root.getBoundingClientRect();
    for (let box = root.parentNode; height && box; box = box.host ?? box.parentNode) {
      if (!(box instanceof Element)) continue;
      const { overflowY } = getComputedStyle(box);
      if (overflowY === "auto" || overflowY === "scroll") return false;
      if (overflowY === "visible" || box === document.body) continue;
      if (bottom > box.getBoundingClientRect().bottom + 1) return true;
    }
    return false;
  };
  return roots.filter(isCut).map((root) => root.getAttribute("aria-label"));
}"""

_NETWORK = re.compile(r"net::ERR_|Failed to load resource|ERR_NAME_NOT_RESOLVED")


def _group(page: Page, name: str) -> Locator:
    """A widget by its name; those inside a workbench come after those that stand alone."""
    return page.get_by_role("group", name=name, exact=True).first


class Heard:
    """The file in which Python notes what it was told."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def lines(self) -> list[dict[str, str]]:
        if not self._file.exists():
            return []
        return [json.loads(line) for line in self._file.read_text("utf-8").splitlines()]


@dataclass
class Visit:
    """One look at a page, and what was wrong with it."""

    name: str
    faults: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    seconds: float = 0.0
    reached: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        return not self.faults


class Visitor:
    """A page in a browser that remembers nothing, and the visit that is blamed for what it says."""

    def __init__(self, context: BrowserContext, visit: Visit, own_faults: Sequence[str]) -> None:
        self.visit = visit
        self._own_faults = own_faults
        self.page = context.new_page()
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self._blame(f"thrown: {error}"))

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not _NETWORK.search(message.text):
            self._blame(f"console: {message.text}")

    def _blame(self, text: str) -> None:
        if not any(own in text for own in self._own_faults):
            self.visit.faults.append(text.splitlines()[0][:200])

    def leave(self) -> None:
        """Close the page."""
        self.page.context.close()


def look(
    visitor: Visitor,
    wanted: dict[str, Callable[[Page], Locator]],
    kinds: Sequence[str] = KINDS,
    *,
    seconds: float,
) -> None:
    """Wait for each widget, then read what the page says."""
    page, visit = visitor.page, visitor.visit
    begun = time.monotonic()
    deadline = begun + seconds
    missing = list(kinds)
    while missing and time.monotonic() < deadline:
        for kind in list(missing):
            if _is_seen(wanted[kind](page)):
                missing.remove(kind)
                visit.drawn.append(kind)
                visit.seconds = time.monotonic() - begun
        page.wait_for_timeout(100)
    if missing:
        visit.faults.append("not drawn: " + ", ".join(missing))
    # What is said only when nothing was heard for a while.
    page.wait_for_timeout(4_000)
    for sentence in FALSE:
        found = page.get_by_text(sentence)
        if seen := sum(each.is_visible() for each in found.all()):
            visit.faults.append(f"says {sentence!r} {seen}×")
    if cut := page.evaluate(_CUT):
        visit.faults.append("cut off: " + ", ".join(map(str, cut)))


def click(visitor: Visitor, heard: Heard, *, seconds: float = 30) -> None:
    """Tick a question and sort a column; both must reach Python."""
    page, visit = visitor.page, visitor.visit
    before = len(heard.lines())

    def told(kind: str, name: str) -> bool:
        return any((line["kind"], line["name"]) == (kind, name) for line in heard.lines()[before:])

    def wait(what: str, kind: str, name: str) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if told(kind, name):
                visit.reached.append(what)
                return
            page.wait_for_timeout(100)
        visit.faults.append(f"{what} did not reach Python")

    for what, kind, name, act in (
        ("a tick", "picker", "value", _tick),
        ("a sort", "grid", "_arrangement", _sort),
    ):
        try:
            act(page)
        except PlaywrightError as error:
            visit.faults.append(f"{what} was not possible: {error.message.splitlines()[0]}")
        else:
            wait(what, kind, name)


def _tick(page: Page) -> None:
    picker = _group(page, "Question picker")
    picker.get_by_role("combobox").fill("short video", timeout=10_000)
    item = picker.get_by_role("treeitem").filter(has_text="Short video a day")
    item.click(timeout=10_000)


def _sort(page: Page) -> None:
    head = _group(page, "Crosstab").get_by_role("columnheader").filter(has_text="18 to 24")
    head.first.scroll_into_view_if_needed(timeout=10_000)
    sort_by(head.first)


def _is_seen(found: Locator) -> bool:
    with suppress(PlaywrightError):
        return any(each.is_visible() for each in found.all()[:20])
    return False
