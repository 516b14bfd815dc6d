"""Lesson 6: honest charts."""

from __future__ import annotations

from audiencelab.course.exercises.exercise import YEAR, Exercise, Mistake
from audiencelab.course.kinds import Number, Picture
from audiencelab.course.respondents import EVERYONE, Group, Respondents, given

__all__ = ["EXERCISES"]

_MEN, _WOMEN = given("q2", "q2_1"), given("q2", "q2_2")
_CLOTHES = given("shop.b1", "b1_2")
_CHANNELS = tuple(given("shop.b5", f"b5_{number}") for number in range(1, 21))
_AGES = tuple(given("q4", f"q4_{number}") for number in range(1, 8))
_GERMANY = given("s2", "s2_49")
_AXIS = 40.0
"""Where the axis of exercise 6.1 begins, in per cent."""


def _shares(r: Respondents) -> tuple[float, float]:
    return r.share(_CLOTHES, _WOMEN), r.share(_CLOTHES, _MEN)


def _ratios(r: Respondents) -> tuple[float, float]:
    """How many times as large women's bar looks, and how many times as large it is."""
    women, men = _shares(r)
    return (women - _AXIS) / (men - _AXIS), women / men


def _lie_factor(r: Respondents) -> float:
    looks, true = _ratios(r)
    return (looks - 1) / (true - 1)


def _low(r: Respondents, within: Group, *, weighted: bool = False) -> int:
    """How many ages have fewer than thirty respondents, or thirty by effective base."""
    counts = [
        (r.effective_base if weighted else r.sample)(age & within)
        for age in _AGES
        if r.sample(age & within)
    ]
    return sum(count < 30 for count in counts) + len(_AGES) - len(counts)


EXERCISES = (
    Exercise(
        "6.1",
        "By how much a cut axis lies",
        Number("times", 0.12, 2),
        _lie_factor,
        (
            Mistake(
                "ratio of bars for lie factor",
                "So many times as long is the bar. Compare how much *longer* it looks with how "
                "much more there is: subtract 1 from both.",
                lambda r: _ratios(r)[0],
            ),
            Mistake(
                "ratio of ratios for lie factor",
                "Close: you divided the ratios. Tufte compares the effects: subtract 1 from both.",
                lambda r: _ratios(r)[0] / _ratios(r)[1],
            ),
            Mistake(
                "upside down",
                "Less than 1 would be a chart that hides the difference. Turn it round.",
                lambda r: 1 / _lie_factor(r),
            ),
            Mistake(
                "the other bar first",
                "You took how much smaller men's bar is. Take how much larger women's is.",
                lambda r: (1 / _ratios(r)[0] - 1) / (1 / _ratios(r)[1] - 1),
            ),
        ),
        (
            "Effect in the picture: (women − 40) ÷ (men − 40) − 1.",
            "Effect in the data: women ÷ men − 1.",
            "The lie factor is the first divided by the second.",
        ),
        "((women - 40) / (men - 40) - 1) / (women / men - 1)",
        steps='table = mine.crosstab(rows=[mine.catalogue["Bought lately"]["Clothes"]], columns='
        '[mine.catalogue["Gender"]["Female"], mine.catalogue["Gender"]["Male"]])\n'
        'women, men = table.to_frame()["column_percentage"]',
    ),
    Exercise(
        "6.2",
        "Why this is no pie",
        Number("per cent of people", 0.3),
        lambda r: sum(r.share(channel) for channel in _CHANNELS),
        (
            Mistake(
                "average for sum",
                "That is the average number of answers. The exercise asks for per cent: times 100.",
                lambda r: sum(r.share(channel) for channel in _CHANNELS) / 100,
            ),
            Mistake(
                "all waves for the year",
                "That is over all twelve waves: name those of 2025.",
                lambda r: sum(r.share(channel, waves=r.waves) for channel in _CHANNELS),
            ),
            Mistake(
                "shares of answers",
                "Exactly 100: those are shares of answers. Add up the shares of people.",
                lambda r: 100.0,
            ),
            Mistake(
                "unweighted for weighted",
                "Those are shares of interviews. Percentages are made of sizes.",
                lambda r: sum(r.unweighted_share(channel) for channel in _CHANNELS),
            ),
            Mistake(
                "any of them",
                "That is who gave any answer at all. Add up the twenty shares.",
                lambda r: r.share(given("shop.b5")),
            ),
        ),
        (
            'mine.stats("shop.b5", waves=year) has a line for each channel.',
            "Add up its audience_percentage.",
        ),
        'mine.stats("shop.b5", waves=year).to_frame()["audience_percentage"].sum()',
        steps=YEAR,
    ),
    Exercise(
        "6.3",
        "Bars that stand on sand",
        Number("bars", 0, 0),
        lambda r: _low(r, _GERMANY),
        (
            Mistake(
                "every market",
                "That is over all markets. The chart is of Germany alone.",
                lambda r: _low(r, EVERYONE),
            ),
            Mistake(
                "effective bases",
                "You counted effective bases. The rule of thumb here is thirty respondents.",
                lambda r: _low(r, _GERMANY, weighted=True),
            ),
            Mistake(
                "the others",
                "So many bars have thirty or more. Count those that have fewer.",
                lambda r: len(_AGES) - _low(r, _GERMANY),
            ),
        ),
        (
            "A bar for each age, in Germany, over the year 2025: its base is column_sample.",
            "Give Germany as base_audience, and count the samples below 30.",
        ),
        'int((table.to_frame()["column_sample"] < 30).sum())',
        steps='table = mine.crosstab(rows=[mine.catalogue["Bought lately"]["Clothes"]], '
        'columns=mine.catalogue.audiences("Age"), '
        'base_audience=mine.catalogue["Market"]["Germany"])',
    ),
    Exercise(
        "6.4",
        "An honest chart of your own",
        Picture(0.06),
        lambda r: [r.share(_CLOTHES, age) for age in _AGES[1:]],
        (),
        (
            "al.charts.bar(table) draws the column percentages of a crosstab.",
            "Rows: Clothes. Columns: the six ages from 18. The year 2025, no base audience.",
            "drawing.altair is the chart behind a drawing; "
            'chart.properties(title={"text": …, "subtitle": …}) gives it words.',
        ),
        'drawing.altair.properties(title={"text": "Bought clothes in the last month", '
        '"subtitle": "Base: all adults of each age, 2,000 respondents in all, 2025"})',
        steps='table = mine.crosstab(rows=[mine.catalogue["Bought lately"]["Clothes"]], '
        'columns=mine.catalogue.audiences("Age")[1:])\n'
        "drawing = al.charts.bar(table)",
    ),
)
