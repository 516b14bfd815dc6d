"""What runs on the workers: the tables of some partitions, and the sum of some tables.

Each is a function at the top of this module, so that a task holds its name and not its code.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import reduce
from operator import add

from audiencelab.cluster.errors import ClusterError
from audiencelab.cluster.partial import partial_table
from audiencelab.cluster.partitions import Partition
from audiencelab.cluster.queries import PartialTable, TableQuery
from audiencelab.errors import AudienceError

__all__ = ["add_up", "table_of", "unpacked"]


def unpacked(query: bytes) -> TableQuery:
    """The query of all tasks; a task itself, so that it can be made again if it is lost."""
    found = pickle.loads(query)
    assert isinstance(found, TableQuery)
    return found


def table_of(
    partitions: Sequence[Partition], query: TableQuery, start: int, stop: int
) -> PartialTable:
    """Rows `start` to `stop` of the table of some partitions together.

    Raises `ClusterError`, which names the partition that failed and the worker.
    """
    part = query.part(start, stop)
    return reduce(add, (_table(each, part) for each in partitions))


def add_up(tables: Sequence[PartialTable]) -> PartialTable:
    """The table of all their respondents."""
    return reduce(add, tables)


def _table(partition: Partition, query: TableQuery) -> PartialTable:
    try:
        return partial_table(partition, query)
    except Exception as error:
        kind = "" if isinstance(error, AudienceError) else f"{type(error).__name__}: "
        failure = f"{partition} failed on worker {_worker()}: {kind}{error}"
    raise ClusterError(failure)


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)
