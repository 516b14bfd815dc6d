"""The one module that imports the HTTP library, under the names that the client uses.

Whoever wants to put another library in its place changes this file. No logic belongs here but
turning the library's exceptions into ours, and reaching the few things that it keeps to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
from httpx import URL, Auth
from httpx import AsyncClient as AsyncHttpClient
from httpx import Client as HttpClient
from httpx import Request as HttpRequest
from httpx import Response as HttpResponse

from audiencelab.client.messages import NoAnswer
from audiencelab.client.web.leash import LATE

__all__ = [
    "URL",
    "AsyncHttpClient",
    "Auth",
    "HttpClient",
    "HttpFailure",
    "HttpRequest",
    "HttpResponse",
    "InvalidUrl",
    "connect_through",
    "no_answer",
    "watch_connection",
    "write_failure",
]

HttpFailure = (httpx.HTTPError, httpx.StreamError)
"""Whatever can go wrong between sending a request and the last byte of its answer."""

InvalidUrl = httpx.InvalidURL


_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Failures before the first byte of a request can have reached the service."""


def no_answer(error: Exception) -> NoAnswer:
    """A failure of the library in words.

    The library's own text is left out unless it is known to name only hosts and reasons.
    """
    return NoAnswer(
        _words(error),
        timeout=isinstance(error, httpx.TimeoutException),
        unsent=isinstance(error, _UNSENT),
    )


def connect_through(http: HttpClient | AsyncHttpClient, backend: Callable[[Any], Any]) -> None:
    """Have a client open its connections, through proxies too, by a backend of ours.

    backend: makes it, given the library's own. A transport that keeps no pool is left alone.
    """
    mounted: dict[Any, Any] = getattr(http, "_mounts", {})
    for transport in (getattr(http, "_transport", None), *mounted.values()):
        pool: Any = getattr(transport, "_pool", None)
        if hasattr(pool, "_network_backend"):
            pool._network_backend = backend(pool._network_backend)


def watch_connection(response: HttpResponse) -> None:
    """See to it that a connection is not used again on which more came than was asked for.

    The library would take what is left over for the answer to the next request.
    """
    stream: Any = response.extensions.get("network_stream")
    protocol: Any = response.stream
    for name in ("_stream", "_httpcore_stream", "_stream", "_connection", "_h11_state"):
        protocol = getattr(protocol, name, None)
    if protocol is not None and hasattr(stream, "spoilt"):
        stream.spoilt = lambda: bool(protocol.trailing_data[0])


def write_failure(words: str) -> Exception:
    """What the library expects of a stream that cannot be written to."""
    import httpcore

    return httpcore.WriteError(words)


def _words(error: Exception) -> str:
    if isinstance(error, httpx.PoolTimeout):
        return "All connections were busy for too long."
    if isinstance(error, httpx.TimeoutException):
        return LATE
    if isinstance(error, httpx.ConnectError):
        request: httpx.Request | None = getattr(error, "_request", None)
        host = f"{request.url.host}: " if request is not None else ""
        return f"The service could not be reached: {host}{error}."
    if isinstance(error, httpx.UnsupportedProtocol):
        return "The address must begin with https:// or http://."
    if isinstance(error, httpx.DecodingError):
        return "The answer's compression is broken."
    return f"The connection broke before the answer was whole ({type(error).__name__})."
