"""Workers that end in the middle of a query, and workers that come late, change no figure."""

from __future__ import annotations

import os
import signal

from distributed import Client

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.expressions import Q
from tests.engine.distributed.asking import cells, cells_of
from tests.waiting import wait_until

LONG = CrosstabSpec(
    tuple(Q("q9").any(f"q9_{1 + place % 6}") | Q("q4").any("q4_3") for place in range(1500)),
    tuple(Q("q4").any(f"q4_{1 + place % 5}") for place in range(40)),
)


def processes(client: Client) -> dict[str, int]:
    """The process of each worker, by address."""
    return client.run(os.getpid)


def test_a_worker_that_is_killed_changes_no_figure(
    here: Engine, there: Engine, dask_client: Client
) -> None:
    stripes = there.crosstab(LONG)
    first = next(stripes)
    before = processes(dask_client)
    killed, process = sorted(before.items())[0]
    os.kill(process, signal.SIGKILL)
    rows = cells_of([first, *stripes])
    assert rows == cells(here, LONG)
    wait_until(lambda: len(dask_client.nthreads()) == len(before))
    assert killed not in dask_client.nthreads()


def test_a_worker_that_joins_late_is_given_work(
    here: Engine, there: Engine, dask_client: Client
) -> None:
    before = set(dask_client.nthreads())
    stripes = there.crosstab(LONG)
    first = next(stripes)
    dask_client.cluster.scale(len(before) + 1)
    try:
        wait_until(lambda: len(dask_client.nthreads()) > len(before))
        (late,) = set(dask_client.nthreads()) - before
        assert cells_of([first, *stripes]) == cells(here, LONG)
        assert cells(there, LONG) == cells(here, LONG)
        opened = dask_client.run(_opened_partitions, workers=[late])
        assert opened[late] > 0
    finally:
        dask_client.cluster.scale(len(before))
        wait_until(lambda: len(dask_client.nthreads()) == len(before))


def _opened_partitions() -> int:
    from audiencelab.engine.distributed import partitions

    return len(partitions._opened._partitions)
