"""Responses: refusals as problem documents (RFC 9457), JSON, and bodies made while they are read.

A problem document lists every fault with a JSON pointer, and never repeats what was submitted.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from http import HTTPStatus

import msgspec

from audiencelab.errors import AudienceError, Fault
from audiencelab.schema import Problem, ProblemFault
from audiencelab.schema.http import JSON, PROBLEM, Response


class ServiceError(AudienceError):
    """A request that the service refuses; each kind has its status."""

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    title = "The service failed"

    def __init__(self, detail: str, faults: Iterable[Fault] = ()) -> None:
        super().__init__(detail)
        self.detail = detail
        self.faults: Sequence[Fault] = tuple(faults)

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that belong to this refusal."""
        return {}


class InvalidRequestError(ServiceError):
    """400: something in the request is wrong; `faults` says what and where."""

    status = HTTPStatus.BAD_REQUEST
    title = "The request is not valid"


class UnauthorizedError(ServiceError):
    """401: no credential, or one that the service does not know."""

    status = HTTPStatus.UNAUTHORIZED
    title = "A valid credential is needed"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"WWW-Authenticate": 'Bearer realm="audiencelab"'}


class ForbiddenError(ServiceError):
    """403: codes that the caller may not use."""

    status = HTTPStatus.FORBIDDEN
    title = "Not accessible"


class NotFoundError(ServiceError):
    """404: nothing stands at this path."""

    status = HTTPStatus.NOT_FOUND
    title = "Not found"


class MethodNotAllowedError(ServiceError):
    """405: the path is known, the method is not one of its own."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    title = "Method not allowed"

    def __init__(self, allowed: Sequence[str]) -> None:
        super().__init__(f"This path takes {', '.join(allowed)}.")
        self.allowed = tuple(allowed)

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Allow": ", ".join(self.allowed)}


class ConflictError(ServiceError):
    """409: the request contradicts one that came before."""

    status = HTTPStatus.CONFLICT
    title = "The request contradicts an earlier one"


class UnavailableError(ServiceError):
    """503: not now; nothing was changed, and the same request may succeed in a moment."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The service is busy"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": "1"}


class StorageFullError(ServiceError):
    """507: the disk of the store is full or fails; nothing was changed."""

    status = HTTPStatus.INSUFFICIENT_STORAGE
    title = "The store could not be written"


class TooManyRequestsError(ServiceError):
    """429: more requests than the credential is allowed; `wait` says for how long."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    title = "Too many requests"

    def __init__(self, wait: float) -> None:
        self._seconds = max(1, math.ceil(wait))
        super().__init__(f"Ask again in {self._seconds} s.")

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(self._seconds)}


class TooLargeError(ServiceError):
    """413: the body is larger than the service takes."""

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = "The body is too large"


class UnsupportedEncodingError(ServiceError):
    """415: the body is compressed, or encoded in some other way."""

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    title = "The body is encoded"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Accept-Encoding": "identity"}


def problem_document(
    status: int, title: str, detail: str = "", faults: Iterable[Fault] = ()
) -> bytes:
    """A problem as JSON."""
    errors = [ProblemFault(fault.pointer, fault.detail) for fault in faults]
    return msgspec.json.encode(Problem(status, title, detail=detail, errors=errors))


def problem_response(error: ServiceError) -> Response:
    """The response that tells a refusal."""
    body = problem_document(error.status, error.title, error.detail, error.faults)
    headers = {"content-type": PROBLEM, "content-length": str(len(body)), **error.headers}
    return Response(int(error.status), headers, iter((body,)))


CHUNK_BYTES = 32 * 1024
"""Bytes of a chunk, about: smaller ones cost a call each, larger ones come late."""

_log = logging.getLogger("audiencelab.service")


def json_response(resource: object, status: int = 200) -> Response:
    """A response whose body is one resource."""
    body = msgspec.json.encode(resource)
    headers = {"content-type": JSON, "content-length": str(len(body))}
    return Response(status, headers, iter((body,)))


class BrokenStreamError(AudienceError):
    """Making a body failed after its first bytes were sent; the log has the cause."""


class StreamedBody(Iterator[bytes]):
    """Chunks of a body, the first of them made at once: a failure there can still be a status.

    chunks: what makes them; closing the body closes it.
    failure: the last chunk of a body whose making fails later, from a problem document. A single
        JSON document cannot carry a problem after its beginning: without `failure` the body
        breaks off with `BrokenStreamError`. The HTTP server then drops the connection, so that
        the reader sees that the body is incomplete.
    """

    def __init__(
        self, chunks: Generator[bytes], failure: Callable[[bytes], bytes] | None = None
    ) -> None:
        self._chunks = chunks
        self._failure = failure
        self._first = next(chunks, None)

    def __next__(self) -> bytes:
        if self._first is not None:
            first, self._first = self._first, None
            return first
        try:
            return next(self._chunks)
        except StopIteration:
            raise
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
