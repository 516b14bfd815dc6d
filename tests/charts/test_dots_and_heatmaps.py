"""Dots are at their values, joined from the least to the most; heat maps have a cell for each."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab import charts
from audiencelab.charts.heatmaps import heat
from audiencelab.charts.label_placement import spread_out
from audiencelab.charts.theme import look
from tests.charts.samples import (
    LOW,
    SHARES,
    WAVES,
    answer,
    calculation,
    contrast,
    datasets,
    subtitle,
    texts,
    two_audiences,
    two_audiences_by_wave,
    values_of,
)
from tests.messages import fails
from tests.results.samples import by_wave, crosstab, metrics, row, stats


def test_a_row_joins_the_least_and_the_largest_which_alone_have_labels() -> None:
    many = np.full(SHARES.shape, 100)
    chart = charts.dots(crosstab(column_percentage=SHARES, column_sample=many))
    men = [each for each in values_of(chart) if each["label"] == "Men"]
    assert {(each["least"], each["most"]) for each in men} == {(10.0, 20.0)}
    ends = {each["group"]: each["end"] for each in men}
    assert ends == {"Tea": "least", "Coffee": "most", "Water": "between"}
    shown = set(texts(chart.svg()))
    assert {"10.0%", "20.0%", "40.0%", "5.0%"} <= shown
    assert "15.0%" not in shown


def test_dots_are_audiences_or_segments() -> None:
    of_audiences = values_of(charts.dots(two_audiences()))
    assert [each["group"] for each in of_audiences] == ["Young", "Old"] * 2
    waves = values_of(charts.dots(by_wave(["q1_2024", "q2_2024"])))
    assert {each["group"] for each in waves} == {"Q1 2024", "Q2 2024"}
    both = charts.dots(two_audiences_by_wave()).to_dict()
    assert len(both["concat"]) == 2, "a panel for each audience"


def test_the_widest_gap_comes_first() -> None:
    shown = texts(charts.dots(crosstab(column_percentage=SHARES), sort="gap").svg())
    assert [text for text in shown if text in ("Men", "Women")] == ["Women", "Men"]


def test_dots_on_low_bases_are_hollow_and_explained() -> None:
    table = crosstab(column_percentage=SHARES, column_sample=np.array([[99, 100, 500]] * 2))
    chart = charts.dots(table)
    assert [each["mark"] for each in values_of(chart)] == ["*", "", ""] * 2
    assert "Hollow dots: * fewer than 100 respondents" in subtitle(chart)
    assert {"10.0% *", "20.0%"} <= set(texts(chart.svg()))
    unlabelled = charts.dots(table, labels=False)
    assert "Hollow dots: fewer than 100 respondents" in subtitle(unlabelled)


def names_above(chart: charts.Chart) -> dict[str, float]:
    """Where the audiences are named above the first row, in pixels."""
    return {each["group"]: each["at"] for rows in datasets(chart) for each in rows if "at" in each}


def has_key(chart: charts.Chart) -> bool:
    return any("key" in each for rows in datasets(chart) for each in rows)


def test_audiences_are_named_above_the_first_row_or_in_a_key() -> None:
    apart = charts.dots(crosstab(column_percentage=SHARES))
    names = names_above(apart)
    assert names["Tea"] < names["Water"] < names["Coffee"]
    assert not has_key(apart)
    near = charts.dots(crosstab(column_percentage=np.array([[10.0, 10.1, 10.2], [0, 50, 90]])))
    unknown = charts.dots(crosstab(column_percentage=SHARES[::-1]))
    for chart in (near, unknown):
        assert has_key(chart)
        assert not names_above(chart)
    for chart in (apart, near):
        assert {"Tea", "Coffee", "Water"} <= set(texts(chart.svg()))


def test_names_that_would_overlap_are_moved_as_little_as_possible() -> None:
    assert spread_out([10.0, 100], [20, 20]) == [10, 100]
    assert spread_out([50.0, 50], [20, 40]) == [35, 65]
    assert spread_out([60.0, 50, 10], [20, 20, 20]) == [65, 45, 10]
    assert spread_out([50.0, 50], [20, 20], (0, 55)) == [35, 55]
    assert spread_out([50.0, 50], [20, 20], (50, 55)) == [50, 70], "there is no room for both"
    assert spread_out([], []) == []


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(1, 90)), min_size=1, max_size=8))
def test_names_do_not_overlap(names: list[tuple[float, float]]) -> None:
    middles, widths = map(list, zip(*names, strict=True))
    placed = spread_out(middles, widths)
    order = np.argsort(middles, kind="stable")
    for left, right in pairwise(order):
        assert placed[right] - placed[left] >= (widths[left] + widths[right]) / 2 - 1e-6
    # What moves some to the left moves others to the right, around the same middle.
    assert sum(placed) == pytest.approx(sum(middles))


@pytest.mark.parametrize("draw", [charts.bar, charts.dots, charts.heatmap])
def test_rows_are_in_order_of_a_column(draw: Any) -> None:
    table = crosstab(column_percentage=SHARES)
    rows = [
        draw(table, "column", sort=sort).to_dict()["layer"][0]["encoding"]["y"]["sort"]
        for sort in ("asked", table.columns[0].name)
    ]
    first = dict(zip(rows[0], SHARES[:, 0], strict=True))
    assert rows[1] == sorted(rows[0], key=lambda label: -first[label])


@pytest.mark.parametrize("draw", [charts.bar, charts.dots, charts.heatmap])
@pytest.mark.parametrize("palette", ["blue", "green", "orange", "purple", "grey"])
def test_a_palette_is_shades_of_one_hue(draw: Any, palette: str) -> None:
    table = crosstab(column_percentage=SHARES)
    for theme in ("light", "dark"):
        colours = look(theme, palette)
        drawn = draw(table, "column", palette=palette, theme=theme)
        assert colours.accent in json.dumps(drawn.to_dict())
        assert len(set(colours.series)) == len(look(theme).series)
    with fails(ValueError):
        draw(table, palette="rainbow")


@pytest.mark.parametrize("palette", ["blue", "green", "orange", "purple", "grey"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_values_are_legible_on_every_palette(palette: str, theme: str) -> None:
    colours = look(theme, palette)
    strongest = contrast(colours.on_accent, colours.accent)
    assert strongest >= 4.5
    assert contrast(colours.accent, colours.ground) >= 3


@pytest.mark.parametrize("draw", [charts.bar, charts.dots, charts.heatmap])
def test_values_can_be_omitted(draw: Any) -> None:
    table = crosstab(column_percentage=SHARES)
    for labels in (True, False):
        written = texts(draw(table, "column", labels=labels).svg())
        assert any(text.startswith("10.0%") for text in written) is labels


# -- heat maps ------------------------------------------------------------------------------------


def cells(chart: charts.Chart) -> dict[tuple[str, str], float | None]:
    return {(each["label"], each["group"]): each["value"] for each in values_of(chart)}


def columns(result: Any) -> set[str]:
    return {column for _, column in cells(charts.heatmap(result))}


def test_a_query_has_datapoints_as_rows_and_audiences_and_segments_as_columns() -> None:
    indices = cells(charts.heatmap(two_audiences()))
    assert indices == {
        ("Tea", "Young"): 50,
        ("Tea", "Old"): 100,
        ("Coffee", "Young"): 50,
        ("Coffee", "Old"): 100,
    }
    shares = charts.heatmap(two_audiences(), "column_percentage")
    assert cells(shares)["Tea", "Old"] == 20
    assert {"20.0%", "Drinks"} <= set(texts(shares.svg()))
    assert columns(by_wave(WAVES)) == {"Q1 2024", "Q2 2024", "q3_2024", "q4_2024"}
    both = columns(two_audiences_by_wave())
    assert {"Young › Q1 2024", "Old › Q1 2024"} <= both
    assert len(both) == 8
    assert columns(stats(row())) == {"Everyone"}


def test_a_saved_chart_shows_its_attributes_without_failed_ones() -> None:
    chart = charts.heatmap(calculation(answer("Tea"), answer("Bus", "Travel"), "Unknown."))
    assert {each for each, _ in cells(chart)} == {"Drinks – Tea", "Travel – Bus"}
    assert "1 of 3 without figures" in subtitle(chart)


def test_cells_without_a_value_have_a_dash() -> None:
    chart = charts.heatmap(by_wave(WAVES, missing="q3_2024"))
    assert cells(chart)["Tea", "q3_2024"] is None
    assert texts(chart.svg()).count("–") == 2


def test_low_bases_have_stars_except_for_counts() -> None:
    sample = np.array([[99, 29, 100]] * 2)
    table = crosstab(column_sample=sample, row_sample=500, index=120)
    assert [each["mark"] for each in values_of(charts.heatmap(table))] == ["*", "**", ""] * 2
    assert LOW in subtitle(charts.heatmap(table))
    assert {each["mark"] for each in values_of(charts.heatmap(table, "sample"))} == {""}
    assert [each["heat"] for each in values_of(charts.heatmap(table))] == [0, 0, 1] * 2
    query = charts.heatmap(stats(row("q1_1", metrics(audience_sample=99))))
    assert any(text.endswith(" *") for text in texts(query.svg()))


def test_heat_diverges_around_100_is_clipped_and_keeps_noise_pale() -> None:
    values = np.concatenate([np.linspace(60, 140, 99), [5_000.0]]).reshape(10, 10)
    strengths = heat(values, "index")
    assert strengths.max() == 1.0
    assert strengths.min() == -1.0
    assert np.sign(strengths).tolist() == np.sign(values - 100).tolist()
    # The outlier must not bleach the others: 130 is still strongly coloured.
    assert strengths.ravel()[np.abs(values.ravel() - 130).argmin()] > 0.6
    assert np.abs(heat(np.array([[99.0, 101.0]]), "index")).max() == pytest.approx(0.1)


def test_the_legend_has_the_clipped_ends() -> None:
    index = np.array([[50.0, 100, 150], [90, 110, 100]])
    table = crosstab(index=index, row_sample=500, column_sample=500)
    assert {"54", "100", "146"} <= set(texts(charts.heatmap(table).svg())), "2nd, 98th percentile"
