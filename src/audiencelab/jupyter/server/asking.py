"""What a page may ask of a connection: the picker's own operations, and what is saved there.

The handlers are those that a widget's channel calls in a kernel. Nothing here knows of HTTP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast, get_args

from audiencelab.errors import AudienceError
from audiencelab.jupyter.server.saved import Shelf
from audiencelab.jupyter.server.snippets import snippet
from audiencelab.widgets.audience_size import SizeCounter
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.selection import (
    Mode,
    code_of,
    count_selection,
    requested_selection,
    value_of,
)
from audiencelab.widgets.rpc_types import Answer, Handler, Request, packed

if TYPE_CHECKING:
    from audiencelab.client import Client
    from audiencelab.expressions import Audience

__all__ = ["Desk", "UnknownOperation", "request_in"]


class UnknownOperation(AudienceError, LookupError):
    """The page asks for something that this version does not answer."""


class Desk:
    """Answers for one client, from any thread; `client` is whose.

    `operations`, by name: `catalogue`, `question`, `figures`, `coverage` (as `serve_catalogue`
    says), `size` and `code` of a `selection` (with a `mode`), `saved_audiences`,
    `saved_size` (of a saved audience by its `id`), `snippet` (the code of a cell).
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._handlers: dict[str, Handler] = {}
        self._counter = SizeCounter(client)
        shelf = Shelf(client)
        serve_catalogue(self, client)
        self.on("size", lambda request: count_selection(self._counter, request))
        self.on("code", self._code)
        self.on("saved_audiences", lambda _: shelf.audiences())
        self.on("saved_size", lambda request: self._sized(shelf.audience(request)))
        self.on("snippet", lambda request: {"code": snippet(client, request.args)})

    def on(self, op: str, handler: Handler, *, inline: bool = False) -> None:
        """Answer requests named `op` with `handler`."""
        del inline  # there is no event loop here that a quick one could be answered on
        self._handlers[op] = handler

    @property
    def operations(self) -> tuple[str, ...]:
        """The names of what can be asked."""
        return tuple(self._handlers)

    def answer(self, request: Request) -> Answer:
        """The answer to one request, as plain data and buffers; raises what the handler raises."""
        handler = self._handlers.get(request.op)
        if handler is None:
            raise UnknownOperation(
                f"There is no operation {request.op!r}: the page and the installed audiencelab "
                "differ in version; reload the page."
            )
        try:
            answer = packed(request, handler(request))
        except KeyError as error:
            raise AudienceError(
                f"{request.op!r} was asked without {error}, or with one that is not there."
            ) from error
        return answer

    def _sized(self, audience: Audience) -> dict[str, Any]:
        return asdict(self._counter.count([audience.expression])[0])

    def _code(self, request: Request) -> str:
        mode = request.args.get("mode", "datapoints")
        if mode not in get_args(Mode):
            raise AudienceError(f"mode is one of {', '.join(get_args(Mode))}.")
        return code_of(value_of(requested_selection(request), cast("Mode", mode), self.client))


def request_in(body: Mapping[str, Any]) -> Request:
    """The request in the body of a message; raises `AudienceError` for what is none."""
    op, args = body.get("op"), cast("object", body.get("args") or {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        raise AudienceError('Ask with {"op": "catalogue", "args": {…}}.')
    return Request(0, op, cast("Mapping[str, Any]", args))
