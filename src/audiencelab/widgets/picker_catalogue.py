"""The catalogue for the browser: sent once, in parts, as columns of codes and names.

`serve_catalogue(channel, client)` answers two operations for any widget that shows questions:
`catalogue` (`{start}` → one part of the whole as JSON in a binary buffer, at most half a
megabyte) and `question` (`{question}` → what the details pane shows). Searching happens in the
browser.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.audience import BASE_NAMESPACE, join_code
from audiencelab.widgets.channel import Answer, Channel, Request
from audiencelab.wire import Category, Question

if TYPE_CHECKING:
    from audiencelab.client import Client

__all__ = ["catalogue_parts", "serve_catalogue"]

PART_BYTES = 500_000
"""About how large one part may become; a single question is never cut."""


def serve_catalogue(channel: Channel, client: Client) -> None:
    """Answer the operations `catalogue` and `question` on `channel`."""
    source = _Source(client)
    channel.on("catalogue", source.part)
    channel.on("question", source.question)


class _Source:
    """The catalogue of one client, encoded when first asked for."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._parts: dict[int, bytes] | None = None
        self._lock = threading.Lock()

    def part(self, request: Request) -> Answer:
        """The part that begins at question number `start`."""
        with self._lock:
            if self._parts is None:
                self._parts = dict(catalogue_parts(load_questions(self._client)))
        start = int(request.args.get("start", 0))
        return Answer(buffers=[self._parts[start]])

    def question(self, request: Request) -> dict[str, Any]:
        """Texts and waves of one question."""
        return describe_question(self._client, str(request.args["question"]))


def catalogue_parts(questions: Sequence[Question]) -> Iterator[tuple[int, bytes]]:
    """Parts of the catalogue with the number of the question each begins at, in order.

    Each part is JSON: `questions`, `total`, `next` (where the next begins, or null); the first
    has `categories` too, parents before children.
    """
    places, categories = _arrange(questions)
    head: dict[str, Any] = {"categories": categories}
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


def _record(question: Question, places: dict[str, int]) -> dict[str, Any]:
    canonical = join_code(question.namespace_code or BASE_NAMESPACE, question.code)
    in_base = question.namespace_code in ("", BASE_NAMESPACE)
    datapoints = question.datapoints or []
    return {
        "code": question.code if in_base else canonical,
        "canonical": canonical,
        "name": question.name or question.code,
        "accessible": question.accessible,
        "categories": sorted({places[path[-1].id] for path in _paths(question)}),
        "datasets": [dataset.code for dataset in question.datasets],
        "datapoints": {
            "codes": [datapoint.code for datapoint in datapoints],
            "names": [datapoint.name for datapoint in datapoints],
        },
        "suffixes": {
            "codes": [suffix.code for suffix in question.suffixes],
            "names": [suffix.name for suffix in question.suffixes],
        },
    }


# -- categories -------------------------------------------------------------------------------


def _paths(question: Question) -> list[list[Category]]:
    """Where a question stands: category lineages, each from the root down."""
    lineages = [path.categories_lineage for path in question.taxonomy_paths or []]
    found = [lineage for lineage in lineages if lineage]
    return found or [[category] for category in question.categories or []]


def _arrange(questions: Iterable[Question]) -> tuple[dict[str, int], list[dict[str, Any]]]:
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


def _order(category: Category) -> float:
    return float("inf") if category.order is None else category.order


# -- asking the client --------------------------------------------------------------------------


def load_questions(client: Client) -> Sequence[Question]:
    """Every question of the catalogue with its datapoints and its places in the tree."""
    include = {"categories": True, "datapoints": True, "taxonomy_paths": True}
    return client.questions.filter(include=include).questions


def describe_question(client: Client, code: str) -> dict[str, Any]:
    """What the details pane shows of one question; `waves` is null where nobody can tell."""
    question = client.questions.get(code)
    return {
        "description": question.description,
        "knowledge_base": question.knowledge_base,
        "notice": question.notice,
        "warning": question.warning,
        "message": question.message,
        "unit": question.unit,
        "datasets": [dataset.name or dataset.code for dataset in question.datasets],
        # The catalogue's wire form has no waves; the effective waves of an unfiltered query are
        # those in which the question was asked.
        "waves": list(client.stats(question=code).waves) if question.accessible else None,
    }
