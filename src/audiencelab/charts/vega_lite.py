"""Parts of Vega-Lite specifications: channels, marks, scales and legends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from audiencelab.charts.renderer import Spec

_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}

_LEGEND_SYMBOL = 20
"""Pixels of a symbol of a legend and the space behind it."""

_LEGEND_GAP = 12.0
"""Pixels between the columns of a legend, in the measured font."""

MEASURED, WIDE = 6.1, 7.3
"""Pixels for each character of labels and subtitles, in the measured font and in wide ones."""


def field(shorthand: str, **options: Any) -> Spec:
    """An encoding channel that reads a column, such as "value:Q"; Q, N and O are its types."""
    name, _, kind = shorthand.partition(":")
    return {"field": name, **({"type": _TYPES[kind]} if kind else {}), **options}


def when(test: str, value: Any, otherwise: Any) -> Spec:
    """An encoding channel with one of two values, by a Vega expression."""
    return {"condition": {"test": test, "value": value}, "value": otherwise}


def scale(low: float, high: float, **options: Any) -> Spec:
    """A linear scale between exactly these ends."""
    return {"domain": [low, high], "nice": False, **options}


def layer(
    mark: str,
    encoding: Mapping[str, Any],
    *,
    where: str = "",
    data: pd.DataFrame | None = None,
    **style: Any,
) -> Spec:
    """Marks of one kind.

    encoding: channels; a `str` is the shorthand of `field`. where: a Vega expression that filters
    the data. data: if not that of the whole chart. style: properties of the mark.
    """
    channels = {
        name: field(each) if isinstance(each, str) else each for name, each in encoding.items()
    }
    spec: Spec = {"mark": {"type": mark, **style}, "encoding": channels}
    if where:
        spec["transform"] = [{"filter": where}]
    return spec if data is None else {"data": data, **spec}


def tooltip(row: str, column: str, value: str) -> list[Spec]:
    """An encoding channel for a page that shows what is pointed at; the columns of the data.

    The respondents that the value rests on are the column `n`.
    """
    return [
        field(f"{row}:N", title="Answer"),
        field(f"{column}:N", title="Column"),
        field(f"{value}:Q", title="Value", format=",.1f"),
        field("n:Q", title="Base (n)", format=",.0f"),
    ]


def reference(facet: str, channel: str, **style: Any) -> Spec:
    """A rule at an index of 100, one in each facet."""
    transform = [
        # One row is left of each facet, so that the rule is drawn once.
        {"aggregate": [{"op": "count", "as": "count"}], "groupby": [facet]},
        {"calculate": "100", "as": "at"},
    ]
    return {**layer("rule", {channel: "at:Q"}, **style), "transform": transform}


def category_colors(name: str, categories: Sequence[str], shades: Sequence[str], key: Any) -> Spec:
    """A colour for each category, in the given order. key: the legend, or None."""
    domain = {"domain": list(categories), "range": list(shades)}
    return field(f"{name}:N", sort=list(categories), scale=domain, legend=key)


def legend(names: Iterable[str], width: float | None = None, **style: Any) -> Spec:
    """A legend above the plot, whose names stay apart in a wide font too.

    width: pixels of the plot; there are as many columns as fit, at most `columns`.
    """
    longest = max(map(len, names), default=0)
    gap = _LEGEND_GAP + (WIDE - MEASURED) * longest
    if width is not None:
        fitting = int((width + gap) // (_LEGEND_SYMBOL + WIDE * longest + _LEGEND_GAP))
        style["columns"] = max(1, min(style["columns"], fitting))
    return {"title": None, "orient": "top", "columnPadding": round(gap, 1), **style}
