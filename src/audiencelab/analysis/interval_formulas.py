"""Standard errors and confidence intervals of proportions and indices.

In arrays proportions run from 0 to 1, and an index of 1 is the base. The page "How significance is
tested" of the documentation has the sources of the formulas.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.statistics import (
    beta_quantile,
    critical_value,
    critical_values,
    t_quantile,
)

Floats = NDArray[np.float64]

IntervalMethod = Literal["wilson", "logit", "beta"]
METHODS: tuple[str, ...] = get_args(IntervalMethod)


class Interval(NamedTuple):
    """A standard error, and the ends of an interval; NaN where there is none."""

    error: Floats
    low: Floats
    high: Floats


def share_interval(
    share: Floats,
    base: Floats,
    level: float,
    method: str = "wilson",
    freedom: Floats | float = np.inf,
    *,
    respondents: Floats | None = None,
    most: Floats | None = None,
    log_odds_error: Floats | None = None,
) -> Interval:
    """The interval of a proportion of `base` respondents.

    `wilson` inverts the score test, `logit` is symmetric on the scale of log odds and is undefined
    at 0 and 100%, `beta` is Korn and Graubard's, which without a design is Clopper and Pearson's.

    freedom: degrees of freedom of t; infinite for the normal distribution, NaN for no interval.
    respondents: how many were counted, if the base is an effective one; `beta` compares their
        degrees of freedom with those of the design.
    most: `wilson` and `beta` take no larger base than this, once it is adjusted for degrees of
        freedom; the standard error is that of `base`.
    log_odds_error: the standard error of log odds that `logit` takes, if it is known; by default
        that of the proportion divided by its derivative.
    """
    freedom = np.asarray(freedom, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = share_error(share, base)
        if method == "logit":
            if log_odds_error is None:
                log_odds_error = error / (share * (1 - share))
            low, high = _logit(share, critical_values(level, freedom) * log_odds_error)
        elif method == "beta":
            people = base if respondents is None else respondents
            low, high = _beta(share, _at_most(base * _factor(people, level, freedom), most), level)
        else:
            reach = critical_value(level)
            # The base n* whose normal interval is as wide as that of t.
            worth = base * (reach / critical_values(level, freedom)) ** 2
            low, high = wilson(share, _at_most(worth, most), reach)
    # Negated, so that a base of NaN has no interval.
    none = np.isnan(share) | ~(base > 0) | np.isnan(freedom)
    return Interval(error, *(np.where(none, np.nan, each) for each in (low, high)))


def share_error(share: Floats, base: Floats) -> Floats:
    """The standard error of a proportion of `base` respondents; NaN where there are none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(base > 0, np.sqrt(share * (1 - share) / base), np.nan)


def index_interval(
    share: Floats,
    base: Floats,
    rest: Floats,
    rest_base: Floats,
    part: Floats,
    level: float,
    freedom: Floats | float = np.inf,
    *,
    respondents: Floats | None = None,
) -> Interval:
    """The standard error and interval of `share ÷ (part × share + (1 - part) × rest)`.

    share, base: the column's proportion, and how many respondents it is worth. rest, rest_base:
    the same of the rest of the base. part: how much of the base is in the column.
    respondents: how many were counted in the base, if the bases are effective ones.

    The column is a part of what it is compared with, so both start from three independent
    proportions: in the column, in the rest, and the part itself. The standard error is the delta
    method's. The interval adds up the squares of how far the Wilson interval of each of the three
    moves the logarithm of the index (the method of variance estimates recovery): at 120
    respondents its coverage is more even than that of a symmetric one. An index of 0 has no
    logarithm and no error: its interval ends where the upper end of its proportion puts it.
    """
    reach = critical_values(level, np.asarray(freedom, dtype=np.float64))
    # Where the column is the whole base, the rest is empty and has no weight.
    alone = ~(part < 1)
    other, other_base = np.where(alone, 0.0, rest), np.where(alone, 1.0, rest_base)
    worth = base + other_base
    people = worth if respondents is None else respondents

    def index_of(inside: Floats, outside: Floats, within: Floats) -> Floats:
        return inside / (within * inside + (1 - within) * outside)

    with np.errstate(divide="ignore", invalid="ignore"):
        index = index_of(share, other, part)
        whole = part * share + (1 - part) * other
        # The delta method's three terms, as the documentation has them, before they are squared.
        by_share = (1 - part) * other / whole / share * np.sqrt(share * (1 - share) / base)
        by_other = (1 - part) / whole * np.sqrt(other * (1 - other) / other_base)
        by_part = (share - other) / whole * np.sqrt(part * (1 - part) / worth)
        # Totals have the variance of n - 1 degrees of freedom, as in R's svytotal.
        once = np.where(people > 1, 1 + 1 / (people - 1), 1.0)
        spread = np.sqrt((by_share**2 + by_other**2 + by_part**2) * once)

        # The index rises with the column's share and falls with that of the rest.
        (least, most), (few, many) = wilson(share, base, reach), wilson(other, other_base, reach)
        narrow, wide = (np.where(alone, part, end) for end in wilson(part, worth, reach))
        # A larger part brings the index nearer to 100, from either side.
        lower, upper = np.where(share > other, (wide, narrow), (narrow, wide))

        def distance(inside: Floats, outside: Floats, within: Floats) -> Floats:
            moved = (
                index_of(inside, other, part),
                index_of(share, outside, part),
                index_of(share, other, within),
            )
            return np.sqrt(sum(np.log(each / index) ** 2 for each in moved))

        low = index * np.exp(-distance(least, many, lower))
        high = index * np.exp(distance(most, few, upper))
        nobody = (share == 0) & (whole > 0)
        top = index_of(most, other, part)
    return Interval(
        np.where(nobody, np.nan, index * spread),
        np.where(nobody & ~np.isnan(reach), 0.0, low),
        np.where(nobody, top, high),
    )


def log_interval(
    index: Floats, spread: Floats, level: float, freedom: Floats | float = np.inf
) -> Interval:
    """The interval of an index from the standard error of its logarithm."""
    reach = critical_values(level, np.asarray(freedom, dtype=np.float64))
    return Interval(index * spread, index * np.exp(-reach * spread), index * np.exp(reach * spread))


def wilson(share: Floats, base: Floats, reach: Floats | float) -> tuple[Floats, Floats]:
    """The ends of Wilson's interval that reaches so many standard errors to either side."""
    squared = reach**2 / base
    middle = (share + squared / 2) / (1 + squared)
    half = reach / (1 + squared) * np.sqrt(share * (1 - share) / base + squared / (4 * base))
    # The formula ends at 0 and 100% there; rounding would miss it.
    low = np.where(share > 0, np.maximum(middle - half, 0.0), 0.0)
    return low, np.where(share < 1, np.minimum(middle + half, 1.0), 1.0)


def _logit(share: Floats, half: Floats) -> tuple[Floats, Floats]:
    # Symmetric in log odds, then transformed back, so that ends stay within 0 and 100%.
    odds = np.log(share / (1 - share))
    inside = (share > 0) & (share < 1)
    low, high = 1 / (1 + np.exp(half - odds)), 1 / (1 + np.exp(-half - odds))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def _beta(share: Floats, base: Floats, level: float) -> tuple[Floats, Floats]:
    there, tail = share * base, (1 - level) / 2
    away = base - there
    # Clopper and Pearson's ends as quantiles of beta; without a case the lower one is 0.
    low = np.where(there > 0, beta_quantile(there, away + 1, tail), 0.0)
    high = np.where(away > 0, beta_quantile(there + 1, away, 1 - tail), 1.0)
    return low, high


def _at_most(base: Floats, most: Floats | None) -> Floats:
    return base if most is None else np.minimum(base, most)


def _factor(people: Floats, level: float, freedom: Floats) -> Floats:
    """Korn and Graubard's factor of the base, (t with n - 1 ÷ t of the design)², at most 1."""
    own = people - 1
    ratio = t_quantile((1 + level) / 2, own) / critical_values(level, freedom)
    # More degrees of freedom than n - 1 adjust nothing.
    return np.where(own > freedom, ratio**2, 1.0)
