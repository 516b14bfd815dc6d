"""What an operation is: where it stands, what it takes, and the function that answers.

An operation is a value; the router finds it, the service reads its body and parameters by its
declaration, and the published interface is made from the same declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from audiencelab.engine import Engine
from audiencelab.schema.http import JSON, Request, Response
from audiencelab.service.fields import Field
from audiencelab.service.limits import Limits
from audiencelab.service.store import Store
from audiencelab.survey import Survey

__all__ = ["INCLUDE", "Call", "Operation", "Rooms", "json_response"]

INCLUDE = "include"
"""The name of the query parameter that lists the relationships wanted, separated by commas."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What operations work on; shared by all requests and never changed by them."""

    survey: Survey
    engine: Engine
    limits: Limits
    store: Store


@dataclass(frozen=True, slots=True)
class Call:
    """One request to one operation, read and found valid.

    request: as it came, for its headers and the bytes of its body.
    path: the path parameters, decoded. include: the relationships asked for.
    body: what the operation's `body` field read, None for an operation without one.
    """

    rooms: Rooms
    request: Request
    path: Mapping[str, str]
    include: tuple[str, ...]
    body: Any


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the service.

    path: a template such as `/v2/questions/{question_code}`.
    body: how its JSON body is read; None if it takes none.
    may_be_empty: whether no body at all stands for an empty object.
    may_repeat: whether it takes an `Idempotency-Key`.
    includes: what its `include` parameter may list; None if it has no such parameter.
    answers: the wire type of what it answers, for a stream that of one object.
    media: how that is sent.
    blocks: whether it is sent as columnar blocks to a caller that accepts them.
    errors: the statuses of its refusals beyond those that every operation of its kind has.
    """

    name: str
    method: str
    path: str
    answer: Callable[[Call], Response]
    summary: str
    body: Field | None = None
    may_be_empty: bool = False
    may_repeat: bool = False
    includes: tuple[str, ...] | None = None
    answers: Any = None
    media: str = JSON
    blocks: bool = False
    errors: tuple[int, ...] = ()


def json_response(resource: object, status: int = 200) -> Response:
    """A response whose body is one resource."""
    body = msgspec.json.encode(resource)
    headers = {"content-type": JSON, "content-length": str(len(body))}
    return Response(status, headers, iter((body,)))
