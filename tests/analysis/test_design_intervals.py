"""Intervals by the sample's design: of every percentage, and where there are none, why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import audiencelab as al
from audiencelab import Audience
from tests.oracle.shares import opened
from tests.oracle.shares import respondents as people

ENDS = ("se", "low", "high")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Client]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUDIENCELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        with opened(strata="stratum", clusters="cluster") as client:
            yield client


def ends(frame: pd.DataFrame, name: str) -> np.ndarray:
    return frame[[f"{name}_{end}" for end in ENDS]].to_numpy()


def by(frame: pd.DataFrame, *names: str) -> pd.DataFrame:
    """The lines of a frame in the order of some of its columns."""
    return frame.astype(dict.fromkeys(names, str)).sort_values(list(names))


def test_a_row_percentage_has_the_interval_of_the_column_percentage_turned_round(
    client: al.Client,
) -> None:
    frame, turned = (
        client.crosstab(*axes).intervals() for axes in (["often", "region"], ["region", "often"])
    )
    found, expected = by(frame, "row", "column"), by(turned, "column", "row")
    np.testing.assert_array_equal(
        ends(found, "row_percentage"), ends(expected, "column_percentage")
    )
    np.testing.assert_array_equal(
        ends(found, "column_percentage"), ends(expected, "row_percentage")
    )
    assert not np.isnan(ends(found, "row_percentage")).any()


def test_percentages_of_the_base_have_the_intervals_of_a_table_of_the_base(
    client: al.Client,
) -> None:
    frame = by(client.crosstab("often", "region").intervals(), "column", "row")
    both = [
        Audience(f"{region.name} {often.name}", al.all_of(region, often))
        for region in client.catalogue.audiences("region")
        for often in client.catalogue.audiences("often")
    ]
    cells, rows, columns = (client.crosstab(axis).intervals() for axis in (both, "often", "region"))
    np.testing.assert_allclose(
        ends(frame, "total_percentage"), ends(cells, "column_percentage"), rtol=1e-12
    )
    for name, whole, key in (
        ("row_base_percentage", rows, frame["row"]),
        ("column_base_percentage", columns, frame["column"]),
    ):
        known = whole.set_index(whole["row"].astype(str)).loc[key]
        np.testing.assert_allclose(ends(frame, name), ends(known, "column_percentage"), rtol=1e-12)


def test_a_stats_row_has_the_intervals_of_the_same_table(client: al.Client) -> None:
    frame = by(client.crosstab("often", "region").intervals(), "row", "column")
    rows = client.stats("often", splitter="region").intervals()
    rows = by(
        rows.rename(columns={"datapoint_label": "row", "segment_label": "column"}), "row", "column"
    )
    for name in ("column_percentage", "row_percentage", "index"):
        np.testing.assert_allclose(ends(rows, name), ends(frame, name), rtol=1e-9)


def test_an_index_of_a_row_within_one_column_has_the_linearised_error(client: al.Client) -> None:
    """Its rest is 0, and its logarithm that of base ÷ column."""
    north = client["region"] == "north"
    inside = (north & (client["often"] == "yes")).named("often in the north")
    table = client.crosstab([inside], [north.named("north")])
    [line] = table.intervals().to_dict("records")
    known = client.design_effects(table).precision.linearised
    assert known is not None
    spread = known.index_variance[0, 0] ** 0.5
    assert line["index_se"] == pytest.approx(line["index"] * spread, rel=1e-12)
    part = client.crosstab([north.named("north")]).intervals()["column_base_percentage"]
    assert line["index"] == pytest.approx(100 * 480 / 96, rel=0.05)
    assert line["index_low"] < line["index"] < line["index_high"]
    assert part.tolist() == [100]


def test_columns_without_degrees_of_freedom_have_no_interval_and_are_counted(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each region in one cluster: all that shows how it varies is that there are five of them."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    frame = people()
    client = opened(frame.assign(cluster=frame["stratum"] // 2), clusters="cluster")
    table = client.crosstab("often", "region")
    found = table.intervals(precision="nchs")
    assert found[["column_percentage_low", "index_low"]].isna().all(axis=None)
    assert set(found["reliability"]) == {"suppress"}
    assert found["row_base_percentage_low"].notna().all()
    note = found.attrs["method_note"]
    assert "no interval of 10 column percentages without degrees of freedom" in note


def test_very_unequal_weights_make_intervals_approximate(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    frame, notes = people(), list[str]()
    heavy = np.where(np.arange(480) % 17 == 0, 40.0, 1.0)
    for weights in (frame["w"], heavy):
        table = opened(frame.assign(w=weights)).crosstab("often", "region")
        notes.append(table.intervals().attrs["method_note"])
    words = "intervals approximate (design effect of the weights up to"
    assert [words in note for note in notes] == [False, True]


def test_a_percentage_that_the_service_cannot_be_asked_about_has_its_reason(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of columns that are waves, the percentages are those of two tables side by side."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    frame = people().assign(year=np.arange(480) % 2 + 2024)
    table = al.open(frame, weight="w", wave="year", quiet=True).crosstab("often", "waves")
    found = table.intervals()
    assert found[["column_percentage_low", "row_base_percentage_low"]].notna().all(axis=None)
    assert found[["row_percentage_low", "total_percentage_low"]].isna().all(axis=None)
    reason = "no interval of total_percentage, row_percentage, column_base_percentage: the service"
    assert reason in found.attrs["method_note"]
    subtitle = str(table.chart.bar("row", intervals=True).to_dict())
    assert "95% intervals, none: the service counts other respondents for them" in subtitle


def test_an_interval_accounts_for_a_finite_population(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three of four were drawn, so that intervals are half as wide."""
    monkeypatch.setenv("AUDIENCELAB_CACHE", str(tmp_path))
    frame = people().assign(w=1.0, population=640)
    widths = []
    for design in ({}, {"fpc": "population"}):
        found = opened(frame, **design).crosstab("often", "region").intervals()
        low, high = (found[f"column_percentage_{end}"] for end in ("low", "high"))
        widths.append((high - low).to_numpy())
    np.testing.assert_allclose(widths[1] / widths[0], 0.5, rtol=0.03)
