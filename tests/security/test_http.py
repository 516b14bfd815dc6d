"""`audiencelab serve` by raw bytes: what two readers of HTTP may read differently, and rebinding.

Where a proxy stands before the server, a request that the two part differently lets one caller
speak in another's name. So whatever is not plain is refused, and the connection ends.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

import audiencelab as al

pytestmark = pytest.mark.slow

TOKEN = "right-token-of-the-service"
STATS = "POST /v2/query/stats HTTP/1.1"
SMUGGLED = b"GET /v2/questions/core.q2 HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with al.serve(token=TOKEN) as url:
        yield url


def exchange(url: str, line: str, *headers: str, body: bytes = b"", token: str = TOKEN) -> bytes:
    """All that the server answers until it closes the connection; it is asked to."""
    place = urlsplit(url)
    lines = [line, *headers, f"Authorization: Bearer {token}", "Connection: close"]
    with socket.create_connection((place.hostname, place.port), timeout=60) as wire:
        wire.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        return received(wire)


def received(wire: socket.socket) -> bytes:
    """All that comes; who is hung up on while still sending may not get to read why."""
    came = b""
    with suppress(ConnectionResetError):
        while piece := wire.recv(65_536):
            came += piece
    return came


def statuses(answer: bytes) -> list[int]:
    heads = answer.split(b"HTTP/1.1 ")[1:]
    return [int(each[:3]) for each in heads]


# The HTTP library refuses more; these show that nothing of ours lets them pass.
AMBIGUOUS: tuple[tuple[str, ...], ...] = (
    ("Content-Length: 2", "Content-Length: 60"),
    ("Content-Length: +2",),
    ("Transfer-Encoding: gzip, chunked",),
    ("Transfer-Encoding : chunked",),
    ("X: a\rTransfer-Encoding: chunked",),
)


@pytest.mark.parametrize("headers", AMBIGUOUS)
def test_a_body_of_two_lengths_is_none(url: str, headers: tuple[str, ...]) -> None:
    answer = exchange(url, STATS, "Host: x", *headers, body=b"{}" + SMUGGLED)
    [status] = statuses(answer)
    assert status in (400, 501)
    assert TOKEN.encode() not in answer


@pytest.mark.parametrize("many", [1, 2_000])
def test_heads_have_an_end(url: str, many: int) -> None:
    answer = exchange(url, "GET /health HTTP/1.1", *["X: " + "x" * (200_000 // many)] * many)
    assert statuses(answer) in ([400], [])
    assert b"ok" not in answer.lower()


@pytest.mark.parametrize(
    "name",
    ["X-Original-URL", "X-Rewrite-URL", "X-Forwarded-For", "X-Forwarded-Host", "Forwarded"],
)
def test_nobody_is_let_in_by_what_only_a_proxy_would_say(url: str, name: str) -> None:
    line = "GET /v2/questions/core.q2 HTTP/1.1"
    answer = exchange(url, line, "Host: x", f"{name}: 127.0.0.1", token="wrong")
    assert statuses(answer) == [401]
    assert statuses(exchange(url, "GET /x HTTP/1.1", "Host: x", f"{name}: /health")) == [404]


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
def test_a_site_whose_name_leads_here_learns_nothing(url: str, host: str) -> None:
    """DNS rebinding: its page may ask, for it is its own origin, and has no token."""
    headers = (f"Host: {host}", f"Origin: http://{host}")
    answer = exchange(url, "GET /v2/questions/core.q2 HTTP/1.1", *headers, token="guessed")
    assert statuses(answer) == [401]
    assert b"access-control" not in answer.lower()
    assert b"core.q2" not in answer


@pytest.mark.parametrize(
    "path",
    [
        "/v2/questions/../../etc/passwd",
        "/v2/questions/..%2f..%2fetc%2fpasswd",
        "/v2/questions/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/v2/questions/..%5c..%5cetc",
        "/v2/questions/core.q2%00.json",
        "/v2/saved/audiences/..%2f..%2fx",
        "//v2/questions/core.q2",
        "http://evil.example/v2/questions/core.q2x",
    ],
)
def test_no_id_is_a_path(url: str, path: str) -> None:
    answer = exchange(url, f"GET {path} HTTP/1.1", "Host: x")
    [status] = statuses(answer)
    assert status in (400, 404, 405)
    assert b"root:" not in answer
    assert b"etc/passwd" not in answer


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer  ", "Basic ", "", "Token "])
def test_no_part_of_a_token_will_do(url: str, scheme: str) -> None:
    place = urlsplit(url)
    for token in (TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), "", " ", "\xff"):
        lines = f"GET /v2/questions/core.q2 HTTP/1.1\r\nHost: x\r\nAuthorization: {scheme}{token}"
        with socket.create_connection((place.hostname, place.port), timeout=60) as wire:
            wire.sendall(f"{lines}\r\nConnection: close\r\n\r\n".encode("latin-1"))
            answer = received(wire)
        assert statuses(answer)[0] in (400, 401)
