"""How long the server waits for the head of a request, and for a reader to go on reading.

The server library waits for ever: a connection that begins a request and never ends its head, or
asks and never reads the answer, would be kept until nobody else gets one. The bodies of requests
have a time of their own.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["HEAD_SECONDS", "READING_SECONDS", "PatientProtocol"]

HEAD_SECONDS = 30.0
"""From the first moment of a connection, or the first byte of a further request on it."""

READING_SECONDS = 120.0
"""In which a reader takes something of what waits for it. However slow one is, it may go on; one
that stood still for so long asks again and has the rest."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 as the library speaks it; who keeps the server waiting loses the connection."""

    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        self._stop_counting()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._count_down()

    def resume_writing(self) -> None:
        self._stop_counting()
        super().resume_writing()

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

    def _count_down(self) -> None:
        """Give a reader that has fallen behind its time to take anything at all."""
        waiting = _not_taken(self.transport)
        self._unread = self.loop.call_later(READING_SECONDS, self._look_again, waiting)

    def _look_again(self, waiting: int) -> None:
        if _not_taken(self.transport) < waiting:
            self._count_down()
        else:
            # Closed politely, it would be kept until all is read.
            self.transport.abort()

    def _stop_counting(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def _not_taken(transport: asyncio.Transport) -> int:
    """Bytes on their way that the reader's machine has not acknowledged.

    Most of them are the system's, which takes more only when a good part of them is gone.
    """
    try:
        import fcntl
        import termios

        handle = transport.get_extra_info("socket").fileno()
        told = fcntl.ioctl(handle, termios.TIOCOUTQ, bytes(4))
    except (ImportError, OSError):  # pragma: no cover - what it has is not told everywhere
        told = b""
    return transport.get_write_buffer_size() + int.from_bytes(told, sys.byteorder)
