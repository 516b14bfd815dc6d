"""Waves that were drawn from the same sampling points: linearised over all of them by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import audiencelab as al
from audiencelab.ingest import draft_codebook
from audiencelab.survey import Survey, SurveyError, export_survey
from tests.messages import fails

COMMON = "sampling points in common across waves"
WAVES = ("Q1 2025", "Q2 2025", "Q3 2025")


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """48 points in 4 strata, numbered in each, of which each wave has most; points differ."""
    rng = np.random.default_rng(5)
    n = 1_500
    point, stratum = rng.integers(1, 13, n), rng.integers(1, 5, n)
    level = rng.normal(0, 6, (5, 13))[stratum, point]
    return pd.DataFrame(
        {
            "wave": np.repeat(WAVES, n // 3),
            "w": rng.lognormal(0, 0.4, n).round(3),
            "stratum": stratum,
            "psu": point,
            "age": (45 + level + rng.normal(0, 12, n)).round(1),
            "tea": np.where(level + rng.normal(0, 6, n) > 0, "yes", "no"),
            "sex": rng.choice(["f", "m"], n),
        }
    )


def opened(people: pd.DataFrame, **options: Any) -> al.Client:
    drawn: dict[str, Any] = {"strata": "stratum", "clusters": "psu", **options}
    return al.open(people, weight="w", wave="wave", quiet=True, **drawn)


@pytest.fixture(scope="module")
def client(people: pd.DataFrame) -> Iterator[al.Client]:
    with opened(people, clusters_recur=True) as client:
        yield client


def linearised(people: pd.DataFrame, scores: Any, *, by_wave: bool = False) -> float:
    """Σ over strata n ÷ (n - 1) · Σ (z - z̄)², z the totals of weighted scores of each point."""
    keys = ["wave"] * by_wave + ["stratum", "psu"]
    totals = (people["w"] * scores).groupby([people[key] for key in keys]).sum()
    strata = totals.groupby(level=keys[:-1])
    apart = (totals - strata.transform("mean")) ** 2
    counts = strata.size()
    return float((apart.groupby(level=keys[:-1]).sum() * counts / (counts - 1)).sum())


def of_mean(people: pd.DataFrame, value: str, inside: Any = 1.0) -> Any:
    """What each respondent adds to a mean, without the weight."""
    whole = (people["w"] * inside).sum()
    mean = (people["w"] * inside * people[value]).sum() / whole
    return inside * (people[value] - mean) / whole


def test_errors_of_all_waves_rest_on_points_in_common(
    client: al.Client, people: pd.DataFrame
) -> None:
    people = people.assign(yes=(people["tea"] == "yes").astype(float))
    error = np.sqrt(linearised(people, of_mean(people, "age")))
    [line] = client.mean("age").lines
    assert line.standard_error == pytest.approx(error, rel=1e-6)
    assert line.degrees_of_freedom == 48 - 4
    share = np.sqrt(linearised(people, of_mean(people, "yes")))
    table = client.crosstab("tea", "sex")
    women = (people["sex"] == "f").astype(float)
    found = table.intervals().query("row == 'yes' and column == 'f'")
    of_women = np.sqrt(linearised(people, of_mean(people, "yes", women)))
    assert found["column_percentage_se"].item() == pytest.approx(100 * of_women, rel=1e-6)
    [proportion] = [each for each in client.proportion("tea").lines if each.answer == "yes"]
    assert proportion.standard_error == pytest.approx(100 * share, rel=1e-6)
    assert COMMON in table.test().method_note
    assert client.design.method.endswith("Sampling points in common across waves.")


def test_a_change_between_waves_has_what_points_have_in_common(
    client: al.Client, people: pd.DataFrame
) -> None:
    one, two = ((people["wave"] == wave).astype(float) for wave in WAVES[:2])
    scores = of_mean(people, "age", two) - of_mean(people, "age", one)
    means = [np.average(people["age"], weights=people["w"] * each) for each in (one, two)]
    t = (means[1] - means[0]) / np.sqrt(linearised(people, scores))
    tested = client.crosstab([client["age"].mean()], "waves").test(vs="previous wave")
    [found] = tested.to_frame().query("column == 'Q2 2025'").to_dict("records")
    assert found["p"] == pytest.approx(2 * stats.t.sf(abs(t), 48 - 4), rel=1e-6)
    assert COMMON in tested.method_note
    assert "separate samples" not in tested.method_note


def test_by_default_each_wave_has_points_of_its_own(people: pd.DataFrame) -> None:
    with opened(people) as client:
        error = np.sqrt(linearised(people, of_mean(people, "age"), by_wave=True))
        [line] = client.mean("age").lines
        assert line.standard_error == pytest.approx(error, rel=1e-6)
        [said] = [each for each in client.import_report.guesses if "recur in" in each.said]
        assert said.code == "al.open(…, clusters_recur=True)"
        again = client.design(clusters_recur=True)
        wider = np.sqrt(linearised(people, of_mean(people, "age")))
        assert again.mean("age").lines[0].standard_error == pytest.approx(wider, rel=1e-6)


def test_codebooks_and_exports_keep_what_recurs(people: pd.DataFrame, tmp_path: Path) -> None:
    draft = draft_codebook(people, weight="w", wave="wave", clusters="psu", clusters_recur=True)
    assert draft.codebook.design.clusters_recur
    with opened(people, clusters_recur=True, to=tmp_path / "survey") as client:
        error = client.proportion("tea").lines[0].standard_error
    export_survey(Survey.open(tmp_path / "survey"), tmp_path / "out")
    [book] = (tmp_path / "out").glob("*.toml")
    data = [each for each in (tmp_path / "out").iterdir() if each.suffix == ".parquet"]
    with al.open(data, codebook=book, quiet=True) as again:
        found = again.proportion("tea").lines[0]
        assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_there_have_to_be_clusters(people: pd.DataFrame) -> None:
    with fails(SurveyError):
        opened(people.drop(columns="psu"), clusters=None, clusters_recur=True)
