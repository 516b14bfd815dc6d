"""Calls that are called off, by another thread, another task or the stop button: nothing is left.

On real sockets: the connection is free at once, and the next call goes as any other.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from audiencelab.client.options import ClientOptions
from audiencelab.client.sending import Sender
from audiencelab.client.streams import CrosstabStream
from audiencelab.tables import CrosstabResult
from tests.client.fault_server import Line, Script, answer, head, serving
from tests.client.faulty_calls import (
    CALL,
    HANGS,
    LINES,
    PATIENT,
    STALL,
    saying,
    serving_all,
    silent,
    then,
)
from tests.client.over_http import sender
from tests.client.scripted import asking
from tests.client.stream.small_table import COLUMNS, ROWS
from tests.waiting import wait_until

ENDLESS = ClientOptions(timeout=None, deadline=None)


def stream(by: Sender) -> CrosstabStream[CrosstabResult]:
    result = CrosstabResult(ROWS, COLUMNS)
    return CrosstabStream(result, by.crosstab(asking, result))


@pytest.mark.parametrize(
    "script", [silent, then(head() + LINES[0], STALL)], ids=["before the head", "in the body"]
)
def test_a_stream_closed_from_another_thread_ends_at_once(script: Script) -> None:
    with serving(script, serving_all) as server:
        by = sender(server.url, ENDLESS)
        updates = stream(by)
        thread = threading.Thread(target=lambda: list(updates), daemon=True)
        thread.start()
        assert server.asked(1)
        updates.close()
        thread.join(HANGS)
        assert not thread.is_alive()
        assert server.all_closed()
        assert by.with_options(PATIENT).fetch(CALL)[0] == {"a": 1}
        by.transport.close()


def test_a_stream_closed_between_attempts_ends_at_once() -> None:
    with serving(saying(answer(b"", 503, retry_after=100))) as server:
        by = sender(server.url, ClientOptions(deadline=None))
        updates = stream(by)
        thread = threading.Thread(target=lambda: list(updates), daemon=True)
        thread.start()
        assert server.all_closed()
        assert server.asked(1)
        updates.close()
        thread.join(HANGS)
        assert not thread.is_alive()
        assert len(server.requests) == 1
        by.transport.close()


def unread(text: bytes, ending: Script = lambda _: None) -> Script:
    """Says these bytes and goes on as it is told; the request has been read before."""

    def script(line: Line) -> None:
        line.send(text)
        ending(line)

    return script


INTERRUPTED = """
    import sys
    from tests.client.faulty_calls import CALL, PATIENT
    from tests.client.over_http import sender
    from audiencelab.client.options import ClientOptions

    by = sender(sys.argv[1], ClientOptions(timeout=None, deadline=None))
    try:
        by.fetch(CALL)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    print(by.with_options(PATIENT).fetch(CALL)[0], flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signal to a child")
@pytest.mark.parametrize(
    "script",
    [
        STALL,
        unread(head(content_length=9) + b"{", STALL),
        unread(answer(b"", 503, retry_after=100)),
    ],
    ids=["before the head", "in the body", "between attempts"],
)
def test_an_interrupt_frees_the_connection_and_the_door_goes_on(script: Script) -> None:
    def watched(line: Line) -> None:
        line.request()
        ready.set()
        script(line)

    ready = threading.Event()
    with serving(watched, serving_all) as server:
        code = textwrap.dedent(INTERRUPTED)
        with subprocess.Popen(
            [sys.executable, "-c", code, server.url],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(["src", "."])},
        ) as child:
            assert ready.wait(60)
            # The child has asked; let it begin to wait for what does not come.
            threading.Event().wait(0.3)
            child.send_signal(signal.SIGINT)
            assert child.stdout is not None
            assert child.stdout.readline() == "interrupted\n"
            assert child.stdout.readline() == "{'a': 1}\n"
            # The child and its door live on: only the second connection may stay open. That the
            # first is closed reaches the server in its own time.
            assert server.connections == 2
            wait_until(lambda: server.open == 1)
            assert child.stdin is not None
            child.stdin.close()
            assert child.wait(HANGS) == 0
