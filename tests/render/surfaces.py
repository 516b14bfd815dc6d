"""What a reader finds on each surface of a result, read back from what was written."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from io import BytesIO
from typing import Any

import pytest

from tests.render.excel.workbook_reader import lines, sheets, written

Lines = list[list[str]]


def _html(html: str) -> Lines:
    rows = re.sub("<(tr|div)", "\n<\\1", html).splitlines()
    parted = ([part for part in re.split("<[^>]*>", row) if part] for row in rows)
    return [[unescape(part) for part in parts] for parts in parted if parts]


def _markdown(text: str) -> Lines:
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in text.splitlines()]


def _latex(text: str) -> Lines:
    stack = r"\\begin\{tabular\}\[\w\]\{@\{\}\w@\{\}\}(.*?)\\end\{tabular\}"
    text = re.sub(stack, lambda found: found[1].replace(r" \\", ""), text)
    text = text.replace(r"$\times$", "×").replace("$>$", "›")
    plain = re.sub(r"\\(multicolumn\{\d+\}\{[^}]*\}|text\w+|[a-z]+(?=\W))|[{}\\]", "", text)
    return [[cell.strip() for cell in line.split("&")] for line in plain.splitlines()]


def _excel(data: bytes) -> Lines:
    return [
        [
            "" if value is None else f"{value:.10g}" if not isinstance(value, str) else value
            for value in line
        ]
        for line in lines(next(iter(sheets(data).values())))
    ]


def _slides(result: Any) -> Lines:
    pptx: Any = pytest.importorskip("pptx")
    file = BytesIO()
    result.to_pptx(file, chart=None)
    shapes = [shape for slide in pptx.Presentation(file).slides for shape in slide.shapes]
    rows = [row for shape in shapes if shape.has_table for row in shape.table.rows]
    grid = [[cell.text for cell in row.cells] for row in rows]
    return [
        *grid,
        *(
            [line]
            for shape in shapes
            if shape.has_text_frame
            for line in shape.text_frame.text.splitlines()
        ),
    ]


def _chart(result: Any) -> Lines:
    spec = result.chart.bar().to_dict()
    data = next(iter(spec["datasets"].values())) if "datasets" in spec else spec["data"]["values"]
    lines = [[spec["title"]["text"]], *([line] for line in spec["title"]["subtitle"])]
    return lines + [[row["label"], row["text"], f"{row['value']}", f"{row['n']}"] for row in data]


SURFACES: dict[str, Callable[[Any], Lines]] = {
    "card": lambda result: _html(result._repr_html_()),
    "html": lambda result: _html(result.to_html()),
    "markdown": lambda result: _markdown(result.to_markdown()),
    "latex": lambda result: _latex(result.to_latex()),
    "excel": lambda result: _excel(written(result)),
    "slides": _slides,
    "chart": _chart,
}
"""The lines of each surface, as the texts of their cells; numbers of a workbook as texts."""


def text_of(found: Lines) -> str:
    """All of it on one line."""
    return " ".join(" ".join(cell for cell in line if cell) for line in found)
