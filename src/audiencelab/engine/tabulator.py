"""Weighted tables of row nodes against column nodes, in stripes of rows, summed over waves.

A crosstab is such a table, and a stats query is one with the datapoints as rows and
segment × audience as columns. A `Tabulator` knows where the respondents are: on this machine
(`LocalTabulator`), or in partitions elsewhere. It gives plain counts and sums of weights, which
`tabulate` makes into cells. Partial sums of two sets of respondents add up to those of both,
without rounding on the grid of weights (see `kernel`).

A cell's effective waves are the requested waves that the base, the row and the column all cover. It
counts within the base those whom both its row and its column are counted within (`Counted`):
everyone of the waves that they cover, or who is valid in them. All masks are empty in waves that
their node does not cover, so that one table of both kinds of nodes, added up over all requested
waves, has every figure of each cell.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.axis import Axis
from audiencelab.engine.bitset import Counts, MaskCompactor, Sums, Words
from audiencelab.engine.kernel import pair_tables, prepare, totals
from audiencelab.engine.masks import Masks
from audiencelab.engine.metrics import affinity_index, average_size, share
from audiencelab.engine.nodes import BoundTable, InWaves, Node, WaveSet, indicator
from audiencelab.errors import AudienceError
from audiencelab.expressions import Expression
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

_HELD_COLUMN_BYTES = 256 << 20
"""Column masks up to this are held for the whole query; beyond, they are taken in blocks and
evaluated again for every stripe."""

_FIRST_STRIPE = 9
_LAST_STRIPE = 128
"""Stripes of 9, 36, 128, 128 … nodes, one of them everyone: early first cells, and nearly the best
total."""

_ONE_STRIPE_BITS = 1_000_000_000
"""Mask bits × other masks up to which a table is one stripe: some hundredths of a second."""

_WORTH_COMPACTING = 20
"""Compacting a mask takes as long as pairing it with so many others saves when the base is small,
and with the more of them the nearer the base comes to half of the respondents."""

_FEW = 8
"""Rows or columns up to which totals are added up by themselves. With more, the base as one more
row and column of the table costs less."""

_REMEMBERED = 50_000
"""Totals of a node within a base and wave that are kept between queries."""


_TotalKey = tuple[int, bytes, bytes]
_Total = tuple[int, float]


@dataclass(frozen=True, slots=True)
class CrosstabSpec:
    """Row audiences against column audiences; None as an expression is everyone.

    scope: whom it counts; without waves the latest 4 accessible ones.
    """

    rows: tuple[Expression | None, ...]
    columns: tuple[Expression | None, ...]
    scope: Scope = DEFAULT_SCOPE


@dataclass(frozen=True, slots=True)
class CellCounts:
    """Sizes (people) and samples (respondents, summed over waves), [rows, columns]."""

    size: Sums
    sample: Counts

    def where(self, known: Flags | None) -> CellCounts:
        """The same, 0 in the cells that are not known; None: all are."""
        return self if known is None else CellCounts(self.size * known, self.sample * known)


@dataclass(frozen=True, slots=True)
class CrosstabStripe:
    """Rows `start` to `stop` (exclusive) of a crosstab with all their columns.

    `base`, `row`, `column` and `intersect` each hold `.size` (float64, people) and `.sample`
    (int64, respondents) of shape [rows, columns]; percentages are float64 of that shape.
    `row_intersect_percentage` is 100 × intersect ÷ column, `column_intersect_percentage`
    100 × intersect ÷ row: each side has its share of the other.
    row_waves, column_waves: the effective waves of a cell are those of its row and its column.
    offered: the cells of which some wave offered row and column; None: all. Others are 0.
    """

    start: int
    stop: int
    base: CellCounts
    row: CellCounts
    column: CellCounts
    intersect: CellCounts
    row_percentage: Floats
    column_percentage: Floats
    row_intersect_percentage: Floats
    column_intersect_percentage: Floats
    intersect_percentage: Floats
    index: Floats
    row_waves: tuple[WaveSet, ...]
    column_waves: tuple[WaveSet, ...]
    offered: Flags | None = None

    def waves(self, column: int) -> list[WaveSet]:
        """The effective waves of the cells of a column."""
        found = [waves & self.column_waves[column] for waves in self.row_waves]
        if self.offered is None:
            return found
        offered = self.offered[:, column].tolist()
        return [waves if known else 0 for waves, known in zip(found, offered, strict=True)]


@dataclass(frozen=True, slots=True)
class StripeSums:
    """Rows `start` to `stop` (exclusive) of a table, all columns, over all requested waves.

    counts, sums: int64 and float64 of shape [rows, columns], respondents and weight in both.
    """

    start: int
    stop: int
    counts: Counts
    sums: Sums


class TabulationError(AudienceError):
    """Respondents elsewhere who could not be added up; the message names which, where and why."""


class Tabulator(Protocol):
    """Adds up the respondents of a survey, wherever they are; thread-safe."""

    def stripes(
        self,
        base: Node,
        rows: Sequence[Node],
        columns: Sequence[Node],
        positions: tuple[int, ...],
    ) -> Generator[StripeSums]:
        """The sums of rows × columns within the base, in stripes from the first row on.

        positions: the waves, by order of date. A node is empty in waves that it does not cover.
        Closing the generator stops the work.
        """
        ...


def tabulate(tabulator: Tabulator, table: BoundTable) -> Generator[CrosstabStripe]:
    """The cells of a table, stripe by stripe.

    Closing the generator stops the work at the next stripe.
    """
    positions = table.positions
    across, down = Axis.of(table.columns, adds_up=True), Axis.of(table.rows)
    rows_within = np.array([place for [place] in down.within], np.intp)
    shape = len(rows_within), len(across.nodes)
    in_within = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
    by_column = indicator([column.coverage for column in table.columns], positions).T

    # Most tables need no product of offers: every wave that asked a question offered its answers.
    new_answers = any(each.offered != each.coverage for each in (*table.rows, *table.columns))
    by_offer = indicator([column.offered for column in table.columns], positions).T
    with closing(tabulator.stripes(table.base, down.nodes, across.nodes, positions)) as stripes:
        for each in stripes:
            # The nodes of rows ascend, so the rows of a stripe of nodes are a range of rows.
            start, stop = np.searchsorted(down.node, (each.start, each.stop)).tolist()
            # Whom a row is counted within comes at or before the row, and later stripes need it as
            # well.
            new = (each.start <= rows_within) & (rows_within < each.stop)
            for total, part in zip(in_within, (each.counts, each.sums), strict=True):
                total[new] = part[rows_within[new] - each.start]
            # A stripe may hold nothing but such nodes.
            if start == stop:
                continue
            rows = table.rows[start:stop]
            count = table.divisor(indicator([row.coverage for row in rows], positions) @ by_column)
            offered = None
            if new_answers:
                offered = indicator([row.offered for row in rows], positions) @ by_offer > 0
            in_row = down.node[start:stop] - each.start
            within = down.within_of[start:stop]
            # The four figures of a cell: the row itself or those it is counted within, with the
            # column itself or those it is counted within.
            of_rows = each.counts, each.sums
            whole, row, column, both = (
                CellCounts(average_size(of(sums[side]), count), of(counts[side])).where(offered)
                for (counts, sums), side, of in (
                    (in_within, within, across.of_within),
                    (of_rows, in_row, across.of_within),
                    (in_within, within, across.of_nodes),
                    (of_rows, in_row, across.of_nodes),
                )
            )
            yield CrosstabStripe(
                *(start, stop, whole, row, column, both),
                row_percentage=share(row.size, whole.size),
                column_percentage=share(column.size, whole.size),
                row_intersect_percentage=share(both.size, column.size),
                column_intersect_percentage=share(both.size, row.size),
                intersect_percentage=share(both.size, whole.size),
                index=affinity_index(both.size, row.size, column.size, whole.size),
                row_waves=tuple(row.coverage & table.waves & table.base.coverage for row in rows),
                column_waves=tuple(column.coverage for column in table.columns),
                offered=offered,
            )


class LocalTabulator:
    """Adds up the respondents on this machine; a `Tabulator`.

    hurries: whether first cells come early, in a small stripe, at some cost to the whole table.
    Memory: the column masks (bounded by `_HELD_COLUMN_BYTES`), the row masks of one stripe and
    wave, and one stripe of figures.
    """

    def __init__(self, masks: Masks, *, hurries: bool = True) -> None:
        self.masks = masks
        self._first_stripe = _FIRST_STRIPE if hurries else _LAST_STRIPE
        self._totals: dict[_TotalKey, _Total] = {}

    def stripes(
        self,
        base: Node,
        rows: Sequence[Node],
        columns: Sequence[Node],
        positions: tuple[int, ...],
    ) -> Generator[StripeSums]:
        """As `Tabulator.stripes`; stops at the next stripe when closed."""
        respondents = sum(self.masks.frame(position).respondents for position in positions)
        size = respondents, len(rows), len(columns)
        if len(self._totals) > _REMEMBERED:
            # A new dictionary: queries of other threads still read and fill the one before.
            self._totals = {}
        with prepare(*size):
            pairs = len(rows) * len(columns) / max(1, len(rows) + len(columns))
            # The column masks of all waves are held at the same time.
            limit = _HELD_COLUMN_BYTES // max(1, len(positions))
            # Where the base is empty, so is everything within it.
            waves = [
                _Wave(self.masks, self._totals, base, columns, position, pairs, limit)
                for position in positions
                if base.coverage >> position & 1
            ]
            # Stripes outside, waves inside: a cell is complete only when all waves are added.
            for start, stop in stripe_bounds(*size, first=self._first_stripe):
                shape = stop - start, len(columns)
                totals = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
                for wave in waves:
                    across, down = wave.columns, wave.side(rows[start:stop])
                    cells = np.ix_(down.live, across.live)
                    for total, table in zip(totals, wave.pairs(down), strict=True):
                        total[cells] += table[np.ix_(down.index, across.index)]
                yield StripeSums(start, stop, *totals)


def stripe_bounds(
    respondents: int, rows: int, columns: int, first: int = _FIRST_STRIPE
) -> Iterator[tuple[int, int]]:
    """Start and stop of each stripe of a table of that size; `first` rows come first."""
    small = respondents * rows * columns <= _ONE_STRIPE_BITS
    start, height = 0, _LAST_STRIPE if small else first
    while start < rows:
        # A small rest is added to the last stripe: one of its own costs more.
        stop = rows if rows - start <= height * 3 // 2 else start + height
        yield start, stop
        start, height = stop, min(_LAST_STRIPE, height * 4)


@dataclass(slots=True)
class _Side:
    """The rows or columns of a table that can hold in one wave, equal ones once.

    live: their positions in the table. nodes: the base, then the different ones. keys: of their
    totals. index: of each live one among the nodes. step: how many masks are in memory together.
    masks: of all nodes, where they are held.
    """

    live: NDArray[np.intp]
    index: NDArray[np.intp]
    nodes: list[Node]
    keys: list[_TotalKey]
    step: int
    masks: Words | None = None


class _Wave:
    """One wave within the base of a table, no longer than the base asks for.

    Respondents are sorted by location, so a base of few locations leaves few 64-bit words with
    anybody; the others are cut out. If it has less than about half of the rest, masks are
    compacted. Every mask, count and sum is shorter by as much.

    known: totals that are kept between queries. pairs: for each mask, how many others it is
    paired with. limit: bytes of column masks that are held.
    """

    def __init__(
        self,
        masks: Masks,
        known: dict[_TotalKey, _Total],
        base: Node,
        columns: Sequence[Node],
        position: int,
        pairs: float,
        limit: int,
    ) -> None:
        self._masks, self._known = masks, known
        self._node, self._position = base, position
        weights, mask = masks.frame(position).weights, masks.counted(base, position)
        # Copying words costs a pass over each mask, so they are cut only where at least half are
        # empty.
        occupied = np.flatnonzero(mask)
        self._words = None if 2 * len(occupied) > len(mask) else occupied
        self._base = mask if self._words is None else mask[self._words]
        self._weights = weights if self._words is None else weights[self._words]
        share = np.bitwise_count(self._base).sum() / max(1, 64 * len(self._base))
        self._compactor: MaskCompactor | None = None
        if (1 - 2 * share) * pairs >= _WORTH_COMPACTING:
            self._compactor = MaskCompactor(self._base)
            self._weights = self._compactor.weights(self._weights)
        self.columns = self.side(columns, limit)

    def side(self, nodes: Sequence[Node], limit: int | None = None) -> _Side:
        """Rows or columns in this wave; `limit`: bytes of their masks in memory."""
        live = [at for at, node in enumerate(nodes) if node.coverage >> self._position & 1]
        order, distinct, index = {self._node.key: 0}, [self._node], list[int]()
        for node in (nodes[at] for at in live):
            # Everyone within the base is the base.
            key = self._node.key if isinstance(node, InWaves) else node.key
            if key not in order:
                order[key] = len(order)
                distinct.append(node)
            index.append(order[key])
        keys = [(self._position, self._node.key, key) for key in order]
        step = len(distinct)
        # Eight bytes for each word of a mask; `_weights` has one row for each word.
        if limit is not None and step * 8 * len(self._weights) > limit:
            step = max(1, limit // 4 // (8 * len(self._weights)))
        return _Side(np.array(live, np.intp), np.array(index, np.intp), distinct, keys, step)

    def pairs(self, rows: _Side) -> tuple[Counts, Sums]:
        """The table of the nodes of both axes, of which the base is the first."""
        columns = self.columns
        shape = len(rows.nodes), len(columns.nodes)
        counts, sums = np.empty(shape, np.int64), np.empty(shape, np.float64)
        apart = min(shape) <= _FEW
        of_columns, of_rows = self._totals(columns, apart), self._totals(rows, apart)
        if of_columns is not None:
            counts[0], sums[0] = of_columns
        if of_rows is not None:
            counts[:, 0], sums[:, 0] = of_rows
        # Totals that are known already save the row or the column of the base.
        top, left = int(of_columns is not None), int(of_rows is not None)
        if top < len(rows.nodes):
            masks = self._within_base(rows, top)
            for start in range(left, len(columns.nodes), columns.step):
                others = self._within_base(columns, start)
                some = slice(start, start + len(others))
                counts[top:, some], sums[top:, some] = pair_tables(masks, others, self._weights)
        for side, known, count, weight in (
            (columns, of_columns, counts[0], sums[0]),
            (rows, of_rows, counts[:, 0], sums[:, 0]),
        ):
            if known is None:
                found = zip(count.tolist(), weight.tolist(), strict=True)
                self._known.update(zip(side.keys, found, strict=True))
        return counts, sums

    def _totals(self, side: _Side, apart: bool) -> tuple[Counts, Sums] | None:
        """Respondents and weight of each node of a side.

        None if some of them are not known, and are not to be added up `apart` from the table.
        """
        found = [self._known.get(key) for key in side.keys]
        known = [each for each in found if each is not None]
        if len(known) < len(found):
            if not apart:
                return None
            # The base comes first, and its total is often known when those of the others are not.
            first = int(found[0] is not None)
            known = known[:first]
            for start in range(first, len(found), side.step):
                counts, sums = totals(self._within_base(side, start), self._weights)
                known += zip(counts.tolist(), sums.tolist(), strict=True)
            self._known.update(zip(side.keys, known, strict=True))
        counts, sums = zip(*known, strict=True)
        return np.array(counts, np.int64), np.array(sums, np.float64)

    def _within_base(self, side: _Side, start: int) -> Words:
        """Masks of the nodes of a side from `start` on, at most `step`: uint64[nodes, words]."""
        if side.masks is not None:
            return side.masks[start:]
        held = side.step >= len(side.nodes)
        nodes = side.nodes if held else side.nodes[start : start + side.step]
        masks = np.empty((len(nodes), len(self._base)), dtype=np.uint64)
        for at, node in enumerate(nodes):
            mask = self._masks.of(node, self._position)
            mask = mask if self._words is None else mask[self._words]
            np.bitwise_and(mask, self._base, out=masks[at])
        if self._compactor is not None:
            masks = self._compactor.masks(masks)
        if not held:
            return masks
        side.masks = masks
        return masks[start:]
