"""Bytes over a socket, in plain or through TLS, waited for no longer than a call may wait.

Every wait is cut into slices, and between them a `Leash` tells whether the call may go on. What
this is not: opening connections (`network` does) or HTTP (the library does).
"""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

from audiencelab.client.messages import NoAnswer, Patience
from audiencelab.client.web.http import write_failure
from audiencelab.client.web.leash import Leash, ready

__all__ = ["PatientStream", "TlsStream", "is_spoilt", "leash_of"]

T = TypeVar("T")

_TLS_READ = 64 * 1024


class PatientStream:
    """Bytes over a socket, within a leash; what the library calls a network stream.

    spoilt: tells whether more has come than was asked for, so that the connection is of no use.
    """

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.spoilt: Callable[[], bool] | None = None

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        leash = leash_of(timeout)
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
        leash = leash_of(timeout)
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
            return is_spoilt(self.spoilt) or ready(self._sock, 0)
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
        if info == "is_readable" and is_spoilt(self.spoilt):
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


def leash_of(timeout: float | None) -> Leash:
    """The leash that was handed down, or one for a plain time-out of the library's own."""
    return timeout if isinstance(timeout, Leash) else Leash(Patience(timeout))


def is_spoilt(spoilt: Callable[[], bool] | None) -> bool:
    """Whether a connection is known to be of no use; asked by those that keep it."""
    return spoilt is not None and spoilt()


def _cut(error: OSError) -> NoAnswer:
    return NoAnswer(f"The connection broke before the answer was whole ({type(error).__name__}).")


def _tls_words(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"The service's certificate is not accepted: {error.verify_message}."
    return f"No secure connection to the service could be made ({type(error).__name__})."
