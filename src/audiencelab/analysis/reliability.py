"""Rules of statistical offices on which figures are precise enough to be published."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.interval_formulas import share_interval
from audiencelab.analysis.statistics import is_zero_or_full

Floats = NDArray[np.float64]
Words = NDArray[np.object_]

Rule = Literal["nchs"]


class Published(NamedTuple):
    """Proportions of 1 and what they rest on; arrays of one shape.

    sample: respondents in the denominator. base: how many they are worth, infinitely many where the
    design fixes the proportion. freedom: degrees of freedom; infinite where no design is known.
    """

    value: Floats
    sample: Floats
    base: Floats
    freedom: Floats


class ReliabilityRule(NamedTuple):
    """A table's rule. marks: a word for each proportion, "" where there is none."""

    marks: Callable[[Published], Words]
    note: str


# Thresholds of the standard's table on page 2, in respondents, shares of 1 and degrees.
_LEAST_RESPONDENTS = 30
_WIDE = 0.30
_NARROW = 0.05
_RELATIVE = 1.30
_FEW_DEGREES = 8


def nchs_marks(shares: Published) -> Words:
    """The word for each proportion: "suppress", "review", "complement" or "ok".

    By the National Center for Health Statistics Data Presentation Standards for Proportions, Vital
    and Health Statistics series 2 number 175 (Parker and others 2017), table on page 2, and the
    centre's own program for complex surveys. They use the 95% interval of Korn and Graubard, with
    the effective base adjusted for degrees of freedom and no larger than the respondents; at 0 and
    100% the respondents themselves.

    suppress: fewer than 30 respondents, or worth fewer than 30; an interval of 30 points or more;
    or one of more than 5 points and more than 130% of the proportion. review: otherwise, at 0 or
    100%, or with fewer than 8 degrees of freedom. complement: the proportion can be shown, but the
    interval is more than 5 points and more than 130% of what is left to 100%. A proportion without
    an interval is suppressed.
    """
    value, sample, base, freedom = np.broadcast_arrays(*shares)
    extreme = is_zero_or_full(value)
    # At 0 and 100% there is no variance to give an effective base.
    worth = np.where(extreme, sample, base)
    _, low, high = share_interval(
        value,
        worth,
        0.95,
        "beta",
        np.where(extreme, np.inf, freedom),
        respondents=sample,
        most=sample,
    )
    width = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        unreliable = width > _NARROW
        relative, complement = (
            unreliable & (width / each > _RELATIVE) for each in (value, 1 - value)
        )
    few = np.minimum(worth, sample) < _LEAST_RESPONDENTS
    suppress = few | (width >= _WIDE) | (relative & ~extreme) | np.isnan(width)
    # Negated, so that NaN is suppressed, too.
    suppress |= ~(freedom >= 1)
    words = np.select(
        [suppress, extreme | (freedom < _FEW_DEGREES), complement],
        ["suppress", "review", "complement"],
        "ok",
    ).astype(object)
    words[np.isnan(value)] = ""
    return words


RULES: Mapping[str, ReliabilityRule] = {
    "nchs": ReliabilityRule(
        nchs_marks,
        "reliability of column percentages by the NCHS standards for proportions (Vital and Health "
        "Statistics 2-175), which have no rule for indices and means",
    ),
}
"""The rules by their names; each is one function and one sentence."""
