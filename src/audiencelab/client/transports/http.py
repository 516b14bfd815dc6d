"""The transports over HTTP, blocking and asynchronous: the one module that imports httpx.

Exceptions of httpx end here and become `TransportError`, so that no request, and no header of it,
is attached to an error that a notebook shows or pickles. The credential is written inside httpx's
auth step, so the header exists on the outgoing request only.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from functools import lru_cache
from typing import Any

import httpx
from httpx import URL
from httpx import InvalidURL as InvalidURL

from audiencelab.client.credentials import DOTS, Secret
from audiencelab.client.errors import InsecureConnectionError
from audiencelab.client.transports.base import NO_LIMIT, AsyncResponse, Timeout, TransportError
from audiencelab.local_servers import is_loopback
from audiencelab.schema.http import JSON, Request, Response

_CONNECTING = 10.0
"""Maximum seconds to open a connection."""

_RECENT = 16
"""Credentials remembered, where a function supplies another one for each request."""

_LATE = "The service did not answer in time."

_FAILURES = (httpx.HTTPError, httpx.StreamError)

_UNSENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""Failures before the first byte of a request can have reached the service."""


class TokenAuth(httpx.Auth):
    """Adds `Authorization` to each request; refuses to send it over plain HTTP to other machines.

    token: the credential, or a function that returns it for each request.
    scheme: the word before it ("Bearer"); None sends the token alone.
    allow_insecure: send it over plain HTTP to other machines as well.
    """

    def __init__(
        self,
        token: Secret | Callable[[], Secret],
        *,
        scheme: str | None = "Bearer",
        allow_insecure: bool = False,
    ) -> None:
        self._token = token
        self._prefix = f"{scheme} " if scheme else ""
        self._allow_insecure = allow_insecure
        self.secrets: tuple[Secret, ...] = ()

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        url = request.url
        if url.scheme != "https" and not (self._allow_insecure or is_loopback(url.host)):
            raise InsecureConnectionError(
                f"The credential was not sent: {url.host} is reached over plain HTTP, where "
                "anyone on the network can read it. Use an https:// address, or pass "
                "allow_insecure=True if you trust the network."
            )
        token = self._token if isinstance(self._token, Secret) else self._token()
        if token not in self.secrets:
            self.secrets = (*self.secrets[1 - _RECENT :], token)
        request.headers["Authorization"] = self._prefix + token.reveal()
        yield request

    def __repr__(self) -> str:
        return f"TokenAuth({DOTS})"


class HTTPTransport:
    """Sends requests over one `httpx.Client`.

    base_url: the address of the service. auth: adds the credential.
    settings: further arguments of `httpx.Client`, such as `proxy` and `verify`.
    user_agent: put before httpx's own.
    """

    def __init__(
        self,
        base_url: str,
        *,
        auth: TokenAuth | None = None,
        settings: Mapping[str, Any] | None = None,
        user_agent: str = "",
    ) -> None:
        self._auth = auth
        self._http = httpx.Client(base_url=base_url, auth=auth, **(settings or {}))
        _set_user_agent(self._http, user_agent)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._auth.secrets if self._auth else ()

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        try:
            answer = self._http.send(_prepare(self._http, request, timeout), stream=True)
        except _FAILURES as error:
            failure = _to_transport_error(error)
        except BaseException as error:
            # The frames of httpx hold the header.
            raise error.with_traceback(None) from None
        else:
            return Response(answer.status_code, dict(answer.headers), _Body(answer, timeout))
        raise failure

    def close(self) -> None:
        self._http.close()


class _Body:
    """The bytes of a response; the deadline is checked between reads."""

    def __init__(self, answer: httpx.Response, timeout: Timeout) -> None:
        self._answer = answer
        self._until = timeout.until
        self._chunks = answer.iter_bytes()

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        _check_deadline(self._until)
        try:
            return next(self._chunks)
        except StopIteration:
            raise
        except _FAILURES as error:
            failure = _to_transport_error(error)
        except BaseException as error:
            raise error.with_traceback(None) from None
        raise failure

    def close(self) -> None:
        self._answer.close()


class AsyncHTTPTransport:
    """The same over one `httpx.AsyncClient`."""

    def __init__(
        self,
        base_url: str,
        *,
        auth: TokenAuth | None = None,
        settings: Mapping[str, Any] | None = None,
        user_agent: str = "",
    ) -> None:
        self._auth = auth
        self._http = httpx.AsyncClient(base_url=base_url, auth=auth, **(settings or {}))
        _set_user_agent(self._http, user_agent)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return self._auth.secrets if self._auth else ()

    async def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> AsyncResponse:
        try:
            async with asyncio.timeout_at(_on_the_loop(timeout.until)):
                answer = await self._http.send(_prepare(self._http, request, timeout), stream=True)
        except _FAILURES as error:
            failure = _to_transport_error(error)
        except TimeoutError:
            failure = TransportError(_LATE, timeout=True)
        except BaseException as error:
            raise error.with_traceback(None) from None
        else:
            body = _AsyncBody(answer, timeout)
            return AsyncResponse(answer.status_code, dict(answer.headers), body)
        raise failure

    async def close(self) -> None:
        await self._http.aclose()


class _AsyncBody:
    def __init__(self, answer: httpx.Response, timeout: Timeout) -> None:
        self._answer = answer
        self._until = timeout.until
        self._chunks = answer.aiter_bytes()

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            async with asyncio.timeout_at(_on_the_loop(self._until)):
                return await anext(self._chunks)
        except StopAsyncIteration:
            raise
        except _FAILURES as error:
            failure = _to_transport_error(error)
        except TimeoutError:
            failure = TransportError(_LATE, timeout=True)
        except BaseException as error:
            raise error.with_traceback(None) from None
        raise failure

    async def aclose(self) -> None:
        await self._answer.aclose()


def _set_user_agent(http: httpx.Client | httpx.AsyncClient, user_agent: str) -> None:
    if user_agent:
        http.headers["user-agent"] = f"{user_agent} {http.headers['user-agent']}"


def _prepare(
    http: httpx.Client | httpx.AsyncClient, request: Request, timeout: Timeout
) -> httpx.Request:
    headers = {"accept-encoding": "gzip, deflate", **request.headers}
    if request.body:
        headers["content-type"] = JSON
    return http.build_request(
        request.method,
        _absolute(str(http.base_url), request.path, request.query),
        content=request.body or None,
        headers=headers,
        extensions={"timeout": _timeouts(timeout)},
    )


@lru_cache(maxsize=256)
def _absolute(base: str, path: str, query: str) -> URL:
    """The whole address; cached, since parsing addresses is most of the cost of a small call."""
    return URL(f"{base.rstrip('/')}{path}{f'?{query}' if query else ''}")


def _timeouts(timeout: Timeout) -> dict[str, float | None]:
    """The timeouts of httpx: the smaller of the timeout and the time left for the call."""
    seconds, until = timeout
    if until is not None:
        left = max(0.001, until - time.monotonic())
        seconds = left if seconds is None else min(seconds, left)
    connect = _CONNECTING if seconds is None else min(seconds, _CONNECTING)
    return {"connect": connect, "read": seconds, "write": seconds, "pool": seconds}


def _check_deadline(until: float | None) -> None:
    if until is not None and time.monotonic() >= until:
        raise TransportError(_LATE, timeout=True)


def _on_the_loop(until: float | None) -> float | None:
    """A time by `time.monotonic` as a time by the running event loop."""
    if until is None:
        return None
    return asyncio.get_running_loop().time() + until - time.monotonic()


def _to_transport_error(error: Exception) -> TransportError:
    """A failure of httpx; its own message is left out unless it names hosts and reasons only."""
    return TransportError(
        _describe(error),
        timeout=isinstance(error, httpx.TimeoutException),
        unsent=isinstance(error, _UNSENT),
    )


def _describe(error: Exception) -> str:
    if isinstance(error, httpx.PoolTimeout):
        return "All connections were busy for too long."
    if isinstance(error, httpx.TimeoutException):
        return _LATE
    if isinstance(error, httpx.ConnectError):
        return f"The service could not be reached: {_host(error)}{error}."
    if isinstance(error, httpx.UnsupportedProtocol):
        return "The address must begin with https:// or http://."
    if isinstance(error, httpx.DecodingError):
        return "The compression of the response is broken."
    return f"The connection broke before the response was complete ({type(error).__name__})."


def _host(error: httpx.RequestError) -> str:
    try:
        return f"{error.request.url.host}: "
    except RuntimeError:  # raised outside of a request
        return ""
