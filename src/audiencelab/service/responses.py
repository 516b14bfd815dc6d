"""Responses: problem documents (RFC 9457), JSON, and bodies that are made while they are read.

A problem document lists every fault with a JSON pointer, and never repeats what was submitted.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus
from types import MappingProxyType

import msgspec

from audiencelab.errors import AudienceError, Fault
from audiencelab.schema import Problem, ProblemFault
from audiencelab.schema.http import JSON, PROBLEM, SURVEY_CHANGED, Response, TransportError

CHUNK_BYTES = 32 * 1024
"""Bytes of a chunk, about: smaller ones cost a call each, larger ones come late."""

_log = logging.getLogger("audiencelab.service")


class ServiceError(AudienceError):
    """A request that the service refuses; each kind has its status, title, type and headers."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    title = "The service failed"
    type = "about:blank"
    headers: Mapping[str, str] = MappingProxyType({})

    def __init__(self, detail: str, faults: Iterable[Fault] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults: Sequence[Fault] = tuple(faults)


class InvalidRequestError(ServiceError):
    """400: something in the request is wrong; `faults` has every pointer and reason."""

    status = HTTPStatus.BAD_REQUEST
    title = "The request is not valid"


class UnauthorizedError(ServiceError):
    """401: no credential, or one that the service does not know."""

    status = HTTPStatus.UNAUTHORIZED
    title = "A valid credential is needed"
    headers = MappingProxyType({"www-authenticate": 'Bearer realm="audiencelab"'})


class ForbiddenError(ServiceError):
    """403: codes that the caller may not use."""

    status = HTTPStatus.FORBIDDEN
    title = "Not accessible"


class NotFoundError(ServiceError):
    """404: the path or the resource does not exist."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class MethodNotAllowedError(ServiceError):
    """405: the path is known and has other methods."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    title = "Method not allowed"

    def __init__(self, allowed: Sequence[str]) -> None:
        listed = ", ".join(allowed)
        super().__init__(f"This path takes {listed}.")
        self.headers = {"allow": listed}


class SlowBodyError(ServiceError):
    """408: the body did not arrive."""

    status = HTTPStatus.REQUEST_TIMEOUT
    title = "The body did not arrive"


class ConflictError(ServiceError):
    """409: the request contradicts an earlier one."""

    status = HTTPStatus.CONFLICT
    title = "The request contradicts an earlier one"


class PreconditionFailedError(ServiceError):
    """412: the resource is no longer the one that the caller has seen."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "Changed in the meantime"


class SurveyChangedError(ServiceError):
    """412: the survey is not in the version that the request asks for."""

    status = HTTPStatus.PRECONDITION_FAILED
    title = "The survey has changed"
    type = SURVEY_CHANGED


class TooLargeError(ServiceError):
    """413: the body is larger than the service accepts."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The body is too large"


class UnsupportedEncodingError(ServiceError):
    """415: the body is compressed, or encoded in some other way."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "The body is encoded"
    headers = MappingProxyType({"accept-encoding": "identity"})


class TooManyRequestsError(ServiceError):
    """429: more requests than the credential is allowed. wait: seconds until the next one."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "Too many requests"

    def __init__(self, wait: float, why: str = "") -> None:
        seconds = max(1, math.ceil(wait))
        super().__init__(f"{why} Ask again in {seconds} s.".lstrip())
        self.headers = {"retry-after": str(seconds)}


class UnavailableError(ServiceError):
    """503: nothing was changed, and the same request may succeed in a moment."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The service is busy"
    headers = MappingProxyType({"retry-after": "1"})


class StorageFullError(ServiceError):
    """507: the disk of the store is full or fails; nothing was changed."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    title = "The store could not be written"


class BrokenStreamError(AudienceError, TransportError):
    """Making a body failed after its first bytes were sent; the log has the cause."""


def problem_document(
    status: int,
    title: str,
    detail: str = "",
    faults: Iterable[Fault] = (),
    kind: str = "about:blank",
) -> bytes:
    """A problem as JSON; kind: its `type`."""
    errors = [ProblemFault(fault.pointer, fault.detail) for fault in faults]
    return msgspec.json.encode(Problem(status, title, kind, detail, errors))


def problem_response(error: ServiceError) -> Response:
    """The response of a refused request."""
    body = problem_document(error.status, error.title, error.detail, error.faults, error.type)
    headers = {"content-type": PROBLEM, "content-length": str(len(body)), **error.headers}
    return Response(int(error.status), headers, iter((body,)))


def json_response(resource: object, *, headers: Mapping[str, str] | None = None) -> Response:
    """A response whose body is one resource."""
    body = msgspec.json.encode(resource)
    described = {"content-type": JSON, "content-length": str(len(body)), **(headers or {})}
    return Response(200, described, iter((body,)))


class StreamedBody(Iterator[bytes]):
    """Chunks of a body, the first of them made at once: a failure there can still be a status.

    chunks: what makes them; closing the body closes it.
    failure: the last chunk of a body that fails later, from a problem document. A single JSON
        document cannot contain a problem after its beginning: without `failure` the body ends
        with `BrokenStreamError`. The HTTP server then drops the connection, so that the reader
        sees that the body is incomplete.
    """

    def __init__(
        self, chunks: Generator[bytes], failure: Callable[[bytes], bytes] | None = None
    ) -> None:
        self._chunks = chunks
        self._failure = failure
        # Here, while the status is not sent: what fails first of all becomes a refusal.
        self._first = next(chunks, None)

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            return next(self._chunks)
        except StopIteration:
            raise
        except KeyboardInterrupt as stop:
            # The frames of the service do not explain why a cell was stopped.
            raise stop.with_traceback(None) from None
        except Exception:
            _log.exception("A body failed after it had begun")
        if self._failure is None:
            raise BrokenStreamError("The service failed while it sent the answer.")
        detail = "The stream ends here; what came before is right, the rest is missing."
        return self._failure(problem_document(500, "The service failed", detail))

    def close(self) -> None:
        """Stop making chunks."""
        self._first = None
        self._chunks.close()
