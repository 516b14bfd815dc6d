"""Waves as rows and columns, sizes of several audiences, and the metrics of stats and crosstab."""

from __future__ import annotations

import pytest

import audiencelab as al
from tests.messages import fails


@pytest.fixture(scope="module")
def client() -> al.Client:
    return al.connect()


def test_waves_are_columns_with_the_figures_of_a_trend(client: al.Client) -> None:
    for question in ("Gender", "Pets"):
        table = client.crosstab(question, "waves", waves="all")
        trend = client.trend(question)
        for metric in ("column", "size", "sample"):
            assert table[metric].to_numpy() == pytest.approx(trend[metric].to_numpy(), rel=1e-12)
        # The waves of a trend have bases of their own; those of a table are set against all.
        assert table.base_sample == sum(each.sample for each in client.waves())
    assert [each.name for each in client.crosstab("waves", "Gender").rows] == [
        each.name for each in client.waves()[-4:]
    ]
    assert client.crosstab("Gender", ["Age", "waves"], waves="2024").shape == (3, 7 + 4)


def test_the_total_percentage_of_stats_is_that_of_a_crosstab(client: al.Client) -> None:
    table = client.crosstab("Pets", "Age", base_audience=client["Gender"] == "Female", waves="2025")
    stats = client.stats(
        "Pets", audiences="Age", base_audience=client["Gender"] == "Female", waves="2025"
    )
    assert stats["total"].to_numpy() == pytest.approx(table["total"].to_numpy(), rel=1e-12)


def test_sizes_of_several_audiences_are_a_frame(client: al.Client) -> None:
    women, dogs = client["Gender"] == "Female", client["Pets"] == "Dog"
    sizes = client.size({"Women": women, "Dogs": dogs}, waves="2025")
    for name, each in (("Women", women), ("Dogs", dogs)):
        one = client.size(each, waves="2025")
        assert sizes.loc[name].tolist() == [one.size, one.sample, one.percentage]
    with fails(TypeError):
        client.size([client["Age"].mean()])


def test_a_comparison_writes_its_table(client: al.Client) -> None:
    table = client.crosstab("Gender", "Age")
    compared = table.test(levels=0.99)
    assert compared.to_html() == table.to_html(comparison=compared)
    with fails(TypeError):
        client.stats("Gender", audiences="Age").test().to_excel("tabs.xlsx")
