"""The one module that imports the HTTP library, under the names that the client uses.

Whoever wants to put another library in its place changes this file. No logic belongs here but
turning the library's exceptions into ours.
"""

from __future__ import annotations

import httpx
from httpx import URL, Auth, BaseTransport, ReadError, SyncByteStream
from httpx import Client as HttpClient
from httpx import Request as HttpRequest
from httpx import Response as HttpResponse

__all__ = [
    "URL",
    "Auth",
    "BaseTransport",
    "HttpClient",
    "HttpFailure",
    "HttpRequest",
    "HttpResponse",
    "InvalidUrl",
    "ReadError",
    "SyncByteStream",
    "Timeout",
    "describe_failure",
]

HttpFailure = (httpx.HTTPError, httpx.StreamError)
"""Whatever can go wrong between sending a request and the last byte of its answer."""

InvalidUrl = httpx.InvalidURL
Timeout = httpx.Timeout


def describe_failure(error: Exception) -> tuple[str, bool]:
    """A failure of the library in words, and whether it was a time-out.

    The library's own text is left out unless it is known to name only hosts and reasons.
    """
    if isinstance(error, httpx.TimeoutException):
        return "The service did not answer in time.", True
    if isinstance(error, httpx.ConnectError):
        return f"The service could not be reached: {error}.", False
    if isinstance(error, httpx.UnsupportedProtocol):
        return "The address must begin with https:// or http://.", False
    if isinstance(error, httpx.DecodingError):
        return "The answer's compression is broken.", False
    return f"The connection broke before the answer was whole ({type(error).__name__}).", False
