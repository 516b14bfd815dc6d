"""Answers and mistakes of lesson 6: honest charts."""

from __future__ import annotations

import math
from collections.abc import Callable

from audiencelab.course.answer_types import ExpectedAnswer, FiguresByAnswer, Number, Value
from audiencelab.course.chart_answers import ChartAnswer
from audiencelab.course.formulas.groups import AGES, CLOTHES, MEN, WOMEN
from audiencelab.course.reference import LAST, Z95, RespondentGroup, Respondents, Waves, given

_CHANNELS = tuple(given("shop.b5", f"b5_{number}") for number in range(1, 21))
_GERMANY, _AGE = given("s2", "s2_49"), AGES[2]
_BAR = _GERMANY & _AGE
_FROM_18 = tuple(f"q4_{number}" for number in range(2, 8))
_AXIS = 40.0
"""The start of the axis in exercise 6.1, in percent."""


def _ratios(women: float, men: float) -> tuple[float, float]:
    """The ratio of the bars' lengths, and the ratio of their values, women to men."""
    return (women - _AXIS) / (men - _AXIS), women / men


def _lie_factor(women: float, men: float) -> float:
    looks, true = _ratios(women, men)
    return (looks - 1) / (true - 1)


def _of_shares(formula: Callable[[float, float], float]) -> Value:
    """A formula of the percentages of women and of men who bought clothes."""
    return lambda r: formula(r.share(CLOTHES, WOMEN), r.share(CLOTHES, MEN))


def _width(r: Respondents, whole: RespondentGroup, waves: Waves = None) -> float:
    """The width of the 95% interval of the share of buyers of clothes, in points."""
    low, high = r.interval(CLOTHES, whole, waves)
    return high - low


def _simple_width(r: Respondents, whole: RespondentGroup) -> float:
    """The same of a simple random sample: Wilson's interval of unweighted n."""
    share, squared = r.share(CLOTHES, whole) / 100, Z95**2 / r.sample(whole)
    return 200 * math.sqrt(squared * share * (1 - share) + squared**2 / 4) / (1 + squared)


FORMULAS: dict[str, ExpectedAnswer] = {
    "6.1": ExpectedAnswer(
        Number("times", 3),
        _of_shares(_lie_factor),
        {
            "ratio of bars for lie factor": _of_shares(lambda w, m: _ratios(w, m)[0]),
            "ratio of ratios for lie factor": _of_shares(
                lambda w, m: _ratios(w, m)[0] / _ratios(w, m)[1]
            ),
            "upside down": _of_shares(lambda w, m: 1 / _lie_factor(w, m)),
            "the other bar first": _of_shares(lambda w, m: _lie_factor(m, w)),
            "unweighted for weighted": lambda r: _lie_factor(
                r.unweighted_share(CLOTHES, WOMEN), r.unweighted_share(CLOTHES, MEN)
            ),
        },
    ),
    "6.2": ExpectedAnswer(
        Number("per cent of people", 2),
        lambda r: sum(r.share(channel) for channel in _CHANNELS),
        {
            "average for sum": lambda r: sum(r.share(channel) for channel in _CHANNELS) / 100,
            "all waves for the year": lambda r: sum(
                r.share(channel, waves=r.waves) for channel in _CHANNELS
            ),
            "shares of answers": lambda r: 100.0,
            "unweighted for weighted": lambda r: sum(
                r.unweighted_share(channel) for channel in _CHANNELS
            ),
            "any of them": lambda r: r.share(given("shop.b5")),
        },
    ),
    "6.3": ExpectedAnswer(
        Number("points", 2),
        lambda r: _width(r, _BAR),
        {
            "no design effect": lambda r: _simple_width(r, _BAR),
            "one side only": lambda r: _width(r, _BAR) / 2,
            "upper end": lambda r: r.interval(CLOTHES, _BAR)[1],
            "every market": lambda r: _width(r, _AGE),
            "one wave for the year": lambda r: _width(r, _BAR, LAST),
            "all waves for the year": lambda r: _width(r, _BAR, r.waves),
            "errors for ends": lambda r: 2 * Z95 * r.linearised_error(CLOTHES, _BAR),
        },
    ),
    "6.4": ExpectedAnswer(
        ChartAnswer(FiguresByAnswer("q4", _FROM_18, 1)),
        lambda r: {age: r.share(CLOTHES, given("q4", age)) for age in _FROM_18},
    ),
}
