"""The automatic codebook: what is guessed and why, and a draft that applies as it is."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from audiencelab.ingest import (
    Draft,
    draft_codebook,
    from_frame,
    import_survey,
    load_codebook,
    parse_codebook,
)
from audiencelab.ingest.codebook import CodedQuestion
from audiencelab.survey import SurveyError
from tests.messages import fails
from tests.survey.counting import counts
from tests.surveys.data import DATA, HPS, MASCULINITY, MRSETS, QUANTIPY

SCALE = {1.0: "Never", 2.0: "Sometimes", 3.0: "Often", 9.0: "Don't know"}
YES_NO = {1.0: "Yes", 2.0: "No"}
N = 60


def survey_frame() -> pd.DataFrame:
    """A survey of sixty, with most of what files of surveys have."""
    numbers = np.arange(N)
    return pd.DataFrame(
        {
            "respid": 10_000 + numbers,
            "wave": numbers // 30 + 1,
            "interview": [
                date(2024, 2, 1 + n % 28) if n < 30 else date(2024, 5, 3) for n in numbers
            ],
            "region": numbers % 4 + 1,
            "sex": numbers % 2 + 1,
            "age": 16 + numbers,
            "born": [date(2008 - n, 1, 1) for n in numbers],
            "tv_1": np.where(numbers % 3, 1, 2),
            "tv_2": np.where(numbers % 5, 2, 1),
            "mood_1": numbers % 3 + 1,
            "mood_2": (numbers + 1) % 3 + 1,
            "brands": [("1;3;", "3;", "1;2;3;", None)[n % 4] for n in numbers],
            "q7r1c1": numbers % 5 + 1,
            "q7r1c2": numbers % 5 + 1,
            "q7r2c1": numbers % 5 + 1,
            "q7r2c2": numbers % 5 + 1,
            "why": [f"Because of reason {n}, I think" for n in numbers],
            "hours": numbers / 8,
            "empty": [None] * N,
            "weight": 0.5 + (numbers % 7) / 7,
            "weight_b": [None if n % 10 == 0 else 1 + (n % 3) / 10 for n in numbers],
        }
    )


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("draft") / "survey.sav"
    pyreadstat.write_sav(
        survey_frame(),
        made,
        column_labels={
            "sex": "Are you …?",
            "tv_1": "Which do you watch? - News",
            "tv_2": "Which do you watch? - Films",
            "mood_1": "How often: Happy",
            "mood_2": "How often: Sad",
        },
        variable_value_labels={
            "region": {1.0: "North", 2.0: "East", 3.0: "South", 4.0: "West"},
            "sex": {1.0: "Same", 2.0: "Same"},
            "tv_1": YES_NO,
            "tv_2": YES_NO,
            "mood_1": SCALE,
            "mood_2": SCALE,
        },
        missing_ranges={"mood_1": [9], "mood_2": [9], "age": [{"lo": 70, "hi": 99}]},
    )
    return made


@pytest.fixture(scope="module")
def draft(path: Path) -> Draft:
    return draft_codebook(path)


def question(draft: Draft, code: str) -> CodedQuestion:
    (found,) = (each for each in draft.codebook.questions if each.code == code)
    return found


def reason(draft: Draft, place: str) -> str:
    return " / ".join(draft.reasons[place])


def test_questions_stand_in_the_order_of_the_file(draft: Draft) -> None:
    assert [each.code for each in draft.codebook.questions] == [
        "region", "sex", "age", "tv", "mood", "brands", "q7rc1", "q7rc2", "hours",
    ]  # fmt: skip


def test_what_makes_no_question_is_left_out_with_its_reason(draft: Draft) -> None:
    assert draft.left_out == {
        "weight": "a weight",
        "weight_b": "another weight",
        "wave": "the wave",
        "respid": "an identification: different for every respondent",
        "interview": "a date; name it under [wave] to make waves of it",
        "born": "a date; name it under [wave] to make waves of it",
        "why": "free text: 60 different texts",
        "empty": "no values",
    }


def test_the_weight_is_the_one_that_everybody_has(draft: Draft, path: Path) -> None:
    assert draft.codebook.weight is not None
    assert draft.codebook.weight.column == "weight"
    assert "or weight_b" in reason(draft, "weight")
    assert "6 respondents have none, and are left out" in reason(draft, "weight")
    other = draft_codebook(path, weight="weight_b")
    assert other.codebook.weight is not None
    assert other.codebook.weight.column == "weight_b"
    assert other.left_out["weight"] == "another weight"
    with fails(SurveyError):
        draft_codebook(path, weight="wait")


def test_a_column_of_waves_is_dated_by_the_interviews(draft: Draft) -> None:
    assert draft.codebook.wave is not None
    assert draft.codebook.wave.column == "wave"
    assert [(each.code, each.starts, each.ends) for each in draft.codebook.waves] == [
        ("wave_1", date(2024, 2, 1), date(2024, 2, 28)),
        ("wave_2", date(2024, 5, 3), date(2024, 5, 3)),
    ]
    assert reason(draft, "waves") == "dated by interview"


def test_dates_alone_make_one_wave_that_they_date(tmp_path: Path) -> None:
    frame = survey_frame().drop(columns=["wave", "weight", "weight_b"])
    drafted = draft_codebook(frame)
    assert drafted.codebook.wave is None
    assert "each quarter may be a wave" in reason(drafted, "wave")
    [code] = {each.code for each in drafted.guesses if "may be a wave" in each.said}
    assert code == 'al.open(…, wave="interview")', "how to make waves of it"
    survey = from_frame(frame, drafted.codebook, tmp_path / "survey")
    assert [(wave.starts, wave.ends, wave.respondents) for wave in survey.waves] == [
        (date(2024, 2, 1), date(2024, 5, 3), 60)
    ]


def test_dates_that_are_asked_for_make_quarters(tmp_path: Path) -> None:
    frame = survey_frame().drop(columns=["wave", "weight", "weight_b"])
    drafted = draft_codebook(frame, wave="interview")
    assert drafted.codebook.wave is not None
    assert (drafted.codebook.wave.column, drafted.codebook.wave.by) == ("interview", "quarter")
    survey = from_frame(frame, drafted.codebook, tmp_path / "survey")
    assert [(wave.code, wave.name, wave.ends, wave.respondents) for wave in survey.waves] == [
        ("q1_2024", "Q1 2024", date(2024, 3, 31), 30),
        ("q2_2024", "Q2 2024", date(2024, 6, 30), 30),
    ]


def test_a_wave_that_is_asked_for_must_be_a_column(path: Path) -> None:
    with fails(SurveyError):
        draft_codebook(path, wave="quarter")
    with fails(SurveyError):
        draft_codebook(path, wave="weight")
    drafted = draft_codebook(path, wave="region")
    assert [wave.name for wave in drafted.codebook.waves] == ["North", "East", "South", "West"]


def test_waves_that_are_dates_with_a_time_are_days(tmp_path: Path) -> None:
    starts = pd.to_datetime(["2024-01-01", "2024-02-01"] * 20).tz_localize("UTC")
    frame = pd.DataFrame({"wave": starts, "a": [1, 2] * 20})
    drafted = draft_codebook(frame)
    survey = from_frame(frame, drafted.codebook, tmp_path / "survey")
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        ("2024-01-01", 20),
        ("2024-02-01", 20),
    ]


def test_months_make_waves_only_when_asked_for(tmp_path: Path) -> None:
    frame = pd.DataFrame({"month": ["2024-01", "2024-02"] * 20, "a": [1, 2] * 20})
    assert draft_codebook(frame).codebook.wave is None
    drafted = draft_codebook(frame, wave="month")
    survey = from_frame(frame, drafted.codebook, tmp_path / "survey")
    assert [(wave.code, wave.respondents) for wave in survey.waves] == [
        ("2024-01", 20),
        ("2024-02", 20),
    ]


def test_years_are_dated_as_years(tmp_path: Path) -> None:
    frame = pd.DataFrame({"syear": [1972, 2022] * 20, "a": [1, 2] * 20})
    drafted = draft_codebook(frame)
    survey = from_frame(frame, drafted.codebook, tmp_path / "survey")
    assert [(wave.name, wave.starts, wave.ends) for wave in survey.waves] == [
        ("syear 1972", date(1972, 1, 1), date(1972, 12, 31)),
        ("syear 2022", date(2022, 1, 1), date(2022, 12, 31)),
    ]


@pytest.mark.parametrize("name", ["essround", "survey_year", "syear", "Wave", "round", "S002VS"])
def test_names_of_waves_that_surveys_use_are_known(name: str) -> None:
    frame = pd.DataFrame({name: [1, 2] * 20, "a": [1, 2] * 20})
    wave = draft_codebook(frame).codebook.wave
    assert wave is not None
    assert wave.column == name


@pytest.mark.parametrize(
    ("by", "waves", "ends"),
    [
        ("day", ["2023-12-31", "2024-01-01", "9999-12-31"], "2024-01-01"),
        ("month", ["2023-12", "2024-01", "9999-12"], "2024-01-31"),
        ("quarter", ["q4_2023", "q1_2024", "q4_9999"], "2024-03-31"),
        ("year", ["2023", "2024", "9999"], "2024-12-31"),
    ],
)
def test_dates_become_waves_of_any_length(
    tmp_path: Path, by: str, waves: list[str], ends: str
) -> None:
    """Also of the last day that there is, which databases write where they know no date."""
    days = ["2024-01-01", "2023-12-31 23:59:59", "soon", "9999-12-31"]
    frame = pd.DataFrame({"x": [1, 1, 2, 1], "when": days})
    codebook = parse_codebook(
        {
            "wave": {"column": "when", "by": by},
            "questions": [{"code": "x", "name": "X", "column": "x"}],
        }
    )
    survey = from_frame(frame, codebook, tmp_path / "survey")
    assert [wave.code for wave in survey.waves] == waves
    assert [str(wave.ends) for wave in survey.waves] == ["2023-12-31", ends, "9999-12-31"]
    assert survey.import_report is not None
    (dropped,) = survey.import_report["dropped"]
    assert (dropped["respondents"], dropped["first_row"]) == (1, 3)


def test_the_location_is_the_region(draft: Draft) -> None:
    assert draft.codebook.study.location == "region"
    assert "by its name; 4 places" in reason(draft, "study")


def test_labels_come_from_the_file_and_stay_apart(draft: Draft) -> None:
    assert question(draft, "region").labels == {
        "1": "North",
        "2": "East",
        "3": "South",
        "4": "West",
    }
    assert question(draft, "sex").labels == {"1": "Same (1)", "2": "Same (2)"}
    assert question(draft, "sex").name == "Are you …?"


def test_yes_and_no_under_one_stem_are_a_multiple_question(draft: Draft) -> None:
    found = question(draft, "tv")
    assert (found.kind, found.name, found.selected, found.not_selected) == (
        "multiple",
        "Which do you watch?",
        (1,),
        (2,),
    )
    assert [(each.name, each.column) for each in found.points] == [
        ("News", "tv_1"),
        ("Films", "tv_2"),
    ]


def test_one_scale_under_one_stem_is_a_grid(draft: Draft) -> None:
    found = question(draft, "mood")
    assert (found.kind, found.name) == ("grid", "How often")
    assert [each.name for each in found.points] == ["Happy", "Sad"]
    assert [each.name for each in found.suffixes] == ["Never", "Sometimes", "Often"]
    assert found.not_selected is None, "what the file calls missing needs no line of its own"


def test_a_loop_is_a_grid_for_each_pass(draft: Draft) -> None:
    assert [each.column for each in question(draft, "q7rc2").points] == ["q7r1c2", "q7r2c2"]
    assert "asked in a loop" in reason(draft, "questions/q7rc2")


def test_lists_in_cells_are_a_multiple_question(draft: Draft) -> None:
    found = question(draft, "brands")
    assert (found.kind, found.separator, found.labels) == (
        "multiple",
        ";",
        {"1": "1", "2": "2", "3": "3"},
    )


def test_numbers_are_put_into_round_bands_with_their_midpoints(draft: Draft, path: Path) -> None:
    found = question(draft, "age")
    assert [each.name for each in found.points] == [
        "Under 25", "25 to 34", "35 to 49", "50 to 59", "60 and over",
    ]  # fmt: skip
    assert found.form == "numeric"
    assert found.points[0].midpoint == np.mean(range(16, 25))
    assert found.points[-1].midpoint == np.mean(range(60, 70)), "70 and over are missing"
    unbanded = draft_codebook(path, banded=False)
    assert question(unbanded, "age").points == (), "each number found is a datapoint"


def test_the_toml_reads_back_as_the_codebook_and_says_why(draft: Draft, tmp_path: Path) -> None:
    saved = draft.save(tmp_path / "codebook.toml")
    assert load_codebook(saved) == draft.codebook
    text = saved.read_text("utf-8")
    assert "# multiple: tv_1 … tv_2 have one stem; 1 'Yes' is taken as chosen (in the" in text
    assert "starts = 2024-02-01\n" in text, "a date, and no text"
    assert '# why: free text: 60 different texts\n[[texts]]\ncolumn = "why"' in text
    with fails(SurveyError):
        draft.save(saved)


def test_the_draft_applies_and_counts_as_the_file(draft: Draft, path: Path, tmp_path: Path) -> None:
    survey = import_survey([path], draft.codebook, tmp_path / "survey")
    frame = survey_frame()
    report = survey.import_report
    assert report is not None
    assert report["unknown_values"] == report["dropped"] == report["empty_questions"] == []
    assert counts(survey, "sex") == {"sex_1": 30, "sex_2": 30}
    assert counts(survey, "tv") == {
        name: int((frame[name] == 1).sum()) for name in ("tv_1", "tv_2")
    }
    assert sum(counts(survey, "age").values()) == 54
    size = sum(survey.wave(wave.code).size for wave in survey.waves)
    assert size == pytest.approx(frame["weight"].sum())


def test_where_there_is_nothing_to_ask_about_it_says_why() -> None:
    frame = pd.DataFrame({"id": range(100), "empty": [None] * 100})
    with fails(SurveyError):
        draft_codebook(frame)


# ---- marks ----


def test_values_that_are_no_answers_anywhere_are_said_once() -> None:
    frame = pd.DataFrame(
        {
            "a_1": ["Coffee", "Not selected", "NA"] * 5,
            "a_2": ["Not selected", "Tea", "NA"] * 5,
            "b": [1, 2, -99] * 5,
            "c": [1, -99, 3] * 5,
            "d": [-5, -99, 5] * 5,
        }
    )
    drafted = draft_codebook(frame)
    source = drafted.codebook.source
    assert source.not_asked == ("NA",)
    assert (source.not_selected, source.missing) == (("Not selected",), (-99,))
    assert question(drafted, "a").kind == "multiple"
    assert question(drafted, "a").selected == ()
    assert question(drafted, "b").labels == {"1": "1", "2": "2"}


def test_not_chosen_in_one_column_beside_one_other_text_is_an_answer() -> None:
    frame = pd.DataFrame({"price": ["Mentioned", "Not mentioned"] * 10, "age": range(20)})
    drafted = draft_codebook(frame)
    assert drafted.codebook.source.not_selected == ()
    assert question(drafted, "price").labels.keys() == {"Mentioned", "Not mentioned"}


# ---- declared sets, and a value in any of several columns ----


def test_a_set_of_categories_counts_a_value_in_any_of_its_columns(tmp_path: Path) -> None:
    frame = pd.DataFrame({"m1": [1, 2, None, 9], "m2": [2, 3, None, None]})
    codebook = parse_codebook(
        {
            "questions": [
                {
                    "code": "m",
                    "name": "M",
                    "kind": "multiple",
                    "across": ["m1", "m2"],
                    "labels": {"1": "One", "2": "Two", "3": "Three"},
                    "not_selected": [9],
                }
            ]
        }
    )
    survey = from_frame(frame, codebook, tmp_path / "survey")
    assert counts(survey, "m") == {"m_1": 1, "m_2": 2, "m_3": 1}
    found = survey.wave("w1").question("m")
    assert found is not None
    assert found.asked[0] == 0b1011


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"kind": "single", "column": "x", "across": ["y"]}, "Only a multiple question"),
        (
            {"kind": "multiple", "column": "x", "separator": ";", "across": ["y"]},
            "Give a column or the columns",
        ),
        ({"kind": "multiple", "across": ["y"]}, "needs its datapoints"),
    ],
)
def test_across_is_for_multiple_questions_alone(part: dict[str, Any], message: str) -> None:
    labels = {"labels": {"1": "One"}} if "separator" in part else {}
    with pytest.raises(SurveyError, match=message):
        parse_codebook({"questions": [{"code": "x", "name": "X"} | part | labels]})


class TestRealFiles:
    """Every file of real data: the draft applies as it is, and counts as the file does."""

    @pytest.mark.parametrize(
        ("name", "options"),
        [
            (str(MASCULINITY / "raw-responses.csv.gz"), {}),
            ("quantipy_example_a/example-data-a.csv.gz", {}),
            ("pyreadstat/simple_alltypes.sav", {}),
            ("household_pulse/week50.parquet", {"weight": "PWEIGHT"}),
        ],
    )
    def test_a_draft_applies_as_it_is(
        self, tmp_path: Path, name: str, options: dict[str, Any]
    ) -> None:
        drafted = draft_codebook(DATA / name, **options)
        assert parse_codebook(tomllib.loads(drafted.to_toml())) == drafted.codebook
        survey = import_survey([DATA / name], drafted.codebook, tmp_path / "survey")
        assert survey.import_report is not None
        assert survey.import_report["unknown_values"] == []
        assert survey.import_report["dropped"] == []
        survey.verify()

    def test_a_draft_of_all_weeks_in_one_csv_applies(self, tmp_path: Path) -> None:
        path = tmp_path / "weeks.csv.gz"
        weeks = [pd.read_parquet(week).iloc[::4] for week in sorted(HPS.glob("*.parquet"))]
        pd.concat(weeks).to_csv(path, index=False)
        self.test_a_draft_applies_as_it_is(tmp_path, str(path), {"weight": "PWEIGHT"})

    def test_declared_sets_of_both_kinds(self, tmp_path: Path) -> None:
        drafted = draft_codebook(MRSETS)
        survey = import_survey([MRSETS], drafted.codebook, tmp_path / "survey")
        assert counts(survey, "mymrset") == {"bool1": 3, "bool2": 4, "bool3": 0}
        frame, _ = pyreadstat.read_sav(MRSETS)
        columns = frame[["ca_subvar_1", "ca_subvar_2", "ca_subvar_3"]]
        names = {
            each.code: each.name
            for each in survey.catalogue.question("categorical_array").datapoints
        }
        for code, count in counts(survey, "categorical_array").items():
            assert count == (columns == names[code]).any(axis=1).sum()

    def test_masculinity_is_found_out_whole(self) -> None:
        drafted = draft_codebook(MASCULINITY / "raw-responses.csv.gz")
        codebook = drafted.codebook
        assert codebook.weight is not None
        assert (codebook.weight.column, codebook.source.not_asked) == ("weight", ("NA",))
        multiple = {
            each.code: len(each.points) for each in codebook.questions if each.kind == "multiple"
        }
        assert multiple == {
            "q0004": 6, "q0008": 12, "q0010": 8, "q0011": 5, "q0012": 7, "q0019": 7, "q0020": 6,
            "q0021": 4, "q0025": 3,
        }  # fmt: skip
        assert [each.code for each in codebook.questions if each.kind == "grid"] == ["q0007"]

    def test_quantipy_has_two_weights_five_waves_lists_grids_and_a_loop(
        self, tmp_path: Path
    ) -> None:
        path = QUANTIPY / "example-data-a.csv.gz"
        frame = pd.read_csv(path)
        for weight, people in (("weight_a", 8_255), ("weight_b", 8_098)):
            drafted = draft_codebook(path, weight=weight)
            survey = import_survey([path], drafted.codebook, tmp_path / weight)
            weighed = frame[frame[weight].notna()]
            assert len(weighed) == people
            assert survey.import_report is not None
            dropped = survey.import_report["dropped"]
            assert sum(each["respondents"] for each in dropped) == 8_255 - people
            for number, wave in enumerate(survey.waves, start=1):
                rows = weighed[weighed["Wave"] == number]
                assert wave.respondents == len(rows)
                assert survey.wave(wave.code).size == pytest.approx(rows[weight].sum())
            kinds = {each.code: each.kind for each in survey.catalogue.questions}
            assert [kinds[code] for code in ("q2", "q3", "q8", "q9")] == ["multiple"] * 4
            assert [kinds[f"q14rc0{loop}"] for loop in (1, 2, 3)] == ["grid"] * 3
            cells = weighed["q2"].dropna().str.rstrip(";").str.split(";").explode()
            expected = {f"q2_{value}": n for value, n in cells.value_counts().items()}
            assert counts(survey, "q2") == expected
            found = counts(survey, "q1")
            assert found == {f"q1_{v}": n for v, n in weighed["q1"].value_counts().items()}
