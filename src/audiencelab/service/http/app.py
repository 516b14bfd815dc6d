"""The service as an ASGI application: every request goes to `Service.handle`, in a worker thread.

Two paths are the application's own and need no credential: `/health` and `/openapi.json`. All
else, errors included, is the service's. No header here lets scripts of other sites in (CORS):
browsers reach the service through Jupyter or not at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Protocol

import msgspec
from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.endpoints import HTTPEndpoint
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import Response as HttpResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from audiencelab._version import __version__
from audiencelab.schema.http import JSON, PROBLEM, Request, Response
from audiencelab.service.http.bodies import StreamedAnswer, discard_rest, read_body
from audiencelab.service.http.compression import compressed
from audiencelab.service.limits import Limits
from audiencelab.service.openapi import document
from audiencelab.service.problems import ServiceError, problem_document, problem_response
from audiencelab.service.service import REQUEST_ID, request_id

__all__ = ["AT_ONCE", "Handler", "application"]

AT_ONCE = 64
"""Requests answered at the same time; one more is asked to come again."""

_COME_AGAIN = 1
"""Seconds after which a request that found the service full should be tried again."""


class Handler(Protocol):
    """What answers requests: a `Service`, or something that stands before one."""

    @property
    def limits(self) -> Limits:
        """What one request may ask for."""
        ...

    def admit(self, request: Request) -> None:
        """Raise the `ServiceError` of a request that is refused whatever its body says."""
        ...

    def handle(self, request: Request) -> Response:
        """Answer one request."""
        ...


class OverloadedError(ServiceError):
    """503: as many requests are under way as the service takes."""

    status = HTTPStatus.SERVICE_UNAVAILABLE
    title = "The service is busy"

    @property
    def headers(self) -> Mapping[str, str]:
        return {"Retry-After": str(_COME_AGAIN)}


def application(service: Handler, *, at_once: int = AT_ONCE) -> Starlette:
    """The ASGI application over a service.

    at_once: how many requests may be under way; beyond, 503 with `Retry-After`.
    """
    return Starlette(
        routes=[
            # None of these is a function, so that each is given every method of its path.
            Route("/health", _Health),
            Route("/openapi.json", _interface(service.limits)),
            Route("/{path:path}", _Door(service, at_once)),
        ],
        exception_handlers={HTTPException: _refused},
    )


class _Health(HTTPEndpoint):
    """That the service runs, and nothing of what it holds."""

    async def get(self, request: HttpRequest) -> HttpResponse:
        del request  # every caller is told the same
        body = msgspec.json.encode({"status": "ok", "version": __version__})
        return HttpResponse(body, media_type=JSON, headers={"Cache-Control": "no-store"})


def _interface(limits: Limits) -> type[HTTPEndpoint]:
    """The published interface; it tells of the service, not of the survey, and so to everyone."""
    body = msgspec.json.encode(document(limits))

    class Interface(HTTPEndpoint):
        async def get(self, request: HttpRequest) -> HttpResponse:
            sent = Response(200, {"content-type": JSON}, iter((body,)))
            packed = compressed(sent, request.headers.get("accept-encoding"))
            return HttpResponse(packed.read(), headers=packed.headers)

    return Interface


async def _refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """What Starlette itself refuses (a method of `/health`), told as the service tells it."""
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    body = problem_document(error.status_code, title)
    return HttpResponse(body, error.status_code, error.headers, PROBLEM)


class _Door:
    """Between ASGI and `Service.handle`."""

    def __init__(self, service: Handler, at_once: int) -> None:
        self._service = service
        self._at_once = at_once
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = HttpRequest(scope, receive)
        try:
            if await self._admitted(asked, send):
                await self._answer_in_turn(asked, send)
        except ClientDisconnect:
            return  # nobody is left to answer
        except asyncio.CancelledError:
            return  # the server's grace is over: it drops the connection, and says so in its log

    async def _admitted(self, asked: HttpRequest, send: Send) -> bool:
        """Whether a body is worth waiting for: a stranger's costs neither a turn nor memory."""
        if not _brings_body(asked):
            return True
        try:
            self._service.admit(_request(asked))
        except ServiceError as error:
            await _refuse(asked, error, send)
            return False
        return True

    async def _answer_in_turn(self, asked: HttpRequest, send: Send) -> None:
        self._under_way += 1
        try:
            await self._answer(asked, send)
        finally:
            self._under_way -= 1

    async def _answer(self, asked: HttpRequest, send: Send) -> None:
        try:
            if self._under_way > self._at_once:
                raise OverloadedError("Try again in a moment.")
            body = b""
            if _brings_body(asked):
                body = await read_body(asked, self._service.limits.body)
        except ServiceError as error:
            await _refuse(asked, error, send)
            return
        answer = await run_sync(self._handle, asked, body)
        await answer(asked.scope, asked.receive, send)

    def _handle(self, asked: HttpRequest, body: bytes) -> StreamedAnswer:
        """In a worker thread: the answer, up to its first chunk."""
        made = _with_methods(asked.method, self._service.handle(_request(asked, body)))
        if asked.method in ("HEAD", "OPTIONS"):
            return StreamedAnswer(made, Response(made.status, made.headers, iter(())))
        return StreamedAnswer(made, compressed(made, asked.headers.get("accept-encoding")))


def _brings_body(asked: HttpRequest) -> bool:
    """Whether a body follows that means something; with HEAD and OPTIONS none does."""
    announced = asked.headers.get("content-length", "0") != "0"
    chunked = "transfer-encoding" in asked.headers
    return (announced or chunked) and asked.method not in ("HEAD", "OPTIONS")


def _request(asked: HttpRequest, body: bytes = b"") -> Request:
    """The request as the service takes it; a HEAD is a GET whose body is not sent."""
    return Request(
        method="GET" if asked.method == "HEAD" else asked.method,
        # As in the request line: decoded once and for all, an encoded slash would be lost.
        path=asked.scope["raw_path"].decode("ascii", "replace"),
        query=asked.scope["query_string"].decode("ascii", "replace"),
        headers=asked.headers,
        body=body,
    )


def _with_methods(method: str, made: Response) -> Response:
    """The response, with the methods that HTTP adds to those of a path.

    A refused method says which there are; that is the answer to OPTIONS.
    """
    if made.status != HTTPStatus.METHOD_NOT_ALLOWED:
        return made
    headers = made.headers | {"allow": _allowed(made.headers["allow"])}
    if method != "OPTIONS":
        return Response(made.status, headers, made.body)
    kept = {name: headers[name] for name in ("allow", REQUEST_ID)}
    return Response(HTTPStatus.NO_CONTENT, kept, made.body)


def _allowed(methods: str) -> str:
    named = methods.split(", ")
    return ", ".join([*named, *(["HEAD"] if "GET" in named else []), "OPTIONS"])


async def _refuse(asked: HttpRequest, error: ServiceError, send: Send) -> None:
    """Tell a refusal, and close the connection: what else was sent is not read as a request."""
    refusal = problem_response(error)
    identified = {REQUEST_ID: request_id(_request(asked)), "connection": "close"}
    headers = refusal.headers | identified
    answer = HttpResponse(refusal.read(), refusal.status, headers)
    start = {"type": "http.response.start", "status": answer.status_code}
    await send({**start, "headers": answer.raw_headers})
    await send({"type": "http.response.body", "body": answer.body, "more_body": True})
    await discard_rest(asked.receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})
