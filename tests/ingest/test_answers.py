"""Answers are named by label, code or value of the file; a wrong name shows the nearest ones."""

from __future__ import annotations

import pytest

from audiencelab.ingest.answers import find_answer, find_answers
from audiencelab.ingest.codebook import CodedDatapoint, CodedQuestion, CodedSuffix
from audiencelab.survey.errors import SurveyError
from tests.messages import fails

LABELS = {"1": "Very satisfied", "2": "Rather satisfied", "98": "Don't know"}
QUESTION = CodedQuestion("q5", "Tea", column="q5", labels=LABELS)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("Very satisfied", 0),
        ("very SATISFIED", 0),
        ("q5_2", 1),
        (2, 1),
        (2.0, 1),
        ("98", 2),
        ("  Don't know ", 2),
        ("nobody", None),
        (3, None),
    ],
)
def test_an_answer_has_three_names(name: str | float, place: int | None) -> None:
    assert find_answer(QUESTION, name) == place


def test_the_answers_of_a_grid_are_the_points_of_its_scale() -> None:
    grid = CodedQuestion(
        "g",
        "Grid",
        kind="grid",
        datapoints=(CodedDatapoint("Alba", column="g1"),),
        suffixes=(CodedSuffix("Good", value=1), CodedSuffix("Bad", value=9)),
    )
    assert find_answers(grid, [9, "good"]) == [1, 0]


def test_case_counts_where_labels_differ_in_it() -> None:
    question = CodedQuestion("q", "Q", column="q", labels={"1": "MAY", "2": "May"})
    assert (find_answer(question, "May"), find_answer(question, "MAY")) == (1, 0)
    with fails(SurveyError):
        find_answer(question, "may")


def test_a_number_is_a_value_and_text_that_is_label_and_value_is_refused() -> None:
    question = CodedQuestion("q", "Q", column="q", labels={"1": "2", "2": "5 or more"})
    assert find_answer(question, 2) == 1
    with fails(SurveyError):
        find_answer(question, "2")


def test_a_wrong_name_shows_the_nearest_answers_or_all() -> None:
    with fails(SurveyError):
        find_answers(QUESTION, ["Very satisfid"])
    with fails(SurveyError):
        find_answers(QUESTION, [7])
