"""The client's errors: one tree under `ClientError`.

They hold plain values only (method, path without query, status, request id, faults), never a
request, a response or a header, so they can be logged, pickled and sent to another process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from audiencelab.errors import AudienceError, Fault, list_faults
from audiencelab.wording import without_controls

if TYPE_CHECKING:
    from audiencelab.tables import CrosstabResult, StatsResult


@dataclass(frozen=True, slots=True)
class RequestLine:
    """What identifies a request in an error: no query string, no header, no body."""

    method: str
    path: str
    request_id: str = ""
    status: int | None = None
    attempts: int = 1

    def __str__(self) -> str:
        tail = f", request {self.request_id}" if self.request_id else ""
        return without_controls(f"{self.method} {self.path}{tail}")


class ClientError(AudienceError):
    """Every error that the client raises."""

    def __str__(self) -> str:
        # Text of a service, and labels of its survey, are shown on terminals.
        return without_controls(super().__str__())


class ConnectionChoiceError(ClientError, ValueError):
    """`connect()` needs exactly one service to connect to, and a fitting credential."""


class InsecureConnectionError(ClientError):
    """A credential was about to be sent over plain HTTP to another machine."""


class CredentialError(ClientError):
    """A function given as `token` raised, or returned something that cannot be sent."""


class UnknownCodeError(ClientError, LookupError):
    """Codes or names that the catalogue does not have; `codes` lists them."""

    def __init__(self, message: str, codes: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.codes = tuple(codes)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.codes)


class RequestError(ClientError):
    """An error of one request.

    method, path, status, request_id, attempts: which request, and how far it came.
    faults: the problem's pointers into the request's body, with what is wrong there.
    hints: advice found in the catalogue, such as the nearest code. hints_only: whether it is the
        whole message, as it is of every fault, and the service is in this process.
    """

    def __init__(
        self,
        message: str,
        request: RequestLine,
        *,
        faults: Iterable[Fault] = (),
        hints: Iterable[str] = (),
    ) -> None:
        super().__init__(message, request)
        self.hints_only = False
        self.message = message
        self.request = request
        self.faults = tuple(faults)
        self.hints = tuple(hints)

    @property
    def method(self) -> str:
        """The HTTP method of the request."""
        return self.request.method

    @property
    def path(self) -> str:
        """The path that was requested, without its query."""
        return self.request.path

    @property
    def status(self) -> int | None:
        """The HTTP status of the response; None where none came."""
        return self.request.status

    @property
    def request_id(self) -> str:
        """The id of the request, by which those who run the service find it."""
        return self.request.request_id

    @property
    def attempts(self) -> int:
        """How many times it was sent."""
        return self.request.attempts

    def __str__(self) -> str:
        if self.hints_only and self.hints:
            return without_controls("\n".join(self.hints))
        headline = list_faults(self.message, self.faults)
        return without_controls("\n".join([*self.hints, headline, f"  ({self.request})"]))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.__dict__.copy())


def _restore(kind: type[RequestError], state: dict[str, Any]) -> RequestError:
    # Not by `__init__`, whose arguments differ from class to class.
    error = kind.__new__(kind, state["message"], state["request"])
    error.__dict__.update(state)
    return error


class ConnectionFailed(RequestError):
    """No complete response came: the service was not reached, or the connection broke.

    unsent: whether the request has provably not reached the service.
    """

    def __init__(self, message: str, request: RequestLine, *, unsent: bool = False) -> None:
        super().__init__(message, request)
        self.unsent = unsent


class RequestTimeout(ConnectionFailed):
    """The service did not answer in time."""


class AmbiguousWriteError(RequestError):
    """It is unknown whether something was created.

    The request was not sent again, since that might create the same thing twice. Check the service
    before you try again. `status` is the service's, or None if no response came.
    """


class InvalidResponse(RequestError):
    """A response came that is not what the interface promises.

    broken: whether it is not a complete JSON document, so that another attempt may help.
    """

    def __init__(self, message: str, request: RequestLine, *, broken: bool = False) -> None:
        super().__init__(message, request)
        self.broken = broken


class IncompleteStream(InvalidResponse):
    """A crosstab or a stats response without some of its cells or rows.

    result: what came, as a `CrosstabResult` or a `StatsResult`. `result.missing()` of a crosstab
        lists what did not; of a stats query the message names it.
    """

    def __init__(
        self, message: str, request: RequestLine, result: CrosstabResult | StatsResult
    ) -> None:
        super().__init__(message, request)
        self.result = result


class RequestRefused(RequestError):
    """The service answered with an error status.

    retry_after: seconds that it asks to wait before the next request, or None.
    """

    def __init__(
        self,
        message: str,
        request: RequestLine,
        *,
        faults: Iterable[Fault] = (),
        hints: Iterable[str] = (),
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, request, faults=faults, hints=hints)
        self.retry_after = retry_after


class InvalidRequest(RequestRefused):
    """400 or 422: the request has faults; `faults` lists every one."""


class AuthenticationError(RequestRefused):
    """401: no credential, or one that the service does not know."""


class AccessDenied(RequestRefused):
    """403: a code that this credential may not use."""


class NotFound(RequestRefused):
    """404: there is nothing with that code or id."""


class SavedMeanwhile(RequestRefused):
    """412: someone else saved the chart or the audience after it was read."""


class SurveyChanged(RequestError):
    """The survey changed while a result was asked for, or since; figures of two do not go together.

    A call starts again by itself, twice at most, before it raises this. `status` is 412 where the
    service refused, and 200 where an answer came that is of another version.
    """


class RequestTooLarge(RequestRefused):
    """413: the body is larger than the service takes."""


class RateLimited(RequestRefused):
    """429: too many requests; `retry_after` is the pause that the service asks for."""


class ServiceFailure(RequestRefused):
    """5xx: the service failed; the request may be valid."""


_BY_STATUS: dict[int, type[RequestRefused]] = {
    400: InvalidRequest,
    401: AuthenticationError,
    403: AccessDenied,
    404: NotFound,
    412: SavedMeanwhile,
    413: RequestTooLarge,
    422: InvalidRequest,
    429: RateLimited,
}


def refusal(status: int) -> type[RequestRefused]:
    """The error class of a status code that is not a success."""
    return _BY_STATUS.get(status, ServiceFailure if status >= 500 else RequestRefused)
