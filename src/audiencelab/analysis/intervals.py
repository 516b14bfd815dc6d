"""Standard errors and confidence intervals of shares and indices: formulas on arrays.

Shares run from 0 to 1 here, indices from 0 with 1 for the base; frames have them times 100.
Where they come from stands in the page "Which differences hold" of the documentation.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.statistics import beta_quantile, critical_value, t_quantile

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
    degrees_of_freedom: float | None = None,
    respondents: Floats | None = None,
) -> Interval:
    """The interval of a share of `base` respondents.

    `wilson` turns the score test round, `logit` is symmetric on the scale of log odds and has no
    ends at 0 % and 100 %, `beta` is Korn and Graubard's, which without a design is Clopper and
    Pearson's. Raises `ValueError` for another.

    respondents: how many people were counted, where the base is an effective one; `beta` compares
        their degrees of freedom with those of the design.
    """
    if method not in METHODS:
        raise ValueError(f"No method {method!r}. Choose one of {', '.join(METHODS)}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(share * (1 - share) / base)
        if method == "beta":
            people = base if respondents is None else respondents
            worth = base * _freedom_factor(people, level, degrees_of_freedom)
            low, high = _beta(share, worth, level)
        else:
            reach = critical_value(level, degrees_of_freedom)
            low, high = (_wilson if method == "wilson" else _logit)(share, base, reach)
    # A base of nobody has neither a share nor an error.
    none = np.isnan(share) | ~(base > 0)
    return Interval(*(np.where(none, np.nan, each) for each in (error, low, high)))


def index_interval(
    share: Floats,
    base: Floats,
    rest: Floats,
    rest_base: Floats,
    part: Floats,
    level: float,
    degrees_of_freedom: float | None = None,
    respondents: Floats | None = None,
) -> Interval:
    """The standard error and interval of `share ÷ (part × share + (1 - part) × rest)`.

    share, base: the column's share, and how many respondents it is worth. rest, rest_base: the
    same of those of the whole who are not in the column. part: how much of the whole is in it.
    respondents: how many people were counted in the whole, where the bases are effective ones.

    The column is a part of what it is compared with. So both start from three shares that are
    independent: that in the column, that in the rest, and the part itself. The standard error is
    the delta method's. The interval takes the Wilson interval of each of the three, and adds up
    the squares of how far its ends move the logarithm of the index (the method of variance
    estimates recovery): at 120 respondents it holds the truth more evenly than a symmetric one.
    An index of 0 has no logarithm, and no error: it reaches from 0 to what the upper end of its
    share makes of it.
    """
    reach = critical_value(level, degrees_of_freedom)
    # Where the column is everyone, the rest is empty, and its share has no weight.
    alone = ~(part < 1)
    other, other_base = np.where(alone, 0.0, rest), np.where(alone, 1.0, rest_base)
    worth = base + other_base
    people = worth if respondents is None else respondents

    def index_of(inside: Floats, outside: Floats, within: Floats) -> Floats:
        return inside / (within * inside + (1 - within) * outside)

    with np.errstate(divide="ignore", invalid="ignore"):
        index = index_of(share, other, part)
        whole = part * share + (1 - part) * other
        by_share = (1 - part) * other / whole / share * np.sqrt(share * (1 - share) / base)
        by_other = (1 - part) / whole * np.sqrt(other * (1 - other) / other_base)
        by_part = (share - other) / whole * np.sqrt(part * (1 - part) / worth)
        # Totals of a sample have the variance of n - 1 degrees of freedom, as in R's svytotal.
        once = np.where(people > 1, people / (people - 1), 1.0)
        spread = np.sqrt((by_share**2 + by_other**2 + by_part**2) * once)

        (least, most), (few, many) = _wilson(share, base, reach), _wilson(other, other_base, reach)
        narrow, wide = (np.where(alone, part, end) for end in _wilson(part, worth, reach))
        # A larger part brings the index nearer to 100, from either side.
        lower, upper = np.where(share > other, (wide, narrow), (narrow, wide))

        def distance(inside: Floats, outside: Floats, within: Floats) -> Floats:
            """How far the logarithm of the index may be off, where each share may be so far."""
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
        np.where(nobody, 0.0, low),
        np.where(nobody, top, high),
    )


def log_interval(
    index: Floats, spread: Floats, level: float, degrees_of_freedom: float | None = None
) -> Interval:
    """The interval of an index of whose logarithm the standard error is known."""
    reach = critical_value(level, degrees_of_freedom)
    return Interval(index * spread, index * np.exp(-reach * spread), index * np.exp(reach * spread))


def _wilson(share: Floats, base: Floats, reach: float) -> tuple[Floats, Floats]:
    squared = reach**2 / base
    middle = (share + squared / 2) / (1 + squared)
    half = reach / (1 + squared) * np.sqrt(share * (1 - share) / base + squared / (4 * base))
    # At 0 % and 100 % the formula ends there; rounding would miss it by a hair, either way.
    low = np.where(share > 0, np.maximum(middle - half, 0.0), 0.0)
    return low, np.where(share < 1, np.minimum(middle + half, 1.0), 1.0)


def _logit(share: Floats, base: Floats, reach: float) -> tuple[Floats, Floats]:
    odds = np.log(share / (1 - share))
    half = reach / np.sqrt(base * share * (1 - share))
    inside = (share > 0) & (share < 1)
    low, high = 1 / (1 + np.exp(half - odds)), 1 / (1 + np.exp(-half - odds))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def _beta(share: Floats, base: Floats, level: float) -> tuple[Floats, Floats]:
    there, tail = share * base, (1 - level) / 2
    away = base - there
    low = np.where(there > 0, beta_quantile(there, away + 1, tail), 0.0)
    high = np.where(away > 0, beta_quantile(there + 1, away, 1 - tail), 1.0)
    return low, high


def _freedom_factor(people: Floats, level: float, degrees_of_freedom: float | None) -> Floats:
    """By how much a base shrinks where the design leaves fewer degrees of freedom than people.

    Korn and Graubard's (t with n - 1 ÷ t of the design)²; never above 1, for no share has more
    than n - 1 degrees of freedom.
    """
    if degrees_of_freedom is None:
        return np.ones_like(people)
    own = people - 1
    ratio = t_quantile((1 + level) / 2, own) / critical_value(level, degrees_of_freedom)
    return np.where(own > degrees_of_freedom, ratio**2, 1.0)
