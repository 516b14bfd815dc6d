"""How estimated totals vary together, and what that makes of shares, differences and indices.

Totals of a stratified sample of clusters:

    Cov(A, B) = Σ_h  n_h ÷ (n_h - 1)  Σ_c (a_hc - ā_h) (b_hc - b̄_h)

a_hc and b_hc are the weighted totals of cluster c of stratum h. n_h counts all its clusters, also
those with no respondent in the table: a table is about a part of the sample, and how many of them
were drawn into it is chance too. Sums over waves, each a sample of its own, add up.

Metrics follow by Taylor linearization: a metric of a cell is a smooth function of four totals, the
weight `a` in row and column, `b` in the column, `c` in row and base, `d` in the base. Its variance
is gᵀ Σ g, with g its gradient and Σ the covariances of the four; the covariance of two is gᵀ Σ g'.

    share   a ÷ b                     of the column that is in the row
    rest    (c - a) ÷ (d - b)         the same of everyone else in the base
    index   log (a d ÷ (b c))         on the log scale

What weights alone cost is Kish's design effect, n · Σw² ÷ (Σw)², with n whose weight is not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import sub
from typing import NamedTuple

import numpy as np

from audiencelab.engine.bitset import Words
from audiencelab.engine.kernel import pair_sums, pair_tables, totals
from audiencelab.engine.masks import Masks, WaveFrame
from audiencelab.engine.nodes import Node
from audiencelab.engine.variance.design import Floats, Places, WaveDesign
from audiencelab.engine.variance.raking import Explained, WaveRaking
from audiencelab.survey.answers import unpack

_MOST_SORTED = 8_000_000
"""Weights of respondents in sets that are kept sorted by unit: 64 MB."""

_AT_A_TIME = 128
"""Masks in memory together."""

_NONE = 1e-13
"""A variance of less than this, of the sum of what it is the difference of, is rounding."""


class Weighing(NamedTuple):
    """Respondents, weight and squared weight of some sets, in arrays of one shape that add up."""

    sample: Floats
    weight: Floats
    squares: Floats

    @classmethod
    def of(cls, masks: Masks, nodes: Sequence[Node], base: Node, places: Sequence[int]) -> Weighing:
        """Of each node within the base, by wave: float64[nodes, waves]."""
        found = np.zeros((3, len(nodes), len(places)))
        for at, place in enumerate(places):
            frame = masks.frame(place)
            everyone, squares = masks.counted(base, place), frame.weights**2
            for start in range(0, len(nodes), _AT_A_TIME):
                some = slice(start, start + _AT_A_TIME)
                members = np.stack([masks.of(node, place) for node in nodes[some]])
                counts, sums = pair_tables(everyone[None], members, frame.weights)
                squared = pair_sums(everyone[None], members, squares)
                found[:, some, at] = counts[0], sums[0], squared[0]
        return cls(*found)

    def map(self, change: Callable[[Floats], Floats]) -> Weighing:
        """The same change of all three: a sum over some of what they count."""
        return Weighing(*map(change, self))

    def __sub__(self, part: Weighing) -> Weighing:
        """Of those who are not in a part."""
        return Weighing(*map(sub, self, part))

    @property
    def effect(self) -> Floats:
        """Kish's design effect; NaN for an empty set, and where all weights are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = self.sample * self.squares / self.weight**2
        # Squares of a whole and its part are each rounded: less than 1 can only be a hair less.
        return np.where(self.weight > 0, np.maximum(effect, 1.0), np.nan)


class RowTotals(NamedTuple):
    """The totals of a row and k columns, and their covariances; of several rows, one below another.

    inside, whole: float64[k]. of_inside, of_whole: float64[k, k]. across: float64[k, k], of what
    is inside one column (down) with the whole of another (across).
    """

    inside: Floats
    whole: Floats
    of_inside: Floats
    across: Floats
    of_whole: Floats

    @classmethod
    def none(cls, *shape: int) -> RowTotals:
        """Nothing in so many columns, or in so many rows and columns."""
        nothing, pairs = np.zeros(shape), np.zeros((*shape, shape[-1]))
        return cls(nothing, nothing, pairs, pairs, pairs)

    @classmethod
    def stacked(cls, rows: Iterable[RowTotals]) -> RowTotals:
        return cls(*map(np.stack, zip(*rows, strict=True)))

    @classmethod
    def add_up(cls, by_wave: Sequence[RowTotals], rows: int, columns: int) -> RowTotals:
        tables = zip(cls.none(rows, columns), *by_wave, strict=True)
        return cls(*(reduce(np.add, each) for each in tables))


@dataclass(frozen=True, slots=True)
class _Sets:
    """Some sets of respondents and their weight, by stratum and by cluster: float64[sets, …].

    Of a raked wave, without what its margins explain; the sums are whole.
    """

    masks: Words
    sums: Floats
    by_stratum: Floats
    by_cluster: Floats
    explained: Explained | None = None


class UnitSums:
    """The weight of some sets in each unit, and of those of them who are in a row.

    masks: of the sets. units: of each respondent, out of `number`.
    """

    def __init__(self, frame: WaveFrame, masks: Words, units: Places, number: int) -> None:
        self._masks, self._number = masks, number
        self._respondents, self._frame_weights = frame.respondents, frame.weights
        self._weights = frame.weights.reshape(-1)[: frame.respondents]
        self._units = units
        self._order: Places | None = None
        if number > 1 and len(masks) * frame.respondents <= _MOST_SORTED:
            # Sorted by unit, a row takes its respondents out of all sets at once.
            self._order = np.argsort(units, kind="stable")
            inside = unpack(masks, frame.respondents)[:, self._order]
            self._sorted = inside * self._weights[self._order]

    def of(self, row: Words | None = None) -> Floats:
        """float64[sets, number]; row: only of those who are in it."""
        if self._order is not None:
            return self._of_sorted(self._order, row)
        masks = self._masks if row is None else self._masks & row
        # One unit: the kernel adds up masks without unpacking them.
        if self._number == 1:
            return totals(masks, self._frame_weights)[1][:, None]
        found = np.zeros((len(masks), self._number))
        for at in np.flatnonzero(masks.any(axis=1)):
            members = np.flatnonzero(unpack(masks[at], self._respondents))
            found[at] = np.bincount(
                self._units[members], self._weights[members], minlength=self._number
            )
        return found

    def _of_sorted(self, order: Places, row: Words | None) -> Floats:
        weights, units = self._sorted, self._units[order]
        if row is not None:
            inside = np.flatnonzero(unpack(row, self._respondents)[order])
            weights, units = weights[:, inside], units[inside]
        found = np.zeros((len(weights), self._number))
        if len(units):
            starts = np.flatnonzero(np.diff(units, prepend=-1))
            # `starts` is where each unit begins; units without anybody are skipped.
            found[:, units[starts]] = np.add.reduceat(weights, starts, axis=1)
        return found


class WaveTotals:
    """Some columns in one wave, ready for any row. masks: of the columns, within the base."""

    def __init__(self, frame: WaveFrame, design: WaveDesign, masks: Words) -> None:
        self._design = design
        weights = frame.weights.reshape(-1)[: frame.respondents]
        # Clusters are numbered stratum by stratum.
        self._first = np.searchsorted(design.stratum_of, np.arange(design.strata))
        self._squared = np.zeros_like(frame.weights)
        # Scaled here once, so that a table of these weights is Σ scale · w² already.
        squared = weights**2 * design.scale[design.stratum]
        if design.cluster is None:
            self._squared.reshape(-1)[: frame.respondents] = squared
        self._raking = WaveRaking.of(frame, design, squared)
        self._masks = masks
        self._by_unit = UnitSums(frame, masks, *design.unit_of)
        self._whole = self._sets(masks, self._by_unit.of())
        # The same for every row, so computed once.
        self._of_whole, _ = self._covariances(self._whole, self._whole)

    def row(self, mask: Words) -> RowTotals:
        """The totals of the columns' members who are in a row, and of the columns."""
        inside = self._sets(self._masks & mask, self._by_unit.of(mask))
        of_inside, across = self._covariances(inside, self._whole)
        return RowTotals(inside.sums, self._whole.sums, of_inside, across, self._of_whole)

    def _sets(self, masks: Words, by_unit: Floats) -> _Sets:
        sums = self._by_stratum(by_unit).sum(axis=1)
        explained = None
        if self._raking is not None:
            size = None
            if self._design.cluster is not None:
                # Before raking takes its part: what is left is compared with this to tell rounding.
                size = by_unit**2 @ self._design.scale[self._design.stratum_of]
            explained = self._raking.explained(masks, size)
            # The sums above stay whole: raking changes how totals vary, and not the totals.
            by_unit = by_unit - self._raking.by_unit(explained)
        return _Sets(masks, sums, self._by_stratum(by_unit), by_unit, explained)

    def _by_stratum(self, by_unit: Floats) -> Floats:
        if self._design.cluster is None:
            return by_unit
        return np.add.reduceat(by_unit, self._first, axis=1)

    def _covariances(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        """Of what is inside with itself, and with the whole; each float64[sets, sets].

        By the formula above: products of the units' totals, less those of their means.
        """
        of_inside, across = self._products(inside, whole)
        means = inside.by_stratum * self._design.centre
        of_inside = of_inside - means @ inside.by_stratum.T
        across = across - means @ whole.by_stratum.T
        if self._raking is None or inside.explained is None or whole.explained is None:
            return of_inside, across
        return (
            self._raking.rounded(of_inside, inside.explained, inside.explained),
            self._raking.rounded(across, inside.explained, whole.explained),
        )

    def _products(self, inside: _Sets, whole: _Sets) -> tuple[Floats, Floats]:
        """Σ scale · a · b over all units, of the same two pairs.

        Of respondents who were drawn alone, a product is one respondent's squared weight, or 0
        outside either set: the sum is one more table of weights. Who is inside one column and in
        the whole of another is inside both, so one table serves twice.
        """
        design = self._design
        if design.cluster is None:
            products = pair_sums(inside.masks, whole.masks, self._squared)
            raking, one, other = self._raking, inside.explained, whole.explained
            if raking is None or one is None or other is None:
                return products, products
            return products - raking.taken_off(one, one), products - raking.taken_off(one, other)
        scaled = inside.by_cluster * design.scale[design.stratum_of]
        return scaled @ inside.by_cluster.T, scaled @ whole.by_cluster.T


@dataclass(frozen=True, slots=True)
class BaseTotals:
    """Weight in row and base, and in the base, each float64[rows, columns] with its covariances.

    They differ between columns that were asked in other waves.
    """

    inside: Floats
    whole: Floats
    of_inside: Floats
    across: Floats
    of_whole: Floats

    @classmethod
    def of(cls, by_wave: Sequence[RowTotals], rows: int, waves: Floats) -> BaseTotals:
        """From rows' totals by wave, the base first; waves: 0 or 1, float64[columns, waves]."""
        figures = [
            (each.inside[:, 0], each.whole[:, 0], *(matrix[:, 0, 0] for matrix in each[2:]))
            for each in by_wave
        ]
        # One product adds up the waves of each column, for all figures and rows at once.
        found = waves @ np.reshape(figures, (len(by_wave), 5 * rows))
        return cls(*found.T.reshape(5, rows, len(waves)))


class RowVariances(NamedTuple):
    """Share and rest in shares of 1, the index on the log scale; float64[rows, columns].

    rest_covariance: of a column's share and its rest's. covariance: of the shares of two columns,
    float64[rows, columns, columns]. NaN where there is no such figure.
    """

    share: Floats
    variance: Floats
    rest_variance: Floats
    rest_covariance: Floats
    index_variance: Floats
    covariance: Floats


def row_variances(totals: RowTotals, base: BaseTotals) -> RowVariances:
    """The variances of some rows; the first of the totals' columns is the base."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b, c, d = totals.inside[:, 1:], totals.whole[:, 1:], base.inside, base.whole
        together = _covariances(totals, base)
        share, rest = a / b, (c - a) / (d - b)
        nothing = np.zeros_like(a)
        # The gradients of the three metrics by a, b, c and d.
        of_share = np.stack([1 / b, -share / b, nothing, nothing], axis=-1)
        of_rest = np.stack([-1 / (d - b), rest / (d - b), 1 / (d - b), -rest / (d - b)], axis=-1)
        of_index = np.stack([1 / a, -1 / b, -1 / c, 1 / d], axis=-1)
        return RowVariances(
            share=share,
            variance=_form(of_share, together),
            rest_variance=_form(of_rest, together),
            rest_covariance=np.einsum("...i,...ij,...j->...", of_share, together, of_rest),
            index_variance=_form(of_index, together),
            covariance=_of_shares(totals, of_share[..., 0], of_share[..., 1]),
        )


def _covariances(totals: RowTotals, base: BaseTotals) -> Floats:
    """Σ of each column's four totals, float64[rows, columns, 4, 4]."""
    inside, across, whole = totals.of_inside, totals.across, totals.of_whole
    a_a, a_b, b_b = (
        np.diagonal(matrix, axis1=1, axis2=2)[:, 1:] for matrix in (inside, across, whole)
    )
    # The base is the first column: c is the row within it, and d all of it.
    a_c, a_d, b_c, b_d = inside[:, 1:, 0], across[:, 1:, 0], across[:, 0, 1:], whole[:, 1:, 0]
    c_c, c_d, d_d = base.of_inside, base.across, base.of_whole
    rows = (a_a, a_b, a_c, a_d), (a_b, b_b, b_c, b_d), (a_c, b_c, c_c, c_d), (a_d, b_d, c_d, d_d)
    return np.moveaxis(np.array(rows), (0, 1), (2, 3))


def _form(gradient: Floats, together: Floats) -> Floats:
    """gᵀ Σ g of each column; 0 where nothing but rounding is left of it."""
    found = np.einsum("...i,...ij,...j->...", gradient, together, gradient)
    steps = np.abs(gradient)
    size = np.einsum("...i,...ij,...j->...", steps, np.abs(together), steps)
    return np.where(found > _NONE * size, found, np.where(np.isnan(found), np.nan, 0.0))


def _of_shares(totals: RowTotals, by_inside: Floats, by_whole: Floats) -> Floats:
    """gᵀ Σ g' of each two columns, of which only their own two totals matter."""
    inside, across, whole = (
        matrix[:, 1:, 1:] for matrix in (totals.of_inside, totals.across, totals.of_whole)
    )
    # The inside of one with the whole of the other; the reverse is its transpose.
    mixed = by_inside[:, :, None] * by_whole[:, None] * across
    return (
        by_inside[:, :, None] * by_inside[:, None] * inside
        + mixed
        + mixed.swapaxes(1, 2)
        + by_whole[:, :, None] * by_whole[:, None] * whole
    )
