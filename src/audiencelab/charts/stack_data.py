"""What stacks show: their parts in order, what they are called, and what is added up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from audiencelab.analysis.chart_plan import ChartPlan, Panel, short_names
from audiencelab.charts.data import Side, Values, stats_labels
from audiencelab.charts.labels import distinct
from audiencelab.charts.panels import Panels, in_order, with_rows
from audiencelab.render.colours import Look, scale_colours, series_colours
from audiencelab.render.table_layout import with_base
from audiencelab.results.arrangement import UNARRANGED, TableArrangement
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

_ALL = -1
"""The column of everyone in the base."""


class Stacked(NamedTuple):
    """Stacks, before they are laid out.

    parts: a row for each part, in the order to draw them, with the columns stack, answer, share,
        mark, n and line; side ("low" or "high" for what is added up), off (whether it is off the
        scale) and left (how much of it is left of the middle, 0 to 1).
    panels: the keys and names of stacks and headings. order: the keys. colours: by answer. sums:
        what is added up at the left and at the right; "" for none. how: has the decimals.
    """

    parts: pd.DataFrame
    panels: Panels
    order: list[str]
    colours: dict[str, str]
    sums: tuple[str, str]
    how: TableArrangement = UNARRANGED


def stacked(
    values: Values,
    shown: StatsData | CrosstabData,
    plan: ChartPlan,
    colours: Look,
    *,
    diverging: bool,
    sort: str = "asked",
) -> Stacked:
    """The stacks of a plan. values: the shares of `shown`."""
    parts = _parts(values, shown, plan)
    names = _answers(shown, plan)
    place = parts.groupby(["panel", "column"], sort=True).ngroup()
    side = _side(values, plan)
    by_stack = parts.groupby(place, sort=True)
    respondents = by_stack["n"].max()
    if shown.who.valid and respondents.nunique() > 1:
        side = side._replace(names=[*map(with_base, side.names, respondents)])
    # Text in order is "", "*", "**": the last is the worst.
    side = side._replace(names=[*map(_marked, side.names, by_stack["mark"].max())])
    codes = dict(plan.points)
    keys = list(names)
    parts = parts.assign(
        stack=[side.labels[at] for at in place],
        answer=parts["key"].map(names),
        share=parts["value"],
        side="",
        off=False,
        left=0.0,
    )
    shades = series_colours(len(keys), colours)
    if (scale := plan.scale) is not None:
        point = parts["row"].map(codes)
        parts["side"] = np.select(
            [point.isin(plan.low), point.isin(plan.high)], ["low", "high"], default=""
        )
        parts["off"] = ~point.isin(scale.points)
        half, is_odd = divmod(len(scale.points), 2)
        left = dict.fromkeys(scale.points[:half], 1.0)
        left |= {scale.points[half]: 0.5} if is_odd else {}
        parts["left"] = point.map(left).fillna(0.0)
        shades = scale_colours(
            replace(scale, ends="opposite") if diverging else scale, keys, colours
        )
    panels = with_rows([], side, range(len(side.labels)))
    sums = [" + ".join(names[code] for code in end) for end in (plan.low, plan.high)]
    order = panels.rows if sort == "asked" else in_order(panels, _ranked(parts, plan))
    shading = dict(zip(names.values(), shades, strict=True))
    kept = ["stack", "answer", "share", "mark", "n", "line", "side", "off", "left"]
    return Stacked(parts[kept], panels, order, shading, (sums[0], sums[1]), values.how)


def sums_of(parts: pd.DataFrame, side: str) -> pd.Series[float]:
    """What the parts of one side add up to, by stack; NaN where one of them is missing."""
    shares = parts[parts["side"] == side].groupby("stack", sort=False)["share"]
    return shares.agg(lambda each: each.sum(skipna=False))


def _ranked(parts: pd.DataFrame, plan: ChartPlan) -> list[str]:
    """The stacks, those with the largest sum at the top, or else the largest first part, first."""
    rank = parts.groupby("stack", sort=False)["share"].first()
    if plan.high:
        top_first = plan.scale is not None and plan.scale.top == "first"
        rank = sums_of(parts, "low" if top_first else "high").reindex(rank.index)
    return [str(each) for each in rank.sort_values(ascending=False, kind="stable").index]


def _parts(values: Values, shown: StatsData | CrosstabData, plan: ChartPlan) -> pd.DataFrame:
    codes = dict(plan.points)
    parts = [
        _of_panel(values, shown, panel).assign(panel=at) for at, panel in enumerate(plan.panels)
    ]
    data = pd.concat(parts, ignore_index=True) if parts else values.data[:0].assign(panel=0)
    key = data["row"].map(codes) if plan.scale is not None else data["row"].astype(str)
    return data.assign(key=key)


def _of_panel(values: Values, shown: StatsData | CrosstabData, panel: Panel) -> pd.DataFrame:
    order = {row: at for at, row in enumerate(panel.rows)}
    data = values.data[values.data["row"].isin(panel.rows)]
    if panel.columns:
        data = data[data["column"].isin(panel.columns)]
    else:
        assert isinstance(shown, CrosstabData)
        data = data[data["column"] == 0]
        sample = shown.values("base_sample")[data["row"], 0]
        marks = [values.how.star(each) for each in sample]
        data = data.assign(column=_ALL, value=data["base"], n=sample, mark=marks)
    return data.sort_values(
        ["column", "row"], key=lambda at: at.map(order) if at.name == "row" else at
    )


def _answers(shown: StatsData | CrosstabData, plan: ChartPlan) -> dict[str, str]:
    """The names of the answers by their keys, in the order of the parts."""
    if isinstance(shown, CrosstabData):
        names = [" ".join(row.name.split()) for row in shown.rows]
    else:
        names = list(stats_labels(shown)[0].values())
    codes = dict(plan.points)
    found: dict[str, str] = {}
    for panel in plan.panels:
        for row in panel.rows:
            found.setdefault(codes[row] if plan.scale is not None else str(row), names[row])
    return distinct(found, found, None)


def _side(values: Values, plan: ChartPlan) -> Side:
    """What the stacks are called: columns, items of a grid, or columns under their items."""
    columns, panels = values.columns, plan.panels
    if len(panels) == 1:
        places = panels[0].columns
        return Side(
            [columns.labels[at] for at in places],
            [columns.names[at] for at in places],
            [columns.groups[at] for at in places],
        )
    names = [panel.name for panel in panels]
    if all(len(panel.columns) < 2 for panel in panels):
        return Side(_unlike(names), names, [()] * len(names))
    pairs = [(at, column) for at, panel in enumerate(panels) for column in panel.columns]
    short = short_names([*columns.groups], columns.names)
    return Side(
        _unlike([f"{names[at]} · {columns.labels[column]}" for at, column in pairs]),
        [short[column] for _, column in pairs],
        [(names[at],) for at, _ in pairs],
    )


def _unlike(texts: Sequence[str]) -> list[str]:
    by_place = {str(place): text for place, text in enumerate(texts)}
    return [*distinct(by_place, by_place, None).values()]


def _marked(name: str, mark: str) -> str:
    return f"{name} {mark}".rstrip()
