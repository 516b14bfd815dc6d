"""A real cluster of two worker processes on this machine, started once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import dask
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from audiencelab.client import Client as AudienceClient
from audiencelab.client import connect
from audiencelab.engine import Engine
from audiencelab.engine.distributed import attach
from audiencelab.expressions import Q
from tests.engine.studies import Study, random_study

# Processes that are forked from one that has imported Dask start in a tenth of the time.
dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"})


def local_cluster(workers: int = 2, *, processes: bool = True, **options: object) -> LocalCluster:
    """Workers of one thread each, in processes of their own or in this one; no dashboard."""
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=processes,
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
    return random_study(
        tmp_path_factory.mktemp("study") / "study", seed=4, respondents=500, weightless=True
    )


@pytest.fixture(scope="session")
def here(study: Study) -> Engine:
    """The engine of this machine alone, whose figures are the ones to compare with."""
    return Engine(study.survey)


@pytest.fixture(scope="session")
def there(study: Study, dask_client: Client) -> Engine:
    """The engine on the cluster."""
    return Engine(study.survey, tabulator=attach(study.survey, dask_client))


def table(connected: AudienceClient) -> pd.DataFrame:
    rows = [Q("q9").any(f"q9_{place}") for place in range(1, 7)]
    return connected.crosstab(rows=rows, columns=[Q("q4").any("q4_2")]).to_frame()


def check_same_table(study: Study, **there: object) -> None:
    """The table of a connection is that of the embedded service."""
    with connect(**there) as remote, connect(survey=study.survey) as here:
        assert table(remote).equals(table(here))


def serve_command(study: Study, *options: str) -> list[str]:
    """The arguments of `audiencelab`."""
    return ["serve", "--survey", str(study.survey.path), *options]


def check_serving(study: Study, folder: Path, *options: str) -> None:
    """A served survey gives the same table, and ends without an error."""
    token = folder / "token"
    token.touch(0o600)
    token.write_text("serving-over-a-scheduler")
    command = serve_command(study, "--token-file", str(token), *options)
    python = [sys.executable, "-m", "audiencelab"]
    with subprocess.Popen([*python, *command], stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        try:
            url = serving.stdout.readline().strip()
            check_same_table(study, base_url=url, token=token.read_text())
        finally:
            serving.terminate()
        assert serving.wait() == 0
