"""Intervals of the rows of statistics of a crosstab: of means, scores, sums and percentiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import is_number
from audiencelab.analysis.statistic_design import StatisticPrecision, precision_of_statistics
from audiencelab.analysis.statistics import t_quantile
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import COMPARED, TESTED

Floats = NDArray[np.float64]

_MANY = 1e9
"""Degrees of freedom from which t is the normal distribution."""


class StatisticIntervals(NamedTuple):
    """Standard errors, both ends and degrees of freedom, float64[rows × columns].

    how: how they were made.
    """

    error: Floats
    low: Floats
    high: Floats
    freedom: Floats
    how: str


def statistic_intervals(
    result: CrosstabData, level: float, design: Any, degrees_of_freedom: float | None = None
) -> StatisticIntervals:
    """The intervals of the rows of statistics.

    design: as the caller gave it. By the sample's own, of means, scores and sums value ± t ×
    standard error with the degrees of freedom of the column, as `confint(svymean)` of R, of
    percentiles Woodruff's ends, as `confint(svyquantile)`, and of correlations by Fisher's z.
    Otherwise of means and scores alone, of a simple random sample times a design effect. NaN where
    there are no degrees of freedom, and for standard deviations.
    """
    precision = precision_of_statistics(result, design, level=level)
    statistics = precision.rows
    kinds = np.array([row.kind for row in statistics.rows], dtype=object)[:, None]
    value, sample = statistics.values("value"), statistics.values("answered_sample")
    error, how = _errors(precision)
    freedom = sample - 1
    if precision.own:
        # freedom[row, column, column] is that of the column itself; column 0 is the base.
        freedom = np.diagonal(statistics.freedom, axis1=1, axis2=2)[:, 1:]
    elif degrees_of_freedom is not None:
        freedom = np.full_like(freedom, degrees_of_freedom)
    has = np.isin(kinds, TESTED if precision.own else COMPARED) & (freedom > 0)
    error = np.where(has, error, np.nan)
    reach = error * t_quantile((1 + level) / 2, np.clip(freedom, 1, _MANY))
    # t is not bounded, unlike Wilson's interval of a share: a score may end beyond 100.
    low, high = value - reach, value + reach
    with np.errstate(divide="ignore", invalid="ignore"):
        # A correlation ends before ±1: t is of Fisher's z, whose error is r's ÷ (1 - r²).
        of_z = [np.tanh(np.arctanh(value) + sign * reach / (1 - value**2)) for sign in (-1, 1)]
    low, high = np.where(kinds == "correlation", of_z, (low, high))
    if precision.own:
        ends = (
            statistics.ends[:, :, 1:] if precision.level == level else np.full_like(value, np.nan)
        )
        low, high = np.where(kinds == "percentile", np.where(has, ends, np.nan), (low, high))
    without = [
        row.name
        for row, *each in zip(statistics.rows, low, high, strict=True)
        if np.isnan(each).all()
    ]
    words = f"Means, scores and sums by t, {how}"
    if precision.own and (kinds == "percentile").any():
        words += ", percentiles by Woodruff's method"
    if (kinds == "correlation").any():
        words += ", correlations by Fisher's z"
    if without:
        words += f"; no interval of {', '.join(without)}"
    error, low, high, freedom = (each.ravel() for each in (error, low, high, freedom))
    return StatisticIntervals(error, low, high, freedom, f"{words}.")


def _errors(precision: StatisticPrecision) -> tuple[Floats, str]:
    """Standard errors, float64[rows, columns], and how they were made."""
    statistics = precision.rows
    if precision.own:
        return statistics.values("standard_error"), "the sample's design"
    sample = statistics.values("answered_sample")
    given, how = precision.effects, "a simple random sample"
    effect = np.full(sample.shape[1], np.nan)
    if given is None:
        effect[:] = 1.0
    elif is_number(given):
        effect[:] = float(given)
        how = f"{how} with design effect {float(given):.3g}"
    elif precision.kish:
        effect, how = np.asarray(given), f"{how} with Kish's design effects"
    with np.errstate(divide="ignore", invalid="ignore"):
        return statistics.spread * np.sqrt(effect / sample), how
