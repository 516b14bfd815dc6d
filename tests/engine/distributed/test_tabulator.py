"""What is said where the cluster, and not a table, is at fault."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from audiencelab.engine import CrosstabSpec, Engine
from audiencelab.engine.distributed import ClusterError, TableQuery, attach
from audiencelab.engine.distributed import dask as tabulator
from audiencelab.engine.distributed.dask import _result, table_of
from audiencelab.engine.distributed.partitions import Partition
from audiencelab.engine.nodes import InWaves, Node
from tests.engine.studies import Study
from tests.waiting import wait_until


@contextmanager
def in_this_process(workers: int) -> Iterator[tuple[LocalCluster, Client]]:
    """A scheduler, and workers that are threads."""
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=False,
            dashboard_address=":0",
            worker_dashboard_address=None,
        ) as cluster,
        Client(cluster.scheduler_address, set_as_default=False) as client,
    ):
        yield cluster, client


def test_a_cluster_without_a_worker_is_told_and_so_is_a_task_that_was_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tabulator, "_LOOKS_EVERY", 0.01)
    monkeypatch.setattr(tabulator, "_WITHOUT_WORKERS", 0.0)
    with in_this_process(0) as (cluster, client):
        future = client.submit(int, "1")
        with pytest.raises(ClusterError, match=r"^The cluster has no worker\. Start some"):
            _result(client, future)
        # Long enough for the scheduler's word that it is cancelled to arrive first.
        monkeypatch.setattr(tabulator, "_LOOKS_EVERY", 60.0)
        client.cancel(future)
        lost = rf"(?m)^The scheduler at {cluster.scheduler_address} was lost .*Connect again\.$"
        with pytest.raises(ClusterError, match=lost):
            _result(client, future)


def test_a_scheduler_that_has_gone_is_told_by_its_address(study: Study) -> None:
    # A client knows the scheduler's address only while it has one.
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "0.1s"}),
        in_this_process(0) as (cluster, client),
    ):
        address = cluster.scheduler_address
        engine = Engine(study.survey, tabulator=attach(study.survey, client))
        cluster.close()
        with pytest.raises(ClusterError, match=rf"^The scheduler at {address} was lost \("):
            list(engine.crosstab(CrosstabSpec((None,), (None,))))


def test_a_client_that_was_closed_meanwhile_is_told(study: Study) -> None:
    with in_this_process(1) as (_, client):
        engine = Engine(study.survey, tabulator=attach(study.survey, client))
        asked = CrosstabSpec((None,), (None,))
        assert len(list(engine.crosstab(asked))) == 1
        client.close()
        with pytest.raises(ClusterError, match=r"(?m)^The Client is closed\. Connect again\.$"):
            list(engine.crosstab(asked))


@pytest.mark.parametrize("step", ["submit", "nthreads", "map"])
def test_a_client_that_is_closed_at_any_step_is_told(
    study: Study, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with in_this_process(1) as (_, client):
        engine = Engine(study.survey, tabulator=attach(study.survey, client))
        asked = getattr(client, step)

        def closed_before(*given: Any, **options: Any) -> Any:
            client.close()
            return asked(*given, **options)

        monkeypatch.setattr(client, step, closed_before)
        with pytest.raises(ClusterError, match=r"^The Client was closed meanwhile") as told:
            list(engine.crosstab(CrosstabSpec((None,), (None,))))
        assert told.value.__suppress_context__


def test_a_client_that_is_closed_between_two_stripes_is_told(study: Study) -> None:
    with in_this_process(1) as (_, client):
        engine = Engine(study.survey, tabulator=attach(study.survey, client))
        stripes = engine.crosstab(CrosstabSpec((None,) * 1_000, (None,)))
        next(stripes)
        client.close()
        with pytest.raises(ClusterError, match=r"^The Client was closed meanwhile"):
            list(stripes)


def test_a_fault_that_is_not_the_clusters_is_not_said_to_be(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_this_process(1) as (_, client):
        engine = Engine(study.survey, tabulator=attach(study.survey, client))
        monkeypatch.setattr(client, "map", {}.__getitem__)
        with pytest.raises(TypeError):
            list(engine.crosstab(CrosstabSpec((None,), (None,))))


def test_what_nobody_expects_names_the_partition_and_the_worker(study: Study) -> None:
    strange = Partition(study.survey.address, study.survey.seal, "q4_2022", 0, 1)
    with in_this_process(1) as (_, client):
        [worker] = client.scheduler_info()["workers"]
        everyone, of_no_kind = InWaves(b"all", 1, 1), Node(b"none", 1, 1)
        query = TableQuery(everyone, (of_no_kind,), (everyone,), (0,))
        future = client.submit(table_of, [strange], query, 0, 1)
        with pytest.raises(ClusterError) as told:
            _result(client, future)
    assert str(told.value).startswith(f"{strange} failed on worker {worker}: ")
    assert told.value.__cause__ is None


def test_a_task_that_ends_its_workers_is_given_up(
    dask_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = len(dask_client.nthreads())
    monkeypatch.setattr(dask_client.cluster.scheduler, "allowed_failures", 0)
    future = dask_client.submit(_end)
    with pytest.raises(ClusterError, match=r"gave up a task of tcp://\S+, since 1 worker ended"):
        _result(dask_client, future)
    future.release()  # Its error holds on to it.
    wait_until(lambda: len(dask_client.nthreads()) == before)


def _end() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_it_says_how_much_it_spreads_and_where(study: Study, dask_client: Client) -> None:
    found = repr(attach(study.survey, dask_client))
    assert found == f"<ClusterTabulator of {len(study.survey.waves)} partitions on {dask_client!r}>"
