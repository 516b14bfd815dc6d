"""The chart under a workbench's table: of the selected cells, or of as much as a picture holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from audiencelab.frames.markup import plural
from audiencelab.widgets.grid.chart import ChartKind, chart_kind, draw
from audiencelab.widgets.grid.part import turned, turned_name

if TYPE_CHECKING:
    from audiencelab.frames.crosstab import CrosstabResult
    from audiencelab.widgets.grid import CrosstabGrid

__all__ = ["Picture", "drawn"]

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
    places as `rows` and `columns`, of which one cell counts as none.
    """
    result = grid.wait(_PATIENCE).result
    metric: str = grid.metric
    rows, columns = _chosen(asked, result)
    note = _left_out(result, len(rows), len(columns)) if not _is_chosen(asked) else ""
    if grid.transposed:
        result, metric, rows, columns = turned(result), turned_name(metric), columns, rows
    kind = cast(ChartKind, asked.get("kind")) or chart_kind(len(rows), len(columns))
    theme = "dark" if asked.get("dark") else "light"
    drawing = draw(result, rows, columns, metric, kind, theme)
    image = drawing.png() if asked.get("format") == "png" else drawing.svg().encode()
    alt = repr(drawing).removeprefix("<Drawing: ").removesuffix(">")
    return Picture(image, {"kind": kind, "alt": alt, "note": note})


def _is_chosen(asked: Mapping[str, Any]) -> bool:
    return len(asked.get("rows") or ()) * len(asked.get("columns") or ()) > 1


def _chosen(asked: Mapping[str, Any], result: CrosstabResult) -> tuple[list[int], list[int]]:
    if not _is_chosen(asked):
        row_count, column_count = result.shape
        return list(range(min(row_count, _MOST_ROWS))), list(
            range(min(column_count, _MOST_COLUMNS))
        )
    sides = zip((asked["rows"], asked["columns"]), result.shape, strict=True)
    # Places of a table that has been replaced meanwhile may be beyond this one.
    rows, columns = ([place for place in side if 0 <= place < count] for side, count in sides)
    return rows, columns


def _left_out(result: CrosstabResult, rows: int, columns: int) -> str:
    row_count, column_count = result.shape
    cut = [
        f"{shown} of {plural(count, noun)}"
        for shown, count, noun in ((rows, row_count, "row"), (columns, column_count, "column"))
        if shown < count
    ]
    return f"The first {' and '.join(cut)}; select cells to draw others" if cut else ""
