"""What operators use: logs, metrics, readiness, turns for each caller, sockets, certificates."""

from __future__ import annotations

import json
import logging
import shutil
import socket
import ssl
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

import audiencelab
from audiencelab.client import ConnectionFailed
from audiencelab.service import Service
from audiencelab.service.credentials import Credential, digest_of, write_credentials
from audiencelab.service.http import ServeError
from audiencelab.survey import Survey
from audiencelab.survey.layout import MANIFEST
from tests.service.asking import TOKEN
from tests.service.http.certificates import write_certificate

QUESTION, STATS, CHARTS = "/v2/questions/core.q2", "/v2/query/stats", "/v1/charts"


def client(url: str, token: str | None = TOKEN, **settings: object) -> httpx.Client:
    headers = {"Accept-Encoding": "identity"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    return httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=60, **settings)  # type: ignore[arg-type]


def lines(caplog: pytest.LogCaptureFixture, logger: str) -> list[dict[str, object]]:
    return [json.loads(each.getMessage()) for each in caplog.records if each.name == logger]


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "team.toml"
    entries = {"ana": Credential([digest_of("ana-canary")], "write")}
    write_credentials(path, entries | {"bea": Credential([digest_of("bea-canary")])})
    return path


def test_each_request_is_one_line_and_each_write_two(
    survey: Survey, team: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "audiencelab")
    crosstab = {"rows": [{"name": "canary"}] * 3, "columns": [{"name": "canary"}] * 2}
    with audiencelab.serve(survey, credentials=team) as url, client(url, "ana-canary") as http:
        http.post("/v2/query/crosstab", json=crosstab, headers={"X-Request-Id": "my-id"})
        chart = http.post(CHARTS, json={"name": "canary"}).json()["id"]
        http.get("/v2/questions/nowhere", headers={"Authorization": "Bearer bea-canary"})
        http.get(QUESTION, headers={"Authorization": "wrong-canary"})
    # A line is written after its answer was sent, so two may come in the other order.
    of_path = {each["path"]: each for each in lines(caplog, "audiencelab.access")}
    first, made, missing, refused = (
        of_path[path] for path in ("/v2/query/crosstab", CHARTS, "/v2/questions/nowhere", QUESTION)
    )
    assert (first["request_id"], first["operation"], first["caller"]) == (
        "my-id",
        "query_crosstab",
        "ana",
    )
    assert (first["status"], first["rows"], first["columns"]) == (200, 3, 2)
    assert (first["client"], first["method"]) == ("127.0.0.1", "POST")
    assert first["bytes"] > 1000  # type: ignore[operator]
    assert first["ms"] > 0  # type: ignore[operator]
    assert (missing["status"], missing["caller"]) == (404, "bea")
    assert refused["status"] == 401
    assert "caller" not in refused
    (audited,) = lines(caplog, "audiencelab.audit")
    assert audited["id"] == made["id"] == chart
    assert (audited["caller"], audited["operation"]) == ("ana", "create_chart")
    assert "canary" not in caplog.text


def test_metrics_count_requests_by_operation_and_status(survey: Survey) -> None:
    with audiencelab.serve(survey, token=TOKEN, metrics=True) as url:
        with client(url) as http:
            for path in (QUESTION, QUESTION, "/nowhere", "/also/nowhere"):
                http.get(path)
        with client(url, None) as http:
            http.get(QUESTION)
            answer = http.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    samples = {
        (sample.name, sample.labels.get("operation"), sample.labels.get("status")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }
    assert samples["audiencelab_requests_total", "get_question", "200"] == 2
    assert samples["audiencelab_requests_total", "none", "404"] == 2
    assert samples["audiencelab_requests_total", "none", "401"] == 1
    assert samples["audiencelab_request_seconds_count", "get_question", None] == 2
    assert samples["audiencelab_requests_in_progress", None, None] == 0


def test_metrics_are_not_there_unless_they_are_asked_for(url: str) -> None:
    with client(url) as http:
        assert http.get("/metrics").status_code == 404


def test_ready_knows_a_survey_whose_files_are_broken_and_health_does_not(
    survey: Survey, tmp_path: Path
) -> None:
    folder = tmp_path / "survey"
    shutil.copytree(survey.path, folder)
    with audiencelab.serve(folder, token=TOKEN) as url, client(url, None) as http:
        assert http.get("/ready").json() == {"status": "ready", "in_progress": 0}
        (folder / MANIFEST).unlink()
        answer = http.get("/ready")
        assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
        assert list(answer.json()["reasons"]) == ["survey"]
        assert str(tmp_path) not in answer.text
        assert http.get("/health").status_code == 200


def test_a_store_that_is_closed_is_not_ready(survey: Survey) -> None:
    service = Service(survey)
    assert service.unready_reasons() == {}
    service.close()
    assert list(service.unready_reasons()) == ["store"]


def slow_reader(url: str, token: str, size: int) -> socket.socket:
    """A connection that asks for a large table and reads nothing of it."""
    audiences = [{"id": f"a{n}"} for n in range(size)]
    body = json.dumps({"rows": audiences, "columns": audiences}).encode()
    head = (
        "POST /v2/query/crosstab HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    address = httpx.URL(url)
    connection = socket.create_connection((address.host, address.port or 80), timeout=60)
    connection.sendall(head.encode() + body)
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def test_readers_of_one_caller_leave_turns_to_the_others(survey: Survey, team: Path) -> None:
    with audiencelab.serve(survey, credentials=team, max_per_caller=3) as url:
        slow = [slow_reader(url, "ana-canary", 600) for _ in range(3)]
        try:
            with client(url) as http:
                headers = {"Authorization": "Bearer ana-canary"}
                refused = http.get(QUESTION, headers=headers)
                assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
                headers = {"Authorization": "Bearer bea-canary"}
                assert http.get(QUESTION, headers=headers).status_code == 200
        finally:
            for connection in slow:
                connection.close()


@pytest.mark.parametrize("prefix", ["", "/surveys/2026%20a"])
def test_it_is_reached_under_the_path_of_a_proxy_and_without_it(
    survey: Survey, prefix: str
) -> None:
    root = "/surveys/2026 a"
    with audiencelab.serve(survey, token=TOKEN, root_path=root) as url, client(url) as http:
        assert http.get(f"{prefix}/health").json()["status"] == "ok"
        assert http.get(f"{prefix}{QUESTION}").status_code == 200
        assert http.get(f"{prefix}/openapi.json").json()["servers"] == [{"url": root}]
    with audiencelab.serve(survey, token=TOKEN) as url, client(url) as http:
        assert http.get(f"/surveys/2026%20a{QUESTION}").status_code == 404


def test_a_unix_socket_is_served_and_removed(survey: Survey, tmp_path: Path) -> None:
    path = tmp_path / "service.sock"
    with audiencelab.serve(survey, token=TOKEN, socket_file=path) as address:
        assert address == str(path)
        with client("http://service", transport=httpx.HTTPTransport(uds=address)) as http:
            assert http.get(QUESTION).status_code == 200
    assert not path.exists()
    with pytest.raises(ServeError, match="Cannot listen on"):
        audiencelab.serve(survey, token=TOKEN, socket_file=tmp_path / "no" / "folder").__enter__()


def test_the_log_names_the_address_that_a_proxy_forwards_over_a_unix_socket(
    survey: Survey, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "audiencelab.access")
    file = tmp_path / "service.sock"
    forwarded = {"X-Forwarded-For": "192.0.2.7"}
    for proxy_headers, logged in ((True, "192.0.2.7"), (False, "")):
        with (
            audiencelab.serve(
                survey, token=TOKEN, socket_file=file, proxy_headers=proxy_headers
            ) as address,
            client("http://service", transport=httpx.HTTPTransport(uds=address)) as http,
        ):
            assert http.get(QUESTION, headers=forwarded).status_code == 200
        assert json.loads(caplog.messages[-1])["client"] == logged


def test_a_certificate_makes_it_https(survey: Survey, tmp_path: Path) -> None:
    files = write_certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=str(files[0]))
    with audiencelab.serve(survey, token=TOKEN, certificate=files[0], key=files[1]) as url:
        assert url.startswith("https://")
        with client(url, verify=trusted) as http:
            assert http.get(QUESTION).status_code == 200
        with pytest.raises(ConnectionFailed, match="SSL_CERT_FILE"):
            audiencelab.connect(url, token=TOKEN, retries=0).waves()


def test_a_rotation_under_load_refuses_nobody(survey: Survey, team: Path) -> None:
    stop = threading.Event()

    def ask(url: str, token: str) -> set[int]:
        with client(url, token) as http:
            found: set[int] = set()
            while not stop.is_set():
                found.add(http.get(QUESTION).status_code)
            return found

    known = {"ana": Credential([digest_of("ana-canary")]), "bea": Credential([digest_of("b")])}
    with audiencelab.serve(survey, credentials=team) as url, ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask, url, "ana-canary") for _ in range(4)]
        for number in range(20):
            known["ana"].sha256 = [digest_of("ana-canary"), digest_of(f"new-{number}")]
            write_credentials(team, known)
            with client(url, f"new-{number}") as http:
                assert http.get(QUESTION).status_code == 200
        stop.set()
        assert set.union(*(each.result() for each in asking)) == {200}
