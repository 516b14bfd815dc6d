"""What operators see of a served service: a line for each request, and counters.

Lines are JSON, on the loggers `audiencelab.access` (every request) and `audiencelab.audit` (every
write that was done). Neither contains what was asked, what was answered, or a credential.
"""

from __future__ import annotations

import logging
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

_access = logging.getLogger("audiencelab.access")
_audit = logging.getLogger("audiencelab.audit")


@dataclass(frozen=True, slots=True)
class Observed:
    """One request that was answered.

    client: the address that it came from.
    details: what the service says of it, see `Response.details`.
    seconds: from its headers to the end of the response.
    sent: bytes of the body, before compression.
    """

    client: str
    method: str
    path: str
    status: int
    request_id: str
    details: Mapping[str, Any]
    seconds: float
    sent: int


def log_request(observed: Observed) -> None:
    """Log a request, and if it wrote something, that for auditors."""
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "request_id": observed.request_id,
        "client": observed.client,
        "method": observed.method,
        "path": observed.path,
        "status": observed.status,
        "ms": round(1000 * observed.seconds, 1),
        "bytes": observed.sent,
        **observed.details,
    }
    _access.info("%s", msgspec.json.encode(line).decode())
    if "id" in observed.details:
        names = ("time", "request_id", "client", "caller", "operation", "id", "survey_version")
        audited = {name: line[name] for name in names}
        _audit.info("%s", msgspec.json.encode(audited).decode())


def name_span(details: Mapping[str, Any]) -> None:
    """Name the span of OpenTelemetry after the operation, where requests are traced.

    The application has one route for all operations, after which its spans would all be named.
    """
    if "operation" in details and (trace := _opentelemetry()):
        trace.get_current_span().update_name(details["operation"])


@cache
def _opentelemetry() -> Any:
    """Its API, or None where it is not installed."""
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


class ServiceMetrics:
    """Counters in the text format of Prometheus.

    folder: where several worker processes keep their counters, so that each answers for all of
        them; None for one process. Another process must make the folder.
    Raises `AudienceError` where prometheus-client is not installed.
    """

    def __init__(self, folder: Path | None = None) -> None:
        if folder is not None:
            # prometheus-client reads it when it is imported.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
        try:
            from prometheus_client import (
                CollectorRegistry,
                Counter,
                Gauge,
                Histogram,
                ProcessCollector,
                generate_latest,
            )
            from prometheus_client.multiprocess import MultiProcessCollector
        except ModuleNotFoundError:
            raise AudienceError(
                'Metrics need prometheus-client: pip install "audiencelab[server]"'
            ) from None
        registry = CollectorRegistry()
        if folder is None:
            # Memory, processor time and open files of this process.
            ProcessCollector(registry=registry)
        self._requests = Counter(
            "audiencelab_requests",
            "Requests that were answered.",
            ["operation", "status"],
            registry=registry,
        )
        self._seconds = Histogram(
            "audiencelab_request_seconds",
            "Seconds from the headers of a request to the end of its response.",
            ["operation"],
            registry=registry,
            buckets=(0.005, 0.02, 0.1, 0.5, 2, 10, 60),
        )
        self._sent = Counter(
            "audiencelab_sent_bytes",
            "Bytes of answers, before compression.",
            registry=registry,
        )
        self._in_progress = Gauge(
            "audiencelab_requests_in_progress",
            "Requests that are being answered now.",
            registry=registry,
            # Of processes that live: one that was killed has no request in progress.
            multiprocess_mode="livesum",
        )
        if folder is not None:
            # Reads the files of all processes, this one's too.
            registry = CollectorRegistry()
            MultiProcessCollector(registry, str(folder))
        self.text: Callable[[], bytes] = partial(generate_latest, registry)
        """All counters, as `text/plain; version=0.0.4`."""

    def in_progress(self) -> AbstractContextManager[None]:
        """A block in which a request is answered."""
        return self._in_progress.track_inprogress()

    def count(self, observed: Observed) -> None:
        """Count one request."""
        # A path of no operation would make a counter for each.
        operation = observed.details.get("operation", "none")
        self._requests.labels(operation, str(observed.status)).inc()
        self._seconds.labels(operation).observe(observed.seconds)
        self._sent.inc(observed.sent)


def forget_process(folder: Path, process: int) -> None:
    """Take what a worker process had in progress out of the metrics; its counters stay."""
    from prometheus_client.multiprocess import (
        mark_process_dead,  # pyright: ignore[reportUnknownVariableType] -- it has no annotations
    )

    mark_process_dead(process, str(folder))
