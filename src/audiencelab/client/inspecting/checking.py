"""Whether recorded answers still hold: asked again, and compared as JSON, not as bytes.

Only what reads is asked again. Cells of a crosstab come in any order, and are compared by their
indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from msgspec import UNSET

from audiencelab.client._sync.client import Client
from audiencelab.client.errors import RequestRefused
from audiencelab.client.operations.registry import operation_of
from audiencelab.client.snapshots.differences import value_differences
from audiencelab.client.snapshots.document import Exchange, Snapshot
from audiencelab.client.snapshots.words import cells
from audiencelab.errors import AudienceError

__all__ = ["Finding", "ask_again"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of one recorded answer.

    line: where it stands in the file. details: what differs, or why it was not asked again.
    """

    line: int
    exchange: Exchange
    state: Literal["holds", "moved", "no answer", "not asked"]
    details: tuple[str, ...] = ()


def ask_again(snapshot: Snapshot, client: Client) -> Iterator[Finding]:
    """Ask a service everything once more; of several answers to one request the last counts."""
    latest = {exchange.key: place for place, exchange in enumerate(snapshot.exchanges)}
    stateful = any(_writes(exchange) for exchange in snapshot.exchanges)
    for place, exchange in enumerate(snapshot.exchanges):
        line = snapshot.line_of(place)
        reason = _reason_not_to_ask(exchange, stateful, latest[exchange.key] == place)
        if reason:
            yield Finding(line, exchange, "not asked", (reason,))
        else:
            yield _compared(line, exchange, client)


def _writes(exchange: Exchange) -> bool:
    return not operation_of(exchange.method, exchange.path).reads


def _reason_not_to_ask(exchange: Exchange, stateful: bool, latest: bool) -> str:
    if _writes(exchange):
        return "it does not only read"
    if stateful and operation_of(exchange.method, exchange.path).name == "charts.calculate":
        return "its chart was written in this snapshot"
    if not exchange.complete:
        return "it did not come whole"
    if exchange.request_base64:
        return "its body is no JSON"
    return "" if latest else "it was answered anew later"


def _compared(line: int, exchange: Exchange, client: Client) -> Finding:
    try:
        status, body = _asked(exchange, client)
    except AudienceError as error:
        return Finding(line, exchange, "no answer", (str(error).splitlines()[0],))
    if status != exchange.status:
        return Finding(
            line, exchange, "moved", (f"the status: recorded {exchange.status}, now {status}",)
        )
    # What a refusal says is for people, and may be said better by now.
    if status >= 400 or body == exchange.content:
        return Finding(line, exchange, "holds")
    found = value_differences(_value(exchange, exchange.content), _value(exchange, body))
    return Finding(line, exchange, "moved" if found else "holds", found)


def _asked(exchange: Exchange, client: Client) -> tuple[int, bytes]:
    """Status and body as the service answers now; raises for anything but an answer."""
    body = None if exchange.request is UNSET else exchange.request
    try:
        answer = client.request(exchange.method, exchange.path, query=exchange.query, json=body)
    except RequestRefused as error:
        return error.status or 0, b""
    return answer.status, answer.body


def _value(exchange: Exchange, body: bytes) -> Any:
    if operation_of(exchange.method, exchange.path).name == "crosstab":
        by_place = {_place(cell): cell for cell in cells(body)}
        return {"cells": sorted(by_place), **by_place}
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body.decode("utf-8", "replace")


def _place(cell: dict[str, Any]) -> str:
    """A cell's indices; a cell without them is known by all that it says."""
    indices = cell.get("row_index"), cell.get("column_index")
    return str(cell) if None in indices else f"row {indices[0]}, column {indices[1]}"
