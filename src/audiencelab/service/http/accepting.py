"""Accepts connections: how many are open, and how long each may wait for a request.

asyncio's own servers accept all that come. Connections that send nothing then take every file that
the process may open, and at that limit asyncio logs thousands of errors a second. Here they are
accepted one at a time, and at their limit the one that has waited longest for a request is closed.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from contextlib import suppress
from time import monotonic
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 30
"""Seconds in which the head of a request must arrive: after connecting, and after a response."""

_SPARE = 16
"""Connections beyond the limit, so that `/health` and `/ready` are answered at the limit too."""

_OTHER_FILES = 64
"""Files that the process may need beside its connections."""

_OPEN_FILES = 65_536

_PAUSE, _QUIET_SECONDS = 0.5, 60.0
"""Seconds until accepting is tried again where no file becomes free, and between lines about it."""

_log = logging.getLogger("audiencelab.service.http")


class OpenConnections:
    """The open connections of a server.

    most: how many may have a request; requests of others get 503.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: set[_Connection] = set()
        self._waiting: dict[_Connection, float] = {}
        """Those without a request, the one that has waited longest first, and since when."""
        self._changed = asyncio.Event()

    def is_full(self) -> bool:
        """Whether more of them have a request than allowed."""
        return len(self._open) - len(self._waiting) > self.most

    async def admit(self) -> None:
        """Wait until another one may be accepted; one without a request is closed for it."""
        while len(self._open) >= self.most + _SPARE:
            await self.close_one()

    async def close_one(self) -> None:
        """Close the one that has waited longest; where none waits, wait until one does or ends."""
        self._changed.clear()
        if oldest := next(iter(self._waiting), None):
            del self._waiting[oldest]
            oldest.abort()
        # `end` sets it, once asyncio has reported the loss.
        await self._changed.wait()

    def close_late(self) -> None:
        """Close those whose request has not come in time."""
        until = monotonic() - HEAD_SECONDS
        for connection in [each for each, since in self._waiting.items() if since <= until]:
            connection.abort()

    def waits(self, connection: _Connection, waits: bool) -> None:
        """Note whether an open connection is without a request."""
        if not waits:
            self._waiting.pop(connection, None)
        # One that waits already keeps the time since when.
        elif connection in self._open and connection not in self._waiting:
            self._waiting[connection] = monotonic()
            self._changed.set()

    def begin(self, connection: _Connection) -> None:
        """Note one that was accepted; it waits from then on."""
        self._open.add(connection)
        self.waits(connection, True)

    def end(self, connection: _Connection) -> None:
        """Note one that was closed."""
        self._open.discard(connection)
        self._waiting.pop(connection, None)
        self._changed.set()

    def end_handshakes(self) -> None:
        """Close those that are not connected yet."""
        for each in self._open:
            each.abort_handshake()


class _Connection(H11Protocol):
    """One connection, which reports whether it waits for a request.

    opening: the task that makes it, in which a TLS handshake takes time.
    """

    opening: asyncio.Task[None]

    def __init__(self, connections: OpenConnections, **settings: Any) -> None:
        super().__init__(**settings)
        self._connections = connections

    def handle_events(self) -> None:
        super().handle_events()
        self._report()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._report()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._connections.end(self)

    def _report(self) -> None:
        # Of uvicorn's own; None until the first request.
        cycle: Any = self.cycle
        self._connections.waits(self, cycle is None or cycle.response_complete)

    def is_made(self) -> bool:
        """Whether it is connected, TLS included."""
        transport: Any = self.transport
        return transport is not None

    def abort(self) -> None:
        """Close it at once, with what was not sent yet."""
        if self.is_made():
            self.transport.abort()
        else:
            self.abort_handshake()

    def abort_handshake(self) -> None:
        """Close it if it is not connected yet."""
        if not self.is_made():
            self.opening.cancel()


class Server(uvicorn.Server):
    """A server with an event, `settled`: it accepts connections, or failed to start."""

    def __init__(self, config: uvicorn.Config, connections: OpenConnections) -> None:
        super().__init__(config)
        self.settled = threading.Event()
        self._connections = connections
        self._accepting: list[asyncio.Task[None]] = []
        self._logged = float("-inf")

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until `end` is called, in a thread of its own."""
        try:
            asyncio.run(self.serve([listener]))
        except Exception:
            _log.exception("The server ended")
        finally:
            self.settled.set()

    def end(self) -> None:
        """Finish the requests in progress, and stop."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        # Without sockets uvicorn accepts nothing itself.
        await super().startup([])
        self._accepting = [asyncio.create_task(self._accept(each)) for each in sockets or ()]
        self.settled.set()

    async def on_tick(self, counter: int) -> bool:
        self._connections.close_late()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for task in self._accepting:
            task.cancel()
        # A socket must not be closed while it is accepted from.
        await asyncio.gather(*self._accepting, return_exceptions=True)
        self._connections.end_handshakes()
        await super().shutdown(sockets)

    async def _accept(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        listener.setblocking(False)
        while True:
            await self._connections.admit()
            try:
                accepted, _ = await loop.sock_accept(listener)
            except OSError as error:
                # No file is left, or the caller is gone. One line a minute: strangers can cause
                # thousands of these errors a second.
                if monotonic() - self._logged >= _QUIET_SECONDS:
                    self._logged = monotonic()
                    _log.error("A connection cannot be accepted: %s", error)
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSE):
                        await self._connections.close_one()
                continue
            connection = _Connection(
                self._connections,
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )
            connection.opening = loop.create_task(self._open(connection, accepted))
            self._connections.begin(connection)
            await asyncio.sleep(0)  # Connections that are open have their turn between two others.

    async def _open(self, connection: _Connection, accepted: socket.socket) -> None:
        tls = self.config.ssl
        loop = asyncio.get_running_loop()
        try:
            # Handshakes fail as callers please.
            with suppress(OSError):
                await loop.connect_accepted_socket(
                    lambda: connection,
                    accepted,
                    ssl=tls,
                    # asyncio refuses this timeout without TLS.
                    ssl_handshake_timeout=None if tls is None else HEAD_SECONDS,
                )
        finally:
            if not connection.is_made():
                self._connections.end(connection)


def allowed_connections(wanted: int) -> int:
    """The connections that the limit of open files allows, at most those that are wanted.

    The limit is raised as far as the system allows.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _OPEN_FILES:
        soft = _OPEN_FILES if hard == resource.RLIM_INFINITY else max(soft, min(hard, _OPEN_FILES))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    most = max(1, soft - _OTHER_FILES - _SPARE)
    if most < wanted:
        _log.warning(
            "max_connections is %d, not %d: this process may open %d files (ulimit -n)",
            most,
            wanted,
            soft,
        )
    return min(wanted, most)
