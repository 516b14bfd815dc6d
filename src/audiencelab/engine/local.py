"""Tables added up on this machine, from the masks of one survey.

Masks of the columns are made once and held for the whole query while they are few enough; those
of the rows live for one stripe and wave. The base stands beside both: as one more column it
gives the totals of the rows, as one more row those of the columns, all by the one multiplication.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import pair_tables, prepare
from audiencelab.engine.masks import Masks
from audiencelab.engine.squeeze import Squeeze
from audiencelab.engine.sums import ByWave, StripeSums

__all__ = ["LocalTabulator", "stripe_bounds"]

_HELD_COLUMN_BYTES = 256 << 20
"""Column masks up to this are held for the whole query; beyond, they are taken in blocks and
evaluated again for every stripe."""

_FIRST_STRIPE = 8
_LAST_STRIPE = 128
"""Stripes of 8, 32, 128, 128 … rows: early first cells, and nearly the best total."""

_ONE_STRIPE_BITS = 1_000_000_000
"""Mask bits × other masks up to which a table is one stripe: some hundredths of a second."""

_WORTH_SQUEEZING = 20
"""Squeezing a mask takes as long as pairing it with so many others saves when the base is small,
and with the more of them the nearer the base comes to half of the respondents."""


class LocalTabulator:
    """Adds up the respondents whose masks are at hand; a `Tabulator`.

    hurries: whether first cells come early, in a small stripe, which somebody who waits for the
    whole table pays for.
    Memory: the column masks (bounded by `_HELD_COLUMN_BYTES`), the row masks of one stripe and
    wave, and one stripe of figures.
    """

    def __init__(self, masks: Masks, *, hurries: bool = True) -> None:
        self.masks = masks
        self._first_stripe = _FIRST_STRIPE if hurries else _LAST_STRIPE

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
            table = _Table(self.masks, base, len(rows), columns, places)
            size = (respondents, len(rows), len(columns))
            for start, stop in stripe_bounds(*size, first=self._first_stripe):
                yield table.stripe(start, rows[start:stop])


def stripe_bounds(
    respondents: int, rows: int, columns: int, first: int = _FIRST_STRIPE
) -> Iterator[tuple[int, int]]:
    """Start and stop of each stripe of a table of that size; `first` rows come first."""
    small = respondents * rows * columns <= _ONE_STRIPE_BITS
    start, height = 0, _LAST_STRIPE if small else first
    while start < rows:
        # What little would remain goes with the rest: a stripe of its own costs more.
        stop = rows if rows - start <= height * 3 // 2 else start + height
        yield start, stop
        start, height = stop, min(_LAST_STRIPE, height * 4)


class _Table:
    """What the stripes of one table share: the base and the columns, by wave.

    Here the base is the column 0, and the row 0 of the first stripe.
    """

    def __init__(
        self,
        masks: Masks,
        base: Node,
        rows: int,
        columns: Sequence[Node],
        places: tuple[int, ...],
    ) -> None:
        self._base = base
        self._waves = len(places)
        pairs = rows * len(columns) / max(1, rows + len(columns))
        # Where the base does not hold at all, nor does anything within it.
        self._slices = {
            at: _WaveSlice(masks, base, place, pairs)
            for at, place in enumerate(places)
            if base.coverage >> place & 1
        }
        self._columns = _Columns([base, *columns], self._slices)
        self._totals = ByWave.empty(1 + len(columns), len(places))

    def stripe(self, start: int, rows: Sequence[Node]) -> StripeSums:
        """The sums of some rows, `start` being the first one's place in the table."""
        with_base = start == 0
        nodes = [self._base, *rows] if with_base else rows
        shape = (len(nodes), len(self._totals.counts))
        counts, sums = np.zeros(shape, np.int64), np.zeros(shape, np.float64)
        row = ByWave.empty(len(nodes), self._waves)
        for at, wave in self._slices.items():
            live, held = wave.take(nodes)
            if not len(live):
                continue
            for columns, column_masks in self._columns.of(at):
                shared = pair_tables(held, column_masks, wave.weights)
                cells = np.ix_(live, columns)
                counts[cells] += shared[0]
                sums[cells] += shared[1]
                if columns[0] == 0:
                    row.put(at, live, (shared[0][:, 0], shared[1][:, 0]))
                if with_base:
                    self._totals.put(at, columns, (shared[0][0], shared[1][0]))
        own = slice(1, None) if with_base else slice(None)
        return StripeSums(
            start=start,
            stop=start + len(rows),
            base=_of(self._totals, slice(1)),
            row=_of(row, own),
            column=_of(self._totals, slice(1, None)),
            counts=counts[own, 1:],
            sums=sums[own, 1:],
        )


def _of(totals: ByWave, nodes: slice) -> ByWave:
    return ByWave(totals.counts[nodes], totals.sums[nodes])


class _WaveSlice:
    """One wave as a table sees it: no longer than the base asks for.

    Respondents stand sorted by location, so a base of few locations leaves few 64-bit words in
    which it has anybody; the others are cut out. If it has less than about half of those that
    remain, the masks are squeezed. Every mask, count and sum is shorter by as much.

    pairs: for each mask, how many others it is paired with that would otherwise be longer.
    """

    def __init__(self, masks: Masks, base: Node, place: int, pairs: float) -> None:
        self._masks = masks
        self.place = place
        weights = masks.frame(place).weights
        mask = masks.of(base, place)
        occupied = np.flatnonzero(mask)
        self._words = None if 2 * len(occupied) > len(mask) else occupied
        self._wide_base = self._cut(mask)
        weights = weights if self._words is None else weights[self._words]
        self._squeeze = _worth_squeezing(self._wide_base, pairs)
        self.base: Words = self._wide_base if self._squeeze is None else self._squeeze.base
        self.weights = weights if self._squeeze is None else self._squeeze.weights(weights)

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
        taken = np.empty((len(nodes), len(self._wide_base)), dtype=np.uint64)
        for at, node in enumerate(nodes):
            mask = self._cut(self._masks.of(node, self.place))
            np.bitwise_and(mask, self._wide_base, out=taken[at])
        return taken if self._squeeze is None else self._squeeze.masks(taken)

    def _cut(self, mask: Words) -> Words:
        return mask if self._words is None else mask[self._words]


def _worth_squeezing(base: Words, pairs: float) -> Squeeze | None:
    share = np.bitwise_count(base).sum() / max(1, 64 * len(base))
    return Squeeze(base) if (1 - 2 * share) * pairs >= _WORTH_SQUEEZING else None


class _Columns:
    """The column masks of a table by wave: held when they are few enough, else made again."""

    def __init__(self, columns: Sequence[Node], slices: Mapping[int, _WaveSlice]) -> None:
        self._columns = columns
        self._slices = slices
        self._live = {at: wave.covered(columns) for at, wave in slices.items()}
        needed = sum(len(self._live[at]) * wave.base.nbytes for at, wave in slices.items())
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
