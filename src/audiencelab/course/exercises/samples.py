"""Lesson 1: samples and weights."""

from __future__ import annotations

from audiencelab.course.exercises.exercise import Exercise, Mistake
from audiencelab.course.kinds import Number
from audiencelab.course.respondents import EVERYONE, LAST, given

__all__ = ["EXERCISES"]

_OLD = given("q4", "q4_7")
_BRAZIL = given("s2", "s2_55")
_BRITAIN = given("s2", "s2_44")

_OLD_LINE = 'old = mine.crosstab(rows=[mine.catalogue["Age"]["65 and over"]]).to_frame().iloc[0]'

EXERCISES = (
    Exercise(
        "1.1",
        "Interviews with people of 65 and over",
        Number("respondents", 0, 0),
        lambda r: r.sample(_OLD),
        (
            Mistake(
                "people for respondents",
                "That is the size: the people they stand for. Respondents are the sample.",
                lambda r: r.size(_OLD),
            ),
            Mistake(
                "one wave for the year",
                "That is the last wave alone. The exercise asks about the whole year.",
                lambda r: r.sample(_OLD, LAST),
            ),
            Mistake(
                "all waves for the year",
                "That is over all twelve waves. The exercise asks about 2025.",
                lambda r: r.sample(_OLD, r.waves),
            ),
            Mistake(
                "everyone",
                "Those are the respondents of every age.",
                lambda r: r.sample(EVERYONE),
            ),
        ),
        (
            "Interviews are counted, not weighted: look for the word sample.",
            "Make the age an audience, and let it be the row of a crosstab with no columns.",
            'mine.crosstab(rows=[mine.catalogue["Age"]["65 and over"]]).to_frame() has a column '
            "for it.",
        ),
        'old["sample"]',
        steps=_OLD_LINE,
    ),
    Exercise(
        "1.2",
        "Their share of all people",
        Number("per cent", 0.06),
        lambda r: r.share(_OLD),
        (
            Mistake(
                "unweighted for weighted",
                "That is their share of the interviews. What do the weights say?",
                lambda r: r.unweighted_share(_OLD),
            ),
            Mistake(
                "one wave for the year",
                "That is the last wave alone. The exercise asks about the whole year.",
                lambda r: r.share(_OLD, waves=LAST),
            ),
        ),
        (
            "People, not interviews: divide sizes by sizes.",
            "The numerator is the size of the age, the denominator the size of everyone.",
            "The frame of exercise 1.1 has a column for each of the two, and for their ratio.",
        ),
        'old["percentage"]',
        steps=_OLD_LINE,
    ),
    Exercise(
        "1.3",
        "How many people that is",
        Number("millions", 0.06),
        lambda r: r.size(_OLD) / 1e6,
        (
            Mistake(
                "waves added up",
                "Many times too many. Each wave describes all people once: do not add waves up.",
                lambda r: r.total(_OLD) / 1e6,
            ),
            Mistake(
                "one wave for the year",
                "That is the last wave alone. The exercise asks for the average of the year.",
                lambda r: r.size(_OLD, LAST) / 1e6,
            ),
            Mistake(
                "respondents for people",
                "Those are respondents. Each of them stands for many people.",
                lambda r: r.sample(_OLD),
            ),
        ),
        (
            "Sizes are averaged over the waves, since each wave describes all people once.",
            "The size of the frame in exercise 1.1 is in people; divide by a million.",
        ),
        'old["size"] / 1e6',
        steps=_OLD_LINE,
    ),
    Exercise(
        "1.4",
        "How many people one respondent stands for",
        Number("people", 60, 0),
        lambda r: r.size(_BRAZIL, LAST) / r.sample(_BRAZIL, LAST),
        (
            Mistake(
                "sample of several waves",
                "You divided an average wave by the respondents of four. Ask for one wave: "
                'waves=["q4_2025"].',
                lambda r: r.size(_BRAZIL) / r.sample(_BRAZIL),
            ),
            Mistake(
                "every market",
                "That is the average of all markets together. The exercise asks about Brazil.",
                lambda r: r.size(EVERYONE, LAST) / r.sample(EVERYONE, LAST),
            ),
            Mistake(
                "upside down",
                "You divided respondents by people. Turn it round.",
                lambda r: r.sample(_BRAZIL, LAST) / r.size(_BRAZIL, LAST),
            ),
        ),
        (
            "People for each respondent: size divided by sample, both of the same wave.",
            'Brazil is an answer of the question "Market"; the wave is "q4_2025".',
        ),
        'brazil["size"] / brazil["sample"]',
        steps='brazil = mine.crosstab(rows=[mine.catalogue["Market"]["Brazil"]], '
        'waves=["q4_2025"]).to_frame().iloc[0]',
    ),
    Exercise(
        "1.5",
        "What the British interviews are worth",
        Number("respondents", 0.6),
        lambda r: r.effective_base(_BRITAIN, LAST),
        (
            Mistake(
                "no design effect",
                "That many were interviewed. With weights that differ they are worth fewer.",
                lambda r: r.sample(_BRITAIN, LAST),
            ),
            Mistake(
                "multiplied by the design effect",
                "An effective base is smaller than the sample. Did you multiply?",
                lambda r: r.sample(_BRITAIN, LAST) * r.kish(_BRITAIN, LAST),
            ),
            Mistake(
                "every market",
                "That is the effective base of all markets together.",
                lambda r: r.effective_base(EVERYONE, LAST),
            ),
            Mistake(
                "design effect itself",
                "That is the design effect. How many respondents are left when you divide by it?",
                lambda r: r.kish(_BRITAIN, LAST),
            ),
        ),
        (
            "Kish: the effective base is the sample divided by the design effect.",
            'mine.design_effects(table, method="kish") works on a crosstab whose column is the '
            "United Kingdom.",
            "Its frame has the columns sample, design_effect and base.",
        ),
        'mine.design_effects(table, method="kish").to_frame()["base"].iloc[0]',
        steps='table = mine.crosstab(rows=[mine.catalogue["Gender"]["Female"]], '
        'columns=[mine.catalogue["Market"]["United Kingdom"]], waves=["q4_2025"])',
    ),
)
