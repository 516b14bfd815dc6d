"""The choices of guesses: what each may be, and that taking one makes it so, by pandas."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab import Client
from audiencelab.ingest.meaning.guess import Guess, GuessOption
from audiencelab.survey.errors import SurveyError

ROWS = 400


def raw() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame({"sex": rng.choice(["female", "male"], ROWS)})
    frame["wave"] = rng.choice([1, 2], ROWS)
    frame["weight"] = rng.uniform(0.5, 1.5, ROWS).round(3)
    frame["weight_hh"] = rng.uniform(0.6, 1.4, ROWS).round(3)
    for item in range(1, 4):
        frame[f"q1_{item}"] = rng.choice([0, 1], ROWS)
    words = ["very satisfied", "rather satisfied", "rather dissatisfied", "very dissatisfied"]
    frame["q2"] = rng.choice(words, ROWS)
    frame["q3"] = rng.choice([1, 2, 3, 4, 5, 99], ROWS, p=[0.2, 0.2, 0.2, 0.15, 0.15, 0.1])
    frame["hours"] = rng.choice([*range(1, 30), 99], ROWS)
    return frame


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return raw()


@pytest.fixture(scope="module")
def client(frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> Client:
    path = tmp_path_factory.mktemp("choices") / "a.csv"
    frame.to_csv(path, index=False)
    return al.open(path, quiet=True)


def guess_of(client: Client, about: str, subject: str) -> Guess:
    found = client.import_report.guesses
    return next(g for g in found if (g.about, g.subject) == (about, subject) and g.choices)


@pytest.mark.parametrize(
    ("about", "subject", "labels"),
    [
        ("weight", "weight", ["no weight: all weigh 1", "weight: from", "weight_hh: from"]),
        ("waves", "waves", ["wave: 2 waves, one for each value", "no waves: all respondents"]),
        (
            *("q1", "several answers"),
            ["one question with several answers", "a grid, each column", "single questions, one"],
        ),
        (
            *("q2", "scale"),
            ["'very satisfied' is the top", "'very dissatisfied' is the top", "neither end"],
        ),
        ("q3", "missing", ["no answer", "an answer in q3"]),
        ("hours", "missing", ["answers like the others", "no answer: 99 ("]),
    ],
)
def test_what_a_guess_may_be(client: Client, about: str, subject: str, labels: list[str]) -> None:
    guess = guess_of(client, about, subject)
    assert [each.present for each in guess.choices] == [True] + [False] * (len(labels) - 1)
    found = [each.label for each in guess.choices]
    assert len(found) == len(labels)
    assert all(each.startswith(label) for each, label in zip(found, labels, strict=True))
    # The code of a guess is that of a choice.
    completed = [each.code.replace("…", "") for each in guess.choices if each.code]
    assert not guess.code or any(guess.code.endswith(code[-12:]) for code in completed)


def test_columns_as_single_questions_or_a_grid(frame: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    single = al.open(path, kind={"q1": "single"}, wave=None, quiet=True)
    assert "q1" not in {each.code for each in single.catalogue}
    shown = single.crosstab("q1_2", "sex").to_wide("sample")
    assert shown.to_numpy().tolist() == (
        pd.crosstab(frame["q1_2"], frame["sex"]).to_numpy().tolist()
    )
    assert len(single.waves()) == 1
    grid = al.open(path, kind={"q1": "grid"}, quiet=True)
    assert grid.catalogue["q1"].record.kind == "grid"
    back = guess_of(grid, "q1", "grid")
    assert [each.opens["kind"]["q1"] for each in back.choices] == ["grid", "multiple", "single"]


def test_a_kind_that_columns_cannot_be(frame: pd.DataFrame) -> None:
    with pytest.raises(SurveyError, match="no columns that belong together are called 'q9'"):
        al.open(frame, kind={"q9": "single"}, quiet=True)
    with pytest.raises(SurveyError, match='may be "multiple" or "grid" or "single"'):
        al.open(frame, kind={"q1": "spread"}, quiet=True)  # type: ignore[dict-item]


def test_codes_in_labels_order_a_scale_that_the_file_lists_otherwise(tmp_path: Path) -> None:
    labels = {
        0: "0 - not at all",
        10: "10 - certainly",
        **{each: str(each) for each in range(1, 10)},
    }
    path = tmp_path / "nps.sav"
    frame = pd.DataFrame({"nps": [*range(11)] * 5, "known": ["yes", "no"] * 27 + ["no"]})
    pyreadstat.write_sav(frame, str(path), variable_value_labels={"nps": labels})
    client = al.open(path, quiet=True)
    names = [each.name for each in client.catalogue["nps"].datapoints]
    assert names == [labels[each] for each in range(11)]
    guess = guess_of(client, "nps", "scale")
    assert guess.choices[0].label == "'10 - certainly' is the top"
    # A pair of answers is no scale that could be turned round.
    assert not [each for each in client.import_report.guesses if each.about == "known"]


def test_the_code_of_a_choice() -> None:
    assert GuessOption("", opens={"missing": {"q3": [98, "DK"]}}).code == (
        'al.open(…, missing={"q3": [98, "DK"]})'
    )
    assert GuessOption("", edits={"question": "q3", "scores": {"a": None}}).code == (
        'client.edit("q3", scores={"a": None})'
    )
    assert GuessOption("as it is", present=True).code == ""


def test_the_spanish_name_of_a_wave() -> None:
    frame = pd.DataFrame({"ola": [1, 2, 2, 1], "tea": ["a", "b", "a", "b"]})
    assert len(al.open(frame, quiet=True).waves()) == 2
