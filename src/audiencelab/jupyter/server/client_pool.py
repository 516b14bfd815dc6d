"""Clients of connections, kept while they are used; the least recently used is closed first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager

from audiencelab.client import Client
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import Connection, open_client
from audiencelab.jupyter.connections.health import ConnectionCheck, check
from audiencelab.jupyter.server.operations import PageOperations


class PoolClosedError(AudienceError):
    """The server is shutting down and opens no more clients."""


class _Entry:
    """The client of a connection, once it is opened, and the number of its users."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.operations: PageOperations | None = None
        self.users = 0


class ClientPool:
    """Open clients by connection; thread-safe.

    Opening one may take seconds, so each is opened under a lock of its own, on a worker thread.
    """

    def __init__(self, size: int = 6) -> None:
        self._size = size
        # By target: the same name may mean something else later while the server runs.
        self._entries: OrderedDict[tuple[str, str | None], _Entry] = OrderedDict()
        self._lock = threading.Lock()
        self._is_stopped = False

    @contextmanager
    def use(self, connection: Connection) -> Generator[PageOperations]:
        """The operations on the connection, opened if need be; they stay open within the block.

        Raises what `open_client` raises, and `PoolClosedError`.
        """
        entry = self._take(connection)
        try:
            with entry.lock:
                if entry.operations is None:
                    entry.operations = PageOperations(open_client(connection))
            yield entry.operations
        finally:
            with self._lock:
                entry.users -= 1
            self._close_unused(entry)

    def check(self, connection: Connection) -> ConnectionCheck:
        """Check the connection's service; one that fails is opened again next time."""
        if connection.kind == "deployment":
            self.drop(connection)  # the credential may have changed since it was opened
        found = check(connection, self._client)
        if found.status != "ready":
            self.drop(connection)
        return found

    def drop(self, connection: Connection) -> None:
        """Remove the connection's client, which is closed once it is unused."""
        with self._lock:
            entry = self._entries.pop((connection.kind, connection.target), None)
        if entry is not None:
            self._close_unused(entry)

    def close(self) -> None:
        """Close every client, including those in use: the server is shutting down."""
        with self._lock:
            self._is_stopped = True
            entries = list(self._entries.values())
            self._entries.clear()
        _close(entries)

    @contextmanager
    def _client(self, connection: Connection) -> Generator[Client]:
        with self.use(connection) as operations:
            yield operations.client

    def _take(self, connection: Connection) -> _Entry:
        key = connection.kind, connection.target
        with self._lock:
            if self._is_stopped:
                raise PoolClosedError("The Jupyter server is going down.")
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            entry.users += 1
            # Those in use are not closed, so that there may be more than `size` for a while.
            idle = [key for key, each in self._entries.items() if not each.users]
            excess = max(0, len(self._entries) - self._size)
            removed = [self._entries.pop(key) for key in idle[:excess]]
        _close(removed)
        return entry

    def _close_unused(self, entry: _Entry) -> None:
        with self._lock:
            # It was dropped while it was used, so nothing else will close it.
            is_unused = not entry.users and entry not in self._entries.values()
        if is_unused:
            _close([entry])


def _close(entries: list[_Entry]) -> None:
    for entry in entries:
        if entry.operations is not None:
            entry.operations.client.close()
