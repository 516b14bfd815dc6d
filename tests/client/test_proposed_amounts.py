"""Amounts that refusals propose: those of a known order alone, and right as they stand."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

import audiencelab as al

WORDS = ["very satisfied", "rather satisfied", "rather dissatisfied", "very dissatisfied"]
REPEATED = [0, 1, 1, 2, 3, 3, 3, 4]


@pytest.fixture(scope="module")
def client() -> al.Client:
    worded = [[*WORDS, "Don't know"][place] for place in REPEATED]
    frame = pd.DataFrame(
        {
            "pleased": worded,
            "school": [
                ["Primary", "College", "Evening", "Other", "No answer"][n] for n in REPEATED
            ],
        }
    )
    made = al.open(frame, weight=None, quiet=True)
    return made.edit("pleased", order=[*WORDS, "Don't know"], top="first")


def refused(ask: Any) -> str:
    with pytest.raises(ValueError) as error:  # noqa: PT011 -- the words are what is tested
        ask()
    return str(error.value)


@pytest.mark.parametrize(("method", "wanted"), [("mean()", 15 / 7), ("percentile(50)", 2)])
def test_the_line_gives_the_figure_of_a_known_scale(
    client: al.Client, method: str, wanted: float
) -> None:
    question: Any = client["pleased"]
    said = refused(lambda: eval(f"question.{method}", {"question": question}))
    line = re.search(r"Give them: (.+?}\))", said)
    assert line is not None
    assert "Don't know" not in line[1]
    assert eval(f"question.{line[1]}", {"question": question}).value == pytest.approx(wanted)


def test_categories_without_an_order_are_offered_as_shares(client: al.Client) -> None:
    for ask in (lambda: client.mean("school"), lambda: client.nps("school")):
        said = refused(ask)
        assert "amounts=" not in said
        assert said.endswith("Write client.proportion('school').")


def test_a_net_promoter_score_keeps_the_top_of_the_scale(client: al.Client) -> None:
    said = refused(lambda: client.nps("pleased"))
    assert "{'very dissatisfied': 0, …, 'very satisfied': 10}" in said
    numbers = al.open(pd.DataFrame({"q": [1, 2, 3, 4, 5, 5]}), weight=None, quiet=True)
    assert refused(lambda: numbers.nps("q")).endswith("Take the mean. Write client.mean('q').")
