"""Bars of a crosstab: rows down, a group for each column, the figures of its own frame."""

from __future__ import annotations

import re

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.tables import FIGURES
from tests.charts.test_charts import OLD, YOUNG, texts, values_of
from tests.results.samples import crosstab, metrics, row, stats

SHARES = np.array([[10.0, 20, 15], [40, 5, np.nan]])


def test_a_crosstab_s_columns_are_groups_of_bars() -> None:
    drawn = values_of(charts.bar(crosstab(column_percentage=SHARES)))
    assert [(each["label"], each["group"], each["value"]) for each in drawn][:4] == [
        ("Men", "Tea", 10.0),
        ("Men", "Coffee", 20.0),
        ("Men", "Water", 15.0),
        ("Women", "Tea", 40.0),
    ]
    assert [each["line"] for each in drawn] == [0, 1, 2, 3, 4, 5]


def test_a_tick_is_the_row_s_share_of_the_base_and_only_beside_shares_of_columns() -> None:
    table = crosstab(column_percentage=SHARES)
    share = table.values("row_base_percentage").ravel()
    assert [each["base"] for each in values_of(charts.bar(table))] == pytest.approx(share)
    assert "tick: share of the base" in " ".join(texts(charts.bar(table).svg()))
    assert "tick" not in " ".join(texts(charts.bar(table, "row_percentage").svg()))


@pytest.mark.parametrize("metric", ["column_percentage", "index"])
def test_margins_are_the_intervals_of_the_table(metric: str) -> None:
    table = crosstab()
    drawn = values_of(charts.bar(table, metric, intervals=0.9))
    expected = table.intervals(level=0.9)
    for end in ("low", "high"):
        told = [each[end] for each in drawn]
        assert told == pytest.approx(expected[f"{metric}_{end}"].tolist(), rel=1e-9)


def test_bars_on_low_bases_have_stars_and_counts_have_none() -> None:
    table = crosstab(column_percentage=SHARES, column_sample=np.array([[29, 99, 100]] * 2))
    assert [each["mark"] for each in values_of(charts.bar(table))] == ["**", "*", "", "**", "*", ""]
    assert {each["mark"] for each in values_of(charts.bar(table, "size"))} == {""}


@pytest.mark.parametrize("metric", FIGURES)
def test_every_figure_can_be_drawn(metric: str) -> None:
    assert charts.bar(crosstab(), metric).svg().startswith("<svg")


def test_an_unknown_figure_and_margins_of_a_count_are_refused() -> None:
    with pytest.raises(ValueError, match="No figure 'loudness'"):
        charts.bar(crosstab(), "loudness")
    with pytest.raises(ValueError, match=r"'size' has no intervals.*column_perc"):
        charts.bar(crosstab(), "size", intervals=True)


def figures_at(drawing: charts.Chart) -> dict[str, float]:
    """Where the figures of a chart are, by their text: the x of each, from the left of the plot."""
    found = re.findall(
        r'<text[^>]* transform="translate\(([\d.-]+),[^>]*>([\d.]+%[ *]*)<', drawing.svg()
    )
    assert found
    return {text: float(x) for x, text in found}


@pytest.mark.parametrize("width", [220, 440])
def test_figures_are_in_one_column_clear_of_bars_ticks_and_intervals(width: int) -> None:
    shares = np.array([[10.0, 20, 15], [40, 5, 1]])
    drawing = charts.bar(crosstab(column_percentage=shares), intervals=True, width=width)
    assert set(figures_at(drawing).values()) == {float(width)}
    spec = drawing.to_dict()
    (_, most) = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    drawn = values_of(drawing)
    farthest = max(max(each["value"], each["base"], each["high"]) for each in drawn)
    assert width - farthest / most * width >= 50


def test_groups_on_one_base_share_a_tick() -> None:
    sizes = []
    for base in ([20.0, 20], [20, 30]):
        rows = [
            row("q1_1", metrics(100, audience_index=1000 / share), audience=audience)
            for share, audience in zip(base, ("a-1", "a-2"), strict=True)
        ]
        spec = charts.bar(stats(*rows, audiences=(YOUNG, OLD))).to_dict()
        ticks = [each for each in spec["layer"] if each["mark"]["type"] == "tick"]
        sizes.append({each["mark"]["size"] for each in ticks})
        assert all(("yOffset" in each["encoding"]) is (base[1] == 30) for each in ticks)
    assert sizes == [{32}, {12}]
