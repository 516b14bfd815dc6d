"""What the handlers share: connections, clients and worker threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import Connection
from audiencelab.jupyter.connections.registry import ConnectionList, list_connections
from audiencelab.jupyter.server import folder_surveys
from audiencelab.jupyter.server.client_pool import ClientPool

WORKERS = 8
"""Worker threads for requests of pages; as many again for the proxy, so that neither waits."""

_WORKERS_PER_CONNECTION = WORKERS // 2
"""A service that hangs leaves threads for others."""

_MAX_OPENED = 100

T = TypeVar("T")


class UnknownConnection(AudienceError, LookupError):
    """There is no connection of that name."""


class ServerContext:
    """One for each server.

    configured: connections of the server's configuration. root: the folder that it serves; None if
        its contents are not in a folder. proxies: whether the service's operations are passed on.
    timeout, largest_response: bounds on what is passed on, in seconds without a byte and in bytes.
    """

    def __init__(
        self,
        configured: Mapping[str, Any],
        root: Path | None,
        *,
        proxies: bool = True,
        timeout: float = 60.0,
        largest_response: int = 512 * 1024 * 1024,
    ) -> None:
        self._configured = dict(configured)
        self.root = root
        self.proxies = proxies
        self.timeout = timeout
        self.largest_response = largest_response
        self.clients = ClientPool()
        self.streams = 0
        self.writing = asyncio.Lock()
        self._opened: dict[str, Connection] = {}
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._workers = background.pool("audiencelab-asking", WORKERS)
        self._proxy_workers = background.pool("audiencelab-passing", WORKERS)

    async def run(self, function: Callable[..., T], *args: object) -> T:
        """The result of `function(*args)` on a worker thread."""
        return await asyncio.wrap_future(self._workers.submit(function, *args))

    async def run_for(self, connection: Connection, function: Callable[..., T], *args: object) -> T:
        """The same for requests to a connection's service, which must not take every thread."""
        turn = self._turns.setdefault(connection.name, asyncio.Semaphore(_WORKERS_PER_CONNECTION))
        async with turn:
            return await self.run(function, *args)

    async def run_proxy(self, function: Callable[..., T], *args: object) -> T:
        """The same on a thread of the proxy."""
        return await asyncio.wrap_future(self._proxy_workers.submit(function, *args))

    # -- on worker threads -----------------------------------------------------------------------

    def connections(self) -> ConnectionList:
        """The named connections; the file is read each time, so that an edit shows at once."""
        return list_connections(self._configured)

    def connection(self, name: str) -> Connection:
        """The connection of a name; raises `UnknownConnection`."""
        found = self.connections().find(name) or self._opened.get(name)
        if found is None and self.root is not None:
            found = folder_surveys.find_by_name(self.root, name)
        if found is None:
            raise UnknownConnection(
                f"There is no connection {name!r}. Choose another, or name one with "
                "`audiencelab connections add`."
            )
        return found

    def open_survey(self, path: str) -> Connection:
        """The connection to a survey below the root folder, which is remembered by its name.

        Raises `OutsideRoot` and `SurveyError`.
        """
        if self.root is None:
            raise folder_surveys.OutsideRoot("This server keeps its files in no folder.")
        made = folder_surveys.open_in(self.root, path)
        if len(self._opened) >= _MAX_OPENED:
            self._opened.pop(next(iter(self._opened)))
        self._opened[made.name] = made
        return made

    def close(self) -> None:
        """Close every client, and start nothing more."""
        self._workers.shutdown(wait=False, cancel_futures=True)
        self._proxy_workers.shutdown(wait=False, cancel_futures=True)
        self.clients.close()
