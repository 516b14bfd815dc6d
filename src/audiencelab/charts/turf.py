"""TURF as charts: reach by the number of items, and the best sets of one number."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.labels import (
    check_choice,
    check_limit,
    check_pixels,
    check_result,
    check_width,
    format_value,
    shorten,
    table_base_line,
)
from audiencelab.charts.layout import PADDING, WIDE
from audiencelab.charts.overlaps import MAX_COMBINATIONS, UpsetParts, bars_of, dots_of, upset
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.charts.vega_lite import field, layer, scale
from audiencelab.charts.wrapping import text_width
from audiencelab.results.arrangement import low_base_mark
from audiencelab.results.metrics import METRICS
from audiencelab.results.turf import ItemSet, TurfData
from audiencelab.wording import plural

_METRICS = ("percentage", "size", "sample")
_GIVE = "give what client.turf(…) returned"

_AXIS = 44.0
"""Pixels of the axis at the left."""

_APART = 6.0
"""Pixels between the texts of two points."""

_EXTENT: Spec = {"minExtent": _AXIS, "maxExtent": _AXIS}

SetMetric = Literal["percentage", "size", "sample"]


def reach(
    result: TurfData,
    metric: SetMetric = "percentage",
    *,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int | None = None,
    height: int = 300,
) -> ChartSpecification:
    """Reach by the number of items: of the best sets, and of adding one item after the other.

    result: what `client.turf(…)` returned.
    metric: the share of the base ("percentage"), people ("size") or respondents ("sample").
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of the chart, by default 640. height: of the plot.

    The dashed line adds the item that reaches most more people, to the last item. Raises
    `TypeError` for anything else, and `ValueError` for an unknown metric.

    >>> al.charts.reach(client.turf("Pets", 3, exclude="No pets"))
    <Chart: reach by number of items, up to 3 of 7 items>
    """
    check_result(result, TurfData, _GIVE)
    check_choice("metric", metric, _METRICS)
    check_pixels(height=height)
    pixels = check_width(width, 1)
    colours = look(theme)
    best = [(count, sets[0]) for count, sets in result.best.items()]
    drawn = _points(result, best, metric)
    drawn["line"] = [_line_of(result, each) for each in result.best]
    steps = list(enumerate(result.greedy_sets, start=1))
    spec = {
        "layer": [
            _line(_points(result, steps, metric), len(steps), colours.quiet, [4, 4]),
            *_marked(_spaced(drawn, len(steps), pixels), len(steps), colours),
        ],
        "width": pixels - _AXIS - 2 * PADDING,
        "height": height,
    }
    count = max(result.best)
    said = [METRICS[metric].label_alone if metric != "percentage" else "% of base"]
    said += ["points: the best set of so many items", "dashed: one item added after the other"]
    subtitle = [" · ".join(said), table_base_line(result, result.base_sample)]
    summary = f"reach by number of items, up to {count} of {plural(len(result.items), 'item')}"
    captions = Captions("Reach by number of items", subtitle, summary, pixels, whole=pixels)
    return finish(spec, colours, captions.chosen(title, base=base), of=result)


def turf(
    result: TurfData,
    count: int | None = None,
    metric: SetMetric = "percentage",
    *,
    limit: int = 10,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
) -> ChartSpecification:
    """A bar for each of the best sets of so many items, above dots for the items in it.

    result: what `client.turf(…)` returned. count: the items of the sets, by default the most.
    metric: the share of the base ("percentage"), people ("size") or respondents ("sample").
    limit: how many sets are drawn, the best first.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark".

    Items that are in none of these sets have no line; bars at the left are what an item reaches
    alone. Raises `TypeError` for anything else, and `ValueError` for an unknown metric, a number of
    items that the result does not have, and a limit under 1 or over 60.

    >>> al.charts.turf(client.turf("Pets", 3, exclude="No pets"))
    <Chart: 10 best sets of 3 items>
    """
    check_result(result, TurfData, _GIVE)
    check_choice("metric", metric, _METRICS)
    check_limit(limit, "limit (sets)", MAX_COMBINATIONS)
    count = max(result.best) if count is None else count
    if count not in result.best:
        raise ValueError(
            f"count={count!r} is not valid: the result has sets of "
            f"{', '.join(map(str, result.best))} items."
        )
    colours, sets = look(theme), result.best[count][:limit]
    spec, width = upset(_parts(result, sets, metric, _line_of(result, count)), colours)
    name = f"{plural(len(sets), 'best set')} of {plural(count, 'item')}"
    label = METRICS[metric].label_alone if metric != "percentage" else "% of base"
    subtitle = [
        f"{label} · a bar is who is in any of the items below it",
        table_base_line(result, result.base_sample),
        *(shorten(note, 140) for note in result.notes),
    ]
    captions = Captions(name[:1].upper() + name[1:], subtitle, name, width, whole=max(width, WIDE))
    return finish(spec, colours, captions.chosen(title, base=base), of=result)


def _line_of(result: TurfData, count: int) -> int:
    """The line of the first set of so many items in the result's frame."""
    return sum(len(sets) for each, sets in result.best.items() if each < count)


def _value(result: TurfData, each: ItemSet, metric: str) -> float:
    return result.percentage(each.size) if metric == "percentage" else getattr(each, metric)


def _points(result: TurfData, sets: list[tuple[int, ItemSet]], metric: str) -> pd.DataFrame:
    values = [_value(result, each, metric) for _, each in sets]
    mark = low_base_mark(result.base_sample)
    return pd.DataFrame(
        {
            "count": [count for count, _ in sets],
            "value": values,
            "text": [format_value(metric, value) + mark for value in values],
            "items": [" + ".join(result.names[at] for at in each.positions) for _, each in sets],
        }
    )


def _spaced(data: pd.DataFrame, items: int, pixels: float) -> pd.DataFrame:
    """The points without texts that would be on the text before."""
    step, free = (pixels - _AXIS - 2 * PADDING) / max(items, 1), 0.0
    texts: list[str] = []
    for count, text in zip(data["count"], data["text"], strict=True):
        texts.append(text if count * step >= free else "")
        free = count * step + text_width(text) + _APART if texts[-1] else free
    return data.assign(text=texts)


def _line(data: pd.DataFrame, items: int, colour: str, dash: list[int]) -> Spec:
    return layer("line", _axes(items), data=data, color=colour, strokeDash=dash, strokeWidth=1.5)


def _axes(items: int) -> Spec:
    whole = {"tickMinStep": 1, "format": "d", "grid": False}
    return {
        # With space beside the first and the last value.
        "x": field("count:Q", title="Items", axis=whole, scale=scale(0.5, items + 0.5)),
        "y": field("value:Q", title=None, axis={"format": "~s", "tickCount": 5, **_EXTENT}),
    }


def _marked(data: pd.DataFrame, items: int, colours: Look) -> list[Spec]:
    """The best sets: a line, its points, and their values."""
    shown = [field("items:N", title="Items"), field("value:Q", title="Reach", format=",.1f")]
    axes = _axes(items)
    text = {**axes, "text": "text:N"}
    return [
        layer("line", axes, data=data, color=colours.accent, strokeWidth=2),
        layer("point", axes | {"tooltip": shown}, data=data, color=colours.accent, filled=True),
        # Below the line, which rises.
        layer("text", text, data=data, align="left", baseline="top", dx=4, dy=5),
    ]


def _parts(result: TurfData, sets: tuple[ItemSet, ...], metric: str, line: int) -> UpsetParts:
    listed = sorted({each for one in sets for each in one.positions})
    held = np.array([[at in one.positions for at in listed] for one in sets])
    values = [_value(result, one, metric) for one in sets]
    mark = low_base_mark(result.base_sample)
    texts = [format_value(metric, value) + mark for value in values]
    combinations = dots_of(values, texts, held, range(line, line + len(sets)))
    single = {one.positions[0]: one for one in result.singles}
    of_items = [_value(result, single[at], metric) for at in listed]
    names = [result.names[at] for at in listed]
    best = sets[0]
    corner = [
        ("The best set reaches", 0, 13),
        (format_value(metric, values[0]) or "–", 18, 26),
        (f"{best.frequency:.2f} of its items each", 48, 13),
    ]
    return UpsetParts(
        *combinations,
        bars_of(names, of_items, [format_value(metric, each) for each in of_items]),
        pd.DataFrame(corner, columns=["text", "y", "size"]),
        (0, 0.0),
    )
