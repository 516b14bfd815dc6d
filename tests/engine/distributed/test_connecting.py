"""Which cluster is meant, and what is said when it will not do."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from distributed import Client as Dask

from audiencelab.cli import main
from audiencelab.client import ConnectionChoiceError, connect
from audiencelab.engine import distributed as cluster
from audiencelab.engine.distributed import ClusterError, ClusterTabulator, attach
from audiencelab.engine.distributed import connect as connecting
from audiencelab.service.store import StoreError
from audiencelab.survey import Survey
from tests.engine.distributed.conftest import check_same_table, check_serving, serve_command, table
from tests.engine.studies import Study
from tests.waiting import wait_until


def test_an_address_is_connected_to_and_left_again(study: Study, dask_client: Dask) -> None:
    check_same_table(study, survey=study.survey.path, engine=dask_client.scheduler.address)


def test_a_client_of_the_users_own_stays_open(study: Study, dask_client: Dask) -> None:
    connect(survey=study.survey, engine=dask_client).close()
    assert dask_client.status == "running"


def test_what_connected_by_itself_closes_it(study: Study, dask_client: Dask) -> None:
    attached = attach(study.survey, dask_client.scheduler.address)
    own = attached._client
    assert own.status == "running"
    attached.close()
    assert own.status == "closed"


def test_where_no_service_comes_about_the_cluster_is_left_again(
    study: Study, dask_client: Dask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attached: list[ClusterTabulator] = []

    def attach_and_note(survey: Survey, engine: Dask | str, **options: Any) -> ClusterTabulator:
        attached.append(attach(survey, engine, **options))
        return attached[0]

    monkeypatch.setattr(cluster, "attach", attach_and_note)
    (tmp_path / "charts.sqlite").write_text("no store")
    with pytest.raises(StoreError):
        connect(
            survey=study.survey,
            store=tmp_path / "charts.sqlite",
            engine=dask_client.scheduler.address,
        )
    assert attached[0]._client.status == "closed"
    assert dask_client.status == "running"


@pytest.mark.parametrize("engine", [42, "10.0.0.1:8786", object()])
def test_what_is_no_cluster_is_refused(study: Study, engine: object) -> None:
    with pytest.raises(ClusterError, match=r"Client, or the address of a scheduler such as"):
        connect(survey=study.survey, engine=engine)


def test_a_cluster_is_no_client(study: Study, dask_client: Dask) -> None:
    with pytest.raises(ClusterError, match=r"not LocalCluster \(a cluster gives one by get_client"):
        attach(study.survey, dask_client.cluster)


def test_a_closed_client_is_refused(study: Study, dask_client: Dask) -> None:
    with Dask(dask_client.scheduler.address, set_as_default=False) as client:
        pass
    with pytest.raises(ClusterError, match="closed"):
        attach(study.survey, client)


def test_a_scheduler_that_is_not_there_is_named(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connecting, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(ClusterError, match=r"No scheduler answers at tcp://127\.0\.0\.1:1 "):
        attach(study.survey, "tcp://127.0.0.1:1")


@pytest.mark.parametrize(("there", "what"), [(None, "no audiencelab"), ("0.0.1", "0.0.1")])
@pytest.mark.parametrize("machine", ["worker", "scheduler"])
def test_another_version_is_reported_and_the_scheduler_left_again(
    study: Study,
    dask_client: Dask,
    monkeypatch: pytest.MonkeyPatch,
    machine: str,
    there: object,
    what: str,
) -> None:
    found = dask_client.get_versions(packages=["audiencelab"])
    worker = sorted(found["workers"])[0]
    one = found["workers"][worker] if machine == "worker" else found["scheduler"]
    one["packages"]["audiencelab"] = there
    monkeypatch.setattr(Dask, "get_versions", lambda self, packages: found)
    known = dask_client.cluster.scheduler.clients
    before = set(known)
    with pytest.raises(ClusterError, match=rf"{machine}.* has .*{what}.*Install the same"):
        attach(study.survey, dask_client.scheduler.address)
    wait_until(lambda: set(known) == before)


def test_an_asynchronous_client_is_refused(study: Study, dask_client: Dask) -> None:
    async def attached() -> None:
        address = dask_client.scheduler.address
        async with Dask(address, asynchronous=True, set_as_default=False) as client:
            attach(study.survey, client)

    with pytest.raises(ClusterError, match="without asynchronous=True"):
        asyncio.run(attached())


def test_without_dask_the_extra_is_named(study: Study) -> None:
    without = (
        "import sys; sys.modules['distributed'] = None\n"
        "from audiencelab import connect\n"
        f"try: connect(survey={str(study.survey.path)!r}, engine='tcp://127.0.0.1:1')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    done = subprocess.run([sys.executable, "-c", without], capture_output=True, text=True)
    assert done.stdout.startswith("ClusterError")
    assert 'pip install "audiencelab[cluster]"' in done.stdout


@pytest.mark.parametrize("place", [{"base_url": "https://x.example"}, {"snapshot": "file"}])
def test_only_the_embedded_service_has_an_engine(place: dict[str, str]) -> None:
    with pytest.raises(ConnectionChoiceError, match="engine only applies to the embedded service"):
        connect(**place, engine="tcp://127.0.0.1:8786")


def test_a_failure_on_the_cluster_reaches_the_user(
    tmp_path: Path, study: Study, dask_client: Dask
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(study.survey.path, copy)
    with connect(survey=copy, engine=dask_client, retries=0) as client:
        bits = copy / "waves/q4_2023/bits.npy"
        bits.write_bytes(b"nothing" + bits.read_bytes()[7:])
        with pytest.raises(Exception, match=r"wave q4_2023.*failed on worker tcp://") as caught:
            table(client)
        assert "damaged" in str(caught.value)


def test_serving_over_a_scheduler(tmp_path: Path, study: Study, dask_client: Dask) -> None:
    check_serving(study, tmp_path, "--scheduler", dask_client.scheduler.address)


def test_a_scheduler_that_is_not_there_ends_serving(
    study: Study, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(serve_command(study, "--scheduler", "nonsense")) == 2
    assert "'nonsense' is not an address" in capsys.readouterr().err
