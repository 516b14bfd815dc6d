"""Requests of the page to answers as JSON: read, handed to worker threads, written.

All of them need a login, and a sign that a page of this server asks: its token, or the cookie
against cross-site requests, reading included. Nothing that is answered may run in a page, be
framed, or be kept by a cache.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import asdict
from http import HTTPStatus
from typing import Any, cast

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler
from tornado import web

from audiencelab.errors import AudienceError
from audiencelab.jupyter import templates
from audiencelab.jupyter.connections.places import Connection, credential_of
from audiencelab.jupyter.server import notebooks
from audiencelab.jupyter.server import surveys as surveys
from audiencelab.jupyter.server.asking import request_in
from audiencelab.jupyter.server.clients import Stopped
from audiencelab.jupyter.server.office import Office, UnknownConnection
from audiencelab.widgets.rpc_types import Answer, Cancelled, Request, describe_error

__all__ = ["ROUTES", "Handler"]

_BODY = 1_000_000
"""Bytes of a request: what is asked is small."""

_STATUS: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (UnknownConnection, HTTPStatus.NOT_FOUND),
    (templates.UnknownTemplate, HTTPStatus.NOT_FOUND),
    (Stopped, HTTPStatus.SERVICE_UNAVAILABLE),
)


class Handler(APIHandler):
    """What all of them share."""

    auth_resource = "audiencelab"
    office: Office

    def initialize(self, office: Office) -> None:
        self.office = office

    async def prepare(self) -> None:
        """Let in who is logged in and asks from a page of this server, with a body of a size."""
        await super().prepare()
        # Jupyter looks for the cookie when something changes; what is read here is as private.
        if self.request.method in ("GET", "HEAD"):
            self.check_xsrf_cookie()

    @property
    def content_security_policy(self) -> str:
        """Whatever is answered, a page that opens it runs nothing, and frames nothing."""
        return "default-src 'none'; frame-ancestors 'none'; sandbox"

    def set_default_headers(self) -> None:
        super().set_default_headers()
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Cross-Origin-Resource-Policy", "same-origin")

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Errors in the form of all answers; what went wrong within is for the log alone."""
        error = (kwargs.get("exc_info") or (None, None, None))[1]
        words = error.log_message if isinstance(error, web.HTTPError) else None
        message = words or HTTPStatus(status_code).phrase
        self._tell(status_code, "HTTPError", message)

    async def finish_with(self, answer: object) -> None:
        """Write an answer as JSON."""
        await self.finish(json.dumps(answer))

    def refuse(self, error: Exception, status: int | None = None) -> None:
        """Tell an error of ours, or of what is asked, with a status that fits."""
        fitting = next(
            (code for kind, code in _STATUS if isinstance(error, kind)), HTTPStatus.BAD_REQUEST
        )
        self.set_status(status or fitting)
        self.finish(json.dumps({"error": describe_error(error)}))

    def _tell(self, status: int, kind: str, message: str) -> None:
        self.set_status(status)
        self.finish(json.dumps({"error": {"type": kind, "message": message, "faults": []}}))

    def body(self) -> Mapping[str, Any]:
        """The JSON object that was sent, `{}` for nothing; raises `HTTPError`."""
        if len(self.request.body) > _BODY:
            raise web.HTTPError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too large.")
        try:
            found: object = json.loads(self.request.body or b"{}")
        except (ValueError, RecursionError):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "The body is no JSON.") from None
        if not isinstance(found, Mapping):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "The body is no JSON object.")
        return cast("Mapping[str, Any]", found)


class ConnectionsHandler(Handler):
    """`GET connections`: all that are named, and which is the one to begin with."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        def listed() -> object:
            listing = self.office.listing()
            return {
                "connections": [described(each) for each in listing.connections],
                "default": listing.default,
                "problems": list(listing.problems),
            }

        await self.finish_with(await self.office.work(listed))


class CheckHandler(Handler):
    """`POST connections/{name}/check`: whether its service answers."""

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        try:
            connection = await self.office.work(self.office.connection, name)
        except AudienceError as error:
            self.refuse(error)
            return
        found = await self.office.work_for(connection, self.office.clients.check, connection)
        await self.finish_with(asdict(found))


class AskHandler(Handler):
    """`POST connections/{name}/ask`: one of the operations that a widget's channel answers."""

    _request: Request | None = None

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        try:
            # Before anything is waited for, so that a page that goes away meanwhile calls it off.
            self._request = request = request_in(self.body())
            connection = await self.office.work(self.office.connection, name)
        except AudienceError as error:
            self.refuse(error)
            return
        try:
            answer = await self.office.work_for(connection, self._answered, connection, request)
        except Cancelled:
            return  # nobody waits for it any more
        except Exception as error:
            # A refused question is an answer: 401 and 403 are Jupyter's own.
            await self.finish_with({"ok": False, "error": describe_error(error)})
            return
        buffers = [b64encode(each).decode() for each in answer.buffers]
        await self.finish_with({"ok": True, "data": answer.data, "buffers": buffers})

    def on_connection_close(self) -> None:
        """Nobody waits any more: let long work end at its next step."""
        if self._request is not None:
            self._request.cancel()

    def _answered(self, connection: Connection, request: Request) -> Answer:
        request.check()
        with self.office.clients.at(connection) as desk:
            request.check()
            return desk.answer(request)


class SurveysHandler(Handler):
    """`GET surveys`: those below the server's folder."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        root = self.office.root
        found = [] if root is None else await self.office.work(surveys.found, root)
        await self.finish_with({"surveys": [asdict(each) for each in found]})


class OpenSurveyHandler(Handler):
    """`POST surveys/open`: the connection to one of them."""

    @web.authenticated
    @authorized
    async def post(self) -> None:
        path = self.body().get("path")
        if not isinstance(path, str):
            raise web.HTTPError(HTTPStatus.BAD_REQUEST, "path says which folder.")
        try:
            made = await self.office.work(self.office.open_survey, path)
            await self.finish_with(await self.office.work(described, made))
        except AudienceError as error:
            self.refuse(error)


class TemplatesHandler(Handler):
    """`GET templates`: the notebooks to begin with."""

    @web.authenticated
    @authorized
    async def get(self) -> None:
        listed = [asdict(each) for each in await self.office.work(templates.listed)]
        await self.finish_with({"templates": listed})


class CreateHandler(Handler):
    """`POST templates/{name}/create`: a new notebook, connected as it should be."""

    @web.authenticated
    @authorized
    async def post(self, name: str) -> None:
        body = self.body()
        try:
            wanted = body.get("connection")
            if wanted is None:
                wanted = (await self.office.work(self.office.listing)).default
            connection = await self.office.work(self.office.connection, str(wanted))
            template = await self.office.work(templates.read, name)
            folder = str(body.get("folder") or "")
            async with self.office.writing:
                path = await notebooks.create(
                    self.contents_manager, template, folder, connection, self.office.root
                )
        except AudienceError as error:
            self.refuse(error)
        else:
            self.set_status(HTTPStatus.CREATED)
            await self.finish_with({"path": path})


def described(connection: Connection) -> dict[str, Any]:
    """A connection as the page knows it; of its credential only whether and where it is."""
    credential = credential_of(connection)
    return {
        "name": connection.name,
        "kind": connection.kind,
        "title": connection.title,
        "place": connection.place,
        "code": connection.code,
        "credential": {
            "needed": credential.needed,
            "found": credential.found,
            "place": credential.place,
            "advice": credential.advice,
        },
        "source": connection.source,
    }


ROUTES: tuple[tuple[str, type[Handler]], ...] = (
    ("connections", ConnectionsHandler),
    ("connections/([^/]+)/check", CheckHandler),
    ("connections/([^/]+)/ask", AskHandler),
    ("surveys", SurveysHandler),
    ("surveys/open", OpenSurveyHandler),
    ("templates", TemplatesHandler),
    ("templates/([^/]+)/create", CreateHandler),
)
