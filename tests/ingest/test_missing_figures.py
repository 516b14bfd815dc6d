"""Means of a tracker whose missing codes nobody declared, against means by pandas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.survey import SurveyError, SurveyExistsError
from tests.messages import fails

N = 2000


def tracker() -> pd.DataFrame:
    rng = np.random.default_rng(3)

    def column(values: Any, codes: dict[int, int]) -> Any:
        for code, count in codes.items():
            values[rng.choice(N, count, replace=False)] = code
        return values

    return pd.DataFrame(
        {
            "gender": rng.integers(1, 3, N),
            "q3": column(rng.integers(0, 11, N), {98: 106}),
            "q5": column(rng.integers(1, 6, N), {98: 75, 99: 31}),
            **{f"q4_{item}": column(rng.integers(1, 6, N), {98: 45}) for item in (1, 2, 3)},
            "age": column(rng.integers(18, 90, N), {999: 30, 199: 2}),
            "income": column(rng.integers(12, 80, N) * 1000, {-9: 75, 9_999_999: 3}),
            "dogs": column(rng.integers(0, 4, N), {-98: 10, -99: 15}),
        }
    )


FRAME = tracker()
EDIT = {"age": [999, 199], "income": [-9, 9_999_999]}
CERTAIN = {"q3": [98], "q5": [98, 99], "dogs": [-98, -99]}


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def means(client: al.Client, *codes: str) -> list[float]:
    table = client.crosstab([client[code].mean() for code in codes])
    assert table.statistics is not None
    return table.statistics.values("value").ravel().tolist()


def by_pandas(missing: dict[str, list[int]], *codes: str) -> list[float]:
    return [FRAME[code][~FRAME[code].isin(missing.get(code, []))].mean() for code in codes]


def test_means_are_those_of_pandas_with_and_without_given_codes() -> None:
    client = al.open(FRAME, weight=None, quiet=True)
    codes = ["q3", "q5", "dogs", "age", "income"]
    assert means(client, *codes) == pytest.approx(by_pandas(CERTAIN, *codes), abs=1e-9)
    client = al.open(FRAME, weight=None, quiet=True, missing=EDIT)
    assert means(client, *codes) == pytest.approx(by_pandas(CERTAIN | EDIT, *codes), abs=1e-9)
    client = al.open(FRAME, weight=None, quiet=True, missing={"q3": []})
    assert means(client, "q3") == pytest.approx(by_pandas({}, "q3"), abs=1e-9)


def test_the_command_line_takes_codes_of_a_question_and_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    FRAME.to_csv("tracker.csv", index=False)
    given = ["tracker.csv", "--no-weight", "--missing", "age=999,199", "--missing", "-9", "-q"]
    assert main(["import", *given, "-o", "made"]) == 0
    client = al.open("made")
    missing = {"age": EDIT["age"], "income": [-9]}
    assert means(client, "age", "income") == pytest.approx(by_pandas(missing, "age", "income"))
    assert main(["crosstab", *given, "--rows", "q5", "--columns", "gender"]) == 0
    capsys.readouterr()
    assert main(["import", *given, "--codebook", "made.toml", "-o", "again"]) == 2
    assert "not valid with --codebook" in capsys.readouterr().err


def test_given_codes_are_part_of_the_import_and_not_of_a_codebook() -> None:
    first = al.open(FRAME, weight=None, quiet=True, to="made", missing={"age": 999})
    same: Any = {"age": [np.int64(999)]}
    again = al.open(FRAME, weight=None, quiet=True, to="made", missing=same)
    assert means(first, "age") == means(again, "age")
    with fails(SurveyExistsError):
        al.open(FRAME, weight=None, quiet=True, to="made", missing={"age": [199]})
    with fails(SurveyExistsError):
        al.open(FRAME, weight=None, quiet=True, to="made", missing={"age": 999}, order={"q3": [9]})
    with fails(SurveyError):
        al.open("made", missing=[98])
    with fails(SurveyError):
        al.open(FRAME, codebook="made.toml", missing=[98])


def test_a_mean_says_how_many_are_left_out_and_which_answers_have_no_number() -> None:
    labels = {1: "Bad", 2: "Fair", 3: "Good", 98: "Don't know", 99: "Refused"}
    answers = pd.Series([1, 2, 3, 3, 98] * 20 + [99] * 4).map(labels)
    client = al.open(pd.DataFrame({"q": answers}), weight=None, quiet=True)
    shown = client.crosstab(
        [client["q"].mean(amounts={"Bad": 1, "Fair": 2, "Good": 3})]
    ).to_markdown()
    assert "24 of 104 respondents without one are left out of q: mean" in shown
    assert "Refused' have none." in shown
