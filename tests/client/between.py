"""A client whose requests a test meets on their way to the service."""

from __future__ import annotations

from collections.abc import Callable

from audiencelab.client import Client
from audiencelab.client.transports.base import NO_LIMIT, Timeout, Transport
from audiencelab.schema.http import Request, Response

Meet = Callable[[Request, Callable[[], Response]], Response]
"""From a request, and a function that has it answered, to the response."""


class Between:
    """A transport through which requests go to another one, by way of a function of the test."""

    secrets = ()

    def __init__(self, inner: Transport, meet: Meet) -> None:
        self._inner, self._meet = inner, meet

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        return self._meet(request, lambda: self._inner.send(request, timeout))

    def close(self) -> None: ...


def between(client: Client, meet: Meet) -> Client:
    """The same client, but for the way of its requests."""
    own = client.sender
    return Client(Between(own.transport, meet), own.context, own.options, owner=False)
