"""Open answers are read where they are asked for, and are in nothing that leaves the survey."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import Survey
from tests.messages import fails

SECRET = "Zebras drink marmalade at dawn"
N = 90


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    folder = tmp_path_factory.mktemp("texts")
    rows = range(N)
    frame = pd.DataFrame(
        {
            "sex": ["Man", "Woman"] * (N // 2),
            "age": [18 + row % 50 for row in rows],
            "region": ["North", "South", "East"] * (N // 3),
            "why": [f"{SECRET}, {row}" for row in rows],
            "wgt": [0.0 if row == 4 else 1.5 for row in rows],
        }
    )
    client = al.open(frame, "wgt", to=folder / "survey", quiet=True)
    return client.service.survey


@pytest.fixture
def client(survey: Survey) -> al.Client:
    return al.open(survey.path)


def test_a_column_of_strings_beside_the_answers(client: al.Client) -> None:
    frame = client.respondents(questions="sex", text="why", base_audience=client["sex"] == "Man")
    assert frame.why.dtype == "string"
    rows = frame.why.str.rsplit(", ", n=1).str[1].astype(int)
    assert sorted(rows) == [row for row in range(0, N, 2) if row != 4]
    assert client.respondents(text="WHY", weight=None).why.notna().all()


def test_names_complete_and_a_wrong_one_lists_them(client: al.Client) -> None:
    assert [each.name for each in client.texts] == ["why"]
    assert repr(client.texts) == "why"
    with fails(LookupError):
        client.respondents(text="wy")
    with fails(LookupError):
        client.crosstab("why", "sex")
    with fails(LookupError):
        client["Why"]
    with fails(LookupError):
        al.connect().respondents(text=["why"])


def test_a_wave_that_did_not_ask_has_none(tmp_path: Path) -> None:
    waves = pd.DataFrame({"wave": ["2024-Q1"] * N + ["2024-Q2"] * N, "sex": ["m", "f"] * N})
    waves["why"] = [f"reason {row}" for row in range(N)] + [None] * N
    found = al.open(waves, to=tmp_path / "survey", quiet=True).respondents(text=True)
    by_wave = found.why.isna().groupby(found.wave.astype(str)).sum().tolist()
    assert by_wave == [0, N]


def test_a_question_is_edited_beside_a_text_that_is_a_question_too(tmp_path: Path) -> None:
    answers = pd.DataFrame({"age": ["old", "young"] * 6, "why": ["near", "good", "cheap"] * 4})
    order = {"age": ["young", "old"]}
    client = al.open(answers, to=tmp_path / "survey", text=["why"], order=order, quiet=True)
    assert [each.question for each in client.texts] != [""]
    client.edit("age", labels={"old": "Old"})
    assert [each.name for each in client["age"].datapoints] == ["young", "Old"]
