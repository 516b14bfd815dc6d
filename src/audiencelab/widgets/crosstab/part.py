"""A part of a table as a table of its own: chosen rows and columns, in any order, either way round.

What is taken away from a grid (a file, a chart) is a result like any other, so that whatever
draws or writes results works on it. Figures are those of the whole table: nothing is counted anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from audiencelab.results.crosstab import FIGURES, CrosstabResult

__all__ = ["part_of", "turned", "turned_name"]


def part_of(result: CrosstabResult, rows: Sequence[int], columns: Sequence[int]) -> CrosstabResult:
    """The cells at these places, in this order; what has not arrived is missing there too.

    rows, columns: places from 0, each at most once.
    """
    kept_rows = tuple(result.rows[place] for place in rows)
    made = replace(
        result,
        rows=kept_rows,
        columns=tuple(result.columns[place] for place in columns),
        row_heads=tuple(result.row_heads[place] for place in rows),
        column_heads=tuple(result.column_heads[place] for place in columns),
        nets_of={row.id: result.nets_of[row.id] for row in kept_rows if row.id in result.nets_of},
    )
    block = np.ix_(rows, columns)
    # The mask first: a stream fills the planes before it marks their cells.
    down, across = np.nonzero(result.arrived[block])
    planes = [result.values(name)[block][down, across] for name in FIGURES]
    made.store(down, across, np.array(planes).T)
    return made


def turned(result: CrosstabResult) -> CrosstabResult:
    """The same table with rows and columns swapped; subtotals are rows like any other there."""
    made = replace(
        result,
        rows=result.columns,
        columns=result.rows,
        rows_requested=result.columns_requested,
        columns_requested=result.rows_requested,
        row_heads=result.column_heads,
        column_heads=result.row_heads,
        nets_of={},
    )
    down, across = np.nonzero(result.arrived)
    planes = [result.values(turned_name(name))[down, across] for name in FIGURES]
    made.store(across, down, np.array(planes).T)
    return made


def turned_name(figure: str) -> str:
    """What a figure is called once rows and columns are swapped."""
    if figure.startswith("row_"):
        return f"column_{figure.removeprefix('row_')}"
    if figure.startswith("column_"):
        return f"row_{figure.removeprefix('column_')}"
    return figure
