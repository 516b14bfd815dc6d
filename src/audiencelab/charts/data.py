"""The data of charts: values of a query, of a saved chart's calculation, or of a crosstab."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.profile import charted_crosstab
from audiencelab.charts import labels
from audiencelab.charts.labels import distinct, shorten, shorten_title
from audiencelab.charts.uncertainty import low_marks, respondents, whiskers
from audiencelab.expressions import Audience
from audiencelab.expressions.codes import WAVES
from audiencelab.render.crosstab_layout import row_cells
from audiencelab.render.table_layout import have_own_bases, with_base
from audiencelab.results import who_counts
from audiencelab.results.arrangement import low_base_mark
from audiencelab.results.banner import Groups, full_name, is_nested, table_title
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone, title_of
from audiencelab.results.metric_names import own_name
from audiencelab.results.metrics import IN_TABLES
from audiencelab.results.profile import ProfileData
from audiencelab.results.statistic_rows import StatisticRows, row_order
from audiencelab.results.stats import STATS_FIGURES, StatsData, StatsLabels
from audiencelab.schema import CalcAttribute, StatsGroup, StatsRow

Drawable = StatsData | ChartCalculationData
"""Results that most charts take."""

_QUESTION_LENGTH = 28
_TABLE_ADVICE = "give what client.crosstab(…) returned, or grid.result, no frame of it"
_MIN_RESPONDENTS = 30
"""Respondents of an answer in a profile, below which its index is mostly chance."""


@dataclass(frozen=True, slots=True)
class StatsSource:
    """Rows of a query, and text about them.

    stats: the rows; a calculation's attributes are its datapoints.
    title: the subject. base: a sentence, if known. facts: further lines of the subtitle.
    lines: the row number of each row in the frame of the result.
    """

    stats: StatsData
    title: str
    base: str
    lines: Sequence[int]
    facts: tuple[str, ...] = ()

    def base_line(self, sample: float | None) -> str:
        """The line about the base: name, waves, and the smallest sample."""
        return labels.base_line(self.base, self.stats.waves, sample, self.stats.provenance)

    def all_facts(self) -> list[str]:
        """The only audience, if there is one, and the other facts."""
        audiences = self.stats.audiences
        one = [f"Audience: {shorten(audiences[0].name)}"] if len(audiences) == 1 else []
        return [*one, *self.facts]


@dataclass(frozen=True, slots=True)
class Values:
    """The values of one metric, and text about them.

    data: a row for each value, with the columns label, segment, audience, group (segment and
        audience), value, low, high, base (the share in the base), mark, n (respondents that the
        value rests on) and line.
    labels, segments, audiences: all of them, in the order of the result.
    intervals: what the intervals are.
    """

    data: pd.DataFrame
    labels: list[str]
    segments: list[str]
    audiences: list[str]
    title: str
    base_line: str
    subject: str
    facts: list[str]
    intervals: str = ""


def values_of(
    result: Drawable | CrosstabData,
    metric: str,
    level: float | None = None,
    limit: tuple[int, str, str] | None = None,
) -> Values:
    """The values of a result.

    level: of the confidence intervals. limit: how many values a chart can hold, what it calls
    them, and what to do with a larger crosstab.

    Raises `TypeError` for other results, `ValueError` for an unknown metric and too many values.
    """
    if isinstance(result, CrosstabData):
        if result.statistics is not None and (rows := result.statistics.named(metric)) is not None:
            return _of_statistics(result, rows, level)
        labels.check_choice("figure", metric, IN_TABLES)
        _check_count(result.expected, limit)
        return _of_table(result, metric, level)
    source = stats_source(result, draws_tables=True)
    labels.check_choice("metric", metric, STATS_FIGURES)
    advice = "Limit the query with datapoints= or segments=, or use to_wide()."
    _check_count(len(source.stats), limit and (*limit[:2], advice))
    return _of_stats(source, metric, level)


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


def by_value(data: pd.DataFrame) -> list[str]:
    """The labels by their first values, largest first."""
    first = data.drop_duplicates("label").sort_values("value", ascending=False, kind="stable")
    return [str(label) for label in first["label"]]


def _check_count(count: int, limit: tuple[int, str, str] | None) -> None:
    if limit and count > limit[0]:
        most, noun, advice = limit
        raise ValueError(
            f"{count:,} {noun} are too many for one chart (at most {most:,}). {advice}"
        )


def _of_stats(source: StatsSource, metric: str, level: float | None) -> Values:
    stats = source.stats
    frame, of_intervals = whiskers(stats, metric, level)
    datapoints, segments, audiences = stats_labels(stats)
    index = frame["index"].where(frame["index"] > 0)
    # index = 100 × audience % ÷ base %; where both shares are zero the quotient is unknown.
    base = 100 * frame["column_percentage"] / index if audiences or segments else np.nan
    data = pd.DataFrame(
        {
            "label": frame["datapoint"].map(datapoints),
            "segment": frame["segment"].map(segments) if segments else "",
            "audience": frame["audience"].map(audiences) if audiences else "",
            "group": group_labels(stats),
            "value": frame[metric],
            "low": frame["low"],
            "high": frame["high"],
            "base": base,
            "mark": low_marks(metric, frame),
            "n": respondents(metric, frame),
            "line": source.lines,
        }
    )
    smallest = frame["column_sample"].min() if len(frame) else None
    return Values(
        data,
        list(datapoints.values()),
        list(segments.values()),
        list(audiences.values()),
        source.title,
        source.base_line(smallest),
        stats.question,
        source.all_facts(),
        of_intervals,
    )


def _of_table(table: CrosstabData, metric: str, level: float | None) -> Values:
    rows, columns = row_labels(table), column_labels(table)
    share = table.values("row_base_percentage").ravel()
    data = pd.DataFrame(
        {
            "label": np.repeat(np.array(rows, dtype=object), len(columns)),
            "segment": "",
            "audience": np.tile(np.array(columns, dtype=object), len(rows)),
            "value": table.values(metric).ravel(),
            "low": np.nan,
            "high": np.nan,
            "base": share if metric == "column_percentage" else np.nan,
            "mark": low_marks(metric, table).ravel(),
            "n": respondents(metric, table).ravel(),
            "line": lines_of(table).ravel(),
        }
    )
    data["group"] = data["audience"]
    frame, of_intervals = whiskers(table, metric, level)
    if table.statistics is not None:
        # The frame has the lines of statistics, too.
        frame = frame[frame["statistic"] == ""]
    # The frame has only lines of cells that have arrived.
    arrived = data["line"].notna().to_numpy()
    for end in ("low", "high"):
        data.loc[arrived, end] = frame[end].to_numpy()
    title = shorten_title(title_of(table))
    return Values(data, rows, [], columns, title, base_line(table), "a crosstab", [], of_intervals)


def _of_statistics(table: CrosstabData, rows: StatisticRows, level: float | None) -> Values:
    assert table.statistics is not None
    names = {row.name: row.name for row in rows.rows}
    listed, columns = list(distinct(names, names).values()), column_labels(table)
    value, sample = (rows.values(each).ravel() for each in ("value", "answered_sample"))
    order = row_order([row.id for row in table.rows], table.statistics)
    starts = [order.index((True, table.statistics.rows.index(row))) for row in rows.rows]
    data = pd.DataFrame(
        {
            "label": np.repeat(np.array(listed, dtype=object), len(columns)),
            "segment": "",
            "audience": np.tile(np.array(columns, dtype=object), len(listed)),
            "value": value,
            "low": np.nan,
            "high": np.nan,
            "base": np.nan,
            "mark": ["" if each == 0 else low_base_mark(each) for each in sample],
            "n": sample,
            "line": np.add.outer(np.array(starts) * len(columns), np.arange(len(columns))).ravel(),
        }
    )
    data["group"] = data["audience"]
    frame, of_intervals = whiskers(table, rows.rows[0].kind, level)
    for end in ("low", "high"):
        data[end] = frame[end].iloc[data["line"]].to_numpy()
    title = shorten_title(table_title(rows.headings, table.column_groups))
    return Values(
        data, listed, [], columns, title, base_line(table), "a crosstab", [], of_intervals
    )


# -- queries and calculations ---------------------------------------------------------------------


def stats_source(given: Drawable, *, draws_tables: bool = False) -> StatsSource:
    """The rows of a result; raises `TypeError` with advice for anything else.

    draws_tables: the chart takes a crosstab too, as the advice then says.
    """
    if isinstance(given, ChartCalculationData):
        return _of_calculation(given)
    tables = " or client.crosstab(…)" if draws_tables else ""
    advice = f"give what client.stats(…) or client.charts.calculate(…){tables} returned"
    labels.check_result(given, StatsData, f"{advice}, no frame of it")
    return StatsSource(
        given,
        shorten_title(given.labels.question or given.question),
        who_counts.base_line(given),
        range(len(given)),
    )


def stats_labels(stats: StatsData) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Labels of datapoints, segments and audiences, by code or id."""
    # By id, which `distinct` puts behind a name that two have.
    names = {audience.id or "": audience.name for audience in stats.audiences}
    return (
        distinct(stats.datapoints, stats.labels.datapoints),
        distinct(stats.segments, stats.labels.segments),
        distinct(names, names),
    )


def group_labels(stats: StatsData) -> list[str]:
    """The people of each row: segment, audience if there are several, or everyone."""
    _, segments, audiences = stats_labels(stats)

    def label(row: StatsRow) -> str:
        segment = segments.get(row.segment or "", "")
        audience = audiences.get(row.audience or "", "")
        parts = [segment, audience if len(audiences) > 1 or not segment else ""]
        return " · ".join(filter(None, parts)) or "Everyone"

    return [label(row) for row in stats.rows]


def _of_calculation(result: ChartCalculationData) -> StatsSource:
    """A calculation as rows: a datapoint for each attribute; failed ones are left out."""
    # By identity: a chart may have the same group twice.
    failed = {id(group) for group in result.failures}
    groups = _by_code(group for group in result if id(group) not in failed)
    questions = dict.fromkeys(
        _question(each) for group in groups.values() for each in group.attributes
    )
    question = next(iter(questions)) if len(questions) == 1 else ""
    facts = [question] if question and result.name else []
    if failed:
        facts.append(f"{len(failed):,} of {len(result):,} without figures")
    # A group without data is a row of the frame all the same.
    owners = [group for group in result for _ in group.data or [None]]
    return StatsSource(
        _as_stats(result, groups, question),
        shorten_title(result.name or question or f"Chart {result.chart_id}"),
        "",
        [line for line, group in enumerate(owners) if id(group) not in failed],
        tuple(facts),
    )


def _as_stats(
    result: ChartCalculationData, groups: dict[str, StatsGroup], question: str
) -> StatsData:
    rows = tuple(
        StatsRow(code, data.metrics, data.waves, data.segment, data.audience)
        for code, group in groups.items()
        for data in group.data
    )
    ids = dict.fromkeys(row.audience for row in rows if row.audience)
    return StatsData(
        question=question or "several questions",
        rows=rows,
        splitter=_splitter(rows),
        audiences=tuple(Audience(result.audiences.get(each) or each, id=each) for each in ids),
        labels=StatsLabels(
            datapoints={code: _label(group, question) for code, group in groups.items()},
            segments=result.segments,
        ),
    )


def _by_code(groups: Iterable[StatsGroup]) -> dict[str, StatsGroup]:
    """The groups by a code of their own: a chart may show one attribute twice."""
    named: dict[str, StatsGroup] = {}
    parts = attrgetter("question_code", "datapoint_code", "suffix_code")
    for group in groups:
        code = " + ".join(" ".join(filter(None, parts(each))) for each in group.attributes)
        named[f"{code} #{group.group_id}" if code in named else code] = group
    return named


def _label(group: StatsGroup, question: str) -> str:
    """The group's answers; with their questions, where the chart has several."""
    return " + ".join(
        _answer(each)
        if question
        else f"{shorten(_question(each), _QUESTION_LENGTH)} – {_answer(each)}"
        for each in group.attributes
    )


def _question(attribute: CalcAttribute) -> str:
    return attribute.question_label or attribute.question_code


def _answer(attribute: CalcAttribute) -> str:
    answer = attribute.datapoint_label or attribute.datapoint_code
    suffix = attribute.suffix_label or attribute.suffix_code
    return f"{answer} ({suffix})" if suffix else answer


def _splitter(rows: Iterable[StatsRow]) -> str | None:
    """What the segments are: waves, if each row has its own segment as its only wave."""
    segments = [row for row in rows if row.segment is not None]
    if not segments:
        return None
    # A service may omit the waves of a row.
    return WAVES if all(row.waves in ([], [row.segment]) for row in segments) else "segment"


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


def adjusted_facts(given: CrosstabData | ProfileData) -> list[str]:
    """What an adjusted profile is adjusted for, as a line of the subtitle."""
    if not isinstance(given, ProfileData) or given.adjustment is None:
        return []
    return [labels.shorten_title(f"Adjusted to the base's {given.adjustment.title}")]


def row_labels(table: CrosstabData) -> list[str]:
    """A short label for each row, a different one even where two have the same name.

    Where rows have bases of their own, with the respondents in it.
    """
    names, cells = _axis_labels(table.rows, table.row_groups), row_cells(table)
    if not have_own_bases(cells):
        return names
    return [with_base(name, cell.base_sample) for name, cell in zip(names, cells, strict=True)]


def column_labels(table: CrosstabData) -> list[str]:
    """A short label for each column, a different one even where two have the same name."""
    return _axis_labels(table.columns, table.column_groups)


def _axis_labels(audiences: Sequence[Audience], groups: Sequence[Groups]) -> list[str]:
    # The title names the only group of an axis; with several, each label has its own.
    several = len({group[:1] for group in groups}) > 1
    names = {
        audience.id or str(position): full_name(group, audience.name)
        if several or is_nested(audience, group)
        else audience.name
        for position, (audience, group) in enumerate(zip(audiences, groups, strict=True))
    }
    return list(distinct(names, names).values())


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
