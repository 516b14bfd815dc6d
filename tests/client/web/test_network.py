"""TLS and proxies over our own connections: the library's settings work, and the deadline holds."""

from __future__ import annotations

import asyncio
import selectors
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import pytest

from audiencelab.client import errors
from audiencelab.client.doors.web import AsyncWebDoor, WebDoor
from audiencelab.client.flow import fetch
from audiencelab.client.flow.async_driver import AsyncDriver
from audiencelab.client.flow.driver import Driver
from audiencelab.client.messages import NoAnswer, Patience
from audiencelab.client.web.http import AsyncHttpClient, HttpClient
from audiencelab.client.web.leash import Leash
from audiencelab.client.web.network import PatientBackend
from audiencelab.client.web.sockets import PatientStream
from tests.client.fault_server import Line, Script, head, serving
from tests.client.faulty_calls import (
    CALL,
    GOOD,
    ONCE,
    PATIENT,
    REQUEST,
    saying,
    serving_all,
    silent,
    then,
)

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


def test_a_service_behind_tls_is_asked_for_await_too(certificate: Certificate) -> None:
    async def ask(url: str) -> Any:
        http = AsyncHttpClient(base_url=url, verify=certificate.client(), trust_env=False)
        door = AsyncWebDoor(http)
        try:
            return await AsyncDriver(door).run(fetch(CALL, PATIENT))
        finally:
            await door.close()

    with serving(over_tls(certificate, serving_all)) as server:
        assert asyncio.run(ask(f"https://127.0.0.1:{server.port}")) == {"a": 1}


def test_an_answer_that_ends_early_within_tls_is_told(certificate: Certificate) -> None:
    with serving(over_tls(certificate, saying(head(content_length=9) + b'{"a": '))) as server:
        http = HttpClient(base_url=f"https://127.0.0.1:{server.port}", verify=certificate.client())
        with pytest.raises(errors.ConnectionFailed, match="broke before the answer was whole"):
            call(http, deadline=10.0)


def test_what_is_no_tls_any_more_ends_reading_and_writing(certificate: Certificate) -> None:
    import httpcore

    def breaking(line: Line) -> None:
        socket.socket.sendall(line.sock, b"no record of TLS" * 9)
        line.stall()

    with serving(over_tls(certificate, breaking)) as server:
        plain = PatientBackend().connect_tcp("127.0.0.1", server.port, 60.0)
        stream = plain.start_tls(certificate.client(), "127.0.0.1", 60.0)
        with pytest.raises(NoAnswer, match=r"broke before the answer was whole \(SSL"):
            stream.read(1, 60.0)
        with pytest.raises(httpcore.WriteError, match="SSL"):
            stream.write(b"x", 60.0)
        stream.close()


def test_a_stream_of_tls_tells_what_it_is_and_whether_it_is_of_any_use(
    certificate: Certificate,
) -> None:
    with serving(over_tls(certificate, Line.stall)) as server:
        plain = PatientBackend().connect_tcp("127.0.0.1", server.port, 60.0)
        stream = plain.start_tls(certificate.client(), "127.0.0.1", 60.0)
        assert stream.get_extra_info("ssl_object").version().startswith("TLS")
        stream.spoilt = lambda: True
        assert stream.get_extra_info("is_readable") is True
        stream.spoilt = lambda: False
        assert stream.get_extra_info("server_addr") == ("127.0.0.1", server.port)
        stream.close()


def test_an_interrupt_while_hands_are_shaken_closes_the_connection(
    certificate: Certificate, pair: tuple[socket.socket, socket.socket]
) -> None:
    class Interrupted(PatientStream):
        def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Interrupted(pair[0]).start_tls(certificate.client(), "127.0.0.1", 60.0)
    assert pair[0].fileno() < 0


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


def test_a_leash_ends_at_a_socket_that_another_thread_has_closed(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    pair[0].close()
    Leash(Patience(60.0)).wait(pair[0])
    with pytest.raises(NoAnswer, match="broke before the answer was whole"):
        PatientStream(pair[0]).read(1, 60.0)


def test_a_name_that_is_looked_up_for_ever_ends_with_the_deadline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    over = threading.Event()

    def look_up(*_: object, **__: object) -> list[Any]:
        over.wait()
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    http = HttpClient(base_url="http://service.invalid", trust_env=False)
    try:
        with pytest.raises(errors.RequestTimeout, match="deadline") as caught:
            call(http, deadline=0.5)
    finally:
        over.set()
    assert caught.value.unsent


def test_where_all_connections_are_busy_a_call_waits_until_its_deadline() -> None:
    import httpx

    with serving(silent) as server:
        http = HttpClient(base_url=server.url, limits=httpx.Limits(max_connections=1))
        door = WebDoor(http)

        def hold() -> None:
            with suppress(NoAnswer):
                door.send(REQUEST, Patience(called_off=over.is_set))

        over = threading.Event()
        held = threading.Thread(target=hold)
        held.start()
        assert server.asked(1)
        with pytest.raises(NoAnswer, match="All connections were busy for too long") as caught:
            door.send(REQUEST, Patience(until=time.monotonic() + 0.1))
        assert (caught.value.timeout, caught.value.unsent) == (True, True)
        assert len(server.requests) == 1
        over.set()
        held.join()
        door.close()


def test_an_address_of_another_kind_is_told() -> None:
    with pytest.raises(errors.ConnectionFailed, match="must begin with https://") as caught:
        call(HttpClient(base_url="ftp://service.invalid"))
    assert caught.value.unsent


@pytest.mark.skipif(sys.platform != "linux", reason="this machine may have one address alone")
def test_a_connection_may_be_given_the_address_that_it_comes_from() -> None:
    import httpx

    came: list[Any] = []

    def noting(line: Line) -> None:
        came.append(line.sock.getpeername()[0])
        serving_all(line)

    with serving(noting) as server:
        mounts = {"all://": httpx.HTTPTransport(local_address="127.0.0.3")}
        assert call(HttpClient(base_url=server.url, mounts=mounts), deadline=10.0) == [{"a": 1}]
        assert came == ["127.0.0.3"]


def test_a_connection_for_await_is_tried_as_often_as_the_library_is_told() -> None:
    import httpx

    async def ask(url: str) -> None:
        mounts = {"all://": httpx.AsyncHTTPTransport(retries=1)}
        door = AsyncWebDoor(AsyncHttpClient(base_url=url, mounts=mounts))
        try:
            await AsyncDriver(door).run(fetch(CALL, PATIENT))
        finally:
            await door.close()

    # Nobody listens there.
    with pytest.raises(errors.ConnectionFailed, match="could not be reached"):
        asyncio.run(ask("http://127.0.0.1:9"))


def test_a_large_body_is_written_as_fast_as_it_is_taken(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    ours.setblocking(False)
    body = bytes(range(256)) * 16_000
    taken = bytearray()

    def take() -> None:
        while len(taken) < len(body) and (came := theirs.recv(65_536)):
            taken.extend(came)

    taking = threading.Timer(0.2, take)
    taking.start()
    PatientStream(ours).write(body, 60.0)
    taking.join()
    assert taken == body


def test_a_write_to_who_has_hung_up_is_the_librarys_own_error(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    import httpcore

    ours, theirs = pair
    theirs.close()
    with pytest.raises(httpcore.WriteError, match=r"BrokenPipeError|ConnectionResetError"):
        PatientStream(ours).write(b"x", 60.0)


def test_a_stream_tells_its_socket_and_its_ends() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        stream = PatientBackend().connect_tcp("127.0.0.1", listener.getsockname()[1], 60.0)
        line, address = listener.accept()
        with line:
            assert stream.get_extra_info("client_addr") == address
            assert stream.get_extra_info("server_addr") == listener.getsockname()
            assert stream.get_extra_info("socket").fileno() > 0
            assert stream.get_extra_info("colour") is None
        stream.close()


def test_a_service_that_speaks_no_tls_is_told(certificate: Certificate) -> None:
    with serving(lambda line: line.send(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as server:
        http = HttpClient(base_url=f"https://127.0.0.1:{server.port}", verify=certificate.client())
        with pytest.raises(errors.ConnectionFailed, match="No secure connection") as caught:
            call(http, deadline=10.0)
        assert caught.value.unsent


# As the library's own transports ask for them: http={"mounts": {"all://": transport}}.
needs_unix_sockets = pytest.mark.skipif(
    not hasattr(socket, "AF_UNIX"), reason="sockets that are files"
)


@needs_unix_sockets
@pytest.mark.parametrize("awaited", [False, True], ids=["", "await"])
def test_a_service_behind_a_socket_of_this_machine(tmp_path: Path, awaited: bool) -> None:
    def answer_once() -> None:
        line, _ = listener.accept()
        with line:
            while not line.recv(65_536).endswith(b"}"):
                pass
            line.sendall(GOOD)

    path = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        answering = threading.Thread(target=answer_once, daemon=True)
        answering.start()
        came = asyncio.run(_awaited(path)) if awaited else call(_through(path), deadline=10.0)[0]
        assert came == {"a": 1}
        answering.join()


@needs_unix_sockets
def test_a_socket_of_this_machine_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(errors.ConnectionFailed, match="a socket of this machine") as caught:
        call(_through(str(tmp_path / "socket")))
    assert caught.value.unsent


def _through(path: str) -> HttpClient:
    import httpx

    mounts = {"all://": httpx.HTTPTransport(uds=path)}
    return HttpClient(base_url="http://service.invalid", mounts=mounts)


async def _awaited(path: str) -> Any:
    import httpx

    mounts = {"all://": httpx.AsyncHTTPTransport(uds=path)}
    door = AsyncWebDoor(AsyncHttpClient(base_url="http://service.invalid", mounts=mounts))
    try:
        return await AsyncDriver(door).run(fetch(CALL, PATIENT))
    finally:
        await door.close()
