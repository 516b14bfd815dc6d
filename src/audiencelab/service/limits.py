"""Limits of one request, and of what one credential may ask and have in progress."""

from __future__ import annotations

import math
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_PATIENCE = 30.0
"""Seconds to wait for another process that changes a table of callers; it takes microseconds."""


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


class _CallerTable:
    """A table of callers, in memory, or in a file that several processes share.

    SQLite, since a process that is killed in the middle of a change leaves the file whole and
    locks nobody out. Nothing is forced to the disk: the file lasts as long as the service.
    """

    def __init__(self, schema: str, file: Path | None) -> None:
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(
            file or ":memory:", timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
        weakref.finalize(self, self._connection.close)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=OFF")
        self._connection.execute(f"CREATE TABLE IF NOT EXISTS {schema}")

    @contextmanager
    def changing(self) -> Generator[sqlite3.Connection]:
        """The table, which no other thread or process reads or changes meanwhile."""
        # SQLite's own block commits at its end, and rolls back where an exception passes.
        with self._lock, self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield self._connection


class Limiter:
    """One bucket for each caller; safe to use from many threads.

    file: a file that the limiters of several processes share; None for this process alone.
    """

    def __init__(
        self,
        rate: RateLimit,
        clock: Callable[[], float] = time.monotonic,
        file: Path | None = None,
    ) -> None:
        self._rate = rate
        self._clock = clock
        self._table = _CallerTable("buckets (caller BLOB PRIMARY KEY, held REAL, since REAL)", file)

    def take(self, caller: bytes) -> Allowance:
        """Take one request from the caller's bucket, if it holds one."""
        rate = self._rate
        with self._table.changing() as table:
            now = self._clock()
            held, since = table.execute(
                "SELECT held, since FROM buckets WHERE caller = ?", (caller,)
            ).fetchone() or (float(rate.burst), now)
            # A process that read the clock before another one may come after it.
            held = min(float(rate.burst), held + max(0.0, now - since) * rate.per_second)
            granted = held >= 1
            held -= granted
            table.execute("REPLACE INTO buckets VALUES (?, ?, ?)", (caller, held, max(now, since)))
        return Allowance(
            granted=granted,
            limit=rate.burst,
            remaining=int(held),
            wait=0.0 if granted else (1 - held) / rate.per_second,
            reset=(rate.burst - held) / rate.per_second,
        )


class Turns:
    """How many requests each caller has in progress; safe to use from many threads.

    most: how many one caller may have. file: a file that the turns of several processes share.
    """

    def __init__(self, most: int, file: Path | None = None) -> None:
        self.most = most
        self._table = _CallerTable(
            "turns (process INTEGER, caller BLOB, taken INTEGER, PRIMARY KEY (process, caller))",
            file,
        )

    def take(self, caller: bytes) -> bool:
        """Begin a request of the caller, unless it has `most` in progress."""
        with self._table.changing() as table:
            # `total` is 0 where there is no row; `sum` is NULL then.
            (taken,) = table.execute(
                "SELECT total(taken) FROM turns WHERE caller = ?", (caller,)
            ).fetchone()
            if taken < self.most:
                table.execute(
                    "INSERT INTO turns VALUES (?, ?, 1) "
                    "ON CONFLICT DO UPDATE SET taken = taken + 1",
                    (os.getpid(), caller),
                )
            return taken < self.most

    def give_back(self, caller: bytes) -> None:
        """End a request of the caller."""
        mine = (os.getpid(), caller)
        with self._table.changing() as table:
            table.execute(
                "UPDATE turns SET taken = taken - 1 WHERE process = ? AND caller = ?", mine
            )
            table.execute("DELETE FROM turns WHERE taken = 0 AND process = ? AND caller = ?", mine)

    def end_all_of(self, process: int) -> None:
        """End the requests of a process that was killed."""
        with self._table.changing() as table:
            table.execute("DELETE FROM turns WHERE process = ?", (process,))
