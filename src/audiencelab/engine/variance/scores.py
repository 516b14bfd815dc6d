"""Covariances of weighted totals over the respondents of one wave, as they were drawn.

The formula is that of `variance.totals`, for figures that masks of respondents do not express.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.variance.design import Floats, Places, WaveDesign


def score_covariances(design: WaveDesign, chosen: Places, scores: Floats) -> Floats:
    """Of the totals of scores, float64[scores, respondents]; chosen: who these respondents are."""
    stratum = design.stratum[chosen]
    by_stratum = sum_by(stratum, design.strata, scores)
    if design.cluster is None:
        scaled = scores * design.scale[stratum]
        together = scaled @ scores.T
    else:
        by_cluster = sum_by(design.cluster[chosen], design.units, scores)
        together = (by_cluster * design.scale[design.stratum_of]) @ by_cluster.T
    return together - (by_stratum * design.centre) @ by_stratum.T


def sum_by(units: Places, number: int, rows: Floats | NDArray[np.bool_]) -> Floats:
    """The total of each row in each of `number` units, float64[rows, number]."""
    return np.array([np.bincount(units, row, minlength=number) for row in rows], np.float64)


def pair_freedom(design: WaveDesign, chosen: Places, inside: NDArray[np.bool_]) -> Floats:
    """Of every two sets, clusters (or respondents) less strata of those with anybody of either.

    inside: bool[sets, respondents].
    """
    strata = _union(_present(design.stratum[chosen], design.strata, inside))
    return present_pairs(design, chosen, inside) - strata


def present_pairs(design: WaveDesign, chosen: Places, inside: NDArray[np.bool_]) -> Floats:
    """Of every two sets, the clusters (or respondents) with anybody of either."""
    if design.cluster is None:
        return _union(inside.astype(np.float64))
    return _union(_present(design.cluster[chosen], design.units, inside))


def _present(units: Places, number: int, inside: NDArray[np.bool_]) -> Floats:
    return (sum_by(units, number, inside) > 0).astype(np.float64)


def _union(present: Floats) -> Floats:
    shared = present @ present.T
    each = np.diag(shared)
    return each[:, None] + each - shared
