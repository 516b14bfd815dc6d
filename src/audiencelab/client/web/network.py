"""Connections that keep to a call's deadline, and that another thread can call off.

The HTTP library opens its connections here: every wait is cut into slices, and between them a
`Leash`, which travels as the time-out that the library hands down, tells whether the call may go
on.

What this is not: HTTP. Proxies, certificates, pooling and the protocol stay the library's; it is
given streams of bytes. For `await` a task is cancelled, and nothing of this is needed but to
notice what a service sends unasked.
"""

from __future__ import annotations

import errno
import os
import socket
import ssl
import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

from audiencelab.client.messages import NoAnswer, Patience
from audiencelab.client.web.http import write_failure
from audiencelab.client.web.leash import SLICE, Leash, ready

__all__ = ["PatientBackend", "WatchedBackend"]

T = TypeVar("T")

_TLS_READ = 64 * 1024
_UNDER_WAY = {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY}


class PatientStream:
    """Bytes over a socket, within a leash; what the library calls a network stream.

    spoilt: tells whether more has come than was asked for, so that the connection is of no use.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.spoilt: Callable[[], bool] | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        leash = _leash(timeout)
        # Looked at even if there is something to read, for there may be no end of it.
        leash.left(time.monotonic())
        while True:
            try:
                return self._sock.recv(max_bytes)
            except BlockingIOError:
                broken = None
            except OSError as error:
                broken = _cut(error)
            if broken is not None:
                raise broken
            leash.wait(self._sock)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        leash = _leash(timeout)
        rest = memoryview(buffer)
        while rest:
            try:
                rest = rest[self._sock.send(rest) :]
                continue
            except BlockingIOError:
                broken = None
            except OSError as error:
                broken = error
            if broken is not None:
                # The library's own: it then reads the answer that a service may have sent before
                # it stopped listening.
                raise write_failure(type(broken).__name__)
            leash.wait(self._sock, writing=True)

    def close(self) -> None:
        self._sock.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> TlsStream:
        return TlsStream(self, ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        if info == "socket":
            return self._sock
        if info == "client_addr":
            return self._sock.getsockname()
        if info == "server_addr":
            return self._sock.getpeername()
        if info == "is_readable":
            return _is_spoilt(self.spoilt) or ready(self._sock, 0)
        return None


class TlsStream:
    """TLS over another stream, which may be TLS itself: a proxy's, for one."""

    def __init__(
        self,
        carrier: PatientStream | TlsStream,
        context: ssl.SSLContext,
        server_hostname: str | None,
        timeout: float | None,
    ) -> None:
        self._carrier = carrier
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        # HTTP/2 reads and writes from several threads; records must leave in the order made.
        self._order = Lock()
        self.spoilt: Callable[[], bool] | None = None
        failure: NoAnswer
        try:
            self._tls = context.wrap_bio(
                self._incoming, self._outgoing, server_hostname=server_hostname
            )
            self._perform(self._tls.do_handshake, timeout)
        except NoAnswer as error:
            failure = NoAnswer(error.words, timeout=error.timeout, unsent=True)
        except (ssl.SSLError, ssl.CertificateError, OSError) as error:
            failure = NoAnswer(_tls_words(error), unsent=True)
        except BaseException:
            carrier.close()
            raise
        else:
            return
        carrier.close()
        raise failure

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            return self._perform(lambda: self._tls.read(max_bytes), timeout)
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            # Many services end without a farewell; whether all has come is told by what came.
            return b""
        except ssl.SSLError as error:
            failure = _cut(error)
        raise failure

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        rest = memoryview(buffer)
        try:
            while rest:
                part = rest
                rest = rest[self._perform(lambda part=part: self._tls.write(part), timeout) :]
            return
        except ssl.SSLError as error:
            failure = write_failure(type(error).__name__)
        raise failure

    def close(self) -> None:
        self._carrier.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> TlsStream:
        return TlsStream(self, ssl_context, server_hostname, timeout)

    def get_extra_info(self, info: str) -> Any:
        if info == "ssl_object":
            return self._tls
        if info == "is_readable" and _is_spoilt(self.spoilt):
            return True
        return self._carrier.get_extra_info(info)

    def _perform(self, act: Callable[[], T], timeout: float | None) -> T:
        """Do a step of TLS, carrying bytes to and fro until it is done."""
        while True:
            with self._order:
                try:
                    result = act()
                except ssl.SSLWantReadError:
                    self._send_out(timeout)
                else:
                    self._send_out(timeout)
                    return result
            came = self._carrier.read(_TLS_READ, timeout)
            with self._order:
                if came:
                    self._incoming.write(came)
                else:
                    self._incoming.write_eof()

    def _send_out(self, timeout: float | None) -> None:
        if self._outgoing.pending:
            self._carrier.write(self._outgoing.read(), timeout)


class PatientBackend:
    """Opens connections within a leash; what the library calls a network backend."""

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> PatientStream:
        leash = _leash(timeout)
        options = [*(socket_options or ()), (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        failure = NoAnswer(f"The service could not be reached: {host} has no address.", unsent=True)
        for family, address in _resolve(host, port, leash):
            try:
                return PatientStream(_connect(family, address, leash, options, local_address))
            except NoAnswer as error:
                failure = NoAnswer(error.words, timeout=error.timeout, unsent=True)
            except OSError as error:
                failure = _unreached(error)
        raise failure

    def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> PatientStream:
        try:
            family = socket.AF_UNIX
            options = list(socket_options or ())
            return PatientStream(_connect(family, path, _leash(timeout), options, None))
        except OSError as error:
            failure = _unreached(error)
        raise failure

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class WatchedBackend:
    """The library's own backend for `await`, whose streams can be spoilt like those above."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def connect_tcp(self, *args: Any, **options: Any) -> WatchedStream:
        return WatchedStream(await self._inner.connect_tcp(*args, **options))

    async def connect_unix_socket(self, *args: Any, **options: Any) -> WatchedStream:
        return WatchedStream(await self._inner.connect_unix_socket(*args, **options))

    async def sleep(self, seconds: float) -> None:
        await self._inner.sleep(seconds)


class WatchedStream:
    """A stream of the library's own that can be spoilt."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.spoilt: Callable[[], bool] | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return await self._inner.read(max_bytes, timeout=timeout)

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        await self._inner.write(buffer, timeout=timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(self, *args: Any, **options: Any) -> WatchedStream:
        return WatchedStream(await self._inner.start_tls(*args, **options))

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable" and _is_spoilt(self.spoilt):
            return True
        return self._inner.get_extra_info(info)


def _leash(timeout: float | None) -> Leash:
    """The leash that was handed down, or one for a plain time-out of the library's own."""
    return timeout if isinstance(timeout, Leash) else Leash(Patience(timeout))


def _resolve(host: str, port: int, leash: Leash) -> list[tuple[int, Any]]:
    """The addresses of a host. Looking up a name cannot be interrupted, so a thread does it."""
    if _is_numeric(host):
        return _addresses(host, port)
    answers: SimpleQueue[list[tuple[int, Any]] | Exception] = SimpleQueue()

    def look_up() -> None:
        try:
            answers.put(_addresses(host, port))
        except (OSError, UnicodeError) as error:
            answers.put(error)

    Thread(target=look_up, name="audiencelab-lookup", daemon=True).start()
    since = time.monotonic()
    while True:
        try:
            found = answers.get(timeout=min(SLICE, leash.left(since)))
            break
        except Empty:
            continue
        except NoAnswer as error:
            found = NoAnswer(error.words, timeout=error.timeout, unsent=True)
            break
    if isinstance(found, NoAnswer):
        raise found
    if isinstance(found, Exception):
        raise _unreached(found)
    return found


def _is_numeric(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _addresses(host: str, port: int) -> list[tuple[int, Any]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [(family, address) for family, _, _, _, address in found]


def _connect(
    family: int, address: Any, leash: Leash, options: Iterable[Any], local: str | None
) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setblocking(False)
        for option in options:
            sock.setsockopt(*option)
        if local is not None:
            sock.bind((local, 0))
        code = sock.connect_ex(address)
        if code in _UNDER_WAY:
            leash.wait(sock, writing=True)
            code = sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if code:
            raise OSError(code, os.strerror(code))
    except BaseException:
        sock.close()
        raise
    return sock


def _is_spoilt(spoilt: Callable[[], bool] | None) -> bool:
    return spoilt is not None and spoilt()


def _cut(error: OSError) -> NoAnswer:
    return NoAnswer(f"The connection broke before the answer was whole ({type(error).__name__}).")


def _unreached(error: Exception) -> NoAnswer:
    reason = getattr(error, "strerror", None) or type(error).__name__
    return NoAnswer(f"The service could not be reached: {reason}.", unsent=True)


def _tls_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The service's certificate is not accepted: {error.verify_message}."
    return f"No secure connection to the service could be made ({type(error).__name__})."
