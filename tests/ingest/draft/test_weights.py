"""The weight of a draft: what the file declares, else what can be nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import audiencelab as al
from audiencelab.cli import main
from audiencelab.cli.advice import in_options
from audiencelab.ingest import draft_codebook
from audiencelab.ingest.columns import Variable
from audiencelab.ingest.draft.weights import choose_weight
from audiencelab.ingest.meaning.profile import ColumnProfile
from audiencelab.survey import Survey, SurveyError
from tests.messages import fails

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
        "Gewichtung", "gew", "Gewichtungsfaktor", "poids", "pond", "pondération", "ponderación",
        "peso", "ponderação", "pesi", "weging", "weegfactor", "vikt", "waga",
        "ウェイト", "权重", "가중치",
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
    with fails(SurveyError):
        draft_codebook(alone)


def test_what_bodies_weigh_is_not_the_weight_of_a_survey() -> None:
    kilograms = RANDOM.integers(45, 131, N)
    assert weight_of(survey_frame(weight=kilograms, wtfinl=WEIGHTS)) == "wtfinl"
    with fails(SurveyError):
        draft_codebook(survey_frame(weight=kilograms))
    unweighted = draft_codebook(survey_frame(weight=kilograms), weight=None)
    assert [each.code for each in unweighted.codebook.questions] == ["sex", "weight"]
    assert weight_of(survey_frame(weight_kg=kilograms, birth_weight=WEIGHTS)) is None
    for own in ("waga", "vikt", "peso"):
        with fails(SurveyError):
            draft_codebook(survey_frame(**{own: kilograms}))


def test_what_speaks_of_weights_among_other_things_is_doubtful(tmp_path: Path) -> None:
    assert weight_of(survey_frame(survey_weight_v3=WEIGHTS)) == "survey_weight_v3"
    parcels = survey_frame(parcel_weight_total=WEIGHTS * 1000)
    with fails(SurveyError):
        draft_codebook(parcels)
    questions = draft_codebook(parcels, weight=None).codebook.questions
    assert [each.code for each in questions] == ["sex", "parcel_weight_total"]
    path = tmp_path / "dhs.sav"
    labels = {"v005": "women's individual sample weight (6 decimals)"}
    pyreadstat.write_sav(survey_frame(v005=(WEIGHTS * 1e6).round()), path, column_labels=labels)
    with fails(SurveyError):
        draft_codebook(path)


@pytest.mark.parametrize("values", [[2], [1, 5], [120, 450, 900, 2000]])
def test_whole_numbers_of_few_values_are_weights(values: list[int]) -> None:
    assert weight_of(survey_frame(weight=np.resize(values, N))) == "weight"


def test_several_weights_are_listed_to_choose_from(tmp_path: Path) -> None:
    frame = survey_frame(pspwght=WEIGHTS, anweight=WEIGHTS / 2, dweight=WEIGHTS * 3)
    with fails(SurveyError) as caught:
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


KILOGRAMS = np.linspace(3.2, 121, N).round(1)
NEGATIVE = np.where(np.arange(N) < 2, -618.3, WEIGHTS * 1000)

DOUBTFUL: dict[str, tuple[dict[str, Any], list[str]]] = {
    "children and adults in kilograms": (
        {"height": KILOGRAMS + 50, "weight": KILOGRAMS},
        ['or weight: from 3.2 to 121, about 62.1 on average, which may be the weight of a body; '
         'al.open(…, weight="weight")'],
    ),
    "grams beside a height": (
        {"height_cm": KILOGRAMS / 3 + 40, "wt": KILOGRAMS * 20 + 1000},
        ['or wt: from 1,064 to 3,420, about 2,242 on average, which may be the weight of a body; '
         'al.open(…, weight="wt")'],
    ),
    "a weight of parcels": ({"weight": WEIGHTS / 20}, ['al.open(…, weight="weight")']),
    "codes": (
        {"weight": np.arange(N) % 5 + 1},
        ['or weight: from 1 to 5, about 3 on average, which may be codes of answers; '
         'al.open(…, weight="weight")'],
    ),
    "a text in a row": (
        {"weight": pd.Series(WEIGHTS, dtype=object).where(np.arange(N) != 7, "x")},
        ["not weight: it holds 'x', which is not a number; once corrected, it can be chosen"],
    ),
    "two of which one has negative numbers": (
        {"ASECWT": NEGATIVE, "ASECWTH": WEIGHTS * 900},
        ["not ASECWT: it holds -618.3, which cannot be a weight",
         'or ASECWTH: from 362.2 to 2,25', 'al.open(…, weight="ASECWTH")'],
    ),
    "two of which one has a gap": (
        {"weight_a": WEIGHTS, "weight_b": np.where(np.arange(N) == 9, np.nan, WEIGHTS)},
        ['al.open(…, weight="weight_a")', '1 respondents have none, and are left out (0.5%); '
         'al.open(…, weight="weight_b")'],
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", DOUBTFUL)
def test_a_doubtful_weight_is_not_taken_and_is_listed_with_its_code(
    kind: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    columns, expected = DOUBTFUL[kind]
    client = al.open(survey_frame(**columns), to=tmp_path / "survey")
    assert client.crosstab("sex").to_frame()["size"].sum() == N
    assert capsys.readouterr().out.count("no weight, all weigh 1: ") == 1
    found = [each for each in client.import_report.guesses if each.subject == "weight"]
    assert {each.severity for each in found} == {0}
    text = "\n".join(f"{each.said}; {each.code}" for each in found)
    for line in expected:
        assert line in text


@pytest.mark.parametrize(
    ("good", "columns"),
    [
        ("weight", {"weight": WEIGHTS, "height": KILOGRAMS}),
        ("weight", {"weight": WEIGHTS * 50_000}),
        ("wtfinl", {"weight": KILOGRAMS, "wtfinl": WEIGHTS}),
        ("wt", {"weight": np.arange(N) % 5 + 1, "wt": WEIGHTS}),
        ("wgt", {"wt_panel": np.where(np.arange(N) % 2, WEIGHTS, 0), "wgt": WEIGHTS}),
    ],
)
def test_a_good_weight_is_taken_beside_what_is_no_rival(good: str, columns: dict[str, Any]) -> None:
    assert weight_of(survey_frame(**columns)) == good


# ---- a weight that was asked for ----

REGIONS = {"1": "North", "2": "East", "3": "South", "4": "West", "5": "Centre"}
REFUSED: dict[str, tuple[Any, str]] = {
    "codes": (
        np.arange(N) % 5 + 1,
        'weight="region" is not valid: region holds codes of answers (1, 2, 3, 4, …), not weights.',
    ),
    "a text": (
        pd.Series(WEIGHTS, dtype=object).where(np.arange(N) != 7, "x"),
        "row 8, column region, value 'x': weight=\"region\" is not valid: 1 of 200 respondents "
        "(0.5%) have a value that is not a number from 0 to 1,000,000,000,000,000.",
    ),
    "negative": (NEGATIVE, "row 1, column region, value '-618.3'"),
    "infinite": (np.where(np.arange(N) == 2, np.inf, WEIGHTS), "row 3, column region, value 'inf'"),
    "zeros": (np.zeros(N), "region holds only zeros"),
    "gaps": (
        np.where(np.arange(N) < 3, np.nan, WEIGHTS),
        'weight="region" is not valid: it leaves out 3 of 200 respondents (1.5%), who have none',
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_column_that_cannot_be_the_weight_is_refused_with_one_that_can(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values, why = REFUSED[kind]
    frame = survey_frame(region=values, wgt=WEIGHTS)
    with pytest.raises(SurveyError) as caught:
        al.open(frame, weight="region", quiet=True)
    assert why in str(caught.value)
    assert "\n  wgt: from 0.4" in str(caught.value)
    assert str(caught.value).endswith('Write al.open(frame, weight="wgt").')
    al.open(frame, weight="wgt", quiet=True)
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    book = draft_codebook(frame, weight="wgt").codebook
    with fails(SurveyError):
        al.open(frame, codebook=book, weight="region", quiet=True)
    option = in_options(why)
    for command in (["import", "-o", str(tmp_path / "out")], ["crosstab", "--rows", "sex"]):
        assert main([*command, str(path), "--weight", "region"]) == 2
        assert option in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_codes_of_a_labelled_question_are_refused_by_their_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.sav"
    labels = {float(code): label for code, label in REGIONS.items()}
    frame = survey_frame(weight=np.arange(N) % 5 + 1)
    pyreadstat.write_sav(frame, path, variable_value_labels={"weight": labels})
    with fails(SurveyError):
        al.open(path, weight="weight", quiet=True)


def test_counts_and_zeros_weigh_as_asked_for() -> None:
    frame = survey_frame(count=np.arange(N) % 4 + 1, wgt=np.where(np.arange(N) % 2, WEIGHTS, 0))
    client = al.open(frame, weight="count", quiet=True)
    assert client.crosstab("sex").to_frame()["size"].sum() == frame["count"].sum()
    client = al.open(frame, weight="wgt", quiet=True)
    assert client.crosstab("sex").to_frame()["size"].sum() == pytest.approx(frame["wgt"].sum())


def test_who_has_no_weight_is_left_out_by_a_codebook(tmp_path: Path) -> None:
    gaps = np.where(np.arange(N) < 30, np.nan, WEIGHTS)
    frame = survey_frame(wgt=gaps, full=WEIGHTS)
    draft_codebook(frame, weight="wgt").save(tmp_path / "survey.toml")
    client = al.open(frame, codebook=tmp_path / "survey.toml", quiet=True)
    assert client.crosstab("sex").to_frame()["sample"].sum() == N - 30
    several = al.open(frame, weight=["full", "wgt"], quiet=True)
    assert several.weights == ("full", "wgt", None)


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
    with fails(SurveyError):
        choose_weight(columns, declared=["fx", "weight"], origin="a.sav")


def test_a_declared_weight_may_leave_out_one_in_a_hundred() -> None:
    numbers = [1 + place / 200 for place in range(99)]
    few = {"fx": profile("fx", numbers, without=1)}
    assert choose_weight(few, declared=["fx"], origin="a.sav").without == 1
    negative = {"fx": profile("fx", [*numbers, -1])}
    with fails(SurveyError):
        choose_weight(negative, declared=["fx"], origin="a.sav")
    many = {"fx": profile("fx", numbers[:98], without=2)}
    with fails(SurveyError):
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
    assert "--weight weight_a" in told
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
        ("CSTRATM", "CPSUM"),
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
    assert any("not vstrat" in each.said for each in draft.guesses if each.about == "design")
    assert [each.code for each in draft.codebook.questions] == ["sex"]


# ---- where the survey goes ----


def test_a_single_file_makes_a_folder_beside_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "my data").mkdir()
    survey_frame(wgt=WEIGHTS).to_csv("my data/kunden.csv", index=False)
    assert main(["import", "my data/kunden.csv"]) == 0
    assert "kunden: audiencelab lab --survey 'my data/kunden'" in capsys.readouterr().out
    assert Survey.open(folder / "my data" / "kunden").waves[0].respondents == N
    assert main(["import", "my data/kunden.csv"]) == 2
    refusal = capsys.readouterr().err
    assert "my data/kunden is a survey already" in refusal
    assert "audiencelab lab --survey 'my data/kunden', import again with --replace" in refusal
    assert main(["import", "my data/kunden.csv", "--replace", "-q"]) == 0
    assert main(["import", "two.csv", "my data/kunden.csv"]) == 2
    assert "Missing option --out DIR: only a single file" in capsys.readouterr().err
