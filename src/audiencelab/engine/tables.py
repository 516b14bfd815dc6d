"""Weighted tables of row nodes against column nodes, in stripes of rows, summed over waves.

The core of both queries: a crosstab is this table, and a stats query is the same table with the
datapoints as rows and segment × audience as columns. Percentages and indices come later
(`metrics`); what a row or column stands for is the caller's affair.

How waves come in. A cell's effective waves are the requested waves that the base, the row and
the column all cover. A node's mask is empty where the node has no coverage, so summing the
intersect over all requested waves already sums it over each cell's effective ones; only the
figures of base, row and column, which the other side's coverage narrows, need their sums kept by
wave, and those are small: one matrix product with the other side's coverage gives them all.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.kernel import Counts, Sums
from audiencelab.engine.metrics import average_size
from audiencelab.engine.sums import StripeSums, Tabulator
from audiencelab.engine.waves import WaveSet, indicator, members

__all__ = ["Figures", "Scoped", "Stripe", "tabulate"]


@dataclass(frozen=True, slots=True)
class Scoped:
    """A node with the waves it leaves to a cell; for most nodes, its coverage."""

    node: Node
    coverage: WaveSet

    @classmethod
    def of(cls, node: Node) -> Scoped:
        return cls(node, node.coverage)


@dataclass(frozen=True, slots=True)
class Figures:
    """Sizes (people, averaged over waves) and samples (respondents, summed), [rows, columns]."""

    size: Sums
    sample: Counts


@dataclass(frozen=True, slots=True)
class Stripe:
    """Rows `start` to `stop` (exclusive) of a table, all columns.

    effective: the effective waves of a cell, `effective(row, column)`, row counted from `start`.
    """

    start: int
    stop: int
    base: Figures
    row: Figures
    column: Figures
    intersect: Figures
    row_waves: tuple[WaveSet, ...]
    column_waves: tuple[WaveSet, ...]

    def effective(self, row: int, column: int) -> WaveSet:
        return self.row_waves[row] & self.column_waves[column]


def tabulate(
    tabulator: Tabulator,
    rows: Sequence[Scoped],
    columns: Sequence[Scoped],
    base: Scoped,
    waves: WaveSet,
) -> Generator[Stripe]:
    """The table of rows × columns within the base over the requested waves, stripe by stripe.

    A generator: closing it stops the work at the next stripe.
    """
    table = _Table(rows, columns, waves & base.coverage)
    stripes = tabulator.stripes(
        base.node, [each.node for each in rows], [each.node for each in columns], table.places
    )
    with closing(stripes):
        for each in stripes:
            yield table.stripe(each)


class _Table:
    """What the stripes of one table share: which waves each row and column leaves to a cell."""

    def __init__(self, rows: Sequence[Scoped], columns: Sequence[Scoped], waves: WaveSet) -> None:
        self.places = tuple(members(waves))
        self._waves = waves
        self._row_waves = [each.coverage for each in rows]
        self._column_waves = tuple(each.coverage for each in columns)
        self._by_column = indicator(self._column_waves, self.places)

    def stripe(self, given: StripeSums) -> Stripe:
        """Narrow base, row and column to each cell's effective waves; average the sizes.

        Every product below adds grid weights times 0 or 1, so it is exact (see `kernel`).
        """
        row_waves = self._row_waves[given.start : given.stop]
        by_row, by_column = indicator(row_waves, self.places), self._by_column
        waves = by_row @ by_column.T

        def figures(weight: Sums, sample: NDArray[np.float64]) -> Figures:
            return Figures(average_size(weight, waves), np.rint(sample).astype(np.int64))

        base, row, column = given.base, given.row, given.column
        return Stripe(
            start=given.start,
            stop=given.stop,
            base=figures((by_row * base.sums) @ by_column.T, (by_row * base.counts) @ by_column.T),
            row=figures(row.sums @ by_column.T, row.counts @ by_column.T),
            column=figures(by_row @ column.sums.T, by_row @ column.counts.T),
            intersect=Figures(average_size(given.sums, waves), given.counts),
            row_waves=tuple(coverage & self._waves for coverage in row_waves),
            column_waves=self._column_waves,
        )
