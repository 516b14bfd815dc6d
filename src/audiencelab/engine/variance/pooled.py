"""Variances of differences under the pooled share: what tests of two shares divide by.

Of two sets of respondents, 1 and 2, such as two columns, or a column and the rest of its base:

    p = (a1 + a2) ÷ (b1 + b2)                  the share that both have if nothing differs
    r = Σ w² (y - p)² ÷ Σ w²                   over those in either set
    N = r Σ w² g²,  S = Σ w² g² (y - p)²       with g = [in 1] ÷ b1 - [in 2] ÷ b2
    D = Var(p1 - p2) ÷ Σ w² ([in 1] (y - p1) ÷ b1 - [in 2] (y - p2) ÷ b2)²
    variance = D · max(N, S ÷ 2)

y is 1 for those in the row and else 0, a1 the weight of those of set 1 who are in the row and b1 of
all of them; Var is by the sample's design or from replicate weights, and D what these make of the
variance that weights alone have. With equal weights r is p (1 - p), and the test is the score test
of two proportions with those in both sets accounted for.

N lets the residuals of both sets stand for each: by the residuals of its own (S) a column of 30
without anybody in a rare row differs from the rest with certainty. With very unequal weights few
respondents hold most of r; half of S keeps the variance from being far too small then.
D is 1 where weights alone have no variance, as at 0 and 100%.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audiencelab.engine.bitset import Words
from audiencelab.engine.kernel import pair_sums
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Floats, Places

_LEAST = 0.5
"""The part of S that a variance is at least."""

_NONE = 1e-13
"""A variance of less than this, of the sum of what it is the difference of, is rounding."""

_AT_A_TIME = 200_000
"""Pairs of columns whose variances are computed at once."""


class Sums(NamedTuple):
    """Σ w of some sets, in a row and in all, and Σ w² of the same; float64 arrays of one shape."""

    inside: Floats
    whole: Floats
    inside_squares: Floats
    whole_squares: Floats

    def along(self, axis: int) -> Sums:
        """With one more axis, of length 1."""
        return Sums(*(np.expand_dims(each, axis) for each in self))

    def rows(self, some: slice) -> Sums:
        return Sums(*(each[some] for each in self))

    def without(self, part: Sums) -> Sums:
        """Of those who are not in a part."""
        return Sums(*(whole - some for whole, some in zip(self, part, strict=True)))


class TableSums:
    """The sums of a table, added up over its waves.

    column, base: of the columns, and of what each is a part of, float64[rows, columns].
    both, both_inside: Σ w² of those in two columns, and of these in the row, float64[rows, columns,
        columns]; without rows where no pairs are computed.
    """

    def __init__(self, rows: int, columns: int, *, pairs: bool) -> None:
        self.column, self.base = (Sums(*np.zeros((4, rows, columns))) for _ in range(2))
        self.both, self.both_inside = np.zeros((2, rows if pairs else 0, columns, columns))

    def add(
        self, frame: WaveFrame, rows: Words, masks: Words, in_row: Floats, in_column: Floats
    ) -> None:
        """Those of one wave.

        rows: their masks. masks: of the base, then of the columns within it. in_row, in_column: 1
        where one rests on the wave, else 0.
        """
        base, columns, squares = masks[:1], masks[1:], frame.weights**2
        cell = np.outer(in_row, in_column)
        # In the order of `Sums`: weights in the row and in all, then their squares.
        tables = [
            pair_sums(of, masks, weights)
            for weights in (frame.weights, squares)
            for of in (rows, base)
        ]
        for table, of_column, of_base in zip(tables, self.column, self.base, strict=True):
            of_column += table[:, 1:] * cell
            of_base += table[:, :1] * cell
        if not len(self.both):
            return
        both = pair_sums(columns, columns, squares)
        self.both += in_row[:, None, None] * both
        every = range(len(columns))
        # A column with itself is the column, whose sums in every row are known already.
        self.both_inside[:, every, every] += tables[2][:, 1:] * cell
        # Most columns share no respondent with any other.
        sharing = np.flatnonzero(np.count_nonzero(both, axis=1) > 1)
        if len(sharing):
            self._add_sharing(rows, columns[sharing], sharing, in_row, squares)

    def _add_sharing(
        self, rows: Words, columns: Words, places: Places, in_row: Floats, squares: Floats
    ) -> None:
        apart = ~np.eye(len(places), dtype=bool)
        for row in np.flatnonzero(in_row):
            found = pair_sums(columns & rows[row], columns, squares)
            self.both_inside[row][np.ix_(places, places)] += found * apart


def pooled_pairs(sums: TableSums, variance: Floats, covariance: Floats) -> Floats:
    """Of every two columns in each row; variance, covariance: of their shares, by the design."""
    found = np.zeros(covariance.shape)
    step = max(1, _AT_A_TIME // max(1, covariance.shape[-1] ** 2))
    for start in range(0, len(found), step):
        some = slice(start, start + step)
        columns, own = sums.column.rows(some), variance[some]
        apart = own[:, :, None] + own[:, None] - 2 * covariance[some]
        both = sums.both_inside[some], sums.both[some]
        found[some] = _pooled(columns.along(2), columns.along(1), both, apart)
    return found


def pooled_rest(sums: TableSums, variance: Floats) -> Floats:
    """Of each column and the rest of its base; variance: of the difference, by the design."""
    nothing = np.zeros(variance.shape)
    return _pooled(sums.column, sums.base.without(sums.column), (nothing, nothing), variance)


def _pooled(one: Sums, other: Sums, both: tuple[Floats, Floats], variance: Floats) -> Floats:
    """both: Σ w² of those in both sets, in the row and in all."""
    both_inside, both_whole = both
    with np.errstate(divide="ignore", invalid="ignore"):

        def squares(of_one: Floats, of_other: Floats, of_both: Floats) -> Floats:
            """Σ w² g² x, from the Σ w² x of each set and of both."""
            apart = of_one / one.whole**2 + of_other / other.whole**2
            return apart - 2 * of_both / (one.whole * other.whole)

        def about(share: Floats, rest: Floats) -> Floats:
            """Σ w² ([in 1] (y - share) ÷ b1 - [in 2] (y - rest) ÷ b2)²."""
            return squares(
                # As y is 0 or 1, (y - p)² = y (1 - 2p) + p²; the product of two such terms is
                # alike.
                one.inside_squares * (1 - 2 * share) + one.whole_squares * share**2,
                other.inside_squares * (1 - 2 * rest) + other.whole_squares * rest**2,
                both_inside * (1 - share - rest) + both_whole * share * rest,
            )

        common = (one.inside + other.inside) / (one.whole + other.whole)
        # Those in either set: who is in both is in each sum once, and counts once.
        inside = one.inside_squares + other.inside_squares - both_inside
        whole = one.whole_squares + other.whole_squares - both_whole
        residual = inside / whole * (1 - 2 * common) + common**2
        of_all = squares(one.whole_squares, other.whole_squares, both_whole)
        pooled = np.maximum(residual * of_all, _LEAST * about(common, common))
        of_weights = about(one.inside / one.whole, other.inside / other.whole)
        effect = np.where(of_weights > _NONE * of_all, variance / of_weights, 1.0)
        # What the design does not show is never replaced by a simple random sample.
        effect = np.where(np.isnan(variance), np.nan, effect)
        return np.maximum(effect * pooled, 0.0)
