"""A tab book as crosstab queries: every question by one banner, many questions in a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue.amounts import numbered_questions, statistic_rows
from audiencelab.client.operations.names import crosstab_request
from audiencelab.client.operations.profile import QuestionsLike, find_questions, list_questions
from audiencelab.client.operations.queries import empty_crosstab, fill_crosstab
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, load_catalogue
from audiencelab.client.streams import Progress, reporting
from audiencelab.expressions import Audience
from audiencelab.results.crosstab import take_rows
from audiencelab.results.statistic_rows import Statistic
from audiencelab.tables import CrosstabResult, TabBook

_MOST_ROWS = 1_000
"""Rows of one request, unless a single question has more: half of the service's limit."""


def fetch_tab_book(
    sender: Sender,
    banner: AxisLike,
    questions: QuestionsLike,
    given: ScopeArguments,
    progress: Progress,
    statistics: str | Sequence[str] = (),
) -> TabBook:
    """See `Client.tab_book`."""
    catalogue = load_catalogue(sender)
    found = {each.canonical: each for each in find_questions(list_questions(questions), catalogue)}
    named = Counter(each.name for each in found.values())
    titles = {
        code: question.name if named[question.name] == 1 else f"{question.name} ({code})"
        for code, question in found.items()
    }
    rows = {titles[code]: answers for code, each in found.items() if (answers := each.as_rows())}
    kinds = (statistics,) if isinstance(statistics, str) else tuple(statistics)
    numbers = numbered_questions(sender.context.service)
    amounts = {
        titles[code]: [row for kind in kinds for row in statistic_rows(each, kind, numbers)]
        for code, each in found.items()
    }
    if not rows:
        raise ValueError("No question has answers to put into the tab book.")
    columns = len((crosstab_request(sender, None, banner, given)).columns)
    done, expected = 0, columns * sum(map(_count, rows.values()))
    tables: dict[str, CrosstabResult] = {}
    with reporting(progress, expected) as report:
        for part in _parts(rows):
            asked = {title: _with_amounts(each, amounts[title]) for title, each in part.items()}
            request = crosstab_request(sender, asked, banner, given)
            whole = empty_crosstab(sender, request)
            with closing(fill_crosstab(sender, request, whole)) as updates:
                for update in updates:
                    report(replace(update, arrived=done + update.arrived, expected=expected))
            start = 0
            for title, answers in part.items():
                count = _count(answers)
                tables[title] = made = take_rows(whole, slice(start, start + count))
                if whole.statistics is not None:
                    own = [at for at, up in enumerate(whole.statistics.groups) if up[0] == title]
                    made.statistics = whole.statistics.take(own) if own else None
                start += count
            done += start * columns
    codes = {each.code: titles[canonical] for canonical, each in found.items()}
    return TabBook(tables, titles | codes)


Answers = Sequence[Audience] | Mapping[str, Sequence[Audience]]
"""The answers of a question, or those of each item of a grid."""


def _with_amounts(answers: Answers, rows: Sequence[Statistic]) -> Any:
    """The answers, and below them their statistics; those of a grid's item below its scale."""
    if not isinstance(answers, Mapping):
        return [*answers, *rows]
    # A grid has one row of each statistic for each item, in the order of its items.
    count = len(answers)
    return {name: [*scale, *rows[at::count]] for at, (name, scale) in enumerate(answers.items())}


def _count(answers: Answers) -> int:
    return sum(map(len, answers.values())) if isinstance(answers, Mapping) else len(answers)


def _parts(rows: Mapping[str, Answers]) -> Iterator[dict[str, Answers]]:
    """The rows of the questions that go into one request each."""
    part: dict[str, Answers] = {}
    size = 0
    for title, answers in rows.items():
        if part and size + _count(answers) > _MOST_ROWS:
            yield part
            part, size = {}, 0
        part[title] = answers
        size += _count(answers)
    if part:
        yield part
