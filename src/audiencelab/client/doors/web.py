"""The doors over HTTP, blocking and asynchronous.

Exceptions of the HTTP library end here; callers are told in words, so that no request (and no
header of it) can hang on an error that a notebook shows or pickles.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from urllib.parse import urlencode

from audiencelab.client.credentials import Secret, TokenAuth
from audiencelab.client.http import (
    URL,
    AsyncHttpClient,
    HttpClient,
    HttpFailure,
    HttpRequest,
    HttpResponse,
    Timeout,
    no_answer,
)
from audiencelab.client.messages import Head, Patience, Request

__all__ = ["AsyncWebDoor", "WebDoor"]


class WebDoor:
    """Sends requests over one HTTP client, which knows the address and adds the credential."""

    def __init__(self, http: HttpClient) -> None:
        self._http = http

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return _secrets(self._http)

    def send(self, request: Request, patience: Patience) -> WebAnswer:
        try:
            response = self._http.send(_prepared(self._http, request, patience), stream=True)
        except HttpFailure as error:
            failure = no_answer(error)
        else:
            return WebAnswer(response)
        raise failure

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
        raise failure

    def close(self) -> None:
        self._response.close()


class AsyncWebDoor:
    """The same over an asynchronous HTTP client."""

    def __init__(self, http: AsyncHttpClient) -> None:
        self._http = http

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return _secrets(self._http)

    async def send(self, request: Request, patience: Patience) -> AsyncWebAnswer:
        try:
            response = await self._http.send(_prepared(self._http, request, patience), stream=True)
        except HttpFailure as error:
            failure = no_answer(error)
        else:
            return AsyncWebAnswer(response)
        raise failure

    async def close(self) -> None:
        await self._http.aclose()


class AsyncWebAnswer:
    """An answer on its way over a connection, for `await`."""

    def __init__(self, response: HttpResponse) -> None:
        self.head = _head(response)
        self._response = response
        self._chunks: AsyncIterator[bytes] = response.aiter_bytes()

    async def read(self) -> bytes:
        try:
            async for chunk in self._chunks:
                # An empty chunk would read as the end.
                if chunk:
                    return chunk
        except HttpFailure as error:
            failure = no_answer(error)
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
    headers = dict(request.headers)
    if request.body is not None:
        headers["content-type"] = "application/json"
    url = _absolute(str(http.base_url), request.path, tuple(request.query.items()))
    connecting = None if patience.timeout is None else min(patience.timeout, 10.0)
    return http.build_request(
        request.method,
        url,
        content=request.body,
        headers=headers,
        timeout=Timeout(patience.timeout, connect=connecting),
    )


def _head(response: HttpResponse) -> Head:
    return Head(response.status_code, dict(response.headers))


@lru_cache(maxsize=256)
def _absolute(base: str, path: str, query: tuple[tuple[str, str], ...]) -> URL:
    """The whole address; kept, since taking addresses apart is most of a small call's cost."""
    return URL(f"{base.rstrip('/')}{path}{f'?{urlencode(query)}' if query else ''}")
