"""The protocol of a transport.

A transport knows addresses, connections and credentials, and nothing about operations, errors of
the service or retries. Requests and responses are those of `audiencelab.schema.http`, which the
service itself uses, so that in this process nothing is converted.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple, Protocol

from audiencelab.client.credentials import Secret
from audiencelab.schema.http import Request, Response


class Timeout(NamedTuple):
    """How long a transport waits.

    seconds: without a byte from the service; None waits without end.
    until: the time by `time.monotonic` at which the whole call must be over.
    """

    seconds: float | None = None
    until: float = inf


NO_LIMIT = Timeout()


class Transport(Protocol):
    """Sends requests to one service; safe to use from several threads."""

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The credentials it has sent recently, which must not be written to a file."""
        ...

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        """Send a request and wait for the head of its response.

        The body is read while it is iterated over. Raises `TransportError`, and so does iterating
        over the body.
        """
        ...

    def close(self) -> None:
        """Close all connections."""
        ...
