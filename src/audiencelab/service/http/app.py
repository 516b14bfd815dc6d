"""The service as an ASGI application: each request goes to `Service.handle` in a worker thread.

The application itself answers `/health`, `/ready`, `/metrics` and `/openapi.json`, without a
credential. Everything else, errors included, is the service's. No CORS header is sent: browsers
reach the service through Jupyter only.

Chunks of a body are made in worker threads, one at a time, and the next one is requested when the
last one has been sent: a slow reader slows the engine, and occupies no thread meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from functools import partial
from http import HTTPStatus
from time import perf_counter
from typing import Any
from urllib.parse import quote

import anyio
import msgspec
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.endpoints import HTTPEndpoint
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import Message, Receive, Scope, Send

from audiencelab._version import __version__
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import JSON, PROBLEM, Request, Response
from audiencelab.service.context import Handler
from audiencelab.service.http.observing import Observed, ServiceMetrics, log_request, name_span
from audiencelab.service.limits import Turns
from audiencelab.service.openapi import document
from audiencelab.service.requests import REQUEST_ID, request_id
from audiencelab.service.responses import (
    BrokenStreamError,
    ServiceError,
    SlowBodyError,
    TooLargeError,
    TooManyRequestsError,
    UnavailableError,
    problem_document,
    problem_response,
)

MAX_CONCURRENT = 64
"""Requests answered at the same time; one more gets 503 with `Retry-After`."""

_BODY_SECONDS = 30.0
"""Seconds without a byte after which the service stops waiting for a body."""

_SEND_SECONDS = 120.0
"""Seconds in which a reader must accept a chunk; then the connection is dropped."""

_LINGER = 2.0
"""Seconds in which a refused caller may continue to send. Closed at once, the connection would be
reset, and the caller would not receive the refusal."""

_GZIP_BYTES = 1024
_GZIP_LEVEL = 1
"""Tables are so repetitive that higher levels cost time and save little."""

TEXT = "text/plain; version=0.0.4; charset=utf-8"
"""The media type of Prometheus' text format."""

_log = logging.getLogger("audiencelab.service.http")


def application(
    service: Handler,
    *,
    max_concurrent: int = MAX_CONCURRENT,
    turns: Turns | None = None,
    metrics: ServiceMetrics | None = None,
    root_path: str = "",
    is_full: Callable[[], bool] = lambda: False,
) -> Starlette:
    """The ASGI application over a service.

    max_concurrent: how many requests may be in progress; beyond, 503 with `Retry-After`.
    turns: how many of them one caller may have; by default all.
    metrics: what `/metrics` answers; by default there is no such path.
    root_path: what the paths of all requests begin with, such as `/surveys/2026`, behind a proxy
        that does not take it off; without it they are answered as well.
    is_full: whether the server has too many connections; operations then get 503.
    """
    gzip = Middleware(
        GZipMiddleware,
        minimum_size=_GZIP_BYTES,
        compresslevel=_GZIP_LEVEL,
        # Floats hardly shrink.
        exclude_content_types=(CELLS,),
    )
    operations = _Operations(service, max_concurrent, turns, metrics, is_full)
    health = msgspec.json.encode({"status": "ok", "version": __version__})
    interface = document(service.limits, minimum_base=service.minimum_base) | {
        "servers": [{"url": root_path or "/"}]
    }
    not_cached = {"cache-control": "no-store"}
    routes: list[BaseRoute] = [
        # Classes, not functions: each route gets every method of its path.
        Route("/health", _computed(lambda: HttpResponse(health, 200, not_cached, JSON))),
        Route("/ready", _computed(operations.readiness)),
        Route("/openapi.json", _computed(partial(_json, msgspec.json.encode(interface)))),
    ]
    if metrics is not None:
        answer = _computed(lambda: HttpResponse(metrics.text(), 200, not_cached, TEXT))
        routes.append(Route("/metrics", answer))
    routes.append(Route("/{path:path}", operations))
    return Starlette(
        routes=[Mount(root_path, routes=routes), *routes] if root_path else routes,
        middleware=[gzip],
        exception_handlers={HTTPException: _refused},
    )


def _json(body: bytes) -> HttpResponse:
    return HttpResponse(body, media_type=JSON)


def _computed(answer: Callable[[], HttpResponse]) -> type[HTTPEndpoint]:
    """An endpoint that every caller may ask; a worker thread computes the answer."""

    class Computed(HTTPEndpoint):
        async def get(self, request: HttpRequest) -> HttpResponse:
            del request
            return await run_sync(answer)

    return Computed


async def _refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """What Starlette itself refuses (a method of `/health`, a line break in a path)."""
    assert isinstance(error, HTTPException)
    body = problem_document(error.status_code, HTTPStatus(error.status_code).phrase)
    headers = {**(error.headers or {}), REQUEST_ID: request_id(_as_request(request))}
    return HttpResponse(body, error.status_code, headers, PROBLEM)


class _Operations:
    """ASGI to `Service.handle` and back.

    in_progress: requests that this process is answering.
    """

    def __init__(
        self,
        service: Handler,
        max_concurrent: int,
        turns: Turns | None,
        metrics: ServiceMetrics | None,
        is_full: Callable[[], bool],
    ) -> None:
        self._service = service
        self._max_concurrent = max_concurrent
        self._turns = turns
        self._metrics = metrics
        self._is_full = is_full
        self.in_progress = 0

    def readiness(self) -> HttpResponse:
        """200 if a request would be answered now, else 503 with the reasons."""
        reasons = self._service.unready_reasons()
        if self.in_progress >= self._max_concurrent:
            reasons["requests"] = f"{self._max_concurrent} requests are in progress, the limit."
        if self._is_full():
            reasons["connections"] = "Too many connections have a request."
        ready: dict[str, Any] = {"status": "ready", "in_progress": self.in_progress}
        found = {"status": "not ready", "reasons": reasons} if reasons else ready
        headers = {"cache-control": "no-store"}
        return HttpResponse(msgspec.json.encode(found), 503 if reasons else 200, headers, JSON)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = HttpRequest(scope, receive)
        began, sending = perf_counter(), _Sending(send)
        details: dict[str, Any] = {}
        # Cancelled after the server's grace period: it drops the connection and logs that.
        with suppress(ClientDisconnect, asyncio.CancelledError):
            try:
                await self._answer(request, sending, details)
            except ServiceError as error:
                await _refuse(request, error, sending)
        observed = Observed(
            client=request.client.host if request.client else "",
            method=request.method,
            path=request.url.path,
            status=sending.status,
            request_id=sending.request_id,
            details=details,
            seconds=perf_counter() - began,
            sent=sending.sent,
        )
        log_request(observed)
        if self._metrics is not None:
            self._metrics.count(observed)

    async def _answer(self, request: HttpRequest, send: Send, details: dict[str, Any]) -> None:
        if self._is_full():
            raise UnavailableError("Try again in a moment.")
        caller = await run_sync(self._admit, request)
        try:
            if self.in_progress >= self._max_concurrent:
                raise UnavailableError("Try again in a moment.")
            self.in_progress += 1
            try:
                with self._metrics.in_progress() if self._metrics else nullcontext():
                    await self._respond(request, send, details)
            finally:
                self.in_progress -= 1
        finally:
            if self._turns is not None:
                # Shielded: a request that is cancelled here would keep its turn. In a thread, since
                # several processes count turns in a file.
                with anyio.CancelScope(shield=True):
                    await run_sync(self._turns.give_back, caller)

    def _admit(self, request: HttpRequest) -> bytes:
        """In a thread: the key of the caller, one of whose turns the request has taken."""
        key = b""
        try:
            if caller := self._service.admit(_as_request(request)):
                key = caller.key
        except ServiceError:
            # A caller who is refused anyway uses no memory for the body.
            if _has_body(request):
                raise
        if self._turns is not None and not self._turns.take(key):
            raise TooManyRequestsError(1, f"{self._turns.most} of your requests are in progress.")
        return key

    async def _respond(self, request: HttpRequest, send: Send, details: dict[str, Any]) -> None:
        body = b""
        if _has_body(request):
            body = await read_body(request, self._service.limits.body)
        response = await run_sync(self._handle, request, body, details)
        name_span(details)  # Before the response, with whose end the span ends.
        await response(request.scope, request.receive, send)

    def _handle(self, request: HttpRequest, body: bytes, details: dict[str, Any]) -> HttpResponse:
        """In a worker thread: the response, up to its first chunk."""
        response = _with_methods(request.method, self._service.handle(_as_request(request, body)))
        details.update(response.details)
        if "content-length" in response.headers:
            return HttpResponse(response.read(), response.status, response.headers)
        return StreamedResponse(response)


class _Sending:
    """A `send` that notes what it sent. status: 0 while nothing has been."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.status = 0
        self.request_id = ""
        self.sent = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.request_id = Headers(raw=message["headers"]).get(REQUEST_ID, "")
        else:
            self.sent += len(message.get("body", b""))
        await self._send(message)


class StreamedResponse(StreamingResponse):
    """Sends a response chunk by chunk, and closes it in any case."""

    def __init__(self, response: Response) -> None:
        self._body = _LockedBody(response)
        super().__init__(self._body, response.status, response.headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Returning without the end of the body makes the server drop the connection, so that
        # the caller sees that the response is incomplete.
        try:
            with suppress(BrokenStreamError, ClientDisconnect):
                await super().__call__(scope, receive, _bounded(send))
        except Exception:
            _log.exception("Sending a response failed")
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(self._body.close)


def _bounded(send: Send) -> Send:
    """A `send` that gives up on a reader who accepts nothing."""

    async def bounded(message: Message) -> None:
        with anyio.move_on_after(_SEND_SECONDS) as scope:
            await send(message)
        if scope.cancelled_caught:
            raise ClientDisconnect

    return bounded


class _LockedBody(Iterator[bytes]):
    """A body that one thread at a time reads or closes: a cancelled thread continues."""

    def __init__(self, response: Response) -> None:
        self._response = response
        self._body = response.body
        self._lock = threading.Lock()

    def __next__(self) -> bytes:
        with self._lock:
            return next(self._body)

    def close(self) -> None:
        with self._lock:
            self._body = iter(())
            self._response.close()


async def read_body(request: HttpRequest, limit: int) -> bytes:
    """The body of a request, of at most `limit` bytes.

    Raises `TooLargeError` as soon as it is known to be longer, `SlowBodyError` if it stops
    arriving, and `ClientDisconnect`.
    """
    too_large = TooLargeError(f"The body is longer than {limit:,} bytes, the limit.")
    declared = request.headers.get("content-length", "")
    # int() refuses thousands of digits.
    if declared.isdecimal() and (len(declared) > 18 or int(declared) > limit):
        raise too_large
    body = bytearray()
    chunks = aiter(request.stream())
    while True:
        try:
            with anyio.fail_after(_BODY_SECONDS):
                chunk = await anext(chunks, None)
        except TimeoutError:
            raise SlowBodyError(f"Nothing arrived for {_BODY_SECONDS:.0f} seconds.") from None
        if chunk is None:
            return bytes(body)
        body += chunk
        if len(body) > limit:
            raise too_large


def _has_body(request: HttpRequest) -> bool:
    """Whether a body follows that is read; that of HEAD and OPTIONS is not."""
    is_chunked = "transfer-encoding" in request.headers
    has_length = request.headers.get("content-length", "0") != "0"
    return (is_chunked or has_length) and request.method not in ("HEAD", "OPTIONS")


def _as_request(request: HttpRequest, body: bytes = b"") -> Request:
    """The request as the service takes it; a HEAD is a GET whose body is not sent."""
    root = quote(request.scope.get("root_path", ""))
    return Request(
        method="GET" if request.method == "HEAD" else request.method,
        # As in the request line: decoding it would lose an encoded slash.
        path=request.scope["raw_path"].decode("ascii", "replace").removeprefix(root),
        query=request.scope["query_string"].decode("ascii", "replace"),
        headers=dict(request.headers.items()),
        body=body,
    )


def _with_methods(method: str, response: Response) -> Response:
    """The response; a refused method lists HEAD and OPTIONS too, and OPTIONS has that list."""
    if response.status != HTTPStatus.METHOD_NOT_ALLOWED:
        return response
    allowed = response.headers["allow"].split(", ")
    allow = ", ".join([*allowed, *(["HEAD"] if "GET" in allowed else []), "OPTIONS"])
    if method != "OPTIONS":
        return Response(response.status, response.headers | {"allow": allow}, response.body)
    headers = {"allow": allow, REQUEST_ID: response.headers[REQUEST_ID]}
    return Response(HTTPStatus.NO_CONTENT, headers, iter(()))


async def _refuse(request: HttpRequest, error: ServiceError, send: Send) -> None:
    """Send a refusal and close the connection: more data is not read as a request."""
    refusal = problem_response(error)
    identified = {REQUEST_ID: request_id(_as_request(request)), "connection": "close"}
    response = HttpResponse(refusal.read(), refusal.status, refusal.headers | identified)
    start = {"type": "http.response.start", "status": response.status_code}
    await send({**start, "headers": response.raw_headers})
    await send({"type": "http.response.body", "body": response.body, "more_body": True})
    with anyio.move_on_after(_LINGER):
        while (message := await request.receive())["type"] == "http.request":
            if not message.get("more_body", False):
                break
    await send({"type": "http.response.body", "body": b"", "more_body": False})
