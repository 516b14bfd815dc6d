"""The server of one process: a service and uvicorn on a socket, in a thread with an event loop."""

from __future__ import annotations

import ctypes
import socket
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import uvicorn
from starlette.types import ASGIApp

from audiencelab import background
from audiencelab.engine import Engine
from audiencelab.errors import AudienceError
from audiencelab.schema.scope import BaseOf
from audiencelab.service.context import Handler
from audiencelab.service.credentials import Credentials
from audiencelab.service.http.accepting import (
    HEAD_SECONDS,
    OpenConnections,
    Server,
    allowed_connections,
)
from audiencelab.service.http.app import application
from audiencelab.service.http.observing import ServiceMetrics
from audiencelab.service.limits import Limiter, Limits, RateLimit, Turns
from audiencelab.service.service import Service
from audiencelab.survey import Survey

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security

_LARGEST_HEAD = 32 * 1024
"""Bytes of a request line and its headers."""

_MMAP_THRESHOLD = -3
"""glibc's `M_MMAP_THRESHOLD`."""

_LARGE_BYTES = 128 * 1024
"""Its value before glibc changes it."""


class Faults(Protocol):
    """Wraps a service so that it misbehaves."""

    def wrap(self, service: Service) -> Handler: ...


class ServeError(AudienceError):
    """The service cannot be served as asked."""


_WITH_ADDRESS = (socket.AF_INET, socket.AF_INET6)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeSettings:
    """What each worker process serves, as in `serve()`.

    usage: the file in which several processes count what callers use of their limits.
    counters: the folder in which they keep their metrics.
    """

    survey: Survey
    engine: DaskClient | str | None
    security: Security | None
    allow_insecure_scheduler: bool
    store: str | Path | None
    credentials: Credentials
    limits: Limits | None
    rate_limit: RateLimit | None
    max_per_caller: int | None
    minimum_base: int
    base_of: BaseOf | None
    max_connections: int
    metrics: bool
    root_path: str
    certificate: str | Path | None
    key: str | Path | None
    proxy_headers: bool
    faults: Faults | None
    grace: float
    usage: Path | None = None
    counters: Path | None = None

    def turns(self) -> Turns | None:
        """What callers have in progress, where that is limited."""
        return None if self.max_per_caller is None else Turns(self.max_per_caller, self.usage)


@contextmanager
def running(settings: ServeSettings, listener: socket.socket) -> Generator[None]:
    """The service on a socket while the block lasts; raises what `serve()` raises."""
    rate = settings.rate_limit
    connections = OpenConnections(allowed_connections(settings.max_connections))
    with (
        _engine(settings) as engine,
        Service(
            settings.survey,
            settings.credentials,
            settings.limits,
            engine=engine,
            store=settings.store,
            rate_limit=None if rate is None else Limiter(rate, file=settings.usage),
            minimum_base=settings.minimum_base,
            base_of=settings.base_of,
        ) as service,
        _running(
            application(
                service if settings.faults is None else settings.faults.wrap(service),
                turns=settings.turns(),
                metrics=ServiceMetrics(settings.counters) if settings.metrics else None,
                root_path=settings.root_path,
                is_full=connections.is_full,
            ),
            listener,
            settings.grace,
            connections,
            ssl_certfile=settings.certificate,
            ssl_keyfile=None if settings.key is None else str(settings.key),
            proxy_headers=settings.proxy_headers,
            # Who connects to a Unix socket has no address.
            forwarded_allow_ips=None if listener.family in _WITH_ADDRESS else "*",
        ),
    ):
        yield


@contextmanager
def _engine(settings: ServeSettings) -> Generator[Engine | None]:
    """The engine on a cluster, if one is asked for; the service has its own."""
    security, allowed = settings.security, settings.allow_insecure_scheduler
    if settings.engine is None:
        if security is not None or allowed:
            raise ServeError(
                "security and allow_insecure_scheduler need engine= (--scheduler), the address of "
                "a scheduler."
            )
        yield None
        return
    from audiencelab.engine.distributed import attach

    attached = attach(
        settings.survey, settings.engine, security=security, allow_insecure_scheduler=allowed
    )
    with closing(attached) as cluster:
        yield Engine(settings.survey, tabulator=cluster)


@contextmanager
def _running(
    app: ASGIApp,
    listener: socket.socket,
    grace: float,
    connections: OpenConnections,
    **settings: Any,
) -> Generator[None]:
    """A uvicorn server on the socket, for as long as the block lasts; settings: of uvicorn."""
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
        timeout_keep_alive=HEAD_SECONDS,
        timeout_graceful_shutdown=grace,  # pyright: ignore[reportArgumentType] -- seconds go to asyncio.wait_for, which takes parts of one
        **settings,
    )
    server = Server(config, connections)
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


def give_back_memory() -> None:
    """Let this process return the arrays of an answer to the system as soon as they are freed.

    By default glibc raises the size from which a block is returned at once, up to 32 MB, each time
    a larger block is freed. Arrays of later answers then lie in heaps between entries of caches,
    and heaps with such entries never shrink. A size that was set is not raised.
    """
    # musl and other systems have no such function.
    if sys.platform == "linux" and (change := getattr(ctypes.CDLL(None), "mallopt", None)):
        change(_MMAP_THRESHOLD, _LARGE_BYTES)
