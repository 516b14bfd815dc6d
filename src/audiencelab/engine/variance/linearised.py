"""From totals to shares, differences and indices: Taylor linearisation, the delta method.

A figure of a cell is a smooth function of four totals: the weight `a` in row and column, `b` in
the column, `c` in row and base, `d` in the base. Its variance is gᵀ Σ g, with g its gradient and
Σ the covariances of the four; that of two figures together is gᵀ Σ g'.

    share   a ÷ b                     of the column that is in the row
    rest    (c - a) ÷ (d - b)         the same of everyone else in the base
    index   log (a d ÷ (b c))         on the log scale
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.variance.totals import RowTotals

__all__ = ["BaseTotals", "RowVariances", "row_variances"]

Floats = NDArray[np.float64]

_NONE = 1e-13
"""A variance of less than this, of the sum of what it is the difference of, is rounding."""


@dataclass(frozen=True, slots=True)
class BaseTotals:
    """Weight in row and base, and in the base, each float64[columns] with its covariances.

    They differ between columns that were asked in other waves.
    """

    inside: Floats
    whole: Floats
    of_inside: Floats
    across: Floats
    of_whole: Floats

    @classmethod
    def of(cls, by_wave: Sequence[RowTotals], waves: Floats) -> BaseTotals:
        """From a row's totals by wave, the base first; waves: 0 or 1, float64[columns, waves]."""
        figures = [
            (each.inside[0], each.whole[0], *(matrix[0, 0] for matrix in each.covariances))
            for each in by_wave
        ]
        return cls(*(waves @ np.array(figures).reshape(-1, 5)).T)


class RowVariances(NamedTuple):
    """One row: share and rest in shares of 1, the index on the log scale; float64[columns].

    rest_covariance: of a column's share and its rest's. covariance: of the shares of two columns,
    float64[columns, columns]. NaN where there is no such figure.
    """

    share: Floats
    variance: Floats
    rest_variance: Floats
    rest_covariance: Floats
    index_variance: Floats
    covariance: Floats


def row_variances(totals: RowTotals, base: BaseTotals) -> RowVariances:
    """The variances of one row; the first of the totals' columns is the base."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b, c, d = totals.inside[1:], totals.whole[1:], base.inside, base.whole
        together = _covariances(totals, base)
        share, rest = a / b, (c - a) / (d - b)
        nothing = np.zeros_like(a)
        of_share = np.stack([1 / b, -share / b, nothing, nothing], axis=1)
        of_rest = np.stack([-1 / (d - b), rest / (d - b), 1 / (d - b), -rest / (d - b)], axis=1)
        of_index = np.stack([1 / a, -1 / b, -1 / c, 1 / d], axis=1)
        return RowVariances(
            share=share,
            variance=_form(of_share, together, of_share),
            rest_variance=_form(of_rest, together, of_rest),
            rest_covariance=np.einsum("ci,cij,cj->c", of_share, together, of_rest),
            index_variance=_form(of_index, together, of_index),
            covariance=_of_shares(totals, of_share[:, 0], of_share[:, 1]),
        )


def _covariances(totals: RowTotals, base: BaseTotals) -> Floats:
    """Σ of each column's four totals, float64[columns, 4, 4]."""
    inside, across, whole = totals.of_inside, totals.across, totals.of_whole
    a_a, a_b, b_b = np.diag(inside)[1:], np.diag(across)[1:], np.diag(whole)[1:]
    a_c, a_d, b_c, b_d = inside[1:, 0], across[1:, 0], across[0, 1:], whole[1:, 0]
    c_c, c_d, d_d = base.of_inside, base.across, base.of_whole
    rows = [
        [a_a, a_b, a_c, a_d],
        [a_b, b_b, b_c, b_d],
        [a_c, b_c, c_c, c_d],
        [a_d, b_d, c_d, d_d],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _form(gradient: Floats, together: Floats, other: Floats) -> Floats:
    """gᵀ Σ g of each column; 0 where nothing but rounding is left of it."""
    found = np.einsum("ci,cij,cj->c", gradient, together, other)
    size = np.einsum("ci,cij,cj->c", np.abs(gradient), np.abs(together), np.abs(other))
    return np.where(found > _NONE * size, found, np.where(np.isnan(found), np.nan, 0.0))


def _of_shares(totals: RowTotals, by_inside: Floats, by_whole: Floats) -> Floats:
    """gᵀ Σ g' of each two columns, of which only their own two totals matter."""
    inside, across, whole = (
        matrix[1:, 1:] for matrix in (totals.of_inside, totals.across, totals.of_whole)
    )
    mixed = np.outer(by_inside, by_whole) * across
    return (
        np.outer(by_inside, by_inside) * inside
        + mixed
        + mixed.T
        + np.outer(by_whole, by_whole) * whole
    )
