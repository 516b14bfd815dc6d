"""Profiles: what an audience is most over and most under, ranked by its index."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from audiencelab.charts import wording
from audiencelab.charts.certainty import hatch, low_marks, low_note
from audiencelab.charts.drawing import Drawing, Words, finish, reference
from audiencelab.charts.tables import (
    column_labels,
    column_place,
    lines_of,
    row_labels,
    table_of,
    whom,
)
from audiencelab.charts.theme import Look, Theme, look
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.profile import ProfileData
from audiencelab.wording import plural

__all__ = ["profile"]

MOST_BARS = 100
"""Bars on each side of 100 in one picture; more are a table."""

_STEP = 24
_GAP = 6


def profile(
    table: CrosstabData | ProfileData,
    column: str | None = None,
    *,
    limit: int = 10,
    theme: Theme = "light",
    width: int = 440,
) -> Drawing:
    """The rows that one column is most over and most under, as bars from an index of 100.

    table: a crosstab, or a profile, of which answers are left out that fewer than 30 respondents
        of the base gave, and the questions that the audience is defined by.
    column: the audience to draw, by name or id; may be left out where the table has one column.
    limit: rows drawn on each side of 100 at most; the subtitle says how many there are.
    theme: "light" or "dark". width: pixels of the plot.

    Beside each index stands the share of the column. A column of fewer than 100 respondents makes
    hatched bars with a star, of fewer than 30 with two. Rows without an index are left out. Raises
    `TypeError` for anything but these two, and `ValueError` for a column that is not there, or
    is not named where there are several, and for a limit under 1 or over 100.
    """
    table = table_of(table)
    if not (wording.is_whole(limit) and 1 <= limit <= MOST_BARS):
        raise ValueError(
            "The limit is how many rows to draw on a side, at least 1 and at most "
            f"{MOST_BARS}, not {limit!r}."
        )
    wording.check_pixels(width=width)
    place = column_place(table, column)
    colours, every = look(theme), _data(table, place)
    data = _ends(every, limit)
    order = [str(label) for label in data["label"]]
    shown = f"{len(data):,} of {len(every):,} rows" if len(data) < len(every) else ""
    said = [wording.METRIC_NAMES["index"], "share of the column beside it", shown]
    subtitle = [" · ".join(filter(None, said)), whom(table), *low_note(data["mark"])]
    title = wording.shorten_title(column_labels(table)[place])
    chart = _layers(data, order, colours, width)
    summary = f"profile by index, {plural(len(data), 'row')}"
    words = Words(title, subtitle, summary, width, left=order)
    return finish(chart, colours, words, of=table)


def _data(table: CrosstabData, place: int) -> pd.DataFrame:
    index, share = (table.values(figure)[:, place] for figure in ("index", "column_percentage"))
    data = pd.DataFrame({"label": row_labels(table), "value": index, "share": share})
    data["line"] = lines_of(table)[:, place]
    data["mark"] = low_marks("index", table)[:, place]
    data["text"] = [
        f"{wording.format_value('index', value)} · "
        f"{wording.format_value('column_percentage', part)} {mark}".rstrip()
        for value, part, mark in zip(index, share, data["mark"], strict=True)
    ]
    ranked = data.dropna(subset=["value"]).sort_values("value", ascending=False, kind="stable")
    return ranked.reset_index(drop=True)


def _ends(ranked: pd.DataFrame, limit: int) -> pd.DataFrame:
    """The rows furthest over 100 and furthest under it, still ranked."""
    over = ranked[ranked["value"] >= 100].head(limit)
    under = ranked[ranked["value"] < 100].tail(limit)
    return pd.concat([over, under]).assign(facet="")


def _layers(data: pd.DataFrame, order: list[str], colours: Look, width: int) -> Any:
    known = np.append(data["value"].to_numpy(dtype=np.float64), [99.0, 101.0])
    # Figures of both sides are as long as each other; a quarter of the plot holds them.
    room = 0.3 * float(np.ptp(known))
    domain = [float(known.min()) - room, float(known.max()) + room]
    base = alt.Chart(data).encode(
        y=alt.Y("label:N", sort=order, title=None, axis=alt.Axis(labelFontSize=13))
    )
    x = alt.X("value:Q", title=None, axis=None, scale=alt.Scale(domain=domain, nice=False))
    under, over = colours.series[:2]
    shaped = base.encode(x=x, x2=alt.datum(100))
    bars = shaped.mark_bar(cornerRadiusEnd=2).encode(
        color=alt.condition("datum.value >= 100", alt.value(over), alt.value(under))
    )
    right = base.transform_filter("datum.value >= 100").mark_text(align="left", dx=_GAP)
    left = base.transform_filter("datum.value < 100").mark_text(align="right", dx=-_GAP)
    layers = [
        bars,
        *([hatch(shaped, colours)] if any(data["mark"]) else []),
        reference(data, "facet", "x", color=colours.mark, strokeWidth=1),
        *(each.encode(x="value:Q", text="text:N") for each in (right, left)),
    ]
    return alt.layer(*layers).properties(width=width, height=alt.Step(_STEP))
