"""What goes wrong on real sockets: each fault has its named error, and no figure is wrong.

Every case runs through the blocking and the asynchronous client. A deadline is short; a case that
is not over long after it hangs.
"""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from audiencelab.client import errors
from audiencelab.client.exchange import Call
from audiencelab.client.options import ClientOptions
from audiencelab.schema.endpoints import Retry
from audiencelab.schema.http import Request
from audiencelab.tables import CrosstabResult
from tests.client.fault_server import Script, answer, chunked, head, serving
from tests.client.faulty_calls import (
    CALL,
    HANGS,
    LINES,
    ONCE,
    PATIENT,
    RESET,
    STALL,
    saying,
    serving_all,
    silent,
    then,
)
from tests.client.over_http import TOKEN, Ask, Way, awaiting, blocking, crosstab, fetch
from tests.client.stream.small_table import COLUMNS, ROWS


@pytest.fixture(params=[blocking, awaiting], ids=["blocking", "await"])
def way(request: pytest.FixtureRequest) -> Way:
    run: Way = request.param

    def within_reason(url: str, asked: Sequence[Ask]) -> list[Any]:
        found: list[list[Any]] = []
        thread = threading.Thread(target=lambda: found.append(run(url, asked)), daemon=True)
        thread.start()
        thread.join(HANGS)
        assert not thread.is_alive(), "it hangs"
        return found[0]

    return within_reason


@pytest.mark.parametrize(
    "script",
    [
        saying(answer(b'{"a": 1}', packed=True)),
        saying(head(content_encoding="deflate"), zlib.compress(b'{"a": 1}')),
        then(head(content_length=8), lambda line: line.drip(b'{"a": 1}', 0.02)),
    ],
    ids=["gzip", "deflate", "slow body"],
)
def test_a_compressed_or_slow_response_is_read(way: Way, script: Script) -> None:
    with serving(script) as server:
        assert way(server.url, [fetch(CALL, PATIENT)]) == [{"a": 1}]


# -- answers that break or never end ---------------------------------------------------------

BOMB = gzip.compress(b" " * (4 << 20))


@pytest.mark.parametrize(
    ("script", "kind", "words"),
    [
        (saying(), errors.ConnectionFailed, "broke"),
        (then(b"", RESET), errors.ConnectionFailed, "broke"),
        (then(head(content_length=100) + b"{", RESET), errors.ConnectionFailed, "broke"),
        (saying(head(content_length=100), b'{"a": 1}'), errors.ConnectionFailed, "broke"),
        (saying(head(), b'{"a": '), errors.InvalidResponse, "interface"),
        (saying(b"\x00\x01 garbage\r\n\r\n"), errors.ConnectionFailed, "broke"),
        (
            saying(head(content_encoding="gzip", content_length=8), b"no gzip!"),
            errors.ConnectionFailed,
            "compression of the response is broken",
        ),
        (
            saying(head(content_encoding="gzip"), gzip.compress(b'{"a": 1}' * 99)[:-20]),
            errors.InvalidResponse,
            "interface",
        ),
        (saying(head(content_encoding="gzip"), BOMB), errors.InvalidResponse, "max_body"),
        (saying(head(204)), errors.InvalidResponse, "interface"),
        (saying(answer(b"", 500)), errors.ServiceFailure, "500"),
        (saying(head(500, content_length=99), b"{"), errors.ServiceFailure, "500"),
        (silent, errors.RequestTimeout, "no response received"),
        (then(b"HTTP/1.1 200 OK\r\n", STALL), errors.RequestTimeout, "no response received"),
        (then(head(content_length=9) + b'{"a"', STALL), errors.RequestTimeout, "4 bytes"),
        (
            then(head(content_length=999), lambda line: line.drip(b"[" * 999, 0.2)),
            errors.RequestTimeout,
            r"0.8 s exceeded; the head of a response \(200\) and \d bytes",
        ),
    ],
    ids=[
        "closed at once",
        "reset before the head",
        "reset in the body",
        "length too long",
        "no length, cut",
        "garbage",
        "no gzip",
        "gzip cut",
        "gzip bomb",
        "empty",
        "failure",
        "failure cut",
        "stall",
        "stall in the head",
        "stall in the body",
        "body in drips",
    ],
)
def test_each_fault_has_its_error_and_the_next_call_is_right(
    way: Way, script: Script, kind: type[errors.RequestError], words: str
) -> None:
    # Only what stalls is ended by the deadline; the others must not meet it on a slow machine.
    options = replace(ONCE if kind is errors.RequestTimeout else PATIENT, max_body=1 << 20)
    with serving(script, serving_all) as server:
        failure, after = way(
            server.url, [fetch(CALL, options), fetch(CALL, PATIENT, server.all_closed)]
        )
        assert type(failure) is kind
        with pytest.raises(kind, match=words):
            raise failure
        assert failure.attempts == 1
        assert after == {"a": 1}
        assert TOKEN not in repr(failure) + str(vars(failure))
        assert failure.__cause__ is failure.__context__ is None


@pytest.mark.parametrize("script", [silent, then(head(content_length=9) + b"{", STALL)])
def test_silence_ends_with_the_timeout_where_there_is_no_deadline(way: Way, script: Script) -> None:
    with serving(script) as server:
        options = ClientOptions(timeout=0.3, deadline=None, retries=0)
        [failure] = way(server.url, [fetch(CALL, options)])
    assert type(failure) is errors.RequestTimeout
    assert "did not answer in time" in str(failure)


def test_nobody_listens(way: Way) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    [failure] = way(f"http://127.0.0.1:{port}", [fetch(CALL, PATIENT)])
    assert type(failure) is errors.ConnectionFailed
    assert failure.unsent
    assert "could not be reached: 127.0.0.1: " in str(failure)


def test_a_redirect_is_not_followed(way: Way) -> None:
    with serving(serving_all) as elsewhere:
        moved = saying(head(307, location=elsewhere.url + "/?leak", content_length=0))
        with serving(moved) as server:
            [failure] = way(server.url, [fetch(CALL, ClientOptions())])
        assert elsewhere.requests == []
    assert type(failure) is errors.RequestRefused
    assert "leak" not in str(failure)


# -- trying again ----------------------------------------------------------------------------


def test_a_read_is_tried_again_and_a_creation_is_not(way: Way) -> None:
    creating = Call(Request("POST", "/v1/charts", body=b"{}"), CALL.parse, Retry.CREATE)
    with serving(then(b"", RESET), serving_all) as server:
        assert way(server.url, [fetch(CALL, ClientOptions())]) == [{"a": 1}]
        assert len(server.requests) == 2
    with serving(then(b"", RESET), serving_all) as server:
        [failure] = way(server.url, [fetch(creating, ClientOptions())])
        assert type(failure) is errors.AmbiguousWriteError
        assert len(server.requests) == 1


def test_the_deadline_covers_every_attempt(way: Way) -> None:
    with serving(silent) as server:
        options = ClientOptions(timeout=0.2, deadline=1.0, retries=50)
        [failure] = way(server.url, [fetch(CALL, options)])
    assert type(failure) is errors.RequestTimeout
    assert failure.attempts <= 6
    assert "eadline" in str(failure)


# -- crosstabs -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        saying(head(transfer_encoding="chunked"), chunked(*LINES[:3], end=False)),
        saying(head(transfer_encoding="chunked"), chunked(*LINES[:3])),
        saying(head(), *LINES[:3], LINES[3][:50]),
        saying(head(content_length=9_999), *LINES[:3]),
        then(head() + b"".join(LINES[:3]), RESET),
        saying(head(content_encoding="gzip"), gzip.compress(b"".join(LINES))[:-150]),
        saying(head(), *LINES[:3], b'{"title": "Out of memory", "status": 500}'),
        saying(head(), *LINES[:3], b"<html>Bad gateway"),
    ],
    ids=["cut", "clean", "mid-object", "length", "reset", "gzip", "problem", "garbage"],
)
def test_a_broken_crosstab_is_gone_on_with_and_becomes_whole(way: Way, broken: Script) -> None:
    options = ClientOptions(timeout=None, deadline=HANGS)
    expected = CrosstabResult(ROWS, COLUMNS)
    with serving(saying(head(), *LINES)) as server:
        [expected] = way(server.url, [crosstab(expected, options)])
    with serving(broken, saying(head(), *LINES)) as server:
        [result] = way(server.url, [crosstab(CrosstabResult(ROWS, COLUMNS), options)])
        assert len(server.requests) == 2
    assert result.complete
    assert result.to_frame().equals(expected.to_frame())


def test_a_crosstab_that_stalls_holds_what_came(way: Way) -> None:
    with serving(then(head() + b"".join(LINES[:3]), STALL)) as server:
        flow = crosstab(CrosstabResult(ROWS, COLUMNS), ONCE)
        [failure] = way(server.url, [flow])
    assert type(failure) is errors.IncompleteStream
    assert failure.result.count == 3
    assert "eadline" in str(failure)
