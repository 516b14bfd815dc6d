"""Whether recorded responses still hold: the requests are sent again and the JSON compared.

Only requests that read are sent. Cells of a crosstab arrive in any order and are compared by their
indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec
from msgspec import UNSET

from audiencelab.client.errors import RequestRefused
from audiencelab.client.snapshots.diff import value_differences
from audiencelab.client.snapshots.format import UNREADABLE, Exchange, Snapshot
from audiencelab.client.snapshots.summary import cells
from audiencelab.client.snapshots.trim import is_catalogue
from audiencelab.errors import AudienceError
from audiencelab.schema.arrays import FloatArray
from audiencelab.schema.endpoints import (
    CALCULATE_CHART,
    ENDPOINTS,
    QUERY_CROSSTAB,
    Retry,
    endpoint_of,
)
from audiencelab.schema.http import EDITS, WEIGHT
from audiencelab.schema.scope import named_weight
from audiencelab.wording import plural

if TYPE_CHECKING:
    from audiencelab.client.client import Client
    from audiencelab.client.responses import RawResponse


@dataclass(frozen=True, slots=True)
class VerifiedExchange:
    """The result for one recorded response.

    line: its line in the file. details: what differs, or why the request was not sent again.
    """

    line: int
    exchange: Exchange
    state: Literal["holds", "moved", "no answer", "not asked"]
    details: tuple[str, ...] = ()


def send_again(
    snapshot: Snapshot, request: Callable[..., Any], edits: Sequence[Any] = ()
) -> Iterator[VerifiedExchange]:
    """Send every request again with `request`, which is `requests_of` some client.

    edits: those that the survey of this client has, `edits_of` it. Of several responses to one
    request the last one counts.
    """
    latest = {exchange.key: index for index, exchange in enumerate(snapshot.exchanges)}
    writes = any(_writes(exchange) for exchange in snapshot.exchanges)
    for index, exchange in enumerate(snapshot.exchanges):
        line = snapshot.line_of(index)
        reason = _reason_not_sent(exchange, after_writes=writes) or _other_edits(
            exchange, snapshot.header.edits, edits
        )
        if not reason and latest[exchange.key] != index:
            reason = "a later response to the same request counts"
        if reason:
            yield VerifiedExchange(line, exchange, "not asked", (reason,))
        else:
            yield _compare(line, exchange, request, trimmed=snapshot.header.left_out > 0)


def edits_of(client: Client) -> list[Any]:
    """The edits that the survey of a client has; [] where it is not in this process."""
    service = client.sender.context.service
    return [] if service is None else service.survey.manifest.provenance.get("edits", [])


def _other_edits(exchange: Exchange, recorded: Sequence[Any], known: Sequence[Any]) -> str:
    """Why a request is not sent again to a survey with other edits; "" where they are the same."""
    if not recorded:
        return ""
    count = int(exchange.query.get(EDITS, "0").partition("-")[0])
    if all(each in known for each in recorded[:count]) and not any(
        each in known for each in recorded[count:]
    ):
        return ""
    return f"it was recorded after {plural(count, 'edit')} of the survey, which has others now"


def requests_of(client: Client) -> Callable[..., Any]:
    """`client.request`, for requests that may name a weight as snapshots do."""

    def request(method: str, path: str, *, query: Mapping[str, str], json: Any) -> RawResponse:
        weight = named_weight(query)
        asking = client if weight is UNSET else client.with_options(weight=weight)
        others = {name: value for name, value in query.items() if name not in (WEIGHT, EDITS)}
        return asking.request(method, path, query=others, json=json)

    return request


def _writes(exchange: Exchange) -> bool:
    endpoint = endpoint_of(exchange.method, exchange.path)
    # An unknown request may change something, even a GET.
    return endpoint not in ENDPOINTS or endpoint.retry in (Retry.ASSIGN, Retry.CREATE)


def _reason_not_sent(exchange: Exchange, *, after_writes: bool) -> str:
    if _writes(exchange):
        return "the request does not only read"
    if after_writes and endpoint_of(exchange.method, exchange.path) is CALCULATE_CHART:
        return "its chart was written in this snapshot"
    if not exchange.complete:
        return "the response is not complete"
    return "the body of the request is not JSON" if exchange.request_base64 else ""


def _compare(
    line: int, exchange: Exchange, request: Callable[..., Any], *, trimmed: bool
) -> VerifiedExchange:
    body = None if exchange.request is UNSET else exchange.request
    try:
        response = request(exchange.method, exchange.path, query=exchange.query, json=body)
        status, content = response.status, response.body
    except RequestRefused as error:
        status, content = error.status or 0, b""
    # A weight that the service does not have is a LookupError.
    except (AudienceError, LookupError) as error:
        return VerifiedExchange(line, exchange, "no answer", (str(error).splitlines()[0],))
    if status != exchange.status:
        return VerifiedExchange(
            line, exchange, "moved", (f"the status: recorded {exchange.status}, now {status}",)
        )
    # The text of a refusal is for people and may have been reworded.
    if status >= 400 or content == exchange.content:
        return VerifiedExchange(line, exchange, "holds")
    before, now = _value(exchange, exchange.content), _value(exchange, content)
    if trimmed and is_catalogue(exchange):
        now = _only_questions_of(before, now)
    found = value_differences(before, now)
    return VerifiedExchange(line, exchange, "moved" if found else "holds", found)


def _value(exchange: Exchange, body: bytes) -> Any:
    if endpoint_of(exchange.method, exchange.path) is QUERY_CROSSTAB:
        by_indices = {_indices(cell): cell for cell in cells(body)}
        # Named in a list as well, since fields that were not recorded are not compared.
        return {"cells": sorted(by_indices), **by_indices}
    try:
        return _with_arrays(msgspec.json.decode(body))
    except UNREADABLE:
        return body.decode("utf-8", "replace")


def _only_questions_of(before: Any, now: Any) -> Any:
    """A catalogue without the questions that a trimmed one lacks."""
    with suppress(LookupError, TypeError):
        kept = {(each.get("namespace_code"), each["code"]) for each in before["questions"]}
        questions = [
            each for each in now["questions"] if (each.get("namespace_code"), each["code"]) in kept
        ]
        return {**now, "questions": questions}
    return now


def _with_arrays(value: Any) -> Any:
    """A JSON value with the arrays in it as lists; NaN is None."""
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    if fields.keys() == set(FloatArray.__struct_fields__):
        with suppress(ValueError):
            listed: list[float] = msgspec.convert(value, FloatArray).read().ravel().tolist()
            return [None if isnan(each) else each for each in listed]
    return {name: _with_arrays(each) for name, each in fields.items()}


def _indices(cell: dict[str, Any]) -> str:
    """The indices of a cell; a cell without them is identified by all its values."""
    indices = cell.get("row_index"), cell.get("column_index")
    return str(cell) if None in indices else f"row {indices[0]}, column {indices[1]}"
