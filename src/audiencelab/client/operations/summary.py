"""A summary table as crosstab queries: many questions in a request, as for a tab book."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from audiencelab.analysis.summary_notes import summary_notes
from audiencelab.client.audiences import AxisLike, question_codes
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.amounts import numbered_questions, rows_by_word
from audiencelab.client.names import read_once
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.names import crosstab_request
from audiencelab.client.operations.profile import QuestionsLike, find_questions, list_questions
from audiencelab.client.operations.queries import fetch_crosstab
from audiencelab.client.operations.summary_rows import QuestionCounts, rows_of_question
from audiencelab.client.operations.summary_rules import StatisticRules, StatisticsLike
from audiencelab.client.operations.tab_book import count_part, is_asked, parts_of, titles_of
from audiencelab.client.operations.tab_book_rows import BookRow, QuestionRows, each_of
from audiencelab.client.operations.tab_book_rules import Kind
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, is_ours, load_catalogue
from audiencelab.client.streams import Progress, reporting
from audiencelab.expressions import Audience, Q
from audiencelab.expressions.codes import ASKED
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.coverage import questions_of
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.summary import SummaryRow
from audiencelab.results.summary_statistics import PERCENTILES, SummaryStatistic
from audiencelab.tables import CrosstabResult, SummaryTable


class _Plan(NamedTuple):
    """What is asked for a question."""

    question: CatalogueQuestion
    kind: Kind
    statistic: SummaryStatistic
    rows: QuestionRows


def fetch_summary(
    sender: Sender,
    questions: QuestionsLike,
    by: AxisLike | None,
    statistics: StatisticsLike,
    given: ScopeArguments,
    how: TableArrangement,
    *,
    tests: bool,
    overall: bool,
    missing: bool,
    progress: Progress = None,
) -> SummaryTable:
    """See `Client.summary_table`."""
    by, asked = read_once(by), list_questions(questions)
    catalogue = load_catalogue(sender)
    groups = fetch_crosstab(sender, crosstab_request(sender, None, by, given))
    flags = {"tests": tests, "overall": overall, "missing": missing}
    named = {"by": by, "statistics": statistics}
    named |= {name: each for name, each in flags.items() if not each}
    named |= how.changed
    assert groups.asked is not None, "the table was asked for"
    made = call_code(sender, "client.summary_table()", [asked], named, groups.asked.scope)
    by, empty = _with_people(groups, by)
    if empty:
        groups = fetch_crosstab(sender, crosstab_request(sender, None, by, given))
    numbers, asks = numbered_questions(sender.context.service), is_ours(sender)
    rules = StatisticRules(statistics, catalogue, numbers, has_amounts=asks)
    own = {
        catalogue[code].canonical for code in question_codes(groups.columns) if code in catalogue
    }
    listed = find_questions(asked, catalogue)
    found = {
        each.canonical: each
        for each in listed
        if asked is not None or (is_asked(each) and each.canonical not in own)
    }
    titles = titles_of(found)
    plans = {
        titles[code]: plan
        for code, each in found.items()
        if (plan := _plan(each, titles[code], rules, numbers, asks=asks)).rows.lines
    }
    if not plans:
        raise ValueError("No question has answers to put into the summary table.")
    tables = _count(sender, by, plans, given, progress)
    families = _families(groups)
    rows: list[SummaryRow] = []
    for title, plan in plans.items():
        counted = QuestionCounts(
            tables[title], groups, plan.kind, plan.statistic, families if tests else {}, asks
        )
        rows += rows_of_question(plan.question, title, counted, missing=missing)
    return SummaryTable(
        tuple(rows),
        groups,
        families if tests else {},
        overall or not families,
        (*summary_notes(rows, groups), *_without_people(empty)),
        _title(groups, families),
        how,
        made,
    )


def _plan(
    question: CatalogueQuestion,
    title: str,
    rules: StatisticRules,
    numbers: frozenset[str],
    *,
    asks: bool,
) -> _Plan:
    """asks: whether the service knows who was asked a question."""
    statistic, kind = rules.of(question)
    answers = question.as_rows()
    if not answers:
        return _Plan(question, kind, statistic, QuestionRows(()))
    if statistic.of_amounts:
        lines = list(_amounts(question, title, statistic, numbers))
    elif isinstance(answers, dict):
        pairs = ((item, row) for item, points in answers.items() for row in points)
        lines = [BookRow((title, item), row) for item, row in pairs]
    else:
        lines = [BookRow((title,), row) for row in answers]
    if asks:
        # The last row, which is not shown.
        lines.append(BookRow((title,), Audience("Asked", Q(question.code).any(ASKED))))
    return _Plan(question, kind, statistic, QuestionRows(tuple(lines)))


def _amounts(
    question: CatalogueQuestion, title: str, statistic: SummaryStatistic, numbers: frozenset[str]
) -> Iterator[BookRow]:
    """The mean, which has the standard deviation, and percentiles; of a grid for each item."""
    for row in rows_by_word(question, "mean", (), numbers):
        yield BookRow((title,), row)
    for metric in statistic.metrics:
        if metric in PERCENTILES:
            for row in each_of(question.percentile(PERCENTILES[metric])):
                yield BookRow((title,), row)


def _count(
    sender: Sender,
    by: AxisLike | None,
    plans: Mapping[str, _Plan],
    given: ScopeArguments,
    progress: Progress,
) -> dict[str, CrosstabResult]:
    parts = list(parts_of({title: plan.rows for title, plan in plans.items()}))
    columns = len(crosstab_request(sender, None, by, given).columns)
    heights = [columns * sum(len(each.shares) for each in part.values()) for part in parts]
    tables: dict[str, CrosstabResult] = {}
    done = 0
    with reporting(progress, sum(heights)) as report:
        for part, height in zip(parts, heights, strict=True):
            for update in count_part(sender, by, part, given, tables):
                report(replace(update, arrived=done + update.arrived, expected=sum(heights)))
            done += height
    return tables


def _with_people(
    groups: CrosstabData, by: AxisLike | None
) -> tuple[AxisLike | None, tuple[str, ...]]:
    """The groups with respondents of the base, and the names of the others: men among women.

    All stay where none has any.
    """
    if not groups.columns_requested:
        return by, ()
    filled = groups.column_values("column_sample") != 0
    if filled.all() or not filled.any():
        return by, ()
    kept: dict[str, Any] = {}
    for path, column, is_filled in zip(groups.column_groups, groups.columns, filled, strict=True):
        if is_filled:
            *outer, last = path or ("",)
            inner: dict[str, Any] = kept
            for name in outer:
                inner = inner.setdefault(name, {})
            inner.setdefault(last, []).append(column)
    empty = [
        each.name for each, is_filled in zip(groups.columns, filled, strict=True) if not is_filled
    ]
    return kept, tuple(dict.fromkeys(empty))


def _without_people(empty: Sequence[str]) -> Iterator[str]:
    if empty:
        yield f"Left out, as no respondent of the base is in it: {', '.join(empty)}."


def _title(groups: CrosstabData, families: Iterable[str]) -> str:
    """A title with the questions that the groups are of."""
    columns = groups.columns if groups.columns_requested else ()
    codes = dict.fromkeys(code for each in columns for code in questions_of(each))
    # Waves are of no question, but their group has a name.
    named = [groups.who.name(code) for code in codes] or [*filter(None, families)]
    return " by ".join(filter(None, ["Summary", ", ".join(named)]))


def _families(groups: CrosstabData) -> dict[str, tuple[int, ...]]:
    """The columns that are compared with each other: those of one outermost group."""
    found: dict[str, list[int]] = {}
    for place, each in enumerate(groups.column_groups if groups.columns_requested else ()):
        found.setdefault(each[0] if each else "", []).append(place)
    return {name: tuple(places) for name, places in found.items()}
