"""Every table that a notebook shows states the waves that its figures rest on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from audiencelab import Client, connect, side_by_side
from audiencelab.schema import CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult
from tests.results.samples import metrics

WAVES = ["q3_2025", "q4_2025"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with connect() as client:
        yield client


def test_every_table_of_a_notebook_states_its_waves(client: Client) -> None:
    men, women = client.catalogue["Gender"].audiences()[:2]
    ages = client.catalogue["Age"]
    table = client.crosstab(rows=[men, women], columns=ages.audiences(), waves=WAVES)
    stats = client.stats("q4", audiences=[men, women], waves=WAVES)
    calculated = StatsGroup(group_id=0, attributes=[], data=[CalcData(metrics(), waves=WAVES)])
    results: list[Any] = [
        table,
        side_by_side({"One": table, "Two": table}),
        stats,
        client.grid("q20", waves=WAVES),
        client.overlap([men, women], waves=WAVES),
        client.profile(men, questions=["q4"], waves=WAVES),
        client.quantile_groups("q4", 3, waves=WAVES),
        client.design_effects(table),
        table.test(),
        table.test(vs="rest"),
        stats.test(midpoints=ages),
        ChartCalculationResult("c-1", (calculated,)),
    ]
    for result in results:
        shown = result._repr_html_()
        assert "2 waves: Q3 2025, Q4 2025" in shown, type(result).__name__
        assert "2 waves: Q3 2025, Q4 2025" in repr(result), type(result).__name__


def test_a_crosstab_of_the_usual_waves_states_them(client: Client) -> None:
    table = client.crosstab(rows=client.catalogue["Gender"].audiences())
    assert "4 waves: Q1 2025 to Q4 2025" in table._repr_html_()
