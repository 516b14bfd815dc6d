"""Printing of notebooks exported by nbconvert and `audiencelab export`."""

from __future__ import annotations

import html
import io
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser
from pypdf import PdfReader

from audiencelab.notebook import export
from audiencelab.widgets.crosstab.file_formats import whole_html
from audiencelab.widgets.crosstab.formatting import Looks
from tests.results.samples import crosstab

ROWS, COLUMNS = 40, 25

UNSEEN = r'rotate\(|opacity="0"'

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01-quickstart.ipynb"


def by_nbconvert(folder: Path) -> Path:
    page, _ = HTMLExporter().from_filename(str(NOTEBOOK))
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder / "page.html"


def by_export(folder: Path) -> Path:
    return export(NOTEBOOK, folder / "page.html")


def words_of_charts() -> list[str]:
    """What is seen in the charts of the notebook, mark by mark, but for words that are turned."""
    outputs = [
        output
        for cell in nbformat.read(NOTEBOOK, as_version=4).cells
        for output in cell.get("outputs", ())
    ]
    charts = [output.data["image/svg+xml"] for output in outputs if "image/svg+xml" in str(output)]
    words = [each for svg in charts for each in re.findall(r"<text([^>]*)>([^<]+)", svg)]
    return [html.unescape(each) for how, each in words if not re.search(UNSEEN, how)]


def test_a_page_of_a_table_prints_every_figure_once(browser: Browser) -> None:
    context = browser.new_context(offline=True, viewport={"width": 1_000, "height": 600})
    page = context.new_page()
    # Every cell has a number of its own.
    table = crosstab(
        tuple(f"r{at}" for at in range(ROWS)),
        tuple(f"c{at}" for at in range(COLUMNS)),
        sample=1_001.0 + np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS),
        column_groups=tuple((f"Group {at // 5}",) for at in range(COLUMNS)),
        base_sample=9_999,
    )
    looks = Looks(("sample",), "index", significance="none")
    for written in (
        table.to_html(page=True, metrics=["sample"], title="The title"),
        whole_html(table, looks, None, page=True, title="The title"),
    ):
        page.set_content(written)
        printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
        texts = [each.extract_text() for each in printed.pages]
        words = Counter(" ".join(texts).split())
        assert {words[f"{1_001 + at:,}"] for at in range(ROWS * COLUMNS)} == {1}
        # The names of the rows are beside each part, and the header is on every page.
        assert {words[f"r{at}"] for at in range(ROWS)} == {2}
        assert all("The title" in text and re.search(r"\bc\d+\b", text) for text in texts)
        paper = printed.pages[0].mediabox
        assert paper.width > paper.height
        # On the screen the header stays above, and the names stay beside the cells.
        page.evaluate("scrollTo(500, 600)")
        header, names = page.locator("table table thead"), page.locator("th[scope=row]")
        places = header.first.bounding_box(), names.nth(30).bounding_box()
        assert [place and place[side] for place, side in zip(places, "yx", strict=True)] == [0, 0]
    context.close()


@pytest.mark.parametrize(
    ("write", "cells", "share"),
    [
        # On nbconvert's paper wide charts and data frames end at the edge.
        (by_nbconvert, "table:not(.dataframe) td", 0.6),
        (by_export, "table td", 0.95),
    ],
)
def test_tables_and_charts_are_printed(
    browser: Browser, tmp_path: Path, write: Callable[[Path], Path], cells: str, share: float
) -> None:
    context = browser.new_context(offline=True)
    page = context.new_page()
    page.goto(write(tmp_path).as_uri(), wait_until="domcontentloaded")
    printed = PdfReader(io.BytesIO(page.pdf(format="A4")))
    words = "".join("".join(each.extract_text().split()) for each in printed.pages)
    figures = page.locator(cells).all_inner_texts()
    context.close()
    charted = words_of_charts()
    assert len(figures) > 60
    assert len(charted) > 60
    # However it breaks lines: all that is written, without the room between.
    assert [each for each in figures if "".join(each.split()) not in words] == []
    drawn = [each for each in charted if "".join(each.split()) in words]
    assert len(drawn) >= share * len(charted)
