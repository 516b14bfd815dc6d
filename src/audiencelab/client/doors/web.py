"""The doors over HTTP, blocking and asynchronous.

Exceptions of the HTTP library end here; callers are told in words, so that no request (and no
header of it) can hang on an error that a notebook shows or pickles. A call's deadline holds for
connecting, for the head and for every byte of the body.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from functools import lru_cache
from urllib.parse import urlencode

from audiencelab.client.credentials import Secret
from audiencelab.client.messages import Head, NoAnswer, Patience, Request
from audiencelab.client.web.auth import TokenAuth
from audiencelab.client.web.http import (
    URL,
    AsyncHttpClient,
    HttpClient,
    HttpFailure,
    HttpRequest,
    HttpResponse,
    connect_through,
    no_answer,
    watch_connection,
)
from audiencelab.client.web.leash import LATE, Leash
from audiencelab.client.web.network import PatientBackend, WatchedBackend

__all__ = ["AsyncWebDoor", "WebDoor"]


_CONNECTING = 10.0
"""Seconds at most to open a connection; a service that is there answers sooner."""

_COMPRESSIONS = ("", "identity", "gzip", "deflate")
"""What is undone, and once: other ways, or several, make gigabytes of a few bytes."""

_UNREADABLE = "The answer is compressed in a way that was not asked for."


class WebDoor:
    """Sends requests over one HTTP client, which knows the address and adds the credential."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http
        connect_through(http, lambda _: PatientBackend())

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return _secrets(self._http)

    def send(self, request: Request, patience: Patience) -> WebAnswer:
        response: HttpResponse | None = None
        failure: NoAnswer | None = None
        try:
            response = self._http.send(_prepared(self._http, request, patience), stream=True)
        except HttpFailure as error:
            failure = no_answer(error)
        except NoAnswer as error:
            failure = error.with_traceback(None)
        except BaseException as error:
            error.__traceback__ = None  # the library's frames hold the header
            raise
        if response is None:
            raise _known(failure)
        if not _is_readable(response):
            response.close()
            raise NoAnswer(_UNREADABLE)
        watch_connection(response)
        return WebAnswer(response)

    def close(self) -> None:
        self._http.close()


class WebAnswer:
    """An answer on its way over a connection."""

    def __init__(self, response: HttpResponse) -> None:
        self.head = _head(response)
        self._response = response
        # An empty chunk would read as the end.
        self._chunks: Iterator[bytes] = filter(None, response.iter_bytes())

    def read(self) -> bytes:
        try:
            return next(self._chunks, b"")
        except HttpFailure as error:
            failure = no_answer(error)
        except NoAnswer as error:
            failure = error.with_traceback(None)
        raise failure

    def close(self) -> None:
        self._response.close()


class AsyncWebDoor:
    """The same over an asynchronous HTTP client."""

    def __init__(self, http: AsyncHttpClient) -> None:
        self._http = http
        connect_through(http, WatchedBackend)

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return _secrets(self._http)

    async def send(self, request: Request, patience: Patience) -> AsyncWebAnswer:
        response: HttpResponse | None = None
        failure: NoAnswer | None = None
        try:
            async with asyncio.timeout_at(_on_the_loop(patience.until)):
                response = await self._http.send(
                    _prepared(self._http, request, patience), stream=True
                )
        except HttpFailure as error:
            failure = no_answer(error)
        except TimeoutError:
            failure = NoAnswer(LATE, timeout=True)
        except BaseException as error:
            error.__traceback__ = None  # the library's frames hold the header
            raise
        if response is None:
            raise _known(failure)
        if not _is_readable(response):
            await response.aclose()
            raise NoAnswer(_UNREADABLE)
        watch_connection(response)
        return AsyncWebAnswer(response, patience.until)

    async def close(self) -> None:
        await self._http.aclose()


class AsyncWebAnswer:
    """An answer on its way over a connection, for `await`."""

    def __init__(self, response: HttpResponse, until: float | None) -> None:
        self.head = _head(response)
        self._response = response
        self._until = until
        self._chunks: AsyncIterator[bytes] = response.aiter_bytes()

    async def read(self) -> bytes:
        try:
            async with asyncio.timeout_at(_on_the_loop(self._until)):
                async for chunk in self._chunks:
                    # An empty chunk would read as the end.
                    if chunk:
                        return chunk
        except HttpFailure as error:
            failure = no_answer(error)
        except TimeoutError:
            failure = NoAnswer(LATE, timeout=True)
        else:
            return b""
        raise failure

    async def close(self) -> None:
        await self._response.aclose()


def _secrets(http: HttpClient | AsyncHttpClient) -> tuple[Secret, ...]:
    return http.auth.secrets if isinstance(http.auth, TokenAuth) else ()


def _prepared(
    http: HttpClient | AsyncHttpClient, request: Request, patience: Patience
) -> HttpRequest:
    headers = {"accept-encoding": "gzip, deflate", **request.headers}
    if request.body is not None:
        headers["content-type"] = "application/json"
    url = _absolute(str(http.base_url), request.path, tuple(request.query.items()))
    return http.build_request(
        request.method,
        url,
        content=request.body,
        headers=headers,
        extensions={"timeout": _timeouts(patience)},
    )


def _timeouts(patience: Patience) -> dict[str, float]:
    """The library's time-outs, as leashes: wherever it waits, the call's end is in sight."""
    leash = Leash(patience)
    connecting = Leash(replace(patience, timeout=min(leash, _CONNECTING)))
    pool = leash if patience.until is None else max(0.0, patience.until - time.monotonic())
    return {"connect": connecting, "read": leash, "write": leash, "pool": min(leash, pool)}


def _on_the_loop(until: float | None) -> float | None:
    """A moment by `time.monotonic` by the clock of the running loop."""
    if until is None:
        return None
    return asyncio.get_running_loop().time() + until - time.monotonic()


def _known(failure: NoAnswer | None) -> NoAnswer:
    assert failure is not None, "the library answers or fails"
    return failure


def _is_readable(response: HttpResponse) -> bool:
    return response.headers.get("content-encoding", "").strip().lower() in _COMPRESSIONS


def _head(response: HttpResponse) -> Head:
    return Head(response.status_code, dict(response.headers))


@lru_cache(maxsize=256)
def _absolute(base: str, path: str, query: tuple[tuple[str, str], ...]) -> URL:
    """The whole address; kept, since taking addresses apart is most of a small call's cost."""
    return URL(f"{base.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}")
