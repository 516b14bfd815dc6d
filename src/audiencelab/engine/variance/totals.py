"""How estimated totals vary together: the one formula of a stratified sample of clusters.

    Cov(A, B) = Σ_h  n_h ÷ (n_h - 1)  Σ_c (a_hc - ā_h) (b_hc - b̄_h)

a_hc and b_hc are the weighted totals of cluster c of stratum h, and n_h counts all its clusters,
also those with nobody in the table: a table is about a part of the sample, and how many of them
were drawn into it is chance too. (Sums over waves, each a sample of its own, add up.)

The totals of a row are, for each column, the weight in row and column (`inside`), and that of the
whole column (`whole`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.bits import Words
from audiencelab.engine.kernel import pair_tables
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import WaveDesign
from audiencelab.survey.answers import unpack

__all__ = ["RowTotals", "WaveTotals"]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class RowTotals:
    """The totals of one row and k columns, and their covariances.

    inside, whole: float64[k]. of_inside, of_whole: float64[k, k]. across: float64[k, k], of what
    is inside one column (down) with the whole of another (across).
    """

    inside: Floats
    whole: Floats
    of_inside: Floats
    across: Floats
    of_whole: Floats

    @classmethod
    def none(cls, columns: int) -> RowTotals:
        nothing = np.zeros((columns, columns))
        return cls(np.zeros(columns), np.zeros(columns), nothing, nothing, nothing)

    @property
    def covariances(self) -> tuple[Floats, Floats, Floats]:
        return self.of_inside, self.across, self.of_whole

    def __add__(self, other: RowTotals) -> RowTotals:
        return RowTotals(
            self.inside + other.inside,
            self.whole + other.whole,
            self.of_inside + other.of_inside,
            self.across + other.across,
            self.of_whole + other.of_whole,
        )


class WaveTotals:
    """Some columns in one wave, ready for any row. Masks lie within the base."""

    def __init__(self, frame: WaveFrame, design: WaveDesign, masks: Words) -> None:
        self._units = (
            _Alone(frame, design)
            if design.cluster is None
            else _Clusters(frame, design, design.cluster)
        )
        self._masks = masks
        self._whole = self._units.totals(masks)
        self._of_whole, _ = self._units.covariances(self._whole, self._whole)

    def row(self, mask: Words) -> RowTotals:
        """The totals of those of the columns who are in a row, and of the columns."""
        inside = self._units.totals(self._masks & mask)
        of_inside, across = self._units.covariances(inside, self._whole)
        return RowTotals(inside.sums, self._whole.sums, of_inside, across, self._of_whole)


@dataclass(frozen=True, slots=True)
class _Sets:
    """Some sets of respondents and their weight, by stratum and by cluster: float64[sets, …]."""

    masks: Words
    by_stratum: Floats
    by_cluster: Floats

    @property
    def sums(self) -> Floats:
        return self.by_stratum.sum(axis=1)


class _Units:
    """What a wave's sample was drawn of."""

    def __init__(self, frame: WaveFrame, design: WaveDesign) -> None:
        self._design = design
        self._respondents = frame.respondents
        self._weights = frame.weights.reshape(-1)[: frame.respondents]

    def totals(self, masks: Words) -> _Sets:
        """The weights of some sets, added up over each unit; every kind of unit in its own way."""
        raise NotImplementedError

    def covariances(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        """Of what is inside with itself, and with the whole; each float64[sets, sets].

        By the formula above: products of the units' totals, less those of their means.
        """
        of_inside, across = self._products(inside, whole)
        means = inside.by_stratum * self._design.centre
        return of_inside - means @ inside.by_stratum.T, across - means @ whole.by_stratum.T

    def _products(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        """Σ scale · a · b over all units, of the same two pairs."""
        raise NotImplementedError

    def _by(self, places: Places, number: int, masks: Words) -> Floats:
        """The weight of each set in each of `number` places: float64[sets, number]."""
        found = np.zeros((len(masks), number))
        for at in np.flatnonzero(masks.any(axis=1)):
            members = np.flatnonzero(unpack(masks[at], self._respondents))
            found[at] = np.bincount(places[members], self._weights[members], minlength=number)
        return found


class _Clusters(_Units):
    """Respondents who were drawn together. cluster: of each respondent."""

    def __init__(self, frame: WaveFrame, design: WaveDesign, cluster: Places) -> None:
        super().__init__(frame, design)
        self._cluster = cluster
        self._scale = design.scale[design.stratum_of]
        # Clusters are numbered stratum by stratum.
        self._first = np.searchsorted(design.stratum_of, np.arange(design.strata))

    def totals(self, masks: Words) -> _Sets:
        by_cluster = self._by(self._cluster, self._design.units, masks)
        return _Sets(masks, np.add.reduceat(by_cluster, self._first, axis=1), by_cluster)

    def _products(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        scaled = inside.by_cluster * self._scale
        return scaled @ inside.by_cluster.T, scaled @ whole.by_cluster.T


class _Alone(_Units):
    """Respondents who were drawn one by one.

    A product of two totals is one respondent's squared weight, or 0 for who is not in both sets:
    the sum of them all is one more table of weights. Who is inside one column and in the whole of
    another is inside both, so that one table serves twice.
    """

    def __init__(self, frame: WaveFrame, design: WaveDesign) -> None:
        super().__init__(frame, design)
        squared = np.zeros_like(frame.weights)
        scale = design.scale[design.stratum]
        squared.reshape(-1)[: frame.respondents] = self._weights**2 * scale
        self._squared = squared

    def totals(self, masks: Words) -> _Sets:
        by_stratum = self._by(self._design.stratum, self._design.strata, masks)
        return _Sets(masks, by_stratum, np.empty((len(masks), 0)))

    def _products(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        _, products = pair_tables(inside.masks, whole.masks, self._squared)
        return products, products
