"""The one module that imports the HTTP library, under the names that the client uses.

Whoever wants to put another library in its place changes this file. No logic belongs here but
turning the library's exceptions into ours.
"""

from __future__ import annotations

import httpx
from httpx import URL, Auth
from httpx import AsyncClient as AsyncHttpClient
from httpx import Client as HttpClient
from httpx import Request as HttpRequest
from httpx import Response as HttpResponse

from audiencelab.client.messages import NoAnswer

__all__ = [
    "URL",
    "AsyncHttpClient",
    "Auth",
    "HttpClient",
    "HttpFailure",
    "HttpRequest",
    "HttpResponse",
    "InvalidUrl",
    "Timeout",
    "no_answer",
]

HttpFailure = (httpx.HTTPError, httpx.StreamError)
"""Whatever can go wrong between sending a request and the last byte of its answer."""

InvalidUrl = httpx.InvalidURL
Timeout = httpx.Timeout


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


def _words(error: Exception) -> str:
    if isinstance(error, httpx.TimeoutException):
        return "The service did not answer in time."
    if isinstance(error, httpx.ConnectError):
        return f"The service could not be reached: {error}."
    if isinstance(error, httpx.UnsupportedProtocol):
        return "The address must begin with https:// or http://."
    if isinstance(error, httpx.DecodingError):
        return "The answer's compression is broken."
    return f"The connection broke before the answer was whole ({type(error).__name__})."
