"""The cells of a grid that are selected on the page."""

from __future__ import annotations

from dataclasses import dataclass

from audiencelab.expressions import Audience
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.protocol import SelectedCells


@dataclass(frozen=True, slots=True)
class GridSelection:
    """The cells selected in the grid: every listed row with every listed column.

    rows, columns: the audiences. row_positions, column_positions: where they are in the query,
    from 0.
    """

    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    row_positions: tuple[int, ...]
    column_positions: tuple[int, ...]


def selection_of(
    cells: SelectedCells, axes: tuple[AxisAudiences, AxisAudiences]
) -> GridSelection | None:
    """The selection of some positions; None where they have no row or no column of the table."""
    rows, columns = (
        tuple(at for at in positions if 0 <= at < len(axis))
        for positions, axis in zip((cells.rows, cells.columns), axes, strict=True)
    )
    if not rows or not columns:
        return None
    audiences = (tuple(axes[0].take(rows)), tuple(axes[1].take(columns)))
    return GridSelection(*audiences, rows, columns)
