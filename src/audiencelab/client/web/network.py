"""Connections that are opened within a call's deadline, and that another thread can call off.

The HTTP library opens its connections here, and hands the call's `Leash` down as its time-out;
`sockets` keeps to it while bytes come and go.

What this is not: HTTP. Proxies, certificates, pooling and the protocol stay the library's; it is
given streams of bytes. For `await` a task is cancelled, and nothing of this is needed but to
notice what a service sends unasked.
"""

from __future__ import annotations

import errno
import os
import socket
import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from audiencelab.client.messages import NoAnswer
from audiencelab.client.web.leash import SLICE, Leash
from audiencelab.client.web.sockets import PatientStream, is_spoilt, leash_of

__all__ = ["PatientBackend", "WatchedBackend"]

_UNDER_WAY = {errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY}


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
        leash = leash_of(timeout)
        options = [*(socket_options or ()), (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
        failure = NoAnswer(f"The service could not be reached: {host} has no address.", unsent=True)
        for family, address in _resolve(host, port, leash):
            try:
                return PatientStream(_connect(family, address, leash, options, local_address))
            except NoAnswer as error:
                failure = NoAnswer(error.words, timeout=error.timeout, unsent=True)
            except OSError as error:
                failure = _unreached(error, host)
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
            return PatientStream(_connect(family, path, leash_of(timeout), options, None))
        except OSError as error:
            failure = _unreached(error, "a socket of this machine")
        raise failure

    def sleep(self, seconds: float) -> None:  # pragma: no cover - no failure of ours is one of
        # those after which the library tries again.
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
        if info == "is_readable" and is_spoilt(self.spoilt):
            return True
        return self._inner.get_extra_info(info)


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
        raise _unreached(found, host)
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


def _unreached(error: Exception, host: str) -> NoAnswer:
    # The host may be a proxy's: where it stands between, that is what has to be looked at.
    reason = getattr(error, "strerror", None) or type(error).__name__
    return NoAnswer(f"The service could not be reached: {host}: {reason}.", unsent=True)
