"""Standard deviations are the sample's estimate on every surface: pandas' `std`, √ of `svyvar`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab.results.deviation import SD_FORMULA, spread_of, standard_deviation

GROUPS = ("a", "b", "c", "alone")
WEIGHTS: Any = pytest.mark.parametrize("weight", ["w", None])


@pytest.fixture(scope="module")
def people() -> pd.DataFrame:
    """Two waves; weights of 0; a group of one respondent."""
    rng = np.random.default_rng(2)
    n = 60
    frame = pd.DataFrame(
        {
            "wave": np.repeat(["w1", "w2"], n // 2),
            "w": np.where(np.arange(n) % 10 == 0, 0, rng.lognormal(0, 1, n).round(3)),
            "group": rng.choice(["a", "b", "c"], n),
            "x": rng.normal(50, 12, n).round(2),
        }
    )
    frame.loc[3, "group"] = "alone"
    frame.loc[[5, 17], "x"] = np.nan
    return frame


@pytest.fixture(scope="module")
def survey(people: pd.DataFrame) -> Iterator[al.Client]:
    with al.open(people, weight="w", wave="wave", quiet=True) as client:
        yield client


def svysd(people: pd.DataFrame, weight: str | None, **of: str) -> float:
    """√ of R's `svyvar`: n counts those with a weight; pandas' `std` without weights."""
    for column, value in of.items():
        people = people[people[column] == value]
    known = people[people["x"].notna()]
    if weight is None:
        return float(known["x"].std())
    known = known[known[weight] > 0]
    n, w = len(known), known[weight]
    mean = (w * known["x"]).sum() / w.sum()
    return float(np.sqrt(n / (n - 1) * (w * (known["x"] - mean) ** 2).sum() / w.sum()))


@WEIGHTS
def test_every_surface_shows_the_estimate(
    survey: al.Client, people: pd.DataFrame, weight: str | None
) -> None:
    client = survey.with_options(weight=weight)
    wanted = [svysd(people, weight, group=group) for group in GROUPS[:3]]
    whole = svysd(people, weight)
    assert client.standard_deviation("x").value == pytest.approx(whole, rel=1e-7)
    for verb in (client.standard_deviation, client.describe):
        listed = [line for line in verb("x", by="group").lines if line.statistic != "mean"]
        found = {line.group: line.value for line in listed if "deviation" in line.statistic}
        assert [found[each] for each in GROUPS[:3]] == pytest.approx(wanted, rel=1e-7)
        assert np.isnan(found["alone"])
        assert SD_FORMULA in repr(verb("x", by="group"))
    table = client.crosstab([client["x"].standard_deviation(), client["x"].mean()], "group")
    names = [column.name for column in table.columns]
    at = [names.index(group) for group in GROUPS]
    deviations = table["standard_deviation"].to_numpy()[:, at]
    for row in deviations:
        assert row[:3] == pytest.approx(wanted, rel=1e-7)
        assert np.isnan(row[3])
    assert table["value"].to_numpy()[0, at][:3] == pytest.approx(wanted, rel=1e-7)
    page = table.to_html()
    assert SD_FORMULA in page
    assert "–" in page
    frame = client.stats("x", splitter="group").averages()
    averaged: Any = frame.set_index("segment_label")["standard_deviation"]
    assert averaged[[*GROUPS[:3]]].tolist() == pytest.approx(wanted, rel=1e-7)
    assert np.isnan(averaged["alone"])
    waves: Any = client.stats("x", splitter="waves").averages()["standard_deviation"]
    by_wave = [svysd(people, weight, wave=wave) for wave in ("w1", "w2")]
    assert waves.tolist() == pytest.approx(by_wave, rel=1e-7)
    summary = client.summary_table("x", by="group")
    shown: Any = summary.to_frame().query("mean == mean").set_index("group")["standard_deviation"]
    assert shown[["Overall", *GROUPS[:3]]].tolist() == pytest.approx([whole, *wanted], rel=1e-7)
    assert f"{SD_FORMULA}." in summary.to_markdown()


def test_served_and_replayed_deviations_are_the_same(survey: al.Client, tmp_path: Path) -> None:
    def asked(client: al.Client) -> list[float]:
        return [line.value for line in client.standard_deviation("x", by="group").lines]

    with survey.recording(tmp_path / "sd.json"):
        own = asked(survey)
    with al.connect(snapshot=tmp_path / "sd.json") as replay:
        np.testing.assert_array_equal(asked(replay), own)


def test_the_spread_of_an_estimate_is_the_answered_one() -> None:
    n, spread = np.array([0, 1, 2, 50, np.nan]), np.array([np.nan, 0, 3, 7.1, np.nan])
    found = spread_of(standard_deviation(spread, n), n)
    np.testing.assert_allclose(found, [np.nan, 0, 3, 7.1, np.nan], rtol=1e-15)
