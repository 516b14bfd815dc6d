"""What charts of slides read of a layout: values, marks, names, bases and number formats."""

from __future__ import annotations

import math
from collections.abc import Sequence

from audiencelab.analysis.chart_plan import short_names
from audiencelab.figures import figure
from audiencelab.render.excel.styles import number_format
from audiencelab.render.pptx.shapes import Run
from audiencelab.render.table_layout import Metric, TableLayout

Cell = tuple[int, int]
"""A row and a column of a layout."""


def drawn_metric(layout: TableLayout) -> Metric:
    """The metric that charts show: the first."""
    return layout.metrics[0]


def value_at(layout: TableLayout, cell: Cell) -> float | None:
    """A value of the first metric; None where there is none or it is hidden."""
    metric = drawn_metric(layout)
    value = float(metric.values[cell])
    return None if math.isnan(value) or layout.is_blank(metric, *cell) else value


def mark_at(layout: TableLayout, cell: Cell) -> str:
    """The low-base mark of a value."""
    return layout.low_mark(drawn_metric(layout), *cell)


def format_of(layout: TableLayout, row: int) -> str:
    """The number format of the first metric in a row, of which a statistic has its own."""
    metric, decimals = drawn_metric(layout), layout.stub[row].decimals
    if decimals is not None:
        return number_format("number", decimals)
    return number_format(metric.kind, metric.decimals)


def row_names(layout: TableLayout, rows: Sequence[int], *, with_bases: bool = True) -> list[str]:
    """The names of rows, with as much of their groups as tells them apart."""
    cells = [layout.stub[row] for row in rows]
    names = [
        layout.row_name(row) if with_bases else cell.lettered
        for row, cell in zip(rows, cells, strict=True)
    ]
    return short_names([cell.groups for cell in cells], names)


def folded(names: Sequence[str]) -> tuple[list[str], str]:
    """Names without the words after a colon that all of them end in, and these words.

    >>> folded(["Taste: mean (1 bad … 5 good)", "Price: mean (1 bad … 5 good)"])
    (['Taste', 'Price'], 'mean (1 bad … 5 good)')
    """
    ends = {name.rpartition(": mean")[1:] for name in names}
    if len(names) < 2 or len(ends) > 1 or not (end := "".join(ends.pop())):
        return list(names), ""
    return [name.removesuffix(end) for name in names], end.removeprefix(": ")


def column_names(layout: TableLayout, columns: Sequence[int]) -> list[str]:
    """The same of columns."""
    cells = [layout.banner[column] for column in columns]
    return short_names([cell.groups for cell in cells], [cell.name for cell in cells])


def base_words(layout: TableLayout, column: int) -> str:
    """The respondents in a column, "n = 1,151"; "" where they are not known."""
    sample = layout.banner[column].sample
    return "" if math.isnan(sample) else f"n = {figure(sample, 0)}"


def key_runs(pairs: Sequence[tuple[str, str]]) -> tuple[Run, ...]:
    """A key of colours in one line of text that wraps: each name after its square."""
    runs: list[Run] = []
    for name, colour in pairs:
        # A no-break space holds a square and its name together.
        runs += [Run("■\u00a0", colour), Run(f"{name}      ")]
    return tuple(runs)
