"""The channel: a second widget model beside a widget's state that only answers requests.

The front end sends `{id, op, args, key?}` and gets exactly one `{id, ok, data}` or
`{id, ok: false, error}` back, with binary buffers beside it; `{id, cancel: true}` calls a request
off, and a newer request with the same `key` calls the older one off by itself; each view of the
widget has keys of its own, and ids that count up. A comm that a running cell streams state over
would delay its own requests by seconds: hence a comm of its own.

A request may come twice, the second time with `again: true`: the first may have been sent to a
thread of the kernel that a cell keeps busy, and then arrives when that cell ends. Whichever comes
first is answered; nothing is done twice.

Not here: what the operations do. A widget registers them by name.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, cast

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.widgets.libraries import ipywidgets
from audiencelab.widgets.requests import (
    MESSAGE_LIMIT,
    Answer,
    Buffer,
    Cancelled,
    Handler,
    Request,
    describe_error,
    packed,
)

__all__ = [
    "MESSAGE_LIMIT",
    "Answer",
    "Cancelled",
    "Channel",
    "Handler",
    "Request",
    "describe_error",
]

_WORKERS = 2
"""Threads for each channel: one may finish a cancelled request while the next begins."""

_REMEMBERED = 512
"""Answered requests that a second telling may still be on its way of."""


class Channel(ipywidgets.Widget):
    """A model without a view that answers requests by calling registered handlers.

    Handlers run on worker threads, so that a slow one never holds up the comm; those registered
    with `inline=True` run at once on the comm's own thread and must return in a millisecond.
    An `AudienceError` travels back with its message and pointers; any other exception with its
    type and message, and its traceback goes to the log `audiencelab.widgets`.

    is_outdated: asked when a handler failed. True for a request about what is not there any more:
        its failure says nothing to a page that has gone on, and is not told.
    """

    def __init__(self) -> None:
        self.is_outdated: Callable[[Request], bool] = lambda _: False
        self._handlers: dict[str, Handler] = {"ping": _nothing}
        self._inline = frozenset({"ping"})
        self._running: dict[int | str, Request] = {}
        # A dictionary for its order: a deque takes a kilobyte however little is in it.
        self._ended: dict[int | str, None] = {}
        self._overtaken: set[int | str] = set()
        self._lock = threading.Lock()
        self._pool: Executor | None = None
        self._closed = False
        super().__init__()
        _forget_reply_route(self.comm)
        self.on_msg(self._on_message)

    def on(self, op: str, handler: Handler, *, inline: bool = False) -> None:
        """Answer requests named `op` with `handler`."""
        self._handlers[op] = handler
        if inline:
            self._inline |= {op}

    def close(self) -> None:
        """Call everything off and close the comm; harmless when repeated."""
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
            for request in self._running.values():
                request.cancel()
            self._running.clear()
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
        super().close()

    # -- receiving ---------------------------------------------------------------------------

    def _on_message(self, _: object, content: object, buffers: Sequence[Buffer]) -> None:
        if not isinstance(content, Mapping):
            return
        message = cast("Mapping[str, Any]", content)
        identifier = message.get("id")
        if not isinstance(identifier, int | str):
            return
        if message.get("cancel"):
            self._cancel(identifier)
            return
        request = Request(
            identifier,
            str(message.get("op")),
            message.get("args") or {},
            tuple(buffers or ()),
            message.get("key"),
        )
        if not self._admit(request, again=bool(message.get("again"))):
            return
        handler = self._handlers.get(request.op, _unknown_operation)
        if request.op in self._inline or handler is _unknown_operation:
            self._answer(request, handler)
        else:
            self._submit(request, handler)

    def _admit(self, request: Request, *, again: bool) -> bool:
        """Take the request in; False for one that was told before."""
        with self._lock:
            known = request.id in self._overtaken or request.id in self._running
            if again:
                known = known or request.id in self._ended
                # For good, since its first telling may be hours late; few are told again.
                self._overtaken.add(request.id)
            if known:
                return False
            rivals = [r for r in self._running.values() if r.key and r.key == request.key]
            if any(_asked_before(request, other) for other in rivals):
                self._remember(request.id)
                return False
            for older in rivals:
                older.cancel()
                self._end(older.id)
            self._running[request.id] = request
            return True

    def _end(self, identifier: int | str) -> Request | None:
        """Nobody waits for it any more; with the lock held."""
        request = self._running.pop(identifier, None)
        if request is not None:
            self._remember(identifier)
        return request

    def _remember(self, identifier: int | str) -> None:
        self._ended[identifier] = None
        if len(self._ended) > _REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def _cancel(self, identifier: int | str) -> None:
        with self._lock:
            request = self._end(identifier)
            if request is None and identifier not in self._ended:
                # The request itself is still to come, from a thread that is busy.
                self._overtaken.add(identifier)
        if request is not None:
            request.cancel()

    def _submit(self, request: Request, handler: Handler) -> None:
        # The worker speaks in the name of the message that asked: replies keep their parent, and
        # so the kernel keeps sending this comm's messages to the loop they came from.
        context = contextvars.copy_context()
        with self._lock:
            if self._closed:
                return
            if self._pool is None:
                self._pool = background.pool("audiencelab-channel", _WORKERS)
            self._pool.submit(context.run, self._work, request, handler)

    # -- answering ---------------------------------------------------------------------------

    def _work(self, request: Request, handler: Handler) -> None:
        try:
            self._answer(request, handler)
        finally:
            self._rest()

    def _answer(self, request: Request, handler: Handler) -> None:
        if request.cancelled:
            return
        try:
            answer = packed(request, handler(request))
        except Cancelled:
            self._pass_over(request)
        except Exception as error:
            if self.is_outdated(request):
                self._pass_over(request)
                return
            self._reply(request, {"id": request.id, "ok": False, "error": describe_error(error)})
        else:
            self._reply(
                request, {"id": request.id, "ok": True, "data": answer.data}, answer.buffers
            )

    def _pass_over(self, request: Request) -> None:
        """Answer it with nothing; while it is listed, threads are kept for it."""
        with self._lock:
            self._end(request.id)

    def _rest(self) -> None:
        """Let the threads go when nothing is left to do.

        A notebook keeps every widget that it ever showed; their threads would add up.
        """
        with self._lock:
            if self._running or self._pool is None:
                return
            pool, self._pool = self._pool, None
        pool.shutdown(wait=False)

    def _reply(
        self, request: Request, content: dict[str, object], buffers: Sequence[Buffer] = ()
    ) -> None:
        with self._lock:
            # Whoever was called off or superseded is no longer listed: say nothing.
            if self._closed or self._end(request.id) is None:
                return
            self.send({"id": request.id, **content}, list(buffers))
            _forget_reply_route(self.comm)


def _asked_before(one: Request, other: Request) -> bool:
    """Whether a request of the same key was made first, whichever arrived first: ids count up."""
    return isinstance(one.id, int) and isinstance(other.id, int) and one.id < other.id


def _nothing(_: Request) -> None:
    return


def _unknown_operation(request: Request) -> object:
    raise AudienceError(
        f"This kernel's widget has no operation {request.op!r}: the page and the installed "
        "audiencelab differ in version; reload the page."
    )


def _forget_reply_route(comm: object) -> None:
    """Let each message of the front end go to the kernel thread that it names itself.

    ipykernel 7.4 remembers which thread ("subshell") last published on a comm, and sends later
    messages there whatever they say. After a comm was opened by a cell that is the main thread,
    so that requests would wait for all queued cells; after a reload it may be a thread that is
    gone. Kernels that have no such memory are left as they are.
    """
    getattr(comm, "__dict__", {}).pop("_reply_subshell_id", None)
