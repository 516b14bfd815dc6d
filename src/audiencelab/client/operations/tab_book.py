"""A tab book as crosstab queries: every question by one banner, many questions in a request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import cast

from msgspec import UNSET

from audiencelab.client.audiences import AxisLike
from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.catalogue.amounts import numbered_questions
from audiencelab.client.names import read_once
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.names import crosstab_request
from audiencelab.client.operations.profile import QuestionsLike, find_questions, list_questions
from audiencelab.client.operations.queries import empty_crosstab, fill_crosstab
from audiencelab.client.operations.tab_book_rows import QuestionRows, rows_of
from audiencelab.client.operations.tab_book_rules import RowRules, RowsLike
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, load_catalogue
from audiencelab.client.stream.collector import CrosstabUpdate
from audiencelab.client.streams import Progress, reporting
from audiencelab.expressions import Audience, Leaf
from audiencelab.results.crosstab import take_rows
from audiencelab.schema.catalogue import LOCATION_FLAG
from audiencelab.tables import CrosstabResult, TabBook

_MOST_ROWS = 1_000
"""Rows of one request, unless a single question has more: half of the service's limit."""

WeightsLike = str | Iterable[str | None] | None
"""Weights of the survey by name, None for none: a single one, or several side by side."""


def fetch_tab_book(
    sender: Sender,
    banner: AxisLike,
    questions: QuestionsLike,
    given: ScopeArguments,
    progress: Progress,
    rows: RowsLike | None = None,
    weights: WeightsLike = None,
) -> TabBook:
    """See `Client.tab_book`."""
    catalogue = load_catalogue(sender)
    asked = list_questions(questions)
    listed = find_questions(asked, catalogue)
    found = {each.canonical: each for each in listed if asked is not None or is_asked(each)}
    titles = titles_of(found)
    rules = RowRules(rows, catalogue, numbered_questions(sender.context.service))
    made = {titles[code]: rows_of(each, titles[code], rules) for code, each in found.items()}
    made = {title: each for title, each in made.items() if each.lines}
    if not made:
        raise ValueError("No question has answers to put into the tab book.")
    parts, banner, scopes = list(parts_of(made)), read_once(banner), _scopes(given, weights)
    # A weight that is not there is refused before anything is counted.
    empty = [crosstab_request(sender, None, banner, scope) for scope in scopes.values()]
    columns = len(empty[0].columns)
    asked_rows = {"rows": rows, "weights": weights}
    scope = empty[0].scope
    if weights is not None:
        scope = replace(scope, weight=UNSET)
    code = call_code(sender, "client.tab_book()", [banner, asked], asked_rows, scope)
    done, expected = 0, columns * sum(map(_height, parts)) * len(scopes)
    tables: dict[str, dict[str, CrosstabResult]] = {}
    with reporting(progress, expected) as report:
        for weight, scope in scopes.items():
            counted: dict[str, CrosstabResult] = {}
            for part in parts:
                for update in count_part(sender, banner, part, scope, counted):
                    report(replace(update, arrived=done + update.arrived, expected=expected))
                done += columns * _height(part)
            tables[weight] = {title: counted[title] for title in made}
    return TabBook(
        next(iter(tables.values())),
        titles | {each.code: titles[code] for code, each in found.items()},
        {title: each.notes for title, each in made.items()},
        {titles[code]: each.paths[0][0] for code, each in found.items() if each.paths},
        {} if weights is None else tables,
        code,
    )


def titles_of(questions: Mapping[str, CatalogueQuestion]) -> dict[str, str]:
    """The names of questions, by their codes; with the code where two have one name."""
    named = Counter(each.name for each in questions.values())
    return {
        code: question.name if named[question.name] == 1 else f"{question.name} ({code})"
        for code, question in questions.items()
    }


def is_asked(question: CatalogueQuestion) -> bool:
    """Whether a question is in a book of all; not the only location of a survey without any."""
    return LOCATION_FLAG not in question.record.flags or len(question.datapoints) > 1


def _scopes(given: ScopeArguments, weights: WeightsLike) -> dict[str, ScopeArguments]:
    """Whom each set of tables counts, by what a head calls its weight; "" for a single one."""
    if weights is None:
        return {"": given}
    if "weight" in given:
        raise TypeError("tab_book takes weight= or weights=, not both.")
    listed: list[object] = [weights] if isinstance(weights, str) else list(weights)
    if not listed or not all(isinstance(each, str | None) for each in listed):
        raise TypeError(
            "weights must be names of weights of the survey, None for unweighted figures, such as "
            f"weights=['weight', None]; got {weights!r}."
        )
    names = cast("list[str | None]", listed)
    return {name or "Unweighted": {**given, "weight": name} for name in names}


Part = Mapping[str, QuestionRows]
"""The rows of the questions of one request, by their titles."""


def count_part(
    sender: Sender,
    banner: AxisLike | None,
    part: Part,
    given: ScopeArguments,
    tables: dict[str, CrosstabResult],
) -> Iterator[CrosstabUpdate]:
    """Fill the tables of some questions, in one request; yields updates as cells arrive."""
    asked = {title: each.nested() for title, each in part.items()}
    request = crosstab_request(sender, asked, banner, given)
    whole = empty_crosstab(sender, request)
    with closing(fill_crosstab(sender, request, whole)) as updates:
        yield from updates
    start = 0
    for title, each in part.items():
        # A table of statistics alone has the base as its only row of shares.
        count = len(each.shares)
        tables[title] = _table(whole, title, slice(start, start + count or 1), each)
        start += count


def _table(
    whole: CrosstabResult, title: str, rows: slice, question: QuestionRows
) -> CrosstabResult:
    """The table of one question, of a table of several."""
    made = take_rows(whole, rows)
    ids = [row.id or "" for row in made.rows]
    if whole.statistics is not None:
        groups = whole.statistics.groups
        found = whole.statistics.take([at for at, up in enumerate(groups) if up[0] == title])
        # What follows the last row of another question is above all rows of this one.
        after = tuple(each if each in ids else None for each in found.after)
        made.statistics = replace(found, after=after) if found.rows else None
    nets = {at: _parts_of(made.rows, at) for at, line in enumerate(question.shares) if line.is_net}
    made.nets_of = {ids[at]: tuple(ids[each] for each in held) for at, held in nets.items() if held}
    return made


def _parts_of(rows: Sequence[Audience], net: int) -> list[int]:
    """The rows of single answers that a net holds."""
    whole = rows[net].expression
    assert isinstance(whole, Leaf), "a net is of the answers of one question"
    found: list[int] = []
    for at, row in enumerate(rows):
        leaf = row.expression
        if at == net or not isinstance(leaf, Leaf) or leaf.question != whole.question:
            continue
        items, points = {*leaf.datapoints}, {*leaf.suffixes}
        is_one = len(points if whole.suffixes else items) == 1
        if is_one and items <= {*(whole.datapoints or items)} and points <= {*whole.suffixes}:
            found.append(at)
    return found


def _height(part: Part) -> int:
    return sum(len(each.shares) for each in part.values()) or 1


def parts_of(rows: Part) -> Iterator[Part]:
    """The questions that go into one request each; those of statistics alone into the last."""
    part: dict[str, QuestionRows] = {}
    for title, each in rows.items():
        if not each.shares:
            continue
        if part and _height(part) + len(each.shares) > _MOST_ROWS:
            yield part
            part = {}
        part[title] = each
    if part:
        yield part
    if alone := {title: each for title, each in rows.items() if not each.shares}:
        yield alone
