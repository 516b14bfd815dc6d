"""Sample results for charts, and functions that read rendered charts."""

from __future__ import annotations

from functools import cache
from typing import Any
from xml.etree import ElementTree

import numpy as np

from audiencelab import charts
from audiencelab.charts.specification import ChartSpecification
from audiencelab.expressions import Audience
from audiencelab.schema import CalcAttribute, CalcData, StatsGroup
from audiencelab.tables import ChartCalculationResult, OverlapResult, StatsResult
from tests.results.samples import by_wave, crosstab, metrics, row, stats

Drawn = charts.Chart | ChartSpecification

HOSTILE = '<script>alert(1)</script><img src=x onerror="alert(2)">'
LOW = "* fewer than 100 respondents in the denominator, ** fewer than 30"
WAVES = ["q1_2024", "q2_2024", "q3_2024", "q4_2024"]
YOUNG, OLD = Audience("Young", id="a-1"), Audience("Old", id="a-2")
SHARES = np.array([[10.0, 20, 15], [40, 5, np.nan]])


def two_audiences(**more: Any) -> StatsResult:
    rows = [
        row(code, metrics(100.0 * number), audience=audience)
        for code in ("q1_1", "q1_2")
        for number, audience in enumerate(("a-1", "a-2"), 1)
    ]
    return stats(*rows, audiences=(YOUNG, OLD), **more)


def two_audiences_by_wave() -> StatsResult:
    rows = [
        row(code, metrics(100.0 * number), audience=audience, segment=wave)
        for code in ("q1_1", "q1_2")
        for wave in WAVES
        for number, audience in enumerate(("a-1", "a-2"), 1)
    ]
    return stats(*rows, audiences=(YOUNG, OLD), splitter="waves")


def answer(name: str, question: str = "Drinks", suffix: str = "") -> CalcAttribute:
    return CalcAttribute(
        question_code=question.lower(),
        question_label=question,
        datapoint_code=f"{question.lower()}_{name.lower()}",
        datapoint_label=name,
        suffix_label=suffix,
    )


def calculation(*shown: CalcAttribute | str, **more: Any) -> ChartCalculationResult:
    """A chart of these attributes; a `str` is the error of one that failed."""
    segments = more.pop("by", [None])
    data = [
        CalcData(metrics(100.0 * number), audience, segment, [segment or "q1_2024"])
        for number, audience in enumerate(("a-1", "a-2"), 1)
        for segment in segments
    ]
    groups = (
        StatsGroup(place, 404, [answer("Gone")], error=each)
        if isinstance(each, str)
        else StatsGroup(place, 200, [each], data)
        for place, each in enumerate(shown)
    )
    names = {"audiences": {"a-1": "Young", "a-2": "Old"}, "name": "Habits"}
    return ChartCalculationResult("c-1", tuple(groups), **names | more)


def overlap_of(*samples: float, **more: Any) -> OverlapResult:
    """An overlap: samples from no audience to all; each respondent represents 1,000 people."""
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

CHARTS = {
    "bar": lambda look: charts.bar(stats(row(), row("q1_2", metrics(500))), theme=look),
    "bar by audience": lambda look: charts.bar(two_audiences(), theme=look),
    "bar by both": lambda look: charts.bar(two_audiences_by_wave(), theme=look),
    "bar of indices by both": lambda look: charts.bar(two_audiences_by_wave(), "index", theme=look),
    "bar of a saved chart": lambda look: charts.bar(
        calculation(answer("Tea"), answer("Bus", "Travel"), "Unknown datapoint."), theme=look
    ),
    "trend of a saved chart": lambda look: charts.trend(
        calculation(answer("Tea"), answer("Bus", "Travel"), by=WAVES), theme=look
    ),
    "a saved chart that failed": lambda look: charts.bar(calculation("No."), theme=look),
    "trend": lambda look: charts.trend(by_wave(WAVES, missing="q2_2024"), theme=look),
    "trend of both": lambda look: charts.trend(two_audiences_by_wave(), theme=look),
    "trend of indices": lambda look: charts.trend(by_wave(WAVES), "index", theme=look),
    "heat map": lambda look: charts.heatmap(
        crosstab(index=np.array([[50.0, 100, 150], [90, 110, np.nan]])), theme=look
    ),
    "heat map of shares": lambda look: charts.heatmap(crosstab(), "column_percentage", theme=look),
    "overlap": lambda look: charts.overlap(THREE, theme=look),
    "nothing in bars": lambda look: charts.bar(stats(), theme=look),
    "nothing in dots": lambda look: charts.dots(stats(), theme=look),
    "nothing in dots of a table": lambda look: charts.dots(crosstab(fill=False), theme=look),
    "nothing in stacks": lambda look: charts.stack(stats(), theme=look),
    "nothing in bubbles": lambda look: charts.bubble(
        crosstab(columns=("Tea",), fill=False), theme=look
    ),
    "nothing in a profile": lambda look: charts.profile(
        crosstab(columns=("Tea",), fill=False), theme=look
    ),
    "nothing in a trend": lambda look: charts.trend(stats(splitter="waves"), theme=look),
    "nothing in a heat map": lambda look: charts.heatmap(crosstab(fill=False), theme=look),
    "a trend never asked": lambda look: charts.trend(
        by_wave(["q1_2024"], missing="q1_2024"), theme=look
    ),
}


@cache
def drawn(name: str, look: str) -> str:
    """The SVG of one of `CHARTS`, drawn once for all tests."""
    return CHARTS[name](look).svg()


def texts(svg: str) -> list[str]:
    return [
        "".join(each.itertext())
        for each in ElementTree.fromstring(svg).iter()
        if each.tag.endswith("text")
    ]


def datasets(chart: Drawn) -> list[list[dict[str, Any]]]:
    return list(chart.to_dict().get("datasets", {}).values())


def values_of(chart: Drawn) -> list[dict[str, Any]]:
    """The rows of the first data set: the marks."""
    return datasets(chart)[0]


def having(chart: charts.Chart, column: str) -> dict[str, dict[str, Any]]:
    """The rows that have a column, by name."""
    return {each["name"]: each for rows in datasets(chart) for each in rows if column in each}


def subtitle(chart: Drawn) -> str:
    return " | ".join(chart.to_dict()["title"]["subtitle"])


def luminance(colour: str) -> float:
    """Relative luminance after WCAG 2.2."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)
