"""The transport to the embedded service: a call of `Service.handle` in this process.

The same bytes cross as over a network, so validation, authorisation, errors and streaming are the
same. No other module of the client imports the service, and this one does so when a client is
connected to it.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from audiencelab.client.credentials import Secret
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.schema.http import JSON, Request, Response

if TYPE_CHECKING:
    from distributed import Client as DaskClient
    from distributed.security import Security

    from audiencelab.engine.distributed import ClusterTabulator
    from audiencelab.service import Service
    from audiencelab.survey import Survey


class EmbeddedTransport:
    """Passes each request to a service in this process; the body is made while it is read."""

    def __init__(
        self, service: Service, token: Secret, cluster: ClusterTabulator | None = None
    ) -> None:
        self.service = service
        self._cluster = cluster
        self._token = token
        self._headers = {"authorization": f"Bearer {token.reveal()}", "content-type": JSON}

    @property
    def secrets(self) -> tuple[Secret, ...]:
        return (self._token,)

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        headers = {**request.headers, **self._headers}
        try:
            response = self.service.handle(replace(request, headers=headers))
        except KeyboardInterrupt as stop:
            # The frames inside the service say nothing to someone who stopped a cell.
            raise stop.with_traceback(None) from None
        if response.status == HTTPStatus.INTERNAL_SERVER_ERROR and self._cluster is not None:
            # A closed cluster is not a failure of the service, and a retry cannot help.
            self._cluster.check_open()
        return response

    def pinned(self, weight: str | UnsetType | None = UNSET) -> EmbeddedTransport:
        """A transport to the present version of the survey, for good; weight: that of requests."""
        service = self.service if weight is UNSET else self.service.weighted(weight)
        return EmbeddedTransport(service.pinned(), self._token, self._cluster)

    def close(self) -> None:
        self.service.close()
        if self._cluster is not None:
            self._cluster.close()

    def __repr__(self) -> str:
        return f"<EmbeddedTransport to {self.service!r}>"


_MOST_ROWS = 1_000_000
_MOST_CELLS = 10_000_000
"""Of one table: its figures take about a gigabyte."""

_MOST_BYTES = 512 * 1024 * 1024


def embed(
    survey: Survey,
    token: Secret,
    store: str | Path | None = None,
    engine: DaskClient | str | None = None,
    *,
    minimum_base: int = 0,
    security: Security | None = None,
    allow_insecure_scheduler: bool = False,
) -> EmbeddedTransport:
    """A service of its own for one client, over a survey that may be shared.

    store: the file that keeps charts and saved audiences; None keeps them for the client's life.
    engine: a Dask client, or a scheduler's address, on which tables are added up.
    minimum_base: figures on fewer respondents are withheld.
    security, allow_insecure_scheduler: how such an address is connected to.
    """
    from audiencelab.service import Service
    from audiencelab.service.limits import Limits

    tokens = (token.reveal(),)
    # Who owns the survey may count as many rows as memory holds; limits of services are for others.
    limits = Limits(rows=_MOST_ROWS, columns=_MOST_ROWS, cells=_MOST_CELLS, body=_MOST_BYTES)
    if engine is None:
        service = Service(
            survey,
            tokens,
            store=store,
            limits=limits,
            minimum_base=minimum_base,
            tells_causes=True,
        )
        return EmbeddedTransport(service, token)
    from audiencelab.engine import Engine
    from audiencelab.engine.distributed import attach

    cluster = attach(
        survey, engine, security=security, allow_insecure_scheduler=allow_insecure_scheduler
    )
    try:
        spread = Engine(survey, tabulator=cluster)
        service = Service(
            survey,
            tokens,
            store=store,
            limits=limits,
            engine=spread,
            minimum_base=minimum_base,
            tells_causes=True,
        )
    except BaseException:
        cluster.close()
        raise
    return EmbeddedTransport(service, token, cluster)


def open_survey(survey: str | Path | Survey) -> Survey:
    """The survey of a folder or an address, or the one that is open; raises `SurveyError`."""
    from audiencelab.survey import Survey

    if isinstance(survey, Survey):
        return survey
    if isinstance(survey, (str, Path)):
        return Survey.open(survey)
    raise TypeError(
        f"survey must be a folder, an address or an open Survey; got {type(survey).__name__}."
    )


def check_store(store: str | Path) -> None:
    """Make the store if there is none; raises `StoreError` for a file that holds something else."""
    from audiencelab.service import Store

    Store.open(store).close()


# `cache` alone would let two threads open it at the same time.
_demo_lock = threading.Lock()


def demo() -> Survey:
    """The demo survey, opened once in this process: it is immutable, so all may share it."""
    with _demo_lock:
        return _open_demo()


@cache
def _open_demo() -> Survey:
    from audiencelab.survey import demo_survey

    return demo_survey()
