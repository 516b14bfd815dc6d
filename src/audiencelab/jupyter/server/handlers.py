"""Requests of the page, answered as JSON by worker threads.

Every one needs a login and an XSRF token, reading included. No response may run in a page, be
framed, or be cached.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

import msgspec
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web

from audiencelab.errors import AudienceError
from audiencelab.jupyter import templates
from audiencelab.jupyter.connections.connection import Connection, credential_status
from audiencelab.jupyter.server import folder_surveys, notebooks
from audiencelab.jupyter.server.client_pool import PoolClosedError
from audiencelab.jupyter.server.context import ServerContext, UnknownConnection
from audiencelab.jupyter.server.operations import parse_request
from audiencelab.jupyter.server.protocol import (
    ConnectionRecord,
    Connections,
    Created,
    Refused,
    SidebarAnswer,
    Surveys,
    Templates,
)
from audiencelab.widgets.rpc_types import (
    AnswerWithBuffers,
    Cancelled,
    Failure,
    RawRequest,
    describe_error,
)

_MAX_BODY = 1_000_000

_STATUS: dict[type[Exception], HTTPStatus] = {
    UnknownConnection: HTTPStatus.NOT_FOUND,
    templates.UnknownTemplate: HTTPStatus.NOT_FOUND,
    PoolClosedError: HTTPStatus.SERVICE_UNAVAILABLE,
}


class ExtensionHandler(APIHandler):
    """What all handlers share."""

    auth_resource = "audiencelab"
    context: ServerContext

    def initialize(self, context: ServerContext) -> None:
        self.context = context

    async def prepare(self) -> None:
        """Check the XSRF token for GET requests too: their responses are private."""
        await super().prepare()
        if self.request.method in ("GET", "HEAD"):
            self.check_xsrf_cookie()

    @property
    def content_security_policy(self) -> str:
        """A response that is opened as a page runs no scripts and contains no frames."""
        return "default-src 'none'; frame-ancestors 'none'; sandbox"

    def set_default_headers(self) -> None:
        super().set_default_headers()
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")

    def log_exception(self, typ: Any, value: BaseException | None, tb: Any) -> None:
        """Log defects only: errors of ours are responses."""
        if not isinstance(value, AudienceError):
            super().log_exception(typ, value, tb)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Describe errors of ours in the response; other errors only in the log."""
        error = (kwargs.get("exc_info") or (None, None, None))[1]
        if isinstance(error, AudienceError):
            self.refuse(_STATUS.get(type(error), HTTPStatus.BAD_REQUEST), describe_error(error))
            return
        message = error.log_message if isinstance(error, web.HTTPError) else None
        message = message or HTTPStatus(status_code).phrase
        self.refuse(status_code, Failure("HTTPError", message, []))

    def refuse(self, status: int, error: Failure) -> None:
        """Respond with an error."""
        self.set_status(status)
        self.reply(Refused(error))

    def reply(self, answer: object) -> None:
        """Respond with JSON."""
        self.finish(json.dumps(msgspec.to_builtins(answer)))

    async def connection(self, name: str) -> Connection:
        """The connection of a name; raises `UnknownConnection`."""
        return await self.context.run(self.context.connection, name)

    def body(self) -> Mapping[str, Any]:
        """The JSON object in the body, `{}` for an empty one; raises `HTTPError`."""
        if len(self.request.body) > _MAX_BODY:
            raise web.HTTPError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
        try:
            found: object = json.loads(self.request.body or b"{}")
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, Mapping):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "The body must be a JSON object.")
        return cast("Mapping[str, Any]", found)


class ConnectionsHandler(ExtensionHandler):
    """`GET connections`: all named connections, and the default one."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        def listed() -> Connections:
            found = self.context.connections()
            described = [describe(each) for each in found.connections]
            return Connections(described, found.default, found.problems)

        self.reply(await self.context.run(listed))


class CheckHandler(ExtensionHandler):
    """`POST connections/{name}/check`: whether its service responds."""

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        connection = await self.connection(name)
        found = await self.context.run_for(connection, self.context.clients.check, connection)
        self.reply(found)


class AskHandler(ExtensionHandler):
    """`POST connections/{name}/ask`: one of the operations that a widget calls in a kernel."""

    _request: RawRequest | None = None

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        # Parsed before anything is awaited, so that a closed page cancels it at any time.
        self._request = request = parse_request(self.body())
        connection = await self.connection(name)
        try:
            answer = await self.context.run_for(connection, self._answer, connection, request)
        except Cancelled:
            return
        except Exception as error:
            # With status 200: 401 and 403 mean a missing login to JupyterLab.
            self.reply(SidebarAnswer(False, error=describe_error(error)))
            return
        buffers = [b64encode(each).decode() for each in answer.buffers]
        self.reply(SidebarAnswer(True, answer.data, buffers))

    def on_connection_close(self) -> None:
        """Cancel the request at its next step."""
        if self._request is not None:
            self._request.cancel()

    def _answer(self, connection: Connection, request: RawRequest) -> AnswerWithBuffers[Any]:
        request.check()
        with self.context.clients.use(connection) as operations:
            request.check()
            return operations.answer(request)


class SurveysHandler(ExtensionHandler):
    """`GET surveys`: surveys and data files below the server's folder."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        root = self.context.root
        found = [] if root is None else await self.context.run(folder_surveys.list_surveys, root)
        self.reply(Surveys(found))


class OpenSurveyHandler(ExtensionHandler):
    """`POST surveys/open`: the connection to one of them."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        path = self.body().get("path")
        if not isinstance(path, str):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "path says which folder.")
        connection = await self.context.run(self.context.open_survey, path)
        self.reply(await self.context.run(describe, connection))


class TemplatesHandler(ExtensionHandler):
    """`GET templates`: the notebooks to begin with."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        found = await self.context.run(templates.list_templates)
        self.reply(Templates(found))


class CreateHandler(ExtensionHandler):
    """`POST templates/{name}/create`: a new notebook that uses a connection."""

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        body = self.body()
        wanted = body.get("connection")
        if wanted is None:
            wanted = (await self.context.run(self.context.connections)).default
        connection = await self.connection(str(wanted))
        folder = str(body.get("folder") or "")
        async with self.context.writing:
            path = await notebooks.create(
                self.contents_manager, name, folder, connection, self.context.root
            )
        self.set_status(HTTPStatus.CREATED)
        self.reply(Created(path))


def describe(connection: Connection) -> ConnectionRecord:
    """A connection for the page."""
    return ConnectionRecord(
        connection.name,
        connection.kind,
        connection.title,
        connection.location,
        connection.code,
        credential_status(connection),
        connection.source,
    )


ROUTES: tuple[tuple[str, type[ExtensionHandler]], ...] = (
    ("connections", ConnectionsHandler),
    ("connections/([^/]+)/check", CheckHandler),
    ("connections/([^/]+)/ask", AskHandler),
    ("surveys", SurveysHandler),
    ("surveys/open", OpenSurveyHandler),
    ("templates", TemplatesHandler),
    ("templates/([^/]+)/create", CreateHandler),
)
