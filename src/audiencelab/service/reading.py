"""Reading a request by its operation's declaration: body and parameters, every fault at once."""

from __future__ import annotations

from math import isinf
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from audiencelab.engine import CodeFault
from audiencelab.errors import Fault
from audiencelab.schema.http import Request
from audiencelab.service.fields import Reading
from audiencelab.service.operations.base import INCLUDE, Operation, Rooms
from audiencelab.service.problems import (
    ForbiddenError,
    InvalidRequestError,
    TooLargeError,
    UnsupportedEncodingError,
)
from audiencelab.service.repeated import repeated_names

__all__ = ["read_body", "read_include"]

_WIDEST = 2.0**63
"""From here on a number is no integer of any field, and is left as it is."""


def read_body(operation: Operation, request: Request, rooms: Rooms) -> Any:
    """What the operation's body says; None for an operation that takes none.

    Raises `TooLargeError`, `UnsupportedEncodingError`, `InvalidRequestError` with every fault, or
    `ForbiddenError` if everything is right but some codes may not be used.
    """
    _check_length(request, rooms)
    if operation.body is None:
        return None
    _check_encoding(request)
    reading = Reading(rooms.limits, rooms.engine.codes)
    may_be_left_out = operation.may_be_empty and not request.body.strip()
    written: Any = {} if may_be_left_out else _decoded(request.body)
    reading.faults.extend(repeated_names(request.body, written))
    body = operation.body.read(written, "", reading)
    _refuse(reading.faults, rooms.limits.faults)
    return body


def read_include(operation: Operation, request: Request) -> tuple[str, ...]:
    """The relationships that `include` lists, by commas, by repetition or both.

    Raises `InvalidRequestError` for unknown ones, and for parameters that there are none of.
    """
    known = operation.includes
    faults: list[Fault] = []
    found: dict[str, None] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True):
        if known is None or name != INCLUDE:
            faults.append(Fault("", _unknown_parameter(known)))
            continue
        for part in filter(None, (part.strip() for part in value.split(","))):
            if part in known:
                found[part] = None
            else:
                faults.append(
                    Fault(f"/{INCLUDE}", f"{INCLUDE} may list {', '.join(known)} and nothing else.")
                )
    if faults:
        raise InvalidRequestError("The query parameters are not valid.", dict.fromkeys(faults))
    return tuple(found)


def _unknown_parameter(known: tuple[str, ...] | None) -> str:
    if known is None:
        return "This operation takes no query parameters."
    return f"Unknown query parameter; this operation takes {INCLUDE}, of {', '.join(known)}."


def _check_length(request: Request, rooms: Rooms) -> None:
    limit = rooms.limits.body
    if len(request.body) > limit:
        raise TooLargeError(f"The body has {len(request.body):,} bytes; the limit is {limit:,}.")


def _check_encoding(request: Request) -> None:
    if (request.header("content-encoding") or "identity").strip().lower() != "identity":
        raise UnsupportedEncodingError("Send it as it is, without Content-Encoding.")


def _number(text: str) -> float | int:
    """A number as JSON means it: 10.0 is the integer 10."""
    number = float(text)
    if isinf(number):
        raise ValueError("Number out of range")
    return int(number) if number.is_integer() and abs(number) < _WIDEST else number


_decode = msgspec.json.Decoder(float_hook=_number).decode


def _decoded(body: bytes) -> Any:
    try:
        return _decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # Its words tell the kind of fault and the byte, never the text.
        why = str(error) if isinstance(error, msgspec.DecodeError) else "Not readable as JSON"
        raise InvalidRequestError(
            "The body is not JSON.", [Fault("", f"{why.rstrip('.')}. Send a JSON object.")]
        ) from None


def _refuse(faults: list[Fault], most: int) -> None:
    if not faults:
        return
    told = faults[:most]
    if len(faults) > most:
        told.append(Fault("", f"There are {len(faults) - most:,} faults more."))
    if all(isinstance(fault, CodeFault) and fault.forbidden for fault in faults):
        raise ForbiddenError("The request names codes that are not accessible.", told)
    count = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
    raise InvalidRequestError(f"The request has {count}.", told)
