"""Reading a request: its operation, its credential, its parameters and its body."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from math import isinf
from typing import Any
from urllib.parse import parse_qsl, unquote
from uuid import uuid4

import msgspec

from audiencelab.engine import CodeFault
from audiencelab.errors import Fault
from audiencelab.schema.http import Request
from audiencelab.service.context import INCLUDE, Operation, ServiceContext
from audiencelab.service.responses import (
    ForbiddenError,
    InvalidRequestError,
    MethodNotAllowedError,
    NotFoundError,
    TooLargeError,
    UnauthorizedError,
    UnsupportedEncodingError,
)
from audiencelab.service.validation import ValidationContext

REQUEST_ID = "x-request-id"

_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


def request_id(request: Request) -> str:
    """The caller's own id if it is a plain one, else a new one."""
    given = request.headers.get(REQUEST_ID) or ""
    return given if _VALID_ID.fullmatch(given) else uuid4().hex


class Router:
    """Finds operations by their path templates; a parameter is one whole segment."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._by_length: dict[int, list[tuple[list[str], Operation]]] = {}
        for operation in operations:
            template = operation.path.split("/")
            self._by_length.setdefault(len(template), []).append((template, operation))

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """The operation and its decoded parameters.

        path: still percent-encoded, so that an encoded slash stays part of its segment.
        Raises `NotFoundError`, or `MethodNotAllowedError` for a known path.
        """
        segments = path.split("/")
        allowed: list[str] = []
        for template, operation in self._by_length.get(len(segments), []):
            parameters = _match(template, segments)
            if parameters is None:
                continue
            if operation.method == method.upper():
                return operation, parameters
            allowed.append(operation.method)
        if allowed:
            raise MethodNotAllowedError(allowed)
        raise NotFoundError("The service has no operation at this path.")


def _match(template: list[str], segments: list[str]) -> dict[str, str] | None:
    parameters: dict[str, str] = {}
    for wanted, segment in zip(template, segments, strict=True):
        if wanted.startswith("{"):
            if not segment:
                return None
            parameters[wanted[1:-1]] = unquote(segment)
        elif wanted != unquote(segment):
            return None
    return parameters


_SCHEME = "bearer"


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(32)


class Credentials:
    """The tokens a service accepts, as `Bearer TOKEN` or bare.

    Only digests are kept, so that neither a repr nor a core of this object holds a token.
    Raises `ValueError` if there is none, or an empty one.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        given = [tokens] if isinstance(tokens, str) else list(tokens)
        if not given or not all(token.strip() for token in given):
            raise ValueError("A service needs at least one token, and none may be empty.")
        self._digests = tuple(_digest(token.strip()) for token in given)

    def check(self, request: Request) -> bytes:
        """The caller as a digest; raises `UnauthorizedError` without one of the tokens."""
        header = request.headers.get("authorization")
        if header is None or not header.strip():
            raise UnauthorizedError("Send the header Authorization: Bearer TOKEN.")
        caller = self._caller(header.strip())
        if caller is None:
            raise UnauthorizedError("The credential in the header Authorization is not known.")
        return caller

    def _caller(self, header: str) -> bytes | None:
        scheme, _, rest = header.partition(" ")
        submitted = _digest(rest.strip() if scheme.lower() == _SCHEME else header)
        # Every token is compared, so that the time taken does not depend on which one fits.
        outcomes = [hmac.compare_digest(submitted, known) for known in self._digests]
        return submitted if any(outcomes) else None


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


_WIDEST = 2.0**63
"""No field takes an integer from here on, so that a float stays one."""


def read_body(operation: Operation, request: Request, context: ServiceContext) -> Any:
    """The validated body of a request; None for an operation that takes none.

    Raises `TooLargeError`, `UnsupportedEncodingError`, `InvalidRequestError` with every fault, or
    `ForbiddenError` if the only faults are codes that the caller may not use.
    """
    _check_length(request, context)
    if operation.body is None:
        return None
    _check_encoding(request)
    validation = ValidationContext(context.limits, context.engine.codes)
    may_be_left_out = operation.may_be_empty and not request.body.strip()
    written: Any = {} if may_be_left_out else _decoded(request.body)
    body = operation.body.read(written, "", validation)
    _refuse(validation.faults, context.limits.faults)
    return body


def read_include(operation: Operation, request: Request) -> tuple[str, ...]:
    """The relationships that `include` lists, by commas, by repetition or both.

    Raises `InvalidRequestError` for unknown relationships and unknown parameters.
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


def _check_length(request: Request, context: ServiceContext) -> None:
    limit = context.limits.body
    if len(request.body) > limit:
        raise TooLargeError(f"The body has {len(request.body):,} bytes; the limit is {limit:,}.")


def _check_encoding(request: Request) -> None:
    if (request.headers.get("content-encoding") or "identity").strip().lower() != "identity":
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
        # The decoder's message has the kind of fault and the byte, never the text.
        why = str(error) if isinstance(error, msgspec.DecodeError) else "Not readable as JSON"
        raise InvalidRequestError(
            "The body is not JSON.", [Fault("", f"{why.rstrip('.')}. Send a JSON object.")]
        ) from None


def _refuse(faults: list[Fault], most: int) -> None:
    if not faults:
        return
    listed = faults[:most]
    if len(faults) > most:
        listed.append(Fault("", f"There are {len(faults) - most:,} more faults."))
    if all(isinstance(fault, CodeFault) and fault.forbidden for fault in faults):
        raise ForbiddenError("The request names codes that are not accessible.", listed)
    count = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
    raise InvalidRequestError(f"The request has {count}.", listed)
