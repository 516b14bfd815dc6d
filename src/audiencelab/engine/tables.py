"""Weighted tables of row nodes against column nodes, in stripes of rows, summed over waves.

A crosstab is such a table, and a stats query is one with the datapoints as rows and
segment × audience as columns.

A cell's effective waves are the requested waves that the base, the row and the column all cover.
A node's mask is empty where the node has no coverage, so summing the intersect over all requested
waves sums it over each cell's effective ones. Only the figures of base, row and column, which the
other axis's coverage narrows, need sums by wave: one matrix product with that coverage gives them.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import Node, WaveSet, indicator, members
from audiencelab.engine.bitset import Counts, Sums
from audiencelab.engine.metrics import affinity_index, average_size, share
from audiencelab.engine.tabulator import Tabulator

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Figures:
    """Sizes (people, averaged over waves) and samples (respondents, summed), [rows, columns]."""

    size: Sums
    sample: Counts


@dataclass(frozen=True, slots=True)
class CrosstabStripe:
    """Rows `start` to `stop` (exclusive) of a crosstab with all their columns.

    `base`, `row`, `column` and `intersect` each hold `.size` (float64, people) and `.sample`
    (int64, respondents) of shape [rows, columns]; percentages are float64 of that shape.
    `row_intersect_percentage` is 100 × intersect ÷ column, `column_intersect_percentage`
    100 × intersect ÷ row: each side has its share of the other.
    row_waves, column_waves: the effective waves of a cell are those of its row and its column.
    """

    start: int
    stop: int
    base: Figures
    row: Figures
    column: Figures
    intersect: Figures
    row_percentage: Floats
    column_percentage: Floats
    row_intersect_percentage: Floats
    column_intersect_percentage: Floats
    intersect_percentage: Floats
    index: Floats
    row_waves: tuple[WaveSet, ...]
    column_waves: tuple[WaveSet, ...]


def tabulate(
    tabulator: Tabulator,
    rows: Sequence[Node],
    columns: Sequence[Node],
    base: Node,
    waves: WaveSet,
) -> Generator[CrosstabStripe]:
    """The table of rows × columns within the base over the requested waves, stripe by stripe.

    Closing the generator stops the work at the next stripe. Every product below adds grid weights
    times 0 or 1, so it is exact (see `kernel`).
    """
    waves &= base.coverage
    positions = tuple(members(waves))
    column_waves = tuple(node.coverage for node in columns)
    by_column = indicator(column_waves, positions).T
    with closing(tabulator.stripes(base, rows, columns, positions)) as stripes:
        for each in stripes:
            row_waves = tuple(node.coverage & waves for node in rows[each.start : each.stop])
            by_row = indicator(row_waves, positions)
            count = by_row @ by_column
            in_base, in_rows, in_columns = each.base, each.row, each.column
            whole, row, column, both = (
                Figures(average_size(weights, count), np.rint(sample).astype(np.int64))
                for weights, sample in (
                    ((by_row * in_base.sums) @ by_column, (by_row * in_base.counts) @ by_column),
                    (in_rows.sums @ by_column, in_rows.counts @ by_column),
                    (by_row @ in_columns.sums.T, by_row @ in_columns.counts.T),
                    (each.sums, each.counts),
                )
            )
            yield CrosstabStripe(
                *(each.start, each.stop, whole, row, column, both),
                row_percentage=share(row.size, whole.size),
                column_percentage=share(column.size, whole.size),
                row_intersect_percentage=share(both.size, column.size),
                column_intersect_percentage=share(both.size, row.size),
                intersect_percentage=share(both.size, whole.size),
                index=affinity_index(both.size, row.size, column.size, whole.size),
                row_waves=row_waves,
                column_waves=column_waves,
            )
