"""altair and narwhals read a result as its data frame."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("altair", reason="it brings narwhals")

import altair as alt
import narwhals as nw

from audiencelab import connect
from audiencelab.schema import CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from tests.results.samples import crosstab, metrics, row, stats


def results() -> list[Any]:
    group = StatsGroup(group_id=0, attributes=[], data=[CalcData(metrics(), waves=["q1_2024"])])
    found: list[Any] = [
        stats(row(), row("q1_2")),
        crosstab(),
        ChartCalculationResult("c-1", (group,)),
        crosstab().test(vs="rest"),
    ]
    with connect() as client:
        audiences = client.catalogue["Gender"].audiences()
        found += [
            client.waves(),
            client.catalogue,
            client.grid("q20"),
            client.overlap(audiences),
            client.profile(audiences[0], questions=["q4"]),
            client.quantile_groups("q4", 3),
            client.coverage(audiences[0]),
        ]
    return found


def test_narwhals_and_altair_take_a_result_as_its_frame() -> None:
    for result in results():
        frame = result.to_frame()
        assert nw.from_native(result).to_native().equals(frame), result
        chart: Any = alt.Chart(result).mark_bar().encode(x=f"{frame.columns[0]}:N")
        [drawn] = chart.to_dict()["datasets"].values()
        assert len(drawn) == len(frame), result
