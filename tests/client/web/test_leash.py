"""Waiting for a socket that another thread may close at any moment."""

from __future__ import annotations

import socket
from typing import cast

from audiencelab.client.web.leash import ready


def test_a_wait_ends_at_a_socket_that_is_closed_while_it_is_looked_at() -> None:
    class Closing:
        """Open when it is first asked, closed from then on."""

        def __init__(self) -> None:
            self.left = [4_000]

        def fileno(self) -> int:
            return self.left.pop() if self.left else -1

    assert ready(cast(socket.socket, Closing()), 0)
