"""Printing of notebooks exported by nbconvert and `audiencelab export`."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Browser
from pypdf import PdfReader

from audiencelab.notebook import export

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


@pytest.mark.parametrize(
    ("write", "cells", "share"),
    [
        # On nbconvert's paper wide outputs end at the edge, whoever made them.
        (by_nbconvert, "table td:nth-child(-n+4)", 0.6),
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
