"""Dots lie where the figures are, and their line goes from the least to the most."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audiencelab import charts
from audiencelab.charts.label_placement import spread_out as side_by_side
from tests.charts.test_charts import HOSTILE, OLD, YOUNG, texts, two_audiences_by_wave, values_of
from tests.results.samples import by_wave, crosstab, metrics, row, stats

SHARES = np.array([[10.0, 20, 15], [40, 5, np.nan]])


def test_a_line_joins_the_least_and_the_most_of_its_audiences() -> None:
    drawn = values_of(charts.dots(crosstab(column_percentage=SHARES)))
    men = [each for each in drawn if each["label"] == "Men"]
    assert {(each["least"], each["most"]) for each in men} == {(10.0, 20.0)}
    assert {each["group"]: each["end"] for each in men} == {
        "Tea": "least",
        "Coffee": "most",
        "Water": "between",
    }


def test_the_ends_alone_have_figures() -> None:
    shown = texts(charts.dots(crosstab(column_percentage=SHARES)).svg())
    assert {"10.0%", "20.0%", "40.0%", "5.0%"} <= set(shown)
    assert "15.0%" not in shown


def test_audiences_of_a_query_are_dots_and_segments_where_there_is_one_audience() -> None:
    rows = [
        row(code, metrics(100.0 * place), audience=audience.id)
        for code in ("q1_1", "q1_2")
        for place, audience in enumerate((YOUNG, OLD), 1)
    ]
    by_audience = values_of(charts.dots(stats(*rows, audiences=(YOUNG, OLD))))
    assert [each["group"] for each in by_audience] == ["Young", "Old"] * 2
    waves = values_of(charts.dots(by_wave(["q1_2024", "q2_2024"])))
    assert {each["group"] for each in waves} == {"Q1 2024", "Q2 2024"}
    with pytest.raises(ValueError, match="either audiences or segments"):
        charts.dots(two_audiences_by_wave())


def test_the_widest_gap_comes_first_when_asked() -> None:
    shown = texts(charts.dots(crosstab(column_percentage=SHARES), sort="gap").svg())
    assert [text for text in shown if text in ("Men", "Women")] == ["Women", "Men"]
    with pytest.raises(ValueError, match="'asked' or 'gap'"):
        charts.dots(crosstab(), sort="name")


def test_dots_on_low_bases_are_hollow_and_explained() -> None:
    table = crosstab(column_percentage=SHARES, column_sample=np.array([[99, 100, 500]] * 2))
    drawing = charts.dots(table)
    assert [each["low_base"] for each in values_of(drawing)] == [True, False, False] * 2
    assert "Hollow dots: fewer than 100 respondents" in texts(drawing.svg())[-1]


def legend(drawing: charts.Chart) -> bool:
    """Whether the audiences are named in a legend."""
    encoded = [layer.get("encoding", {}) for layer in drawing.to_dict()["layer"]]
    colours = [each["color"] for each in encoded if "color" in each]
    return any(each.get("legend") is not None for each in colours)


def heads(drawing: charts.Chart) -> dict[str, float]:
    """Where the names of the audiences stand above the first line, in pixels."""
    data = drawing.to_dict()["datasets"].values()
    return {each["group"]: each["at"] for one in data for each in one if "at" in each}


def test_audiences_are_named_above_the_dots_of_the_first_line() -> None:
    drawing = charts.dots(crosstab(column_percentage=SHARES))
    placed = heads(drawing)
    assert not legend(drawing)
    assert placed["Tea"] < placed["Water"] < placed["Coffee"]
    assert {"Tea", "Coffee", "Water"} <= set(texts(drawing.svg()))


def test_audiences_are_named_in_a_legend_where_their_dots_lie_too_near() -> None:
    near = charts.dots(crosstab(column_percentage=np.array([[10.0, 10.1, 10.2], [0, 50, 90]])))
    assert legend(near)
    assert not heads(near)
    assert {"Tea", "Coffee", "Water"} <= set(texts(near.svg()))
    unknown = charts.dots(crosstab(column_percentage=SHARES[::-1]))
    assert legend(unknown), "one has no dot on the first line"


def test_names_that_would_overlap_are_moved_as_little_as_can_be() -> None:
    assert side_by_side([10.0, 100], [20, 20]) == [10, 100]
    assert side_by_side([50.0, 50], [20, 40]) == [35, 65]
    assert side_by_side([60.0, 50, 10], [20, 20, 20]) == [65, 45, 10]
    assert side_by_side([50.0, 50], [20, 20], (0, 55)) == [35, 55]
    assert side_by_side([50.0, 50], [20, 20], (50, 55)) == [50, 70], "there is no room for both"
    assert side_by_side([], []) == []


@given(st.lists(st.tuples(st.floats(0, 400), st.floats(1, 90)), min_size=1, max_size=8))
def test_names_side_by_side_do_not_overlap(names: list[tuple[float, float]]) -> None:
    middles, widths = map(list, zip(*names, strict=True))
    placed = side_by_side(middles, widths)
    order = np.argsort(middles, kind="stable")
    for left, right in pairwise(order):
        assert placed[right] - placed[left] >= (widths[left] + widths[right]) / 2 - 1e-6
    # What moves some to the left moves others to the right, around the same middle.
    assert sum(placed) == pytest.approx(sum(middles))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("metric", ["column_percentage", "index", "size"])
def test_every_figure_can_be_drawn_with_hostile_names_as_text(metric: str, theme: str) -> None:
    svg = charts.dots(crosstab((HOSTILE,), (HOSTILE, "Tea")), metric, theme=theme).svg()
    assert "<script" not in svg
    assert "<img" not in svg


def test_nothing_draws_as_nothing() -> None:
    assert charts.dots(stats()).svg()
    assert charts.dots(crosstab(fill=False)).svg()


def test_what_cannot_be_dots_is_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"client\.stats\(…\)"):
        charts.dots(crosstab().to_frame())
    with pytest.raises(ValueError, match="Choose one of"):
        charts.dots(crosstab(), "audience_percentage")
    with pytest.raises(ValueError, match=r"too many .* charts\.heatmap"):
        charts.dots(crosstab(columns=tuple(map(str, range(9)))))
