"""Answers and mistakes of lesson 8: scales. All are about 2025."""

from __future__ import annotations

from collections.abc import Sequence

from audiencelab.course.answer_types import ExpectedAnswer, Number
from audiencelab.course.formulas.groups import MEN, WOMEN, YOUNG
from audiencelab.course.reference import (
    EVERYONE,
    RespondentGroup,
    Respondents,
    asked,
    given,
)

_TRUST = tuple(given("media.m21", "m21_1", suffixes=(str(point),)) for point in range(1, 6))
"""Public broadcasters: from "Trust completely" to "Do not trust at all"."""

_PRICE = tuple(given("q22", "q22_3", suffixes=(str(point),)) for point in range(1, 6))
""" "I always look for the best price": from "Strongly agree" to "Strongly disagree"."""

_EXERCISE = tuple(given("q30", f"q30_{number}") for number in range(1, 8))
"""From "Never" to "Every day"."""

_WORRIED, _HOPEFUL = given("media.m46", "m46_1", "m46_2"), given("media.m46", "m46_4", "m46_5")

_EITHER = given("media.m46", "m46_1", "m46_2", "m46_4", "m46_5")

_ELECTRIC, _NOT_KNOWN = given("shop.b22", "b22_5"), given("shop.b22", "b22_6")
_CAR = asked("shop.b22")

DAYS = (0, 0.5, 1, 2.5, 4, 12, 30)
"""Days a month with exercise, as exercise 8.5 asks for them."""


def _trust(r: Respondents, points: slice, whole: RespondentGroup) -> float:
    """The share of some points of the scale."""
    return sum(r.share(point, whole) for point in _TRUST[points])


def _net(r: Respondents, whole: RespondentGroup) -> float:
    """Hopeful less worried, in points."""
    return r.share(_HOPEFUL, whole) - r.share(_WORRIED, whole)


def _mean(
    r: Respondents,
    points: Sequence[RespondentGroup],
    numbers: Sequence[float],
    whole: RespondentGroup,
) -> float:
    """The mean of the numbers of the points: Σ number × share."""
    parts = zip(points, numbers, strict=True)
    return sum(number * r.share(point, whole) for point, number in parts) / 100


FORMULAS: dict[str, ExpectedAnswer] = {
    "8.1": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: _trust(r, slice(0, 2), asked("media.m21")),
        {
            "everyone for those asked": lambda r: _trust(r, slice(0, 2), EVERYONE),
            "one box for two": lambda r: _trust(r, slice(0, 1), asked("media.m21")),
            "three boxes for two": lambda r: _trust(r, slice(0, 3), asked("media.m21")),
            "wrong end of the scale": lambda r: _trust(r, slice(3, 5), asked("media.m21")),
        },
    ),
    "8.2": ExpectedAnswer(
        Number("points", 2),
        lambda r: _net(r, WOMEN),
        {
            "top box alone": lambda r: r.share(_HOPEFUL, WOMEN),
            "worried less hopeful": lambda r: -_net(r, WOMEN),
            "the middle left out": lambda r: _net(r, WOMEN & _EITHER),
            "men for women": lambda r: _net(r, MEN),
        },
    ),
    "8.3": ExpectedAnswer(
        Number("on the scale from 1 to 5", 3),
        lambda r: _mean(r, _PRICE, (1, 2, 3, 4, 5), EVERYONE),
        {
            "the other end as the top": lambda r: _mean(r, _PRICE, (5, 4, 3, 2, 1), EVERYONE),
            "from -2 to 2": lambda r: _mean(r, _PRICE, (-2, -1, 0, 1, 2), EVERYONE),
            "a share for the mean": lambda r: r.share(_PRICE[0]) + r.share(_PRICE[1]),
        },
    ),
    "8.4": ExpectedAnswer(
        Number("per cent", 2),
        lambda r: r.share(_ELECTRIC, _CAR & ~_NOT_KNOWN),
        {
            "do not know in the base": lambda r: r.share(_ELECTRIC, _CAR),
            "everyone for those asked": lambda r: r.share(_ELECTRIC),
            "do not know for electricity": lambda r: r.share(_NOT_KNOWN, _CAR),
        },
    ),
    "8.5": ExpectedAnswer(
        Number("days a month", 2),
        lambda r: _mean(r, _EXERCISE, DAYS, YOUNG),
        {
            "ranks for days": lambda r: _mean(r, _EXERCISE, range(1, 8), YOUNG),
            "ranks from 0 for days": lambda r: _mean(r, _EXERCISE, range(7), YOUNG),
            "everyone for the young": lambda r: _mean(r, _EXERCISE, DAYS, EVERYONE),
        },
    ),
}
