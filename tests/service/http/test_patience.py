"""A reader that has fallen behind: who takes something may go on, who takes nothing is let go."""

from __future__ import annotations

import asyncio
import socket

import pytest
from uvicorn import Config
from uvicorn.server import ServerState

from audiencelab.service.http import patience
from audiencelab.service.http.patience import PatientProtocol


async def _nothing(scope: object, receive: object, send: object) -> None:
    """An application that is never asked."""


async def _read_by_halves() -> list[bool]:
    """Whether the connection is kept when the reader has taken half, and when no more."""
    config = Config(_nothing, log_config=None, ws="none")
    config.load()
    protocol = PatientProtocol(config=config, server_state=ServerState(), app_state={})
    mine, theirs = socket.socketpair()
    with theirs:
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        transport, _ = await loop.connect_accepted_socket(lambda: protocol, mine)
        transport.write(bytes(20 << 20))
        first, waiting = protocol._unread, patience._not_taken(transport)
        assert first is not None, "more than the system takes at once"
        while patience._not_taken(transport) > waiting // 2:
            await loop.sock_recv(theirs, 1 << 20)
        protocol._look_again(waiting)
        kept = [not transport.is_closing()]
        assert protocol._unread is not first, "its time begins anew"
        protocol._look_again(patience._not_taken(transport))
        kept.append(not transport.is_closing())
        await asyncio.sleep(0)  # The transport says that it is lost at the loop's next turn.
        assert protocol._unread is None
        first.cancel()
    return kept


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="no such pairs of sockets")
def test_a_reader_that_takes_something_has_its_time_anew_and_else_loses_the_connection() -> None:
    assert asyncio.run(_read_by_halves()) == [True, False]
