"""Accessibility of the site's pages by keyboard and axe; from disk, in both themes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.contrast import too_pale
from tests.browser.page import AXE, resize

DOCS = Path(__file__).parents[2] / "docs"

# One of each kind: entry, code wider than its place, errors, what is generated, a notebook, a
# widget that lives, figures, formulas.
PAGES = (
    "index",
    "how-to/jupyterlab",
    "how-to/grid",
    "reference/errors/index",
    "reference/charts",
    "tutorial/notebooks/01-quickstart",
    "project/performance",
    "explanation/metrics",
)

# A widget in a page does not know under which heading it stands.
VIOLATIONS = """async () => {
  const rules = { "heading-order": { enabled: false } };
  const found = (await axe.run(document, { preload: false, rules })).violations;
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 200))}`);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` has built it; where it has not, or another one, built here."""
    built = DOCS / "_build" / "html"
    script = Path("_static", "pages.js")
    if (built / script).is_file() and same(built / script, DOCS / script):
        return built
    built = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", str(DOCS), str(built)]
    subprocess.run(command, check=True)
    return built


def same(one: Path, other: Path) -> bool:
    return one.read_bytes() == other.read_bytes()


@pytest.fixture(params=["light", "dark"])
def opened(browser: Browser, request: pytest.FixtureRequest, site: Path) -> Iterator[Any]:
    """Opens pages by their names, offline, one after the other."""
    context = browser.new_context(
        offline=True, color_scheme=request.param, viewport={"width": 1300, "height": 900}
    )
    page = context.new_page()

    def open_page(name: str) -> Page:
        page.goto((site / f"{name}.html").as_uri())
        # A widget that lives in the page is judged when it shows what it holds.
        for widget in page.locator(".audiencelab-live").all():
            expect(
                widget.get_by_role("gridcell").or_(widget.get_by_role("treeitem"))
            ).not_to_have_count(0)
        expect(page.locator(".audiencelab-live .is-absent")).to_have_count(0)
        return page

    yield open_page
    context.close()


def test_every_type_of_page_is_accessible(opened: Any) -> None:
    for name in PAGES:
        page = opened(name)
        page.add_script_tag(path=AXE)
        assert page.evaluate(VIOLATIONS) == [], name
        assert too_pale(page, "body") == [], name


def test_wide_content_scrolls_by_keyboard(opened: Any) -> None:
    page = opened("how-to/jupyterlab")
    resize(page, 500, 900)
    wide = page.locator("pre[tabindex='0']").first
    wide.focus()
    expect(wide).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("element => element.scrollLeft > 0", arg=wide.element_handle())


def test_a_narrow_window_clips_nothing(opened: Any) -> None:
    for name in PAGES:
        page = opened(name)
        resize(page, 320, 640)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, name
