"""How long a call may wait for the network, handed down to whoever waits.

The HTTP library knows time-outs for each read, which a byte now and then never trips. A leash is
such a time-out that knows of its call too: when all of it must be over, and whether anybody still
waits for it.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable

from audiencelab.client.messages import NoAnswer, Patience

__all__ = ["LATE", "SLICE", "Leash", "ready"]

LATE = "The service did not answer in time."
"""What is said of a wait that took too long, whoever waited."""

SLICE = 0.2
"""Seconds after which a wait looks whether the call has been called off."""

_FOR_EVER = 7 * 24 * 3600.0
"""Seconds in place of no time-out at all, for whoever needs a number."""


class Leash(float):
    """Seconds without a byte, as a number that knows of its call.

    As a number it works wherever a time-out is taken.
    """

    until: float | None
    called_off: Callable[[], bool] | None

    def __new__(cls, patience: Patience) -> Leash:
        self = super().__new__(cls, _FOR_EVER if patience.timeout is None else patience.timeout)
        self.until = patience.until
        self.called_off = patience.called_off
        return self

    def left(self, since: float) -> float:
        """Seconds that a wait begun at `since` may still take; raises `NoAnswer` if none."""
        if self.called_off is not None and self.called_off():
            raise NoAnswer("The call was called off.")
        now = time.monotonic()
        left = since + self - now
        if self.until is not None:
            left = min(left, self.until - now)
        if left <= 0:
            raise NoAnswer(LATE, timeout=True)
        return left

    def wait(self, sock: socket.socket, *, writing: bool = False) -> None:
        """Until a socket is ready; raises `NoAnswer` when the call may wait no longer."""
        since = time.monotonic()
        while not ready(sock, min(SLICE, self.left(since)), writing=writing):
            pass


def ready(sock: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Whether a socket can be read from (or written to) within some seconds, or has failed."""
    # Asked for once: another thread may close the socket at any moment.
    descriptor = sock.fileno()
    if descriptor < 0:
        # Closed: whoever tries will be told so.
        return True
    if not hasattr(select, "poll"):  # pragma: no cover - Windows
        return any(select.select([] if writing else [sock], [sock] * writing, [sock], seconds))
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT if writing else select.POLLIN)
    return bool(poll.poll(seconds * 1_000))
