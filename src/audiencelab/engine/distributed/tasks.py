"""What runs on the workers: the tables of some partitions, and the sum of some tables.

Each is a function at the top of this module, so that a task holds its name and not its code.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audiencelab.engine.distributed.errors import ClusterError
from audiencelab.engine.distributed.partial import partial_table
from audiencelab.engine.distributed.partitions import Partition
from audiencelab.engine.distributed.queries import PartialTable, TableQuery
from audiencelab.survey import SurveyError

__all__ = ["Failure", "add_up", "table_of", "unpacked"]


def unpacked(query: bytes) -> TableQuery:
    """The query of all tasks; a task itself, so that it can be made again if it is lost."""
    found = pickle.loads(query)
    assert isinstance(found, TableQuery)
    return found


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a partition cannot be added up, however often it is tried.

    A value and no exception, since Dask would try it again, and fill the worker's log.
    """

    message: str


def table_of(
    partitions: Sequence[Partition], query: TableQuery, start: int, stop: int
) -> PartialTable | Failure:
    """Rows `start` to `stop` of the table of some partitions together.

    Raises `ClusterError`, which names the partition and the worker, for what may go better
    another time.
    """
    part = query.part(start, stop)
    return add_up(_table(each, part) for each in partitions)


def add_up(tables: Iterable[PartialTable | Failure]) -> PartialTable | Failure:
    """The table of all their respondents, or the first failure."""
    total: PartialTable | None = None
    for table in tables:
        if isinstance(table, Failure):
            return table
        total = table if total is None else total + table
    if total is None:
        raise ValueError("There is nothing to add up.")
    return total


def _table(partition: Partition, query: TableQuery) -> PartialTable | Failure:
    failure = ""
    try:
        return partial_table(partition, query)
    except SurveyError as error:
        return Failure(f"{partition} failed on worker {_worker()}: {error}")
    except Exception as error:
        failure = f"{partition} failed on worker {_worker()}: {type(error).__name__}: {error}"
    raise ClusterError(failure)


def _worker() -> str:
    from distributed import get_worker

    return str(get_worker().address)
