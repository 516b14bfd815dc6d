"""Answers and mistakes of lesson 9: errors that no n mends. All are about 2025."""

from __future__ import annotations

import math

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import AGES, BY_VIDEO, OLD
from audiencelab.course.reference import EVERYONE, Z95, RespondentGroup, Respondents, given

REACHED = 1_000
"""Respondents of the survey on the web in exercise 9.2."""

RATES = (0.1, 0.1, 0.1, 0.2, 0.2, 0.4, 0.4)
"""The response rate of each age in exercise 9.4: under 35, 35 to 54, 55 and over."""

SEEN, INVENTED = 0.95, 0.2
"""Of exercise 9.5: the parts of those who exercise often, and of the others, who say they do."""

_OFTEN = given("q30", "q30_6", "q30_7")


def _bias(r: Respondents) -> float:
    """What a survey without the oldest finds too much, in points."""
    return r.share(BY_VIDEO, ~OLD) - r.share(BY_VIDEO)


def _error(r: Respondents) -> float:
    """The standard error of a simple random sample of those reached, in points."""
    share = r.share(BY_VIDEO, ~OLD)
    return math.sqrt(share * (100 - share) / REACHED)


def _variance(r: Respondents, whole: RespondentGroup = EVERYONE) -> float:
    """The variance of one interview, in points²."""
    share = r.share(BY_VIDEO, whole)
    return share * (100 - share)


def _responding(r: Respondents, rates: tuple[float, ...], sizes: tuple[float, ...]) -> float:
    """The share among those who respond."""
    counts = [size * rate for size, rate in zip(sizes, rates, strict=True)]
    shares = [r.share(BY_VIDEO, age) for age in AGES]
    found = sum(count * share for count, share in zip(counts, shares, strict=True))
    return found / sum(counts)


def _sizes(r: Respondents) -> tuple[float, ...]:
    return tuple(r.share(age) for age in AGES)


FORMULAS: dict[str, ExpectedAnswer] = {
    "9.1": ExpectedAnswer(
        Number("points", 2),
        _bias,
        {
            "share for bias": lambda r: r.share(BY_VIDEO, ~OLD),
            "those missed for everyone": lambda r: r.share(BY_VIDEO, ~OLD) - r.share(BY_VIDEO, OLD),
            "per cent for points": lambda r: 100 * _bias(r) / r.share(BY_VIDEO),
        },
    ),
    "9.2": ExpectedAnswer(
        Number("points", 2),
        lambda r: math.hypot(_bias(r), _error(r)),
        {
            "bias alone": _bias,
            "standard error alone": _error,
            "added up": lambda r: _bias(r) + _error(r),
            "margin for standard error": lambda r: math.hypot(_bias(r), Z95 * _error(r)),
            "squares without the root": lambda r: _bias(r) ** 2 + _error(r) ** 2,
        },
    ),
    "9.3": ExpectedAnswer(
        Number("interviews", 1),
        lambda r: _variance(r) / _bias(r) ** 2,
        {
            "those reached for everyone": lambda r: _variance(r, ~OLD) / _bias(r) ** 2,
            "bias not squared": lambda r: _variance(r) / _bias(r),
            "margin for standard error": lambda r: Z95**2 * _variance(r) / _bias(r) ** 2,
        },
    ),
    "9.4": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: _responding(r, RATES, _sizes(r)),
        {
            "everyone for those who answer": lambda r: r.share(BY_VIDEO),
            "ages not counted": lambda r: _responding(r, RATES, (1,) * len(AGES)),
            "upside down": lambda r: _responding(r, tuple(1 / rate for rate in RATES), _sizes(r)),
        },
    ),
    "9.5": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: (r.share(_OFTEN) - 100 * INVENTED) / (SEEN - INVENTED),
        {
            "what people say": lambda r: r.share(_OFTEN),
            "the wrong direction": lambda r: (
                SEEN * r.share(_OFTEN) + INVENTED * (100 - r.share(_OFTEN))
            ),
            "taken off, not divided": lambda r: r.share(_OFTEN) - 100 * INVENTED,
            "the honest alone": lambda r: r.share(_OFTEN) / SEEN,
        },
    ),
}
