"""Questions for a show of hands: each has one right option and three misconceptions."""

from __future__ import annotations

import pytest

from audiencelab import course
from audiencelab.course import ask
from audiencelab.course.ask import LETTERS, questions
from audiencelab.course.exercises import LESSONS
from tests.messages import fails

KEYS = [f"{lesson}{each}" for lesson in range(1, len(LESSONS) + 1) for each in questions(lesson)]


def test_each_question_has_one_right_option_and_three_misconceptions() -> None:
    assert "2a" in KEYS
    for key in KEYS:
        options = ask(key).options
        assert len({each.answer for each in options}) == len(LETTERS), key
        assert [each.right for each in options].count(True) == 1, key
        assert all(each.explanation.endswith(".") for each in options), key
        assert max(len(each.explanation) for each in options) <= 400, key


def test_options_are_closed_until_they_are_opened() -> None:
    shown = course.ask("2A")._repr_html_()
    assert shown.count("<details>") == 4
    assert "Right" not in repr(course.ask("2a"))


def test_hands_are_drawn_beside_the_options() -> None:
    voted = course.ask("2a", hands=[3, 12, 5, 8])
    assert "(12 of 28 hands)" in repr(voted).splitlines()[2]
    assert "width:160px" in voted._repr_html_().split("<details>")[2]
    assert "width:40px" in voted._repr_html_().split("<details>")[1]
    assert "(0 of 0 hands)" in course.ask("2a", hands=[0, 0, 0, 0])._repr_html_()


@pytest.mark.parametrize("key", ["99z", "2", "", "two"])
def test_an_unknown_question_is_refused(key: str) -> None:
    with fails(course.CourseError):
        ask(key)


def test_a_refusal_names_the_questions_of_the_lesson() -> None:
    with pytest.raises(course.CourseError) as caught:
        ask("2z")
    assert "There is no question '2z'. Lesson 2 has 2a" in str(caught.value)


@pytest.mark.parametrize("hands", [[1, 2], [1, 2, 3, -1], [1, 2, 3, 0.5]])
def test_hands_are_four_counts(hands: list[int]) -> None:
    with fails(course.CourseError):
        ask("2a", hands=hands)
