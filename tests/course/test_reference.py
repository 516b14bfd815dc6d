"""How sure a share is, by the course's own numpy and by the client: one number."""

from __future__ import annotations

import sys

import pytest
from scipy import special

from audiencelab import course
from audiencelab.course.formulas.groups import AGES, CLOTHES, MEN, WOMEN
from audiencelab.course.reference import EVERYONE, _student, given
from audiencelab.course.screening import is_distinct
from audiencelab.course.students import respondents_of
from tests.course.solving import STUDENTS

DAILY = given("media.m45", "m45_1", suffixes=["1", "2"])


@pytest.mark.parametrize("student", STUDENTS)
def test_errors_and_intervals_are_those_of_the_client(student: str) -> None:
    mine, respondents = course.connect(student), respondents_of(student)
    trend = mine.stats("media.m45", datapoints=["m45_1"], suffixes=["1", "2"], splitter="waves")
    step = trend.test(vs="previous wave").to_frame().iloc[-1]
    waves = ((EVERYONE, ("q4_2025",)), (EVERYONE, ("q3_2025",)))
    assert respondents.tested_error(DAILY, *waves) == pytest.approx(step["standard_error"])

    clothes, genders = [mine.catalogue["Bought lately"]["Clothes"]], mine.catalogue["Gender"]
    table = mine.crosstab(rows=clothes, columns=[genders["Female"], genders["Male"]])
    pair = table.test().to_frame().iloc[0]
    error = respondents.tested_error(CLOTHES, (WOMEN, None), (MEN, None))
    assert error == pytest.approx(pair["standard_error"])

    germany = given("s2", "s2_49") & AGES[2]
    bars = mine.crosstab(
        rows=clothes,
        columns=mine.catalogue.audiences("Age"),
        base_audience=mine.catalogue["Market"]["Germany"],
    )
    bar = bars.intervals().iloc[2]
    assert respondents.linearised_error(CLOTHES, germany) == pytest.approx(
        bar["column_percentage_se"]
    )
    ends = bar[["column_percentage_low", "column_percentage_high"]].tolist()
    assert respondents.interval(CLOTHES, germany) == pytest.approx(ends)


def test_a_survey_is_chosen_without_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lessons 1 to 3 import none, and a browser loads it only where a cell does."""
    for freedom in (3, 5, 23, 150, 5_999):
        assert _student(freedom) == pytest.approx(special.stdtrit(freedom, 0.975), rel=1e-10)
    for name in [each for each in sys.modules if each.partition(".")[0] == "scipy"]:
        monkeypatch.setitem(sys.modules, name, None)
    assert is_distinct(1) in (True, False)
