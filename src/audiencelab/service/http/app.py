"""The service as an ASGI application: each request goes to `Service.handle` in a worker thread.

The application itself answers `/health` and `/openapi.json`, without a credential. All else,
errors included, is the service's. No CORS header is sent: browsers reach the service through
Jupyter or not at all.

Chunks of a body are made in worker threads, one at a time, and the next one is asked for when the
last one has gone: a slow reader slows the engine, and holds no thread meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from contextlib import suppress
from http import HTTPStatus
from typing import Protocol

import anyio
import msgspec
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from audiencelab._version import __version__
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import JSON, PROBLEM, Request, Response
from audiencelab.service.limits import Limits
from audiencelab.service.openapi import document
from audiencelab.service.requests import REQUEST_ID, request_id
from audiencelab.service.responses import (
    BrokenStreamError,
    ServiceError,
    SlowBodyError,
    TooLargeError,
    UnavailableError,
    problem_document,
    problem_response,
)

MAX_CONCURRENT = 64
"""Requests answered at the same time; one more gets 503 with `Retry-After`."""

_BODY_SECONDS = 30.0
"""Seconds without a byte after which the rest of a body is no longer waited for."""

_SEND_SECONDS = 120.0
"""Seconds in which a reader must make room for a chunk. One that does not loses its slot."""

_LINGER = 2.0
"""Seconds in which a caller that was refused may go on sending. Closed at once, the connection
would be reset, and the refusal lost with it."""

_GZIP_BYTES = 1024
_GZIP_LEVEL = 1
"""Rows of a table repeat themselves so much that higher levels cost time and save little."""

_log = logging.getLogger("audiencelab.service.http")


class Handler(Protocol):
    """What answers requests: a `Service`, or something in front of one."""

    @property
    def limits(self) -> Limits:
        """Limits of one request."""
        ...

    def admit(self, request: Request) -> None:
        """Raise the `ServiceError` of a request that is refused whatever its body holds."""
        ...

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        ...


def application(service: Handler, *, max_concurrent: int = MAX_CONCURRENT) -> Starlette:
    """The ASGI application over a service.

    max_concurrent: how many requests may be in progress; beyond, 503 with `Retry-After`.
    """
    gzip = Middleware(
        GZipMiddleware,
        minimum_size=_GZIP_BYTES,
        compresslevel=_GZIP_LEVEL,
        # Floats hardly shrink.
        exclude_content_types=(CELLS,),
    )
    return Starlette(
        routes=[
            # None of these is a function, so that each gets every method of its path.
            Route("/health", _Health),
            Route("/openapi.json", _interface(service.limits)),
            Route("/{path:path}", _Operations(service, max_concurrent)),
        ],
        middleware=[gzip],
        exception_handlers={HTTPException: _refused},
    )


class _Health(HTTPEndpoint):
    """That the service runs, and nothing of what it holds."""

    async def get(self, request: HttpRequest) -> HttpResponse:
        del request
        body = msgspec.json.encode({"status": "ok", "version": __version__})
        return HttpResponse(body, media_type=JSON, headers={"cache-control": "no-store"})


def _interface(limits: Limits) -> type[HTTPEndpoint]:
    """The OpenAPI document. It describes the service, not the survey, and so is for everybody."""
    body = msgspec.json.encode(document(limits))

    class Interface(HTTPEndpoint):
        async def get(self, request: HttpRequest) -> HttpResponse:
            del request
            return HttpResponse(body, media_type=JSON)

    return Interface


async def _refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """What Starlette itself refuses (a method of `/health`), in the service's own form."""
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    body = problem_document(error.status_code, title)
    return HttpResponse(body, error.status_code, error.headers, PROBLEM)


class _Operations:
    """ASGI to `Service.handle` and back."""

    def __init__(self, service: Handler, max_concurrent: int) -> None:
        self._service = service
        self._max_concurrent = max_concurrent
        self._in_progress = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = HttpRequest(scope, receive)
        # Cancelled when the server's grace is over: it drops the connection and logs that.
        with suppress(ClientDisconnect, asyncio.CancelledError):
            try:
                await self._answer(request, send)
            except ServiceError as error:
                await _refuse(request, error, send)

    async def _answer(self, request: HttpRequest, send: Send) -> None:
        if _has_body(request):
            # The body of a caller who is refused anyway costs neither a slot nor memory.
            self._service.admit(_as_request(request))
        if self._in_progress >= self._max_concurrent:
            raise UnavailableError("Try again in a moment.")
        self._in_progress += 1
        try:
            body = b""
            if _has_body(request):
                body = await read_body(request, self._service.limits.body)
            response = await run_sync(self._handle, request, body)
            await response(request.scope, request.receive, send)
        finally:
            self._in_progress -= 1

    def _handle(self, request: HttpRequest, body: bytes) -> HttpResponse:
        """In a worker thread: the response, up to its first chunk."""
        response = _with_methods(request.method, self._service.handle(_as_request(request, body)))
        if "content-length" in response.headers:
            return HttpResponse(response.read(), response.status, response.headers)
        return StreamedResponse(response)


class StreamedResponse(StreamingResponse):
    """Sends a response chunk by chunk, and closes it however the sending ends."""

    def __init__(self, response: Response) -> None:
        self._body = _LockedBody(response)
        super().__init__(self._body, response.status, response.headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Returning without the end of the body makes the server drop the connection, and that
        # is how the caller sees that the response is incomplete.
        try:
            with suppress(BrokenStreamError, ClientDisconnect):
                await super().__call__(scope, receive, _bounded(send))
        except Exception:
            _log.exception("An answer broke off")
        finally:
            with anyio.CancelScope(shield=True):
                await run_sync(self._body.close)


def _bounded(send: Send) -> Send:
    """A `send` that gives up on a reader who takes nothing."""

    async def bounded(message: Message) -> None:
        with anyio.move_on_after(_SEND_SECONDS) as scope:
            await send(message)
        if scope.cancelled_caught:
            raise ClientDisconnect

    return bounded


class _LockedBody(Iterator[bytes]):
    """A body that one thread at a time reads or closes: cancelling does not stop a thread."""

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

    Raises `TooLargeError` as soon as it is known to be longer, whatever the headers claim,
    `SlowBodyError` if it stops arriving, and `ClientDisconnect`.
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
            raise SlowBodyError(f"Nothing came for {_BODY_SECONDS:.0f} seconds.") from None
        if chunk is None:
            return bytes(body)
        body += chunk
        if len(body) > limit:
            raise too_large


def _has_body(request: HttpRequest) -> bool:
    """Whether a body follows that is read; that of HEAD and OPTIONS is not."""
    announced = request.headers.get("content-length", "0") != "0"
    chunked = "transfer-encoding" in request.headers
    return (announced or chunked) and request.method not in ("HEAD", "OPTIONS")


def _as_request(request: HttpRequest, body: bytes = b"") -> Request:
    """The request as the service takes it; a HEAD is a GET whose body is not sent."""
    return Request(
        method="GET" if request.method == "HEAD" else request.method,
        # As in the request line: decoded here, an encoded slash would be lost.
        path=request.scope["raw_path"].decode("ascii", "replace"),
        query=request.scope["query_string"].decode("ascii", "replace"),
        headers=request.headers,
        body=body,
    )


def _with_methods(method: str, response: Response) -> Response:
    """The response, with the methods that HTTP adds to those of a path.

    A refused method lists the allowed ones; that is the answer to OPTIONS.
    """
    if response.status != HTTPStatus.METHOD_NOT_ALLOWED:
        return response
    allowed = response.headers["allow"].split(", ")
    allow = ", ".join([*allowed, *(["HEAD"] if "GET" in allowed else []), "OPTIONS"])
    if method != "OPTIONS":
        return Response(response.status, response.headers | {"allow": allow}, response.body)
    headers = {"allow": allow, REQUEST_ID: response.headers[REQUEST_ID]}
    return Response(HTTPStatus.NO_CONTENT, headers, iter(()))


async def _refuse(request: HttpRequest, error: ServiceError, send: Send) -> None:
    """Send a refusal and close the connection: what else comes is not read as a request."""
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
