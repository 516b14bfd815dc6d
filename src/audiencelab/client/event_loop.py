"""Checks that an asynchronous client is used on one event loop only."""

from __future__ import annotations

import asyncio

from audiencelab.client.session import Session


def check_event_loop(session: Session) -> None:
    """Raise `RuntimeError` unless the session's event loop is running.

    Connections of one event loop hang, or worse, when they are used on another.
    """
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        running = None
    if running is None:
        raise RuntimeError(
            "No event loop is running. Use an AsyncClient in a function that asyncio.run() runs, "
            "or in a notebook's cell; or use connect(), whose client needs no event loop."
        )
    if session.loop is None:
        session.loop = running
    elif session.loop is not running:
        raise RuntimeError(
            "This AsyncClient belongs to another event loop. Call connect_async() inside the "
            "function that asyncio.run() runs, once for each run; or use connect(), whose client "
            "works on every thread and needs no event loop."
        )
