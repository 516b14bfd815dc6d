"""What every handler of the extension shares: connections, clients, threads to work on.

Building a catalogue or asking a service takes time that the event loop does not have, so all of it
runs on worker threads: as many for what pages ask, and as many again for what is passed on, so that
neither waits for the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from audiencelab import background
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections import sources
from audiencelab.jupyter.connections.places import Connection
from audiencelab.jupyter.connections.sources import Listing
from audiencelab.jupyter.server import surveys as surveys
from audiencelab.jupyter.server.clients import Clients
from audiencelab.jupyter.server.passing import Terms

__all__ = ["AT_ONCE", "Office", "UnknownConnection"]

AT_ONCE = 8
"""Requests worked on at a time, and streams passed on at a time."""

_FOR_ONE = AT_ONCE // 2
"""Of these, how many may wait for one connection: one that hangs leaves threads for others."""

_OPENED = 100

T = TypeVar("T")


class UnknownConnection(AudienceError, LookupError):
    """Nobody has named a connection like that."""


class Office:
    """One for each server.

    configured: connections of the server's configuration. root: the folder that it serves, or None
        where its notebooks are in no folder. passes_on: whether the service's operations are open.
    terms: how long and how much may be passed on.
    """

    def __init__(
        self,
        configured: Mapping[str, Any],
        root: Path | None,
        *,
        passes_on: bool = True,
        terms: Terms | None = None,
    ) -> None:
        self._configured = dict(configured)
        self.root = root
        self.passes_on = passes_on
        self.terms = terms or Terms()
        self.clients = Clients()
        self.streams = 0
        self.writing = asyncio.Lock()
        self._opened: dict[str, Connection] = {}
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._asking = background.pool("audiencelab-asking", AT_ONCE)
        self._passing = background.pool("audiencelab-passing", AT_ONCE)

    async def work(self, function: Callable[..., T], *args: object) -> T:
        """What `function(*args)` returns, worked out on a thread for what pages ask."""
        return await asyncio.wrap_future(self._asking.submit(function, *args))

    async def work_for(
        self, connection: Connection, function: Callable[..., T], *args: object
    ) -> T:
        """The same for what asks the connection's service, which must not take every thread."""
        turn = self._turns.setdefault(connection.name, asyncio.Semaphore(_FOR_ONE))
        async with turn:
            return await self.work(function, *args)

    async def pass_on(self, function: Callable[..., T], *args: object) -> T:
        """The same on a thread for what is passed on."""
        return await asyncio.wrap_future(self._passing.submit(function, *args))

    # -- on worker threads -----------------------------------------------------------------------

    def listing(self) -> Listing:
        """What is named now: the file is read each time, so that an edit shows at once."""
        return sources.known(self._configured)

    def connection(self, name: str) -> Connection:
        """The connection of a name; raises `UnknownConnection`."""
        found = self.listing().find(name) or self._opened.get(name)
        if found is None and self.root is not None:
            found = surveys.find(self.root, name)
        if found is None:
            raise UnknownConnection(
                f"There is no connection {name!r}. Choose another, or name one with "
                "`audiencelab connections add`."
            )
        return found

    def open_survey(self, path: str) -> Connection:
        """The connection to a survey below the root folder; its name is known from now on.

        Raises `OutsideRoot` and `SurveyError`.
        """
        if self.root is None:
            raise surveys.OutsideRoot("This server keeps its files in no folder.")
        made = surveys.opened(self.root, path)
        if len(self._opened) >= _OPENED:
            self._opened.pop(next(iter(self._opened)))
        self._opened[made.name] = made
        return made

    def close(self) -> None:
        """Close every client, and begin nothing more."""
        self._asking.shutdown(wait=False, cancel_futures=True)
        self._passing.shutdown(wait=False, cancel_futures=True)
        self.clients.close()
