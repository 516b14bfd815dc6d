"""The RPC channel: a second widget model beside a widget's state that only answers requests.

The page sends `{id, op, args, key?}` and gets exactly one `{id, ok, data}` or
`{id, ok: false, error}` back, with binary buffers; `{id, cancel: true}` cancels a request, and a
newer request with the same `key` cancels the older one. Each view uses keys and ids of its own, and
ids count up. It is a comm of its own because a comm that a running cell streams state over would
delay its own requests by seconds.

A request may arrive twice: the page sends it again when the first copy may wait in a thread of the
kernel that a running cell blocks. The copy that arrives first is answered, the other is ignored.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import msgspec

from audiencelab import background
from audiencelab.widgets._deps import ipywidgets
from audiencelab.widgets.rpc_types import (
    Buffer,
    Cancelled,
    EveryWidget,
    Handler,
    Operations,
    PageOperation,
    PageRequest,
    RawRequest,
    describe_error,
)

A = TypeVar("A")
R = TypeVar("R")

_REMEMBERED_IDS = 10_000
"""Recent request ids, kept to ignore the second copy of a request."""

# Shared by all channels: Jupyter keeps every widget, and pools of their own would add up. Threads
# are started when they are needed.
_workers = background.pool("audiencelab-rpc", 16)


class Channel(ipywidgets.Widget):
    """A model without a view that answers requests by calling registered handlers.

    Handlers run on worker threads, so that a slow one never blocks the comm; those registered with
    `inline=True` run at once on the comm's own thread and must return within a millisecond. An
    `AudienceError` is sent back with its message and pointers; any other exception with its type
    and message, and its traceback goes to the log `audiencelab.widgets`.

    is_outdated: called when a handler failed. True for a request about replaced data: the page has
        moved on, so its error is not sent.
    """

    def __init__(self) -> None:
        self.is_outdated: Callable[[RawRequest], bool] = lambda _: False
        self._operations = Operations()
        self._inline: set[str] = set()
        self._running: dict[int | str, RawRequest] = {}
        self._seen: dict[int | str, None] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.on(EveryWidget.ping, lambda _: None, inline=True)
        super().__init__()
        _forget_reply_route(self.comm)
        self.on_msg(self._on_message)

    def on(
        self, operation: PageOperation[A, R], handler: Handler[A, R], *, inline: bool = False
    ) -> None:
        """Answer requests of `operation` with `handler`."""
        self._operations.on(operation, handler)
        if inline:
            self._inline.add(operation.name)

    def close(self) -> None:
        """Cancel all requests and close the comm; harmless when repeated."""
        with self._lock:
            self._closed = True
            for request in self._running.values():
                request.cancel()
            self._running.clear()
        super().close()

    def _on_message(self, _: object, content: object, buffers: Sequence[Buffer]) -> None:
        message = cast("Mapping[str, Any]", content if isinstance(content, Mapping) else {})
        identifier = message.get("id")
        if not isinstance(identifier, int | str) or self._closed:
            return
        if message.get("cancel"):
            self._cancel(identifier)
            return
        op, args = str(message.get("op")), cast("Mapping[str, Any]", message.get("args") or {})
        request = PageRequest(identifier, op, args, tuple(buffers or ()), message.get("key"))
        if not self._admit(request):
            return
        if op in self._inline:
            self._answer(request)
        else:
            # In the context of the message, so that ipykernel sends the reply with it as parent.
            _workers.submit(contextvars.copy_context().run, self._answer, request)

    def _admit(self, request: RawRequest) -> bool:
        """Accept the request, and cancel older ones of its key; False for one to ignore."""
        with self._lock:
            if not self._remember(request.id):
                return False
            rivals = [r for r in self._running.values() if r.key and r.key == request.key]
            # The page sent this one before a rival that overtook it.
            if any(_is_older(request, rival) for rival in rivals):
                return False
            for rival in rivals:
                self._running.pop(rival.id).cancel()
            self._running[request.id] = request
            return True

    def _remember(self, identifier: int | str) -> bool:
        """Whether the id is new; call with the lock held."""
        if identifier in self._seen:
            return False
        self._seen[identifier] = None
        if len(self._seen) > _REMEMBERED_IDS:
            del self._seen[next(iter(self._seen))]
        return True

    def _cancel(self, identifier: int | str) -> None:
        with self._lock:
            # The request itself may arrive later, from a thread that is busy.
            self._remember(identifier)
            request = self._running.pop(identifier, None)
        if request is not None:
            request.cancel()

    def _answer(self, request: RawRequest) -> None:
        if request.cancelled:
            return
        try:
            answer = self._operations.answer(request)
            content, buffers = {"ok": True, "data": answer.data}, list(answer.buffers)
        except Exception as error:
            if isinstance(error, Cancelled) or self.is_outdated(request):
                content, buffers = None, []
            else:
                failure = msgspec.to_builtins(describe_error(error))
                content, buffers = {"ok": False, "error": failure}, []
        with self._lock:
            # A request that was cancelled meanwhile is not listed and gets no answer.
            if self._running.pop(request.id, None) is None or self._closed or content is None:
                return
            self.send({"id": request.id, **content}, buffers)
            _forget_reply_route(self.comm)


def _is_older(request: RawRequest, other: RawRequest) -> bool:
    return isinstance(request.id, int) and isinstance(other.id, int) and request.id < other.id


def _forget_reply_route(comm: object) -> None:
    """Let each message of the page go to the kernel thread that the message itself names.

    ipykernel 7.4 keeps the thread ("subshell") that last published on a comm, and routes later
    messages there. For a comm that a cell opened this is the main thread, so that requests would
    wait for all queued cells; after a reload the thread may be gone. ipykernel has no public way
    to reset it; kernels without this attribute are left as they are.
    """
    getattr(comm, "__dict__", {}).pop("_reply_subshell_id", None)
