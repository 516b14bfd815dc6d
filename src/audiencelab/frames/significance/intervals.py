"""Standard errors and confidence intervals of shares and indices: formulas on arrays.

Shares run from 0 to 1 here, indices from 0 with 1 for the base; frames have them times 100.
Where they come from stands in the page "Which differences hold" of the documentation.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.frames.significance.distribution import beta_quantile, critical_value

__all__ = [
    "METHODS",
    "Interval",
    "IntervalMethod",
    "index_interval",
    "log_interval",
    "share_interval",
]

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
) -> Interval:
    """The interval of a share of `base` respondents.

    `wilson` turns the score test round, `logit` is symmetric on the scale of log odds and has no
    ends at 0 % and 100 %, `beta` is Clopper and Pearson's. Raises `ValueError` for another.
    """
    if method not in METHODS:
        raise ValueError(f"No method {method!r}. Choose one of {', '.join(METHODS)}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(share * (1 - share) / base)
        if method == "beta":
            low, high = _beta(share, base, level)
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
) -> Interval:
    """The interval of `share ÷ (part × share + (1 - part) × rest)`, symmetric on the log scale.

    share, base: the column's share, and how many respondents it is worth. rest, rest_base: the
    same of those of the whole who are not in the column. part: how much of the whole is in it.

    The column is a part of what it is compared with. So the delta method starts from what is
    independent: the share in the column, the share in the rest, and the part itself. It sees no
    error in a share of 0 or 1; there the ends of that share's Wilson interval say how far the
    index may lie. An index of 0 has no logarithm, and no error: it reaches from 0 to what the
    upper end of its share makes of it.
    """
    reach = critical_value(level, degrees_of_freedom)
    # Nobody is left where the column is everyone; whatever stands there counts for nothing.
    alone = ~(part < 1)
    other, other_base = np.where(alone, 0.0, rest), np.where(alone, 1.0, rest_base)

    def index_of(inside: Floats, outside: Floats) -> Floats:
        return inside / (part * inside + (1 - part) * outside)

    with np.errstate(divide="ignore", invalid="ignore"):
        whole = part * share + (1 - part) * other
        index = share / whole
        by_share = (1 - part) * other / whole / share * np.sqrt(share * (1 - share) / base)
        by_other = (1 - part) / whole * np.sqrt(other * (1 - other) / other_base)
        by_part = (share - other) / whole * np.sqrt(part * (1 - part) / (base + other_base))
        spread = np.sqrt(by_share**2 + by_other**2 + by_part**2)
        (least, most), (few, many) = _wilson(share, base, reach), _wilson(other, other_base, reach)

        def distance(inside: Floats, outside: Floats) -> Floats:
            """How far the index may lie on one side, where the two shares may lie so far."""
            own = _reach(reach * by_share, share, index, index_of(inside, other))
            others = _reach(reach * by_other, other, index, index_of(share, outside))
            return np.sqrt(own**2 + others**2 + (reach * by_part) ** 2)

        low = index * np.exp(-distance(least, many))
        high = index * np.exp(distance(most, few))
        nobody = (share == 0) & (whole > 0)
        top = index_of(most, other)
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


def _reach(delta: Floats, share: Floats, index: Floats, moved: Floats) -> Floats:
    """How far the error of a share takes an index on the log scale; moved: the index at its end."""
    return np.where((share > 0) & (share < 1), delta, np.abs(np.log(moved / index)))


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
