"""The grid's loader thread: the latest query wins, immediate cancelling, errors."""

from __future__ import annotations

import gc
import queue
import threading
import weakref
from collections.abc import Iterator
from typing import cast

import pytest

import audiencelab as al
from audiencelab.client import Client
from audiencelab.errors import AudienceError
from audiencelab.tables import CrosstabResult
from audiencelab.widgets.crosstab.loader import (
    GridCancelled,
    GridTimeout,
    LoadState,
    Phase,
    TableLoader,
    TableStream,
    Throttle,
)
from audiencelab.widgets.crosstab.query import GridQuery
from tests.messages import fails
from tests.waiting import wait_until
from tests.widgets.gated import TIMEOUT, GatedClient

AGES = tuple(al.Audience(f"age {n}", al.Q("q4").any(f"q4_{n}")) for n in range(1, 7))
MEN = (al.Audience("men", al.Q("q2").any("q2_1")),)


class Fetching:
    """A fetcher over gated streams, and everything it reported."""

    def __init__(self, client: Client) -> None:
        self.client = GatedClient(client)
        self.reports: queue.Queue[LoadState] = queue.Queue()
        self.fetcher = TableLoader(self.open, self.reports.put)

    def open(self, query: GridQuery) -> TableStream:
        return self.client.crosstab_stream(rows=query.rows, columns=query.columns)

    def until(self, phase: Phase, *, cells: int = 0) -> LoadState:
        """The first report from here on that says `phase` with at least so many cells."""
        while True:
            report = self.reports.get(timeout=TIMEOUT)
            count = 0 if report.result is None else report.result.count
            if report.phase == phase and count >= cells:
                return report


@pytest.fixture
def fetching(small_client: Client) -> Fetching:
    return Fetching(small_client)


def test_cells_are_reported_while_the_stream_is_running(fetching: Fetching) -> None:
    generation = fetching.fetcher.start(GridQuery(AGES, MEN))
    fetching.client.let(1)
    first = fetching.until("running", cells=1)
    assert first.generation == generation
    assert first.result is not None
    assert not first.result.complete
    fetching.client.let(len(AGES))
    last = fetching.until("done")
    assert last.result is not None
    assert last.result.complete
    assert last.version > first.version


def test_rows_between_two_reports_are_reported_later(fetching: Fetching) -> None:
    fetching.fetcher.start(GridQuery(AGES, MEN))
    # All but the last: the stream then waits, and what came must not wait with it.
    fetching.client.let(len(AGES) - 1)
    assert fetching.until("running", cells=len(AGES) - 1).phase == "running"


def test_rows_that_arrive_during_a_late_report_are_reported_too() -> None:
    """The thread that told late is not yet at its end when the last cells before a pause come."""
    cells, told = 0, list[int]()

    def come() -> None:
        nonlocal cells
        cells += 1
        pace.tick()

    def report() -> None:
        told.append(cells)
        if told == [1, 2]:  # by the thread that tells late: one is told at once, one is not
            come()
            come()

    pace = Throttle(report)
    come()
    come()
    wait_until(lambda: told[-1] == 4)
    assert told == [1, 2, 3, 4]


def test_a_table_that_begins_again_is_another_query(
    fetching: Fetching, small_client: Client
) -> None:
    """Pages keep complete blocks of a query, which are of the old version of the survey."""

    class BeginsAgain:
        """A stream with one update of a table, and then an empty one in its place."""

        def __init__(self, query: GridQuery) -> None:
            rows, columns = query.rows or (), query.columns or ()
            self.tables = [small_client.crosstab(rows, columns), CrosstabResult(rows, columns)]
            self.result = self.tables[0]

        def __iter__(self) -> Iterator[None]:
            for table in self.tables:
                self.result = table
                yield

        def close(self) -> None: ...

    opened: list[GridQuery] = []

    def open_stream(query: GridQuery) -> TableStream:
        opened.append(query)
        made = BeginsAgain(query) if len(opened) == 1 else fetching.open(query)
        return cast(TableStream, made)

    loader = TableLoader(open_stream, fetching.reports.put)
    fetching.client.let(len(AGES))
    first = loader.start(GridQuery(AGES, MEN))
    done = fetching.until("done")
    assert done.generation == first + 1
    assert done.result is not None
    assert done.result.complete
    assert len(opened) == 2


def test_the_latest_query_wins_and_the_older_reports_nothing_more(fetching: Fetching) -> None:
    old = fetching.fetcher.start(GridQuery(AGES, MEN))
    stream = fetching.client.opened()
    new = fetching.fetcher.start(GridQuery(MEN, AGES))
    fetching.client.opened(2)
    fetching.client.let(20)
    last = fetching.until("done")
    assert last.generation == new == old + 1
    assert last.result is not None
    assert last.result.rows[0].name == "men"
    assert stream.closed
    assert fetching.reports.empty()


def test_queries_in_quick_succession_are_one(fetching: Fetching) -> None:
    for _ in range(5):
        fetching.fetcher.start(GridQuery(AGES, MEN))
    fetching.fetcher.start(GridQuery(MEN, MEN))
    fetching.client.let(1)
    fetching.until("done")
    assert len(fetching.client.streams) == 1


def test_cancelling_is_reported_at_once_and_keeps_arrived_cells(fetching: Fetching) -> None:
    fetching.fetcher.start(GridQuery(AGES, MEN))
    fetching.client.let(2)
    fetching.until("running", cells=2)
    fetching.fetcher.cancel()
    cancelled = fetching.until("cancelled")
    assert cancelled.result is not None
    assert cancelled.result.count == 2
    with pytest.raises(GridCancelled):
        fetching.fetcher.wait(TIMEOUT)
    fetching.client.let(20)
    fetching.fetcher.cancel()
    assert fetching.fetcher.snapshot.phase == "cancelled"


def test_a_complete_table_keeps_no_stream(fetching: Fetching) -> None:
    before = set(threading.enumerate())
    fetching.fetcher.start(GridQuery(AGES, MEN))
    fetching.client.let(20)
    assert fetching.fetcher.wait(TIMEOUT).complete
    stream = weakref.ref(fetching.client.streams.pop())
    _ended(before)
    gc.collect()
    assert stream() is None


def test_waiting_has_a_timeout(fetching: Fetching) -> None:
    fetching.fetcher.start(GridQuery(AGES, MEN))
    with fails(GridTimeout):
        fetching.fetcher.wait(0.01)


def test_several_threads_can_wait_for_one_table(fetching: Fetching) -> None:
    fetching.fetcher.start(GridQuery(AGES, MEN))
    counts: list[int] = []
    waiting = [
        threading.Thread(target=lambda: counts.append(fetching.fetcher.wait(TIMEOUT).count))
        for _ in range(3)
    ]
    for thread in waiting:
        thread.start()
    fetching.client.let(20)
    for thread in waiting:
        thread.join(TIMEOUT)
    assert counts == [len(AGES)] * 3


def test_an_error_is_raised_to_every_waiter_and_the_next_query_is_clean(
    fetching: Fetching,
) -> None:
    fetching.fetcher.start(GridQuery((al.Audience("x", al.Q("nowhere").any("y")),), MEN))
    failed = fetching.until("failed")
    assert isinstance(failed.error, AudienceError)
    with fails(AudienceError):
        fetching.fetcher.wait(TIMEOUT)
    fetching.client.let(20)
    fetching.fetcher.start(GridQuery(MEN, MEN))
    assert fetching.fetcher.wait(TIMEOUT).complete


def test_an_empty_query_is_reported_and_not_sent(fetching: Fetching) -> None:
    fetching.fetcher.start(None)
    with fails(AudienceError):
        fetching.fetcher.wait(TIMEOUT)
    assert fetching.client.streams == []


def test_a_closed_loader_ends_its_stream_and_reports_nothing(fetching: Fetching) -> None:
    fetching.fetcher.start(GridQuery(AGES, MEN))
    stream = fetching.client.opened()
    fetching.until("running")
    fetching.fetcher.close()
    assert stream.closed
    assert fetching.reports.empty()


def _ended(before: set[threading.Thread]) -> None:
    """Wait for the threads that were not there before."""
    for thread in set(threading.enumerate()) - before:
        thread.join(TIMEOUT)
