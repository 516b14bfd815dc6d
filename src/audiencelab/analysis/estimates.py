"""Figures of crosstabs with their errors and intervals, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nan

import numpy as np

from audiencelab.analysis.design_effects import sample_words
from audiencelab.analysis.intervals import IntervalOptions, measured_intervals
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.precision import TablePrecision, precision_of
from audiencelab.analysis.statistic_intervals import statistic_intervals
from audiencelab.expressions import And, Audience
from audiencelab.results.banner import Groups, full_name, joined
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.deviation import SD_FORMULA
from audiencelab.results.estimates import ALL, Estimate
from audiencelab.results.offers import leaves_of
from audiencelab.results.statistic_rows import Statistic

_METHODS = {"percentile": "by Woodruff's method", "correlation": "by t of Fisher's z"}
"""How intervals are made of statistics whose own are not by t."""

_SHARE = "column_percentage"


def estimates_of(table: CrosstabData, level: float) -> list[Estimate]:
    """A figure for each cell: rows of statistics of a table that has them alone, else shares."""
    read = _of_statistics if of_statistics_alone(table) else _of_shares
    return list(read(table, level))


def method_words(table: CrosstabData, level: float) -> str:
    """How the intervals were made, in a line."""
    how = "by t" if of_statistics_alone(table) else "by Wilson"
    rows = table.statistics.rows if table.statistics is not None else ()
    for kind, own in _METHODS.items():
        if any(row.kind == kind for row in rows):
            how = own
    made = f"{percent_words(level)} intervals {how}, {_design_words(precision_of(table))}"
    has_deviations = any(row.kind == "standard deviation" for row in rows)
    return f"{made}. {SD_FORMULA}" if has_deviations else made


def _design_words(precision: TablePrecision) -> str:
    computed = precision.computed
    if computed is None or computed.precision.linearised is None:
        return precision.how or "a simple random sample"
    return sample_words(computed.precision.linearised)


def _of_statistics(table: CrosstabData, level: float) -> Iterator[Estimate]:
    statistics = table.statistics
    assert statistics is not None
    error, low, high, freedom, _ = statistic_intervals(table, level, "auto")
    planes = [
        *(statistics.values("value").ravel(), error, low, high),
        *(statistics.values(name).ravel() for name in ("answered_sample", "answered_size")),
        freedom,
    ]
    figures = np.array(planes, np.float64).T.tolist()
    groups = _groups(table)
    averaged = None if statistics.waves is None else statistics.waves[:, 1:].ravel()
    for at, (row, above) in enumerate(zip(statistics.rows, statistics.groups, strict=True)):
        question, item, answer = _about(table, row, above)
        words = row.short_name.rpartition(": ")[2]
        for column, (by, group) in enumerate(groups):
            values = figures[at * len(groups) + column]
            total = values[0] * averaged[at * len(groups) + column] if averaged is not None else nan
            yield Estimate(
                *(question, item, answer, words, by, group),
                *values,
                decimals=row.decimals,
                code=row.question,
                total=total if row.kind == "sum" else nan,
                direction=row.direction,
            )


def _of_shares(table: CrosstabData, level: float) -> Iterator[Estimate]:
    found = measured_intervals(table, IntervalOptions.of(level), only=_SHARE)
    names = (_SHARE, *(f"{_SHARE}_{each}" for each in ("se", "low", "high")))
    planes = [found.frame[name] for name in (*names, "column_sample", "column_size")]
    figures = np.array([*planes, found.freedom], np.float64).T.tolist()
    groups = _groups(table)
    for at, (row, of) in enumerate(zip(table.rows, table.row_groups, strict=True)):
        question, item = (joined(of[:1]), joined(of[1:])) if of else ("", "")
        codes = {leaf.question for leaf in leaves_of(row)}
        code = codes.pop() if len(codes) == 1 else ""
        for column, (by, group) in enumerate(groups):
            values = figures[at * len(groups) + column]
            yield Estimate(
                *(question, item, row.name, "share", by, group),
                *values,
                decimals=1,
                unit="%",
                code=code,
            )


def _about(table: CrosstabData, row: Statistic, groups: Groups) -> tuple[str, str, str]:
    """The question that a row is about, the item of a grid, and the answer of a count of people."""
    if row.audience is not None:
        return joined(groups[:1]), joined(groups[1:]), row.short_name.rpartition(": ")[0]
    if row.other is not None:
        return row.short_name.rpartition(": ")[0], "", ""
    return _question(table, row.question), _item(table, row), ""


def _question(table: CrosstabData, code: str) -> str:
    return code if table.labels is None else table.labels.question_name(code) or code


def _item(table: CrosstabData, row: Statistic) -> str:
    if not row.item or table.labels is None:
        return row.item
    return table.labels.datapoint_name(row.question, row.item) or row.item


def _groups(table: CrosstabData) -> Sequence[tuple[str, str]]:
    """The question that makes each column, and the group; everyone without columns."""
    if not table.columns_requested:
        return [("", ALL)]
    pairs = zip(table.columns, table.column_groups, strict=True)
    return [_group(table, audience, groups) for audience, groups in pairs]


def _group(table: CrosstabData, audience: Audience, groups: Groups) -> tuple[str, str]:
    names = list(dict.fromkeys(_question(table, leaf.question) for leaf in leaves_of(audience)))
    # A group within another is named by the answers of all its questions.
    if isinstance(audience.expression, And) and groups[:1] != (joined(tuple(names)),):
        return joined(tuple(names)), full_name(groups, audience.name)
    return joined(groups[:1]), full_name(groups[1:], audience.name)
