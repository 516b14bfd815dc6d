"""The grid for readers without a kernel: its first rows and columns as an escaped HTML table."""

from __future__ import annotations

import math
from collections.abc import Callable

from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.heads import spans, told_apart
from audiencelab.frames.html import figure, people, percent
from audiencelab.frames.markup import (
    QUIET,
    Cell,
    Content,
    Html,
    card,
    code_block,
    element,
    plural,
    table,
)
from audiencelab.widgets.grid.query import GridQuery

__all__ = ["COLUMN_CAP", "ROW_CAP", "grid_html"]

ROW_CAP = 40
COLUMN_CAP = 12
"""Rows and columns shown of a larger table."""

_CODE_AUDIENCES = 20
_LOW, _VERY_LOW = 100, 30
_HEAT_REACH = 60.0
_HEAT_OPACITY = 7
"""How far from 100 the colour is full, and how opaque it then is, in fifteenths."""

_TITLES = {
    "index": "Index",
    "column_percentage": "Column %",
    "row_percentage": "Row %",
    "percentage": "% of base",
    "size": "Size",
    "sample": "Sample",
}


def grid_html(query: GridQuery, result: CrosstabResult | None, metric: str, base: str) -> Html:
    """The table as far as it has arrived, with both bases, and the code that counts it again."""
    rows, columns = query.shape
    title = f"Crosstab · {_TITLES[metric]} · base: {base}"
    small = rows + columns <= _CODE_AUDIENCES
    code = [code_block(query.to_code())] if small else []
    if result is None or not result.count:
        shape = f"{plural(rows, 'row')} × {plural(columns, 'column')}, not counted yet"
        return card(title, *code, subtitle=shape)
    return card(title, _cells(result, metric), _notes(result, metric), *code)


def _cells(result: CrosstabResult, metric: str) -> Html:
    columns = range(min(COLUMN_CAP, len(result.columns)))
    rows = told_apart([row.name for row in result.rows], result.row_heads)[:ROW_CAP]
    write = _CellWriter(result, metric)
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    column_size = result.column_values("column_size")
    column_sample = result.column_values("column_sample")
    bases = ["Base", people(result.base_size), figure(result.base_sample, 0)]
    bases += [
        f"{people(column_size[column])}\u00a0/\u00a0{figure(column_sample[column], 0)}"
        for column in columns
    ]
    lines: list[list[Content | Cell]] = [[Cell(words, QUIET) for words in bases]]
    lines += [
        [
            name,
            Cell(people(row_size[row]), QUIET),
            Cell(figure(row_sample[row], 0), QUIET),
            *(write(row, column) for column in columns),
        ]
        for row, name in enumerate(rows)
    ]
    heads = ["", "Size", "Sample", *(result.columns[column].name for column in columns)]
    hidden = len(result.rows) - len(rows)
    return table(
        heads,
        lines,
        numeric=range(1, len(heads)),
        most=ROW_CAP + 1,
        hidden=hidden,
        above=spans(result.column_heads[:COLUMN_CAP], 3),
    )


class _CellWriter:
    """Writes single cells: the figure, its low-base mark, and the heat of its index."""

    def __init__(self, result: CrosstabResult, metric: str) -> None:
        self._arrived = result.arrived
        self._values = result.values(metric)
        self._index = result.values("index")
        self._write = _writer(metric)
        rows, columns = result.values("row_sample"), result.values("column_sample")
        self._denominators = {
            "index": (rows, columns),
            "column_percentage": (columns,),
            "row_percentage": (rows,),
            "percentage": (result.values("base_sample"),),
        }.get(metric, ())

    def __call__(self, row: int, column: int) -> Content | Cell:
        if not self._arrived[row, column]:
            return Cell("…", QUIET)
        value = float(self._values[row, column])
        if math.isnan(value):
            return "–"
        denominators = [float(plane[row, column]) for plane in self._denominators]
        mark = _low_base_mark(min(denominators, default=math.inf))
        style = _heat_style(float(self._index[row, column]))
        return Cell(f"{mark}{self._write(value)}", style)


def _writer(metric: str) -> Callable[[float], str]:
    if metric == "size":
        return people
    if metric == "sample":
        return lambda value: figure(value, 0)
    if metric == "index":
        return figure
    return percent


def _low_base_mark(denominator: float) -> str:
    # In front, so that the figures of a column stay under each other.
    return "**\u00a0" if denominator < _VERY_LOW else "*\u00a0" if denominator < _LOW else ""


def _heat_style(index: float) -> str:
    """Orange over 100, blue under it; paler the nearer. It reads on light and on dark paper."""
    if math.isnan(index):
        return ""
    strength = min(1.0, abs(index - 100) / _HEAT_REACH)
    opacity = round(strength * _HEAT_OPACITY)
    # One digit for each of red, green, blue and opacity: short, as every cell repeats it.
    colour = "e82" if index > 100 else "27c"
    return f"background:#{colour}{opacity:x}" if opacity else ""


def _notes(result: CrosstabResult, metric: str) -> Html:
    notes = ["colour by index: orange over 100, blue under"]
    if metric not in ("size", "sample"):
        notes.append(
            f"* fewer than {_LOW} respondents in the denominator, ** fewer than {_VERY_LOW}"
        )
    if not result.complete:
        notes.append(f"{result.count:,} of {result.expected:,} cells had arrived")
    hidden = len(result.columns) - COLUMN_CAP
    if hidden > 0:
        notes.append(f"… and {plural(hidden, 'more column')}")
    return element("div", " · ".join(notes), style=QUIET)
