"""The weight of a draft: what the file declares, else what can be nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from audiencelab.cli import main
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.draft.weights import choose_weight
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey import Survey, SurveyError

N = 200
RANDOM = np.random.default_rng(3)
WEIGHTS = RANDOM.uniform(0.4, 2.5, N).round(4)


def survey_frame(**columns: Any) -> pd.DataFrame:
    """Two hundred respondents with some columns."""
    return pd.DataFrame({"sex": np.arange(N) % 2 + 1, **columns})


def weight_of(frame: pd.DataFrame, **options: Any) -> str | None:
    """The column that a draft weighs by."""
    found = draft_codebook(frame, **options).codebook.weight
    return None if found is None else found.column


@pytest.mark.parametrize(
    "name",
    [
        "weight", "w", "wt", "wgt", "WTFINL", "WTMEC2YR", "WTINT2YR", "PERWT", "ASECWT", "_LLCPWT",
        "X_LLCPWT", "pspwght", "anweight", "dweight", "pw", "popwt", "V200010a", "wtssps", "PWGTP",
        "PWEIGHT", "S017", "gweight", "final_weight", "weight_2020", "W_FSTUWT", "phrf", "wghtpew",
    ],
)  # fmt: skip
def test_names_of_weights_that_surveys_use_are_known(name: str) -> None:
    assert weight_of(survey_frame(**{name: WEIGHTS})) == name


def test_a_weight_that_most_people_lack_is_not_taken(tmp_path: Path) -> None:
    form = pd.Series(WEIGHTS, dtype=object)
    form[N // 5 :] = "i"
    path = tmp_path / "gss.dta"
    pyreadstat.write_dta(
        survey_frame(formwt=form, wtssps=WEIGHTS),
        path,
        missing_user_values={"formwt": ["i"]},
        column_labels={"formwt": "post-stratification weight", "wtssps": ""},
    )
    draft = draft_codebook(path)
    assert draft.codebook.weight is not None
    assert draft.codebook.weight.column == "wtssps"
    assert "160 respondents have none, and are left out (80.0%)" in draft.reasons["weight"][1]
    alone = tmp_path / "alone.dta"
    pyreadstat.write_dta(survey_frame(formwt=form), alone, missing_user_values={"formwt": ["i"]})
    with pytest.raises(SurveyError, match=r"formwt: 160 of 200 respondents \(80\.0%\) have none"):
        draft_codebook(alone)


def test_what_bodies_weigh_is_not_the_weight_of_a_survey() -> None:
    kilograms = RANDOM.integers(45, 131, N)
    assert weight_of(survey_frame(weight=kilograms, wtfinl=WEIGHTS)) == "wtfinl"
    with pytest.raises(SurveyError, match=r"weight: from 45 to 1.., .* as bodies weigh"):
        draft_codebook(survey_frame(weight=kilograms))
    unweighted = draft_codebook(survey_frame(weight=kilograms), weight=None)
    assert [each.code for each in unweighted.codebook.questions] == ["sex", "weight"]
    assert weight_of(survey_frame(weight_kg=kilograms, birth_weight=WEIGHTS)) is None


def test_what_speaks_of_weights_among_other_things_is_doubtful(tmp_path: Path) -> None:
    assert weight_of(survey_frame(survey_weight_v3=WEIGHTS)) == "survey_weight_v3"
    parcels = survey_frame(parcel_weight_total=WEIGHTS * 1000)
    with pytest.raises(SurveyError, match="not named like a survey weight alone"):
        draft_codebook(parcels)
    questions = draft_codebook(parcels, weight=None).codebook.questions
    assert [each.code for each in questions] == ["sex", "parcel_weight_total"]
    path = tmp_path / "dhs.sav"
    labels = {"v005": "women's individual sample weight (6 decimals)"}
    pyreadstat.write_sav(survey_frame(v005=(WEIGHTS * 1e6).round()), path, column_labels=labels)
    with pytest.raises(SurveyError, match=r"v005: from .* not named like a survey weight alone"):
        draft_codebook(path)


@pytest.mark.parametrize("values", [[1, 2, 3], [2], [1, 5]])
def test_whole_numbers_of_few_values_are_weights(values: list[int]) -> None:
    assert weight_of(survey_frame(weight=np.resize(values, N))) == "weight"


def test_several_weights_are_listed_to_choose_from(tmp_path: Path) -> None:
    frame = survey_frame(pspwght=WEIGHTS, anweight=WEIGHTS / 2, dweight=WEIGHTS * 3)
    with pytest.raises(SurveyError, match="several columns may be the weight") as caught:
        draft_codebook(frame)
    for name in ("pspwght", "anweight", "dweight"):
        assert f"\n  {name}: from " in str(caught.value)
    assert weight_of(frame, weight="anweight") == "anweight"
    draft = draft_codebook(frame, weight=None)
    assert draft.codebook.weight is None
    assert [each.code for each in draft.codebook.questions] == ["sex"]
    assert draft.left_out["anweight"] == "a weight that was not asked for"


def test_replicate_weights_are_no_candidates() -> None:
    replicates = {f"PWGTP{place}": WEIGHTS + place for place in range(1, 81)}
    draft = draft_codebook(survey_frame(PWGTP=WEIGHTS, **replicates))
    assert draft.codebook.weight is not None
    assert draft.codebook.weight.column == "PWGTP"
    assert draft.left_out["PWGTP80"] == "a replicate weight"
    assert [each.code for each in draft.codebook.questions] == ["sex"]


# ---- what a file declares ----


def profile(name: str, numbers: Sequence[float], without: int = 0) -> ColumnProfile:
    counts = {str(number): 1 for number in numbers}
    return ColumnProfile(name, len(counts) + without, counts, Variable())


def test_the_weight_that_a_file_declares_wins() -> None:
    columns = {each.name: each for each in (profile("weight", [1.5, 2]), profile("fx", [1, 2, 0]))}
    assert choose_weight(columns, declared=["FX"], origin="a.sav").column == "fx"
    assert choose_weight(columns, declared=["fx", "fx"], origin="a.sav").column == "fx"
    assert (
        choose_weight(columns, given="weight", declared=["fx"], origin="a.sav").column == "weight"
    )
    assert choose_weight(columns, given=None, declared=["fx"], origin="a.sav").column is None
    with pytest.raises(SurveyError, match="the files declare different weights"):
        choose_weight(columns, declared=["fx", "weight"], origin="a.sav")


def test_a_declared_weight_may_leave_out_one_in_a_hundred() -> None:
    numbers = [1 + place / 200 for place in range(99)]
    few = {"fx": profile("fx", numbers, without=1)}
    assert choose_weight(few, declared=["fx"], origin="a.sav").without == 1
    many = {"fx": profile("fx", numbers[:98], without=2)}
    with pytest.raises(SurveyError, match=r"leaves out 2 of 100 respondents \(2\.0%\)"):
        choose_weight(many, declared=["fx"], origin="a.sav")


# ---- the command line ----


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    gaps = pd.Series(WEIGHTS)
    gaps[:3] = np.nan
    survey_frame(weight_a=WEIGHTS, weight_b=WEIGHTS * 2, gaps=gaps).to_csv("two.csv", index=False)
    return tmp_path


def test_an_import_stops_where_the_weight_is_doubtful(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "two.csv", "--out", "survey"]) == 2
    told = capsys.readouterr().err
    assert "weight_a: from" in told
    assert "--weight COLUMN" in told
    assert "--no-weight" in told
    assert [path.name for path in folder.iterdir()] == ["two.csv"], "nothing was written"


def test_an_import_takes_the_weight_that_it_is_given(folder: Path) -> None:
    assert main(["import", "two.csv", "--out", "b", "--weight", "weight_b", "--quiet"]) == 0
    survey = Survey.open(folder / "b")
    assert survey.wave(survey.waves[0].code).size == pytest.approx(2 * WEIGHTS.sum())
    assert main(["import", "two.csv", "--out", "none", "--no-weight", "--quiet"]) == 0
    survey = Survey.open(folder / "none")
    assert survey.wave(survey.waves[0].code).size == N


def test_an_import_stops_for_a_weight_that_leaves_out_many(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "two.csv", "--out", "survey", "--weight", "gaps"]) == 2
    told = capsys.readouterr().err
    assert "leaves out 3 of 200 respondents (1.5%)" in told
    assert [path.name for path in folder.iterdir()] == ["two.csv"], "nothing was written"
    assert main(["codebook", "two.csv", "--out", "book.toml", "--weight", "gaps", "--quiet"]) == 0
    assert main(["import", "two.csv", "--codebook", "book.toml", "--out", "survey"]) == 0
    assert Survey.open(folder / "survey").waves[0].respondents == 197


def test_a_codebook_says_the_weight_and_the_wave_itself(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["import", "two.csv", "--codebook", "book.toml", "--out", "survey"]
    for options in (["--weight", "weight_a"], ["--no-weight"], ["--wave", "sex"]):
        assert main([*command, *options]) == 2
        assert "not valid with --codebook" in capsys.readouterr().err


def test_an_import_makes_waves_of_the_dates_that_it_is_given(folder: Path) -> None:
    days = pd.date_range("2024-02-01", periods=N).strftime("%Y-%m-%d")
    survey_frame(interview=days).to_csv("dates.csv", index=False)
    assert main(["import", "dates.csv", "--out", "one", "--quiet"]) == 0
    assert len(Survey.open(folder / "one").waves) == 1
    assert main(["import", "dates.csv", "--out", "some", "--wave", "interview", "--quiet"]) == 0
    codes = [wave.code for wave in Survey.open(folder / "some").waves]
    assert codes == ["q1_2024", "q2_2024", "q3_2024"]


def test_an_import_reads_the_encoding_that_it_is_given(folder: Path) -> None:
    (folder / "east.csv").write_bytes("town,a\nŁódź,1\nPoznań,2\n".encode("iso-8859-2"))
    command = ["import", "east.csv", "--encoding", "iso-8859-2", "--quiet"]
    assert main([*command, "--out", "east"]) == 0
    question = Survey.open(folder / "east").catalogue.question("town")
    assert [point.name for point in question.datapoints] == ["Poznań", "Łódź"]
    book = folder / "book.toml"
    book.write_text('[[questions]]\ncode = "town"\nname = "Town"\ncolumn = "town"\n')
    assert main([*command, "--codebook", "book.toml", "--out", "again"]) == 0
    question = Survey.open(folder / "again").catalogue.question("town")
    assert {point.name for point in question.datapoints} == {"Poznań", "Łódź"}


# ---- strata and clusters ----


@pytest.mark.parametrize(
    ("strata", "clusters"),
    [
        ("vstrat", "vpsu"),
        ("_STSTR", "_PSU"),
        ("VESTR", "VEREP"),
        ("stratum", "clusters"),
        ("SDMVSTRA", "SDMVPSU"),
        ("V200010d", "V200010c"),
        ("strata", "ea"),
        ("estratopri", "upm"),
        ("VARSTR", "sampling_point"),
    ],
)
def test_names_of_designs_that_surveys_use_are_known(strata: str, clusters: str) -> None:
    frame = survey_frame(**{strata: np.arange(N) % 10, clusters: np.arange(N) % 40})
    design = draft_codebook(frame).codebook.design
    assert (design.strata, design.clusters) == (strata, clusters)


def test_a_design_that_some_lack_says_why_it_is_not_taken() -> None:
    strata = pd.Series(np.arange(N) % 10, dtype=float)
    strata[:30] = np.nan
    draft = draft_codebook(survey_frame(vstrat=strata, psu=strata % 4))
    assert (draft.codebook.design.strata, draft.codebook.design.clusters) == (None, None)
    lack = "30 of 200 respondents (15.0%) have none; "
    lack += "name it under [design] if these are whole waves"
    assert draft.reasons["design"] == [f"strata: not vstrat: {lack}", f"clusters: not psu: {lack}"]
    assert any("not vstrat" in line for line in draft.lines())
    assert [each.code for each in draft.codebook.questions] == ["sex"]
