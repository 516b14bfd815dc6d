"""Calls to a service that misbehaves, and what it says: for tests on real sockets."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec

from audiencelab.client.exchange import Call
from audiencelab.client.options import ClientOptions
from audiencelab.schema.http import Request
from tests.client.fault_server import Line, Script, answer
from tests.client.stream.small_table import cells

__all__ = [
    "CALL",
    "GOOD",
    "HANGS",
    "LINES",
    "ONCE",
    "PATIENT",
    "REQUEST",
    "RESET",
    "STALL",
    "saying",
    "serving_all",
    "silent",
    "then",
]

HANGS = 60.0
"""Seconds after which a case is no longer slow but hangs; every deadline here is far below."""

REQUEST = Request("POST", "/v2/query/stats", body=b'{"question": "q1"}')
CALL = Call(REQUEST, msgspec.json.Decoder(dict[str, int]).decode)
ONCE = ClientOptions(timeout=None, deadline=0.8, retries=0)
"""For what never comes; the shorter, the sooner the tests are done."""

PATIENT = ClientOptions(timeout=None, deadline=HANGS, retries=0)
"""For what must come, on a machine however busy."""

GOOD = answer(b'{"a": 1}')

RESET = Line.reset
STALL = Line.stall

LINES = [json.dumps(each).encode() + b"\n" for each in cells()]


def saying(*texts: bytes) -> Script:
    """Answers one request with these bytes and hangs up."""

    def script(line: Line) -> None:
        line.request()
        for text in texts:
            line.send(text)

    return script


def then(text: bytes, ending: Callable[[Line], None]) -> Script:
    """Answers one request with these bytes, and goes on as it is told."""

    def script(line: Line) -> None:
        line.request()
        line.send(text)
        ending(line)

    return script


def silent(line: Line) -> None:
    """Takes one request and says nothing."""
    line.request()
    line.stall()


def serving_all(line: Line) -> None:
    """A sound service: answers every request of the connection."""
    while True:
        line.request()
        line.send(GOOD)
