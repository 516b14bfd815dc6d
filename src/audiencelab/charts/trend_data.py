"""What lines show: the values of rows over waves, in panels, and where lines are interrupted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.chart_plan import ChartPlan, Panel
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.moving_averages import (
    MovingAverageData,
    breaks_of_window,
    moving_average,
)
from audiencelab.charts.data import Drawable, Values, statistic_values, values_of
from audiencelab.charts.panels import told_apart
from audiencelab.charts.uncertainty import Intervals, level_of, low_marks, respondents
from audiencelab.results.comparable import comparability, comparability_of_statistics
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

_SHARE = "column_percentage"


class DrawnLines(NamedTuple):
    """Lines, before they are laid out.

    data: a row for each point, with the columns panel, series, wave (its name), value, low, high,
        mark, n, line, part (lines are joined within one) and, of a moving average, single: the
        value of the wave alone.
    headings: of the panels; "" for the only one. series: of each panel. waves: names in order,
    from the first to the last that has a value.
    left_out: which rows are not drawn; "" if all are. outside: series that are answers off a scale.
    rows: those that are drawn, by position, and those that have no figures.
    """

    data: pd.DataFrame
    headings: list[str]
    series: list[list[str]]
    waves: list[str]
    left_out: str
    outside: set[str]
    rows: frozenset[int]


def values_over_waves(
    result: Drawable | CrosstabData | MovingAverageData, metric: str, intervals: Intervals | None
) -> tuple[Values, list[str]]:
    """The values of the lines with their intervals, and what both are, for the subtitle.

    metric: "" for the statistics of a table, whatever their kinds are.
    """
    if isinstance(result, MovingAverageData):
        return _of_windows(result, metric, intervals)
    if isinstance(result, CrosstabData) and not metric:
        level = level_of(intervals or False, "mean")
        values = statistic_values(result, level)
    else:
        level = level_of(intervals or False, metric)
        values = values_of(result, metric, level)
    return values, [] if level is None else [f"bands: {values.intervals}"]


def _of_windows(
    averages: MovingAverageData, metric: str, intervals: Intervals | None
) -> tuple[Values, list[str]]:
    facts = [f"average of {averages.waves} waves up to each, points: single waves"]
    facts += ["also across breaks"] if averages.across_breaks else []
    ends: dict[str, Any] = {"low": np.nan, "high": np.nan}
    if intervals is None:
        intervals = averages.level if metric == _SHARE else False
    if (level := level_of(intervals, metric)) is not None:
        if level != averages.level:
            given = averages.table, averages.waves, level
            averages = moving_average(
                MovingAverageData, *given, across_breaks=averages.across_breaks
            )
        ends = {end: averages.frame[f"{metric}_{end}"].to_numpy() for end in ends}
        facts.append(f"bands: {percent_words(level)} intervals")
    single, frame = values_of(averages.table, metric), averages.frame
    data = single.data.assign(
        single=single.data["value"],
        value=frame[metric].to_numpy(),
        mark=low_marks(metric, frame),
        n=respondents(metric, frame),
        **ends,
    )
    return replace(single, data=data), facts


def lines_of(
    values: Values, plan: ChartPlan, breaks: NDArray[np.int_] | None, most: int
) -> DrawnLines:
    """The lines of a plan. breaks: the part of its line that each value is in.

    most: rows drawn, the largest in the last wave of any panel first.
    """
    data = values.data if breaks is None else values.data.assign(part=breaks)
    off = plan.scale.off if plan.scale is not None else frozenset[str]()
    rows_off = {row for row, point in plan.points if point in off}
    outside: set[str] = set()
    # Panels of other rows, such as items of a grid, have lines of their own.
    alike = {
        rows: _chosen(data, [panel for panel in plan.panels if panel.rows == rows], most)
        for rows in dict.fromkeys(panel.rows for panel in plan.panels)
    }
    left_out = " · ".join(dict.fromkeys(said for _, said in alike.values() if said))
    frames: list[pd.DataFrame] = []
    headings: list[str] = []
    series: list[list[str]] = []
    waves: dict[str, None] = {}
    for panel in plan.panels:
        rows = [row for row in panel.rows if row in alike[panel.rows][0]]
        inside = data[data["row"].isin(rows) & data["column"].isin(panel.columns)]
        names = dict(zip(rows, told_apart(values.rows, rows), strict=True))
        outside |= {names[row] for row in rows if row in rows_off}
        if plan.turned:
            names = dict.fromkeys(rows, panel.name)
        named = inside["column"].map(dict(enumerate(values.columns.names)))
        waves |= dict.fromkeys(values.columns.names[at] for at in panel.columns)
        at = 0 if plan.turned else len(headings)
        frames.append(inside.assign(panel=at, series=inside["row"].map(names), wave=named))
        if plan.turned and series:
            series[0].append(panel.name)
        else:
            series.append(list(names.values()))
            headings.append("" if plan.turned or len(plan.panels) == 1 else panel.name)
    drawn = pd.concat(frames, ignore_index=True)
    asked = _asked(drawn, [*waves])
    drawn = drawn[drawn["wave"].isin(asked)]
    kept = ["panel", "series", "wave", "value", "low", "high", "mark", "n", "line"]
    kept += [name for name in ("part", "single") if name in drawn]
    empty = plan.rows.difference(map(int, data.dropna(subset=["value"])["row"]))
    rows = empty.union(map(int, drawn["row"]))
    return DrawnLines(drawn[kept], headings, series, asked, left_out, outside, rows)


def _asked(data: pd.DataFrame, waves: Sequence[str]) -> list[str]:
    """The waves from the first to the last with a value; all of them if none has one."""
    known = {*data.loc[data["value"].notna(), "wave"]}
    places = [place for place, wave in enumerate(waves) if wave in known]
    return [*waves][min(places) : max(places) + 1] if places else [*waves]


def _chosen(data: pd.DataFrame, panels: Sequence[Panel], most: int) -> tuple[set[int], str]:
    """The rows that are drawn in panels of the same rows."""
    rows = list(panels[0].rows)
    columns = [column for panel in panels for column in panel.columns]
    place = {column: at for at, column in enumerate(columns)}
    groups = {column: at for at, panel in enumerate(panels) for column in panel.columns}
    known = data[data["row"].isin(rows) & data["column"].isin(columns)].dropna(subset=["value"])
    known = known.assign(at=known["column"].map(place), of=known["column"].map(groups))
    lasts = known.sort_values("at").groupby(["row", "of"], sort=False)["value"].last()
    last = lasts.groupby("row", sort=False).max()
    largest = last.reindex([row for row in rows if row in last.index]).sort_values(
        ascending=False, kind="stable"
    )
    said: list[str] = []
    if len(last) > most:
        said.append(f"the {most} largest of {len(last)} rows; top={len(rows)} draws all")
    if missing := len(rows) - len(last):
        said.append(f"{missing:,} of {len(rows):,} rows without figures")
    return {*map(int, largest.index[:most])}, " · ".join(said)


def parts_of(
    result: CrosstabData | StatsData | MovingAverageData, values: Values
) -> NDArray[np.int_] | None:
    """How many breaks there were before each value; None where there were none."""
    if isinstance(result, CrosstabData):
        of = comparability_of_statistics if values.of_statistics else comparability
        own = of(result)
        columns = np.arange(len(result.columns))
        found = own.between(np.maximum(columns - 1, 0), columns).breaks
        if found is None:
            return None
        counted = np.cumsum(found != "", axis=1)
        return counted[values.data["row"], values.data["column"]]
    if isinstance(result, MovingAverageData):
        return None if result.across_breaks else _parts(result.table)
    return _parts(result)


def _parts(stats: StatsData) -> NDArray[np.int_] | None:
    waves = stats.segments
    audiences: list[str | None] = [each.id for each in stats.audiences] or [None]
    breaks = {
        (audience, wave): len(breaks_of_window(stats, audience, waves[0], wave))
        for audience in audiences
        for wave in waves
    }
    if not any(breaks.values()):
        return None
    return np.array([breaks[row.audience, row.segment or ""] for row in stats.rows], dtype=int)
