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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import Counts, Sums, pair_tables, prepare
from audiencelab.engine.masks import Masks, WaveFrame
from audiencelab.engine.metrics import average_size
from audiencelab.engine.waves import WaveSet, indicator, members

__all__ = ["Figures", "Scoped", "Stripe", "stripe_bounds", "tabulate"]

_FIRST_STRIPE = 8
_LAST_STRIPE = 128
"""Stripes of 8, 16, 32, 64, 128, 128 … rows: early first cells, and nearly the best total."""

_HELD_COLUMN_BYTES = 256 << 20
"""Column masks up to this are held for the whole query; beyond, they are taken in blocks and
evaluated again for every stripe."""


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


def stripe_bounds(rows: int) -> Iterator[tuple[int, int]]:
    """Start and stop of each stripe of a table of that many rows."""
    start, height = 0, _FIRST_STRIPE
    while start < rows:
        yield start, min(rows, start + height)
        start, height = start + height, min(_LAST_STRIPE, height * 2)


def tabulate(
    masks: Masks,
    rows: Sequence[Scoped],
    columns: Sequence[Scoped],
    base: Scoped,
    waves: WaveSet,
) -> Iterator[Stripe]:
    """The table of rows × columns within the base over the requested waves, stripe by stripe.

    A generator: closing it stops the work at the next stripe. Memory: the column masks (bounded
    by `_HELD_COLUMN_BYTES`), the row masks of one stripe and wave, and one stripe of figures.
    """
    respondents = sum(masks.frame(place).respondents for place in members(waves))
    with prepare(respondents, len(rows), len(columns)):
        table = _Table(masks, columns, base, waves)
        for start, stop in stripe_bounds(len(rows)):
            yield table.stripe(start, rows[start:stop])


class _Table:
    """What the stripes of one table share: the base and the columns, by wave."""

    def __init__(
        self, masks: Masks, columns: Sequence[Scoped], base: Scoped, waves: WaveSet
    ) -> None:
        self._columns = columns
        self._waves = waves & base.coverage
        self._places = tuple(members(self._waves))
        self._slices = [_WaveSlice(masks, base.node, place) for place in self._places]
        self._blocks = _ColumnBlocks(columns, self._slices)
        self._column_indicator = indicator((each.coverage for each in columns), self._places)
        self._base = _ByWave.empty(1, len(self._places))
        self._column = _ByWave.empty(len(columns), len(self._places))
        for at, wave in enumerate(self._slices):
            self._base.put(at, slice(None), wave.totals(wave.base[np.newaxis]))
            for live, held in self._blocks.of(at):
                self._column.put(at, live, wave.totals(held))

    def stripe(self, start: int, rows: Sequence[Scoped]) -> Stripe:
        """The figures of some rows, `start` being the first one's place in the table."""
        shape = (len(rows), len(self._columns))
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
        row = _ByWave.empty(len(rows), len(self._places))
        for at, wave in enumerate(self._slices):
            live, held = wave.take(rows)
            if not len(live):
                continue
            row.put(at, live, wave.totals(held))
            for columns, column_masks in self._blocks.of(at):
                shared = pair_tables(held, column_masks, wave.weights)
                cells = np.ix_(live, columns)
                counts[cells] += shared[0]
                sums[cells] += shared[1]
        return self._figures(start, rows, row, counts, sums)

    def _figures(
        self, start: int, rows: Sequence[Scoped], row: _ByWave, counts: Counts, sums: Sums
    ) -> Stripe:
        """Narrow base, row and column to each cell's effective waves; average the sizes.

        Every product below adds grid weights times 0 or 1, so it is exact (see `kernel`).
        """
        by_row = indicator((each.coverage for each in rows), self._places)
        by_column = self._column_indicator
        waves = by_row @ by_column.T

        def figures(weight: Sums, sample: NDArray[np.float64]) -> Figures:
            return Figures(average_size(weight, waves), np.rint(sample).astype(np.int64))

        return Stripe(
            start=start,
            stop=start + len(rows),
            base=figures(
                (by_row * self._base.sums) @ by_column.T,
                (by_row * self._base.counts) @ by_column.T,
            ),
            row=figures(row.sums @ by_column.T, row.counts @ by_column.T),
            column=figures(by_row @ self._column.sums.T, by_row @ self._column.counts.T),
            intersect=Figures(average_size(sums, waves), counts),
            row_waves=tuple(each.coverage & self._waves for each in rows),
            column_waves=tuple(each.coverage for each in self._columns),
        )


@dataclass(frozen=True, slots=True)
class _ByWave:
    """Sums of some nodes within the base, by wave: float64[nodes, waves].

    Counts are floats here too (exact below 2^53), so that they go through the same products.
    """

    counts: NDArray[np.float64]
    sums: Sums

    @classmethod
    def empty(cls, nodes: int, waves: int) -> _ByWave:
        return cls(np.zeros((nodes, waves)), np.zeros((nodes, waves)))

    def put(self, wave: int, nodes: slice | NDArray[np.intp], totals: tuple[Counts, Sums]) -> None:
        self.counts[nodes, wave], self.sums[nodes, wave] = totals


class _WaveSlice:
    """One wave as a table sees it: only the 64-bit words in which the base has anybody.

    Respondents stand sorted by location, so a base of few locations leaves few words, and every
    mask, count and sum is shorter by as much.
    """

    def __init__(self, masks: Masks, base: Node, place: int) -> None:
        self._masks = masks
        self.place = place
        frame: WaveFrame = masks.frame(place)
        mask = masks.of(base, place)
        occupied = np.flatnonzero(mask)
        self._words = None if 2 * len(occupied) > len(mask) else occupied
        self.base: Words = self._cut(mask)
        self.weights = frame.weights if self._words is None else frame.weights[self._words]

    def take(self, nodes: Sequence[Scoped]) -> tuple[NDArray[np.intp], Words]:
        """Places of the nodes that cover this wave, and their masks within the base."""
        live = self.covered(nodes)
        return live, self.within_base([nodes[int(place)].node for place in live])

    def covered(self, nodes: Sequence[Scoped]) -> NDArray[np.intp]:
        """Places of the nodes that can hold in this wave."""
        live = [at for at, each in enumerate(nodes) if each.node.coverage >> self.place & 1]
        return np.array(live, dtype=np.intp)

    def within_base(self, nodes: Sequence[Node]) -> Words:
        """The masks of nodes within the base: uint64[nodes, words of this slice]."""
        taken = np.empty((len(nodes), len(self.base)), dtype=np.uint64)
        for at, node in enumerate(nodes):
            np.bitwise_and(self._cut(self._masks.of(node, self.place)), self.base, out=taken[at])
        return taken

    def totals(self, held: Words) -> tuple[Counts, Sums]:
        """Respondents and weight of each mask (which lies within the base): two vectors."""
        counts, sums = pair_tables(self.base[np.newaxis], held, self.weights)
        return counts[0], sums[0]

    def _cut(self, mask: Words) -> Words:
        return mask if self._words is None else mask[self._words]


class _ColumnBlocks:
    """The column masks of a table by wave: held when they are few enough, else made again."""

    def __init__(self, columns: Sequence[Scoped], slices: Sequence[_WaveSlice]) -> None:
        self._columns = columns
        self._slices = slices
        self._live = [wave.covered(columns) for wave in slices]
        needed = sum(
            len(live) * wave.base.nbytes for live, wave in zip(self._live, slices, strict=True)
        )
        self._hold = needed <= _HELD_COLUMN_BYTES
        self._held: dict[int, Words] = {}

    def of(self, wave: int) -> Iterator[tuple[NDArray[np.intp], Words]]:
        """Places of columns and their masks, block after block, in the table's wave `wave`."""
        live = self._live[wave]
        step = len(live) if self._hold else self._block_length(wave)
        for start in range(0, len(live), max(1, step)):
            block = live[start : start + step]
            yield block, self._masks_of(wave, block)

    def _masks_of(self, wave: int, block: NDArray[np.intp]) -> Words:
        if wave in self._held:
            return self._held[wave]
        made = self._slices[wave].within_base([self._columns[int(place)].node for place in block])
        if self._hold:
            self._held[wave] = made
        return made

    def _block_length(self, wave: int) -> int:
        return max(1, _HELD_COLUMN_BYTES // 4 // max(1, self._slices[wave].base.nbytes))
