"""The questions in a snapshot, whichever request they were recorded with.

A client requests names when a result needs them, so the same notebook, run in another order,
requests the same questions in other requests. The response is then made of the recorded objects,
each with the relationships that were requested.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import msgspec

from audiencelab.client.questions import QUESTION_INCLUDES
from audiencelab.client.snapshots.format import UNREADABLE, Exchange, query_of
from audiencelab.expressions import split_code
from audiencelab.schema.endpoints import FILTER_QUESTIONS, GET_QUESTION, endpoint_of
from audiencelab.schema.http import Request

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


class _Wanted(NamedTuple):
    """The questions that a request is for; without keys, all of them."""

    include: frozenset[str]
    keys: tuple[Key, ...]
    is_single: bool


class QuestionIndex:
    """Every question in the responses of a snapshot, read when first needed."""

    def __init__(self, exchanges: Sequence[Exchange], base_namespace: str) -> None:
        self._exchanges = exchanges
        self._base = base_namespace

    def respond(self, request: Request) -> bytes | None:
        """The body of a response to a request for some questions, if all of it was recorded."""
        wanted = self._parse(request.method, request.path, query_of(request), request.body)
        if wanted is None or not wanted.keys:
            return None
        questions, absent = self._recorded
        found: list[bytes] = []
        for key in wanted.keys:
            for held, question in questions.get(key, ()):
                if wanted.include <= held:
                    found.append(_without(question, held - wanted.include))
                    break
            else:
                if wanted.is_single or key not in absent:
                    return None
        if wanted.is_single:
            return b'{"question":%b}' % found[0]
        return b'{"questions":[%b]}' % b",".join(found)

    @cached_property
    def _recorded(self) -> tuple[dict[Key, list[tuple[frozenset[str], bytes]]], set[Key]]:
        """Questions with the relationships that they were recorded with; those that do not exist.

        An unreadable response does not show that a question does not exist.
        """
        questions: dict[Key, list[tuple[frozenset[str], bytes]]] = {}
        absent: set[Key] = set()
        for each in self._exchanges:
            if each.status != 200 or not each.complete:
                continue
            wanted = self._parse(each.method, each.path, each.query, each.sent)
            if wanted is None or (found := self._questions(wanted, each.content)) is None:
                continue
            for key, question in found.items():
                questions.setdefault(key, []).append((wanted.include, question))
            absent.update(set(wanted.keys) - found.keys())
        return questions, absent

    def _questions(self, wanted: _Wanted, body: bytes) -> dict[Key, bytes] | None:
        """The questions of a response by their codes; None if it cannot be read."""
        found: dict[Key, bytes] = {}
        try:
            if wanted.is_single:
                listed = [msgspec.json.decode(body, type=_One).question]
            else:
                listed = msgspec.json.decode(body, type=_Many).questions
            for question in listed:
                code = msgspec.json.decode(question, type=_Code)
                found[code.namespace_code or self._base, code.code] = bytes(question)
        except UNREADABLE:
            return None
        return found

    def _parse(
        self, method: str, path: str, query: Mapping[str, str], body: bytes
    ) -> _Wanted | None:
        """The questions that a request is for; None if it is for something else."""
        if method == "GET" and (found := GET_QUESTION.match(path)):
            key = split_code(found["question_code"], self._base)
            included = ",".join(query.values()).split(",")
            return _Wanted(_RELATIONSHIPS.intersection(included), (key,), True)
        if endpoint_of(method, path) is not FILTER_QUESTIONS:
            return None
        try:
            wanted = msgspec.json.decode(body, type=_Filter)
        except UNREADABLE:
            return None
        keys = tuple(
            (each.namespace_code or self._base, each.question) for each in wanted.questions or ()
        )
        included = (name for name, is_wanted in (wanted.include or {}).items() if is_wanted)
        return _Wanted(_RELATIONSHIPS.intersection(included), keys, False)


def _without(question: bytes, relationships: frozenset[str]) -> bytes:
    """The question without some of its relationships, the others as they were recorded."""
    fields = msgspec.json.decode(question, type=dict[str, msgspec.Raw])
    return msgspec.json.encode(
        {name: value for name, value in fields.items() if name not in relationships}
    )
