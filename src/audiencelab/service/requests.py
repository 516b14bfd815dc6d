"""Reading a request: its operation, its parameters and its body."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import isinf
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.engine import CodeFault
from audiencelab.errors import Fault
from audiencelab.schema.http import IF_SURVEY_VERSION, WEIGHT, Request
from audiencelab.schema.scope import named_weight
from audiencelab.service.context import INCLUDE, Operation, ServiceContext
from audiencelab.service.fields import ValidationContext
from audiencelab.service.responses import (
    ForbiddenError,
    InvalidRequestError,
    MethodNotAllowedError,
    NotFoundError,
    ServiceError,
    SurveyChangedError,
    TooLargeError,
    UnsupportedEncodingError,
)
from audiencelab.survey import Survey
from audiencelab.survey.errors import listed
from audiencelab.survey.reweighted import has_weight

REQUEST_ID = "x-request-id"

_VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

_MAX_INTEGER = 2.0**63
"""No field takes an integer from here on, so that a float stays one."""


def request_id(request: Request) -> str:
    """The caller's own id if it is a plain one, else a new one."""
    given = request.headers.get(REQUEST_ID, "")
    return given if _VALID_ID.fullmatch(given) else uuid4().hex


class Router:
    """Finds operations by method and path."""

    def __init__(self, operations: Iterable[Operation]) -> None:
        self._operations = tuple(operations)

    def find(self, method: str, path: str) -> tuple[Operation, dict[str, str]]:
        """The operation and its decoded parameters.

        path: percent-encoded, so that an encoded slash stays part of its segment.
        Raises `NotFoundError`, or `MethodNotAllowedError` for a known path.
        """
        allowed: list[str] = []
        for operation in self._operations:
            parameters = operation.endpoint.match(path)
            if parameters is not None:
                if operation.endpoint.method == method.upper():
                    return operation, parameters
                allowed.append(operation.endpoint.method)
        if allowed:
            raise MethodNotAllowedError(allowed)
        raise NotFoundError("The service has no operation at this path.")


def read_include(operation: Operation, request: Request) -> tuple[str, ...]:
    """The relationships that `include` lists, by commas, by repetition or both.

    Raises `InvalidRequestError` for unknown relationships and unknown parameters.
    """
    known = operation.includes
    faults: list[Fault] = []
    found: dict[str, None] = {}
    for name, value in parse_qsl(request.query, keep_blank_values=True):
        if known is None:
            faults.append(Fault("", "This operation takes no query parameters."))
        elif name != INCLUDE:
            detail = f"this operation takes {INCLUDE}, of {', '.join(known)}."
            faults.append(Fault("", f"Unknown query parameter; {detail}"))
        else:
            parts = {part.strip(): None for part in value.split(",") if part.strip()}
            if not parts.keys() <= set(known):
                detail = f"{INCLUDE} may list {', '.join(known)} and nothing else."
                faults.append(Fault(f"/{INCLUDE}", detail))
            found |= parts
    if faults:
        raise InvalidRequestError("The query parameters are not valid.", dict.fromkeys(faults))
    return tuple(found)


def check_version(request: Request, context: ServiceContext) -> None:
    """Raise `SurveyChangedError` for a request that another version of the survey should answer."""
    wanted = request.headers.get(IF_SURVEY_VERSION, context.version).strip()
    if wanted != context.version:
        raise SurveyChangedError(
            "It is not in the version that If-Survey-Version names. Ask again without it, from the "
            "beginning: answers of two versions do not go together."
        )


def read_weight(operation: Operation, request: Request, survey: Survey) -> str | UnsetType | None:
    """The weight that a request names, as `Scope.weight`.

    UNSET for operations whose figures have none. Raises `InvalidRequestError` for a weight that the
    survey does not have.
    """
    weight = named_weight(request.headers) if operation.endpoint.weighted else UNSET
    if weight is not UNSET and not has_weight(survey, weight):
        known = listed(survey.manifest.weight_names) or "none"
        detail = f"The header {WEIGHT} names none of the survey's weights: {known}."
        raise InvalidRequestError("The weight is not valid.", [Fault("", detail)])
    return weight


def read_body(operation: Operation, request: Request, context: ServiceContext) -> Any:
    """The validated body of a request; None for an operation that takes none.

    Raises `TooLargeError`, `UnsupportedEncodingError`, `InvalidRequestError` with every fault, or
    `ForbiddenError` if the only faults are codes that the caller may not use.
    """
    size, limit = len(request.body), context.limits.body
    if size > limit:
        raise TooLargeError(f"The body has {size:,} bytes; the limit is {limit:,}.")
    if operation.body is None:
        return None
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise UnsupportedEncodingError("Send it as it is, without Content-Encoding.")
    is_empty = operation.may_be_empty and not request.body.strip()
    validation = ValidationContext(context.limits, context.engine.codes)
    try:
        sent: Any = {} if is_empty else _decode(request.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        # The decoder's message has the kind of fault and the byte, never the text.
        why = str(error) if isinstance(error, msgspec.DecodeError) else "Not readable as JSON"
        fault = Fault("", f"{why.rstrip('.')}. Send a JSON object.")
        raise InvalidRequestError("The body is not JSON.", [fault]) from None
    body = operation.body.read(sent, "", validation)
    if validation.faults:
        raise _refusal(validation.faults, context.limits.faults)
    return body


def _number(text: str) -> float | int:
    """A number as JSON means it: 10.0 is the integer 10."""
    number = float(text)
    if isinf(number):
        raise ValueError("Number out of range")
    return int(number) if number.is_integer() and abs(number) < _MAX_INTEGER else number


_decode = msgspec.json.Decoder(float_hook=_number).decode


def _refusal(faults: list[Fault], most: int) -> ServiceError:
    listed = faults[:most]
    if len(faults) > most:
        listed.append(Fault("", f"There are {len(faults) - most:,} more faults."))
    if all(isinstance(fault, CodeFault) and fault.forbidden for fault in faults):
        return ForbiddenError("The request names codes that are not accessible.", listed)
    count = "1 fault" if len(faults) == 1 else f"{len(faults):,} faults"
    return InvalidRequestError(f"The request has {count}.", listed)
