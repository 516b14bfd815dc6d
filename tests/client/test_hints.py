"""Advice is given for codes that a pointer leads to, and for nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.client.catalogue import Catalogue
from audiencelab.client.hints import find_hints, question_hint
from audiencelab.errors import Fault
from audiencelab.schema import Category, Datapoint, Question, TaxonomyPath
from audiencelab.schema.http import Request

CATALOGUE = Catalogue(
    [
        Question(
            "q2",
            "core",
            "Gender",
            datapoints=[Datapoint("q2_1", "Male")],
            taxonomy_paths=[TaxonomyPath([Category("1", "Demographics")])],
        ),
        Question("q7", "sport", "Twice"),
        Question("q8", "sport", "Twice"),
    ]
)


def hints(body: dict[str, Any], pointer: str) -> tuple[str, ...]:
    request = Request("POST", "/v2/query/stats", body=msgspec.json.encode(body))
    return find_hints(request, [Fault(pointer, "Not so.")], CATALOGUE)[0]


def test_a_code_that_is_wrong_is_told() -> None:
    assert hints({"question": "Gender"}, "/question")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"question": "q9", "audiences": []}, "/audiences/9/question"),
        ({"question": "q9"}, "/question/deep/within/question"),
        ({"question": "q9"}, "/elsewhere/question"),
        ({"question": "q2", "datapoints": [4]}, "/datapoints/0"),
        ({"question": 4, "datapoints": ["q2_9"]}, "/datapoints/0"),
        ({"question": "q2", "datapoints": ["q2_1"]}, "/datapoints/0"),
        ({"question": "q9", "datapoints": ["q9_1"]}, "/datapoints/0"),
    ],
)
def test_a_pointer_to_nothing_that_is_wrong_gives_no_advice(
    body: dict[str, Any], pointer: str
) -> None:
    assert hints(body, pointer) == ()


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"question": "Twice", "datapoints": ["x"]}, "/datapoints/0"),
        ({"question": "Twice", "suffixes": ["1"]}, "/suffixes"),
        ({"rows": [{"question": "q9"}]}, "/rows/²/question"),
        ({"rows": [{"question": "q9"}]}, f"/rows/{'9' * 5_000}/question"),
        ({"question": "q2", "datapoints": ["q2_9"]}, "/datapoints/²"),
    ],
)
def test_what_a_service_may_point_at_never_takes_the_refusals_place(
    body: dict[str, Any], pointer: str
) -> None:
    assert hints(body, pointer) == ()


def test_a_name_that_two_questions_share_is_told_with_both() -> None:
    assert "'sport.q7', 'sport.q8'" in question_hint("Twice", CATALOGUE)


def test_a_category_that_is_there_is_not_called_unknown() -> None:
    def said(key: str) -> tuple[str, ...]:
        return find_hints(Request("GET", f"/v2/categories/{key}"), [], CATALOGUE)[0]

    assert said("1") == ()
    assert said("2") == ("Unknown category '2'.",)


def test_an_owner_counts_thousands_of_answers(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"town": rng.integers(0, 2_050, 4_000), "sex": rng.choice([1, 2], 4_000)})
    labels = {"town": {each: f"Town {each}" for each in range(2_050)}, "sex": {1: "m", 2: "f"}}
    pyreadstat.write_sav(frame, str(tmp_path / "towns.sav"), variable_value_labels=labels)
    client = al.open(tmp_path / "towns.sav", to=tmp_path / "survey", quiet=True)
    table = client.crosstab("town", "sex")
    expected = frame.groupby(["town", "sex"]).size().unstack(fill_value=0)
    counts = pd.DataFrame(table.values("sample"), index=[row.name for row in table.rows])
    by_town = counts.loc[[f"Town {each}" for each in expected.index]]
    np.testing.assert_array_equal(by_town, expected[[1, 2]])
    assert client.crosstab("sex", "town").shape == (2, len(table.rows))


def test_a_limit_of_a_service_says_who_sets_it() -> None:
    request = Request("POST", "/v2/query/crosstab", body=b"{}")
    fault = Fault("/rows", "Has 2,400 items; the limit (rows) is 2,000.")
    [hint], whole = find_hints(request, [fault], CATALOGUE)
    assert "al.serve(survey, limits=Limits(rows=…))" in hint
    assert not whole
