"""`client.rake`: targets as people have them, what it makes, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.survey import Survey, SurveyError
from audiencelab.survey.raking import Margin, Target, Targets, rake
from audiencelab.survey.reweighted import weighted_by
from audiencelab.tables.raked_weights import RakedWeights
from tests.messages import fails

PEOPLE = 300
GENDER = {"Female": 51, "Male": 49}
AGE = {"18-34": 30, "35-54": 35, "55+": 35}
REGION = {1: 2, 2: 1, 3: 1}


pytestmark = pytest.mark.usefixtures("own_cache")


def people(seed: int = 1) -> pd.DataFrame:
    """Two waves; one in twenty has no age."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "Gender": rng.choice(["Female", "Male"], PEOPLE, p=[0.7, 0.3]),
            "Age": rng.choice([*AGE], PEOPLE, p=[0.2, 0.3, 0.5]),
            "Region": rng.choice([*REGION], PEOPLE),
            "tea": rng.choice(["yes", "no"], PEOPLE),
            "wave": rng.choice(["2024", "2025"], PEOPLE),
            "wgt": rng.uniform(0.5, 2, PEOPLE).round(3),
        }
    )
    frame.loc[rng.random(PEOPLE) < 0.05, "Age"] = None
    return frame


FRAME = people()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("rake") / "survey"
    al.open(FRAME, weight="wgt", wave="wave", to=made, quiet=True).close()
    return made


@pytest.fixture
def client(folder: Path, tmp_path: Path) -> Iterator[al.Client]:
    from shutil import copytree

    copytree(folder, tmp_path / "survey")
    with al.open(tmp_path / "survey") as opened:
        yield opened


def shares(client: al.Client, question: str, **given: Any) -> list[float]:
    frame = client.crosstab(question, weight="raked", **given).to_frame()
    return (frame["size"] / frame["size"].sum()).tolist()


def test_a_new_weight_meets_its_targets_in_each_wave_beside_the_usual_one(
    client: al.Client,
) -> None:
    raked = client.rake({"Gender": GENDER, "Age": AGE, "Region": REGION})
    assert client.weights == ("wgt", "raked", None)
    for wave in ("2024", "2025"):
        assert shares(client, "Gender", waves=wave) == pytest.approx([0.51, 0.49])
        assert shares(client, "Age", waves=wave) == pytest.approx([0.3, 0.35, 0.35])
        assert shares(client, "Region", waves=wave) == pytest.approx([0.5, 0.25, 0.25])
    total = client.respondents().groupby("wave", observed=True)["weight"].sum().to_numpy()
    np.testing.assert_allclose(total, FRAME.groupby("wave")["wgt"].sum(), rtol=1e-9)
    # The same by hand: those without an age keep their share.
    by_wave = raked.by_wave()
    assert by_wave["respondents"].sum() == PEOPLE
    assert by_wave["unanswered"].sum() == FRAME["Age"].isna().sum()
    np.testing.assert_allclose(by_wave["total"], total, rtol=1e-9)
    weights = raked.weights.to_numpy()
    assert raked.effective_base == pytest.approx(weights.sum() ** 2 / np.square(weights).sum())
    assert raked.design_effect == pytest.approx(PEOPLE / raked.effective_base)
    frame: Any = raked.to_frame()
    first: Any = frame[(frame["wave"] == frame["wave"].iloc[0]) & (frame["question"] == "Gender")]
    own = FRAME[FRAME["wave"] == "2024"]
    unweighted = 100 * own["Gender"].value_counts(normalize=True)[["Female", "Male"]]
    before = 100 * own.groupby("Gender")["wgt"].sum() / own["wgt"].sum()
    np.testing.assert_allclose(first["unweighted"], unweighted)
    np.testing.assert_allclose(first["before"], before, rtol=1e-9)
    shown: str = getattr(raked, "_repr_html_")()  # noqa: B009 -- as a notebook reads it
    assert "weight='raked'" in shown.replace("&#x27;", "'").replace("&#39;", "'")
    assert raked.chart.summary == f"weights of {PEOPLE} respondents"


def test_words_of_other_programs_rake_too(client: al.Client) -> None:
    ours = client.rake({"Gender": GENDER}, start=None, cap=2, name="ours")
    rim: Any = cast(Any, client).rim_weights
    theirs = rim(population={"Gender": GENDER}, weight=None, max_weight=2, name="theirs")
    assert theirs.weights.equals(ours.weights.rename("theirs"))


def of_nested(client: al.Client) -> dict[str, Any]:
    """The same joint margin in all the forms that it may have."""
    cells: Any = FRAME.dropna(subset=["Age"]).groupby(["Gender", "Age"]).size()
    nested = {gender: cells[gender].to_dict() for gender in GENDER}
    key = ("Gender", "Age")
    flat = cells.rename("n").reset_index()
    return {
        "mapping": {key: cells.to_dict()},
        "series": {key: cells},
        "inside each other": {key: nested},
        "frame": {key: flat},
        "wide frame": {key: cells.unstack()},
        "population": (flat, {"margins": key}),
        "persons": (FRAME[["Gender", "Age"]], {"margins": [key]}),
        "another survey": ({("Gender", "Age"): client.with_options(weight=None)}, {}),
        "survey as a whole": (client.with_options(weight=None), {"margins": [key]}),
    }


def test_every_form_of_a_margin_gives_the_same_weights(client: al.Client) -> None:
    found: dict[str, Any] = {}
    for number, (name, given) in enumerate(of_nested(client).items()):
        both = cast(
            "tuple[Any, dict[str, Any]]", given if isinstance(given, tuple) else (given, {})
        )
        targets, options = both
        raked = client.rake(targets, name=f"w{number}", by="pooled", start=None, **options)
        found[name] = raked.weights.to_numpy()
    for name, weights in found.items():
        np.testing.assert_allclose(weights, found["mapping"], rtol=1e-9, err_msg=name)
    # These are the shares that the sample has.
    np.testing.assert_allclose(found["mapping"], 1, rtol=1e-9)


def test_the_same_again_changes_nothing_and_the_name_again_replaces(client: al.Client) -> None:
    first = client.rake({"Gender": GENDER})
    version = client.service.survey.version
    again = client.rake({"Gender": GENDER})
    assert client.service.survey.version == version
    pd.testing.assert_series_equal(first.weights, again.weights)
    # Not from the raked weights: from the usual one, whatever was raked before.
    other = client.rake({"Age": AGE})
    alone = client.rake({"Age": AGE}, name="alone")
    np.testing.assert_allclose(other.weights, alone.weights, rtol=1e-12)
    from_raked = client.rake({"Gender": GENDER}, name="next", start="raked")
    assert not np.allclose(from_raked.weights, first.weights, rtol=1e-3)
    assert client.weights == ("wgt", "raked", "alone", "next", None)


def test_a_weight_raked_in_its_place_is_raked_again_from_what_it_was(client: al.Client) -> None:
    before = client.rake({"Age": AGE}, name="before").weights
    gender = client.catalogue["Gender"]
    codes = {each.code: float(GENDER[each.name]) for each in gender.datapoints}
    survey = client.service.survey
    rake(survey.path, Targets((Target((Margin(gender.code, codes),)),)))
    with al.open(survey.path) as opened:
        after = opened.rake({"Age": AGE}, name="after").weights
    np.testing.assert_allclose(after, before, rtol=1e-9)


CHANGES: dict[str, Any] = {
    "recode": lambda client: client.recode("Age", {"18-54": ["18-34", "35-54"]}),
    "missing": lambda client: client.edit("Age", missing=["55+"]),
    "relabel": lambda client: client.relabel("Age", {"55+": "55 and over"}),
    "another question": lambda client: client.recode("tea", {"any": ["yes", "no"]}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_margin_that_changes_is_named_until_the_weight_is_raked_again(
    client: al.Client, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    client.rake({"Gender": GENDER, "Age": AGE})
    CHANGES[name](client)
    is_changed = name in ("recode", "missing")
    said = "raked: raked to Age as it was before a change"
    code = f"client.rake({ {'Gender': GENDER, 'Age': AGE}!r})"
    told = [(e.said, e.code) for e in client.import_report.guesses if e.severity == 0]
    assert told == [(said, code)] * is_changed
    assert (said in capsys.readouterr().out) == is_changed
    weight = weighted_by(client.service.survey, "raked").manifest.weight
    assert weight.endswith("(Age changed since)") == is_changed
    client.rake({"Gender": GENDER})
    assert not any(each.severity == 0 for each in client.import_report.guesses)


def test_a_derived_margin_and_a_wave_without_the_weight_are_named(client: al.Client) -> None:
    stages = [{"Young": client["Age"] == age, "Other": ...} for age in ("18-34", "35-54")]
    client.derive("Stage", stages[0])
    client.rake({"Stage": {"Young": 40, "Other": 60}}, name="staged")
    client.derive("Stage", stages[1])
    client.add_wave(people(2).assign(wave="2026"), quiet=True)
    told = [each.said for each in client.import_report.guesses if each.subject == "weight"]
    assert told[0] == "staged: raked to Stage as it was before a change"
    assert "staged: respondents of wave 2026 were not raked" in told


def test_waves_and_locations_outside_keep_their_weight(client: al.Client) -> None:
    raked = client.rake({"Gender": GENDER}, waves="2025", total=1000)
    weights: Any = raked.weights
    assert weights.loc[client.service.survey.waves[1].code].sum() == pytest.approx(1000)
    kept = weights.loc[client.service.survey.waves[0].code].to_numpy()
    own = FRAME[FRAME["wave"] == "2024"]["wgt"].to_numpy()
    np.testing.assert_allclose(np.sort(kept), np.sort(own), rtol=1e-9)


def test_errors_account_for_the_weight_that_is_chosen(client: al.Client) -> None:
    client.rake({"Gender": GENDER, "Age": AGE})
    table = client.crosstab("Gender", weight="raked")
    effects = client.design_effects(table)
    assert "raking accounted for" in effects.method_note
    assert effects.standard_errors.tolist() == [[0], [0]]
    assert "raking" not in client.design_effects(client.crosstab("Gender")).method_note
    # An edit of the survey keeps weights and margins.
    edited = client.edit("tea", labels={"yes": "Yes"})
    again = edited.design_effects(edited.crosstab("Gender", weight="raked"))
    assert again.standard_errors.tolist() == [[0], [0]]


def test_weights_find_their_way_back_to_the_frame(tmp_path: Path) -> None:
    client = al.open(FRAME, weight="wgt", wave="wave", to=tmp_path / "rows", quiet=True)
    weights = client.rake({"Gender": GENDER}).weights
    assert weights.index.names == ["wave", "row"]
    # By hand: within a wave, a factor for each gender.
    by = [FRAME["wave"], FRAME["Gender"]]
    ratio = FRAME.groupby("wave")["wgt"].transform("sum") / FRAME.groupby(by)["wgt"].transform(
        "sum"
    )
    expected = FRAME["wgt"] * FRAME["Gender"].map(GENDER) / 100 * ratio
    np.testing.assert_allclose(weights.to_numpy(), expected, rtol=1e-9)
    named = FRAME.assign(respid=np.arange(PEOPLE)[::-1] + 5000)
    client = al.open(named, weight="wgt", wave="wave", to=tmp_path / "keys", quiet=True)
    keyed = client.rake({"Gender": GENDER}).weights.droplevel("wave")
    np.testing.assert_allclose(named["respid"].map(keyed), expected, rtol=1e-9)


def test_the_code_of_a_client_makes_the_weight_again(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "people.csv", index=False)
    client = al.open(tmp_path / "people.csv", weight="wgt", wave="wave", quiet=True)
    raked = client.rake({"Gender": GENDER, ("Region", "Age"): region_by_age()}, cap=4)
    code = client.to_code()
    assert code.endswith(", cap=4).client")
    again = eval(code, {"al": al})
    assert again.weights == client.weights
    expected = client.crosstab("tea", weight="raked").to_frame()
    pd.testing.assert_frame_equal(again.crosstab("tea", weight="raked").to_frame(), expected)
    assert isinstance(raked, RakedWeights)


def region_by_age() -> dict[tuple[int, str], int]:
    return {(region, age): 1 + region for region in REGION for age in AGE}


def test_everything_that_is_wrong_is_listed_and_nothing_changes(client: al.Client) -> None:
    version, no_such = client.service.survey.version, dict[str, Any](by="wave")
    with fails(SurveyError):
        client.rake(
            {
                "Gendr": GENDER,
                "Age": {"18-34": 30, "35-54": 33, "55 plus": 35},
                "Region": {1: 2, 2: 1, 7: 1},
            },
            waves="2031",
        )
    with fails(SurveyError):
        client.rake({"Gender": {"Female": 1}, "Age": {"18-34": 0.5, "35-54": 0.5}})
    with fails(SurveyError):
        client.rake({"Gender": GENDER, "Age": AGE}, missing="error")
    with fails(SurveyError):
        client.rake({"Gender": GENDER}, name="wgt")
    with fails(SurveyError):
        client.rake({"Gender": GENDER}, start="raked")
    with fails(SurveyError):
        client.rake({"Gender": GENDER}, start="wgt2")
    with fails(SurveyError):
        client.rake({"Gender": GENDER, "Age": {"18-34": 90, "35-54": 5, "55+": 5}}, cap=1.5)
    with fails(ValueError):
        client.rake({"Gender": GENDER}, **no_such)
    with fails(TypeError):
        client.rake([51, 49])
    with fails(TypeError):
        client.rake({"Gender": {"Female": "51%", "Male": 49}})
    with fails(ValueError):
        client.rake(FRAME[["Gender", "Age", "wgt"]])
    assert client.service.survey.version == version
    assert Survey.open(client.service.survey.path).manifest.weight_names == ("wgt",)


def test_margins_that_contradict_each_other_are_named_with_the_empty_cells(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"sex": ["f", "f", "m", "m"], "age": ["old", "old", "young", "young"], "x": [1, 2, 1, 2]}
    )
    client = al.open(frame, weight=None, to=tmp_path / "small", quiet=True)
    half = {"f": 50, "m": 50}
    with fails(SurveyError):
        client.rake({"sex": half, "age": {"old": 30, "young": 70}, "x": {1: 1, 2: 1}})


@pytest.mark.parametrize("shares", [(51, 49), (0.51, 0.49), (5100, 4900), (33.4, 66.7), (1, 2)])
def test_shares_may_be_in_any_unit(client: al.Client, shares: tuple[float, float]) -> None:
    raked = client.rake({"Gender": dict(zip(GENDER, shares, strict=True))}, by="pooled")
    assert raked.to_frame()["after"].tolist() == pytest.approx(
        [100 * each / sum(shares) for each in shares]
    )


@pytest.mark.parametrize("shares", [(51, 47), (0.51, 0.47), (50.2, 49.0)])
def test_shares_that_should_add_up_are_refused(
    client: al.Client, shares: tuple[float, float]
) -> None:
    with pytest.raises(SurveyError, match="add up to"):
        client.rake({"Gender": dict(zip(GENDER, shares, strict=True))})
