"""What raking takes off the variances of a wave's totals.

Totals by raked weights vary only in what the margins leave open (Deville and Särndal 1992). In the
variance each respondent's membership u of a set is replaced by its residual

    u - x B,   B = (Σ d x xᵀ)⁺ Σ d x u

where x has a 1 for each category that the respondent is in, and d are the weights before raking:
the estimator of R's `calibrate(…, calfun = "raking")`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from audiencelab.engine.bitset import Words
from audiencelab.engine.masks import WaveFrame
from audiencelab.engine.variance.design import Floats, Places, WaveDesign
from audiencelab.survey.answers import unpack
from audiencelab.survey.reader import WaveData

MOST_CATEGORIES = 600
"""In the margins of a wave; with more, raking is not accounted for: variances are not too small."""

_DEPENDENT = 1e-10
"""Eigenvalues smaller than this part of the largest are rounding: margins have one sum."""

NONE = 1e-12
"""A covariance smaller than this part of what it would be without raking is rounding."""


class Explained(NamedTuple):
    """Of some sets: B, float64[sets, p]; Σ w² x u of respondents who were drawn alone, the same.

    size: what the squares of each set sum to without raking, float64[sets].
    """

    fit: Floats
    squares: Floats
    size: Floats


def is_accounted_for(wave: WaveData) -> bool:
    """Whether a wave was raked, to not too many categories."""
    raking = wave.design.raking
    return raking is not None and len(np.unique(raking.categories)) <= MOST_CATEGORIES


class WaveRaking:
    """A wave's margins. squared: what each respondent's squared weight counts, float64[n]."""

    def __init__(self, frame: WaveFrame, design: WaveDesign, squared: Floats) -> None:
        raking = frame.wave.design.raking
        assert raking is not None
        self._respondents = frame.respondents
        self._squared = squared
        found, numbered = np.unique(raking.categories, return_inverse=True)
        # Category 0 means none of them, also where every respondent has one.
        missing = 0 if found[:1].tolist() == [-1] else 1
        self._margins: list[Places] = list(numbered.reshape(raking.categories.shape) + missing)
        self._count = len(found) + missing
        self._before = raking.weights
        # Each margin's categories add up to everyone, so the products are singular and have no
        # inverse.
        self._inverse = np.linalg.pinv(
            self._products(raking.weights), rcond=_DEPENDENT, hermitian=True
        )
        self._of_squares = self._products(squared)
        weights = frame.weights.reshape(-1)[: frame.respondents]
        self._weights = weights
        units, number = design.unit_of
        by_unit = np.zeros(number * self._count)
        for margin in self._margins:
            by_unit += np.bincount(units * self._count + margin, weights, len(by_unit))
        # Respondents without a category in a margin add to no column of x.
        self._by_unit = by_unit.reshape(number, self._count)[:, 1:]

    @staticmethod
    def of(frame: WaveFrame, design: WaveDesign, squared: Floats) -> WaveRaking | None:
        """Of a wave that was raked to not too many categories."""
        return WaveRaking(frame, design, squared) if is_accounted_for(frame.wave) else None

    def explained(self, masks: Words, size: Floats | None) -> Explained:
        """Of some sets; size: of their clusters' totals, None of respondents drawn alone."""
        fit, squares = np.zeros((2, len(masks), self._count - 1))
        alone = np.zeros(len(masks))
        # Many cells of a large table are empty; theirs stay 0.
        for at in np.flatnonzero(masks.any(axis=1)):
            members = np.flatnonzero(unpack(masks[at], self._respondents))
            fit[at] = self._sum(self._before, members)
            squares[at] = self._sum(self._squared, members)
            alone[at] = self._squared[members].sum()
        return Explained(fit @ self._inverse, squares, alone if size is None else size)

    def by_unit(self, explained: Explained) -> Floats:
        """What the margins explain of each unit's total, float64[sets, units]."""
        return explained.fit @ self._by_unit.T

    def taken_off(self, one: Explained, other: Explained) -> Floats:
        """From Σ w² of respondents who were drawn alone, and are in both sets of each pair."""
        # The product of both residuals, (u - x B) (u' - x B'), multiplied out.
        crossed = one.squares @ other.fit.T + one.fit @ other.squares.T
        return crossed - one.fit @ self._of_squares @ other.fit.T

    def residuals(self, influence: Floats) -> Floats:
        """W (u - x B) of all respondents; influence: their u on some figures, float64[k, n]."""
        everyone = np.arange(self._respondents)
        sums = np.array([self._sum(self._before * each, everyone) for each in influence])
        fit = np.pad(sums @ self._inverse, ((0, 0), (1, 0)))
        return self._weights * (influence - sum(fit[:, margin] for margin in self._margins))

    @staticmethod
    def rounded(covariance: Floats, one: Explained, other: Explained) -> Floats:
        """With 0 where raking leaves nothing but rounding."""
        size = np.sqrt(np.outer(one.size, other.size))
        return np.where(np.abs(covariance) > NONE * size, covariance, 0.0)

    def _sum(self, values: Floats, members: Places) -> Floats:
        """Σ values x of some respondents, float64[p]."""
        found = np.zeros(self._count)
        for margin in self._margins:
            found += np.bincount(margin[members], values[members], self._count)
        return found[1:]

    def _products(self, values: Floats) -> Floats:
        """Σ values x xᵀ, float64[p, p]."""
        found = np.zeros(self._count**2)
        for one in self._margins:
            for other in self._margins:
                found += np.bincount(one * self._count + other, values, self._count**2)
        return found.reshape(self._count, self._count)[1:, 1:]
