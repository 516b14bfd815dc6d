"""Overlaps: who is in exactly which of several audiences, as bars over a matrix of dots.

The form is Lex and others' (UpSet, 2014): a circle drawing of more than three sets lies about
sizes, bars do not. All places are numbers, not bands, so that bars and dots stand in one line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import altair as alt
import pandas as pd

from audiencelab.analysis.overlap import combinations_frame, sets_frame
from audiencelab.charts import wording
from audiencelab.charts.certainty import hatch
from audiencelab.charts.drawing import Drawing, Words, finish
from audiencelab.charts.tables import base_and_waves
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.render.overlap import LOW_COMBINATION_NOTE
from audiencelab.render.table_layout import low_base_mark
from audiencelab.results.overlap import OverlapData, in_any
from audiencelab.wording import plural

__all__ = ["overlap"]

MOST_COMBINATIONS = 60
"""Bars in one picture; more are a table."""

_METRICS = ("size", "sample", "percentage")

_BARS, _ROW, _SETS, _GAP = 170, 28, 150, 10
"""Pixels: the bars' height, a line of dots, the audiences' bars, and what lies between."""

_LEAST_STEP, _DOT = 30.0, 110
"""Pixels from bar to bar at least, and the area of a dot."""

_CHARACTER = 7.0
"""Pixels of a character at the size of labels, so that names and figures have room."""

_EMPTY = 0.28
"""Opacity of a bar on a low base, and of a dot that nobody is in."""


@dataclass(frozen=True, slots=True)
class _Parts:
    """What is drawn: the combinations that are shown, their dots, the audiences, and the corner.

    left_out: how many combinations that hold anyone are not shown, and their share of the union.
    """

    combinations: pd.DataFrame
    dots: pd.DataFrame
    audiences: pd.DataFrame
    corner: pd.DataFrame
    left_out: tuple[int, float]


def overlap(
    result: OverlapData,
    metric: Literal["size", "sample", "percentage"] = "size",
    *,
    sort: Literal["value", "asked"] = "value",
    limit: int = 20,
    theme: Theme = "light",
) -> Drawing:
    """A bar for each combination of audiences, above dots that say which audiences make it.

    result: what `client.overlap(…)` returned.
    metric: people ("size"), respondents ("sample") or the share of the base ("percentage"), for
        the combinations above and the audiences at the left alike.
    sort: combinations by "value", largest first, or as "asked", fewest audiences first.
    limit: how many of the largest combinations are drawn; the subtitle says what is left out.
    theme: "light" or "dark".

    Everyone is in one bar alone, so bars add up to the number in the corner. Those who are in
    none of the audiences have no bar; the corner says how many they are. A combination of fewer
    than 100 respondents is hatched and has a star, of fewer than 30 two; one that holds nobody is
    left out. Raises `TypeError` for anything else, and `ValueError` for an unknown metric or
    order and for a limit under 1 or over 60.
    """
    wording.check_result(result, OverlapData, "give what client.overlap(…) returned")
    wording.check_choice("figure", metric, _METRICS)
    if sort not in ("value", "asked"):
        raise ValueError(f"No order {sort!r}. Choose 'value' or 'asked'.")
    if not (wording.is_whole(limit) and 1 <= limit <= MOST_COMBINATIONS):
        raise ValueError(
            "The limit is how many combinations to draw, at least 1 and at most "
            f"{MOST_COMBINATIONS}, not {limit!r}."
        )
    parts, colours = _parts(result, metric, sort, limit), look(theme)
    chart, width = _assembled(parts, colours)
    shown, (hidden, share) = len(parts.combinations), parts.left_out
    said = [wording.METRIC_NAMES[metric], "a bar is who is in exactly the audiences below it"]
    if hidden:
        said.append(
            f"the {shown} largest of {shown + hidden}, the others {share:.1f}% of the union"
        )
    subtitle = [
        " · ".join(said),
        base_and_waves(result.base_audience, result.base_sample, result.provenance),
        *(wording.shorten(note, 140) for note in result.notes),
    ]
    if any(parts.combinations["mark"]):
        subtitle.append(LOW_COMBINATION_NOTE)
    title = f"Overlap of {len(result.audiences)} audiences"
    combinations = plural(shown, "combination")
    summary = f"overlap of {len(result.audiences)} audiences, {combinations} by {metric}"
    return finish(chart, colours, Words(title, subtitle, summary, width), of=result)


def _parts(result: OverlapData, metric: str, sort: str, limit: int) -> _Parts:
    frame = combinations_frame(result)
    frame["line"] = range(len(frame))
    inside = frame[(frame["count"] > 0) & (frame["sample"] > 0)]
    ranked = inside.sort_values(metric, ascending=False, kind="stable")
    shown, hidden = ranked.head(limit), ranked.iloc[limit:]
    if sort == "asked":
        shown = shown.sort_index()
    shown = shown.reset_index(drop=True)
    held = shown[list(result.names)].to_numpy(dtype=bool)
    combinations = pd.DataFrame({"line": shown["line"], "value": shown[metric]})
    combinations["x"] = combinations.index + 0.5
    combinations["start"], combinations["end"] = combinations.index + 0.2, combinations.index + 0.8
    combinations["mark"] = [low_base_mark(sample) for sample in shown["sample"]]
    combinations["text"] = [
        f"{wording.format_value(metric, value)}{mark}"
        for value, mark in zip(shown[metric], combinations["mark"], strict=True)
    ]
    # The line of dots of a combination runs from its first audience to its last.
    combinations["first"] = held.argmax(axis=1) + 0.5
    combinations["last"] = held.shape[1] - held[:, ::-1].argmax(axis=1) - 0.5
    dots = pd.DataFrame(
        [
            {"x": x + 0.5, "y": y + 0.5, "inside": bool(held[x, y]), "line": int(line)}
            for x, line in enumerate(shown["line"])
            for y in range(held.shape[1])
        ]
    )
    left_out = len(hidden), float(hidden["union_percentage"].sum())
    return _Parts(combinations, dots, _audiences(result, metric), _corner(result, metric), left_out)


def _audiences(result: OverlapData, metric: str) -> pd.DataFrame:
    sets = sets_frame(result)
    places = range(len(sets))
    return pd.DataFrame(
        {
            "name": [wording.shorten(name, 44) for name in result.names],
            "value": sets[metric],
            "text": [wording.format_value(metric, value) for value in sets[metric]],
            "y": [place + 0.5 for place in places],
            "top": [place + 0.22 for place in places],
            "bottom": [place + 0.78 for place in places],
            "over": list(places),
            "under": [place + 1 for place in places],
            "striped": [place % 2 == 0 for place in places],
        }
    )


def _corner(result: OverlapData, metric: str) -> pd.DataFrame:
    """What the bars add up to, and who is left; `y` and `size` in pixels."""
    union, none = result.union, result.people(~in_any(result.members))
    of_base, left = (
        wording.format_value("percentage", each.percentage) or "–" for each in (union, none)
    )
    lines = [
        ("In any of them", 0, 13),
        (wording.format_value(metric, union._asdict()[metric]) or "–", 18, 26),
        ("of the base" if metric == "percentage" else f"{of_base} of the base", 48, 13),
        (f"{left} in none of them", 66, 13),
    ]
    return pd.DataFrame(lines, columns=["text", "y", "size"])


def _assembled(parts: _Parts, colours: Look) -> tuple[Any, float]:
    """Bars above dots, audiences at the left, edge to edge; and the width of it all in pixels."""
    rows, columns = len(parts.audiences), max(1, len(parts.combinations))
    longest = max(map(len, parts.combinations["text"]), default=0)
    width = columns * max(_LEAST_STEP, _CHARACTER * longest + 4)
    names = _CHARACTER * max(map(len, parts.audiences["name"])) + 12
    height = rows * _ROW
    # Vega-Lite pads a scale that has bars, and the dots would stand beside their figures.
    across = alt.Scale(domain=[0, columns], nice=False, padding=0)
    down = alt.Scale(domain=[rows, 0], nice=False)
    corner = _corner_view(parts, colours).properties(width=_SETS, height=_BARS)
    nothing = alt.Chart(parts.corner.head(0)).mark_point().properties(width=names, height=_BARS)
    bars = _bars(parts, across, colours).properties(width=width, height=_BARS)
    sets = _sets(parts, down, colours).properties(width=_SETS, height=height)
    labels = _labels(parts, down).properties(width=names, height=height)
    matrix = _matrix(parts, across, down, colours).properties(width=width, height=height)
    views = (corner, nothing, bars, sets, labels, matrix)
    # Edges are those of the plots: what axes and labels take would push them apart.
    whole = alt.concat(*views, columns=3, spacing=_GAP, bounds="flush")
    return whole, _SETS + names + width + 2 * _GAP


def _bars(parts: _Parts, across: Any, colours: Look) -> Any:
    """How many are in exactly these; the figure stands on its bar."""
    highest = float(parts.combinations["value"].max()) if len(parts.combinations) else 0.0
    up = alt.Scale(domain=[0, 1.12 * (highest or 1.0)], nice=False)
    base = alt.Chart(parts.combinations).encode(y=alt.Y("value:Q", scale=up, axis=None))
    shaped = base.encode(x=alt.X("start:Q", scale=across, axis=None), x2="end:Q", y2=alt.datum(0))
    bars = shaped.mark_rect(color=colours.accent, cornerRadius=1.5)
    hatched = [hatch(shaped, colours, along="y")] if any(parts.combinations["mark"]) else []
    figures = base.mark_text(baseline="bottom", dy=-4).encode(
        x=alt.X("x:Q", scale=across, axis=None), text="text:N"
    )
    return alt.layer(bars, *hatched, figures)


def _matrix(parts: _Parts, across: Any, down: Any, colours: Look) -> Any:
    """Which audiences make each combination: a full dot for each, and a line that joins them."""
    x = alt.X("x:Q", scale=across, axis=None)
    dots = alt.Chart(parts.dots).encode(x=x, y=alt.Y("y:Q", scale=down, axis=None))
    empty = dots.transform_filter("!datum.inside").mark_circle(color=colours.quiet)
    full = dots.transform_filter("datum.inside").mark_circle(color=colours.ink)
    joins = alt.Chart(parts.combinations).mark_bar(size=2.5, color=colours.ink)
    joined = joins.encode(x=x, y=alt.Y("first:Q", scale=down, axis=None), y2="last:Q")
    under, over = (
        each.encode(size=alt.value(_DOT), opacity=alt.value(opacity))
        for each, opacity in ((empty, _EMPTY), (full, 1))
    )
    return alt.layer(_stripes(parts, down, colours), under, joined, over)


def _sets(parts: _Parts, down: Any, colours: Look) -> Any:
    """Everyone in each audience, whatever else they are in: bars that grow to the left."""
    highest = float(parts.audiences["value"].max())
    back = alt.Scale(domain=[1.5 * (highest or 1.0), 0], nice=False)
    base = alt.Chart(parts.audiences).encode(x=alt.X("value:Q", scale=back, axis=None))
    bars = base.mark_rect(color=colours.quiet, cornerRadius=1.5).encode(
        x2=alt.datum(0), y=alt.Y("top:Q", scale=down, axis=None), y2="bottom:Q"
    )
    figures = base.mark_text(align="right", baseline="middle", dx=-5).encode(
        y=alt.Y("y:Q", scale=down, axis=None), text="text:N"
    )
    return alt.layer(bars, figures)


def _labels(parts: _Parts, down: Any) -> Any:
    names = alt.Chart(parts.audiences).mark_text(align="right", baseline="middle", fontSize=13)
    end = alt.X(datum=1, scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    return names.encode(x=end, y=alt.Y("y:Q", scale=down, axis=None), text="name:N")


def _stripes(parts: _Parts, down: Any, colours: Look) -> Any:
    """Every other line of dots on a tinted ground, so that the eye keeps to it."""
    stripes = alt.Chart(parts.audiences).transform_filter("datum.striped")
    return stripes.mark_rect(color=colours.middle).encode(
        y=alt.Y("over:Q", scale=down, axis=None), y2="under:Q"
    )


def _corner_view(parts: _Parts, colours: Look) -> Any:
    place = alt.X(datum=0, scale=alt.Scale(domain=[0, 1], nice=False), axis=None)
    texts = alt.Chart(parts.corner).mark_text(align="left", baseline="top")
    return texts.encode(
        x=place,
        y=alt.Y("y:Q", scale=alt.Scale(domain=[0, _BARS], nice=False, reverse=True), axis=None),
        text="text:N",
        size=alt.Size("size:Q", scale=None, legend=None),
        color=alt.condition("datum.size > 13", alt.value(colours.ink), alt.value(colours.quiet)),
    )
