"""A chart of the selected cells: which kind suits their shape, and the picture itself.

The charts are `audiencelab.charts`, drawn by the kernel with no network. They are imported when
the first one is drawn, for the extra `charts` may not be installed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, get_args

from audiencelab.errors import AudienceError
from audiencelab.results.crosstab import FIGURES, CrosstabResult
from audiencelab.widgets.crosstab.part import part_of, turned, turned_name

if TYPE_CHECKING:
    from audiencelab.charts import Drawing
    from audiencelab.charts.theme import Theme

__all__ = ["KINDS", "ChartKind", "NoChart", "chart_kind", "chart_places", "draw"]

Places = Sequence[int]

ChartKind = Literal["bar", "dots", "heatmap"]
KINDS: tuple[str, ...] = get_args(ChartKind)
"""The kinds of chart, by the names of their functions in `audiencelab.charts`."""

_MOST_BARS, _MOST_LINES, _MOST_DOTS, _MOST_CELLS = 60, 40, 8, 1_000
"""Marks up to which a picture is still read at a glance; the charts themselves allow more."""


class NoChart(AudienceError, ValueError):
    """These cells make no picture: there are none, or too many."""


def draw(
    result: CrosstabResult,
    rows: Places,
    columns: Places,
    metric: str = "index",
    kind: ChartKind | None = None,
    theme: Theme = "light",
) -> Drawing:
    """The chart of some cells.

    rows, columns: places in the table, from 0, in the order to draw them. metric: a figure of the
    frame. kind: the one that suits unless given.

    Raises `NoChart` and `ImportError` in words that may be shown, and `ValueError` for another
    kind.
    """
    from audiencelab import charts

    if kind is not None and kind not in KINDS:
        raise ValueError(f"No chart {kind!r}. Choose one of {', '.join(KINDS)}.")
    if metric not in FIGURES:
        raise NoChart(f"A chart shows one of {', '.join(FIGURES)}, not {metric!r}.")
    chosen = kind or chart_kind(len(rows), len(columns))
    table = part_of(result, rows, columns)
    if not len(table):
        raise NoChart("Nothing to draw yet: none of these cells has been counted.")
    if chosen != "heatmap" and len(rows) == 1 < len(columns):
        # One row of many columns is read better as many lines.
        table, metric = turned(table), turned_name(metric)
    try:
        if chosen == "bar":
            return charts.bar(table, metric, theme=theme)
        if chosen == "dots":
            return charts.dots(table, metric, theme=theme)
        return charts.heatmap(table, metric, theme=theme)
    except ValueError as error:  # too many marks, in the words of the chart
        raise NoChart(str(error)) from None


def chart_places(
    selected: tuple[Places, Places] | None, shape: tuple[int, int]
) -> tuple[Places, Places]:
    """The cells to draw: those selected (rows, columns), all where none are.

    A single cell makes no picture: it stands for its column, or its row where there is one column.
    """
    rows, columns = selected or (range(shape[0]), range(shape[1]))
    if selected and len(rows) == len(columns) == 1:
        return (range(shape[0]), columns) if shape[0] > 1 else (rows, range(shape[1]))
    return rows, columns


def chart_kind(rows: int, columns: int) -> ChartKind:
    """What suits so many cells: bars for one line, dots for a few audiences, else a heat map.

    Raises `NoChart` for none and for more than anybody can read.
    """
    if not rows or not columns:
        raise NoChart("Nothing is selected: choose the cells to draw.")
    if min(rows, columns) == 1 and max(rows, columns) <= _MOST_BARS:
        return "bar"
    if columns <= _MOST_DOTS and rows <= _MOST_LINES:
        return "dots"
    if rows * columns <= _MOST_CELLS:
        return "heatmap"
    raise NoChart(
        f"{rows * columns:,} cells are too many for one picture (at most {_MOST_CELLS:,}): select "
        "fewer."
    )
