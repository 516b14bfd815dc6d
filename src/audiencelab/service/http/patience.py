"""How long the server waits for the head of a request; bodies have a time of their own.

The server library waits for ever: a connection that begins a request and never ends its head
would be kept until nobody else gets one.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HEAD_SECONDS", "PatientProtocol"]

HEAD_SECONDS = 30.0
"""From the first moment of a connection, or the first byte of a further request on it."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as the library speaks it; a head that does not come in time ends the connection."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def _watch(self) -> None:
        """Give a head that has begun its time, once; a head that has come ends the watch."""
        if self.conn.their_state is not h11.IDLE:
            self._stop_watching()
        elif self._late is None:
            self._late = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_watching(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _give_up(self) -> None:
        self._late = None
        self.transport.close()
