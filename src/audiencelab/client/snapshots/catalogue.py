"""Questions out of a snapshot, whichever request brought them.

Clients ask for names when a result needs them, and only for those they do not have yet. So the
same notebook, run in another order, asks for the same questions in other requests. Here such a
request is answered with the very objects that were recorded, each under the relationships that
it was asked with; a question of which nothing was recorded is a miss like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, unquote

import msgspec

from audiencelab.client.operations.catalogue import QUESTION_INCLUDES
from audiencelab.client.snapshots.document import Exchange
from audiencelab.expressions import split_code
from audiencelab.schema.http import Request

__all__ = ["RecordedQuestions"]

_FILTER = "/v3/questions/filter"
_QUESTION = "/v2/questions/"
_RELATIONSHIPS = frozenset(QUESTION_INCLUDES)

Key = tuple[str, str]


class _Include(msgspec.Struct):
    categories: bool = False
    datapoints: bool = False
    taxonomy_paths: bool = False

    def names(self) -> frozenset[str]:
        return frozenset(name for name in _RELATIONSHIPS if getattr(self, name))


class _Key(msgspec.Struct):
    question: str
    namespace_code: str = ""


class _Filter(msgspec.Struct):
    include: _Include | None = None
    questions: list[_Key] | None = None


class _Code(msgspec.Struct):
    code: str = ""
    namespace_code: str = ""


class _Many(msgspec.Struct):
    questions: list[msgspec.Raw]


class _One(msgspec.Struct):
    question: msgspec.Raw


class _Wanted(msgspec.Struct):
    """What a request for questions asks for; no keys means all of them."""

    include: frozenset[str]
    keys: list[Key] | None
    single: bool


class RecordedQuestions:
    """Every question that a snapshot's answers hold, read when first needed."""

    def __init__(self, exchanges: Sequence[Exchange], base_namespace: str) -> None:
        self._exchanges = exchanges
        self._base = base_namespace

    def answer(self, request: Request) -> bytes | None:
        """The body of an answer to a request for certain questions, if all of it was recorded."""
        wanted = self._wanted(
            request.method, request.path, dict(parse_qsl(request.query)), request.body
        )
        if wanted is None or wanted.keys is None:
            return None
        found: list[bytes] = []
        for key in wanted.keys:
            question = self._find(key, wanted.include)
            if question is not None:
                found.append(question)
            elif wanted.single or key not in self._known.absent:
                return None
        if wanted.single:
            return b'{"question":%b}' % found[0]
        return b'{"questions":[%b]}' % b",".join(found)

    def _find(self, key: Key, include: frozenset[str]) -> bytes | None:
        for held, question in self._known.questions.get(key, ()):
            if include <= held:
                fields = msgspec.json.decode(question, type=dict[str, msgspec.Raw])
                for name in held - include:
                    fields.pop(name, None)
                return msgspec.json.encode(fields)
        return None

    @cached_property
    def _known(self) -> _Known:
        known = _Known({}, set())
        for exchange in self._exchanges:
            if exchange.status != 200 or not exchange.complete:
                continue
            wanted = self._wanted(exchange.method, exchange.path, exchange.query, exchange.sent)
            if wanted is None:
                continue
            # What cannot be read tells of no question, and not that there is none either.
            if (came := self._questions(wanted, exchange.content)) is not None:
                known.learn(wanted, came)
        return known

    def _questions(self, wanted: _Wanted, body: bytes) -> list[tuple[Key, bytes]] | None:
        """The questions of an answer by their codes; None where it is not what was asked for."""
        found: list[tuple[Key, bytes]] = []
        try:
            if wanted.single:
                held: Iterable[msgspec.Raw] = [msgspec.json.decode(body, type=_One).question]
            else:
                held = msgspec.json.decode(body, type=_Many).questions
            for question in held:
                code = msgspec.json.decode(question, type=_Code)
                found.append(((code.namespace_code or self._base, code.code), bytes(question)))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        return found

    def _wanted(self, method: str, path: str, query: Any, body: bytes) -> _Wanted | None:
        if method == "GET" and path.startswith(_QUESTION):
            namespace, code = split_code(unquote(path.removeprefix(_QUESTION)), self._base)
            asked = frozenset(",".join(query.values()).split(","))
            return _Wanted(asked & _RELATIONSHIPS, [(namespace, code)], True)
        if method == "POST" and path == _FILTER:
            try:
                wanted = msgspec.json.decode(body, type=_Filter)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                return None
            keys = [
                (each.namespace_code or self._base, each.question)
                for each in wanted.questions or ()
            ]
            include = wanted.include.names() if wanted.include else frozenset[str]()
            return _Wanted(include, keys or None, False)
        return None


class _Known(msgspec.Struct):
    """Questions with the relationships they were recorded with; and those known not to be there."""

    questions: dict[Key, list[tuple[frozenset[str], bytes]]]
    absent: set[Key]

    def learn(self, wanted: _Wanted, came: list[tuple[Key, bytes]]) -> None:
        for key, question in came:
            self.questions.setdefault(key, []).append((wanted.include, question))
        self.absent.update(set(wanted.keys or ()) - {key for key, _ in came})
