"""The exercises: two ways to each answer agree, and each slip is told from the others."""

from __future__ import annotations

import re
from itertools import combinations

import pytest

from audiencelab import course
from audiencelab.course.answer_types import Number
from audiencelab.course.exercises import CHECKED, EXERCISES, LESSONS, find, grade
from audiencelab.course.students import respondents_of, seed_of
from tests.course.solving import STUDENTS, solve
from tests.course.thousand import drawn, names
from tests.messages import fails


@pytest.fixture(params=EXERCISES.values(), ids=lambda exercise: exercise.number)
def exercise(request: pytest.FixtureRequest):
    return request.param


@pytest.mark.parametrize("student", STUDENTS)
def test_the_service_agrees_with_the_respondents(exercise, student: str) -> None:
    """Both ways share no code: the one asks the engine, the other adds up weights."""
    respondents = respondents_of(student)
    answer = exercise.kind.read(solve(exercise, course.connect(student)), respondents)
    assert grade(exercise, answer, respondents).state == "right"


@pytest.mark.parametrize("student", STUDENTS)
def test_each_slip_is_recognised(exercise, student: str) -> None:
    """In every survey, since surveys in which one looks like another are not given."""
    respondents = respondents_of(student)
    for mistake in exercise.mistakes:
        found = grade(exercise, mistake.value(respondents), respondents)
        assert (found.state, found.slip) == ("nearly", mistake.name)


@pytest.mark.parametrize("name", names(12))
def test_mistakes_are_far_from_each_other_and_from_the_right_answer(name: str) -> None:
    """`python -m tests.course.thousand` does it for a thousand names."""
    respondents = drawn(seed_of(name))
    for each in EXERCISES.values():
        answers = [each.answer(respondents), *(m.value(respondents) for m in each.mistakes)]
        if isinstance(each.kind, Number):
            least = min((abs(a - b) for a, b in combinations(answers, 2)), default=1)
            assert least > 10 * each.kind.tolerance


def test_a_survey_in_memory_is_the_survey() -> None:
    memory, disk = drawn(seed_of("grace")), respondents_of("grace")
    for each in EXERCISES.values():
        assert each.answer(memory) == each.answer(disk)


def test_no_slip_is_told_of_a_right_answer_and_no_answer_is_told(exercise) -> None:
    respondents = respondents_of("ada")
    answer = exercise.kind.shown(exercise.answer(respondents), respondents)
    figures = {figure for figure in re.findall(r"\d+\.\d+", answer) if float(figure) > 1}
    told = " ".join([*exercise.hints, *(mistake.words for mistake in exercise.mistakes)])
    assert not [figure for figure in figures if figure in told]


def test_figures_differ_from_student_to_student() -> None:
    answers = [course.answers(student)["answer"] for student in STUDENTS]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        # Names, audiences and small counts may be alike.
        assert (answers[first] != answers[second]).sum() >= len(EXERCISES) - 5


def test_every_lesson_has_exercises_with_slips_and_hints() -> None:
    assert {*range(1, len(LESSONS) + 1)} - {*CHECKED} == {len(LESSONS)}
    for lesson in CHECKED:
        numbers = [each.number for each in EXERCISES.values() if each.lesson == lesson]
        assert numbers == [f"{lesson}.{place}" for place in range(1, len(numbers) + 1)]
        assert len(numbers) >= 4
    for each in EXERCISES.values():
        assert len(each.hints) >= 2
        assert each.number == "6.4" or len(each.mistakes) >= 2


@pytest.mark.parametrize("number", ["1.9", "99.1", "", "one", 1.2])
def test_an_exercise_that_is_not_there(number: str) -> None:
    if number == 1.2:  # a number is understood, where it names one
        assert find(number).number == "1.2"
        return
    with fails(course.CourseError):
        find(number)
