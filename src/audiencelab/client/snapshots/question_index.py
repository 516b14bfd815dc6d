"""The questions in a snapshot, whichever request they were recorded with.

Clients ask for names when a result needs them, and only for those that they do not have yet. The
same notebook, run in another order, therefore asks for the same questions in other requests. Such
a request is answered with the recorded objects, each with the relationships that were asked for; a
question that was not recorded is a miss like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from audiencelab.client.questions import QUESTION_INCLUDES
from audiencelab.client.snapshots.format import UNREADABLE, Exchange, query_of
from audiencelab.expressions import split_code
from audiencelab.schema.http import Request

_FILTER = "/v3/questions/filter"
_QUESTION = "/v2/questions/"
_RELATIONSHIPS = frozenset(QUESTION_INCLUDES)

Key = tuple[str, str]
"""A namespace and a code."""


class _FilterKey(msgspec.Struct):
    question: str
    namespace_code: str = ""


class _Filter(msgspec.Struct):
    include: dict[str, bool] | None = None
    questions: list[_FilterKey] | None = None


class _Code(msgspec.Struct):
    code: str = ""
    namespace_code: str = ""


class _Many(msgspec.Struct):
    questions: list[msgspec.Raw]


class _One(msgspec.Struct):
    question: msgspec.Raw


class _Asked(NamedTuple):
    """The questions that a request asks for; no keys means all of them."""

    include: frozenset[str]
    keys: list[Key] | None
    single: bool


class _Recorded(NamedTuple):
    """Questions with the relationships that they were recorded with, and those without a record."""

    questions: dict[Key, list[tuple[frozenset[str], bytes]]]
    absent: set[Key]


class QuestionIndex:
    """Every question in the responses of a snapshot, read when first needed."""

    def __init__(self, exchanges: Sequence[Exchange], base_namespace: str) -> None:
        self._exchanges = exchanges
        self._base = base_namespace

    def respond(self, request: Request) -> bytes | None:
        """The body of a response to a request for some questions, if all of it was recorded."""
        query = query_of(request)
        asked = self._asked(request.method, request.path, query.values(), request.body)
        if asked is None or asked.keys is None:
            return None
        found: list[bytes] = []
        for key in asked.keys:
            question = self._find(key, asked.include)
            if question is not None:
                found.append(question)
            elif asked.single or key not in self._recorded.absent:
                return None
        if asked.single:
            return b'{"question":%b}' % found[0]
        return b'{"questions":[%b]}' % b",".join(found)

    def _find(self, key: Key, include: frozenset[str]) -> bytes | None:
        for held, question in self._recorded.questions.get(key, ()):
            if include <= held:
                fields = msgspec.json.decode(question, type=dict[str, msgspec.Raw])
                for name in held - include:
                    fields.pop(name, None)
                return msgspec.json.encode(fields)
        return None

    @cached_property
    def _recorded(self) -> _Recorded:
        recorded = _Recorded({}, set())
        for exchange in self._exchanges:
            if exchange.status != 200 or not exchange.complete:
                continue
            asked = self._asked(
                exchange.method, exchange.path, exchange.query.values(), exchange.sent
            )
            # An unreadable response does not show that a question does not exist.
            if asked is None or (found := self._questions(asked, exchange.content)) is None:
                continue
            for key, question in found.items():
                recorded.questions.setdefault(key, []).append((asked.include, question))
            recorded.absent.update(set(asked.keys or ()) - found.keys())
        return recorded

    def _questions(self, asked: _Asked, body: bytes) -> dict[Key, bytes] | None:
        """The questions of a response by their codes; None if it is not what was asked for."""
        found: dict[Key, bytes] = {}
        try:
            if asked.single:
                listed = [msgspec.json.decode(body, type=_One).question]
            else:
                listed = msgspec.json.decode(body, type=_Many).questions
            for question in listed:
                code = msgspec.json.decode(question, type=_Code)
                found[code.namespace_code or self._base, code.code] = bytes(question)
        except UNREADABLE:
            return None
        return found

    def _asked(self, method: str, path: str, values: Iterable[str], body: bytes) -> _Asked | None:
        if method == "GET" and path.startswith(_QUESTION):
            namespace, code = split_code(unquote(path.removeprefix(_QUESTION)), self._base)
            included = frozenset(",".join(values).split(","))
            return _Asked(included & _RELATIONSHIPS, [(namespace, code)], True)
        if method != "POST" or path != _FILTER:
            return None
        try:
            asked = msgspec.json.decode(body, type=_Filter)
        except UNREADABLE:
            return None
        keys = [
            (each.namespace_code or self._base, each.question) for each in asked.questions or ()
        ]
        include = (name for name, wanted in (asked.include or {}).items() if wanted)
        return _Asked(_RELATIONSHIPS.intersection(include), keys or None, False)
