"""Tables added up by wave: the protocol, and the tabulator that adds them up on this machine.

A `Tabulator` knows where the respondents are: here, or in partitions elsewhere. It gives plain
counts and sums of weights, before any coverage narrows them (`tables`). Partial sums of two sets of
respondents add up to those of both, without rounding on the grid of weights (see `kernel`).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import InWaves, Node
from audiencelab.engine.bitset import Counts, MaskCompactor, Sums, Words
from audiencelab.engine.kernel import pair_tables, prepare, totals
from audiencelab.engine.masks import Masks
from audiencelab.errors import AudienceError

_HELD_COLUMN_BYTES = 256 << 20
"""Column masks up to this are held for the whole query; beyond, they are taken in blocks and
evaluated again for every stripe."""

_FIRST_STRIPE = 8
_LAST_STRIPE = 128
"""Stripes of 8, 32, 128, 128 … rows: early first cells, and nearly the best total."""

_ONE_STRIPE_BITS = 1_000_000_000
"""Mask bits × other masks up to which a table is one stripe: some hundredths of a second."""

_WORTH_COMPACTING = 20
"""Compacting a mask takes as long as pairing it with so many others saves when the base is small,
and with the more of them the nearer the base comes to half of the respondents."""

_REMEMBERED = 50_000
"""Totals of a node within a base and wave that are kept between queries."""


_TotalKey = tuple[int, bytes, bytes]
_Total = tuple[int, float]


@dataclass(frozen=True, slots=True)
class ByWave:
    """Sums of some nodes within the base, by wave: float64[nodes, waves].

    Counts are floats here too (exact below 2^53), so that they go through the same products.
    """

    counts: NDArray[np.float64]
    sums: Sums


@dataclass(frozen=True, slots=True)
class StripeSums:
    """Rows `start` to `stop` (exclusive) of a table, all columns, over all requested waves.

    base, row, column: the totals of one, stop - start and all column nodes, by wave.
    counts, sums: int64 and float64 of shape [rows, columns], respondents and weight in both.
    """

    start: int
    stop: int
    base: ByWave
    row: ByWave
    column: ByWave
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

        positions: the waves, by order of date; sums by wave are in this order. A node is empty in
        waves that it does not cover. Closing the generator stops the work.
        """
        ...


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
            self._totals = {}
        with prepare(*size):
            pairs = len(rows) * len(columns) / max(1, len(rows) + len(columns))
            limit = _HELD_COLUMN_BYTES // max(1, len(positions))
            # Where the base holds for nobody, so does everything within it.
            waves = {
                at: _Wave(self.masks, self._totals, base, columns, position, pairs, limit)
                for at, position in enumerate(positions)
                if base.coverage >> position & 1
            }
            table = _Table(waves, len(columns), len(positions))
            for start, stop in stripe_bounds(*size, first=self._first_stripe):
                yield table.stripe(start, rows[start:stop])


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


class _Table:
    """What the stripes of one table share: the waves by index, totals of the base and columns."""

    def __init__(self, waves: dict[int, _Wave], columns: int, count: int) -> None:
        self._waves = waves
        self._count = count
        found = {at: (wave.columns, *wave.totals(wave.columns)) for at, wave in waves.items()}
        self._column = _by_wave(columns, count, found)
        base = np.zeros((2, 1, count))
        for at, (_, counts, sums) in found.items():
            base[:, 0, at] = counts[0], sums[0]
        self._base = ByWave(*base)

    def stripe(self, start: int, nodes: Sequence[Node]) -> StripeSums:
        """The sums of some rows; `start` is the position of the first one in the table."""
        shape = len(nodes), len(self._column.counts)
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
        found: dict[int, tuple[_Axis, Counts, Sums]] = {}
        for at, wave in self._waves.items():
            rows, columns = wave.axis(nodes), wave.columns
            if len(rows.live):
                wave_counts, wave_sums = wave.pairs(rows)
                found[at] = rows, wave_counts[:, 0], wave_sums[:, 0]
                cells = np.ix_(rows.live, columns.live)
                distinct = np.ix_(rows.index, columns.index)
                counts[cells] += wave_counts[distinct]
                sums[cells] += wave_sums[distinct]
        row = _by_wave(len(nodes), self._count, found)
        return StripeSums(start, start + len(nodes), self._base, row, self._column, counts, sums)


def _by_wave(nodes: int, waves: int, found: dict[int, tuple[_Axis, Counts, Sums]]) -> ByWave:
    """The totals of all nodes, from those of [base, *nodes] of each wave's axis."""
    totals = np.zeros((2, nodes, waves))
    for at, (axis, counts, sums) in found.items():
        totals[:, axis.live, at] = counts[axis.index], sums[axis.index]
    return ByWave(*totals)


@dataclass(frozen=True, slots=True)
class _Axis:
    """The rows or columns of a table that can hold in one wave, equal ones once.

    live: their positions in the table. index: of each of them among [base, *nodes].
    nodes: the different ones. step: how many masks are in memory together. held: masks by the
    index of their first node.
    """

    live: NDArray[np.intp]
    index: NDArray[np.intp]
    nodes: list[Node]
    step: int
    held: dict[int, Words] = field(default_factory=dict[int, Words])


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
        weights, mask = masks.frame(position).weights, masks.of(base, position)
        occupied = np.flatnonzero(mask)
        self._words = None if 2 * len(occupied) > len(mask) else occupied
        self._base = mask if self._words is None else mask[self._words]
        self._weights = weights if self._words is None else weights[self._words]
        share = np.bitwise_count(self._base).sum() / max(1, 64 * len(self._base))
        self._compactor: MaskCompactor | None = None
        if (1 - 2 * share) * pairs >= _WORTH_COMPACTING:
            self._compactor = MaskCompactor(self._base)
            self._weights = self._compactor.weights(self._weights)
        self.columns = self.axis(columns, limit)

    def axis(self, nodes: Sequence[Node], limit: int | None = None) -> _Axis:
        """Rows or columns in this wave; `limit`: bytes of their masks in memory."""
        live = [at for at, node in enumerate(nodes) if node.coverage >> self._position & 1]
        # Everyone within the base is the base.
        order, distinct, index = {self._node.key: 0}, list[Node](), list[int]()
        for node in (nodes[at] for at in live):
            key = self._node.key if isinstance(node, InWaves) else node.key
            if key not in order:
                order[key] = len(order)
                distinct.append(node)
            index.append(order[key])
        step = max(1, len(distinct))
        if limit is not None and step * 8 * len(self._weights) > limit:
            step = max(1, limit // 4 // (8 * len(self._weights)))
        return _Axis(np.array(live, np.intp), np.array(index, np.intp), distinct, step)

    def totals(self, axis: _Axis) -> tuple[Counts, Sums]:
        """Respondents and weight of the base and each node of an axis: [1 + nodes]."""
        found = self._totals_of([self._node], lambda: self._within_base([self._node]))
        for start in range(0, len(axis.nodes), axis.step):
            nodes = axis.nodes[start : start + axis.step]
            found += self._totals_of(nodes, partial(self._block, axis, start))
        counts, sums = zip(*found, strict=True)
        return np.array(counts, np.int64), np.array(sums, np.float64)

    def _totals_of(self, nodes: Sequence[Node], masks: Callable[[], Words]) -> list[_Total]:
        keys = [(self._position, self._node.key, node.key) for node in nodes]
        found = [known for key in keys if (known := self._known.get(key)) is not None]
        if len(found) < len(keys):
            counts, sums = totals(masks(), self._weights)
            found = list(zip(counts.tolist(), sums.tolist(), strict=True))
            self._known.update(zip(keys, found, strict=True))
        return found

    def pairs(self, rows: _Axis) -> tuple[Counts, Sums]:
        """The table of [base, *row nodes] × [base, *column nodes]."""
        shape = 1 + len(rows.nodes), 1 + len(self.columns.nodes)
        counts, sums = np.empty(shape, np.int64), np.empty(shape, np.float64)
        counts[0], sums[0] = self.totals(self.columns)
        counts[:, 0], sums[:, 0] = self.totals(rows)
        if not rows.nodes:
            return counts, sums
        masks = self._block(rows, 0)
        for start in range(0, len(self.columns.nodes), self.columns.step):
            columns = self._block(self.columns, start)
            some = slice(1 + start, 1 + start + len(columns))
            counts[1:, some], sums[1:, some] = pair_tables(masks, columns, self._weights)
        return counts, sums

    def _block(self, axis: _Axis, start: int) -> Words:
        """Masks of some nodes of an axis within the base: uint64[step, words]."""
        masks = axis.held.get(start)
        if masks is None:
            masks = self._within_base(axis.nodes[start : start + axis.step])
            if axis.step >= len(axis.nodes):
                axis.held[start] = masks
        return masks

    def _within_base(self, nodes: Sequence[Node]) -> Words:
        found = np.empty((len(nodes), len(self._base)), dtype=np.uint64)
        for at, node in enumerate(nodes):
            mask = self._masks.of(node, self._position)
            np.bitwise_and(
                mask if self._words is None else mask[self._words], self._base, out=found[at]
            )
        return found if self._compactor is None else self._compactor.masks(found)
