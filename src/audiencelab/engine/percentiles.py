"""Percentiles of weighted amounts, and the ends of their intervals by Woodruff's method."""

from __future__ import annotations

from importlib import import_module
from math import nan
from typing import Any

import numpy as np

from audiencelab.engine.variance.design import Floats

_ROUNDING = 1e-12
"""Sums of weights may miss an exact part of their total by this."""


def quantile(values: Floats, sums: Floats, part: float) -> float:
    """The amount that a part of the weight is at or below; between two, if exactly that part is.

    values: the different amounts, ascending. sums: the weight of each. As `qrule = "school"` in R.
    """
    # Amounts without an answer in the column have no weight.
    values, sums = values[sums > 0], sums[sums > 0]
    reached: Floats = np.cumsum(sums)
    at, last = part * float(reached[-1]), len(values) - 1
    # A sum within rounding of the part counts as exactly that part, in both directions.
    at_least = int(np.searchsorted(reached, at * (1 - _ROUNDING), "left"))
    beyond = int(np.searchsorted(reached, at * (1 + _ROUNDING), "right"))
    return float(values[min(at_least, last)] + values[min(beyond, last)]) / 2


def woodruff(
    values: Floats, sums: Floats, percentile: float, error: float, reach: float
) -> tuple[float, float]:
    """The ends of the interval of a percentile; NaN beyond the lowest or the highest amount.

    error: the standard error of the share at or below it. reach: how many of them the interval of
    that share has on either side, whose ends are read off the distribution. As
    `svyquantile(interval.type = "mean")` of R.
    """
    if np.isnan(percentile) or np.isnan(error) or np.isnan(reach):
        return nan, nan
    share = float(sums[values <= percentile].sum()) / float(sums.sum())
    low, high = share - reach * error, share + reach * error
    return (
        nan if low < 0 else quantile(values, sums, low),
        nan if high > 1 else quantile(values, sums, high),
    )


def t_quantiles(freedom: Floats, level: float) -> Floats:
    """How many standard errors an interval reaches to either side."""
    # Imported on first use: tables that are not tested need no scipy.
    special: Any = import_module("scipy.special")
    return np.asarray(special.stdtrit(freedom, (1 + level) / 2), dtype=np.float64)
