"""Ranked profiles: the rows that a column is most over and most under, from an index of 100."""

from __future__ import annotations

import numpy as np
import pandas as pd

from audiencelab.charts.bars import AFTER, BAR, end_texts
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import (
    adjusted_facts,
    base_line,
    column_source,
    column_title,
    lines_of,
    table_rows,
)
from audiencelab.charts.labels import (
    check_limit,
    check_width,
    format_value,
    value_labels,
)
from audiencelab.charts.layout import NAMES, PADDING, ends_with_room
from audiencelab.charts.renderer import Spec
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import SMALL, Look, Theme, look
from audiencelab.charts.uncertainty import hatch, low_marks, low_note
from audiencelab.charts.vega_lite import field, layer, scale, tooltip, when
from audiencelab.charts.wrapping import folded, folded_note, names_beside, text_width
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import METRICS
from audiencelab.results.profile import ProfileData
from audiencelab.wording import plural

MAX_RANKED = 100
"""Bars on each side of 100; more are a table."""

_STEP, _FEW = 22.0, 12
"""Pixels of a row, and rows up to which their names may have three lines."""


def profile(
    table: CrosstabData | ProfileData,
    column: str | None = None,
    *,
    limit: int = 10,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    width: int | None = None,
) -> ChartSpecification:
    """The rows that one column is most over and most under, as bars from an index of 100.

    table: a crosstab; or a profile, without answers that fewer than 30 respondents of the base
        gave and without the questions that the audience is defined by.
    column: the audience to draw, by name or id; optional if the table has one column.
    limit: rows drawn on each side of 100 at most; the subtitle says how many there are.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". width: pixels of the chart, by default 640.

    The share of the column is shown beside each index. A column of fewer than 100 respondents has
    hatched bars with a star, of fewer than 30 with two. Rows without an index are left out. Raises
    `TypeError` for anything but these two, and `ValueError` for an unknown or ambiguous column,
    and for a limit under 1 or over 100.

    >>> al.charts.profile(client.profile(client["Age"] == "18 to 24", "Pets"), limit=3)
    <Chart: profile by index, 6 rows>
    """
    check_limit(limit, "limit (rows on each side)", MAX_RANKED)
    pixels = check_width(width, 1)
    given, adjusted = table, adjusted_facts(table)
    table, place = column_source(table, column)
    colours, every = look(theme), _ranked(table, place)
    over, under = every[every["value"] >= 100], every[every["value"] < 100]
    data = pd.concat([over.head(limit), under.tail(limit)])
    shown = f"{len(data):,} of {len(every):,} rows" if len(data) < len(every) else ""
    said = [METRICS["index"].label_alone, "share of the column beside it", shown]
    own = column_title(given, table, place)
    shared, names = folded([str(label) for label in data["label"]])
    subtitle = [" · ".join(filter(None, said)), *folded_note(shared, own), *adjusted]
    subtitle += [base_line(table), *low_note(data["mark"])]
    summary = f"profile by index, {plural(len(data), 'row')}"
    captions = Captions(own, subtitle, summary, pixels, whole=pixels)
    spec = _specification(data, names, colours, pixels)
    return finish(spec, colours, captions.chosen(title, base=base), of=table)


def _ranked(table: CrosstabData, place: int) -> pd.DataFrame:
    index, share = (table.values(name)[:, place] for name in ("index", "column_percentage"))
    rows = table_rows(table)
    data = pd.DataFrame({"label": rows.labels, "value": index, "share": share})
    data["line"] = lines_of(table)[:, place]
    data["mark"] = low_marks("index", table)[:, place]
    shares = value_labels("column_percentage", share, data["mark"])
    data["text"] = [
        f"{format_value('index', value)} · {part}"
        for value, part in zip(index, shares, strict=True)
    ]
    ranked = data.dropna(subset=["value"]).sort_values("value", ascending=False, kind="stable")
    return ranked.reset_index(drop=True)


def _specification(data: pd.DataFrame, named: list[str], colours: Look, width: float) -> Spec:
    inner = width - 2 * PADDING
    order = [str(label) for label in data["label"]]
    texts = dict(zip(order, named, strict=True))
    names = names_beside(texts, NAMES * inner, most=3 if len(order) <= _FEW else 2)
    plot, row = inner - names.pixels, max(_STEP, names.height + 2)
    under = (data["value"] < 100).to_numpy()
    rooms = np.array([AFTER + text_width(text) for text in data["text"]])
    ends = ends_with_room(
        data["value"].clip(upper=99.0),
        data["value"].clip(lower=101.0),
        np.where(under, rooms, 0.0),
        np.where(under, 0.0, rooms),
        plot,
    )
    shares = 1 - BAR / row
    bands = {"paddingInner": shares, "paddingOuter": shares / 2}
    y = field("label:N", sort=order, title=None, axis=names.axis(row), scale=bands)
    x = field("value:Q", title=None, axis=None, scale=scale(*ends))
    shape = {"y": y, "x": x, "x2": {"datum": 100}}
    hue = when("datum.value >= 100", *colours.series[1::-1])
    tips = tooltip("label", "label", "value")
    hundred = pd.DataFrame({"at": [100]})
    layers = [
        layer("bar", {**shape, "color": hue, "tooltip": tips}, cornerRadiusEnd=1.5),
        *hatch(shape, data["mark"], colours),
        layer("rule", {"x": x | {"field": "at"}}, data=hundred, color=colours.mark, strokeWidth=1),
        *end_texts({"y": y, "x": x}, 100, SMALL),
    ]
    size = {"width": round(plot, 1), "height": round(row * max(len(order), 1), 1)}
    return {"data": data, "layer": layers, **size}
