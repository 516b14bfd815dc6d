"""Intervals of the rows of statistics of a crosstab: of means and net promoter scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.options import is_number
from audiencelab.analysis.statistics import t_quantile
from audiencelab.results.statistic_rows import COMPARED, StatisticRows

Floats = NDArray[np.float64]

_MANY = 1e9
"""Degrees of freedom from which t is the normal distribution."""


def statistic_intervals(
    statistics: StatisticRows, level: float, design: object
) -> tuple[tuple[Floats, Floats, Floats], str]:
    """Standard errors and both ends, each float64[rows × columns], and how they were made.

    Of means and net promoter scores, value ± t × standard error: by the sample's own design if it
    was computed, as svymean of R, otherwise of a simple random sample, times a design effect that
    is one number. NaN for other statistics, for several design effects, which are of shares, and
    where there are no degrees of freedom.
    """
    value, deviation, sample = (
        statistics.values(each) for each in ("value", "standard_deviation", "answered_sample")
    )
    how, factor = "a simple random sample", np.nan
    if isinstance(design, DesignEffects):
        how, error = "the sample's design", statistics.values("standard_error")
        freedom = np.diagonal(statistics.freedom, axis1=1, axis2=2)[:, 1:]
    else:
        if design is None:
            factor = 1.0
        elif is_number(design):
            factor, how = (
                float(np.asarray(design)),
                f"{how} with design effect {float(np.asarray(design)):.3g}",
            )
        freedom = sample - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            error = deviation * np.sqrt(factor / sample)
    has = np.array([row.kind in COMPARED for row in statistics.rows])[:, None] & (freedom > 0)
    error = np.where(has, error, np.nan)
    reach = error * t_quantile((1 + level) / 2, np.clip(freedom, 1, _MANY))
    without = ", ".join(
        row.name for row, each in zip(statistics.rows, error, strict=True) if np.isnan(each).all()
    )
    words = f"Means and scores by t, {how}{'; no interval of ' if without else ''}{without}."
    return (error.ravel(), (value - reach).ravel(), (value + reach).ravel()), words
