"""The variances of a whole table, row by row, with no more memory than its figures need.

Waves add up, as each is a sample of its own. A column is empty in waves that did not ask it, so
what is about columns alone can be summed over the waves of the row; only the base has to be
narrowed to those of each column, and is kept by wave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node
from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import Counts, prepare
from audiencelab.engine.kernel.products import on_one_core
from audiencelab.engine.masks import Masks
from audiencelab.engine.tables import Scoped
from audiencelab.engine.variance.design import Lonely, VarianceError
from audiencelab.engine.variance.freedom import WaveFreedom
from audiencelab.engine.variance.kish import Weighing
from audiencelab.engine.variance.linearised import BaseTotals, RowVariances, row_variances
from audiencelab.engine.variance.sample import Sample, by_cell
from audiencelab.engine.variance.totals import RowTotals, WaveTotals
from audiencelab.engine.waves import WaveSet, indicator, members

__all__ = ["Linearised", "Precision", "precise"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_MOST_TOGETHER = 200
"""Columns of which every two are set against each other: a row's matrix has their square."""

_MOST_COVARIANCES = 4_000_000
"""Covariances of two columns, in all rows: 32 MB. Of a larger table they are not told."""

_MOST_CLUSTER_TOTALS = 16_000_000
"""Totals of columns by cluster that stand in memory at once: 128 MB, twice over."""

_BLOCK = 8
"""Columns taken together where they are not to be set against each other."""


@dataclass(frozen=True, slots=True)
class Linearised:
    """Variances by Taylor linearisation; arrays are float64[rows, columns], in shares of 1.

    share: of the column, what is in the row. variance: of that share. NaN for nobody.
    rest_variance: of the same share of everyone else in the base; rest_covariance: of both.
    index_variance: of the logarithm of the index.
    covariance: of two columns' shares in one row, float64[rows, columns, columns]; None of a
        table that is too large for it.
    strata, clusters, lonely: how many there are in the waves that the table rests on; clusters
        are None where respondents were drawn one by one, lonely strata have a single one.
    freedom: float64[rows, columns], clusters (or respondents) less strata, of those with anybody
        of the cell's base. degrees_of_freedom: in the cell that has fewest.
    by_row, pairs: which waves a row rests on, float64[rows, waves], and the degrees of freedom of
        every two columns together, by wave; None of a table that is too large for them.

    A share whose respondents all fall in one cluster has no variance (NaN): nothing says how it
    would differ in another.
    """

    share: Floats
    variance: Floats
    rest_variance: Floats
    rest_covariance: Floats
    index_variance: Floats
    covariance: Floats | None
    strata: int
    clusters: int | None
    lonely: int
    freedom: Floats
    degrees_of_freedom: int
    by_row: Floats
    pairs: Floats | None

    def freedom_of(self, rows: Places, first: Places, second: Places) -> Floats:
        """Of two columns in a row: clusters less strata, of those with anybody of either column.

        All arrays have one shape. In a table too large for its pairs, those of the base.
        """
        if self.pairs is None:
            return np.fmin(self.freedom[rows, first], self.freedom[rows, second])
        waves = zip(self.by_row.T, self.pairs, strict=True)
        found = np.zeros(np.shape(first))
        for asked, pairs in waves:
            found += asked[rows] * pairs[first, second]
        return found


@dataclass(frozen=True, slots=True)
class Precision:
    """How sure the column shares of a table are; all arrays are [rows, columns].

    sample, size: respondents in the column, and their weight on average over the waves of the cell.
    kish, rest_kish: Kish's design effect of the column, and of everyone else in the base.
    linearised: None where it was not asked for.
    weighing: respondents of row, column and base whose weight is not 0, float64[3, rows,
        columns]; None where everyone's is.
    """

    sample: Counts
    size: Floats
    kish: Floats
    rest_kish: Floats
    linearised: Linearised | None
    weighing: Floats | None


def precise(
    masks: Masks,
    rows: Sequence[Scoped],
    columns: Sequence[Scoped],
    base: Scoped,
    waves: WaveSet,
    lonely: Lonely | None = "adjust",
    *,
    where_known: bool = False,
) -> Precision:
    """The precision of rows × columns within the base over the requested waves.

    lonely: None leaves out the linearisation. where_known: leave it out also where no strata and
    no clusters are known, or where they do not show any variance; otherwise that raises
    `VarianceError`.
    """
    table = _Table(masks, rows, columns, base, waves)
    in_column, in_base = table.weighings()
    return Precision(
        sample=np.rint(in_column.count).astype(np.int64),
        size=in_column.weight / np.maximum(table.waves, 1),
        kish=in_column.effect,
        rest_kish=(in_base - in_column).effect,
        linearised=None if lonely is None else _linearised(table, lonely, where_known=where_known),
        weighing=table.weighing(in_column, in_base),
    )


def _linearised(table: _Table, lonely: Lonely, *, where_known: bool) -> Linearised | None:
    if where_known and not table.designed:
        return None
    try:
        return table.linearised(lonely)
    except VarianceError:
        if where_known:
            return None
        raise


class _Table:
    """Who is in the table, and in which waves."""

    def __init__(
        self,
        masks: Masks,
        rows: Sequence[Scoped],
        columns: Sequence[Scoped],
        base: Scoped,
        waves: WaveSet,
    ) -> None:
        self._masks = masks
        self._rows, self._columns, self._base = rows, columns, base.node
        self._places = tuple(members(waves & base.coverage))
        self._by_row = indicator([each.coverage for each in rows], self._places)
        self._by_column = indicator([each.coverage for each in columns], self._places)

    @property
    def _size(self) -> tuple[int, int, int]:
        """Respondents, and how many masks are paired with how many."""
        respondents = sum(self._masks.frame(place).respondents for place in self._places)
        columns = len(self._columns) + 1
        return respondents, len(self._rows) * columns, columns

    def weighings(self) -> tuple[Weighing, Weighing]:
        """Of the column and of the base of each cell, [rows, columns]."""
        nodes = [self._base, *(each.node for each in self._columns)]
        by_wave = Weighing.of(self._masks, nodes, self._base, self._places)
        return by_wave.map(lambda wave: self._by_row @ wave[1:].T), by_wave.map(
            lambda wave: (self._by_row * wave[0]) @ self._by_column.T
        )

    def weighing(self, in_column: Weighing, in_base: Weighing) -> Floats | None:
        """See `Precision.weighing`."""
        frames = [self._masks.frame(place) for place in self._places]
        if all(np.array_equal(frame.weighing, frame.full) for frame in frames):
            return None
        nodes = [each.node for each in self._rows]
        by_wave = Weighing.of(self._masks, nodes, self._base, self._places)
        in_row = by_wave.map(lambda wave: wave @ self._by_column.T)
        return np.stack([in_row.weighing, in_column.weighing, in_base.weighing])

    @property
    def waves(self) -> Floats:
        """How many waves each cell rests on, float64[rows, columns]."""
        return self._by_row @ self._by_column.T

    @property
    def designed(self) -> bool:
        """Whether strata or clusters are known in any wave."""
        designs = [self._masks.frame(place).wave.design for place in self._places]
        return any(each.strata is not None or each.clusters is not None for each in designs)

    def linearised(self, lonely: Lonely) -> Linearised:
        """Raises `VarianceError` where the sample's design tells of no variance."""
        waves = [self._masks.frame(place).wave for place in self._places]
        sample = Sample(waves, self._by_row, self._by_column, lonely)
        shape = (len(self._rows), len(self._columns))
        figures = np.full((5, *shape), np.nan)
        covariance = np.zeros((*shape, shape[1])) if self._together(sample) else None
        with prepare(*self._size), on_one_core():
            for block in self._blocks(sample, together=covariance is not None):
                for row, found in enumerate(self._rows_of(block, sample)):
                    figures[:, row, block] = found[:5]
                    if covariance is not None:
                        covariance[row] = found.covariance
        freedom = self._freedom(sample, pairs=covariance is not None)
        self._leave_single(figures, freedom)
        by_cell_freedom = self._in_cells([each.base for each in freedom])
        anybody = self._in_cells([each.people for each in freedom]) > 0
        return Linearised(
            *figures,
            covariance=covariance,
            strata=sample.strata,
            clusters=sample.clusters,
            lonely=sample.lonely,
            freedom=np.where(anybody, by_cell_freedom, np.nan),
            # A cell of a wave with nobody in its base takes nothing from the others.
            degrees_of_freedom=int(by_cell_freedom[anybody].min()) if anybody.any() else 0,
            by_row=self._by_row,
            pairs=None
            if covariance is None
            else np.array([each.pairs for each in freedom], dtype=np.float64),
        )

    def _freedom(self, sample: Sample, *, pairs: bool) -> list[WaveFreedom]:
        """Wave by wave, where the base and the columns lie."""
        nodes = [each.node for each in self._columns]
        return [
            WaveFreedom.of(
                self._masks.frame(place),
                design,
                self._masks.of(self._base, place),
                self._within_base(nodes, place),
                pairs=pairs,
            )
            for place, design in zip(self._places, sample.designs, strict=True)
        ]

    def _in_cells(self, by_wave: Sequence[float]) -> Floats:
        return by_cell(np.array(by_wave, dtype=np.float64), self._by_row, self._by_column)

    def _leave_single(self, figures: Floats, freedom: Sequence[WaveFreedom]) -> None:
        """Leave out the variances of shares, and of rests, that lie in a single cluster."""
        _, variance, rest_variance, rest_covariance, index_variance = figures
        # A column is empty in waves that did not ask it; its rest has to be narrowed to the others.
        columns = self._by_row @ np.array([each.units for each in freedom])
        rests = self._by_row @ (np.array([each.rest_units for each in freedom]) * self._by_column.T)
        variance[columns == 1] = np.nan
        rest_variance[rests == 1] = np.nan
        either = (columns == 1) | (rests == 1)
        rest_covariance[either] = index_variance[either] = np.nan

    def _together(self, sample: Sample) -> bool:
        """Whether every two columns can be set against each other."""
        rows, columns = len(self._rows), len(self._columns)
        return (
            columns <= _MOST_TOGETHER
            and rows * columns**2 <= _MOST_COVARIANCES
            and (columns + 1) * (sample.clusters or 0) <= _MOST_CLUSTER_TOTALS
        )

    def _blocks(self, sample: Sample, *, together: bool) -> Iterator[slice]:
        """The columns, all at once or a few at a time."""
        columns = len(self._columns)
        most = _MOST_CLUSTER_TOTALS // (sample.clusters or 1) - 1
        step = columns if together else max(1, min(_BLOCK, most))
        return (slice(start, min(start + step, columns)) for start in range(0, columns, step))

    def _rows_of(self, block: slice, sample: Sample) -> Iterator[RowVariances]:
        """Some columns' figures in every row, from the waves that any of them rests on."""
        nodes = [self._base, *(each.node for each in self._columns[block])]
        by_column = self._by_column[block]
        resting = np.flatnonzero(by_column.any(axis=0))
        waves = {
            at: WaveTotals(
                self._masks.frame(place), sample.designs[at], self._within_base(nodes, place)
            )
            for at, place in ((int(at), self._places[at]) for at in resting)
        }
        nobody = RowTotals.none(len(nodes))
        for row, asked in zip(self._rows, self._by_row, strict=True):
            by_wave = [
                wave.row(self._masks.of(row.node, self._places[at])) if asked[at] else nobody
                for at, wave in waves.items()
            ]
            base = BaseTotals.of(by_wave, by_column[:, resting])
            yield row_variances(sum(by_wave, nobody), base)

    def _within_base(self, nodes: Sequence[Node], place: int) -> Words:
        masks = np.stack([self._masks.of(node, place) for node in nodes])
        return masks & self._masks.of(self._base, place)
