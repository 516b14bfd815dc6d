"""The operations of a connection for a page: those of the picker, saved audiences, snippets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast, get_args

from audiencelab.errors import AudienceError
from audiencelab.jupyter.server.snippets import embedded_service, saved_audience, snippet
from audiencelab.widgets.audience_size import SizeCounter
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.selection import (
    AnswerNames,
    Mode,
    cell_code,
    count_selection,
    requested_selection,
    value_of,
)
from audiencelab.widgets.rpc_types import Answer, Handler, Request, packed

if TYPE_CHECKING:
    from audiencelab.client import Client


class UnknownOperation(AudienceError, LookupError):
    """The page requests something that this version does not offer."""


class PageOperations:
    """Responses for one client, from any thread; the handlers are those of a widget in a kernel.

    By name: `catalogue`, `question`, `figures`, `coverage` (see `serve_catalogue`), `size` and
    `code` of a `selection` (with a `mode`), `saved_audiences`, `saved_size` (by `id`), `snippet`.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self._counter = SizeCounter(client)
        self._handlers: dict[str, Handler] = {
            "size": lambda request: count_selection(self._counter, request),
            "code": self._code,
            "saved_audiences": lambda _: saved_audiences(client),
            "saved_size": self._saved_size,
            "snippet": lambda request: {"code": snippet(client, request.args)},
        }
        serve_catalogue(self, client)

    def on(self, op: str, handler: Handler, *, inline: bool = False) -> None:
        """Answer requests named `op` with `handler`; here every handler runs on a worker."""
        del inline
        self._handlers[op] = handler

    def answer(self, request: Request) -> Answer:
        """The answer to one request, as plain data and buffers; raises what the handler raises."""
        handler = self._handlers.get(request.op)
        if handler is None:
            raise UnknownOperation(
                f"There is no operation {request.op!r}: the page and the installed audiencelab "
                "differ in version; reload the page."
            )
        try:
            return packed(request, handler(request))
        except KeyError as error:
            raise AudienceError(
                f"{request.op!r} was asked without {error}, or with one that is not there."
            ) from error

    def _saved_size(self, request: Request) -> dict[str, Any]:
        audience = saved_audience(self.client, request.args.get("id"))
        return asdict(self._counter.count([audience.expression])[0])

    def _code(self, request: Request) -> str:
        mode = request.args.get("mode", "datapoints")
        if mode not in get_args(Mode):
            raise AudienceError(f"mode is one of {', '.join(get_args(Mode))}.")
        value = value_of(requested_selection(request), cast("Mode", mode), self.client)
        return cell_code(value, AnswerNames(self.client))


def saved_audiences(client: Client) -> list[dict[str, Any]]:
    """Every readable saved audience: `id`, `name`, `sentence`, `code`, `updated` (ISO 8601).

    Raises `NotListed` for a remote service, which has no operation that lists them.
    """
    found: list[dict[str, Any]] = []
    for saved in embedded_service(client).saved_audiences():
        try:
            audience = saved.to_audience()
            sentence = audience.describe(client.catalogue)
        except AudienceError:
            continue  # a damaged one cannot be used; the service reports it elsewhere
        found.append(
            {
                "id": saved.id,
                "name": saved.name,
                "sentence": sentence,
                "code": audience.to_code(),
                "updated": saved.updated_at,
            }
        )
    return found


def parse_request(body: Mapping[str, Any]) -> Request:
    """The request in the body of a message; raises `AudienceError` if it is not valid."""
    op, args = body.get("op"), cast("object", body.get("args") or {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        raise AudienceError('Ask with {"op": "catalogue", "args": {…}}.')
    return Request(0, op, cast("Mapping[str, Any]", args))
