"""Ranges of numbers at a service: its catalogue, its faults, what it keeps and withholds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.service import Service
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask

FRAME = pd.DataFrame({"age": np.arange(400) % 61 + 18, "sex": np.arange(400) % 2})
FEW = 20


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("ages") / "survey"
    with al.open(FRAME, to=folder, quiet=True) as client:
        return client.service.survey


@pytest.fixture(scope="module")
def service(survey: Survey) -> Iterator[Service]:
    with Service(survey, [TOKEN], minimum_base=FEW) as made:
        yield made


def crosstab(service: Service, numbers: Any, question: str = "age") -> Any:
    row = {"id": "r", "expression": {"question": question, "numbers": numbers}}
    return ask(service, "POST", "/v2/query/crosstab", {"rows": [row]})


def test_the_catalogue_says_which_questions_keep_numbers(service: Service) -> None:
    questions = ask(service, "POST", "/v3/questions/filter", {}).json["questions"]
    flags = {each["code"]: each["flags"] for each in questions}
    assert "form:numeric" in flags["age"]
    assert "form:numeric" not in flags["sex"]


def test_a_range_is_counted_and_a_few_are_withheld(service: Service) -> None:
    [cell] = crosstab(service, {"min": 18, "below": 30}).lines
    assert cell["intersect"]["sample"] == int((FRAME.age < 30).sum())
    [cell] = crosstab(service, {"min": 42, "max": 42}).lines
    assert 0 < (FRAME.age == 42).sum() < FEW
    assert cell["intersect"]["sample"] is None


@pytest.mark.parametrize(
    ("numbers", "question", "pointer"),
    [
        ({"min": 5, "max": 4}, "age", "/rows/0/expression/numbers/min"),
        ({}, "age", "/rows/0/expression/numbers"),
        ({"min": "5"}, "age", "/rows/0/expression/numbers/min"),
        ({"from": 5}, "age", "/rows/0/expression/numbers"),
        ([5, 6], "age", "/rows/0/expression/numbers"),
        ({"min": 5}, "sex", "/rows/0/expression/numbers"),
        ({"min": 5}, "none", "/rows/0/expression/question"),
        ({"min": 5}, "waves", "/rows/0/expression/numbers"),
    ],
)
def test_faults_have_their_pointers(
    service: Service, numbers: Any, question: str, pointer: str
) -> None:
    answer = crosstab(service, numbers, question)
    assert (answer.status, answer.pointers) == (400, [pointer])


def test_a_client_over_http_counts_and_records_ranges(survey: Survey, tmp_path: Path) -> None:
    old, file = FRAME.age >= 65, tmp_path / "ages.audiencelab.jsonl"
    with al.serve(survey.path, token=TOKEN) as url, al.connect(url, token=TOKEN) as client:
        with client.recording(file):
            table = client.crosstab(client["age"].bins([30, 65]), "sex")
        assert [each.name for each in table.rows] == ["Under 30", "30 to 64", "65 and over"]
        assert table.row_values("row_sample")[-1] == old.sum()
        assert table.test().to_frame()["note"].eq("").all()
    with al.connect(snapshot=file) as replayed:
        again = replayed.crosstab(replayed["age"].bins([30, 65]), "sex")
    assert np.array_equal(again.values("size"), table.values("size"))
