"""Tables added up on this machine, from the masks of one panel.

Masks of the columns are made once and held for the whole query while they are few enough; those
of the rows live for one stripe and wave.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import Counts, Sums, pair_tables, prepare
from audiencelab.engine.masks import Masks, WaveFrame
from audiencelab.engine.sums import ByWave, StripeSums, stripe_bounds

__all__ = ["LocalTabulator"]

_HELD_COLUMN_BYTES = 256 << 20
"""Column masks up to this are held for the whole query; beyond, they are taken in blocks and
evaluated again for every stripe."""


class LocalTabulator:
    """Adds up the respondents whose masks are at hand; a `Tabulator`.

    Memory: the column masks (bounded by `_HELD_COLUMN_BYTES`), the row masks of one stripe and
    wave, and one stripe of figures.
    """

    def __init__(self, masks: Masks) -> None:
        self.masks = masks

    def stripes(
        self,
        base: Node,
        rows: Sequence[Node],
        columns: Sequence[Node],
        places: tuple[int, ...],
    ) -> Generator[StripeSums]:
        """As `Tabulator.stripes`; a generator, which stops at the next stripe when closed."""
        respondents = sum(self.masks.frame(place).respondents for place in places)
        with prepare(respondents, len(rows), len(columns)):
            table = _Table(self.masks, base, columns, places)
            for start, stop in stripe_bounds(len(rows)):
                yield table.stripe(start, rows[start:stop])


class _Table:
    """What the stripes of one table share: the base and the columns, by wave."""

    def __init__(
        self, masks: Masks, base: Node, columns: Sequence[Node], places: tuple[int, ...]
    ) -> None:
        self._width = len(columns)
        self._slices = [_WaveSlice(masks, base, place) for place in places]
        self._blocks = _ColumnBlocks(columns, self._slices)
        self._base = ByWave.empty(1, len(places))
        self._column = ByWave.empty(len(columns), len(places))
        for at, wave in enumerate(self._slices):
            self._base.put(at, slice(None), wave.totals(wave.base[np.newaxis]))
            for live, held in self._blocks.of(at):
                self._column.put(at, live, wave.totals(held))

    def stripe(self, start: int, rows: Sequence[Node]) -> StripeSums:
        """The sums of some rows, `start` being the first one's place in the table."""
        shape = (len(rows), self._width)
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
        row = ByWave.empty(len(rows), len(self._slices))
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
        return StripeSums(start, start + len(rows), self._base, row, self._column, counts, sums)


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

    def take(self, nodes: Sequence[Node]) -> tuple[NDArray[np.intp], Words]:
        """Places of the nodes that cover this wave, and their masks within the base."""
        live = self.covered(nodes)
        return live, self.within_base([nodes[int(place)] for place in live])

    def covered(self, nodes: Sequence[Node]) -> NDArray[np.intp]:
        """Places of the nodes that can hold in this wave."""
        live = [at for at, each in enumerate(nodes) if each.coverage >> self.place & 1]
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

    def __init__(self, columns: Sequence[Node], slices: Sequence[_WaveSlice]) -> None:
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
        made = self._slices[wave].within_base([self._columns[int(place)] for place in block])
        if self._hold:
            self._held[wave] = made
        return made

    def _block_length(self, wave: int) -> int:
        return max(1, _HELD_COLUMN_BYTES // 4 // max(1, self._slices[wave].base.nbytes))
