"""A real cluster for this room: two worker processes on this machine, started once."""

from __future__ import annotations

from collections.abc import Iterator

import dask
import pytest
from distributed import Client, LocalCluster

from audiencelab.engine import Engine
from audiencelab.engine.distributed import attach
from tests.engine.studies import Study, random_study

# Processes that are forked from one that has imported Dask start in a tenth of the time.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})


def local_cluster(workers: int = 2, **options: object) -> LocalCluster:
    """Worker processes of one thread each, without a dashboard."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        worker_dashboard_address=None,
        **options,
    )


@pytest.fixture(scope="session")
def dask_client() -> Iterator[Client]:
    with local_cluster() as cluster, Client(cluster, set_as_default=False) as client:
        yield client


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return random_study(tmp_path_factory.mktemp("study") / "study", seed=4, respondents=500)


@pytest.fixture(scope="session")
def here(study: Study) -> Engine:
    """The engine of this machine alone, whose figures are the ones to compare with."""
    return Engine(study.survey)


@pytest.fixture(scope="session")
def there(study: Study, dask_client: Client) -> Engine:
    """The engine on the cluster."""
    return Engine(study.survey, tabulator=attach(study.survey, dask_client))
