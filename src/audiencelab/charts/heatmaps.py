"""Heat maps: the figures of a table in colour and in numbers, of a crosstab or of any result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.charts import wording
from audiencelab.charts.certainty import low_marks, low_note
from audiencelab.charts.drawing import Drawing, Words, finish
from audiencelab.charts.figures import Drawable, figures_of, group_labels
from audiencelab.charts.tables import column_labels, lines_of, row_labels, title_of, whom
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.results.crosstab import FIGURES, CrosstabData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.schema import METRICS
from audiencelab.wording import plural

__all__ = ["heatmap"]

MOST_CELLS = 4_000
"""Cells in one picture; larger tables belong in the grid."""

_CLIP = (2, 98)
_LEAST_REACH = 10.0
_WIDE, _HIGH = 74, 26
_LONGEST = 200
"""Pixels of a column's name, which stands askew where it is long."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """What is drawn: a line for each cell, in which order, and what is to be said of it."""

    data: pd.DataFrame
    rows: list[str]
    columns: list[str]
    title: str
    base: str
    facts: tuple[str, ...] = ()


def heatmap(
    result: CrosstabData | Drawable, metric: str | None = None, *, theme: Theme = "light"
) -> Drawing:
    """A cell for each row and column, coloured by one figure and labelled with it.

    result: a crosstab; or of a stats query or of a saved chart's calculation: then its datapoints,
        or attributes, stand down, and its audiences, segments or both across.
    metric: of a crosstab one of `audiencelab.tables.FIGURES`, "index" unless told; otherwise one of
        the nine, "audience_index" unless told. Indices diverge around 100, blue under and orange
        over it; other figures run from the ground to the accent. Colours are clipped at the 2nd
        and 98th percentile, so that one odd cell does not bleach the rest.
    theme: "light" or "dark".

    Cells without a value are left empty. A figure that rests on fewer than 100 respondents has a
    star, on fewer than 30 two. Raises `TypeError` for anything else, and `ValueError` for an
    unknown figure and for more cells than a picture can hold.
    """
    colours = look(theme)
    if isinstance(result, CrosstabData):
        metric = metric or "index"
        cells = _of_table(result, metric)
    else:
        metric = metric or "audience_index"
        cells = _of_stats(result, metric)
    data = cells.data
    data["heat"] = heat(data["value"].to_numpy(dtype=np.float64), metric)
    data["text"] = [
        f"{wording.format_value(metric, value) or '–'} {mark}".rstrip()
        for value, mark in zip(data["value"], data["mark"], strict=True)
    ]
    chart = _layers(cells, metric, colours)
    said = " · ".join([wording.METRIC_NAMES[metric], *cells.facts])
    subtitle = [said, cells.base, *low_note(data["mark"])]
    summary = (
        f"heat map of {metric}, {plural(len(cells.rows), 'row')} × "
        f"{plural(len(cells.columns), 'column')}"
    )
    words = Words(cells.title, subtitle, summary, _WIDE * len(cells.columns), left=cells.rows)
    return finish(chart, colours, words, of=result)


def _of_table(table: CrosstabData, metric: str) -> _Cells:
    wording.check_choice("figure", metric, FIGURES)
    _check_cells(table.expected, "Show the CrosstabGrid instead, or fewer rows and columns.")
    rows, columns = row_labels(table), column_labels(table)
    values = table.values(metric).ravel()
    data = pd.DataFrame(
        {
            "row": np.repeat(np.array(rows, dtype=object), len(columns)),
            "column": np.tile(np.array(columns, dtype=object), len(rows)),
            "value": values,
            "mark": low_marks(metric, table).ravel(),
            "line": lines_of(table).ravel(),
        }
    )
    return _Cells(data, rows, columns, title_of(table), whom(table))


def _of_stats(result: Drawable, metric: str) -> _Cells:
    figures = figures_of(result, draws_tables=True)
    stats = figures.stats
    wording.check_choice("metric", metric, METRICS)
    _check_cells(len(stats), "Limit the query with datapoints= or segments=, or use to_wide().")
    frame = stats_frame(stats)
    labels = wording.distinct(stats.datapoints, stats.labels.datapoints)
    across = group_labels(stats)
    data = pd.DataFrame(
        {
            "row": frame["datapoint"].map(labels),
            "column": across,
            "value": frame[metric],
            "mark": low_marks(metric, frame),
            "line": figures.lines,
        }
    )
    smallest = frame["audience_sample"].min() if len(frame) else None
    return _Cells(
        data,
        list(labels.values()),
        list(dict.fromkeys(across)),
        figures.title,
        figures.base_line(smallest),
        tuple(filter(None, [wording.series_line(stats), *figures.facts])),
    )


def _check_cells(cells: int, advice: str) -> None:
    if cells > MOST_CELLS:
        raise ValueError(
            f"{cells:,} cells are too many for one picture (at most {MOST_CELLS:,}). {advice}"
        )


def heat(values: np.ndarray[Any, np.dtype[np.float64]], metric: str) -> Any:
    """How strongly each value is coloured: −1 to 1 around an index of 100, 0 to 1 for the rest."""
    known = values[np.isfinite(values)]
    if not known.size:
        return np.full(values.shape, np.nan)
    low, high = np.percentile(known, _CLIP)
    if not metric.endswith("index"):
        return np.clip((values - low) / max(high - low, np.finfo(float).tiny), 0, 1)
    over, under = max(_LEAST_REACH, high - 100), max(_LEAST_REACH, 100 - low)
    away = values - 100
    return np.clip(np.where(away >= 0, away / over, away / under), -1, 1)


def _layers(cells: _Cells, metric: str, colours: Look) -> Any:
    diverging, data, columns = metric.endswith("index"), cells.data, cells.columns
    scale = (
        alt.Scale(domain=[-1, 0, 1], range=[colours.under, colours.middle, colours.over])
        if diverging
        else alt.Scale(domain=[0, 1], range=[colours.middle, colours.accent])
    )
    top = alt.Axis(
        orient="top",
        labelAngle=-35 if _long(columns) else 0,
        labelAlign="left" if _long(columns) else "center",
        labelLimit=_LONGEST,
    )
    base = alt.Chart(data).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=top),
        y=alt.Y("row:N", sort=cells.rows, title=None),
    )
    tiles = base.mark_rect(stroke=colours.ground, strokeWidth=1.5).encode(
        color=alt.Color("heat:Q", scale=scale, legend=_legend(data, diverging, metric))
    )
    # Both ends of the diverging scale carry the theme's own ink; the accent needs the other one.
    strong = colours.ink if diverging else colours.on_accent
    ink = alt.condition(
        f"datum.heat > {colours.on_accent_from}", alt.value(strong), alt.value(colours.ink)
    )
    texts = base.mark_text(fontSize=12).encode(text="text:N", color=ink)
    return alt.layer(tiles, texts).properties(width=alt.Step(_WIDE), height=alt.Step(_HIGH))


def _long(labels: list[str]) -> bool:
    return max(map(len, labels), default=0) > 11


def _legend(data: pd.DataFrame, diverging: bool, metric: str) -> Any:
    """Three numbers beside the scale: both ends as clipped, and the middle."""
    known = data["value"].dropna()
    if known.empty:
        return None
    low, high = (float(end) for end in np.percentile(known, _CLIP))
    if diverging:
        ends = [min(low, 100 - _LEAST_REACH), 100.0, max(high, 100 + _LEAST_REACH)]
        places = [-1, 0, 1]
    else:
        ends, places = [low, high], [0, 1]
    words = [wording.format_value(metric, end) for end in ends]
    pairs = " : ".join(f"datum.value == {p} ? {w!r}" for p, w in zip(places, words, strict=True))
    return alt.Legend(title=None, values=places, labelExpr=f"{pairs} : ''", gradientLength=120)
