"""Names and surveys: one name, one survey, on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from audiencelab import course
from audiencelab.course.reference import EVERYONE, asked, given
from audiencelab.course.students import RESPONDENTS, respondents_of, seed_of, student_name
from tests.messages import fails


def test_a_name_is_a_seed() -> None:
    # Held here, for figures of a course that has begun must not change.
    assert seed_of("ada") == 1727108307
    assert seed_of("  ADA ") == seed_of("ada")
    assert seed_of(1815) == seed_of("1815")
    assert seed_of("ada 2") != seed_of("ada")


@pytest.mark.parametrize("name", ["", "   ", "a" * 81, "a\x00b", None, True, 1.5, ["ada"]])
def test_names_that_cannot_be(name) -> None:
    with fails(course.CourseError):
        student_name(name)


def test_surveys_differ_in_figures_and_not_in_structure() -> None:
    ada, grace = course.survey("ada"), course.survey("grace")
    assert sum(wave.respondents for wave in ada.waves) == RESPONDENTS
    assert [wave.code for wave in ada.waves] == [wave.code for wave in grace.waves]
    assert ada.catalogue == grace.catalogue
    weights = [survey.wave("q4_2025").weights for survey in (ada, grace)]
    assert not np.array_equal(*weights)
    assert np.array_equal(weights[0], course.survey("Ada").wave("q4_2025").weights)
    assert "ada" not in ada.path.name


def test_the_class_has_one_survey_whoever_is_signed_in() -> None:
    course.connect("ada")
    assert sum(wave.sample for wave in course.classroom().waves()) == 24_000


def test_a_question_that_no_wave_asked_was_asked_of_nobody() -> None:
    respondents = respondents_of("ada")
    assert respondents.sample(asked("nowhere.q1")) == 0
    assert respondents.sample(given("nowhere.q1")) == 0
    assert 0 < respondents.sample(asked("media.m8")) < respondents.sample(EVERYONE)
