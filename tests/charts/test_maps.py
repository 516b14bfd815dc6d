"""Bubbles, correspondence maps and overlaps are to scale, and state what is omitted."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.tables import CrosstabResult
from tests.charts.layout import layout
from tests.charts.samples import THREE, datasets, having, overlap_of, subtitle, texts
from tests.messages import fails
from tests.results.samples import counted
from tests.tables.test_profile import profile

ROWS = ("Tea", "Coffee", "Water", "Milk")
PEOPLE = np.array([[400.0, 100], [100, 400], [50, 100], [0, 200]])


def table() -> CrosstabResult:
    return counted(ROWS, ("Young", "Old"), PEOPLE)


def bubbles(chart: charts.Chart) -> dict[str, dict[str, Any]]:
    return having(chart, "radius")


def test_a_bubble_is_at_the_share_and_the_index_of_its_row_and_its_area_is_people() -> None:
    chart = charts.bubble(table(), "Young")
    young, everyone = PEOPLE[:, 0], PEOPLE.sum(axis=1)
    drawn = bubbles(chart)
    for row, name in enumerate(ROWS[:3]):
        share = 100 * young[row] / young.sum()
        assert drawn[name]["share"] == pytest.approx(share)
        base = 100 * everyone[row] / PEOPLE.sum()
        assert drawn[name]["index"] == pytest.approx(100 * share / base)
    assert [each["side"] for each in drawn.values()] == ["over", "under", "under"]
    assert drawn["Tea"]["radius"] ** 2 / drawn["Coffee"]["radius"] ** 2 == pytest.approx(4)
    assert "Milk" not in texts(chart.svg())
    assert "1 of 4 rows without people omitted" in subtitle(chart)


def test_bubbles_of_a_profile_and_of_a_column_by_id() -> None:
    names = {"Drinks – Tea", "Pets – Cat", "Drinks – Coffee"}
    assert set(bubbles(charts.bubble(profile()))) == names
    assert list(bubbles(charts.bubble(table(), "column-2"))) == ["Coffee", "Milk", "Tea", "Water"]


def test_the_scale_is_logarithmic_with_space_around_100() -> None:
    alike = counted(ROWS[:2], ("Young", "Old"), [[100.0, 102], [100, 98]])
    for each in (table(), alike):
        scale = charts.bubble(each, "Young").to_dict()["layer"][1]["encoding"]["y"]["scale"]
        assert scale["type"] == "log"
        # A little more or less than 100 must not fill the chart.
        assert scale["domain"][0] <= 80
        assert scale["domain"][1] >= 125


def test_the_limit_keeps_the_largest_and_is_stated() -> None:
    chart = charts.bubble(table(), "Young", limit=2)
    assert list(bubbles(chart)) == ["Tea", "Coffee"]
    assert "the 2 largest of 3 rows" in subtitle(chart)


def test_bubbles_on_a_low_base_are_pale_and_starred() -> None:
    chart = charts.bubble(counted(ROWS, ("Young", "Old"), PEOPLE / 20), "Young")
    assert {"Tea **", "Coffee **"} <= set(texts(chart.svg()))
    assert 'opacity="0.3"' in chart.svg()
    assert "fewer than 100 respondents" in subtitle(chart)
    assert 'opacity="0.3"' not in charts.bubble(table(), "Young").svg()


def test_many_bubbles_are_smaller_and_names_without_space_are_counted() -> None:
    rows = tuple(f"An answer with a name of some length {place}" for place in range(60))
    rng = np.random.default_rng(7)
    many = counted(rows, ("Young", "Old"), rng.integers(100, 130, (60, 2)).astype(float))
    chart = charts.bubble(many, "Young", limit=60)
    assert max(each["radius"] for each in bubbles(chart).values()) < 11
    [unnamed] = map(int, re.findall(r"(\d+) without space for a name", subtitle(chart)))
    named = [text for text in texts(chart.svg()) if text.startswith("An answer")]
    assert len(named) == 60 - unnamed


# -- correspondence maps --------------------------------------------------------------------------

COLUMNS = ("North", "South", "West")
COUNTS = np.array([[300.0, 100, 50], [100, 200, 100], [50, 100, 400], [150, 150, 160]])


def regions() -> CrosstabResult:
    return counted(ROWS, COLUMNS, COUNTS)


def points(chart: charts.Chart) -> dict[str, dict[str, Any]]:
    return having(chart, "kind")


def test_points_are_at_the_coordinates_of_the_analysis() -> None:
    chart = charts.correspondence(regions())
    drawn, frame = points(chart), regions().correspondence().to_frame().set_index("name")
    for name in (*ROWS, *COLUMNS):
        expected = frame.loc[name, ["dimension_1", "dimension_2"]].tolist()
        assert [drawn[name]["x"], drawn[name]["y"]] == pytest.approx(expected)
    assert {drawn[name]["kind"] for name in COLUMNS} == {"Columns"}
    first, second = regions().correspondence().percentages
    axes = {f"Dimension 1 ({first:.1f}%)", f"Dimension 2 ({second:.1f}%)"}
    assert {*axes, *ROWS, *COLUMNS} <= set(texts(chart.svg()))
    assert "Correspondence map, symmetric · 100.0% of the differences shown" in subtitle(chart)


@pytest.mark.parametrize("height", [None, 300, 900])
def test_both_axes_have_one_scale(height: int | None) -> None:
    spec = charts.correspondence(regions(), width=500, height=height).to_dict()
    encoding = next(each["encoding"] for each in spec["layer"] if "shape" in each["encoding"])
    across, up = (np.ptp(encoding[axis]["scale"]["domain"]) for axis in "xy")
    assert across / spec["width"] == pytest.approx(up / spec["height"])
    assert layout(spec).width == pytest.approx(500, abs=1)
    assert height is None or spec["height"] == height


def test_another_scaling_moves_an_axis_and_is_explained() -> None:
    chart = charts.correspondence(regions(), scaling="row-principal")
    _, columns = regions().correspondence().coordinates("row-principal")
    assert points(chart)["North"]["x"] == pytest.approx(columns[0, 0])
    assert "A row lies at the average of the columns" in subtitle(chart)
    with fails(ValueError):
        charts.correspondence(regions(), scaling="biplot")  # type: ignore[arg-type]  # on purpose


def test_a_supplementary_row_is_hollow_and_an_empty_one_is_omitted() -> None:
    rows = np.vstack([COUNTS, COUNTS[0] + COUNTS[1], np.zeros(3)])
    chart = charts.correspondence(
        counted((*ROWS, "Hot", "Nothing"), COLUMNS, rows), supplementary="Hot"
    )
    drawn = points(chart)
    assert [name for name, each in drawn.items() if each["supplementary"]] == ["Hot"]
    assert "Nothing" not in drawn
    assert "Hollow: without a part in the dimensions" in subtitle(chart)
    before = points(charts.correspondence(regions()))
    assert drawn["Tea"]["x"] == pytest.approx(before["Tea"]["x"])


def test_points_with_low_quality_are_pale() -> None:
    # Three dimensions of equal weight: each row lies on one of them, one of which is not drawn.
    result = counted(ROWS, ("a", "b", "c", "d"), np.full((4, 4), 100.0) + 300 * np.eye(4))
    chart = charts.correspondence(result)
    quality = result.correspondence().to_frame().set_index("name")["quality"]
    pale = {name: each["pale"] for name, each in points(chart).items()}
    assert pale == (quality < 0.5).to_dict()
    assert any(pale.values())
    assert "Pale: less than half of its distance is shown" in subtitle(chart)


def test_overlapping_rows_are_noted_and_one_dimension_is_rejected() -> None:
    several = counted(ROWS, COLUMNS, COUNTS, base=1500.0, column_sizes=COUNTS.sum(axis=0) - 100)
    assert "People may be in several rows or columns" in subtitle(charts.correspondence(several))
    assert "several rows" not in subtitle(charts.correspondence(regions()))
    with fails(ValueError):
        charts.correspondence(counted(ROWS, COLUMNS[:2], COUNTS[:, :2]))


# -- overlaps -------------------------------------------------------------------------------------


def parts(chart: charts.Chart) -> dict[str, list[dict[str, Any]]]:
    """What is drawn, by a column that only this part of the chart has."""
    keys = {"mark": "combinations", "inside": "dots", "name": "audiences", "size": "corner"}
    return {keys[key]: rows for rows in datasets(chart) if rows for key in keys if key in rows[0]}


def test_bars_are_the_nonempty_combinations_largest_first() -> None:
    drawn = parts(charts.overlap(THREE, "sample"))["combinations"]
    assert [each["value"] for each in drawn] == [400, 300, 150, 80, 50, 20]
    assert [each["text"] for each in drawn] == ["400", "300", "150", "80*", "50*", "20**"]
    frame = THREE.to_frame()
    assert [frame["combination"][each["line"]] for each in drawn] == [
        *("Tea & Water only", "Tea only", "Tea & Coffee only"),
        *("Tea & Coffee & Water", "Coffee only", "Coffee & Water only"),
    ]


def test_dots_are_the_audiences_of_each_bar() -> None:
    drawn = parts(charts.overlap(THREE, sort="asked"))
    frame = THREE.to_frame()
    for dot in drawn["dots"]:
        assert dot["inside"] == frame[THREE.names[int(dot["y"])]][dot["line"]]
    assert [each["line"] for each in drawn["combinations"]] == [0, 1, 3, 4, 5, 6]
    for each in drawn["combinations"]:
        inside = [dot["y"] for dot in drawn["dots"] if dot["x"] == each["x"] and dot["inside"]]
        assert (each["first"], each["last"]) == (min(inside), max(inside))
    names = [(each["name"], each["text"]) for each in drawn["audiences"]]
    assert names == [("Tea", "930,000"), ("Coffee", "300,000"), ("Water", "500,000")]


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        ("size", ["1.0M", "50.0% of the base"]),
        ("sample", ["1,000", "50.0% of the base"]),
        ("percentage", ["50.0%", "of the base"]),
    ],
)
def test_the_corner_has_the_sum_of_the_bars(metric: Any, words: list[str]) -> None:
    chart = charts.overlap(THREE, metric)
    shown = [each["text"] for each in parts(chart)["corner"]]
    assert shown == ["In any of them", *words, "50.0% in none of them"]
    bars = sum(each["value"] for each in parts(chart)["combinations"])
    assert bars == pytest.approx(getattr(THREE.union, metric))
    assert chart.summary == f"overlap of 3 audiences, 6 combinations by {metric}"


def test_the_subtitle_of_an_overlap_states_what_is_omitted() -> None:
    title = charts.overlap(THREE, limit=2).to_dict()["title"]
    assert title["text"] == "Overlap of Tea, Coffee and Water"
    assert title["subtitle"] == [
        "Weighted count · a bar is who is in exactly the audiences below it · "
        "the 2 largest of 6, the others 30.0% of the union",
        "Base: all respondents · n = 2,000 · 2 waves: Q1 2024, Q2 2024",
    ]
    noted = charts.overlap(overlap_of(1, 2, 3, 4, notes=("Counted: q2_2024.",)))
    assert noted.to_dict()["title"]["subtitle"][2:] == [
        "Counted: q2_2024.",
        "* fewer than 100 respondents in the combination, ** fewer than 30",
    ]


def test_bars_are_above_their_dots() -> None:
    """Both plots are equally wide, and nothing pushes them apart."""
    spec = charts.overlap(THREE).to_dict()
    assert spec["bounds"] == "flush"
    corner, nothing, bars, sets, names, matrix = spec["concat"]
    assert bars["width"] == matrix["width"]
    assert (nothing["width"], corner["width"]) == (names["width"], sets["width"])
    assert {sets["height"], names["height"], matrix["height"]} == {3 * 28}
    svg = ElementTree.fromstring(charts.overlap(THREE).svg())
    values, dots = (
        {
            re.findall(r"translate\(([\d.]+),", mark.get("transform", ""))[0]
            for group in svg.iter()
            if kind in group.get("class", "")
            for mark in group
        }
        for kind in ("mark-text role-mark concat_2_", "mark-symbol role-mark concat_5_")
    )
    assert len(values) == 6
    assert dots == values


def test_long_names_are_truncated_and_empty_overlaps_have_no_bars() -> None:
    shown = texts(charts.overlap(overlap_of(5, 6, 7, 8, names=["Tea", "W" * 100])).svg())
    assert any(re.fullmatch("W{20,40}…", each) for each in shown)
    for samples in ((0, 0, 0, 0), (5, 0, 0, 0)):
        chart = charts.overlap(overlap_of(*samples))
        assert "combinations" not in parts(chart)
        assert chart.svg()
