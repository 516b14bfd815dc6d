"""Heat maps: a crosstab's figures in colour and in numbers."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.charts import wording
from audiencelab.charts.drawing import Drawing, Words, finish
from audiencelab.charts.tables import audience_labels, check_table, lines_of, whom
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.frames import FIGURES, CrosstabResult

__all__ = ["heatmap"]

MOST_CELLS = 4_000
"""Cells in one picture; larger tables belong in the grid."""

_CLIP = (2, 98)
_LEAST_REACH = 10.0
_WIDE, _HIGH = 74, 26


def heatmap(table: CrosstabResult, metric: str = "index", *, theme: Theme = "light") -> Drawing:
    """A cell for each row and column, coloured by one figure and labelled with it.

    metric: one of `audiencelab.frames.FIGURES`. The index diverges around 100, blue under and
        orange over it; other figures run from the ground to the accent. Colours are clipped at
        the 2nd and 98th percentile, so that one odd cell does not bleach the rest.
    theme: "light" or "dark".

    Cells without a value are left empty. Raises `ValueError` for an unknown figure and for more
    cells than a picture can hold.
    """
    check_table(table)
    if metric not in FIGURES:
        raise ValueError(f"No figure {metric!r}. Choose one of {', '.join(FIGURES)}.")
    if table.expected > MOST_CELLS:
        raise ValueError(
            f"{table.expected:,} cells are too many for one picture (at most {MOST_CELLS:,}). "
            "Show the CrosstabGrid instead, or fewer rows and columns."
        )
    colours = look(theme)
    rows, columns = audience_labels(table.rows), audience_labels(table.columns)
    data = _data(table, metric, rows, columns)
    chart = _cells(data, rows, columns, metric, colours)
    subtitle = [wording.METRIC_NAMES[metric], whom(table)]
    summary = f"heat map of {metric}, {len(rows)} rows × {len(columns)} columns"
    words = Words("Crosstab", subtitle, summary, _WIDE * len(columns), left=rows)
    return finish(chart, colours, words, of=table)


def _data(table: CrosstabResult, metric: str, rows: list[str], columns: list[str]) -> pd.DataFrame:
    values = table.values(metric)
    data = pd.DataFrame(
        {
            "row": np.repeat(np.array(rows, dtype=object), len(columns)),
            "column": np.tile(np.array(columns, dtype=object), len(rows)),
            "value": values.ravel(),
            "line": lines_of(table).ravel(),
        }
    )
    data["heat"] = heat(values, metric).ravel()
    data["text"] = [wording.format_value(metric, value) or "–" for value in data["value"]]
    return data


def heat(values: np.ndarray[Any, np.dtype[np.float64]], metric: str) -> Any:
    """How strongly each value is coloured: −1 to 1 around an index of 100, 0 to 1 for the rest."""
    known = values[np.isfinite(values)]
    if not known.size:
        return np.full(values.shape, np.nan)
    low, high = np.percentile(known, _CLIP)
    if metric != "index":
        return np.clip((values - low) / max(high - low, np.finfo(float).tiny), 0, 1)
    over, under = max(_LEAST_REACH, high - 100), max(_LEAST_REACH, 100 - low)
    away = values - 100
    return np.clip(np.where(away >= 0, away / over, away / under), -1, 1)


def _cells(
    data: pd.DataFrame, rows: list[str], columns: list[str], metric: str, colours: Look
) -> Any:
    diverging = metric == "index"
    scale = (
        alt.Scale(domain=[-1, 0, 1], range=[colours.under, colours.middle, colours.over])
        if diverging
        else alt.Scale(domain=[0, 1], range=[colours.middle, colours.accent])
    )
    top = alt.Axis(
        orient="top",
        labelAngle=-35 if _long(columns) else 0,
        labelAlign="left" if _long(columns) else "center",
    )
    base = alt.Chart(data).encode(
        x=alt.X("column:N", sort=columns, title=None, axis=top),
        y=alt.Y("row:N", sort=rows, title=None),
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
