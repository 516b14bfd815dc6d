"""`serve()`: the service on a socket, for as long as a `with` block lasts.

The server has its own thread and event loop, so that it works in a notebook, where a loop runs
already, in a test, and on the command line; several workers have a process each.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from audiencelab import local_servers
from audiencelab.local_servers import is_loopback
from audiencelab.schema.scope import BaseOf
from audiencelab.service.credentials import Credentials, CredentialsFile, Tokens, new_token
from audiencelab.service.http.app import MAX_CONCURRENT
from audiencelab.service.http.running import Faults, ServeError, ServeSettings, running
from audiencelab.service.http.workers import workers as worker_processes
from audiencelab.service.limits import Limits, RateLimit
from audiencelab.survey import Survey, demo_survey

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security

__all__ = ["MAX_CONNECTIONS", "ServeError", "serve"]

_LAST_PORT = 65_535

MAX_CONNECTIONS = 1_000
"""Requests on connections beyond get 503: each of them takes a file of the process, and memory."""

_BACKLOG = 2_048
"""Connections that may wait to be accepted."""

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


@contextmanager
def serve(
    survey: str | Path | Survey | None = None,
    *,
    engine: DaskClient | str | None = None,
    security: Security | None = None,
    allow_insecure_scheduler: bool = False,
    store: str | Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    credentials: Credentials | str | Path | None = None,
    limits: Limits | None = None,
    rate_limit: RateLimit | None = None,
    max_per_caller: int | None = None,
    minimum_base: int = 0,
    base_of: BaseOf | None = None,
    max_connections: int = MAX_CONNECTIONS,
    metrics: bool = False,
    root_path: str = "",
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    socket_file: str | Path | None = None,
    proxy_headers: bool = False,
    faults: Faults | None = None,
    grace: float = 10.0,
    workers: int = 1,
    worker_setup: Callable[[], object] | None = None,
) -> Generator[str]:
    """Serve a survey over HTTP while the block lasts; yields the URL, `http://127.0.0.1:PORT`.

    Use it as a block: `with al.serve() as url: client = al.connect(url)`.

    On the same machine `audiencelab.connect(url)` of the same user needs no token: one that the
    server makes is written where only this user can read it.

    survey: a survey's folder or address, or an open survey; None for the demo survey.
    engine: a Dask client or a scheduler's address, for tables that are computed on a cluster.
    security: the certificates for a scheduler's address that begins with `tls://`, as a
        `distributed.Security`; by default those of Dask's configuration.
    allow_insecure_scheduler: connect to a scheduler on another machine without TLS. Anyone who
        can reach that scheduler can then run code in this process.
    store: the file for charts and saved audiences; without it they last as long as the block.
    host, port: where to listen; port 0 takes any that is free.
    token: the credential of the service; without it the server makes one.
    credentials: a file of named credentials, or other `Credentials`, in place of the token.
    limits: limits of one request. rate_limit: how often one credential may ask.
    minimum_base: figures that count, or rest on, fewer respondents (but at least one) are withheld.
    base_of: who of the base counts in a cell, "valid" or "everyone", for clients that do not name
        it; by default what the survey says. A query itself that does not name it counts everyone.
    max_per_caller: requests that one credential may have in progress; by default all of them, and
        with `credentials` a quarter of them.
    max_connections: how many connections may have a request; others are answered 503 at once. One
        without a request is closed after 30 seconds, or when there are too many, oldest first. It
        is at most 80 less than the files that the process may open.
    metrics: whether to answer `GET /metrics` in Prometheus' format, without a credential.
    root_path: what all paths begin with, behind a proxy that does not take it off.
    certificate, key: files (PEM) to serve HTTPS with; the key may be in the certificate's file.
    socket_file: a Unix socket to listen on in place of `host` and `port`, for a proxy on the same
        machine; the block then yields its path.
    proxy_headers: whether the log names the address in `X-Forwarded-For`, which a proxy on this
        machine sets.
    faults: how the service misbehaves, for tests of clients, such as a `FaultProfile`.
    grace: seconds in which responses in progress may finish when the block ends.
    workers: how many processes serve; one that is killed is replaced. As with all of Python's
        processes, a script starts them below `if __name__ == "__main__":`.
    worker_setup: what each of several processes calls first, such as a function that configures
        logging.

    Raises `ServeError` for an address that cannot be listened on, a token that does not fit in a
    header, and a host that others can reach without a token of your own; `SurveyError` for a
    folder without a survey; `ClusterError` for an engine that cannot be used; `StoreError` for a
    file that is not a store.

    >>> with al.serve() as url, al.connect(url) as client:
    ...     client.size(client["Gender"] == "Male").sample
    3727.0
    """
    if workers < 1:
        raise ServeError(f"workers must be at least 1; got {workers}.")
    if not isinstance(credentials, str | Path | None):
        known = credentials
    elif credentials is not None:
        known = CredentialsFile(credentials)
    else:
        known = None
    if known is not None and token is not None:
        raise ServeError("Give a token or credentials, not both.")
    if known is None:
        # A socket file is reached from this computer alone.
        _check_token(token, host if socket_file is None else "localhost")
    if known is not None and max_per_caller is None:
        max_per_caller = MAX_CONCURRENT // 4
    made = new_token() if known is None and token is None else None
    settings = ServeSettings(
        survey=_opened(survey),
        engine=engine,
        security=security,
        allow_insecure_scheduler=allow_insecure_scheduler,
        store=store,
        credentials=known or Tokens([made or token or ""]),
        limits=limits,
        rate_limit=rate_limit,
        max_per_caller=max_per_caller,
        minimum_base=minimum_base,
        base_of=base_of,
        max_connections=max_connections,
        metrics=metrics,
        root_path=root_path,
        certificate=certificate,
        key=key,
        proxy_headers=proxy_headers,
        faults=faults,
        grace=grace,
    )
    with (
        _listening(host, port) if socket_file is None else _listening_on(socket_file) as listener,
        running(settings, listener)
        if workers == 1
        else worker_processes(settings, listener, workers, worker_setup),
    ):
        scheme = "http" if certificate is None else "https"
        url = str(socket_file) if socket_file is not None else _address(host, listener, scheme)
        if made:
            local_servers.write_token(url, made)
        try:
            yield url
        finally:
            if made:
                local_servers.remove_token(url, made)


def _check_token(token: str | None, host: str) -> None:
    if token is None and not is_loopback(host):
        raise ServeError(
            "Others can reach this host, so the service needs a token that you chose and can "
            "pass on. Give one, or listen on 127.0.0.1."
        )
    if token is not None and not re.fullmatch("[!-~]+", token):
        raise ServeError("A token must be printable ASCII characters without spaces.")


def _opened(survey: str | Path | Survey | None) -> Survey:
    if survey is None:
        return demo_survey()
    return survey if isinstance(survey, Survey) else Survey.open(survey)


@contextmanager
def _listening(host: str, port: int) -> Generator[socket.socket]:
    """A socket bound to the address; connections wait in it until the server takes them."""
    if not 0 <= port <= _LAST_PORT:
        raise ServeError(f"port must be from 0 (any that is free) to {_LAST_PORT:,}; got {port}.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.create_server(address, family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ServeError(f"Cannot listen on {host}, port {port}: {error.strerror}.") from None
    except UnicodeError:
        raise ServeError(
            f"{host!r} is not a host name: each part between the dots has 1 to 63 characters."
        ) from None
    with listener:
        # Connections inherit it; asyncio does not set it on those accepted from such a socket.
        # Without it a response in two packets waits 40 ms for the first to be acknowledged.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield listener


@contextmanager
def _listening_on(path: str | Path) -> Generator[socket.socket]:
    """A Unix socket at a path, which is removed afterwards."""
    file = Path(path).expanduser()
    with socket.socket(socket.AF_UNIX) as listener:
        try:
            # One that a killed server left behind.
            if file.is_socket():
                file.unlink()
            listener.bind(str(file))
            listener.listen(_BACKLOG)
        except OSError as error:
            raise ServeError(f"Cannot listen on {file}: {error.strerror or error}.") from None
        try:
            yield listener
        finally:
            file.unlink(missing_ok=True)


def _address(host: str, listener: socket.socket, scheme: str = "http") -> str:
    """The URL of the server, with a host that can be connected to."""
    named = _ANY_ADDRESS.get(host, host)
    port = listener.getsockname()[1]
    return f"{scheme}://[{named}]:{port}" if ":" in named else f"{scheme}://{named}:{port}"
