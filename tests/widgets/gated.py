"""A real client whose streams wait until the test lets cells arrive."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from audiencelab.client import Client
from audiencelab.results.cells import FIGURES
from audiencelab.results.crosstab import cells_of
from audiencelab.tables import CrosstabResult

TIMEOUT = 60.0


class GatedStream:
    """One row of a counted table for each time the gate is opened."""

    def __init__(self, counted: CrosstabResult, gate: threading.Semaphore) -> None:
        self._counted = counted
        self._gate = gate
        self._closed = threading.Event()
        self.result = CrosstabResult(counted.rows, counted.columns, counted.base_audience)

    def __iter__(self) -> Iterator[int]:
        columns = np.arange(len(self._counted.columns))
        for row in range(len(self._counted.rows)):
            while not self._gate.acquire(timeout=0.01):
                if self._closed.is_set():
                    return
            figures = [self._counted.values(name)[row] for name in FIGURES]
            cells_of(self.result).store(np.full_like(columns, row), columns, np.array(figures).T)
            yield row

    def close(self) -> None:
        self._closed.set()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()


class GatedClient:
    """Counts with a real client, and hands the cells out through `let`."""

    default_base_of = "everyone"
    counts_valid = True
    default_waves = None
    weights = ()

    def __init__(self, client: Client) -> None:
        self._client = client
        self._gate = threading.Semaphore(0)
        self._opened = threading.Condition()
        self.streams: list[GatedStream] = []

    @property
    def catalogue(self) -> Any:
        return self._client.catalogue

    @property
    def sender(self) -> Any:
        return self._client.sender

    @property
    def service(self) -> Any:
        return self._client.service

    def crosstab_stream(self, **query: Any) -> GatedStream:
        stream = GatedStream(self._client.crosstab(**query), self._gate)
        with self._opened:
            self.streams.append(stream)
            self._opened.notify_all()
        return stream

    def let(self, rows: int) -> None:
        """Let so many rows through."""
        self._gate.release(rows)

    def opened(self, count: int = 1) -> GatedStream:
        """The `count`-th stream, once it is open."""
        with self._opened:
            assert self._opened.wait_for(lambda: len(self.streams) >= count, TIMEOUT)
        return self.streams[count - 1]
