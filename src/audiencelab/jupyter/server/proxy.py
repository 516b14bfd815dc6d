"""The service of a connection, for programs in the page: its ten operations and nothing else.

    ANY connections/{name}/service/{path}

Where a request goes is said by the connection alone; of the request itself only the operation, its
ids, its body and few headers are passed on. What comes back is JSON or is refused, so that nothing
from elsewhere can act in the name of this Jupyter: no redirect is followed, no cookie set, no page
shown. The credential is added behind the browser's back, by the client's own transport.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from jupyter_server.auth.decorator import authorized
from tornado import web
from tornado.iostream import StreamClosedError

from audiencelab.client.transports.base import TransportError
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.places import Connection
from audiencelab.jupyter.server.handlers import Handler
from audiencelab.jupyter.server.office import AT_ONCE
from audiencelab.jupyter.server.passing import Asked, Passage, Unfit, asked_of

__all__ = ["ROUTES", "ServiceHandler", "path_within"]

_ADDRESS = re.compile(r"/audiencelab/connections/[^/]+/service(/.*)")
_BODY = 8 * 1024 * 1024
"""Bytes of a request: as many as a service takes."""


@web.stream_request_body
class ServiceHandler(Handler):
    """One request passed on, its answer streamed as fast as the page takes it."""

    _passage: Passage | None = None
    _body = b""

    async def prepare(self) -> None:
        """Before the body is read: a stranger's costs no memory, and nobody's more than allowed."""
        await super().prepare()
        declared = self.request.headers.get("Content-Length", "")
        # Python reads no number of thousands of digits.
        if declared.isdecimal() and (len(declared) > 18 or int(declared) > _BODY):
            raise web.HTTPError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"A body may have {_BODY:,} bytes."
            )
        # Chunks declare nothing; Jupyter's own limit is for notebooks.
        cast("Any", self.request.connection).set_max_body_size(_BODY)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Told before the body was read, a refusal ends the connection, and says so."""
        self.set_header("Connection", "close")
        super().write_error(status_code, **kwargs)

    def data_received(self, chunk: bytes) -> None:
        self._body += chunk

    @web.authenticated
    @authorized
    async def get(self, name: str, path: str) -> None:
        await self._pass_on(name)

    @web.authenticated
    @authorized
    async def post(self, name: str, path: str) -> None:
        await self._pass_on(name)

    @web.authenticated
    @authorized
    async def put(self, name: str, path: str) -> None:
        await self._pass_on(name)

    @web.authenticated
    @authorized
    async def patch(self, name: str, path: str) -> None:
        await self._pass_on(name)

    def on_connection_close(self) -> None:
        """Nobody reads any more: the service is told so, which stops its work."""
        if self._passage is not None:
            self._passage.call_off()

    async def _pass_on(self, name: str) -> None:
        if not self.office.passes_on:
            raise web.HTTPError(
                HTTPStatus.FORBIDDEN, "This server passes nothing on (c.AudienceLab.proxy)."
            )
        asked = asked_of(
            self._method(), path_within(self.request.uri or ""), self._query(), self.request.headers
        )
        if asked is None:
            raise web.HTTPError(HTTPStatus.NOT_FOUND, "The service has no such operation.")
        try:
            connection = await self.office.work(self.office.connection, name)
        except AudienceError as error:
            self.refuse(error)
            return
        if self.office.streams >= AT_ONCE:
            self.set_header("Retry-After", "1")
            busy = "Too much is being passed on at once: try again in a moment."
            self._tell(HTTPStatus.SERVICE_UNAVAILABLE, "Busy", busy)
            return
        self.office.streams += 1
        try:
            await self._through(connection, asked)
        finally:
            self.office.streams -= 1

    async def _through(self, connection: Connection, asked: Asked) -> None:
        self._passage = passage = Passage(self.office.clients, connection, self.office.terms)
        try:
            first = await self._refusing(passage.begin, asked, self._body or None)
            if first is not None:
                await self._send(passage, first)
        finally:
            await self.office.pass_on(passage.end)

    async def _refusing(self, begin: Callable[..., bytes], *args: object) -> bytes | None:
        """The beginning of the answer; None once it is told why there is none."""
        try:
            return await self.office.pass_on(begin, *args)
        except TransportError as error:
            late = HTTPStatus.GATEWAY_TIMEOUT if error.timeout else HTTPStatus.BAD_GATEWAY
            self._tell(late, "NoAnswer", error.message)
        except (AudienceError, Unfit) as error:
            self.refuse(error, HTTPStatus.BAD_GATEWAY)
        return None

    async def _send(self, passage: Passage, first: bytes) -> None:
        self.set_status(passage.status)
        for header, value in passage.headers.items():
            self.set_header(header, value)
        try:
            piece = first
            while piece:
                self.write(piece)
                # Not before the page has taken it: a slow reader slows the service.
                await self.flush()
                piece = await self.office.pass_on(passage.read)
            await self.flush()
        except StreamClosedError:
            return
        except (TransportError, AudienceError, Unfit) as error:
            self.log.warning("audiencelab: an answer passed on broke off: %s", error)
            # Ended properly, what came would be taken for the whole.
            cast("Any", self.request.connection).close()
            return
        await self.finish(set_content_type=passage.headers["Content-Type"])

    def _method(self) -> str:
        return self.request.method or ""

    def _query(self) -> dict[str, str]:
        """The parameters of the query that were given once."""
        given = self.request.query_arguments
        return {name: values[0].decode("utf-8", "replace") for name, values in given.items()}


def path_within(uri: str) -> str:
    """What follows `/service` as it was sent: decoded, a slash in an id would be lost.

    Neither a connection called "service" nor a folder of Jupyter's own address is taken for it.
    """
    found = _ADDRESS.search(uri.partition("?")[0])
    return found[1] if found else "/"


ROUTES: tuple[tuple[str, type[Handler]], ...] = (
    ("connections/([^/]+)/service(/.*)", ServiceHandler),
)
