"""Answers and mistakes of lesson 4: significance."""

from __future__ import annotations

import math
from statistics import NormalDist

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import CLOTHES, MEN, WOMEN
from audiencelab.course.reference import EVERYONE, LAST, Z95, RespondentGroup, Respondents, given

_TOYS = given("shop.b1", "b1_19")
_LARGEST_OF_TWENTY = 3.02


def _plain(r: Respondents, group: RespondentGroup = WOMEN) -> float:
    """The standard error of a percentage of equally weighted respondents."""
    return r.standard_error(CLOTHES, group, LAST)


def _weighted(r: Respondents, group: RespondentGroup = WOMEN) -> float:
    """The standard error by the design of the sample."""
    return r.linearised_error(CLOTHES, group, LAST)


def _difference(r: Respondents, part: RespondentGroup = CLOTHES) -> float:
    """Women less men, in points."""
    return r.share(part, WOMEN, LAST) - r.share(part, MEN, LAST)


def _error_of_difference(r: Respondents, part: RespondentGroup) -> float:
    return r.tested_error(part, (WOMEN, LAST), (MEN, LAST))


def _plain_error_of_difference(r: Respondents, part: RespondentGroup) -> float:
    return _difference(r, part) / r.z(part, (WOMEN, LAST), (MEN, LAST), design=False)


def _z(r: Respondents) -> float:
    return _difference(r) / _error_of_difference(r, CLOTHES)


FORMULAS: dict[str, ExpectedAnswer] = {
    "4.1": ExpectedAnswer(
        Number("points", 3),
        _plain,
        {
            "margin for standard error": lambda r: Z95 * _plain(r),
            "variance for error": lambda r: _plain(r) ** 2,
            "base of everyone": lambda r: (
                _plain(r) * math.sqrt(r.sample(WOMEN, LAST) / r.sample(EVERYONE, LAST))
            ),
            "people for respondents": lambda r: (
                _plain(r) * math.sqrt(r.sample(WOMEN, LAST) / r.size(WOMEN, LAST))
            ),
            "design effect not wanted yet": _weighted,
            "men for women": lambda r: _plain(r, MEN),
        },
    ),
    "4.2": ExpectedAnswer(
        Number("points", 2),
        lambda r: Z95 * _weighted(r),
        {
            "no design effect": lambda r: Z95 * _plain(r),
            "standard error for margin": _weighted,
            "two for 1.96": lambda r: 2 * _weighted(r),
            "design effect without its root": lambda r: Z95 * _weighted(r) ** 2 / _plain(r),
            "smaller with weights": lambda r: Z95 * _plain(r) ** 2 / _weighted(r),
            "full width for half": lambda r: 2 * Z95 * _weighted(r),
        },
    ),
    "4.3": ExpectedAnswer(
        Number("standard errors", 2),
        _z,
        {
            "test without design effect": lambda r: (
                _difference(r) / _plain_error_of_difference(r, CLOTHES)
            ),
            "difference for z": _difference,
            "p for z": lambda r: 2 * (1 - NormalDist().cdf(abs(_z(r)))),
            "errors added up": lambda r: _difference(r) / (_weighted(r) + _weighted(r, MEN)),
        },
    ),
    "4.4": ExpectedAnswer(
        Number("points", 2),
        lambda r: _LARGEST_OF_TWENTY * _error_of_difference(r, _TOYS),
        {
            "one test for twenty": lambda r: Z95 * _error_of_difference(r, _TOYS),
            "standard error for difference": lambda r: _error_of_difference(r, _TOYS),
            "test without design effect": lambda r: (
                _LARGEST_OF_TWENTY * _plain_error_of_difference(r, _TOYS)
            ),
        },
    ),
}
