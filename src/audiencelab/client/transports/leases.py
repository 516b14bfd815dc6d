"""Clients of httpx with one connection each, lent to one request at a time.

Which socket a request uses is known that way, so that another thread can end the request: shutting
a socket down wakes the thread that waits for it, which closing it does not.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from weakref import WeakSet

import httpx

from audiencelab.client import stopping
from audiencelab.client.context import CLOSED

USUAL = httpx.Limits(max_connections=100)

_CONNECTED = ("connect_tcp.complete", "connect_unix_socket.complete", "start_tls.complete")
"""What httpx reports with the stream of a new connection, after the name of its own part."""


class Lease:
    """One connection, while a request has it.

    shared: whether all have one client of httpx, with a transport of the caller's own that uses any
    of its connections: the socket is then known from the head of a response to its end.
    """

    def __init__(self, http: httpx.Client, *, shared: bool) -> None:
        self.http = http
        self.ended = False
        self.since = 0.0
        self._shared = shared
        self._stream: Any = None

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Learn the stream of a new connection; what httpx calls as the extension `trace`."""
        if not self._shared and event.endswith(_CONNECTED):
            self._use(info["return_value"])

    def answered(self, response: httpx.Response) -> None:
        """Learn the stream of a response, which a transport of the caller's own chooses."""
        # A connection of HTTP/2 carries responses of others too.
        if self._shared and response.http_version != "HTTP/2":
            self._use(response.extensions.get("network_stream"))

    def end(self) -> None:
        """End the request, from any thread."""
        self.ended = True
        if self._stream is not None:
            connection = self._stream.get_extra_info("socket")
            if isinstance(connection, socket.socket):
                with suppress(OSError):
                    # Not the method of a TLS socket, which would change what a thread reads from.
                    socket.socket.shutdown(connection, socket.SHUT_RDWR)

    def returned(self) -> None:
        """Forget the stream, if the next request may have another."""
        self.since = time.monotonic()
        if self._shared:
            self._stream = None

    def close(self) -> None:
        """Close the connection, unless others may use it."""
        if not self._shared:
            self.http.close()

    def _use(self, stream: Any) -> None:
        self._stream = stream
        if self.ended:
            self.end()


class Leases:
    """Lends connections; the one used last goes first.

    make: makes a client of httpx. limits: how many connections there may be.
    shared: as for `Lease`.
    """

    def __init__(
        self, make: Callable[[], httpx.Client], limits: httpx.Limits, *, shared: bool
    ) -> None:
        self._make = make
        self._limits = limits
        self._shared = shared
        self._changed = threading.Condition()
        self._idle: list[Lease] = []
        # Weak: a response that is forgotten is not given back.
        self._lent: WeakSet[Lease] = WeakSet()
        self._closed = False

    def take(self, seconds: float | None) -> Lease:
        """A connection for one request; raises `httpx.PoolTimeout` if none is free in time."""
        # In this order: a stop holds its own lock while it calls `_wake`, which takes this one.
        with stopping.waking(self._wake), self._changed:
            if not self._changed.wait_for(self._may_take, seconds):
                raise httpx.PoolTimeout("")
            stopping.check()
            if self._closed:
                raise RuntimeError(CLOSED)
            self._close_expired()
            lease = self._idle.pop() if self._idle else Lease(self._make(), shared=self._shared)
            self._lent.add(lease)
            return lease

    def give_back(self, lease: Lease) -> None:
        """Take a connection back, which the request has left or broken."""
        lease.returned()
        with self._changed:
            self._lent.discard(lease)
            kept = self._limits.max_keepalive_connections
            if self._closed or lease.ended or (kept is not None and len(self._idle) >= kept):
                lease.close()
            else:
                self._idle.append(lease)
            self._close_expired()
            self._changed.notify()

    def close(self) -> None:
        """Close all connections, and end the requests that have some."""
        with self._changed:
            self._closed = True
            idle, self._idle = self._idle, []
            for lease in idle:
                lease.close()
            for lease in list(self._lent):
                lease.end()
            self._changed.notify_all()

    def _may_take(self) -> bool:
        most = self._limits.max_connections
        free = most is None or len(self._lent) < most
        return free or self._closed or stopping.is_stopped()

    def _close_expired(self) -> None:
        keep = self._limits.keepalive_expiry
        # Appended in the order of time, so the first has been idle longest.
        while keep is not None and self._idle and self._idle[0].since < time.monotonic() - keep:
            self._idle.pop(0).close()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()
