"""Widgets in each kind of host: the real Python half, Chromium, and a manager that does little.

`make test-hosts` tries the hosts themselves.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pypdf import PdfReader

from tests.browser.conftest import PATIENCE
from tests.browser.page import Watch, becomes, sort_by
from tests.hosts.apps import everything
from tests.hosts.stub import Kernel
from tests.hosts.visits import FALSE, KINDS, LIVE, SAVED

# Longer than a page waits until it says that a kernel is busy.
BUSY_MS = 4_000


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """The widgets of the second visitor."""
    return {}


@pytest.fixture(scope="module")
def kernel(shown: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    """One process that has had a visitor before."""
    everything.HEARD = tmp_path_factory.mktemp("hosts") / "heard.jsonl"
    with Kernel() as kernel:
        first = everything.widgets()
        shown |= everything.widgets()
        for each in (first, shown):
            each["grid"].wait(PATIENCE / 1000)
            each["workbench"].grid.wait(PATIENCE / 1000)
        kernel.session("first", first)
        kernel.session("second", shown)
        kernel.session("grid", {"grid": shown["grid"]})
        yield kernel
        for widget in [*first.values(), *shown.values()]:
            widget.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that remembers nothing, whose pages may neither fail nor ask others."""
    context = browser.new_context(viewport={"width": 1100, "height": 2400})
    context.set_default_timeout(PATIENCE)
    watch = Watch(context)
    logged: list[str] = []
    context.on("console", lambda said: said.type == "error" and logged.append(said.text))
    yield context
    context.close()
    assert (watch.outside, watch.exceptions, logged) == ([], [], [])


def opened(context: BrowserContext, kernel: Kernel, host: str, session: str, busy: int = 0) -> Page:
    page = context.new_page()
    page.goto(f"{kernel.address}/?host={host}&session={session}&busy={busy}")
    return page


def test_a_second_visitor_works_with_widgets_of_their_own(
    context: BrowserContext, kernel: Kernel, shown: dict[str, Any]
) -> None:
    page = opened(context, kernel, "jupyter", "first")
    expect(LIVE["grid"](page).first).to_be_visible()
    page = opened(context, kernel, "jupyter", "second")
    for kind in KINDS:
        expect(LIVE[kind](page).first).to_be_visible()
    page.reload()
    for kind in KINDS:
        expect(LIVE[kind](page).first).to_be_visible()
    expect_no_false_word(page)
    grid = shown["grid"]
    before = grid._arrangement
    crosstab = page.get_by_role("group", name="Crosstab", exact=True).first
    sort_by(crosstab.get_by_role("columnheader").filter(has_text="18 to 24").first)
    becomes(page, lambda: grid._arrangement != before, True)


@pytest.mark.parametrize("host", ["bare", "plain", "shadow"])
def test_a_grid_lives_in_hosts_that_say_less(
    host: str, context: BrowserContext, kernel: Kernel
) -> None:
    page = opened(context, kernel, host, "grid")
    expect(LIVE["grid"](page).first).to_be_visible()
    # Dressed: the style sheet stands in the root of the view.
    expect(page.locator(".audiencelab").first).to_have_css("box-sizing", "border-box")
    expect_no_false_word(page)


def test_what_was_saved_stands_while_nobody_answers(
    context: BrowserContext, kernel: Kernel
) -> None:
    written = opened(context, kernel, "still", "second")
    silent = opened(context, kernel, "silent", "second")
    busy = opened(context, kernel, "jupyter", "grid", busy=BUSY_MS)
    expect(SAVED["grid"](busy).first).to_be_visible()
    expect(LIVE["grid"](busy)).to_have_count(0)
    # The kernel of this page is known to live.
    expect(waiting(busy).first).to_be_visible()
    expect_saved(written)
    expect_saved(silent)
    expect_printed(written)
    expect(LIVE["grid"](busy).first).to_be_visible()
    expect_no_false_word(busy)


def expect_saved(page: Page) -> None:
    for kind in KINDS:
        expect(SAVED[kind](page).first).to_be_visible()
    expect(page.get_by_role("gridcell")).to_have_count(0)
    expect_no_false_word(page)


def expect_printed(page: Page) -> None:
    """All cells are on paper, where nothing scrolls."""
    pages = PdfReader(io.BytesIO(page.pdf(format="A4"))).pages
    words = "".join("".join(each.extract_text().split()) for each in pages)
    cells = page.locator("table td").all_inner_texts()
    assert len(cells) > 20
    assert [cell for cell in cells if "".join(cell.split()) not in words] == []


def expect_no_false_word(page: Page) -> None:
    for sentence in FALSE:
        expect(page.get_by_text(sentence)).to_have_count(0)


def waiting(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text="Waiting for the kernel")
