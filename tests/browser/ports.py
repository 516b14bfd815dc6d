"""Free ports for servers that need a fixed port number.

A port that is asked of the system and let go again may be another program's before the server has
started: the system hands such ports to every connection. So these lie below those it hands out.
"""

from __future__ import annotations

import random
import socket

__all__ = ["free_port"]

# Linux hands out those from 32,768 on, others those from 49,152 on.
_LOWEST, _HIGHEST = 20_000, 32_000


def free_port() -> int:
    """A port of this machine that nobody listens at, and that the system gives nobody."""
    chance = random.SystemRandom()  # Tests that run side by side have one seed.
    while True:
        port = chance.randint(_LOWEST, _HIGHEST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
