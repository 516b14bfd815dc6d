"""Tests between the waves of a panel use the pairs, as R's `survey` with persons as clusters.

`panel.py` makes the respondents, and `panel.R` computed `panel.json` of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from msgspec.structs import replace

import audiencelab as al
from audiencelab.cli import main
from audiencelab.engine.variance.design import PAIRED as OF_THE_ENGINE
from audiencelab.ingest import add_wave, draft_codebook, import_survey
from audiencelab.survey import Survey, SurveyError
from tests.messages import fails
from tests.oracle.panel import panel

FIGURES: dict[str, Any] = json.loads(Path(__file__).with_name("panel.json").read_text("utf-8"))
DESIGNS: dict[str, dict[str, Any]] = {
    "persons": {},
    "alike": {},
    "strata": {"strata": "stratum"},
    "clusters": {"strata": "stratum", "clusters": "cluster"},
    "replicates": {
        "replicates": tuple(f"rep{number}" for number in range(1, 21)),
        "replicate_method": "JK1",
    },
}
PAIRED = "persons paired across waves"


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One for all tests here: a design is imported once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@cache
def opened(name: str, person: str | None = "pid") -> al.Client:
    frame, weight = panel(), None if name == "alike" else "pw"
    drafted = draft_codebook(frame, weight=weight, wave="wave").codebook
    asked = ("y", "score", "region")
    questions = tuple(each for each in drafted.questions if each.code in asked)
    design = replace(type(drafted.design)(**DESIGNS[name]), person=person)
    return al.open(frame, codebook=replace(drafted, questions=questions, design=design), quiet=True)


def yes(frame: pd.DataFrame) -> pd.DataFrame:
    """The lines of the answer, by the other wave."""
    return frame[frame["datapoint_label"] == "yes"].dropna(subset="difference")


@pytest.mark.parametrize("name", DESIGNS)
def test_waves_differ_as_svycontrast_has_it(name: str) -> None:
    client, known = opened(name), FIGURES[name]
    trend = client.stats("y", splitter="waves")
    compared = trend.test(vs="previous wave", pooled=False)
    lines = yes(compared.to_frame())
    found = lines[["difference", "standard_error"]].to_numpy() / 100
    np.testing.assert_allclose(found, [known["first"], known["second"]], rtol=1e-7)
    assert PAIRED in compared.method_note
    assert PAIRED == OF_THE_ENGINE
    assert "separate samples" not in compared.method_note
    # The degrees of freedom of R's subset of both waves.
    if name != "replicates":
        assert lines["degrees_of_freedom"].iloc[0] == known["freedom"][1]
    every = yes(trend.test(pooled=False).to_frame())
    pair = every.iloc[0]
    found = np.array([-pair["difference"], pair["standard_error"]]) / 100
    np.testing.assert_allclose(found, known["first"], rtol=1e-7)
    effects = client.design_effects(trend)
    at = trend.datapoints.index(next(iter(lines["datapoint"])))
    np.testing.assert_allclose(effects.standard_errors[at] / 100, known["errors"], rtol=1e-7)
    assert PAIRED in effects.method_note


@pytest.mark.parametrize("name", DESIGNS)
def test_waves_of_a_part_and_columns_over_all_waves(name: str) -> None:
    client, known = opened(name), FIGURES[name]
    north = client.stats("y", splitter="waves", base_audience=client["region"] == "north")
    line = yes(north.test(vs="previous wave", pooled=False).to_frame()).iloc[0]
    found = [line["difference"] / 100, line["standard_error"] / 100]
    assert found == pytest.approx(known["north"], rel=1e-7)
    if name != "replicates":
        assert line["degrees_of_freedom"] == known["freedom"][2]
    # Over all waves, answers of a person are no more than those of one person.
    table = client.crosstab("y", "region", waves="all")
    effects = client.design_effects(table)
    at = [row.name for row in table.rows].index("yes")
    errors = effects.standard_errors[at] / 100
    np.testing.assert_allclose(errors, known["regions"][:2], rtol=1e-7)
    line = table.test(pooled=False).to_frame().query("row == 'yes'").iloc[0]
    assert line["standard_error"] / 100 == pytest.approx(known["regions"][2], rel=1e-7)
    # Two columns that are each other's rest.
    rest = table.test(vs="rest", pooled=False).to_frame().query("row == 'yes'").iloc[0]
    assert rest["standard_error"] / 100 == pytest.approx(known["regions"][2], rel=1e-7)


@pytest.mark.parametrize("name", DESIGNS)
def test_means_of_waves_differ_as_svycontrast_has_it(name: str) -> None:
    client, known = opened(name), FIGURES[name]
    waves = [al.Q("waves").any(each.code).named(each.name) for each in client.waves()]
    table = client.crosstab([client["score"].mean()], waves, waves="all")
    means: Any = table.test().statistics
    line = means.to_frame().iloc[0]
    found = [-line["difference"], line["standard_error"]]
    assert found == pytest.approx(known["scores"], rel=1e-7)
    assert PAIRED in means.method_note
    # The same waves as columns of percentages.
    shares = client.crosstab("y", waves, waves="all").test(pooled=False)
    line = shares.to_frame().query("row == 'yes'").iloc[0]
    found = [-line["difference"] / 100, line["standard_error"] / 100]
    assert found == pytest.approx(known["first"], rel=1e-7)


def wide() -> pd.DataFrame:
    """300 persons, all in both waves."""
    rng = np.random.default_rng(5)
    taste = rng.normal(size=300)
    answers = {
        f"tea_w{wave}": np.where(taste + rng.normal(size=300) > shift, "yes", "no")
        for wave, shift in ((1, 0.3), (2, 0.0))
    }
    return pd.DataFrame({"sex": rng.choice(["f", "m"], 300), **answers})


def test_all_pairs_make_mcnemars_variance(tmp_path: Path) -> None:
    people = wide()
    one, other = (people[f"tea_w{wave}"] == "yes" for wave in (1, 2))
    gained, lost, n = (other & ~one).sum(), (one & ~other).sum(), len(people)
    change = (gained - lost) / n
    # Of the mean of n changes of -1, 0 and 1.
    error = np.sqrt(((gained + lost) / n - change**2) / (n - 1))
    client = al.open(people, wave="_w*", quiet=True)
    compared = client.stats("tea", splitter="waves").test(vs="previous wave", pooled=False)
    line = yes(compared.to_frame()).iloc[0]
    assert line["difference"] / 100 == pytest.approx(change, rel=1e-12)
    assert line["standard_error"] / 100 == pytest.approx(error, rel=1e-9)
    assert line["degrees_of_freedom"] == n - 1
    # Under one share for both waves: McNemar's (b - c)² ÷ (b + c), but for the rest's rounding.
    mcnemar = (gained - lost) / np.sqrt(gained + lost)
    pooled = yes(client.stats("tea", splitter="waves").test(vs="previous wave").to_frame())
    assert pooled["z"].iloc[0] == pytest.approx(mcnemar, rel=0.01)
    separate = client.stats("tea", splitter="waves").test(vs="previous wave", design=None)
    assert abs(yes(separate.to_frame())["z"].iloc[0]) < 0.9 * abs(mcnemar)
    assert "waves taken as separate samples" in separate.method_note


def test_one_wave_of_a_panel_is_a_sample_like_others() -> None:
    panels, apart = opened("persons"), opened("persons", person=None)
    for wave in ("wave 1", "wave 2"):
        found, expected = (
            client.crosstab("y", "region", waves=wave).test().to_frame()
            for client in (panels, apart)
        )
        pd.testing.assert_frame_equal(found, expected)
    compared = apart.stats("y", splitter="waves").test(vs="previous wave")
    assert "waves taken as separate samples" in compared.method_note


def test_persons_who_are_in_one_wave_only_pair_nobody() -> None:
    frame = panel()
    frame["pid"] = frame["pid"] + 100_000 * frame["wave"]
    client = al.open(frame, weight="pw", wave="wave", person="pid", quiet=True)
    expected = al.open(frame, weight="pw", wave="wave", quiet=True)
    found, known = (
        each.stats("y", splitter="waves").test(vs="previous wave") for each in (client, expected)
    )
    pd.testing.assert_frame_equal(found.to_frame(), known.to_frame())
    assert PAIRED not in found.method_note


def test_a_wave_without_persons_is_a_sample_of_its_own() -> None:
    frame = panel()
    frame["pid"] = frame["pid"].where(frame["wave"] != 3)
    client = al.open(frame, weight="pw", wave="wave", person="pid", quiet=True)
    lines = yes(
        client.stats("y", splitter="waves").test(vs="previous wave", pooled=False).to_frame()
    )
    of_two = frame[frame["wave"] < 3]
    both = al.open(of_two, weight="pw", wave="wave", person="pid", quiet=True)
    pair = yes(both.stats("y", splitter="waves").test(vs="previous wave", pooled=False).to_frame())
    errors = lines["standard_error"].to_numpy()
    assert errors[0] == pytest.approx(pair["standard_error"].iloc[0], rel=1e-9)
    effects = client.design_effects(client.stats("y", splitter="waves"))
    second, third = effects.standard_errors[0][1:]
    assert errors[1] == pytest.approx(np.hypot(second, third), rel=1e-9)
    frame.loc[frame.index[frame["wave"] == 2][0], "pid"] = np.nan
    with fails(SurveyError):
        al.open(frame, weight="pw", wave="wave", person="pid", quiet=True)


def test_persons_are_kept_in_the_survey_and_in_what_is_exported(tmp_path: Path) -> None:
    source = tmp_path / "panel.csv"
    panel()[["wave", "pid", "y", "pw"]].to_csv(source, index=False)
    made = str(tmp_path / "made")
    assert main(["import", str(source), "--wave", "wave", "--weight", "pw", "--person", "pid",
                 "-o", made]) == 0  # fmt: skip
    assert 'person = "pid"' in (tmp_path / "made.toml").read_text("utf-8")
    survey = Survey.open(made)
    assert [each.code for each in survey.catalogue.questions if each.code == "pid"] == []
    numbers = [survey.wave(each.code).design.persons for each in survey.waves]
    frame = panel()
    expected = frame[frame["wave"].isin([1, 2])]["pid"].value_counts().eq(2).sum()
    assert numbers[0] is not None
    assert numbers[1] is not None
    assert len(np.intersect1d(numbers[0], numbers[1])) == expected
    # Numbers of the survey, and not those of the file.
    assert np.intersect1d(numbers[0], frame["pid"]).size == 0
    exported = tmp_path / "back"
    assert main(["survey", "export", made, "-o", str(exported)]) == 0
    found = al.open(
        exported / "respondents.parquet", codebook=exported / "codebook.toml", quiet=True
    )
    first = al.connect(survey=made).stats("y", splitter="waves").test(vs="previous wave")
    again = found.stats("y", splitter="waves").test(vs="previous wave")
    assert PAIRED in again.method_note
    np.testing.assert_allclose(again.to_frame()["p"], first.to_frame()["p"], rtol=1e-9)
    frame = found.respondents()
    assert frame.columns.tolist() == ["row", "wave", "weight", "person"]
    assert frame["person"].nunique() < len(frame)


@pytest.mark.parametrize("name", ["persons", "clusters"])
def test_waves_that_are_added_later_know_the_persons(name: str, tmp_path: Path) -> None:
    columns = ["wave", "pid", "y", "pw", "stratum", "cluster"]
    parts: list[tuple[Path, Any]] = []
    frame = panel()[columns]
    for wave in (1, 2):
        path = tmp_path / f"{wave}.csv"
        frame[frame["wave"] == wave].to_csv(path, index=False)
        book = draft_codebook(path, weight="pw", wave="wave", person="pid").codebook
        design = replace(type(book.design)(**DESIGNS[name]), person="pid")
        parts.append((path, replace(book, design=design)))
    import_survey(*parts[0], tmp_path / "survey")
    add_wave(tmp_path / "survey", [parts[1][0]], parts[1][1])
    client = al.open(tmp_path / "survey")
    compared = client.stats("y", splitter="waves").test(vs="previous wave", pooled=False)
    line = yes(compared.to_frame()).iloc[0]
    both = opened(name).stats("y", splitter="waves", waves=["wave_1", "wave_2"])
    known = yes(both.test(vs="previous wave", pooled=False).to_frame()).iloc[0]
    assert line["standard_error"] == pytest.approx(known["standard_error"], rel=1e-9)
    assert line["degrees_of_freedom"] == known["degrees_of_freedom"]


def test_what_cannot_be_a_person_is_refused() -> None:
    frame = panel()
    with fails(SurveyError):
        al.open(frame, weight="pw", person="nobody", quiet=True)
    with fails(SurveyError):
        al.open(frame, codebook=draft_codebook(frame, weight="pw").codebook, person="pid")
