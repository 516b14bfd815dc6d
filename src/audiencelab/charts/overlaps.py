"""UpSet plots: who is in exactly which of several audiences, as bars over a matrix of dots.

After Lex and others (2014): circles of more than three sets distort sizes, bars do not. All
positions are numbers, not bands, so that bars and dots are aligned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from audiencelab.analysis.overlap import combinations_frame, sets_frame
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.labels import (
    check_choice,
    check_limit,
    check_order,
    check_result,
    format_value,
    shorten,
    table_base_line,
)
from audiencelab.charts.layout import PADDING, WIDE
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SIZE, Look, Theme, look
from audiencelab.charts.uncertainty import hatch
from audiencelab.charts.vega_lite import field, layer, scale, when
from audiencelab.charts.wrapping import broken_apart, cut, text_width
from audiencelab.results.arrangement import low_base_mark, low_base_words
from audiencelab.results.metrics import METRICS
from audiencelab.results.overlap import Flags, OverlapData, in_any
from audiencelab.wording import plural

MAX_COMBINATIONS = 60
"""Bars in one chart; more are a table."""

_BARS, _ROW, _SETS, _GAP = 170, 28, 150, 10
"""Pixels: the height of the bars and of a row of dots, the width of the audiences' bars, gaps."""

_LEAST_STEP, _DOT = 30.0, 110
"""Pixels from bar to bar at least, and the area of a dot."""

_NAME = 290.0
"""Pixels of the name of an audience at most."""

_LISTED, _NAMED = 4, 200.0
"""Audiences that a title names, and pixels of each."""

_EMPTY = 0.28
"""Opacity of the dot of an audience outside a combination."""


@dataclass(frozen=True, slots=True)
class UpsetParts:
    """The data of the chart: combinations, their dots, the audiences, and the corner.

    hidden: how many combinations that hold anyone are not shown, and their share of the union.
    """

    combinations: pd.DataFrame
    dots: pd.DataFrame
    audiences: pd.DataFrame
    corner: pd.DataFrame
    hidden: tuple[int, float]


def overlap(
    result: OverlapData,
    metric: Literal["size", "sample", "percentage"] = "size",
    *,
    sort: Literal["value", "asked"] = "value",
    limit: int = 20,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
) -> ChartSpecification:
    """A bar for each combination of audiences, above dots for the audiences in it.

    result: what `client.overlap(…)` returned.
    metric: people ("size"), respondents ("sample") or the share of the base ("percentage"), for
        the combinations above and the audiences at the left alike.
    sort: combinations by "value", largest first, or as "asked", fewest audiences first.
    limit: how many of the largest combinations are drawn; the subtitle says what is left out.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark".

    Each respondent is in one bar only, so bars add up to the number in the corner, which also
    counts those who are in none of the audiences. A combination of fewer than 100 respondents is
    hatched and has a star, of fewer than 30 two; an empty one is left out. Raises `TypeError` for
    anything else, and `ValueError` for an unknown metric or order and for a limit under 1 or over
    60.

    >>> al.charts.overlap(client.overlap(client["Pets"].audiences("Dog", "Cat")))
    <Chart: overlap of 2 audiences, 3 combinations by size>
    """
    check_result(result, OverlapData, "give what client.overlap(…) returned")
    check_choice("figure", metric, ("size", "sample", "percentage"))
    check_order(sort, "value", "asked")
    check_limit(limit, "limit (combinations)", MAX_COMBINATIONS)
    parts, colours = _parts(result, metric, sort, limit), look(theme)
    shown, (hidden, share) = len(parts.combinations), parts.hidden
    said = [METRICS[metric].label_alone, "a bar is who is in exactly the audiences below it"]
    if hidden:
        said.append(
            f"the {shown} largest of {shown + hidden}, the others {share:.1f}% of the union"
        )
    subtitle = [
        " · ".join(said),
        table_base_line(result, result.base_sample),
        *(shorten(note, 140) for note in result.notes),
    ]
    if any(parts.combinations["mark"]):
        subtitle.append(low_base_words(of="combination"))
    combinations = plural(shown, "combination")
    name = f"overlap of {len(result.audiences)} audiences"
    summary = f"{name}, {combinations} by {metric}"
    spec, width = upset(parts, colours)
    own = f"Overlap of {listed(result.names)}"
    captions = Captions(own, subtitle, summary, width, whole=max(width, WIDE)).chosen(
        title, base=base
    )
    return finish(spec, colours, captions, of=result)


def listed(names: Sequence[str]) -> str:
    """The first of some names in a title, and how many more there are."""
    named = [cut(name, _NAMED) for name in names[:_LISTED]]
    if len(names) > _LISTED:
        return f"{', '.join(named)} and {len(names) - _LISTED} more"
    return " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))


def _parts(result: OverlapData, metric: str, sort: str, limit: int) -> UpsetParts:
    frame = combinations_frame(result)
    frame["line"] = range(len(frame))
    inside = frame[(frame["count"] > 0) & (frame["sample"] > 0)]
    ranked = inside.sort_values(metric, ascending=False, kind="stable")
    shown, hidden = ranked.head(limit), ranked.iloc[limit:]
    if sort == "asked":
        shown = shown.sort_index()
    held = shown[list(result.names)].to_numpy(dtype=bool)
    texts = [
        f"{format_value(metric, value)}{low_base_mark(sample)}"
        for value, sample in zip(shown[metric], shown["sample"], strict=True)
    ]
    combinations, dots = dots_of(shown[metric].tolist(), texts, held, shown["line"].tolist())
    combinations["mark"] = [low_base_mark(sample) for sample in shown["sample"]]
    left_out = len(hidden), float(hidden["union_percentage"].sum())
    return UpsetParts(
        combinations, dots, _audiences(result, metric), _corner(result, metric), left_out
    )


def dots_of(
    values: Sequence[float], texts: Sequence[str], held: Flags, lines: Sequence[int]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Bars side by side, and the dots below them.

    held: which of the audiences make each, bool[bars, audiences]. lines: of the result's frame.
    """
    at = np.arange(len(values))
    combinations = pd.DataFrame(
        {
            "line": list(lines),
            "value": list(values),
            "x": at + 0.5,
            "start": at + 0.2,
            "end": at + 0.8,
            "mark": "",
            "text": list(texts),
            # The line that joins the dots runs from the first audience to the last.
            "first": held.argmax(axis=1) + 0.5,
            "last": held.shape[1] - held[:, ::-1].argmax(axis=1) - 0.5,
        }
    )
    dots = pd.DataFrame(
        [
            {"x": x + 0.5, "y": y + 0.5, "inside": bool(held[x, y]), "line": int(line)}
            for x, line in enumerate(lines)
            for y in range(held.shape[1])
        ]
    )
    return combinations, dots


def _audiences(result: OverlapData, metric: str) -> pd.DataFrame:
    values = sets_frame(result)[metric].tolist()
    return bars_of(result.names, values, [format_value(metric, value) for value in values])


def bars_of(names: Sequence[str], values: Sequence[float], texts: Sequence[str]) -> pd.DataFrame:
    """The bars of the audiences at the left, one below the other."""
    at = np.arange(len(values))
    return pd.DataFrame(
        {
            "name": [each for [each] in broken_apart(names, _NAME, SIZE, 1)],
            "value": list(values),
            "text": list(texts),
            "y": at + 0.5,
            "top": at + 0.22,
            "bottom": at + 0.78,
            "over": at,
            "under": at + 1,
            "striped": at % 2 == 0,
        }
    )


def _corner(result: OverlapData, metric: str) -> pd.DataFrame:
    union, none = result.union, result.people(~in_any(result.members))
    of_base, left = (format_value("percentage", each.percentage) or "–" for each in (union, none))
    lines = [
        ("In any of them", 0, 13),
        (format_value(metric, union._asdict()[metric]) or "–", 18, 26),
        ("of the base" if metric == "percentage" else f"{of_base} of the base", 48, 13),
        (f"{left} in none of them", 66, 13),
    ]
    return pd.DataFrame(lines, columns=["text", "y", "size"])


def upset(parts: UpsetParts, colours: Look) -> tuple[Spec, float]:
    """Bars above dots, audiences at the left, edge to edge; and the whole width in pixels."""
    rows, columns = len(parts.audiences), max(1, len(parts.combinations))
    longest = max(map(text_width, parts.combinations["text"]), default=0.0)
    width = round(columns * max(_LEAST_STEP, longest + 4), 1)
    names = round(max(text_width(name, SIZE) for name in parts.audiences["name"]) + 12, 1)
    # Vega-Lite pads a scale that has bars, and the dots would not be under them.
    across, down = scale(0, columns, padding=0), scale(rows, 0)
    corner, combinations, audiences = parts.corner, parts.combinations, parts.audiences

    def view(data: pd.DataFrame, wide: float, high: float, *layers: Spec) -> Spec:
        size = {"data": data, "width": wide, "height": high}
        return {**layers[0], **size} if len(layers) == 1 else {"layer": list(layers), **size}

    height = rows * _ROW
    views = [
        view(corner, _SETS, _BARS, _corner_text(colours)),
        # An empty plot, so that the three below are in the columns of those above.
        view(corner.head(0), names, _BARS, {"mark": {"type": "point"}}),
        view(combinations, width, _BARS, *_bars(combinations, across, colours)),
        view(audiences, _SETS, height, *_sets(audiences, down, colours)),
        view(audiences, names, height, _set_names(down)),
        view(audiences, width, height, *_matrix(parts, across, down, colours)),
    ]
    # Edges are those of the plots: what axes and labels take would push them apart.
    whole = {"concat": views, "columns": 3, "spacing": _GAP, "bounds": "flush"}
    return whole, _SETS + names + width + 2 * _GAP + 2 * PADDING


def _on(name: str, ends: Spec) -> Spec:
    return field(f"{name}:Q", scale=ends, axis=None)


def _bars(combinations: pd.DataFrame, across: Spec, colours: Look) -> list[Spec]:
    highest = float(combinations["value"].max()) if len(combinations) else 0.0
    # With space above the highest bar for its value.
    y = _on("value", scale(0, 1.12 * (highest or 1.0)))
    shape = {"x": _on("start", across), "x2": "end", "y": y, "y2": {"datum": 0}}
    values = {"x": _on("x", across), "y": y, "text": "text:N"}
    return [
        layer("rect", shape, color=colours.accent, cornerRadius=1.5),
        *hatch(shape, combinations["mark"], colours, along="y"),
        layer("text", values, baseline="bottom", dy=-4),
    ]


def _matrix(parts: UpsetParts, across: Spec, down: Spec, colours: Look) -> list[Spec]:
    """Which audiences make each combination: a full dot for each, joined by a line."""
    # Every other row has a tinted background.
    stripes = {"y": _on("over", down), "y2": "under"}
    joins = {"x": _on("x", across), "y": _on("first", down), "y2": "last"}

    def dots(test: str, colour: str, opacity: float) -> Spec:
        place = {"x": _on("x", across), "y": _on("y", down)}
        style = {"size": {"value": _DOT}, "opacity": {"value": opacity}}
        return layer("circle", place | style, where=test, data=parts.dots, color=colour)

    return [
        layer("rect", stripes, where="datum.striped", color=colours.middle),
        dots("!datum.inside", colours.quiet, _EMPTY),
        layer("bar", joins, data=parts.combinations, size=2.5, color=colours.ink),
        dots("datum.inside", colours.ink, 1),
    ]


def _sets(audiences: pd.DataFrame, down: Spec, colours: Look) -> list[Spec]:
    # From right to left: bars grow away from the names, with space for values at their ends.
    x = _on("value", scale(1.5 * (float(audiences["value"].max()) or 1.0), 0))
    shape = {"x": x, "x2": {"datum": 0}, "y": _on("top", down), "y2": "bottom"}
    values = {"x": x, "y": _on("y", down), "text": "text:N"}
    return [
        layer("rect", shape, color=colours.quiet, cornerRadius=1.5),
        layer("text", values, align="right", baseline="middle", dx=-5),
    ]


def _set_names(down: Spec) -> Spec:
    end: dict[str, Any] = {"datum": 1, "scale": scale(0, 1), "axis": None}
    encoding = {"x": end, "y": _on("y", down), "text": "name:N"}
    return layer("text", encoding, align="right", baseline="middle", fontSize=13)


def _corner_text(colours: Look) -> Spec:
    encoding = {
        "x": {"datum": 0, "scale": scale(0, 1), "axis": None},
        "y": _on("y", scale(0, _BARS, reverse=True)),
        "text": "text:N",
        "size": field("size:Q", scale=None, legend=None),
        "color": when("datum.size > 13", colours.ink, colours.quiet),
    }
    return layer("text", encoding, align="left", baseline="top")
