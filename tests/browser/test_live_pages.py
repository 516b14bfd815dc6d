"""Widgets in documentation pages: from disk, without network and kernel."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from sphinx.application import Sphinx

import audiencelab as al
from tests.browser.page import AXE, becomes, sort_by

DOCS = Path(__file__).parents[2] / "docs"

CONF = f"""
import sys
sys.path.insert(0, {str(DOCS / "extensions")!r})
extensions = ["myst_parser", "live"]
html_theme = "furo"
html_static_path = [{str(DOCS / "_static")!r}]
"""

NOT_RECORDED = "This page has recorded values only; run it in a notebook for the rest."
# Axe looks into the shadow roots by itself; the site around is not ours to judge, nor does a widget
# know under which heading of a page it stands.
VIOLATIONS = """async () => {
  const rules = { "heading-order": { enabled: false } };
  const found = (await axe.run(".audiencelab-live", { preload: false, rules })).violations;
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html)}`);
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The guides' widgets on one page each, as `make docs` builds them."""
    source = tmp_path_factory.mktemp("site")
    (source / "conf.py").write_text(CONF, encoding="utf-8")
    names = ("picker", "editor", "grid")
    for name in names:
        page = f"# The {name}\n\n```{{live}} {name}\n```\n"
        (source / f"{name}.md").write_text(page, encoding="utf-8")
    listed = "\n".join(names)
    index = f"# Widgets\n\n```{{toctree}}\n{listed}\n```\n"
    (source / "index.md").write_text(index, encoding="utf-8")
    built = source / "_build"
    path = list(sys.path)
    Sphinx(
        source, source, built, built / ".doctrees", "html", warningiserror=True, status=None
    ).build()
    sys.path[:] = path
    return built


class LivePage:
    """A page of the site, with all that it said and asked for."""

    def __init__(self, page: Page, file: Path) -> None:
        self.page = page
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(file.as_uri())

    @property
    def widget(self) -> Locator:
        return self.page.locator(".audiencelab")

    @property
    def note(self) -> Locator:
        return self.page.locator(".audiencelab-live-note").get_by_role("status")

    def check(self) -> None:
        """Nothing was said, nothing left the disk, and axe has nothing to say either."""
        own = ("file:", "data:", "blob:null/")
        assert [each for each in self.asked if not each.startswith(own)] == []
        assert self.said == []
        self.page.add_script_tag(path=AXE)
        assert self.page.evaluate(VIOLATIONS) == []
        self.said.clear()


@pytest.fixture(params=["light", "dark"])
def opened(browser: Browser, request: pytest.FixtureRequest, site: Path) -> Iterator[Any]:
    """Opens a page by its name, offline."""
    context = browser.new_context(
        offline=True, color_scheme=request.param, viewport={"width": 1300, "height": 900}
    )
    yield lambda name: LivePage(context.new_page(), site / f"{name}.html")
    context.close()


def test_a_question_is_searched_and_picked(opened: Any) -> None:
    page = opened("picker")
    picker = page.widget
    picker.get_by_role("combobox").fill("short video")
    question = picker.get_by_role("treeitem").filter(has_text="Short video a day")
    expect(question).to_have_count(1)
    picker.get_by_role("button", name="Details").click()
    question.locator(".al-picker-box").click()
    details = picker.get_by_role("region", name="Details")
    expect(details).to_contain_text("media.m7")
    stats = al.connect().stats(question="media.m7")
    share = stats.rows[0].metrics.audience_percentage
    expect(details).to_contain_text(f"{share:.1f}")
    expect(picker.get_by_role("listitem").filter(has_text="Short video a day")).to_have_count(1)
    expect(page.note).not_to_have_text(NOT_RECORDED)
    page.check()


def test_a_table_is_sorted_by_its_values(opened: Any) -> None:
    page = opened("grid")
    grid = page.widget
    table = _grid_of_the_guide().to_wide("column")
    first = table.columns[0]
    ranked = table[first].sort_values(ascending=False)
    head = grid.get_by_role("columnheader").filter(has_text="Male").first
    sort_by(head)
    expect(head).to_have_attribute("aria-sort", "descending")
    names = grid.get_by_role("rowheader")
    wanted = [name[-1] if isinstance(name, tuple) else name for name in ranked.index]

    def first_five() -> list[str]:
        shown = [text.strip() for text in names.all_inner_texts()]
        return [name for name in shown if name in wanted][:5]

    becomes(page.page, first_five, wanted[:5])
    grid.get_by_role("gridcell", name=f"{ranked.iloc[0]:.1f}%").first.click()
    grid.get_by_role("button", name="Show details").click()
    expect(grid.get_by_role("heading", name="Reliability")).to_be_visible()
    expect(page.note).not_to_have_text(NOT_RECORDED)
    page.check()


def test_an_audience_is_edited_as_far_as_recorded(opened: Any) -> None:
    page = opened("editor")
    editor = page.widget
    root = editor.locator("[role=row][data-node]").first
    young = al.Q("q4").any("q4_2", "q4_3")
    active = al.Q("q30").any("q30_6", "q30_7") | al.Q("q31").any("q31_11")
    client = al.connect()
    for operator, expression in (("OR", young | active), ("AND", young & active)):
        root.get_by_role("radio", name=operator).or_(
            root.get_by_role("button", name=operator)
        ).first.click()
        size = al.AudienceEditor(client, expression).measure().size
        expect(root).to_contain_text(f"{round(size):,}")
    expect(page.note).not_to_have_text(NOT_RECORDED)
    page.check()
    editor.get_by_role("textbox").first.fill("Another name")
    expect(page.note).to_have_text(NOT_RECORDED)
    client.close()


def test_the_widget_follows_the_theme_of_the_site(opened: Any) -> None:
    page = opened("picker")
    for theme in ("light", "dark"):
        page.page.evaluate("(theme) => { document.body.dataset.theme = theme; }", theme)
        expect(page.widget).to_have_attribute("data-theme", theme)


def test_its_code_can_be_copied(browser: Browser, site: Path) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = LivePage(context.new_page(), site / "picker.html")
    page.page.get_by_role("button", name="Copy its code").click()
    expect(page.page.get_by_role("button", name="Copied")).to_be_visible()
    code = page.page.evaluate("navigator.clipboard.readText()")
    assert code.startswith("import audiencelab as al")
    assert "al.QuestionPicker(client)" in code
    context.close()


def test_without_scripts_the_static_form_is_shown(browser: Browser, site: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto((site / "grid.html").as_uri())
    expect(page.locator(".audiencelab-live table")).to_contain_text("Female")
    expect(page.get_by_text("without a kernel")).to_be_visible()
    context.close()


def _grid_of_the_guide() -> al.Crosstab:
    from scenes import SCENES  # the extension's, put on the path by the site

    names: dict[str, Any] = {}
    exec(SCENES["grid"].whole_code, names)
    return names["grid"].wait(60)


@pytest.mark.parametrize("name", ["picker", "editor", "grid"])
def test_what_a_page_loads_is_small(site: Path, name: str) -> None:
    """Bytes before any web server has compressed them: the script once for the site, and data."""
    folder = site / "_static" / "live"
    assert (folder / "live.js").stat().st_size < 450_000
    assert (folder / f"recorded-{name}.js").stat().st_size < 300_000
    assert (site / f"{name}.html").stat().st_size < 60_000
