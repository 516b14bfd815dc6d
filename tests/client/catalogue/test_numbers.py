"""Conditions with numbers: points of a scale, edges of answers, and numbers within an answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import audiencelab as al
from audiencelab.client import Catalogue, UnknownCodeError
from audiencelab.client.question_reference import QuestionReference
from audiencelab.expressions import Leaf
from audiencelab.schema import Datapoint, Question
from audiencelab.schema.catalogue import Value


def question(answers: dict[str, float | None]) -> QuestionReference:
    points = [
        Datapoint(f"a{at}", name, midpoint=None if middle is None else Value(middle))
        for at, (name, middle) in enumerate(answers.items())
    ]
    found = Catalogue([Question("q", "core", "Amount", datapoints=points)])["q"]
    return QuestionReference(None, found)


SCALE = question({"0 Not at all": 0, "1": 1, "2": 2, "Extremely": 3, "Don't know": None})
ENDS_IN_WORDS = question({"Not at all": 0, "1": 1, "2": 2, "Extremely": 3, "Don't know": None})
AGES = question({"Under 30": 22, "30 to 44": 37, "45 to 59": 52, "60 and over": 71})
EUROS = question({"€0 to €10": 5, "€10 to €20": 15})
LISTED = question({"5, 6 or 7": 6, "8, 9 or 10": 9})
OPEN = question({"unter 30": None, "30–49": 39.5, "50–64": 57, "65+": None, "weiß nicht": None})
SHARED_EDGES = question({"0-10": 5, "10-20": 15, "20+": 30})


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        (EUROS >= 10, "1"),
        (OPEN >= 50, "2 3"),
        (OPEN >= 65, "3"),
        (OPEN < 50, "0 1"),
        (OPEN.bands(edges=[30, 50, float("inf")])[-1].expression, "2 3"),
        (SCALE >= 2, "2 3"),
        (ENDS_IN_WORDS >= 2, "2 3"),
        (ENDS_IN_WORDS > 2, "3"),
        (ENDS_IN_WORDS <= 1.5, "0 1"),
        (ENDS_IN_WORDS == 3, "3"),
        (ENDS_IN_WORDS.any(0, 3), "0 3"),
        (ENDS_IN_WORDS.isin([1, "2"]), "1 2"),
        (ENDS_IN_WORDS.between(1, 3), "1 2 3"),
        (AGES >= 45, "2 3"),
        (AGES > 44, "2 3"),
        (AGES < 30, "0"),
        (AGES <= 59, "0 1 2"),
        (AGES.between(30, 59), "1 2"),
        (AGES.between("30 to 44", 59), "1 2"),
        (SHARED_EDGES >= 10, "1 2"),
        (SHARED_EDGES < 20, "0 1"),
    ],
)
def test_numbers_at_points_and_edges_are_taken(made: Leaf, codes: str) -> None:
    assert made == al.Q("q").any([f"a{each}" for each in codes.split()])


def test_not_equal_is_everyone_else() -> None:
    assert (ENDS_IN_WORDS != 3) == ~al.Q("q").any("a3")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: AGES >= 50, "50 is not valid: it is within the answer '45 to 59' of 'q'"),
        (lambda: AGES > 45, "Answers begin at 30, 45, 60: write one of these"),
        (lambda: AGES == 30, "within the answer '30 to 44'"),
        (lambda: AGES.between(18, 44), "within the answer 'Under 30'"),
        (lambda: AGES.any(50), "answers are counted whole"),
        (lambda: AGES >= 75, "within the answer '60 and over'"),
        (lambda: LISTED >= 8, r"List answers, or .isin\(\['5, 6 or 7'\]\)"),
        (lambda: OPEN >= 3, "3 is not valid: it is within the answer 'unter 30'"),
        (lambda: ENDS_IN_WORDS.any(7), "no answer '7'"),
        (lambda: question({"Yes": None, "No": None}) >= 1, "have no amounts in the catalogue"),
    ],
)
def test_other_numbers_are_refused_with_what_works(ask: Callable[[], object], words: str) -> None:
    with pytest.raises((TypeError, ValueError, UnknownCodeError), match=words):
        ask()
