"""Texts of charts are apart, whole and on the picture, at all widths and with long labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

import audiencelab as al
from audiencelab.charts.auto import auto
from audiencelab.charts.bars import bar
from audiencelab.charts.dots import dots
from audiencelab.charts.heatmaps import heatmap
from audiencelab.charts.maps import bubble, correspondence
from audiencelab.charts.overlaps import overlap
from audiencelab.charts.point_plots import points
from audiencelab.charts.profiles import profile
from audiencelab.charts.stacks import stack
from audiencelab.charts.trends import trend
from audiencelab.charts.turf import reach, turf
from audiencelab.client import Client
from tests.charts.layout import faults

YOUNG, OLD = "Unter 35", "55 und älter"
WIDTHS = (320, 640, 900)


def _two(client: Client) -> list[Any]:
    age = client["altersgruppe"]
    return [
        age.isin(["16 bis 24 Jahre", "25 bis 34 Jahre"]).named(YOUNG),
        age.isin(["55 bis 64 Jahre", "65 Jahre und älter"]).named(OLD),
    ]


def _brands(question: str, number: int) -> list[str]:
    return [f"{question}_{each}" for each in range(1, number + 1)]


RESULTS: dict[str, Callable[[Client], Any]] = {
    "brands by gender": lambda client: client.crosstab("b1", "geschlecht"),
    "brands by age": lambda client: client.crosstab("b1", "altersgruppe"),
    "brands of two": lambda client: client.crosstab("b1", _two(client)),
    "nested": lambda client: client.crosstab(
        _brands("b1", 4), al.nest("geschlecht", "altersgruppe")
    ),
    "joined": lambda client: client.crosstab("ort", ["geschlecht", "altersgruppe", "jp_beruf"]),
    "40 industries": lambda client: client.stats("branche"),
    "Japanese": lambda client: client.crosstab("m1", "jp_alter"),
    "hostile": lambda client: client.crosstab("h1", _two(client)),
    "regions": lambda client: client.crosstab("b2", "bundesland"),
    "image": lambda client: client.crosstab("im1", _two(client)),
    "scale": lambda client: client.stats("f30", audiences=_two(client)),
    "scale by age": lambda client: client.crosstab("f30", "altersgruppe"),
    "German grid": lambda client: client.grid("f10"),
    "Japanese grid": lambda client: client.grid("j20"),
    "brands by wave": lambda client: client.stats(
        "b1", datapoints=_brands("b1", 8), splitter="waves"
    ),
    "three waves": lambda client: client.stats("b3", datapoints=_brands("b3", 4), splitter="waves"),
    "moving": lambda client: client.trend("f30").moving_average(4),
    "means": lambda client: client.crosstab(
        [al.mean(f"f31_{each}") for each in range(1, 6)], ["geschlecht", "altersgruppe"]
    ),
    "NPS by wave": lambda client: client.crosstab([al.nps("nps")], "waves"),
    "500 towns": lambda client: client.crosstab("wohnort", "geschlecht"),
    "overlap": lambda client: client.overlap(client.catalogue.audiences("b1")[:5]),
    "sets": lambda client: client.turf("k1", size=4),
}

CHARTS: dict[str, tuple[Callable[..., Any], str, dict[str, Any]]] = {
    "bars": (bar, "brands by gender", {}),
    "bars of many": (bar, "40 industries", {"intervals": True}),
    "bars in panels": (bar, "nested", {}),
    "bars of a banner": (bar, "joined", {}),
    "bars of hostile labels": (bar, "hostile", {}),
    "dots of two": (dots, "brands of two", {"sort": "gap"}),
    "dots of six": (dots, "brands by age", {}),
    "heat map": (heatmap, "regions", {}),
    "heat map of shares": (heatmap, "Japanese", {"metric": "column_percentage"}),
    "profile": (profile, "image", {"column": YOUNG}),
    "bubbles": (bubble, "brands of two", {"column": YOUNG}),
    "correspondence": (correspondence, "regions", {}),
    "stack": (stack, "scale", {}),
    "stacks of a table": (stack, "scale by age", {}),
    "stack of a grid": (stack, "German grid", {}),
    "stack of a Japanese grid": (stack, "Japanese grid", {}),
    "trend": (trend, "brands by wave", {}),
    "trend with a gap": (trend, "three waves", {"intervals": True}),
    "trend of scores": (trend, "NPS by wave", {}),
    "moving averages": (trend, "moving", {}),
    "points": (points, "means", {}),
    "reach": (reach, "sets", {}),
    "sets": (turf, "sets", {}),
    "overlap": (overlap, "overlap", {}),
    "large": (auto, "500 towns", {}),
}
WITHOUT_WIDTH = {"sets", "overlap"}


@pytest.fixture(scope="module")
def result(agency: Client) -> Callable[[str], Any]:
    """Gives a result of the agency's survey, counted once for all charts of it."""
    made: dict[str, Any] = {}

    def get(name: str) -> Any:
        if name not in made:
            made[name] = RESULTS[name](agency)
        return made[name]

    return get


@pytest.mark.parametrize("kind", CHARTS)
def test_texts_are_apart_at_all_widths(kind: str, result: Callable[[str], Any]) -> None:
    draw, name, options = CHARTS[kind]
    widths = [{}] if kind in WITHOUT_WIDTH else [{"width": width} for width in WIDTHS]
    drawn = [draw(result(name), **width, **options).spec for width in widths]
    assert [Counter(faults(spec)) for spec in drawn] == [{}] * len(drawn)
