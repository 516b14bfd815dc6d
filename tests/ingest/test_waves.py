"""Texts that mean dates and quarters; strata and clusters, drafted, imported and checked."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.ingest import draft_codebook, import_survey
from audiencelab.ingest.codebook import DesignColumns
from audiencelab.ingest.waves import date_of, dates_of, quarter_of
from audiencelab.survey import SourceError, Survey, check_survey
from audiencelab.survey.answers import Design
from audiencelab.survey.errors import SurveyError
from tests.ingest.sources import write
from tests.messages import fails


@pytest.mark.parametrize("text", ["2024q2", "2024-Q2", "2024 Q2", "q2_2024", "Q2 2024", "Q22024"])
def test_a_quarter_has_a_first_and_a_last_day(text: str) -> None:
    assert quarter_of(text) == (date(2024, 4, 1), date(2024, 6, 30))


@pytest.mark.parametrize("text", ["", "2024", "2024q5", "q1", "9999q4", "0000q1", "2024q1 late"])
def test_any_other_text_is_none(text: str) -> None:
    assert quarter_of(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-02-29", date(2024, 2, 29)),
        ("2024-02-29 17:05:00", date(2024, 2, 29)),
        ("2024-02", date(2024, 2, 1)),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("0000-01-01", None),
        ("29.02.2024", None),
    ],
)
def test_a_day_is_one_that_there_was(text: str, day: date | None) -> None:
    assert date_of(text) == day


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["12/31/2025", "1/2/2025"], [date(2025, 12, 31), date(2025, 1, 2)]),
        (["31/12/2025 17:05", "01/02/2025 09:00"], [date(2025, 12, 31), date(2025, 2, 1)]),
        (["01.02.2025"], [date(2025, 2, 1)]),
        (["2025-01-02"], [date(2025, 1, 2)]),
        (["01/02/2025", "11/05/2025"], []),
        (["31/12/2025", "12/31/2025"], []),
        (["31/02/2025"], []),
    ],
)
def test_the_month_of_a_date_is_known_once_another_number_cannot_be_one(
    texts: list[str], days: list[date]
) -> None:
    assert list(dates_of(texts).values()) == days


def test_dates_of_the_united_states_make_quarters_or_are_refused(tmp_path: Path) -> None:
    days = pd.Series(pd.date_range("2025-01-01", "2025-12-31", freq="9D"))
    frame = pd.DataFrame(
        {"tea": ["yes", "no"] * 20 + ["yes"], "done": days.dt.strftime("%m/%d/%Y")}
    )
    client = al.open(frame, wave="done", to=tmp_path / "survey", quiet=True)
    found = client.stats("tea", splitter="waves")["n"].sum()
    assert found.tolist() == days.dt.quarter.value_counts().sort_index().tolist()
    few = frame[days.dt.day <= 12]
    with fails(SurveyError):
        al.open(few, wave="done", to=tmp_path / "other", quiet=True)
    # Not asked for, they are a column like any other.
    assert len(al.open(few, to=tmp_path / "third", quiet=True).waves()) == 1


@pytest.mark.parametrize(
    "scale",
    [
        ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
        ["Never", "Rarely", "Sometimes", "Often", "Always"],
        ["Very dissatisfied", "Dissatisfied", "Satisfied", "Very satisfied", "Don't know"],
        ["Poor", "Fair", "Good", "Very good", "Excellent"],
    ],
)
def test_a_known_scale_without_labels_runs_from_low_to_high(
    scale: list[str], tmp_path: Path
) -> None:
    frame = pd.DataFrame(
        {"view": [*scale[::-1], *scale] * 4, "brand": ["Fox", "Bear"] * 4 * len(scale)}
    )
    client = al.open(frame, to=tmp_path / "survey", quiet=True)
    assert [each.name for each in client["view"].datapoints] == scale
    assert [each.name for each in client["brand"].datapoints] == ["Bear", "Fox"]


HEADER = "id,sex,round,stratum,psu"
ROWS = ["1,1,a,north,1", "2,2,a,north,2", "3,1,a,south,1", "4,2,a,south,2", "5,2,a,south,10"]
CODEBOOK = """
[design]
strata = "stratum"
clusters = "psu"

[[questions]]
code = "sex"
name = "Sex"
column = "sex"
"""
TWO_WAVES = """
[wave]
column = "round"
[[waves]]
code = "w1"
value = "a"
starts = 2024-01-01
[[waves]]
code = "w2"
value = "b"
starts = 2025-01-01
"""


def imported(folder: Path, rows: list[str], codebook: str = CODEBOOK) -> Survey:
    source = write(folder, "survey.csv", "\n".join([HEADER, *rows, ""]))
    return import_survey([source], write(folder, "c.toml", codebook), folder / "survey")


def numbers(design: Design) -> tuple[list[int] | None, list[int] | None]:
    strata, clusters = design.strata, design.clusters
    return (
        None if strata is None else strata.tolist(),
        None if clusters is None else clusters.tolist(),
    )


def test_the_same_unit_in_two_strata_is_two_clusters(tmp_path: Path) -> None:
    survey = imported(tmp_path, ROWS)
    assert numbers(survey.wave("w1").design) == ([0, 0, 1, 1, 1], [0, 1, 2, 3, 4])
    assert check_survey(survey).sound


def test_one_of_the_two_is_enough(tmp_path: Path) -> None:
    survey = imported(tmp_path, ROWS, CODEBOOK.replace('strata = "stratum"', ""))
    assert numbers(survey.wave("w1").design) == (None, [0, 1, 0, 1, 2])


def test_a_wave_in_which_nobody_has_a_value_has_no_known_design(tmp_path: Path) -> None:
    survey = imported(tmp_path, [*ROWS, "6,1,b,,", "7,2,b,,"], CODEBOOK + TWO_WAVES)
    assert survey.wave("w1").design.strata is not None
    assert survey.wave("w2").design == Design()


def test_a_file_without_strata_beside_one_that_has_them_stops_the_import(tmp_path: Path) -> None:
    one = write(tmp_path, "one.csv", "\n".join([HEADER, *ROWS, ""]))
    other = write(tmp_path, "other.csv", "id,sex,round,psu\n6,1,a,1\n")
    codebook = write(tmp_path, "c.toml", CODEBOOK + TWO_WAVES)
    with fails(SourceError) as refused:
        import_survey([one, other], codebook, tmp_path / "survey")
    place = refused.value.place
    assert (Path(place.file).name, place.row, place.column) == ("other.csv", 1, "stratum")


def test_a_respondent_without_a_stratum_stops_the_import(tmp_path: Path) -> None:
    with fails(SourceError) as refused:
        imported(tmp_path, [*ROWS, "6,1,a,,1", "7,1,a,,2"])
    assert (refused.value.place.row, refused.value.place.column) == (6, "stratum")
    assert "2 respondents of this wave" in refused.value.detail
    assert not (tmp_path / "survey").exists()


def test_who_is_dropped_needs_no_stratum(tmp_path: Path) -> None:
    rows = [*ROWS, "6,1,elsewhere,,"]
    survey = imported(tmp_path, rows, CODEBOOK + TWO_WAVES)
    assert numbers(survey.wave("w1").design)[0] == [0, 0, 1, 1, 1]


def test_a_column_that_is_nowhere_is_named(tmp_path: Path) -> None:
    with fails(SurveyError):
        imported(tmp_path, ROWS, CODEBOOK.replace('"psu"', '"ssu"'))


def test_a_check_tells_strata_of_one_cluster(tmp_path: Path) -> None:
    found = check_survey(imported(tmp_path, [*ROWS, "6,1,a,west,1"]))
    assert found.sound
    [finding] = [each for each in found.findings if "strata" in each.detail]
    assert finding.detail == "1 strata have a single cluster, from which no variance follows"


def survey_frame(**columns: Any) -> pd.DataFrame:
    n = 400
    return pd.DataFrame({"q1": np.arange(n) % 3 + 1, "q2": np.arange(n) % 5, **columns})


STRATA = np.repeat(np.arange(20), 20)
UNITS = np.tile(np.repeat([1, 2], 10), 20)


@pytest.mark.parametrize(
    ("strata", "clusters"),
    [("vstrat", "vpsu"), ("SDMVSTRA", "SDMVPSU"), ("stratum", "cluster"), ("STRATA", "psu")],
)
def test_a_draft_knows_the_usual_names(strata: str, clusters: str, tmp_path: Path) -> None:
    draft = draft_codebook(survey_frame(**{strata: STRATA, clusters: UNITS}))
    assert draft.codebook.design == DesignColumns(strata, clusters)
    assert draft.reasons["design"] == [
        f"strata: {strata}, by its name; 20 values, none missing",
        f"clusters: {clusters}, by its name; 2 values, none missing",
    ]
    assert {strata, clusters} <= draft.left_out.keys()
    assert "# strata: " in draft.to_toml()
    assert f'[design]\nstrata = "{strata}"\nclusters = "{clusters}"' in draft.to_toml()


def test_a_draft_reads_the_labels_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "health.sav"
    pyreadstat.write_sav(
        survey_frame(V021=UNITS + 2 * STRATA, V022=STRATA),
        path,
        column_labels={
            "V021": "Primary sampling unit",
            "V022": "Sample strata for sampling errors",
        },
    )
    assert draft_codebook(path).codebook.design == DesignColumns("V022", "V021")


def test_labelled_strata_stay_a_question_and_labelled_clusters_are_a_segmentation(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labelled.sav"
    names = {number: f"Type {number}" for number in range(20)}
    pyreadstat.write_sav(
        survey_frame(stratum=STRATA, cluster=STRATA),
        path,
        variable_value_labels={"stratum": names, "cluster": names},
    )
    draft = draft_codebook(path)
    assert draft.codebook.design == DesignColumns("stratum")
    assert [question.code for question in draft.codebook.questions][-2:] == ["stratum", "cluster"]


@pytest.mark.parametrize("name", ["strategy", "stratford", "substrate", "demonstrat", "psuedo"])
def test_other_words_are_no_design(name: str) -> None:
    assert draft_codebook(survey_frame(**{name: STRATA})).codebook.design == DesignColumns()


def test_a_column_that_tells_respondents_apart_or_misses_some_is_no_design() -> None:
    found = draft_codebook(
        survey_frame(psu=np.arange(400), strata=np.where(STRATA < 3, np.nan, STRATA))
    )
    assert found.codebook.design == DesignColumns()
