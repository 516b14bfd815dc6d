"""What a file's missing values mean: not asked by their labels, else asked and no answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyreadstat
import pytest

from audiencelab import connect
from audiencelab.ingest import draft_codebook, import_survey, parse_codebook
from audiencelab.ingest.columns import Variable
from audiencelab.survey import Survey
from audiencelab.survey.errors import SurveyError
from tests.survey.counting import counts_by_name

YEARS = [1976] * 4 + [1977] * 4 + [1978] * 2
FAMILY = ["y"] * 4 + [1, 2, 1, "d"] + ["i", "i"]
LABELS: dict[Any, str] = {
    1: "Agree",
    2: "Disagree",
    "d": "don't know",
    "i": "iap",
    "y": "not available in this year",
}


def asked(survey: Survey, wave: str, code: str) -> int | None:
    """How many were asked in a wave; None where the question is not part of it."""
    found = survey.wave(wave).question(code)
    return None if found is None else sum(int(word).bit_count() for word in found.asked)


@pytest.fixture
def stata(tmp_path: Path) -> Path:
    frame = pd.DataFrame({"year": YEARS, "fefam": pd.Series(FAMILY, dtype=object)})
    path = tmp_path / "trend.dta"
    pyreadstat.write_dta(
        frame,
        path,
        variable_value_labels={"fefam": LABELS},
        missing_user_values={"fefam": ["d", "i", "y"]},
    )
    return path


@pytest.fixture
def spss(tmp_path: Path) -> Path:
    codes = {"y": -2, "i": -1, "d": 8}
    frame = pd.DataFrame({"year": YEARS, "fefam": [codes.get(str(each), each) for each in FAMILY]})
    path = tmp_path / "trend.sav"
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={
            "fefam": {codes.get(value, value): label for value, label in LABELS.items()}
        },
        missing_ranges={"fefam": [{"lo": -2, "hi": -1}, 8]},
    )
    return path


@pytest.mark.parametrize("form", ["stata", "spss"])
def test_a_wave_whose_missing_values_say_not_asked_is_left_out_of_the_question(
    request: pytest.FixtureRequest, tmp_path: Path, form: str
) -> None:
    path: Path = request.getfixturevalue(form)
    survey = import_survey([path], draft_codebook(path).codebook, tmp_path / "survey")
    waves = [wave.code for wave in survey.waves]
    assert [asked(survey, wave, "fefam") for wave in waves] == [None, 4, None]
    with connect(survey=tmp_path / "survey") as client:
        everyone: dict[str, Any] = {"base_of": "everyone"}
        for who, shares in (({}, (66.7, 33.3)), (everyone, (50.0, 25.0))):
            frame = client.stats("fefam", splitter="waves", **who).to_frame()
            found = frame.set_index(["segment", "datapoint"])["column_percentage"]
            assert found[waves[1]].round(1).tolist() == list(shares)
            assert found[[waves[0], waves[2]]].isna().all(), "not asked is never 0%"


@pytest.mark.parametrize("form", ["stata", "spss"])
def test_a_draft_shows_what_missing_values_mean(request: pytest.FixtureRequest, form: str) -> None:
    path: Path = request.getfixturevalue(form)
    drafted = draft_codebook(path)
    [reason] = [each for each in drafted.reasons["source"] if "missing" in each]
    asked, no_answer = reason.split("; ")
    assert "iap" in asked
    assert "not available in this year" in asked
    assert "don't" not in asked
    assert "don't know" in no_answer


def test_values_listed_as_not_asked_under_source_count_so_in_every_question(
    tmp_path: Path,
) -> None:
    path = tmp_path / "unlabelled.dta"
    frame = pd.DataFrame({"q": pd.Series(["i", "i", 1, 2, "d"], dtype=object)})
    pyreadstat.write_dta(frame, path, missing_user_values={"q": ["d", "i"]})
    text = draft_codebook(path).to_toml()
    assert "[source]" not in text
    codebook = tmp_path / "codebook.toml"
    codebook.write_text(f'source = {{ not_asked = [".i"] }}\n{text}')
    survey = import_survey([path], codebook, tmp_path / "survey")
    assert asked(survey, "w1", "q") == 3


@pytest.mark.parametrize(
    ("source", "question", "message"),
    [
        (
            {"not_asked": [".i", 7]},
            {"not_selected": [".d", "7.0"]},
            r"q: '7' is in the not_asked of \[source\] and in the not_selected of the question",
        ),
        (
            {"not_selected": [99]},
            {"not_asked": [99]},
            r"q: '99' is in the not_asked of the question and in the not_selected of \[source\]",
        ),
        (
            {},
            {"not_asked": [99], "not_selected": [99]},
            r"q: '99' is in both not_asked and not_selected of the question",
        ),
        (
            {"not_asked": ["NA"], "not_selected": ["NA"]},
            {},
            r"'NA' is in both not_asked and not_selected of \[source\]",
        ),
    ],
)
def test_a_value_cannot_be_both_not_asked_and_not_selected(
    source: dict[str, Any], question: dict[str, Any], message: str
) -> None:
    questions = [{"code": "q", "name": "Q", "column": "q"} | question]
    with pytest.raises(SurveyError, match=message):
        parse_codebook({"source": source, "questions": questions})


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("IAP", True),
        ("-1. Inapplicable", True),
        ("INAP. (not 1 in Q5)", True),
        ("Not applicable*", True),
        ("Not asked in survey", True),
        ("NOT AVAILABLE IN THIS YEAR", True),
        ("Legitimate skip", True),
        ("Skipped by routing", True),
        ("NIU (not in universe)", True),
        ("Question not asked: wrong form", True),
        ("Refused", False),
        ("No answer", False),
        ("Don't know", False),
        ("Don't know / not applicable", False),
        ("NA", False),
        ("Skipped, refused", False),
        ("Reskipping", False),
        ("", False),
    ],
)
def test_labels_of_missing_values_that_say_not_asked(label: str, expected: bool) -> None:
    said = Variable(labels={"-1": label}, missing=frozenset({"-1"}))
    assert said.is_not_asked("-1") is expected
    assert not Variable(labels={"-1": label}).is_not_asked("-1"), "it is not declared missing"


def test_an_empty_text_of_spss_is_what_the_file_declares(tmp_path: Path) -> None:
    """As FREQUENCIES of PSPP 1.6.2 has it, but for an empty text of which the file says nothing.

    labelled: "Nothing" 1, "An A" 2. missing: "A" 2 valid, 1 missing. plain: "A" 2, blank 1; here
    nobody who gave no text is taken for having been asked.
    """
    path = tmp_path / "texts.sav"
    pyreadstat.write_sav(
        pd.DataFrame({key: ["A", "", "A"] for key in ["plain", "labelled", "missing"]}),
        path,
        variable_value_labels={"labelled": {"": "Nothing", "A": "An A"}},
        missing_ranges={"missing": [""]},
    )
    survey = import_survey([path], draft_codebook(path).codebook, tmp_path / "survey")
    assert counts_by_name(survey, "plain") == {"A": 2}
    assert counts_by_name(survey, "labelled") == {"Nothing": 1, "An A": 2}
    assert counts_by_name(survey, "missing") == {"A": 2}
    assert [asked(survey, "w1", code) for code in ("plain", "labelled", "missing")] == [2, 3, 3]


def test_a_negative_code_that_a_label_says_was_not_asked_is_so_in_all_columns(
    tmp_path: Path,
) -> None:
    path = tmp_path / "partly.sav"
    frame = pd.DataFrame({key: [1, 2, -1] for key in ["a", "b", "c"]})
    pyreadstat.write_sav(
        frame,
        path,
        variable_value_labels={"a": {1: "Yes", 2: "No", -1: "Inapplicable"}},
        missing_ranges={"a": [-1]},
    )
    survey = import_survey([path], draft_codebook(path).codebook, tmp_path / "survey")
    assert [asked(survey, "w1", code) for code in ("a", "b", "c")] == [2, 2, 2]
