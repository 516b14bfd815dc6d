"""Lesson 5: waves. AI assistants for answering questions, daily, asked since 2024."""

from __future__ import annotations

from audiencelab.course.exercises.exercise import Exercise, Mistake
from audiencelab.course.kinds import Number
from audiencelab.course.respondents import EVERYONE, LAST, Respondents, given

__all__ = ["EXERCISES"]

_DAILY = given("media.m45", "m45_1", suffixes=["1", "2"])
_EVER = given("media.m45", "m45_1")
_HEAVY = given("media.m7", "m7_5", "m7_6", "m7_7")
_FIRST = "q1_2024"

_STATS = 'mine.stats("media.m45", datapoints=["m45_1"], suffixes=["1", "2"]'


def _change(r: Respondents, before: str) -> float:
    return r.share(_DAILY, waves=LAST) - r.share(_DAILY, waves=[before])


def _z(r: Respondents, before: str = "q3_2025") -> float:
    return r.z(_DAILY, (EVERYONE, LAST), (EVERYONE, [before]))


EXERCISES = (
    Exercise(
        "5.1",
        "The newest figure",
        Number("per cent", 0.06),
        lambda r: r.share(_DAILY, waves=LAST),
        (
            Mistake(
                "all waves for one",
                "That is the average of all waves that asked. Ask for the last one alone.",
                lambda r: r.share(_DAILY, waves=r.since(_FIRST)),
            ),
            Mistake(
                "any answer for daily",
                "That counts everyone who uses one at all. Daily is suffixes 1 and 2.",
                lambda r: r.share(_EVER, waves=LAST),
            ),
            Mistake(
                "unweighted for weighted",
                "That is a share of interviews. Percentages are made of sizes.",
                lambda r: r.unweighted_share(_DAILY, waves=LAST),
            ),
            Mistake(
                "several times a day only",
                "That is suffix 1 alone. Daily is suffixes 1 and 2.",
                lambda r: r.share(given("media.m45", "m45_1", suffixes=["1"]), waves=LAST),
            ),
        ),
        (
            'Narrow the waves: waves=["q4_2025"].',
            'Narrow the scale: suffixes=["1", "2"].',
        ),
        _STATS + ', waves=["q4_2025"]).to_frame()["audience_percentage"]',
    ),
    Exercise(
        "5.2",
        "How many people, in the waves that asked",
        Number("millions", 0.06),
        lambda r: r.size(_DAILY, r.since(_FIRST)) / 1e6,
        (
            Mistake(
                "not asked counted as no",
                "You spread it over twelve waves. Four of them did not ask: they say nothing.",
                lambda r: r.size(_DAILY, r.waves) / 1e6,
            ),
            Mistake(
                "waves added up",
                "You added the waves up. Each of them describes all people once.",
                lambda r: r.total(_DAILY, r.waves) / 1e6,
            ),
            Mistake(
                "one wave for all",
                "That is the last wave alone. The average of the waves that asked is wanted.",
                lambda r: r.size(_DAILY, LAST) / 1e6,
            ),
        ),
        (
            "Sizes are averages over the waves that count. Which waves asked?",
            "With no waves= at all, the service takes the waves that asked by itself.",
        ),
        _STATS + ').to_frame()["positive_size"] / 1e6',
    ),
    Exercise(
        "5.3",
        "A year on",
        Number("points", 0.06),
        lambda r: _change(r, "q4_2024"),
        (
            Mistake(
                "per cent for points",
                "That is the change in per cent of the old figure. Points are wanted: subtract.",
                lambda r: 100 * _change(r, "q4_2024") / r.share(_DAILY, waves=["q4_2024"]),
            ),
            Mistake(
                "ratio for difference",
                "That is how many times as many. Points are wanted: subtract.",
                lambda r: r.share(_DAILY, waves=LAST) / r.share(_DAILY, waves=["q4_2024"]),
            ),
            Mistake(
                "quarter for year",
                "That is the change since the quarter before. A year ago was q4_2024.",
                lambda r: _change(r, "q3_2025"),
            ),
            Mistake(
                "from the start",
                "That is the change since the first wave that asked. A year ago was q4_2024.",
                lambda r: _change(r, _FIRST),
            ),
        ),
        (
            'splitter="waves" gives a line for each wave.',
            "The percentage of q4_2025 less that of q4_2024.",
        ),
        'shares["q4_2025"] - shares["q4_2024"]',
        steps=f'shares = {_STATS}, splitter="waves")'
        '.to_frame().set_index("segment")["audience_percentage"]',
    ),
    Exercise(
        "5.4",
        "Is the last step news?",
        Number("standard errors", 0.012, 2),
        _z,
        (
            Mistake(
                "year for quarter",
                "That compares with a year ago. The wave before is q3_2025.",
                lambda r: _z(r, "q4_2024"),
            ),
            Mistake(
                "difference for z",
                "That is the difference in points. How many of its standard errors is that?",
                lambda r: _change(r, "q3_2025"),
            ),
            Mistake(
                "errors of one wave",
                "Both waves are samples: the error of the wave before belongs to it too.",
                lambda r: _change(r, "q3_2025") / r.standard_error(_DAILY, EVERYONE, LAST),
            ),
        ),
        (
            "z is the change since q3_2025, divided by its standard error.",
            "result.compare_waves().to_frame() has a line for each wave, with z.",
        ),
        'tests.loc[tests["wave"] == "q4_2025", "z"]',
        steps=f'tests = {_STATS}, splitter="waves").compare_waves().to_frame()',
    ),
    Exercise(
        "5.5",
        "An index of two questions",
        Number("index points", 0.6),
        lambda r: r.index(_HEAVY, _DAILY, waves=r.since(_FIRST)),
        (
            Mistake(
                "bases of different waves",
                "You compared people since 2024 with everyone since 2023. Take the same waves.",
                lambda r: (
                    100 * r.share(_HEAVY, _DAILY, r.since(_FIRST)) / r.share(_HEAVY, waves=r.waves)
                ),
            ),
            Mistake(
                "one wave for all",
                "That is the last wave alone. Take all waves that asked both questions.",
                lambda r: r.index(_HEAVY, _DAILY, waves=LAST),
            ),
            Mistake(
                "a year for all waves",
                "That is 2025 alone, which a crosstab takes unless told. Name all waves.",
                lambda r: r.index(_HEAVY, _DAILY),
            ),
            Mistake(
                "row and column the same people",
                "100: you compared people with themselves. The column is the daily users.",
                lambda r: 100.0,
            ),
            Mistake(
                "percentage for index",
                "That is the share among daily users. What is it compared with?",
                lambda r: r.share(_HEAVY, _DAILY, r.since(_FIRST)),
            ),
        ),
        (
            "Name all waves: a cell counts those that asked both questions, for its base too.",
            'Row: al.Q("media.m7").any("m7_5", "m7_6", "m7_7"). '
            'Column: al.Q("media.m45", suffixes=[1, 2]).any("m45_1").',
        ),
        'mine.crosstab(rows=[heavy], columns=[daily], waves=waves).to_frame()["index"]',
        steps='heavy = al.Q("media.m7").any("m7_5", "m7_6", "m7_7")\n'
        'daily = al.Q("media.m45", suffixes=[1, 2]).any("m45_1")\n'
        "waves = [wave.code for wave in mine.waves()]",
    ),
)
