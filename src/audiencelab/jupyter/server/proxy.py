"""The service of a connection, for programs in the page: its operations and nothing else.

    ANY connections/{name}/service/{path}

The connection alone decides where a request goes; the operation, its ids, its body and few headers
are passed on. The response is JSON or is refused: no redirect is followed, no cookie set, no page
shown. The client's transport adds the credential, which the browser does not receive.
"""

from __future__ import annotations

import re
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from typing import Any, cast
from urllib.parse import quote, unquote

from jupyter_server.auth.decorator import authorized
from tornado import web
from tornado.iostream import StreamClosedError

from audiencelab.client.transports.base import Timeout
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import Connection
from audiencelab.jupyter.server.context import WORKERS, ServerContext
from audiencelab.jupyter.server.handlers import ExtensionHandler
from audiencelab.schema.endpoints import ENDPOINTS, endpoint_of
from audiencelab.schema.http import (
    BASE_OF,
    IF_SURVEY_VERSION,
    JSON,
    NDJSON,
    PROBLEM,
    SURVEY_SCOPE,
    SURVEY_VERSION,
    Request,
    Response,
    TransportError,
)
from audiencelab.widgets.rpc_types import Failure, describe_error

_ADDRESS = re.compile(r"/audiencelab/connections/[^/]+/service(/.*)")
_MAX_BODY = 8 * 1024 * 1024
"""Bytes of a request: as many as a service accepts."""

_INCLUDE = re.compile(r"[a-z_]+(,[a-z_]+)*")
_PLAIN = re.compile(r"[A-Za-z0-9._:;,=/+ -]{1,200}")
"""Values of headers that are passed on; none of them can end a line."""

_ENCODED = re.compile(r"[A-Za-z0-9._~%-]{1,8000}")
"""The same for the header that is percent-encoded."""

_REQUEST_HEADERS = ("idempotency-key", "x-request-id", IF_SURVEY_VERSION)
_RESPONSE_HEADERS = re.compile(
    rf"retry-after|x-request-id|x-ratelimit-.*|{SURVEY_VERSION}|{SURVEY_SCOPE}|{BASE_OF}"
)


class ResponseRefused(AudienceError):
    """A response is not passed on; the message says why."""


@web.stream_request_body
class ServiceHandler(ExtensionHandler):
    """One request passed on, its response streamed as fast as the page reads it."""

    _body = b""
    _is_closed = False

    async def prepare(self) -> None:
        """Limit the body before it is read."""
        await super().prepare()
        declared = self.request.headers.get("Content-Length", "")
        # Python does not convert numbers of thousands of digits.
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > _MAX_BODY):
            raise web.HTTPError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body may have {_MAX_BODY:,} bytes."
            )
        # A chunked body declares no length, and Jupyter's own limit is for notebooks.
        cast("Any", self.request.connection).set_max_body_size(_MAX_BODY)

    def data_received(self, chunk: bytes) -> None:
        self._body += chunk

    def refuse(self, status: int, error: Failure) -> None:
        """Close the connection as well: the body may not have been read."""
        self.set_header("Connection", "close")
        super().refuse(status, error)

    def on_connection_close(self) -> None:
        """Stop reading the response, which stops the work of the service."""
        self._is_closed = True

    @web.authenticated
    @authorized
    async def pass_on(self, name: str, path: str) -> None:
        """Send the request to the service of the connection."""
        if not self.context.proxies:
            raise web.HTTPError(
                HTTPStatus.FORBIDDEN, "This server passes nothing on (c.AudienceLab.proxy)."
            )
        request = service_request(
            self.request.method or "",
            path_within(self.request.uri or ""),
            self.get_query_argument("include", ""),
            self.request.headers,
            self._body,
        )
        if request is None:
            raise web.HTTPError(HTTPStatus.NOT_FOUND, "The service has no such operation.")
        connection = await self.connection(name)
        if self.context.streams >= WORKERS:
            self.set_header("Retry-After", "1")
            busy = "Too much is being passed on at once: try again in a moment."
            self._fail(HTTPStatus.SERVICE_UNAVAILABLE, "Busy", busy)
            return
        self.context.streams += 1
        stack = ExitStack()
        try:
            await self._exchange(stack, connection, request)
        finally:
            self.context.streams -= 1
            await self.context.run_proxy(stack.close)

    get = post = put = patch = pass_on

    async def _exchange(self, stack: ExitStack, connection: Connection, request: Request) -> None:
        run = self.context.run_proxy
        try:
            sent = exchange(self.context, connection, request)
            response = await run(lambda: stack.enter_context(sent))
            piece = await run(lambda: next(response.body, b""))
        except TransportError as error:
            late = HTTPStatus.GATEWAY_TIMEOUT if error.timeout else HTTPStatus.BAD_GATEWAY
            self._fail(late, "NoAnswer", error.message)
            return
        except AudienceError as error:
            self.refuse(HTTPStatus.BAD_GATEWAY, describe_error(error))
            return
        self.set_status(response.status)
        for header, value in response.headers.items():
            self.set_header(header, value)
        try:
            while piece and not self._is_closed:
                self.write(piece)
                # Wait until the page has read it: a slow reader slows the service.
                await self.flush()
                piece = await run(lambda: next(response.body, b""))
            await self.finish(set_content_type=response.headers["content-type"])
        except StreamClosedError:
            return
        except (TransportError, AudienceError) as error:
            self.log.warning("audiencelab: a response passed on was cut off: %s", error)
            # With a proper end, the page would take the part for the complete response.
            cast("Any", self.request.connection).close()

    def _fail(self, status: int, kind: str, message: str) -> None:
        self.refuse(status, Failure(kind, message, []))


ROUTES: tuple[tuple[str, type[ExtensionHandler]], ...] = (
    ("connections/([^/]+)/service(/.*)", ServiceHandler),
)


def path_within(uri: str) -> str:
    """What follows `/service` as it was sent: decoded, a slash in an id would be lost.

    A connection or a part of Jupyter's base URL that is named "service" does not match.
    """
    found = _ADDRESS.search(uri.partition("?")[0])
    return found[1] if found else "/"


def service_request(
    method: str, path: str, include: str, headers: Mapping[str, str], body: bytes
) -> Request | None:
    """The request to the service; None if it is not one of the service's operations.

    path: as it was sent, percent-encoded. Each segment is decoded once, checked and encoded again,
        so that the service reads the ids that were checked.
    include: the only parameter of a query that is passed on.
    """
    ids = [unquote(segment) for segment in path.split("/")[1:]]
    if not all(map(_is_plain, ids)):
        return None
    encoded = "".join(f"/{quote(each, safe='')}" for each in ids)
    if endpoint_of(method, encoded) not in ENDPOINTS:
        return None
    kept = {name: headers.get(name, "") for name in _REQUEST_HEADERS}
    return Request(
        method,
        encoded,
        f"include={quote(include, safe='')}" if _INCLUDE.fullmatch(include) else "",
        {name: value for name, value in kept.items() if _PLAIN.fullmatch(value)},
        body,
    )


def _is_plain(segment: str) -> bool:
    """Whether a decoded segment is one id: not a path, and the same if it is decoded again."""
    if segment in ("", ".", "..") or not segment.isprintable():
        return False
    # Columns of survey files may have @ and #, which are sent encoded.
    return not set(segment) & set("/\\%?")


@contextmanager
def exchange(
    context: ServerContext, connection: Connection, request: Request
) -> Generator[Response]:
    """The service's response as it may be passed on; blocks, so it belongs on a worker thread.

    Raises `TransportError`, `ResponseRefused`, and what opening the connection raises; so does
    reading the body, the last excepted.
    """
    with context.clients.use(connection) as operations:
        timeout = Timeout(context.timeout, time.monotonic() + 10 * context.timeout)
        response = operations.client.transport.send(request, timeout)
        try:
            headers = response_headers(response.status, response.headers)
            body = _limited(response.body, context.largest_response)
            yield Response(response.status, headers, body)
        finally:
            response.close()


def response_headers(status: int, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that may be passed on; raises `ResponseRefused` if the response may not."""
    if not 200 <= status < 600 or 300 <= status < 400:
        raise ResponseRefused(
            f"The service answered {status}, which leads elsewhere or means nothing here; "
            "redirects are not followed. Give the connection the address that it leads to."
        )
    content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type not in (JSON, NDJSON, PROBLEM):
        shown = content_type if _PLAIN.fullmatch(content_type) else "no valid content type"
        raise ResponseRefused(
            f"The service answered {status} with {shown} where JSON is due: see that the address "
            "of the connection is the service's."
        )
    kept = {
        name: value
        for name, value in headers.items()
        if _RESPONSE_HEADERS.fullmatch(name)
        and (_ENCODED if name == SURVEY_SCOPE else _PLAIN).fullmatch(value)
    }
    return {**kept, "content-type": content_type}


def _limited(body: Iterator[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in body:
        size += len(piece)
        if size > limit:
            raise ResponseRefused(f"The response has more than {limit:,} bytes.")
        yield piece
