"""The data of charts: values of a query, of a saved chart's calculation, or of a crosstab."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.profile import charted_crosstab
from audiencelab.charts import labels
from audiencelab.charts.labels import distinct, shorten
from audiencelab.charts.sources import (
    Drawable,
    StatsSource,
    group_labels,
    stats_labels,
    stats_source,
)
from audiencelab.charts.uncertainty import low_marks, respondents, whiskers
from audiencelab.expressions import Audience
from audiencelab.render.crosstab_layout import row_cells
from audiencelab.render.table_layout import have_own_bases, with_base
from audiencelab.results.arrangement import (
    UNARRANGED,
    USUAL_STARS,
    TableArrangement,
    low_base_mark,
)
from audiencelab.results.banner import Groups, full_name, is_nested, table_title
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone, title_of
from audiencelab.results.metric_names import own_name
from audiencelab.results.metrics import IN_TABLES, metric_of
from audiencelab.results.profile import ProfileData
from audiencelab.results.statistic_rows import StatisticRows, row_order
from audiencelab.results.stats import STATS_FIGURES, StatsData

_TABLE_ADVICE = "give what client.crosstab(…) returned, or grid.result, no frame of it"
_MIN_RESPONDENTS = 30
"""Respondents of an answer in a profile, below which its index is mostly chance."""


class Side(NamedTuple):
    """The rows or columns of a result, in its order.

    labels: on one line each, no two alike. names: without their groups, as which several may be
    named. groups: of each.
    """

    labels: list[str]
    names: list[str]
    groups: Sequence[Groups]


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one metric, and text about them.

    data: a row for each value, with the columns row and column (positions), label and group (of
        them), value, low, high, base (the share in the base), mark, n (respondents that the value
        rests on) and line.
    title: the subject. facts: lines about it. intervals: what the intervals are. kinds: of rows
        that are statistics instead of shares.
    """

    data: pd.DataFrame
    rows: Side
    columns: Side
    title: str
    base_line: str
    subject: str
    facts: list[str]
    intervals: str = ""
    kinds: tuple[str, ...] = ()
    how: TableArrangement = UNARRANGED

    @property
    def of_statistics(self) -> bool:
        """Whether the rows are means or scores instead of shares."""
        return bool(self.kinds)


def values_of(
    result: Drawable | CrosstabData,
    metric: str,
    level: float | None = None,
    limit: tuple[int, str, str] | None = None,
    how: TableArrangement = UNARRANGED,
    marks: int = 0,
) -> Values:
    """The values of a result.

    level: of the confidence intervals. limit: how many values a chart can hold, what it calls
    them, and what to do with a larger crosstab. how: which values are hidden, and which marked.
    marks: how many of them are drawn, 0 for all.

    Raises `TypeError` for other results, `ValueError` for an unknown metric and too many values.
    """
    return with_marks(_values_of(result, metric, level, limit, marks), metric, how)


def with_marks(values: Values, metric: str, how: TableArrangement) -> Values:
    """The values without those that are hidden, marked as the arrangement has it."""
    values = replace(values, how=how)
    data, rests = values.data, values.of_statistics or bool(metric_of(metric).rests_on)
    if not rests or (how.stars == USUAL_STARS and not how.hide_under):
        return values
    # Zero respondents are of a value that is not there.
    hidden = data["n"] < how.hide_under
    marks = data["n"].map(how.star).where(data["value"].notna() & (data["n"] > 0), "")
    shown = data.assign(mark=marks.where(~hidden, ""))
    left_out = bool((hidden & data["value"].notna()).any())
    words = f"values on fewer than {how.hide_under:,g} respondents are left out"
    shown.loc[hidden, ["value", "low", "high", "base"]] = np.nan
    return replace(values, data=shown, facts=[*values.facts, *([words] if left_out else [])])


def _values_of(
    result: Drawable | CrosstabData,
    metric: str,
    level: float | None,
    limit: tuple[int, str, str] | None,
    marks: int,
) -> Values:
    if isinstance(result, CrosstabData):
        if result.statistics is not None and (rows := result.statistics.named(metric)) is not None:
            return _of_statistics(result, rows, level)
        labels.check_choice("figure", metric, IN_TABLES)
        _check_count(marks or result.expected, limit)
        return _of_table(result, metric, level)
    source = stats_source(result, draws_tables=True)
    labels.check_choice("metric", metric, STATS_FIGURES)
    advice = "Limit the query with datapoints= or segments=, or use to_wide()."
    _check_count(marks or len(source.stats), limit and (*limit[:2], advice))
    return _of_stats(source, metric, level)


def statistic_values(table: CrosstabData, level: float | None = None) -> Values:
    """The values of all statistics of a table, of any kinds, in their order."""
    assert table.statistics is not None
    return _of_statistics(table, table.statistics, level)


def planned(result: Drawable | CrosstabData) -> CrosstabData | StatsData:
    """What the plan of a chart is made of; raises `TypeError` for other results."""
    if isinstance(result, CrosstabData):
        return result
    return stats_source(result, draws_tables=True).stats


def chosen_metric(result: object, metric: str | None, usual: str) -> str:
    """The metric of a chart by its own name; of a table of statistics alone it is their kind.

    Raises `ValueError` for statistics of several kinds, which have no common axis, and for shares
    of a table that has none.
    """
    if not isinstance(result, CrosstabData) or result.statistics is None:
        return own_name(result, metric or usual)
    kinds = list(dict.fromkeys(result.statistics.kinds))
    if metric in kinds:
        return metric
    if not of_statistics_alone(result):
        return own_name(result, metric or usual)
    if metric is None and len(kinds) == 1:
        return kinds[0]
    why = "has no shares" if metric is not None else "has statistics of several kinds"
    raise ValueError(
        f"metric={metric!r} is not valid: the table {why}. Choose one of "
        f"{', '.join(map(repr, kinds))}: table.chart.bar({kinds[0]!r})."
    )


def _check_count(count: int, limit: tuple[int, str, str] | None) -> None:
    if limit and count > limit[0]:
        most, noun, advice = limit
        raise ValueError(
            f"{count:,} {noun} are too many for one chart (at most {most:,}). {advice}"
        )


def _of_stats(source: StatsSource, metric: str, level: float | None) -> Values:
    stats = source.stats
    frame, of_intervals = whiskers(stats, metric, level)
    datapoints = stats_labels(stats)[0]
    columns, places = _stats_columns(stats)
    index = frame["index"].where(frame["index"] > 0)
    # index = 100 × audience % ÷ base %; where both shares are zero the quotient is unknown.
    is_all = not (stats.audiences or stats.segments)
    base = np.nan if is_all else 100 * frame["column_percentage"] / index
    codes = {code: place for place, code in enumerate(datapoints)}
    data = pd.DataFrame(
        {
            "row": [codes[row.datapoint] for row in stats.rows],
            "column": places,
            "label": frame["datapoint"].map(datapoints),
            "group": [columns.labels[place] for place in places],
            "value": frame[metric],
            "low": frame["low"],
            "high": frame["high"],
            "base": base,
            "mark": low_marks(metric, frame),
            "n": respondents(metric, frame),
            "line": source.lines,
        }
    )
    sample = frame["column_sample"]
    # A wave that was not asked has none.
    smallest = sample[sample > 0].min() if (sample > 0).any() else None
    return Values(
        data,
        Side(list(datapoints.values()), list(datapoints.values()), [()] * len(datapoints)),
        columns,
        source.title,
        source.base_line(smallest),
        stats.question,
        source.all_facts(),
        of_intervals,
    )


def _stats_columns(stats: StatsData) -> tuple[Side, list[int]]:
    """The columns of a query, audiences around their segments; and that of each row."""
    _, segments, audiences = stats_labels(stats)
    places: dict[tuple[str | None, str | None], int] = {}
    of_rows = [places.setdefault((row.segment, row.audience), len(places)) for row in stats.rows]
    labels = dict(zip(of_rows, group_labels(stats), strict=True))
    names = [
        segments.get(segment or "") or audiences.get(audience or "") for segment, audience in places
    ]
    groups = [
        (audiences[audience],) if audience and segment and len(audiences) > 1 else ()
        for segment, audience in places
    ]
    named = [name or labels[place] for place, name in enumerate(names)]
    return Side([labels[place] for place in range(len(places))], named, groups), of_rows


def _rectangle(rows: Sequence[str], columns: Sequence[str]) -> dict[str, Any]:
    """The positions and labels of cells, row by row."""
    down, across = len(rows), len(columns)
    return {
        "row": np.repeat(np.arange(down), across),
        "column": np.tile(np.arange(across), down),
        "label": np.repeat(np.array(rows, dtype=object), across),
        "group": np.tile(np.array(columns, dtype=object), down),
    }


def _of_table(table: CrosstabData, metric: str, level: float | None) -> Values:
    rows, columns = table_rows(table, metric), table_columns(table)
    share = table.values("row_base_percentage").ravel()
    data = pd.DataFrame(
        {
            **_rectangle(rows.labels, columns.labels),
            "value": table.values(metric).ravel(),
            "low": np.nan,
            "high": np.nan,
            "base": share if metric == "column_percentage" else np.nan,
            "mark": low_marks(metric, table).ravel(),
            "n": respondents(metric, table).ravel(),
            "line": lines_of(table).ravel(),
        }
    )
    frame, of_intervals = whiskers(table, metric, level)
    if table.statistics is not None:
        # The frame has the lines of statistics, too.
        frame = frame[frame["statistic"] == ""]
    # The frame has only lines of cells that have arrived.
    arrived = data["line"].notna().to_numpy()
    for end in ("low", "high"):
        data.loc[arrived, end] = frame[end].to_numpy()
    title = title_of(table)
    return Values(data, rows, columns, title, base_line(table), "a crosstab", [], of_intervals)


def _of_statistics(table: CrosstabData, rows: StatisticRows, level: float | None) -> Values:
    assert table.statistics is not None
    names = {str(place): row.short_name for place, row in enumerate(rows.rows)}
    listed, columns = list(distinct(names, names, None).values()), table_columns(table)
    value, sample = (rows.values(each).ravel() for each in ("value", "answered_sample"))
    order = row_order([row.id for row in table.rows], table.statistics)
    starts = [order.index((True, table.statistics.rows.index(row))) for row in rows.rows]
    width = len(table.columns)
    data = pd.DataFrame(
        {
            **_rectangle(listed, columns.labels),
            "value": value,
            "low": np.nan,
            "high": np.nan,
            "base": np.nan,
            "mark": ["" if each == 0 else low_base_mark(each) for each in sample],
            "n": sample,
            "line": np.add.outer(np.array(starts) * width, np.arange(width)).ravel(),
        }
    )
    frame, of_intervals = whiskers(table, rows.rows[0].kind, level)
    for end in ("low", "high"):
        data[end] = frame[end].iloc[data["line"]].to_numpy()
    title, side = (
        table_title(rows.headings, table.column_groups),
        Side(listed, listed, rows.headings),
    )
    # A statistic rests on those who gave an amount, not on all who are in the base.
    answered = float(rows.base("answered_sample").max())
    return Values(
        data,
        side,
        columns,
        title,
        labels.table_base_line(table, answered),
        "a crosstab",
        [],
        of_intervals,
        tuple(rows.kinds),
    )


# -- crosstabs ------------------------------------------------------------------------------------


def check_table(given: object) -> None:
    """Raise `TypeError` with advice for anything but a crosstab, `ValueError` without shares."""
    labels.check_result(given, CrosstabData, _TABLE_ADVICE)
    if isinstance(given, CrosstabData) and of_statistics_alone(given):
        raise ValueError(
            "The table is not valid for this chart: it has statistics and no shares. Take "
            "table.chart.bar()."
        )


def column_source(
    given: CrosstabData | ProfileData, column: str | None
) -> tuple[CrosstabData, int]:
    """The crosstab to draw and the position of its column, by name or id, or the only one.

    A profile is drawn without rare answers and without its audience's own questions.
    """
    if isinstance(given, ProfileData):
        given = charted_crosstab(given, _MIN_RESPONDENTS)
    check_table(given)
    if column is None and len(given.columns) == 1:
        return given, 0
    found = [
        position
        for position, audience in enumerate(given.columns)
        if column is not None and column in (audience.id, audience.name)
    ]
    if len(found) != 1:
        names = ", ".join(repr(shorten(each.name)) for each in given.columns[:8])
        fault = "Which column?" if column is None else f"No one column {column!r}."
        raise ValueError(f"{fault} Name one of {names}, or give its id.")
    return given, found[0]


def column_title(given: CrosstabData | ProfileData, table: CrosstabData, column: int) -> str:
    """The title of a chart of one column: "Female: Finding brands".

    given: what the table was made of.
    """
    groups: Sequence[Groups] = table.row_groups
    if isinstance(given, ProfileData):
        groups = [(point.question_label,) for point in given.points if not point.own]
    rows = table_title(groups, ()) if any(groups) else ""
    return ": ".join(filter(None, [column_labels(table)[column], rows]))


def adjusted_facts(given: CrosstabData | ProfileData) -> list[str]:
    """What an adjusted profile is adjusted for, as a line of the subtitle."""
    if not isinstance(given, ProfileData) or given.adjustment is None:
        return []
    return [labels.shorten_title(f"Adjusted to the base's {given.adjustment.title}")]


def plain_rows(table: CrosstabData) -> Side:
    """The rows of a crosstab, without their bases."""
    return _side(table.rows, table.row_groups)


def table_rows(table: CrosstabData, metric: str = "column_percentage") -> Side:
    """The rows of a crosstab, with the respondents under the values of a row.

    They are in the names of rows, or in that of a group whose rows have as many; they are left out
    where all rows have one base, and where columns differ.
    """
    side, under = plain_rows(table), respondents(metric, table)
    least, most = (each.reduce(under, axis=1, initial=np.nan) for each in (np.fmin, np.fmax))
    if not have_own_bases(row_cells(table)) or (least < most).any():
        return side
    bases = most.tolist()
    labels, names = ([*map(with_base, each, bases)] for each in (side.labels, side.names))
    of_groups: dict[Groups, set[float]] = {}
    for group, base in zip(side.groups, bases, strict=True):
        of_groups.setdefault(group, set()).add(base)
    if len(of_groups) == 1 or any(len(each) > 1 for each in of_groups.values()):
        return Side(labels, names, side.groups)
    groups = [
        (*group[:-1], with_base(group[-1], base)) if group else group
        for group, base in zip(side.groups, bases, strict=True)
    ]
    return Side(labels, side.names, groups)


def table_columns(table: CrosstabData) -> Side:
    """The columns of a crosstab."""
    return _side(table.columns, table.column_groups)


def row_labels(table: CrosstabData) -> list[str]:
    """A label for each row without its base, a different one even where two have the same name."""
    return _side(table.rows, table.row_groups).labels


def column_labels(table: CrosstabData) -> list[str]:
    """A label for each column, a different one even where two have the same name."""
    return table_columns(table).labels


def _side(audiences: Sequence[Audience], groups: Sequence[Groups]) -> Side:
    # The title names the only group of an axis; with several, each label has its own.
    several = len({group[:1] for group in groups}) > 1
    names = {
        audience.id or str(position): full_name(group, audience.name)
        if several or is_nested(audience, group)
        else audience.name
        for position, (audience, group) in enumerate(zip(audiences, groups, strict=True))
    }
    short = [" ".join(audience.name.split()) for audience in audiences]
    return Side(list(distinct(names, names, None).values()), short, groups)


def base_line(table: CrosstabData) -> str:
    """The line about the base of a crosstab: its name, its sample, and the waves."""
    sample = table.base_sample if len(table) else None
    return labels.table_base_line(table, sample)


def lines_of(table: CrosstabData) -> NDArray[np.float64]:
    """Each cell's row number in the table's frame, [rows, columns]; NaN before it arrives."""
    arrived = table.arrived
    if table.statistics is None:
        return np.where(arrived, np.cumsum(arrived).reshape(arrived.shape) - 1.0, np.nan)
    order = row_order([row.id for row in table.rows], table.statistics)
    starts = [at for at, (is_statistic, _) in enumerate(order) if not is_statistic]
    width = len(table.columns)
    return np.add.outer(np.array(starts, dtype=np.float64) * width, np.arange(width))
