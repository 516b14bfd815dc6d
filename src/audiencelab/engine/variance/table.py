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
from audiencelab.engine.variance.design import Lonely
from audiencelab.engine.variance.kish import Weighing
from audiencelab.engine.variance.linearised import BaseTotals, RowVariances, row_variances
from audiencelab.engine.variance.sample import Sample
from audiencelab.engine.variance.totals import RowTotals, WaveTotals
from audiencelab.engine.waves import WaveSet, indicator, members
from audiencelab.panel.bits import unpack

__all__ = ["Linearised", "Precision", "precise"]

Floats = NDArray[np.float64]

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
    degrees_of_freedom: clusters (or respondents) less strata, of those with anybody of the base,
        in the cell that rests on fewest.
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
    degrees_of_freedom: int


@dataclass(frozen=True, slots=True)
class Precision:
    """How sure the column shares of a table are; all arrays are [rows, columns].

    sample: respondents in the column, in the waves of the cell.
    kish, rest_kish: Kish's design effect of the column, and of everyone else in the base.
    linearised: None where it was not asked for.
    """

    sample: Counts
    kish: Floats
    rest_kish: Floats
    linearised: Linearised | None


def precise(
    masks: Masks,
    rows: Sequence[Scoped],
    columns: Sequence[Scoped],
    base: Scoped,
    waves: WaveSet,
    lonely: Lonely | None = "adjust",
) -> Precision:
    """The precision of rows × columns within the base over the requested waves.

    lonely: None leaves out the linearisation. Raises `VarianceError` where the sample's design
    tells of no variance.
    """
    table = _Table(masks, rows, columns, base, waves)
    in_column, in_base = table.weighings()
    return Precision(
        sample=np.rint(in_column.count).astype(np.int64),
        kish=in_column.effect,
        rest_kish=(in_base - in_column).effect,
        linearised=None if lonely is None else table.linearised(lonely),
    )


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

    def linearised(self, lonely: Lonely) -> Linearised:
        """Raises `VarianceError` where the sample's design tells of no variance."""
        waves = [self._masks.frame(place).wave for place in self._places]
        sample = Sample(waves, self._counted(), self._by_row, self._by_column, lonely)
        shape = (len(self._rows), len(self._columns))
        figures = np.full((5, *shape), np.nan)
        covariance = np.zeros((*shape, shape[1])) if self._together(sample) else None
        with prepare(*self._size), on_one_core():
            for block in self._blocks(sample, together=covariance is not None):
                for row, found in enumerate(self._rows_of(block, sample)):
                    figures[:, row, block] = found[:5]
                    if covariance is not None:
                        covariance[row] = found.covariance
        return Linearised(
            *figures,
            covariance=covariance,
            strata=sample.strata,
            clusters=sample.clusters,
            lonely=sample.lonely,
            degrees_of_freedom=sample.degrees_of_freedom,
        )

    def _counted(self) -> Iterator[NDArray[np.bool_]]:
        """Wave by wave, who is in the base and weighs anything: bool[respondents]."""
        for place in self._places:
            wave = self._masks.frame(place).wave
            yield unpack(self._masks.of(self._base, place), wave.respondents) & (wave.weights > 0)

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
