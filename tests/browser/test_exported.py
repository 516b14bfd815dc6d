"""An exported notebook, opened from disk without network."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pandas as pd
import pytest
from playwright.sync_api import Browser, expect

from audiencelab.notebook import export
from tests.browser.contrast import too_pale
from tests.browser.page import AXE, becomes, resize

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_readable_and_its_tables_sortable_without_network(
    browser: Browser, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    page_file = export(ROOT / "notebooks" / "01-quickstart.ipynb", tmp_path / "page.html")
    context = browser.new_context(offline=True, color_scheme=scheme)
    page = context.new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(page_file.as_uri())
    expect(page.get_by_role("heading", level=1)).to_contain_text("Where do heavy")
    table = page.locator("table.dataframe").first
    names = table.locator("tbody td:nth-child(2)")
    before = names.all_inner_texts()
    figures = [float(words) for words in table.locator("tbody td:nth-child(4)").all_inner_texts()]
    head = table.get_by_role("columnheader", name="column_percentage")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    ranked = [name for _, name in sorted(zip(figures, before, strict=True), reverse=True)]
    becomes(page, names.all_inner_texts, ranked)
    head.get_by_role("button").press("Enter")
    becomes(page, names.all_inner_texts, ranked[::-1])
    head.get_by_role("button").press("Enter")
    becomes(page, names.all_inner_texts, before)
    with page.expect_download() as started:
        page.get_by_role("button", name="Download CSV: table-1.csv").click()
    frame = pd.read_csv(started.value.path(), encoding="utf-8-sig", header=None, dtype=str)
    first = page.locator(".output_area table").first.locator("tr")
    assert len(frame) == first.count()
    assert frame.iloc[-1, 0] == first.last.locator("th, td").first.inner_text()
    resize(page, 500, 900)
    assert page.evaluate("document.documentElement.scrollWidth") == 500
    assert asked == [page_file.as_uri()]
    assert said == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(
    browser: Browser, tmp_path: Path, scheme: Literal["light", "dark"]
) -> None:
    page_file = export(ROOT / "notebooks" / "07-crosstab.ipynb", tmp_path / "page.html")
    # Only what judges the page is let in.
    context = browser.new_context(offline=True, color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.add_script_tag(path=AXE)
    found = page.evaluate("async () => (await axe.run()).violations")
    assert [f"{each['id']}: {each['nodes'][0]['html']}" for each in found] == []
    assert too_pale(page, "body") == []
    resize(page, 320, 700)
    wide = page.locator("[tabindex='0']").first
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("element => element.scrollLeft > 0", arg=wide.element_handle())
    context.close()


def test_scripts_and_remote_images_of_the_notebook_have_no_effect(
    browser: Browser, tmp_path: Path
) -> None:
    import nbformat

    hostile = (
        "<script>document.title = 'taken'</script>"
        "<img src='https://elsewhere.example/x.png' onerror=\"document.title = 'taken'\">"
    )
    shown = nbformat.v4.new_output("display_data", data={"text/html": hostile})
    cell = nbformat.v4.new_code_cell("shown", outputs=[shown])
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "hostile.ipynb")
    page = browser.new_context().new_page()
    refused: list[str | None] = []
    page.on("requestfailed", lambda request: refused.append(request.failure))
    with page.expect_event("requestfailed"):
        page.goto(export(tmp_path / "hostile.ipynb").as_uri())
    # The policy, and not the network: the browser never began.
    assert refused == ["csp"]
    assert page.title() == "hostile"
    page.context.close()
