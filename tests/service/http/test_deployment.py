"""The service behind the proxies of docs/deploy, with connections that send or take nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.service import Service
from audiencelab.service.credentials import (
    Credential,
    CredentialsFile,
    digest_of,
    write_credentials,
)
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask
from tests.service.http.certificates import write_certificate

DEPLOY = Path(__file__).parents[3] / "docs" / "deploy"
HOW_TO = DEPLOY.parent / "how-to" / "deploy.md"
QUESTION = "/v2/questions/core.q2"
SOCKET = "/run/audiencelab/service.sock"


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextmanager
def proxy(command: list[str], port: int) -> Iterator[None]:
    """A proxy in the foreground, once it takes connections."""
    with subprocess.Popen(command) as process:
        try:
            for _ in range(300):
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert process.poll() is None, "the proxy ended"
                    time.sleep(0.1)
            yield
        finally:
            process.terminate()


@pytest.fixture
def nginx(survey: Survey, tmp_path: Path) -> Iterator[httpx.Client]:
    """A client of the service behind nginx with the configuration of the docs."""
    port, certificate = free_port(), write_certificate(tmp_path)
    text = (DEPLOY / "nginx.conf").read_text()
    for known, here in {
        SOCKET: str(tmp_path / "service.sock"),
        "/run/nginx.pid": str(tmp_path / "nginx.pid"),
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "/etc/ssl/audiencelab.pem": str(certificate[0]),
        "/etc/ssl/audiencelab.key": str(certificate[1]),
        # All connections of the test come from one address.
        "limit_conn connections 100": "limit_conn connections 4000",
    }.items():
        assert known in text
        text = text.replace(known, here)
    (tmp_path / "nginx.conf").write_text(text)
    command = ["nginx", "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]
    # Started as root, its workers would be another user, who may not open the socket here.
    command += ["-g", "daemon off; user root;" if os.geteuid() == 0 else "daemon off;"]
    trusted = ssl.create_default_context(cafile=str(certificate[0]))
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept-Encoding": "identity"}
    with (
        audiencelab.serve(
            survey,
            token=TOKEN,
            socket_file=tmp_path / "service.sock",
            proxy_headers=True,
            metrics=True,
        ),
        proxy(command, port),
        httpx.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers=headers,
            verify=trusted,
            trust_env=False,
            timeout=10,
        ) as client,
    ):
        yield client


def table(size: int) -> bytes:
    audiences = [{"id": f"a{n}"} for n in range(size)]
    return json.dumps({"rows": audiences, "columns": audiences}).encode()


def connected(client: httpx.Client, *, sends: bytes = b"") -> socket.socket:
    """A connection to the proxy that sends these bytes and takes nothing."""
    address = client.base_url
    connection = socket.create_connection((address.host, address.port or 443), timeout=60)
    if not sends:
        return connection
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    secured = context.wrap_socket(connection)
    secured.sendall(sends)
    return secured


@needs("nginx")
def test_nginx_passes_answers_on_and_keeps_counts_inside(nginx: httpx.Client) -> None:
    assert nginx.get(QUESTION).status_code == 200
    answer = nginx.post("/v2/query/crosstab", content=table(30))
    assert len(answer.content.splitlines()) == 900
    assert nginx.get("/metrics").status_code == 404
    assert nginx.get("/ready").json()["status"] == "ready"


@needs("nginx")
def test_1200_idle_connections_stop_nobody_behind_nginx(nginx: httpx.Client) -> None:
    with ExitStack() as stack:
        for _ in range(1_200):
            stack.enter_context(connected(nginx))
        assert {nginx.get(QUESTION).status_code for _ in range(20)} == {200}


@needs("nginx")
def test_64_slow_readers_stop_nobody_behind_nginx(nginx: httpx.Client) -> None:
    body = table(120)
    head = (
        f"POST /v2/query/crosstab HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with ExitStack() as stack:
        for _ in range(64):
            stack.enter_context(connected(nginx, sends=head.encode() + body))
        deadline = time.monotonic() + 300
        while (found := nginx.get("/ready")).status_code != 200 or found.json()["in_progress"]:
            assert time.monotonic() < deadline, found.text
            time.sleep(0.5)
        assert {nginx.get(QUESTION).status_code for _ in range(20)} == {200}


@needs("caddy")
def test_caddy_passes_answers_on(survey: Survey, tmp_path: Path) -> None:
    port = free_port()
    text = (DEPLOY / "Caddyfile").read_text()
    for known, here in {
        SOCKET: str(tmp_path / "service.sock"),
        "survey.example.org {": f"http://127.0.0.1:{port} {{",
        "{\n\tservers": "{\n\tadmin off\n\tservers",
    }.items():
        assert known in text
        text = text.replace(known, here)
    (tmp_path / "Caddyfile").write_text(text)
    command = ["caddy", "run", "--adapter", "caddyfile", "--config", str(tmp_path / "Caddyfile")]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with (
        audiencelab.serve(survey, token=TOKEN, socket_file=tmp_path / "service.sock"),
        proxy(command, port),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", headers=headers, trust_env=False) as http,
    ):
        assert http.get(QUESTION).status_code == 200
        assert len(http.post("/v2/query/crosstab", content=table(30)).content.splitlines()) == 900
        assert http.get("/metrics").status_code == 404


@needs("systemd-analyze")
def test_the_unit_is_valid_and_confined(tmp_path: Path) -> None:
    unit = tmp_path / "audiencelab.service"
    text = (DEPLOY / unit.name).read_text()
    # The file is checked for being there.
    unit.write_text(text.replace("/opt/audiencelab/bin/audiencelab", "/bin/true"))
    for arguments in (["verify"], ["security", "--offline=yes", "--threshold=25"]):
        done = subprocess.run(
            ["systemd-analyze", *arguments, str(unit)], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_store_is_backed_up_while_it_is_served_and_owners_are_removed(
    survey: Survey, tmp_path: Path
) -> None:
    file = tmp_path / "team.toml"
    names = {"ana@example.org": "ana", "bea": "bea"}
    write_credentials(
        file, {name: Credential([digest_of(token)], "write") for name, token in names.items()}
    )
    store, copy = tmp_path / "store.db", tmp_path / "copy.db"
    back_up, remove = re.findall(r'"((?:VACUUM|DELETE)[^"]*)"', HOW_TO.read_text())
    with Service(survey, CredentialsFile(file), store=store) as service:
        for token in names.values():
            ask(service, "POST", "/v1/charts", {"name": f"{token}'s"}, token=token)
        with sqlite3.connect(store) as connection:
            connection.execute(back_up.replace("/backup/store.db", str(copy)))
        connection.close()
    with sqlite3.connect(copy) as connection:
        connection.execute(remove)
    connection.close()
    with Service(survey, ["token"], store=copy) as service:
        assert [chart.name for chart in service.charts()] == ["bea's"]
    with Service(survey, ["token"], store=store) as service:
        assert len(service.charts()) == 2
