"""Which schedulers may be connected to: what a scheduler sends is unpickled, which runs code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import Client as Dask
from distributed import LocalCluster
from distributed.security import Security

from audiencelab.cli import main
from audiencelab.client import Client, ConnectionChoiceError, ServiceFailure, connect
from audiencelab.engine.distributed import ClusterError, attach
from audiencelab.engine.distributed import connect as connecting
from audiencelab.expressions import Q
from audiencelab.service.http import ServeError, serve
from tests.engine.distributed.conftest import (
    check_same_table,
    check_serving,
    local_cluster,
    serve_command,
)
from tests.engine.studies import Study

ELSEWHERE = (
    "tcp://10.0.0.1:8786",
    "tcp://scheduler.example:8786",
    "ws://10.0.0.1:8786",
    "ucx://10.0.0.1:1",
)


@pytest.fixture(autouse=True)
def short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_CONNECT_SECONDS", 0.2)


@pytest.fixture(scope="module")
def secured() -> Iterator[tuple[LocalCluster, Security]]:
    pytest.importorskip("cryptography")
    security = Security.temporary()
    with local_cluster(1, processes=False, protocol="tls://", security=security) as cluster:
        yield cluster, security


@pytest.mark.parametrize("address", ELSEWHERE)
def test_a_scheduler_on_another_machine_needs_tls(study: Study, address: str) -> None:
    with pytest.raises(ClusterError, match=r"is not valid: .*run code") as caught:
        connect(survey=study.survey, engine=address)
    assert "tls://" in str(caught.value)
    assert "allow_insecure_scheduler=True" in str(caught.value)


def test_serving_over_a_scheduler_on_another_machine_needs_tls(study: Study) -> None:
    with (
        pytest.raises(ClusterError, match="is not valid"),
        serve(study.survey, engine=ELSEWHERE[0]),
    ):
        pass


def test_a_scheduler_on_another_machine_is_allowed_by_name(study: Study) -> None:
    address = "tcp://scheduler.invalid:8786"
    with pytest.raises(ClusterError, match=f"No scheduler answers at {address}"):
        attach(study.survey, address, allow_insecure_scheduler=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_a_scheduler_on_this_machine_needs_nothing(study: Study, host: str) -> None:
    with pytest.raises(ClusterError, match="No scheduler answers at"):
        attach(study.survey, f"tcp://{host}:1")


def test_tls_without_certificates_names_what_to_give(study: Study) -> None:
    with pytest.raises(ClusterError, match="security="):
        attach(study.survey, "tls://10.0.0.1:8786")


def test_a_scheduler_over_tls(
    study: Study, secured: tuple[LocalCluster, Security], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, security = secured
    monkeypatch.setattr(connecting, "_CONNECT_SECONDS", 10)
    address = cluster.scheduler_address
    assert address.startswith("tls://")
    check_same_table(study, survey=study.survey, engine=address, security=security)


def test_certificates_of_another_cluster_are_not_accepted(
    study: Study, secured: tuple[LocalCluster, Security]
) -> None:
    with pytest.raises(ClusterError, match="No scheduler answers at tls://"):
        attach(study.survey, secured[0].scheduler_address, security=Security.temporary())


def test_serving_over_tls(
    tmp_path: Path, study: Study, secured: tuple[LocalCluster, Security]
) -> None:
    cluster, security = secured
    files = {
        "--scheduler-ca": security.tls_ca_file,
        "--scheduler-cert": security.tls_client_cert,
        "--scheduler-key": security.tls_client_key,
    }
    given: list[str] = []
    for option, text in files.items():
        path = tmp_path / f"{option.strip('-')}.pem"
        path.write_text(text)
        given += [option, str(path)]
    check_serving(study, tmp_path, "--scheduler", cluster.scheduler_address, *given)


@pytest.mark.parametrize(
    "options",
    [
        ["--scheduler", ELSEWHERE[0]],
        ["--scheduler", "tls://10.0.0.1:8786", "--scheduler-ca", "missing.pem"],
        ["--scheduler-ca", "missing.pem"],
        ["--allow-insecure-scheduler"],
    ],
)
def test_the_command_refuses_what_is_not_safe(
    study: Study, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(serve_command(study, *options)) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert re.search("--scheduler|tls://|is not valid", err)


@pytest.mark.parametrize("given", [{"security": object()}, {"allow_insecure_scheduler": True}])
def test_security_belongs_to_an_address(
    study: Study, dask_client: Dask, given: dict[str, object]
) -> None:
    with pytest.raises(ClusterError, match="address"):
        attach(study.survey, dask_client, **given)
    with pytest.raises(ConnectionChoiceError, match="engine"):
        connect(survey=study.survey, **given)
    with pytest.raises(ServeError, match="engine"), serve(study.survey, **given):
        pass


def test_a_security_of_another_kind_is_refused(study: Study) -> None:
    with pytest.raises(ClusterError, match=r"distributed\.Security"):
        attach(study.survey, "tls://127.0.0.1:1", security="ca.pem")


def test_a_cluster_that_was_closed_is_a_cluster_error(study: Study, dask_client: Dask) -> None:
    def ask(client: Client) -> None:
        client.stats("q4")

    with Dask(dask_client.scheduler.address, set_as_default=False) as own:
        client = connect(survey=study.survey, engine=own)
    with pytest.raises(ClusterError, match="closed"):
        ask(client)
    with pytest.raises(ClusterError, match="closed"):
        client.crosstab(rows=[Q("q4").any("q4_2")])
    assert not issubclass(ClusterError, ServiceFailure)
