"""The catalogue for the browser: sent once, in parts, as columns of codes and names.

`serve_catalogue(channel, client)` answers two operations for any widget that shows questions:
`catalogue` (`{start}` → one part of the whole as JSON in a binary buffer, at most half a
megabyte) and `question` (`{question}` → its texts for the details pane). What is counted about
questions (`figures`) is served with them. Searching happens in the browser.

Questions that the caller may not use are listed too, so that nobody wonders where they are.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.errors import AudienceError
from audiencelab.schema import Category, Dataset, Question, QuestionKey
from audiencelab.widgets.picker.figures import serve_figures
from audiencelab.widgets.requests import Answer, Operations, Request

if TYPE_CHECKING:
    from audiencelab.client import CatalogueQuestion, Client

__all__ = ["catalogue_parts", "load_questions", "serve_catalogue"]

PART_BYTES = 500_000
"""About how large one part may become; a single question is never cut."""


def serve_catalogue(channel: Operations, client: Client) -> None:
    """Answer the operations `catalogue` and `question` on `channel`, and those that count."""
    source = _Source(client)
    channel.on("catalogue", source.part)
    channel.on("question", source.question)
    serve_figures(channel, client)


class _Source:
    """The catalogue of one client, encoded when it is asked for."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._parts: dict[int, bytes] | None = None
        self._lock = threading.Lock()

    def part(self, request: Request) -> Answer:
        """The part that begins at question number `start`."""
        start = request.args.get("start", 0)
        if not isinstance(start, int):
            raise AudienceError("start is the number of a question.")
        with self._lock:
            if self._parts is None:
                self._parts = dict(catalogue_parts(load_questions(self._client)))
            part = self._parts[start]
            if start == max(self._parts):
                # Whoever takes the last part has the others, and Jupyter keeps every widget.
                self._parts = None
        return Answer(buffers=[part])

    def question(self, request: Request) -> dict[str, Any]:
        """Texts of one question."""
        return describe_question(self._client, str(request.args["question"]))


def catalogue_parts(questions: Sequence[CatalogueQuestion]) -> Iterator[tuple[int, bytes]]:
    """Parts of the catalogue with the number of the question each begins at, in order.

    Each part is JSON: `questions`, `total`, `next` (where the next begins, or null); the first
    has `categories` too, parents before children, and `datasets`.
    """
    places, categories = _arrange(questions)
    head: dict[str, Any] = {"categories": categories, "datasets": _datasets(questions)}
    start, size, records = 0, 0, list[bytes]()
    for number, question in enumerate(questions):
        record = msgspec.json.encode(_record(question, places))
        if records and size + len(record) > PART_BYTES:
            yield start, _part(head, records, len(questions), number)
            head, start, size, records = {}, number, 0, []
        records.append(record)
        size += len(record)
    yield start, _part(head, records, len(questions), None)


def _part(head: dict[str, Any], records: list[bytes], total: int, following: int | None) -> bytes:
    questions = [msgspec.Raw(record) for record in records]
    return msgspec.json.encode({**head, "questions": questions, "total": total, "next": following})


def _record(question: CatalogueQuestion, places: dict[str, int]) -> dict[str, Any]:
    return {
        "code": question.code,
        "canonical": question.canonical,
        "name": question.name,
        "description": question.record.description,
        "accessible": question.accessible,
        "numeric": _is_numeric(question),
        "categories": sorted({places[path[-1].id] for path in _paths(question)}),
        "datasets": [dataset.code for dataset in question.record.datasets],
        "datapoints": {
            "codes": [datapoint.code for datapoint in question.datapoints],
            "names": [datapoint.name for datapoint in question.datapoints],
        },
        "suffixes": {
            "codes": [suffix.code for suffix in question.suffixes],
            "names": [suffix.name for suffix in question.suffixes],
        },
    }


def _is_numeric(question: CatalogueQuestion) -> bool:
    """Whether a mean can be taken: answers, or their suffixes, stand for numbers."""
    return any(each.midpoint for each in (*question.datapoints, *question.suffixes))


def _datasets(questions: Iterable[CatalogueQuestion]) -> list[dict[str, str]]:
    """Every dataset that a question belongs to, in the service's order."""
    found = {each.code: each for question in questions for each in question.record.datasets}
    ordered = sorted(found.values(), key=_order)
    return [{"code": each.code, "name": each.name or each.code} for each in ordered]


# -- categories -------------------------------------------------------------------------------


def _paths(question: CatalogueQuestion) -> list[list[Category]]:
    """Where a question stands: category lineages, each from the root down."""
    lineages = [path.categories_lineage for path in question.record.taxonomy_paths or []]
    found = [lineage for lineage in lineages if lineage]
    return found or [[category] for category in question.record.categories or []]


def _arrange(questions: Iterable[CatalogueQuestion]) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """All categories in depth-first order with their parents' places, and the place of each id."""
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
    places: dict[str, int] = {}
    listed: list[dict[str, Any]] = []

    def visit(above: str | None) -> None:
        for identifier in sorted(children.get(above, ()), key=lambda each: _order(nodes[each])):
            places[identifier] = len(listed)
            parent = -1 if above is None else places[above]
            listed.append({"id": identifier, "name": nodes[identifier].name, "parent": parent})
            visit(identifier)

    visit(None)
    return places, listed


def _order(listed: Category | Dataset | Question) -> float:
    """What is without an order comes last."""
    return float("inf") if listed.order is None else listed.order


# -- asking the client --------------------------------------------------------------------------


def load_questions(client: Client) -> Sequence[CatalogueQuestion]:
    """Every question of the catalogue, those without access included, in catalogue order."""
    known = list(client.catalogue.questions)
    try:
        everything = [*known, *_locked(client, known)]
        return sorted(everything, key=lambda each: _order(each.record))
    except AudienceError:
        # What can be used matters more than what cannot.
        return known


def _locked(client: Client, known: Sequence[CatalogueQuestion]) -> Iterable[CatalogueQuestion]:
    """Questions that the filter leaves out by default: those without access.

    Only categories name them. The root categories tell all questions below them, in one request
    each; those that are not known yet are then asked for by code.
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
    # Not with this module: the package would import the client before anybody connects.
    from audiencelab.client import Catalogue

    include = {"categories": True, "datapoints": True, "taxonomy_paths": True}
    return Catalogue(client.questions.filter(list(missing), include=include).questions).questions


def describe_question(client: Client, code: str) -> dict[str, Any]:
    """The texts of one question for the details pane."""
    question = client.questions.get(code)
    return {
        "description": question.description,
        "knowledge_base": question.knowledge_base,
        "notice": question.notice,
        "warning": question.warning,
        "message": question.message,
        "unit": question.unit,
        "datasets": [dataset.name or dataset.code for dataset in question.datasets],
    }
