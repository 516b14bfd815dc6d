"""`serve()`: the service on a socket, for as long as a `with` block lasts.

The server has its own thread and event loop, so that it works in a notebook, where a loop runs
already, in a test, and on the command line.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import threading
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import uvicorn
from starlette.types import ASGIApp

from audiencelab import background, local_servers
from audiencelab.engine import Engine
from audiencelab.errors import AudienceError
from audiencelab.local_servers import is_loopback
from audiencelab.service.credentials import Credentials, CredentialsFile
from audiencelab.service.http.app import MAX_CONCURRENT, Handler, application
from audiencelab.service.limits import Limits, RateLimit
from audiencelab.service.service import Service
from audiencelab.survey import Survey, demo_survey

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security


_LARGEST_HEAD = 32 * 1024
"""Bytes of a request line and its headers."""

_KEEP_ALIVE = 30
"""Seconds before an idle connection is closed; clients close theirs earlier."""

_LAST_PORT = 65_535

MAX_CONNECTIONS = 1_000
"""Connections beyond get 503: each of them takes a file of the process, and memory."""

_OPEN_FILES = 65_536

_log = logging.getLogger("audiencelab.service.http")

_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class Faults(Protocol):
    """Wraps a service so that it misbehaves."""

    def wrap(self, service: Service) -> Handler: ...


class ServeError(AudienceError):
    """The service cannot be served as asked."""


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
    max_connections: int = MAX_CONNECTIONS,
    metrics: bool = False,
    root_path: str = "",
    certificate: str | Path | None = None,
    key: str | Path | None = None,
    socket_file: str | Path | None = None,
    proxy_headers: bool = False,
    faults: Faults | None = None,
    grace: float = 10.0,
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
    max_per_caller: requests that one credential may have in progress; by default all of them, and
        with `credentials` a quarter of them.
    max_connections: connections beyond are answered 503 at once.
    metrics: whether to answer `GET /metrics` in Prometheus' format, without a credential.
    root_path: what all paths begin with, behind a proxy that does not take it off.
    certificate, key: files (PEM) to serve HTTPS with; the key may be in the certificate's file.
    socket_file: a Unix socket to listen on in place of `host` and `port`, for a proxy on the same
        machine; the block then yields its path.
    proxy_headers: whether the log names the address in `X-Forwarded-For`, which a proxy on this
        machine sets.
    faults: how the service misbehaves, for tests of clients, such as a `FaultProfile`.
    grace: seconds in which responses in progress may finish when the block ends.

    Raises `ServeError` for an address that cannot be listened on, a token that does not fit in a
    header, and a host that others can reach without a token of your own; `SurveyError` for a
    folder without a survey; `ClusterError` for an engine that cannot be used; `StoreError` for a
    file that is not a store.

    >>> with al.serve() as url, al.connect(url) as client:
    ...     client.size(client["Gender"] == "Male").sample
    3727.0
    """
    if not isinstance(credentials, str | Path | None):
        known = credentials
    elif credentials is not None:
        known = CredentialsFile(credentials)
    else:
        known = None
    if known is not None and token is not None:
        raise ServeError("Give a token or credentials, not both.")
    if known is None and socket_file is None:
        _check_token(token, host)
    opened = _opened(survey)
    chosen = known or (None if token is None else [token])
    if known is not None and max_per_caller is None:
        max_per_caller = MAX_CONCURRENT // 4
    is_made = chosen is None
    with (
        _listening(host, port) if socket_file is None else _listening_on(socket_file) as listener,
        _engine(opened, engine, security, allowed=allow_insecure_scheduler) as spread,
        Service(
            opened, chosen, limits, engine=spread, store=store, rate_limit=rate_limit
        ) as service,
        _running(
            application(
                service if faults is None else faults.wrap(service),
                max_per_caller=max_per_caller,
                metrics=metrics,
                root_path=root_path,
            ),
            listener,
            grace,
            limit_concurrency=max_connections,
            ssl_certfile=certificate,
            ssl_keyfile=None if key is None else str(key),
            proxy_headers=proxy_headers,
        ),
    ):
        scheme = "http" if certificate is None else "https"
        url = str(socket_file) if socket_file is not None else _address(host, listener, scheme)
        if is_made:
            local_servers.write_token(url, service.token)
        try:
            yield url
        finally:
            if is_made:
                local_servers.remove_token(url, service.token)


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
def _engine(
    survey: Survey, engine: DaskClient | str | None, security: Security | None, *, allowed: bool
) -> Generator[Engine | None]:
    """The engine on a cluster, if one is asked for; the service has its own."""
    if engine is None:
        if security is not None or allowed:
            raise ServeError(
                "security and allow_insecure_scheduler need engine= (--scheduler), the address of "
                "a scheduler."
            )
        yield None
        return
    from audiencelab.engine.distributed import attach

    attached = attach(survey, engine, security=security, allow_insecure_scheduler=allowed)
    with closing(attached) as cluster:
        yield Engine(survey, tabulator=cluster)


@contextmanager
def _listening(host: str, port: int) -> Generator[socket.socket]:
    """A socket bound to the address; connections wait in it until the server takes them."""
    if not 0 <= port <= _LAST_PORT:
        raise ServeError(f"port must be from 0 (any that is free) to {_LAST_PORT:,}; got {port}.")
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = found[0]
        listener = socket.create_server(address, family=family, backlog=128)
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
def _running(
    app: ASGIApp, listener: socket.socket, grace: float, **settings: Any
) -> Generator[None]:
    """A uvicorn server on the socket, for as long as the block lasts; settings: of uvicorn."""
    _raise_open_files()
    config = uvicorn.Config(
        app,
        # Explicit, so that the server does not depend on what else is installed.
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        # Logging belongs to the process.
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=_LARGEST_HEAD,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=grace,  # pyright: ignore[reportArgumentType] -- seconds go to asyncio.wait_for, which takes parts of one
        **settings,
    )
    server = _Server(config)
    serving = background.run(
        lambda: server.serve_on(listener), name="audiencelab-serve", cancel=server.end
    )
    server.settled.wait()
    if not server.started:
        raise ServeError("The server did not start; its log has the cause.")
    try:
        yield
    finally:
        server.end()
        serving.wait()


class _Server(uvicorn.Server):
    """A server with an event, `settled`: it accepts connections, or failed to start."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.settled = threading.Event()

    def serve_on(self, listener: socket.socket) -> None:
        """Serve until `end` is called, in a thread of its own."""
        try:
            asyncio.run(self.serve([listener]))
        except Exception:
            _log.exception("The server ended")
        finally:
            self.settled.set()

    def end(self) -> None:
        """Finish the requests in progress, and stop."""
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.settled.set()


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
            listener.listen(128)
        except OSError as error:
            raise ServeError(f"Cannot listen on {file}: {error.strerror or error}.") from None
        try:
            yield listener
        finally:
            file.unlink(missing_ok=True)


def _raise_open_files() -> None:
    """Let this process open as many files as the system allows it.

    Each connection is one. At the limit the event loop would log every connection that it cannot
    accept, thousands of times a second.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < _OPEN_FILES:
        wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))


def _address(host: str, listener: socket.socket, scheme: str = "http") -> str:
    """The URL of the server, with a host that can be connected to."""
    named = _ANY_ADDRESS.get(host, host)
    port = listener.getsockname()[1]
    return f"{scheme}://[{named}]:{port}" if ":" in named else f"{scheme}://{named}:{port}"
