"""Tables added up by a Dask cluster: partitions near their worker, sums on the way.

A stripe of a table is one round of tasks. Each worker gets the same partitions every time, so that
it has them open; tables of several partitions are added up on the workers, in a tree. Only the
finished stripe comes here. Dask repeats what was lost with a worker, lends work to idle workers,
and takes in those that join.
"""

from __future__ import annotations

import pickle
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from audiencelab.engine.binder import WaveOrder
from audiencelab.engine.distributed.partitions import (
    RESPONDENTS,
    PartialTable,
    Partition,
    TableQuery,
    partial_table,
    partitions_of,
    stripe_bounds,
)
from audiencelab.engine.nodes import Node
from audiencelab.engine.tabulator import StripeSums, TabulationError
from audiencelab.survey import SurveyError
from audiencelab.wording import plural

if TYPE_CHECKING:
    from distributed import Client, Future

    from audiencelab.survey import Survey

T = TypeVar("T")

_TASKS_A_THREAD = 4
"""Tasks of a stripe for each thread of the cluster at most: few cost little, several balance."""

_TASKS_AHEAD = 3
"""Tasks that are asked for before their stripe's turn, for each thread of the cluster."""

_MOST_STRIPES_AHEAD = 8

_ADDED_AT_ONCE = 8
"""Tables that one task adds up."""

_RETRIES = 2
"""How often a task that failed is tried again: object storage may fail for a moment."""

_LOOKS_EVERY = 5.0
_WITHOUT_WORKERS = 300.0
"""Seconds in which a cluster without a worker may find one."""


class ClusterError(TabulationError):
    """A cluster that cannot be used, or a partition that it could not add up."""


class ClusterTabulator:
    """Adds up a survey's partitions on a Dask cluster; a `Tabulator`.

    client: a `distributed.Client`, not asynchronous. respondents: of a partition at most.
    owns_client: whether `close` closes the client.

    Memory: here, the stripes that are ready and not yet taken. On a worker, what `partitions` keeps
    open, and for each thread the masks of one partition and two tables of a stripe.
    """

    def __init__(
        self,
        client: Client,
        survey: Survey,
        *,
        respondents: int = RESPONDENTS,
        owns_client: bool = False,
    ) -> None:
        self._client = client
        self._waves = WaveOrder(survey).codes
        self._partitions = partitions_of(survey, respondents)
        self._owns_client = owns_client

    def stripes(
        self, base: Node, rows: Sequence[Node], columns: Sequence[Node], positions: tuple[int, ...]
    ) -> Generator[StripeSums]:
        """As `Tabulator.stripes`; closing the generator cancels what the cluster has not begun.

        Raises `ClusterError`.
        """
        query = TableQuery(base, tuple(rows), tuple(columns), positions)
        waves = {self._waves[position] for position in positions}
        partitions = [each for each in self._partitions if each.wave in waves]
        bounds = stripe_bounds(len(rows))
        if not partitions:
            for start, stop in bounds:
                part = query.part(start, stop)
                yield part.stripe(part.nothing(), start)
            return
        self.check_open()
        with _explaining_closed(self._client):
            rounds = _Rounds(self._client, partitions, query)
            try:
                for start, stop, table in rounds.tables(bounds):
                    yield query.part(start, stop).stripe(table, start)
            finally:
                rounds.cancel()

    def check_open(self) -> None:
        """Raise `ClusterError` if the Dask client was closed."""
        if self._client.status in ("closing", "closed"):
            raise ClusterError("The Client is closed. Connect again.")

    def close(self) -> None:
        """Close the client, if it is this tabulator's own."""
        if self._owns_client:
            self._client.close()

    def __repr__(self) -> str:
        return f"<ClusterTabulator of {len(self._partitions)} partitions on {self._client!r}>"


@dataclass(frozen=True, slots=True)
class _Round:
    """The tasks of one stripe: how many, and the future of its table."""

    start: int
    stop: int
    tasks: int
    table: Future[Any]


class _Rounds:
    """The rounds of tasks of one table, some of them submitted ahead of their turn."""

    def __init__(self, client: Client, partitions: list[Partition], query: TableQuery) -> None:
        self._client = client
        self._partitions = partitions
        self._ahead: deque[_Round] = deque()
        # Sent once, as a task of its own: the other tasks name it, and do not contain it.
        packed = pickle.dumps(query, protocol=pickle.HIGHEST_PROTOCOL)
        self._query = client.submit(unpacked, packed, pure=False)

    def tables(self, bounds: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int, PartialTable]]:
        """The table of each stripe, in order."""
        # The first stripe has the cluster to itself: tasks of the next, larger one would delay it.
        self._submit_ahead(bounds, at_most=1)
        while self._ahead:
            first = self._ahead[0]
            table = _result(self._client, first.table)
            # Released at once, so that the workers do not hold the tables of stripes that are here.
            self._ahead.popleft().table.release()
            self._submit_ahead(bounds)
            yield first.start, first.stop, table

    def cancel(self) -> None:
        """Release all futures; what is running runs to its end.

        Any thread may close a generator, and releasing waits for none. Garbage collection does not
        suffice: a traceback may hold on to them.
        """
        for each in self._ahead:
            each.table.release()
        self._ahead.clear()
        self._query.release()

    def _submit_ahead(
        self, bounds: Iterator[tuple[int, int]], at_most: int = _MOST_STRIPES_AHEAD
    ) -> None:
        """Keep two stripes submitted, and more where they are too few tasks for the cluster."""
        threads = _threads(self._client)
        enough = _TASKS_AHEAD * sum(threads.values())
        while len(self._ahead) < min(2, at_most) or (
            len(self._ahead) < at_most and sum(each.tasks for each in self._ahead) < enough
        ):
            following = next(bounds, None)
            if following is None:
                return
            self._ahead.append(self._submit(*following, threads))

    def _submit(self, start: int, stop: int, threads: dict[str, int]) -> _Round:
        tables: list[Future[Any]] = []
        for worker, groups in divide(self._partitions, threads):
            tables += self._client.map(
                table_of,
                groups,
                query=self._query,
                start=start,
                stop=stop,
                # The prefix of the tasks' names on Dask's dashboard.
                key="audiencelab-table",
                # Dask would join equal calls of different queries, and cancelling one would end the
                # other.
                pure=False,
                retries=_RETRIES,
                # A wish: an idle worker may take it.
                workers=worker,
                allow_other_workers=worker is not None,
            )
        tasks = len(tables)
        # No future of the tables that are added up is kept, so that workers forget them.
        while len(tables) > 1:
            # A tree of sums: no worker ever receives more than a few tables at a time.
            tables = [
                self._client.submit(add_up, piece, pure=False, retries=_RETRIES)
                for piece in _pieces(tables, _ADDED_AT_ONCE)
            ]
        return _Round(start, stop, tasks, tables[0])


def divide(
    partitions: Sequence[Partition], threads: dict[str, int]
) -> Iterator[tuple[list[str] | None, list[Sequence[Partition]]]]:
    """Each worker, and its partitions in one group per task.

    threads: of each worker, by address. Workers are in the order of their addresses, so that every
    stripe and every query is divided alike. While there are none, any may take each task.
    """
    if not threads:
        yield None, [[each] for each in partitions]
        return
    total, before = sum(threads.values()), 0
    for worker in sorted(threads):
        after = before + threads[worker]
        # Rounding the running sum leaves no partition out and takes none twice.
        share = slice(*(round(len(partitions) * at / total) for at in (before, after)))
        before = after
        if own := partitions[share]:
            tasks = min(len(own), _TASKS_A_THREAD * threads[worker])
            yield [worker], _pieces(own, -(-len(own) // tasks))


def _pieces(items: Sequence[T], length: int) -> list[Sequence[T]]:
    return [items[start : start + length] for start in range(0, len(items), length)]


@contextmanager
def _explaining_closed(client: Client) -> Generator[None]:
    """Raise `ClusterError` for any error that comes of another thread closing the client."""
    try:
        yield
    except ClusterError:
        raise
    except Exception as error:
        if client.status == "running":
            raise
        raise _lost(client, error) from None


def _threads(client: Client) -> dict[str, int]:
    """The threads of each worker by its address."""
    try:
        # Its type includes coroutines, which a client that is not asynchronous never gives.
        return dict(cast(Any, client).nthreads())
    except (OSError, ValueError) as error:
        failure = _lost(client, error)
    raise failure


def _result(client: Client, future: Future[Any]) -> Any:
    """The table of a future; raises `ClusterError` for whatever goes wrong on the way."""
    from distributed import CancelledError, KilledWorker

    seen = time.monotonic()
    while True:
        try:
            table = future.result(timeout=_LOOKS_EVERY)
            if not isinstance(table, PartitionFailure):
                return table
            failure = ClusterError(table.message)
        except ClusterError as error:
            # Its message has all that the worker's own frames show.
            failure = error.with_traceback(None)
        except KilledWorker as error:
            ended = plural(error.allowed_failures + 1, "worker")
            failure = ClusterError(
                f"The cluster gave up a task of {error.last_worker.address}, since {ended} ended "
                "while at it. The logs say why; most often the memory that a worker may use is too "
                "little (docs: cluster)."
            )
        except TimeoutError:
            if client.status == "running":
                # A cluster that is busy, or starts workers meanwhile, is waited for without a
                # limit.
                if _threads(client):
                    seen = time.monotonic()
                if time.monotonic() - seen < _WITHOUT_WORKERS:
                    continue
                failure = ClusterError("The cluster has no worker. Start some, and ask again.")
            else:  # pragma: no cover - mostly its tasks are cancelled first
                failure = _lost(client, "it does not answer")
        except (CancelledError, OSError) as error:
            failure = _lost(client, error)
        raise failure from None


def _lost(client: Client, why: object) -> ClusterError:
    if client.status in ("closing", "closed"):
        return ClusterError(
            "The Client was closed meanwhile, by this program or because its scheduler ended. "
            "Connect again."
        )
    address = client.scheduler.address if client.scheduler else "its address"
    return ClusterError(f"The scheduler at {address} was lost ({why}). Connect again.")


# -- on the workers ----------------------------------------------------------------------------
# Functions at the top of a module, so that a task holds its name and not its code.


def unpacked(query: bytes) -> TableQuery:
    """The query of all tasks; a task itself, so that Dask can repeat it if it is lost."""
    return pickle.loads(query)


@dataclass(frozen=True, slots=True)
class PartitionFailure:
    """Why a partition cannot be added up, however often it is tried.

    A value and no exception: Dask would try that again, and fill the worker's log.
    """

    message: str


def table_of(
    partitions: Sequence[Partition], query: TableQuery, start: int, stop: int
) -> PartialTable | PartitionFailure:
    """Rows `start` to `stop` of the table of some partitions together.

    Raises `ClusterError` with the partition and the worker for what may succeed another time.
    """
    part = query.part(start, stop)
    return add_up(_table(each, part) for each in partitions)


def add_up(tables: Iterable[PartialTable | PartitionFailure]) -> PartialTable | PartitionFailure:
    """The table of all their respondents, or the first failure."""
    total: PartialTable | None = None
    for table in tables:
        if isinstance(table, PartitionFailure):
            return table
        total = table if total is None else total + table
    assert total is not None
    return total


def _table(partition: Partition, query: TableQuery) -> PartialTable | PartitionFailure:
    from distributed import get_worker

    try:
        return partial_table(partition, query)
    except SurveyError as error:
        return PartitionFailure(f"{partition} failed on worker {get_worker().address}: {error}")
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        failure = ClusterError(f"{partition} failed on worker {get_worker().address}: {reason}")
    raise failure
