"""Limits of one request, and of how often one credential may ask."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request; a request beyond one is refused with the limit named.

    depth and nodes of one expression; rows and columns of a crosstab (a stats query has as many
    audiences as a crosstab has columns); cells of a table, in stats datapoints × segments ×
    audiences; items of any other list; insights of a page; characters of a text, such as a name or
    a code, and of an audience's identifier, which every result repeats; bytes of a body; faults
    that one response lists.
    """

    depth: int = 64
    nodes: int = 10_000
    rows: int = 2_000
    columns: int = 2_000
    cells: int = 1_000_000
    items: int = 100_000
    page: int = 1_000
    text: int = 20_000
    identifier: int = 256
    body: int = 8 * 1024 * 1024
    faults: int = 1_000


@dataclass(frozen=True, slots=True)
class RateLimit:
    """per_second: requests a second in the long run; burst: how many at once.

    Raises `ValueError` unless both allow at least one request.
    """

    per_second: float
    burst: int = 1

    def __post_init__(self) -> None:
        if not (0 < self.per_second < math.inf and self.burst >= 1):
            raise ValueError("A rate limit needs per_second above 0 and a burst of at least 1.")


@dataclass(frozen=True, slots=True)
class Allowance:
    """Whether a request is granted, and what is left.

    wait: seconds until the next may, 0 if this one may. reset: seconds until the bucket is full.
    """

    granted: bool
    limit: int
    remaining: int
    wait: float
    reset: float

    @property
    def headers(self) -> dict[str, str]:
        """The response headers, in whole seconds."""
        return {
            "x-ratelimit-limit": str(self.limit),
            "x-ratelimit-remaining": str(self.remaining),
            "x-ratelimit-reset": str(math.ceil(self.reset)),
        }


class Limiter:
    """One bucket for each caller; safe to use from many threads."""

    def __init__(self, rate: RateLimit, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: dict[bytes, tuple[float, float]] = {}

    def take(self, caller: bytes) -> Allowance:
        """Take one request from the caller's bucket, if it holds one."""
        rate = self._rate
        with self._lock:
            now = self._clock()
            held, since = self._buckets.get(caller, (float(rate.burst), now))
            held = min(float(rate.burst), held + (now - since) * rate.per_second)
            granted = held >= 1
            held -= granted
            self._buckets[caller] = held, now
        return Allowance(
            granted=granted,
            limit=rate.burst,
            remaining=int(held),
            wait=0.0 if granted else (1 - held) / rate.per_second,
            reset=(rate.burst - held) / rate.per_second,
        )
