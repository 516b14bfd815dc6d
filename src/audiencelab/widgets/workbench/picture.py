"""The chart beside a workbench's table: of the selected cells, or of as much as a picture holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from audiencelab.results.crosstab import FIGURES
from audiencelab.widgets.crosstab.chart import ChartKind, chart_kind, chart_places, draw
from audiencelab.widgets.crosstab.part import turned, turned_name
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.widgets.crosstab import CrosstabGrid

__all__ = ["Picture", "drawn", "drawn_metric"]

_MOST_ROWS, _MOST_COLUMNS = 24, 8
"""Of a table in which nothing is selected: more is hard to read beside it."""

_PATIENCE = 5.0
"""Seconds to wait for the last cells; the page asks once it has heard that they are there."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An image, SVG or PNG, and what the page says of it.

    facts: `kind`, `alt` (the picture in words), `note` (what of the table is left out, or "").
    """

    image: bytes
    facts: dict[str, str]


def drawn(grid: CrosstabGrid, asked: Mapping[str, Any]) -> Picture:
    """The chart that the page asks for; raises `NoChart`, and what the table failed with.

    asked: `kind` ("" is whichever suits), `dark`, `format` ("svg" or "png"), and the selected
    places as `rows` and `columns`.
    """
    result = grid.wait(_PATIENCE).result
    metric = drawn_metric(grid)
    rows, columns, note = _places(asked, grid, result.shape)
    if grid.transposed:
        result, metric, rows, columns = turned(result), turned_name(metric), columns, rows
    kind = cast(ChartKind, asked.get("kind")) or chart_kind(len(rows), len(columns))
    drawing = draw(result, rows, columns, metric, kind, "dark" if asked.get("dark") else "light")
    image = drawing.png() if asked.get("format") == "png" else drawing.svg().encode()
    return Picture(image, {"kind": kind, "alt": drawing.summary, "note": note})


def drawn_metric(grid: CrosstabGrid) -> str:
    """The first figure of the cells that a chart can show; an index where there is none."""
    return next((metric for metric in grid.metrics if metric in FIGURES), "index")


def _places(
    asked: Mapping[str, Any], grid: CrosstabGrid, shape: tuple[int, int]
) -> tuple[Sequence[int], Sequence[int], str]:
    """Rows and columns to draw, and what of the table is left out."""
    sides = zip((asked.get("rows"), asked.get("columns")), shape, strict=True)
    # Places of a table that has been replaced meanwhile may be beyond this one.
    rows, columns = ([at for at in side or () if 0 <= at < count] for side, count in sides)
    if rows and columns:
        return *chart_places((rows, columns), shape), ""
    rows, columns = grid.shown_places()
    cut = [
        f"{most} of {plural(len(places), noun)}"
        for places, most, noun in ((rows, _MOST_ROWS, "row"), (columns, _MOST_COLUMNS, "column"))
        if most < len(places)
    ]
    note = f"The first {' and '.join(cut)}; select cells to draw others" if cut else ""
    return rows[:_MOST_ROWS], columns[:_MOST_COLUMNS], note
