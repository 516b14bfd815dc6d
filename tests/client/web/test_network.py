"""TLS and proxies over our own connections: the library's settings work, and the deadline holds."""

from __future__ import annotations

import selectors
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from audiencelab.client import errors
from audiencelab.client.doors.web import WebDoor
from audiencelab.client.flow import fetch
from audiencelab.client.flow.driver import Driver
from audiencelab.client.messages import NoAnswer, Patience
from audiencelab.client.web.http import HttpClient
from audiencelab.client.web.leash import Leash
from tests.client.fault_server import Line, Script, head, serving
from tests.client.faulty_calls import CALL, ONCE, serving_all, silent, then

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificate")


@dataclass
class Certificate:
    """A certificate of this machine, for a service, and for those who trust it."""

    file: Path
    key: Path

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file, self.key)
        return context

    def client(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.file))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    folder = tmp_path_factory.mktemp("certificate")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    names = "subjectAltName=DNS:localhost,IP:127.0.0.1"
    asked = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext {names}"
    subprocess.run(
        ["openssl", *asked.split(), "-keyout", str(made.key), "-out", str(made.file)],
        check=True,
        capture_output=True,
    )
    return made


def over_tls(certificate: Certificate, script: Script) -> Script:
    """The same script behind TLS."""

    def secured(line: Line) -> None:
        # A client that does not trust us, or has no time, hangs up in the middle.
        with suppress(OSError):
            line.sock.settimeout(10)
            line.sock = certificate.server().wrap_socket(line.sock, server_side=True)
            line.sock.settimeout(0.1)
            script(line)

    return secured


def call(http: HttpClient, times: int = 1, **options: Any) -> list[Any]:
    door = WebDoor(http)
    try:
        return [Driver(door).run(fetch(CALL, replace(ONCE, **options))) for _ in range(times)]
    finally:
        door.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_service_behind_tls_is_asked_over_one_connection(
    certificate: Certificate, host: str
) -> None:
    with serving(over_tls(certificate, serving_all)) as server:
        url = f"https://{host}:{server.port}"
        http = HttpClient(base_url=url, verify=certificate.client(), trust_env=False)
        assert call(http, 3, deadline=10.0) == [{"a": 1}] * 3
        assert server.connections == 1


def test_a_large_body_comes_whole_through_tls(certificate: Certificate) -> None:
    body = b'{"a": ' + b" " * 3_000_000 + b"1}"
    script = then(head(content_length=len(body)) + body, lambda _: None)
    with serving(over_tls(certificate, script)) as server:
        http = HttpClient(base_url=f"https://127.0.0.1:{server.port}", verify=certificate.client())
        assert call(http, deadline=10.0) == [{"a": 1}]


def test_a_certificate_that_nobody_vouches_for_is_refused_before_anything_is_sent(
    certificate: Certificate,
) -> None:
    with serving(over_tls(certificate, serving_all)) as server:
        http = HttpClient(base_url=f"https://127.0.0.1:{server.port}", trust_env=False)
        with pytest.raises(errors.ConnectionFailed, match="certificate is not accepted") as caught:
            call(http, deadline=10.0)
        assert caught.value.unsent
        assert server.requests == []


@pytest.mark.parametrize("stalled", ["handshake", "head"])
def test_the_deadline_holds_within_tls(certificate: Certificate, stalled: str) -> None:
    script = Line.stall if stalled == "handshake" else over_tls(certificate, silent)
    with serving(script) as server:
        url = f"https://127.0.0.1:{server.port}"
        http = HttpClient(base_url=url, verify=certificate.client(), trust_env=False)
        # Long enough that a busy machine shakes hands in it.
        with pytest.raises(errors.RequestTimeout, match="deadline") as caught:
            call(http, deadline=0.8 if stalled == "handshake" else 3.0)
        assert caught.value.unsent is (stalled == "handshake")


class Proxy:
    """A proxy that connects through to wherever it is asked to, and notes where."""

    def __init__(self, certificate: Certificate | None = None) -> None:
        self.asked: list[bytes] = []
        self._context = certificate.server() if certificate else None

    def __call__(self, line: Line) -> None:
        if self._context is not None:
            line.sock.settimeout(10)
            line.sock = self._context.wrap_socket(line.sock, server_side=True)
        line.sock.settimeout(0.1)
        target = line.request().split()[1]
        self.asked.append(target)
        host, _, port = target.decode().rpartition(":")
        with socket.create_connection((host, int(port))) as onward:
            line.send(b"HTTP/1.1 200 Connected\r\n\r\n")
            _carry(line.sock, onward)


def _carry(one: socket.socket, other: socket.socket) -> None:
    """Carry whatever comes to the other side, until either ends.

    On one thread, since a TLS connection may not be read and written by two at a time.
    """
    with selectors.DefaultSelector() as ready, suppress(OSError):
        for source, target in ((one, other), (other, one)):
            source.settimeout(5)
            ready.register(source, selectors.EVENT_READ, target)
        while waiting := ready.select(5):
            for key, _ in waiting:
                source = cast(socket.socket, key.fileobj)
                text = source.recv(65_536)
                # What TLS has taken in already shows on no selector.
                while isinstance(source, ssl.SSLSocket) and (held := source.pending()):
                    text += source.recv(held)
                if not text:
                    return
                key.data.sendall(text)


@pytest.mark.parametrize("secured", [False, True], ids=["plain proxy", "proxy behind TLS"])
def test_a_tunnel_through_a_proxy(certificate: Certificate, secured: bool) -> None:
    proxy = Proxy(certificate if secured else None)
    with serving(over_tls(certificate, serving_all)) as server, serving(proxy) as between:
        import httpx

        address = f"http{'s' * secured}://127.0.0.1:{between.port}"
        context = certificate.client()
        http = HttpClient(
            base_url=f"https://127.0.0.1:{server.port}",
            verify=context,
            proxy=httpx.Proxy(address, ssl_context=context if secured else None),
        )
        assert call(http, 2, deadline=10.0) == [{"a": 1}] * 2
        assert proxy.asked == [f"127.0.0.1:{server.port}".encode()]


def test_a_proxy_that_forwards_plain_requests() -> None:
    with serving(serving_all) as between:
        http = HttpClient(base_url="http://service.invalid", proxy=between.url)
        assert call(http, deadline=10.0) == [{"a": 1}]
        assert between.requests[0].startswith(b"POST http://service.invalid/v2/query/stats")


def test_a_stalled_proxy_ends_with_the_deadline() -> None:
    with serving(silent) as between:
        http = HttpClient(base_url="https://service.invalid", proxy=between.url)
        with pytest.raises(errors.RequestTimeout, match="deadline"):
            call(http)


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, theirs


def test_a_leash_is_a_number_of_seconds_for_those_who_know_no_better() -> None:
    assert Leash(Patience(2.5)) == 2.5
    with socket.socket() as sock:
        sock.settimeout(Leash(Patience()))


def test_a_leash_lets_wait_until_there_is_something(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    threading.Timer(0.3, lambda: theirs.send(b"x")).start()
    Leash(Patience(60.0)).wait(ours)
    assert ours.recv(1) == b"x"


def test_a_leash_ends_when_nobody_waits_any_more(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    off = threading.Event()
    threading.Timer(0.3, off.set).start()
    with pytest.raises(NoAnswer, match="called off"):
        Leash(Patience(60.0, None, off.is_set)).wait(pair[0])
