"""Answers and mistakes of lesson 6: honest charts."""

from __future__ import annotations

from audiencelab.course.answer_types import ExpectedAnswer, FiguresByAnswer, Number, WholeNumber
from audiencelab.course.chart_answers import ChartAnswer
from audiencelab.course.formulas.groups import AGES, CLOTHES, MEN, WOMEN
from audiencelab.course.reference import EVERYONE, RespondentGroup, Respondents, given

_CHANNELS = tuple(given("shop.b5", f"b5_{number}") for number in range(1, 21))
_GERMANY = given("s2", "s2_49")
_FROM_18 = tuple(f"q4_{number}" for number in range(2, 8))
_AXIS = 40.0
"""The start of the axis in exercise 6.1, in percent."""


def _shares(r: Respondents) -> tuple[float, float]:
    return r.share(CLOTHES, WOMEN), r.share(CLOTHES, MEN)


def _ratios(r: Respondents) -> tuple[float, float]:
    """The ratio of the bars' lengths, and the ratio of their values, women to men."""
    women, men = _shares(r)
    return (women - _AXIS) / (men - _AXIS), women / men


def _lie_factor(r: Respondents) -> float:
    looks, true = _ratios(r)
    return (looks - 1) / (true - 1)


def _low(r: Respondents, within: RespondentGroup, *, weighted: bool = False) -> int:
    """The number of ages with fewer than 30 respondents, or with an effective base below 30."""
    counts = [
        (r.effective_base if weighted else r.sample)(age & within)
        for age in AGES
        if r.sample(age & within)
    ]
    return sum(count < 30 for count in counts) + len(AGES) - len(counts)


FORMULAS: dict[str, ExpectedAnswer] = {
    "6.1": ExpectedAnswer(
        Number("times", 2),
        _lie_factor,
        {
            "ratio of bars for lie factor": lambda r: _ratios(r)[0],
            "ratio of ratios for lie factor": lambda r: _ratios(r)[0] / _ratios(r)[1],
            "upside down": lambda r: 1 / _lie_factor(r),
            "the other bar first": lambda r: (1 / _ratios(r)[0] - 1) / (1 / _ratios(r)[1] - 1),
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
        WholeNumber("bars"),
        lambda r: _low(r, _GERMANY),
        {
            "every market": lambda r: _low(r, EVERYONE),
            "effective bases": lambda r: _low(r, _GERMANY, weighted=True),
            "the others": lambda r: len(AGES) - _low(r, _GERMANY),
        },
    ),
    "6.4": ExpectedAnswer(
        ChartAnswer(FiguresByAnswer("q4", _FROM_18, 1)),
        lambda r: {age: r.share(CLOTHES, given("q4", age)) for age in _FROM_18},
    ),
}
