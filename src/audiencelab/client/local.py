"""Asks a service of audiencelab how sure the figures of a result are, over the client's transport.

Answers are kept for all results of one call, and pickled with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Self, TypeVar

import msgspec
from msgspec import UnsetType, structs

from audiencelab.client.context import ClientContext
from audiencelab.client.errors import RequestRefused
from audiencelab.client.exchange import Call
from audiencelab.client.operations.amounts import statistic_ref
from audiencelab.client.sending import Sender
from audiencelab.client.snapshots.replay import SnapshotMiss
from audiencelab.client.transports.embedded import EmbeddedTransport
from audiencelab.results.asking import Lonely, Unanswered
from audiencelab.results.statistic_rows import USUAL_LEVEL, Statistic
from audiencelab.schema import endpoints
from audiencelab.schema.arrays import decoded
from audiencelab.schema.endpoints import Endpoint
from audiencelab.schema.local import (
    Adjusted,
    AdjustedAnswer,
    CellShares,
    ItemsAnswer,
    NumbersAnswer,
    PairsAnswer,
    Precision,
    QuestionNumbers,
    RowPairs,
    VarianceError,
)
from audiencelab.schema.queries import AmountsAnswer, StatisticFigures
from audiencelab.schema.query import CrosstabQuery, Query, StatsQuery
from audiencelab.schema.scope import Scope

T = TypeVar("T")

MOST_KEPT = 32 * 1024 * 1024
"""Bytes of an answer that is kept; a larger one is asked for each time."""

_Key = tuple[str, bytes]


def local_operations(sender: Sender, weight: str | UnsetType | None) -> LocalOperations | None:
    """What the results of a call ask; None where the service has no local operations.

    weight: that of the query.

    A result is tested on the respondents that it counted: in this process the present version of
    the survey answers, elsewhere the version that the result is of.
    """
    if not sender.context.has_local:
        return None
    transport = sender.transport
    if isinstance(transport, EmbeddedTransport):
        transport = transport.pinned(weight)
    asking = _Asking(transport, sender.context, sender.options, held=sender.held)
    return LocalOperations(asking, Scope(weight=weight).headers())


class _Asking(Sender):
    """Sends for results, which outlive their client: only connections are closed with it."""

    def check_usable(self) -> None:
        remote = self.context.service is None and self.context.snapshot is None
        if self.context.closed and remote:
            raise RuntimeError(
                "The client of this result is closed, so its service cannot be asked how sure the "
                "figures are. Test the result before, or ask for it with another client."
            )


class LocalOperations:
    """An `Ask`.

    sender: None where only those answers are known that were asked for before. headers: of
    requests, which name the weight.
    """

    __slots__ = ("_answers", "_headers", "_sender")

    def __init__(
        self,
        sender: Sender | None,
        headers: Mapping[str, str],
        answers: Mapping[_Key, bytes] | None = None,
    ) -> None:
        self._sender = sender
        self._headers = headers
        self._answers: dict[_Key, bytes] = dict(answers or {})

    def precision(
        self,
        query: Query,
        *,
        effects: bool = True,
        lonely: Lonely = "adjust",
        replicates: bool = True,
    ) -> Precision:
        """See `Ask.precision`."""
        body = _body(query)
        if not effects:
            return self._kish(body)
        usual = lonely == "adjust" and replicates
        options = {} if usual else {"lonely": lonely, "replicates": replicates}
        return self._send(endpoints.QUERY_PRECISION, body | options, Precision)

    def _kish(self, body: dict[str, Any]) -> Precision:
        """Of the weights alone, which the usual answer knows as well."""
        usual = self._kept(endpoints.QUERY_PRECISION, body, Precision)
        if usual is None:
            try:
                return self._send(endpoints.QUERY_PRECISION, body | {"effects": False}, Precision)
            except Unanswered:
                # A snapshot may hold the usual one alone.
                usual = self._send(endpoints.QUERY_PRECISION, body, Precision)
        return structs.replace(usual, linearised=None, refused="")

    def row_pairs(self, query: CrosstabQuery, lonely: Lonely = "adjust") -> RowPairs:
        """See `Ask.row_pairs`."""
        return self._pairs(_body(query) | _unusual(lonely))

    def statistic_pairs(
        self, query: CrosstabQuery, rows: Sequence[Statistic], lonely: Lonely = "adjust"
    ) -> RowPairs:
        """See `Ask.statistic_pairs`."""
        body = _body(query) | _unusual(lonely)
        body.pop("rows", None)
        return self._pairs(body | {"statistics": [statistic_ref(row) for row in rows]})

    def amounts(
        self,
        query: CrosstabQuery,
        rows: Sequence[Statistic],
        *,
        level: float = USUAL_LEVEL,
        lonely: Lonely = "adjust",
        replicates: bool = True,
    ) -> Sequence[StatisticFigures]:
        """See `Ask.amounts`."""
        body = _body(query)
        body["rows"] = [statistic_ref(row) for row in rows]
        body |= _unusual(lonely) | ({} if replicates else {"replicates": False})
        body |= {} if level == USUAL_LEVEL else {"level": level}
        return self._send(endpoints.QUERY_AMOUNTS, body, AmountsAnswer).rows

    def cells(self, query: CrosstabQuery, lonely: Lonely = "adjust") -> CellShares | None:
        """See `Ask.cells`."""
        answer = self._send(endpoints.QUERY_ITEMS, _body(query) | _unusual(lonely), ItemsAnswer)
        if answer.refused:
            raise VarianceError(answer.refused)
        return answer.cells

    def adjusted(self, query: CrosstabQuery, questions: Sequence[str]) -> Adjusted:
        """See `Ask.adjusted`."""
        body = _body(query) | {"adjust": list(questions)}
        answer = self._send(endpoints.QUERY_ADJUSTED, body, AdjustedAnswer)
        if answer.adjusted is None:
            raise VarianceError(answer.refused)
        return answer.adjusted

    def numbers(self, query: StatsQuery) -> QuestionNumbers | None:
        """See `Ask.numbers`."""
        return self._send(endpoints.QUERY_NUMBERS, _body(query), NumbersAnswer).numbers

    def remember_numbers(self, query: StatsQuery, numbers: QuestionNumbers) -> None:
        """Keep the numbers that a snapshot of 2.0 has in the answer of the statistics query."""
        key = _key(endpoints.QUERY_NUMBERS, _body(query))
        self._answers[key] = msgspec.json.encode(NumbersAnswer(numbers))

    def apart(self) -> Self:
        """See `Ask.apart`."""
        return type(self)(self._sender, self._headers)

    def _pairs(self, body: dict[str, Any]) -> RowPairs:
        answer = self._send(endpoints.QUERY_PAIRS, body, PairsAnswer)
        if answer.pairs is None:
            raise VarianceError(answer.refused)
        return answer.pairs

    def _kept(self, endpoint: Endpoint, body: dict[str, Any], kind: type[T]) -> T | None:
        answer = self._answers.get(_key(endpoint, body))
        return None if answer is None else _read(answer, kind)

    def _send(self, endpoint: Endpoint, body: dict[str, Any], kind: type[T]) -> T:
        """The answer that is kept, or that the service gives now."""
        if (kept := self._kept(endpoint, body, kind)) is not None:
            return kept
        if self._sender is None:
            raise Unanswered(
                "the result was pickled before this was asked for; test it before you pickle it"
            )
        key = _key(endpoint, body)
        request = endpoint.request(headers=self._headers, body=key[1])
        call = Call(request, partial(_answer, kind=kind))
        try:
            (found, answer), _ = self._sender.fetch(call)
        except SnapshotMiss:
            learnt = self._sender.context.learnt
            error = Unanswered(
                f"{_name_of(self._sender.context)} holds no {endpoint.name} of this result; record "
                "it again, and test it in the recording"
            )
            # Recordings of before name no waves, and could not hold it.
            error.is_unrecorded = learnt is not None and bool(learnt.wave_names)
            raise error from None
        except RequestRefused as error:
            if error.status not in (404, 405):
                raise
            raise Unanswered("the service does not have this operation") from None
        if len(answer) <= MOST_KEPT:
            self._answers[key] = answer
        return found

    def __deepcopy__(self, _: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # Connections are not pickled; what was asked before is known without one.
        return type(self), (None, self._headers, self._answers)


def _unusual(lonely: Lonely) -> dict[str, Any]:
    """Left out where it is what a service does by itself, for a snapshot holds that."""
    return {} if lonely == "adjust" else {"lonely": lonely}


def _name_of(context: ClientContext) -> str:
    return "the snapshot" if context.snapshot is None else context.snapshot.name


def _body(query: Query) -> dict[str, Any]:
    """The body of a query without names, which answers do not depend on."""
    body = query.to_wire()
    for axis in ("rows", "columns", "audiences"):
        for audience in body.get(axis, ()):
            audience.pop("name", None)
    body.get("base_audience", {}).pop("name", None)
    return body


def _key(endpoint: Endpoint, body: dict[str, Any]) -> _Key:
    return endpoint.path, msgspec.json.encode(body)


def _answer(body: bytes, *, kind: type[T]) -> tuple[T, bytes]:
    return _read(body, kind), body


def _read(body: bytes, kind: type[T]) -> T:
    return msgspec.json.decode(body, type=kind, dec_hook=decoded)
