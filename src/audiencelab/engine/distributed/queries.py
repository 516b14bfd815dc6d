"""What is asked of a partition, and what it gives: two plain vectors that add up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.kernel import Counts, Sums
from audiencelab.engine.sums import ByWave, StripeSums

__all__ = ["PartialTable", "Sides", "TableQuery"]


@dataclass(frozen=True, slots=True)
class TableQuery:
    """A table that is asked for: rows × columns within the base, as `Tabulator.stripes` has them.

    places: the waves, by order of date.
    """

    base: Node
    rows: tuple[Node, ...]
    columns: tuple[Node, ...]
    places: tuple[int, ...]

    def part(self, start: int, stop: int) -> TableQuery:
        """The same table with some of its rows."""
        return TableQuery(self.base, self.rows[start:stop], self.columns, self.places)

    def nothing(self) -> PartialTable:
        """The table of nobody."""
        length = sum(rows * columns for rows, columns in self._shapes)
        return PartialTable(np.zeros(length, np.int64), np.zeros(length, np.float64))

    def stripe(self, table: PartialTable, start: int = 0) -> StripeSums:
        """What a table of this query says; `start` is its first row's place in a larger one."""
        counts, sums = self.sides(table.counts), self.sides(table.sums)
        base, row, column = (
            ByWave(count.astype(np.float64), weight)
            for count, weight in zip(counts[:3], sums[:3], strict=True)
        )
        stop = start + len(self.rows)
        return StripeSums(start, stop, base, row, column, counts.cells, sums.cells)

    def sides(self, vector: NDArray[Any]) -> Sides:
        """The parts of a table's vector, as views of it."""
        ends = list(accumulate(rows * columns for rows, columns in self._shapes))
        pieces = np.split(vector, ends[:-1])
        return Sides(*(piece.reshape(s) for piece, s in zip(pieces, self._shapes, strict=True)))

    @property
    def _shapes(self) -> tuple[tuple[int, int], ...]:
        rows, columns, waves = len(self.rows), len(self.columns), len(self.places)
        return (1, waves), (rows, waves), (columns, waves), (rows, columns)


class Sides(NamedTuple):
    """The parts of one vector of a table.

    base, row, column: totals by wave, of one, all row and all column nodes: [nodes, waves].
    cells: [rows, columns].
    """

    base: NDArray[Any]
    row: NDArray[Any]
    column: NDArray[Any]
    cells: NDArray[Any]


@dataclass(frozen=True, slots=True)
class PartialTable:
    """The table of some respondents, as two vectors; those of two partitions add up.

    counts: int64 and sums: float64 of the same length: by wave the base, the rows and the
    columns, then the cells, row by row. `TableQuery.stripe` tells them apart.
    """

    counts: Counts
    sums: Sums

    def __add__(self, other: PartialTable) -> PartialTable:
        return PartialTable(self.counts + other.counts, self.sums + other.sums)
