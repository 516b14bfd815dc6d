"""Lesson 3: the index."""

from __future__ import annotations

from audiencelab.course.exercises.exercise import Exercise, Mistake
from audiencelab.course.kinds import Name, Number
from audiencelab.course.respondents import EVERYONE, Respondents, given

__all__ = ["EXERCISES"]

_YOUNG = given("q4", "q4_2")
_OLD = given("q4", "q4_7")
_BY_VIDEO = given("shop.b5", "b5_11")
_WATCHERS = ~given("media.m7", "m7_1")
_CHANNELS = {f"b5_{number}": given("shop.b5", f"b5_{number}") for number in range(1, 21)}


def _raw_index(r: Respondents) -> float:
    return 100 * r.unweighted_share(_BY_VIDEO, _YOUNG) / r.unweighted_share(_BY_VIDEO)


def _more_than_expected(r: Respondents) -> float:
    return (r.size(_BY_VIDEO & _YOUNG) - r.size(_YOUNG) * r.share(_BY_VIDEO) / 100) / 1e6


def _top_by_index(r: Respondents) -> str:
    return max(_CHANNELS, key=lambda code: r.index(_CHANNELS[code], _OLD))


EXERCISES = (
    Exercise(
        "3.1",
        "An index",
        Number("index points", 0.6),
        lambda r: r.index(_BY_VIDEO, _YOUNG),
        (
            Mistake(
                "ratio for index",
                "That is how many times as likely. An index is times 100.",
                lambda r: r.index(_BY_VIDEO, _YOUNG) / 100,
            ),
            Mistake(
                "upside down",
                "You divided the share of everyone by the share of the young. Turn it round.",
                lambda r: 1e4 / r.index(_BY_VIDEO, _YOUNG),
            ),
            Mistake(
                "percentage for index",
                "That is the share itself. What is it compared with?",
                lambda r: r.share(_BY_VIDEO, _YOUNG),
            ),
            Mistake(
                "difference for ratio",
                "That is a difference of percentages. An index divides.",
                lambda r: r.share(_BY_VIDEO, _YOUNG) - r.share(_BY_VIDEO),
            ),
            Mistake(
                "unweighted for weighted",
                "That is the index of interviews. Use shares of people.",
                _raw_index,
            ),
        ),
        (
            "The share among the young, divided by the share among everyone, times 100.",
            "The frame of a crosstab has a column index.",
        ),
        'cell["index"]',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]]).to_frame().iloc[0]',
    ),
    Exercise(
        "3.2",
        "The same index on another base",
        Number("index points", 0.6),
        lambda r: r.index(_BY_VIDEO, _YOUNG, _WATCHERS),
        (
            Mistake(
                "index on the wrong base",
                "That compares with everyone. The base is to be those who watch short videos.",
                lambda r: r.index(_BY_VIDEO, _YOUNG),
            ),
            Mistake(
                "ratio for index",
                "That is how many times as likely. An index is times 100.",
                lambda r: r.index(_BY_VIDEO, _YOUNG, _WATCHERS) / 100,
            ),
            Mistake(
                "base compared with itself",
                "100: you compared people with themselves. The column is the 18 to 24 year olds.",
                lambda r: r.index(_BY_VIDEO, EVERYONE),
            ),
        ),
        (
            "A base audience narrows both shares: the young's, and what they are compared with.",
            'Those who watch: ~al.Q("media.m7").any("m7_1").',
        ),
        'cell["index"]',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]], '
        'base_audience=al.Audience("Watch", ~al.Q("media.m7").any("m7_1"))).to_frame().iloc[0]',
    ),
    Exercise(
        "3.3",
        "What sets the oldest apart",
        Name("shop.b5", "channel"),
        _top_by_index,
        (
            Mistake(
                "largest share for highest index",
                "That reaches most of them, but everyone else too. What sets them apart?",
                lambda r: max(_CHANNELS, key=lambda code: r.share(_CHANNELS[code], _OLD)),
            ),
            Mistake(
                "lowest for highest index",
                "That is what they do least, compared with everyone.",
                lambda r: min(_CHANNELS, key=lambda code: r.index(_CHANNELS[code], _OLD)),
            ),
        ),
        (
            "Sort by the index, not by the percentage.",
            'frame.nlargest(3, "index")[["row", "index", "column_percentage"]] shows the top.',
        ),
        'frame.nlargest(1, "index")["row"].iloc[0]',
        steps='frame = mine.crosstab(rows=mine.catalogue.audiences("Finding brands"), '
        'columns=[mine.catalogue["Age"]["65 and over"]]).to_frame()',
    ),
    Exercise(
        "3.4",
        "The highest index there can be",
        Number("index points", 0.6),
        lambda r: 1e4 / r.share(_BY_VIDEO),
        (
            Mistake(
                "ceiling of the wrong base",
                "You divided by the share among the young. The base is everyone.",
                lambda r: 1e4 / r.share(_BY_VIDEO, _YOUNG),
            ),
            Mistake(
                "ratio for index",
                "That is how many times as likely at most. An index is times 100.",
                lambda r: 100 / r.share(_BY_VIDEO),
            ),
            Mistake(
                "unweighted for weighted",
                "You took the share of interviews. Use the share of people.",
                lambda r: 1e4 / r.unweighted_share(_BY_VIDEO),
            ),
            Mistake(
                "percentage for index",
                "That is the share among everyone. If an audience had 100 %, what index is that?",
                lambda r: r.share(_BY_VIDEO),
            ),
        ),
        (
            "An audience can have no larger share than 100 %.",
            "Then the index is 100 × 100 ÷ the share among everyone.",
        ),
        '100 * 100 / cell["row_base_percentage"]',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]]).to_frame().iloc[0]',
    ),
    Exercise(
        "3.5",
        "From an index back to people",
        Number("millions", 0.06, 2),
        _more_than_expected,
        (
            Mistake(
                "all of them",
                "Those are all the young who do. How many would there be at an index of 100?",
                lambda r: r.size(_BY_VIDEO & _YOUNG) / 1e6,
            ),
            Mistake(
                "the expected ones",
                "So many there would be at an index of 100. How many more are there?",
                lambda r: r.size(_YOUNG) * r.share(_BY_VIDEO) / 1e8,
            ),
            Mistake(
                "points of everyone",
                "You took the difference of shares times everyone. It is of the young alone.",
                lambda r: (
                    r.size(EVERYONE) * (r.share(_BY_VIDEO, _YOUNG) - r.share(_BY_VIDEO)) / 1e8
                ),
            ),
        ),
        (
            "At an index of 100 the young would have the share of everyone.",
            "Expected: size of the young × share among everyone. Then subtract from the real size.",
        ),
        '(cell["size"] - cell["column_size"] * cell["row_base_percentage"] / 100) / 1e6',
        steps='cell = mine.crosstab(rows=[mine.catalogue["Finding brands"]["Short videos"]], '
        'columns=[mine.catalogue["Age"]["18 to 24"]]).to_frame().iloc[0]',
    ),
)
