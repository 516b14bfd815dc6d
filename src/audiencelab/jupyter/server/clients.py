"""Clients of connections, kept while they are used and closed in the end.

Few are kept, and the one that was used longest ago goes first. Opening one may take seconds (the
demo survey is made, a service asked), so each is opened under a lock of its own, and everything
here belongs on worker threads.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager

from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections import checking
from audiencelab.jupyter.connections.checking import Check
from audiencelab.jupyter.connections.places import Connection, open_client
from audiencelab.jupyter.server.asking import Desk

__all__ = ["Clients", "Stopped"]

_KEPT = 6


class Stopped(AudienceError):
    """The server is going down and opens nothing any more."""


class _Place:
    """One connection's desk, once somebody has opened it, and how many are at it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.desk: Desk | None = None
        self.users = 0
        self.is_dropped = False


class Clients:
    """Desks by connection; thread-safe."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._places: OrderedDict[tuple[str, str | None], _Place] = OrderedDict()
        self._lock = threading.Lock()
        self._stopped = False

    @contextmanager
    def at(self, connection: Connection) -> Generator[Desk]:
        """The connection's desk, opened if need be; it stays open while the block runs.

        Raises what `open_client` raises, and `Stopped`.
        """
        place = self._taken(connection)
        try:
            with place.lock:
                if place.desk is None:
                    place.desk = Desk(open_client(connection))
            yield place.desk
        finally:
            self._given_back(place)

    def check(self, connection: Connection) -> Check:
        """Whether the connection's service answers; one that does not is opened anew next time."""
        if connection.kind == "deployment":
            # With the credential of now, not the one that an open client was given.
            self.drop(connection)

        def asked() -> Check:
            with self.at(connection) as desk:
                return checking.look_into(connection, desk.client)

        found = checking.told(connection, asked)
        if found.status != "ready":
            self.drop(connection)
        return found

    def drop(self, connection: Connection) -> None:
        """Forget the connection's client, and close it once nobody uses it."""
        with self._lock:
            place = self._places.pop(_key(connection), None)
            unused = [] if place is None else self._let_go([place])
        _close(unused)

    def close(self) -> None:
        """Close every client, also those in use: the server is going down."""
        with self._lock:
            self._stopped = True
            places = list(self._places.values())
            self._places.clear()
        _close(places)

    def _taken(self, connection: Connection) -> _Place:
        with self._lock:
            if self._stopped:
                raise Stopped("The Jupyter server is going down.")
            place = self._places.setdefault(_key(connection), _Place())
            self._places.move_to_end(_key(connection))
            place.users += 1
            idle = [key for key, each in self._places.items() if not each.users]
            too_many = max(0, len(self._places) - self._kept)
            unused = self._let_go([self._places.pop(key) for key in idle[:too_many]])
        _close(unused)
        return place

    def _given_back(self, place: _Place) -> None:
        with self._lock:
            place.users -= 1
            unused = [place] if place.is_dropped and not place.users else []
            unused += [place] if self._stopped and not place.users and not unused else []
        _close(unused)

    def _let_go(self, places: list[_Place]) -> list[_Place]:
        """Mark places as dropped; those to be closed now. With the lock held."""
        for place in places:
            place.is_dropped = True
        return [place for place in places if not place.users]


def _key(connection: Connection) -> tuple[str, str | None]:
    """By where it leads: a name may be given to something else while the server runs."""
    return connection.kind, connection.target


def _close(places: list[_Place]) -> None:
    for place in places:
        if place.desk is not None:
            place.desk.client.close()
