"""Overlaps as bars over dots: what is drawn, in which order, and what the words say."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from audiencelab import charts
from audiencelab.expressions import Audience
from audiencelab.tables import OverlapResult
from tests.charts.test_charts import HOSTILE, texts
from tests.results.samples import crosstab


def overlap_of(*samples: float, **more: Any) -> OverlapResult:
    """A result in which every respondent stands for a thousand people; the first are in none."""
    count = len(samples).bit_length() - 1
    names = more.pop("names", ["Tea", "Coffee", "Water"][:count])
    drinkers = tuple(Audience(name, id=f"a-{place}") for place, name in enumerate(names))
    held = np.array(samples, dtype=np.float64)
    provenance = {"waves": ["q1_2024", "q2_2024"]}
    return OverlapResult(
        drinkers, held * 1000, held, held.sum() * 1000, held.sum(), provenance=provenance, **more
    )


THREE = overlap_of(1000, 300, 50, 150, 0, 400, 20, 80)
"""None, tea, coffee, both of them, water, tea & water, coffee & water, all of them."""


def datasets(drawing: charts.Chart) -> dict[str, list[dict[str, Any]]]:
    """What is drawn, by a column that only this part of the picture has."""
    parts = drawing.to_dict()["datasets"].values()
    keys = {"mark": "combinations", "inside": "dots", "name": "audiences", "size": "corner"}
    return {keys[key]: part for part in parts if part for key in keys if key in part[0]}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("metric", ["size", "sample", "percentage"])
def test_it_draws_as_well_formed_svg(metric: Any, theme: Any) -> None:
    svg = charts.overlap(THREE, metric, theme=theme).svg()
    assert ElementTree.fromstring(svg).get("aria-label") == (
        f"overlap of 3 audiences, 6 combinations by {metric}"
    )
    assert ("#111111" in svg) is (theme == "dark")


def test_bars_are_the_combinations_that_hold_anyone_largest_first() -> None:
    drawn = datasets(charts.overlap(THREE, "sample"))["combinations"]
    assert [each["value"] for each in drawn] == [400, 300, 150, 80, 50, 20]
    assert [each["text"] for each in drawn] == ["400", "300", "150", "80*", "50*", "20**"]
    frame = THREE.to_frame()
    assert [frame["combination"][each["line"]] for each in drawn] == [
        *("Tea & Water only", "Tea only", "Tea & Coffee only"),
        *("Tea & Coffee & Water", "Coffee only", "Coffee & Water only"),
    ]


def test_dots_say_which_audiences_make_each_bar() -> None:
    drawn = datasets(charts.overlap(THREE, sort="asked"))
    frame = THREE.to_frame()
    for dot in drawn["dots"]:
        name = THREE.names[int(dot["y"])]
        assert dot["inside"] == frame[name][dot["line"]]
    assert [each["line"] for each in drawn["combinations"]] == [0, 1, 3, 4, 5, 6]
    for each in drawn["combinations"]:
        inside = [dot["y"] for dot in drawn["dots"] if dot["x"] == each["x"] and dot["inside"]]
        assert (each["first"], each["last"]) == (min(inside), max(inside))


def test_audiences_stand_at_the_left_with_everyone_in_them() -> None:
    drawn = datasets(charts.overlap(THREE))["audiences"]
    assert [(each["name"], each["text"]) for each in drawn] == [
        ("Tea", "930,000"),
        ("Coffee", "300,000"),
        ("Water", "500,000"),
    ]


@pytest.mark.parametrize(
    ("metric", "told"),
    [
        ("size", ["1.0M", "50.0% of the base"]),
        ("sample", ["1,000", "50.0% of the base"]),
        ("percentage", ["50.0%", "of the base"]),
    ],
)
def test_the_corner_says_what_the_bars_add_up_to(metric: Any, told: list[str]) -> None:
    drawing = charts.overlap(THREE, metric)
    shown = [each["text"] for each in datasets(drawing)["corner"]]
    assert shown == ["In any of them", *told, "50.0% in none of them"]
    bars = sum(each["value"] for each in datasets(drawing)["combinations"])
    assert bars == pytest.approx(getattr(THREE.union, metric))


def test_the_words_say_who_what_and_what_is_left_out() -> None:
    drawing = charts.overlap(THREE, limit=2)
    title = drawing.to_dict()["title"]
    assert title["text"] == "Overlap of 3 audiences"
    assert title["subtitle"] == [
        "People · a bar is who is in exactly the audiences below it · "
        "the 2 largest of 6, the others 30.0% of the union",
        "Base: all respondents · sample 2,000 · waves q1_2024, q2_2024",
    ]
    noted = charts.overlap(overlap_of(1, 2, 3, 4, notes=("Counted: q2_2024.",)))
    assert noted.to_dict()["title"]["subtitle"][2:] == [
        "Counted: q2_2024.",
        "* fewer than 100 respondents in the combination, ** fewer than 30",
    ]


def test_views_stand_edge_to_edge() -> None:
    """A bar stands over its dots only if both plots are as wide, and nothing pushes them apart."""
    spec = charts.overlap(THREE).to_dict()
    assert spec["bounds"] == "flush"
    corner, nothing, bars, sets, names, matrix = spec["concat"]
    assert bars["width"] == matrix["width"]
    assert (nothing["width"], corner["width"]) == (names["width"], sets["width"])
    assert {sets["height"], names["height"], matrix["height"]} == {3 * 28}
    svg = ElementTree.fromstring(charts.overlap(THREE).svg())
    figures, dots = (
        {x_of(mark) for group in svg.iter() if kind in group.get("class", "") for mark in group}
        for kind in ("mark-text role-mark concat_2_", "mark-symbol role-mark concat_5_")
    )
    assert len(figures) == 6
    assert dots == figures, "each figure stands over its dots"


def x_of(mark: ElementTree.Element) -> str:
    return re.findall(r"translate\(([\d.]+),", mark.get("transform", ""))[0]


def test_long_and_hostile_names_are_text_and_short() -> None:
    names = [HOSTILE, "W" * 100]
    shown = texts(charts.overlap(overlap_of(5, 6, 7, 8, names=names)).svg())
    assert HOSTILE[:43] + "…" in shown
    assert "W" * 43 + "…" in shown


@pytest.mark.parametrize("samples", [(0, 0, 0, 0), (5, 0, 0, 0)])
def test_nobody_to_draw_is_drawn_without_bars(samples: tuple[float, ...]) -> None:
    drawing = charts.overlap(overlap_of(*samples))
    assert "combinations" not in datasets(drawing)
    assert drawing.svg()


def test_slips_name_the_choices() -> None:
    with pytest.raises(ValueError, match="size, sample, percentage"):
        charts.overlap(THREE, "index")  # type: ignore[arg-type]  # the slip that is tested
    with pytest.raises(ValueError, match="'value' or 'asked'"):
        charts.overlap(THREE, sort="size")  # type: ignore[arg-type]  # as above
    with pytest.raises(ValueError, match="at most 60; got 0"):
        charts.overlap(THREE, limit=0)
    with pytest.raises(TypeError, match=r"client\.overlap\(…\) returned"):
        charts.overlap(crosstab())  # type: ignore[arg-type]  # as above
