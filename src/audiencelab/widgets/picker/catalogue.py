"""The catalogue for the page, and the counts that the page requests about questions.

`serve_catalogue(channel, client)` registers five operations for any widget that shows questions:
`catalogue` (`{start}` → one part of the catalogue as JSON in a binary buffer, at most half a
megabyte), `question` (`{question}` → its texts for the details pane), `counts` under the name
`figures` (`{question}` → base, waves and shares of its answers), `coverage` (the accessible
waves, and for each question those in which it was asked) and `search_words` (what a search takes
for one another, which the first part of the catalogue has as well). Search runs in the browser.

Questions without access are listed too, so that users see that they exist.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec

from audiencelab.client.catalogue.search_words import range_pattern, synonyms
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.results.who_counts import base_sentence
from audiencelab.schema import Category, Dataset, Question, QuestionKey
from audiencelab.schema.coverage import offered_in
from audiencelab.schema.scales import keeps_numbers
from audiencelab.widgets.picker.protocol import (
    AnswerShare,
    CatalogueOperations,
    CatalogueStart,
    CategoryRecord,
    CodeName,
    ItemShares,
    Labelled,
    QuestionCode,
    QuestionDetails,
    QuestionFigures,
    QuestionRecord,
    QuestionWaves,
    SearchWords,
)
from audiencelab.widgets.rpc_types import (
    AnswerWithBuffers,
    Handler,
    NoArgs,
    PageOperation,
    PageRequest,
)
from audiencelab.widgets.who_counts import own_base, usual_base_of

if TYPE_CHECKING:
    from audiencelab.client import CatalogueQuestion, Client
    from audiencelab.schema import StatsRow

A = TypeVar("A")
R = TypeVar("R")

PART_BYTES = 500_000
"""Approximate maximum size of one part; a single question is never split."""

BARS = 12
"""Maximum number of answers whose shares are sent."""

_ROWS = 200
"""Questions in one request; between requests the page may cancel."""


class Registry(Protocol):
    """The channel of a widget, or the operations of the Jupyter server."""

    def on(self, operation: PageOperation[A, R], handler: Handler[A, R]) -> None: ...


def serve_catalogue(channel: Registry, client: Client) -> None:
    """Register the operations of a catalogue on `channel`."""
    parts, counts = _CatalogueParts(client), _QuestionCounts(client)
    channel.on(CatalogueOperations.catalogue, parts.part)
    channel.on(
        CatalogueOperations.question, lambda request: describe_question(client, request.args)
    )
    channel.on(CatalogueOperations.figures, counts.counts)
    channel.on(CatalogueOperations.coverage, counts.coverage)
    channel.on(CatalogueOperations.search_words, lambda _: search_words())


class _CatalogueParts:
    """The catalogue of one client, encoded at the first request."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._parts: dict[int, bytes] | None = None
        self._lock = threading.Lock()

    def part(self, request: PageRequest[CatalogueStart]) -> AnswerWithBuffers[None]:
        """The part that begins at question number `start`."""
        start = request.args.start
        with self._lock:
            if self._parts is None:
                self._parts = dict(catalogue_parts(load_questions(self._client)))
            part = self._parts.get(start)
            if part is None:
                raise AudienceError(f"No part of the catalogue begins at question {start}.")
            if start == max(self._parts):
                # The page has all parts now, and Jupyter keeps every widget.
                self._parts = None
        return AnswerWithBuffers(None, [part])


def catalogue_parts(questions: Sequence[CatalogueQuestion]) -> Iterator[tuple[int, bytes]]:
    """Parts of the catalogue, each a `CataloguePart` as JSON, with the number of its start."""
    positions, categories = _arrange_categories(questions)
    header: dict[str, Any] = {
        "categories": categories,
        "datasets": _datasets(questions),
        "words": search_words(),
    }
    start, size, records = 0, 0, list[bytes]()
    for number, question in enumerate(questions):
        record = msgspec.json.encode(_record(question, positions))
        if records and size + len(record) > PART_BYTES:
            yield start, _part(header, records, len(questions), number)
            header, start, size, records = {}, number, 0, []
        records.append(record)
        size += len(record)
    yield start, _part(header, records, len(questions), None)


def search_words() -> SearchWords:
    """What the page needs to search by the rule of `Catalogue.search`."""
    return SearchWords(synonyms(), range_pattern())


def _part(header: dict[str, Any], records: list[bytes], total: int, after: int | None) -> bytes:
    questions = [msgspec.Raw(record) for record in records]
    return msgspec.json.encode({**header, "questions": questions, "total": total, "next": after})


def _record(question: CatalogueQuestion, positions: dict[str, int]) -> QuestionRecord:
    # A mean needs answers, or suffixes, that represent numbers.
    numeric = any(each.midpoint for each in (*question.datapoints, *question.suffixes))
    return QuestionRecord(
        code=question.code,
        canonical=question.canonical,
        name=question.name,
        description=question.record.description,
        accessible=question.accessible,
        numeric=numeric,
        own_numbers=keeps_numbers(question.record),
        categories=sorted({positions[path[-1].id] for path in _paths(question)}),
        datasets=[dataset.code for dataset in question.record.datasets],
        datapoints=_columns(question.datapoints),
        suffixes=_columns(question.suffixes),
    )


def _columns(items: Sequence[Any]) -> Labelled:
    return Labelled([each.code for each in items], [each.name for each in items])


def _datasets(questions: Iterable[CatalogueQuestion]) -> list[CodeName]:
    """Every dataset of the questions, in the service's order."""
    found = {each.code: each for question in questions for each in question.record.datasets}
    ordered = sorted(found.values(), key=_order)
    return [CodeName(each.code, each.name or each.code) for each in ordered]


# -- categories -------------------------------------------------------------------------------


def _paths(question: CatalogueQuestion) -> list[list[Category]]:
    """The category lineages of a question, each from the root down."""
    lineages = [path.categories_lineage for path in question.record.taxonomy_paths or []]
    found = [lineage for lineage in lineages if lineage]
    return found or [[category] for category in question.record.categories or []]


def _arrange_categories(
    questions: Iterable[CatalogueQuestion],
) -> tuple[dict[str, int], list[CategoryRecord]]:
    """The position of each category id, and all categories depth first with parent positions."""
    nodes: dict[str, Category] = {}
    children: dict[str | None, dict[str, None]] = {None: {}}
    for question in questions:
        for path in _paths(question):
            above: str | None = None
            for category in path:
                if category.id not in nodes:
                    nodes[category.id] = category
                    children.setdefault(above, {})[category.id] = None
                above = category.id
    positions: dict[str, int] = {}
    listed: list[CategoryRecord] = []

    def visit(above: str | None) -> None:
        for identifier in sorted(children.get(above, ()), key=lambda each: _order(nodes[each])):
            positions[identifier] = len(listed)
            parent = -1 if above is None else positions[above]
            listed.append(CategoryRecord(identifier, nodes[identifier].name, parent))
            visit(identifier)

    visit(None)
    return positions, listed


def _order(item: Category | Dataset | Question) -> float:
    """Items without an order come last."""
    return float("inf") if item.order is None else item.order


# -- from the client ----------------------------------------------------------------------------


def load_questions(client: Client) -> Sequence[CatalogueQuestion]:
    """Every question of the catalogue, including those without access, in catalogue order."""
    # A single location leaves nothing to choose: it is what an import without locations has.
    known = [
        each
        for each in client.catalogue.questions
        if "location" not in each.record.flags or len(each.datapoints) > 1
    ]
    try:
        everything = [*known, *_without_access(client, known)]
        return sorted(everything, key=lambda each: _order(each.record))
    except AudienceError:
        # The accessible questions work without the others.
        return known


def _without_access(
    client: Client, known: Sequence[CatalogueQuestion]
) -> Iterable[CatalogueQuestion]:
    """Questions that the filter leaves out by default: those without access.

    Only categories name them. Each root category lists all questions below it in one request;
    those that are not known yet are then requested by code.
    """
    roots = {path[0].id for question in known for path in _paths(question)}
    codes = {question.canonical for question in known}
    missing: dict[QuestionKey, None] = {}
    for root in sorted(roots):
        category = client.categories.get(root, include=["descendant_attributes"])
        for each in category.descendant_attributes or ():
            if f"{each.namespace_code}.{each.question_code}" not in codes:
                missing[QuestionKey(each.namespace_code, each.question_code)] = None
    if not missing:
        return ()
    # At the top of this module it would import the client before anybody connects.
    from audiencelab.client import Catalogue

    include = {"categories": True, "datapoints": True, "taxonomy_paths": True}
    return Catalogue(client.questions.filter(list(missing), include=include).questions).questions


def describe_question(client: Client, args: QuestionCode) -> QuestionDetails:
    """The texts of one question for the details pane."""
    question = client.questions.get(args.question)
    return QuestionDetails(
        description=question.description,
        knowledge_base=question.knowledge_base,
        notice=question.notice,
        warning=question.warning,
        message=question.message,
        unit=question.unit,
        datasets=[dataset.name or dataset.code for dataset in question.datasets],
    )


class _QuestionCounts:
    """Counts about the questions of one client; what holds for all questions is counted once."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._coverage: dict[str, str] | None = None
        self._lock = threading.Lock()

    @cached_property
    def _waves(self) -> dict[str, str]:
        """Names of the accessible waves by code, by date."""
        return {wave.code: wave.name for wave in self._client.waves()}

    def counts(self, request: PageRequest[QuestionCode]) -> QuestionFigures:
        """One question over every wave in which it was asked, of those who count by default."""
        usual, question = usual_base_of(self._client), request.args.question
        known = self._client.catalogue[question]
        first = [each.code for each in known.datapoints[:BARS]] if known.suffixes else None
        stats = self._client.stats(question=question, datapoints=first, base_of=usual)
        several = known.record.kind == "multiple"
        base, valid = own_base(self._client), usual == "valid"
        words = None if base is None else base.describe(self._client.catalogue)
        about = base_sentence(base, words, valid=valid, question=known.name, several=several)
        shown: Sequence[StatsRow] = () if known.suffixes else _largest(stats.rows)
        bases = [(row.metrics.audience_sample, row.metrics.audience_size) for row in stats.rows]
        sample, size = max(bases, default=(0, 0))
        offered = offered_in(known.record.flags)
        return QuestionFigures(
            base=about.removeprefix("Base: "),
            size=size,
            sample=sample,
            least_sample=min(bases, default=(0, 0))[0],
            waves=[self._waves.get(wave, wave) for wave in stats.waves],
            wave_count=len(self._waves),
            shares=[
                AnswerShare(
                    row.datapoint,
                    row.metrics.audience_percentage if row.metrics.audience_size else None,
                    self._offered(offered.get(row.datapoint), stats.waves),
                )
                for row in shown
            ],
            more=len(known.datapoints) - len(first or shown),
            items=_items(stats.rows) if known.suffixes else [],
        )

    def _offered(self, offered: Sequence[str] | None, counted: Sequence[str]) -> list[str] | None:
        """The names of the counted waves that offered an answer; None where all did."""
        if offered is None or {*counted} <= {*offered}:
            return None
        return [self._waves.get(wave, wave) for wave in counted if wave in offered]

    def coverage(self, request: PageRequest[NoArgs]) -> QuestionWaves:
        """The waves in which each question was asked."""
        with self._lock:
            if self._coverage is None:
                self._coverage = dict(self._count_coverage(request))
            return QuestionWaves([CodeName(*wave) for wave in self._waves.items()], self._coverage)

    def _count_coverage(self, request: PageRequest[NoArgs]) -> Iterator[tuple[str, str]]:
        """Questions by waves: a cell has a base where the question was asked in the wave."""
        waves = list(self._waves)
        columns = [Audience(wave, Leaf(WAVES, (wave,))) for wave in waves]
        questions = list(self._client.catalogue.questions)
        for start in range(0, len(questions), _ROWS):
            request.check()
            part = questions[start : start + _ROWS]
            rows = [Audience(each.canonical, Leaf(each.canonical)) for each in part]
            # With everyone, or a wave would lack the questions that nobody answered whole.
            table = self._client.crosstab(
                rows=rows, columns=columns, waves=waves, base_of="everyone"
            )
            has_base = table.values("base_sample") > 0
            for question, cells in zip(part, has_base, strict=True):
                yield question.canonical, "".join("1" if asked else "0" for asked in cells)


def _items(rows: Sequence[StatsRow]) -> list[ItemShares]:
    """The distribution of each item of a grid, whose rows have it as their segment."""
    found: dict[str, list[float | None]] = {}
    for row in rows:
        share = row.metrics.audience_percentage if row.metrics.audience_size else None
        found.setdefault(row.segment or "", []).append(share)
    return [ItemShares(item, shares) for item, shares in found.items()]


def _largest(rows: Sequence[StatsRow]) -> Sequence[StatsRow]:
    """All rows in their order if they are few, else those with the largest shares."""
    if len(rows) <= BARS:
        return rows
    return sorted(rows, key=lambda row: -row.metrics.audience_percentage)[:BARS]
