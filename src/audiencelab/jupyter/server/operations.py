"""The operations of a connection for a page: those of the picker, saved audiences, snippets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from audiencelab.errors import AudienceError
from audiencelab.jupyter.server.protocol import SavedId, Sidebar
from audiencelab.jupyter.server.snippets import (
    by_short_codes,
    embedded_service,
    saved_audience,
    snippet,
)
from audiencelab.widgets.audience_size import NodeSize, SizeCounter
from audiencelab.widgets.picker.catalogue import serve_catalogue
from audiencelab.widgets.picker.protocol import SelectionArgs
from audiencelab.widgets.picker.selection import (
    AnswerNames,
    cell_code,
    count_selection,
    leaves_of,
)
from audiencelab.widgets.rpc_types import Code, NoArgs, Operations, PageRequest, RawRequest
from audiencelab.widgets.saved_audiences import SavedAudiences, SavedList

if TYPE_CHECKING:
    from audiencelab.client import Client


class PageOperations(Operations):
    """Responses for one client, from any thread; the handlers are those of a widget in a kernel."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.client = client
        self._counter = SizeCounter(client)
        serve_catalogue(self, client)
        self.on(Sidebar.size, lambda request: count_selection(self._counter, request))
        self.on(Sidebar.code, self._code)
        self.on(Sidebar.saved_audiences, self._saved_audiences)
        self.on(Sidebar.saved_size, self._saved_size)
        self.on(Sidebar.snippet, lambda request: Code(snippet(client, request.args)))

    def _saved_audiences(self, _: PageRequest[NoArgs]) -> SavedList:
        """Raises `NotListed` for a remote service, which has no operation that lists them."""
        embedded_service(self.client)
        return SavedAudiences(self.client).listed()

    def _code(self, request: PageRequest[SelectionArgs]) -> Code:
        names = AnswerNames(self.client)
        return Code(cell_code(leaves_of(by_short_codes(request.args.selection, names)), names))

    def _saved_size(self, request: PageRequest[SavedId]) -> NodeSize:
        audience = saved_audience(self.client, request.args.id)
        return self._counter.count([audience.expression])[0]


def parse_request(body: Mapping[str, Any]) -> RawRequest:
    """The request in the body of a message; raises `AudienceError` if it is not valid."""
    op, args = body.get("op"), cast("object", body.get("args") or {})
    if not isinstance(op, str) or not isinstance(args, Mapping):
        raise AudienceError('Ask with {"op": "catalogue", "args": {…}}.')
    return PageRequest(0, op, cast("Mapping[str, Any]", args))
