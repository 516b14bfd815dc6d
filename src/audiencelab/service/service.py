"""The embedded service: one synchronous function from a request to a response.

`handle` is re-entrant and safe to call from many threads: it reads the panel, which never
changes, and shares nothing else but caches. Whatever carries requests (an in-process transport,
an HTTP server) stands outside and hands them in.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from uuid import uuid4

from audiencelab.engine import Engine
from audiencelab.panel import Panel
from audiencelab.service.auth import Credentials, new_token
from audiencelab.service.limits import Limits
from audiencelab.service.messages import Request, Response
from audiencelab.service.operations import OPERATIONS, Call, Rooms
from audiencelab.service.problems import ServiceError, problem_response
from audiencelab.service.reading import read_body, read_include
from audiencelab.service.routing import Router

__all__ = ["REQUEST_ID", "Service", "request_id"]

REQUEST_ID = "X-Request-Id"

_TELLABLE_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")

_log = logging.getLogger("audiencelab.service")


class Service:
    """The audience research service over one panel.

    tokens: the credentials it accepts; None makes one, which `token` returns.
    limits: what one request may ask for.
    engine: a ready engine over the panel; by default the service makes its own.
    """

    def __init__(
        self,
        panel: Panel,
        tokens: Iterable[str] | None = None,
        limits: Limits | None = None,
        *,
        engine: Engine | None = None,
    ) -> None:
        self._own_token = new_token() if tokens is None else None
        self._credentials = Credentials([self._own_token] if self._own_token else tokens or ())
        self._rooms = Rooms(panel, engine or Engine(panel), limits or Limits())
        self._router = Router(OPERATIONS)

    @property
    def panel(self) -> Panel:
        """The panel that the service answers from."""
        return self._rooms.panel

    @property
    def limits(self) -> Limits:
        """What one request may ask for."""
        return self._rooms.limits

    @property
    def token(self) -> str:
        """The token that the service made; `LookupError` if it was given its own."""
        if self._own_token is None:
            raise LookupError("This service was given its tokens; it does not keep them.")
        return self._own_token

    def handle(self, request: Request) -> Response:
        """Answer one request; never raises for what a request contains.

        A body that fails while it is read raises `BrokenStreamError` from its iterator, except for
        the crosstab's, which ends with a problem document as its last line.
        """
        name = request_id(request)
        try:
            response = self._answer(request)
        except ServiceError as error:
            response = problem_response(error)
        except Exception:
            _log.exception("Request %s failed", name)
            response = problem_response(
                ServiceError("The request may be right; the service's log tells what happened.")
            )
        response.headers.append((REQUEST_ID, name))
        return response

    def _answer(self, request: Request) -> Response:
        operation, path = self._router.find(request.method, request.path)
        self._credentials.check(request)
        include = read_include(operation, request)
        body = read_body(operation, request, self._rooms)
        return operation.answer(Call(self._rooms, path, include, body))

    def __repr__(self) -> str:
        return f"<Service over {self.panel!r}>"


def request_id(request: Request) -> str:
    """The caller's own id if it is a plain one, else a new one."""
    given = request.header(REQUEST_ID) or ""
    return given if _TELLABLE_ID.fullmatch(given) else uuid4().hex
