"""Lesson 2: percentages and bases."""

from __future__ import annotations

from audiencelab.course.exercises.exercise import YEAR, Exercise, Mistake
from audiencelab.course.kinds import Figures, Number, People
from audiencelab.course.respondents import EVERYONE, Group, Respondents, asked, given
from audiencelab.expressions import Q

__all__ = ["EXERCISES"]

_YOUNG = given("q4", "q4_2")
_BY_VIDEO = given("shop.b5", "b5_11")
_ASKED = asked("media.m8")
_LAUGHS = given("media.m8", "m8_1")
_TICKED = given("media.m8")
_AGES = tuple(f"q4_{number}" for number in range(2, 8))
_BOTH = _YOUNG & _BY_VIDEO


def _of_column(r: Respondents) -> float:
    return r.share(_BY_VIDEO, _YOUNG)


def _of_row(r: Respondents) -> float:
    return r.share(_YOUNG, _BY_VIDEO)


def _by_age(r: Respondents, whole: Group) -> dict[str, float]:
    return {age: r.share(_LAUGHS, given("q4", age) & whole) for age in _AGES}


EXERCISES = (
    Exercise(
        "2.1",
        "Of the young, who finds brands by short videos",
        Number("per cent", 0.06),
        _of_column,
        (
            Mistake(
                "row for column percentage",
                "You divided by those who find brands by short videos. Of whom is asked here?",
                _of_row,
            ),
            Mistake(
                "total for column percentage",
                "You divided by everyone. Of whom is asked here?",
                lambda r: r.share(_BOTH),
            ),
            Mistake(
                "unweighted for weighted",
                "That is a share of interviews. Percentages are made of sizes.",
                lambda r: r.unweighted_share(_BY_VIDEO, _YOUNG),
            ),
            Mistake(
                "everyone",
                "That is the share among people of every age.",
                lambda r: r.share(_BY_VIDEO),
            ),
        ),
        (
            "The words after “of” name the denominator: the 18 to 24 year olds.",
            "Make the age a column and the channel a row; the percentage of the column is wanted.",
        ),
        'cell["column_percentage"]',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]]).to_frame().iloc[0]',
    ),
    Exercise(
        "2.2",
        "Of those who find brands by short videos, who is young",
        Number("per cent", 0.06),
        _of_row,
        (
            Mistake(
                "column for row percentage",
                "You divided by the 18 to 24 year olds. Of whom is asked here?",
                _of_column,
            ),
            Mistake(
                "total for row percentage",
                "You divided by everyone. Of whom is asked here?",
                lambda r: r.share(_BOTH),
            ),
            Mistake(
                "unweighted for weighted",
                "That is a share of interviews. Percentages are made of sizes.",
                lambda r: r.unweighted_share(_YOUNG, _BY_VIDEO),
            ),
            Mistake(
                "everyone",
                "That is the share of 18 to 24 year olds among everyone.",
                lambda r: r.share(_YOUNG),
            ),
        ),
        (
            "The words after “of” name the denominator.",
            "The same cell as in 2.1 has it: same numerator, other denominator.",
        ),
        'cell["row_percentage"]',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]]).to_frame().iloc[0]',
    ),
    Exercise(
        "2.3",
        "Of those who were asked, who watches to laugh",
        Number("per cent", 0.06),
        lambda r: r.share(_LAUGHS, _ASKED),
        (
            Mistake(
                "not asked counted as no",
                "You divided by everyone. Who was asked this question?",
                lambda r: r.share(_LAUGHS),
            ),
            Mistake(
                "all waves for the year",
                "That is over all twelve waves: name those of 2025.",
                lambda r: r.share(_LAUGHS, _ASKED, r.waves),
            ),
            Mistake(
                "answered for asked",
                "You divided by those who ticked an answer. Who ticked none was asked too.",
                lambda r: r.share(_LAUGHS, _TICKED),
            ),
            Mistake(
                "unweighted for weighted",
                "That is a share of interviews. Percentages are made of sizes.",
                lambda r: r.unweighted_share(_LAUGHS, _ASKED),
            ),
        ),
        (
            "Read the question's notice: mine.catalogue['Short video: what for'].",
            "It was asked of people who watch short videos: everyone but those who answered None "
            "to 'Short video a day' (media.m7).",
            "Give those people as base_audience to mine.stats('media.m8', …), and waves=year.",
        ),
        'found[found["datapoint_label"] == "To laugh"]["audience_percentage"]',
        steps='watchers = al.Audience("Watch short videos", ~al.Q("media.m7").any("m7_1"))\n'
        f"{YEAR}\n"
        'found = mine.stats("media.m8", base_audience=watchers, waves=year).to_frame()',
    ),
    Exercise(
        "2.4",
        "Everyone who was asked, as an audience",
        People(),
        lambda r: (~Q("media.m7").any("m7_1")).to_wire("saved"),
        (
            Mistake(
                "answered for asked",
                "Those are the people who ticked an answer. Some were asked and ticked none.",
                lambda r: Q("media.m8").any().to_wire("saved"),
            ),
            Mistake(
                "the others",
                "Those are the people who were not asked. Turn it round.",
                lambda r: Q("media.m7").any("m7_1").to_wire("saved"),
            ),
            Mistake(
                "everyone",
                "Those are all people. Who was left out of the question?",
                lambda r: Q("media.m7").any().to_wire("saved"),
            ),
        ),
        (
            "What decided whether somebody was asked is the answer to another question.",
            "That question is 'Short video a day', media.m7.",
            "Everyone was asked it, so ~ (not) of one of its answers is everybody else.",
        ),
        '~al.Q("media.m7").any("m7_1")',
    ),
    Exercise(
        "2.5",
        "The same by age",
        Figures("q4", _AGES, 0.06),
        lambda r: _by_age(r, _ASKED),
        (
            Mistake(
                "not asked counted as no",
                "You divided by everyone of each age. Who was asked this question?",
                lambda r: _by_age(r, EVERYONE),
            ),
            Mistake(
                "answered for asked",
                "You divided by those who ticked an answer. Who ticked none was asked too.",
                lambda r: _by_age(r, _TICKED),
            ),
            Mistake(
                "row for column percentage",
                "Those add up to about 100: you divided by those who laugh, not by each age.",
                lambda r: {age: r.share(given("q4", age) & _ASKED, _LAUGHS) for age in _AGES},
            ),
            Mistake(
                "unweighted for weighted",
                "Those are shares of interviews. Percentages are made of sizes.",
                lambda r: {
                    age: r.unweighted_share(_LAUGHS, given("q4", age) & _ASKED) for age in _AGES
                },
            ),
        ),
        (
            "Ages as columns, 'To laugh' as the row, and a base audience.",
            'Of the frame: set_index("column")["column_percentage"].',
        ),
        'table.to_frame().set_index("column")["column_percentage"]',
        steps='table = mine.crosstab(rows=[mine.catalogue["Short video: what for"]["To laugh"]], '
        'columns=mine.catalogue.audiences("Age")[1:], '
        'base_audience=al.Audience("Watch", ~al.Q("media.m7").any("m7_1")))',
    ),
)
