"""What operators see of a served service: a line for each request, counters, readiness.

Lines are JSON, on the loggers `audiencelab.access` (every request) and `audiencelab.audit` (every
write that was done). Neither contains what was asked, what was answered, or a credential.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from audiencelab.errors import AudienceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
        names = ("time", "request_id", "client", "caller", "operation", "id")
        audited = {name: line[name] for name in names}
        _audit.info("%s", msgspec.json.encode(audited).decode())


class Metrics:
    """Counters in the text format of Prometheus.

    in_progress: returns how many requests are being answered.
    Raises `AudienceError` where prometheus-client is not installed.
    """

    def __init__(self, in_progress: Callable[[], float]) -> None:
        try:
            from prometheus_client import (
                CollectorRegistry,
                Counter,
                Gauge,
                Histogram,
                ProcessCollector,
                generate_latest,
            )
        except ModuleNotFoundError:
            raise AudienceError(
                'Metrics need prometheus-client: pip install "audiencelab[server]"'
            ) from None
        self._registry = CollectorRegistry()
        self._generate = generate_latest
        # Memory, processor time and open files of this process.
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "audiencelab_requests",
            "Requests that were answered.",
            ["operation", "status"],
            registry=self._registry,
        )
        self._seconds = Histogram(
            "audiencelab_request_seconds",
            "Seconds from the headers of a request to the end of its response.",
            ["operation"],
            registry=self._registry,
            buckets=(0.005, 0.02, 0.1, 0.5, 2, 10, 60),
        )
        self._sent = Counter(
            "audiencelab_sent_bytes",
            "Bytes of answers, before compression.",
            registry=self._registry,
        )
        gauge = Gauge(
            "audiencelab_requests_in_progress",
            "Requests that are being answered now.",
            registry=self._registry,
        )
        gauge.set_function(in_progress)

    def count(self, observed: Observed) -> None:
        """Count one request."""
        # A path of no operation would make a counter for each.
        operation = observed.details.get("operation", "none")
        self._requests.labels(operation, str(observed.status)).inc()
        self._seconds.labels(operation).observe(observed.seconds)
        self._sent.inc(observed.sent)

    def text(self) -> bytes:
        """All counters, as `text/plain; version=0.0.4`."""
        return self._generate(self._registry)
