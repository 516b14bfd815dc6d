"""The rows of one question of a summary table, from the table of its counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.summary_tests import amounts_test, answers_test
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.operations.tab_book_rules import Kind
from audiencelab.render.crosstab_layout import of_all
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import Statistic, StatisticRows
from audiencelab.results.summary import SummaryRow, SummaryTest
from audiencelab.results.summary_statistics import PERCENTILES, SummaryStatistic, read_statistic
from audiencelab.schema.scales import scale_of

Floats = NDArray[np.float64]

_ONLY_N = "n"

_MOST_NAMED = 3
"""Answers without an amount that the row of them names."""


@dataclass(frozen=True, slots=True)
class QuestionCounts:
    """The table of one question, and that of the groups alone.

    asks: whether its last row is those who were asked the question.
    """

    table: CrosstabData
    groups: CrosstabData
    kind: Kind
    statistic: SummaryStatistic
    families: Mapping[str, tuple[int, ...]]
    asks: bool

    def whole(self, figure: str) -> Floats:
        """A figure of everyone in the base and of each column, float64[rows, 1 + columns]."""
        return _whole(self.table, figure)

    @property
    def everyone(self) -> Floats:
        """The respondents in each column."""
        groups = self.groups
        if not groups.columns_requested:
            return np.array([groups.base_sample])
        return np.array([groups.base_sample, *groups.column_values("column_sample")])

    @property
    def answers(self) -> range:
        """The positions of the rows that are answers."""
        return range(len(self.table.rows) - self.asks)

    def tests(self, *rows: int) -> tuple[SummaryTest | None, ...]:
        """The tests of some answers together."""
        return tuple(answers_test(self.table, rows, each) for each in self.families.values())


def rows_of_question(
    question: CatalogueQuestion, title: str, counted: QuestionCounts, *, missing: bool
) -> Iterator[SummaryRow]:
    """The rows of a question. missing: whether those without an answer have rows."""
    code = question.code
    if counted.statistic.of_amounts:
        yield from _of_amounts(question, title, counted)
    elif question.suffixes:
        yield SummaryRow(code, title)
        yield from _of_items(code, title, counted)
    else:
        yield from _of_answers(code, title, counted)
    if missing:
        yield from _without_answer(question, title, counted)


def _whole(table: CrosstabData, figure: str) -> Floats:
    values = table.values(figure)
    if not table.columns_requested:
        return values
    return np.column_stack([of_all(table, figure), values])


# -- answers --------------------------------------------------------------------------------------


def _of_answers(code: str, title: str, counted: QuestionCounts) -> Iterator[SummaryRow]:
    rows, bases = counted.answers, counted.whole("column_sample")
    several = counted.kind == "multiple"
    # Items of a set may have been asked of different respondents.
    alike = bool((bases[[*rows]] == bases[0]).all())
    head = SummaryRow(code, title, statistic=counted.statistic)
    yield replace(
        head,
        base=bases[0] if alike else None,
        tests=() if several else counted.tests(*rows),
        shown=counted.statistic.words,
    )
    for row in rows:
        yield replace(
            _answer(head, counted, row),
            base=bases[row],
            tests=counted.tests(row) if several else (),
        )


def _of_items(code: str, title: str, counted: QuestionCounts) -> Iterator[SummaryRow]:
    groups = counted.table.row_groups
    bases = counted.whole("column_sample")
    for item in dict.fromkeys(groups[row][1] for row in counted.answers):
        rows = [row for row in counted.answers if groups[row][1] == item]
        head = SummaryRow(code, title, item, statistic=counted.statistic, level=1)
        yield replace(
            head,
            base=bases[rows[0]],
            tests=counted.tests(*rows),
            shown=counted.statistic.words,
        )
        for row in rows:
            yield _answer(head, counted, row)


def _answer(head: SummaryRow, counted: QuestionCounts, row: int) -> SummaryRow:
    figures = {name: counted.whole(name)[row] for name in ("sample", "column_percentage")}
    return replace(
        head,
        answer=counted.table.rows[row].name,
        figures=figures,
        base=counted.whole("column_sample")[row],
        level=head.level + 1,
    )


# -- amounts --------------------------------------------------------------------------------------


def _of_amounts(
    question: CatalogueQuestion, title: str, counted: QuestionCounts
) -> Iterator[SummaryRow]:
    statistics = counted.table.statistics
    assert statistics is not None, "a question with amounts has rows of statistics"
    words = counted.statistic.words
    means = [at for at, row in enumerate(statistics.rows) if row.kind == "mean"]
    deviations = statistics.base("standard_deviation")[means]
    decimals = _decimals(deviations)
    if question.suffixes:
        about = statistics.rows[means[0]].direction
        yield SummaryRow(question.code, title, direction=about, shown=words)
    for at in means:
        about = statistics.rows[at]
        yield SummaryRow(
            question.code,
            title,
            _item_name(question, about) if question.suffixes else "",
            statistic=counted.statistic,
            figures=_figures(statistics, at, counted),
            base=_columns(statistics, "answered_sample", at, counted.table),
            tests=tuple(
                amounts_test(statistics, at, columns) for columns in counted.families.values()
            ),
            level=int(bool(question.suffixes)),
            decimals=decimals,
            direction="" if question.suffixes else about.direction,
            exact=statistics.exact[at] or bool(about.direction),
            shown="" if question.suffixes else words,
        )


def _decimals(deviations: Floats) -> int:
    """As many as show three digits of the largest standard deviation, at most two."""
    known = deviations[np.isfinite(deviations)]
    largest = float(known.max()) if known.size else 0.0
    return 0 if largest >= 100 else 1 if largest >= 10 else 2


def _item_name(question: CatalogueQuestion, row: Statistic) -> str:
    item = next(each for each in question.datapoints if each.code == row.item)
    return item.name or item.code


def _columns(rows: StatisticRows, figure: str, at: int, table: CrosstabData) -> Floats:
    """A figure of everyone in the base and of each column."""
    everyone = rows.base(figure)[at : at + 1]
    return np.append(everyone, rows.values(figure)[at]) if table.columns_requested else everyone


def _figures(statistics: StatisticRows, at: int, counted: QuestionCounts) -> dict[str, Floats]:
    def of(row: int, figure: str = "value") -> Floats:
        return _columns(statistics, figure, row, counted.table)

    found = {
        "sample": of(at, "answered_sample"),
        "mean": of(at),
        "standard_deviation": of(at, "standard_deviation"),
        "mean_error": of(at, "standard_error"),
    }
    for metric in counted.statistic.metrics:
        if metric in PERCENTILES:
            found[metric] = of(_percentile(statistics, at, PERCENTILES[metric]))
    return found


def _percentile(statistics: StatisticRows, mean: int, percentile: float) -> int:
    """The row of a percentile, of the item of a mean."""
    item = statistics.rows[mean].item
    return next(
        at
        for at, row in enumerate(statistics.rows)
        if row.kind == "percentile" and row.percentile == percentile and row.item == item
    )


# -- those without an answer ----------------------------------------------------------------------


def _without_answer(
    question: CatalogueQuestion, title: str, counted: QuestionCounts
) -> Iterator[SummaryRow]:
    everyone = counted.everyone
    asked = counted.whole("sample")[-1] if counted.asks else everyone
    counts = {_not_answered(question, counted): asked - _valid(counted)}
    if counted.asks:
        counts["Not asked"] = everyone - asked
    for name, count in counts.items():
        if (count > 0).any():
            yield SummaryRow(
                question.code,
                title,
                answer=name,
                statistic=read_statistic(_ONLY_N),
                figures={"sample": counted.groups.who.shown(count)},
                is_missing=True,
                level=1,
            )


def _valid(counted: QuestionCounts) -> Floats:
    """Respondents with an answer, float64[1 + columns]; NaN where it is not known.

    Items of a grid have been answered by different respondents: each has a base of its own.
    """
    statistics, rows = counted.table.statistics, [*counted.answers]
    bases = counted.whole("column_sample")[rows]
    unknown = np.full(len(counted.everyone), np.nan)
    if counted.kind == "grid":
        return unknown
    if counted.statistic.of_amounts and statistics is not None:
        return _columns(statistics, "answered_sample", 0, counted.table)
    if counted.table.who.valid:
        # So have items of a set, where some were asked of fewer.
        return bases[0] if bool((bases == bases[0]).all()) else unknown
    return unknown if counted.kind == "multiple" else counted.whole("sample")[rows].sum(axis=0)


def _not_answered(question: CatalogueQuestion, counted: QuestionCounts) -> str:
    """The name of the row: of amounts with the answers that have none, such as "Don't know"."""
    if not counted.statistic.of_amounts:
        return "Not answered"
    scale = scale_of(question.record)
    answers = question.suffixes or question.datapoints
    off = [each.name or each.code for each in answers if each.code in scale.off]
    if not off:
        return "Not answered"
    return f"{', '.join(off)} or not answered" if len(off) <= _MOST_NAMED else "Without a number"
