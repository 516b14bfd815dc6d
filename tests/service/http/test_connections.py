"""Connections that send nothing, too many of them, and too few files for them."""

from __future__ import annotations

import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

import audiencelab
from audiencelab.service.http import accepting
from audiencelab.survey import Survey
from tests.service.asking import TOKEN
from tests.service.http.certificates import write_certificate
from tests.service.http.test_commands import address, half_sent

resource = pytest.importorskip("resource", reason="Windows has no limit of open files")

QUESTION = "/v2/questions/core.q2"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}

LIMITED = """
import sys
from audiencelab.cli import main
from audiencelab.service.http import accepting
accepting._OTHER_FILES = int(sys.argv.pop(1))
sys.exit(main(["serve", *sys.argv[1:]]))
"""
"""The command, with another number of files that are left for other things."""


@contextmanager
def connected(url: str, sent: bytes = b"") -> Generator[socket.socket]:
    place = urlsplit(url)
    with socket.create_connection((place.hostname or "", place.port or 80), 60) as connection:
        connection.sendall(sent)
        yield connection


def get(url: str, path: str = QUESTION) -> httpx.Response:
    return httpx.get(url + path, headers=AUTHORIZED, trust_env=False, timeout=60)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accepting, "HEAD_SECONDS", 0.3)


HEAD = f"GET {QUESTION} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n".encode()


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"\r\n", HEAD + b"\r\nGET /"])
def test_a_connection_without_a_whole_request_is_closed_in_time(
    survey: Survey, impatient: None, sent: bytes
) -> None:
    with audiencelab.serve(survey, token=TOKEN) as url, connected(url, sent) as connection:
        began = time.monotonic()
        received = b"".join(iter(lambda: connection.recv(65536), b""))
        assert time.monotonic() - began < 30
        assert received.startswith(b"HTTP/1.1 200 ") == (HEAD + b"\r\n" in sent)


def test_a_handshake_that_does_not_begin_is_ended(
    survey: Survey, impatient: None, tmp_path: Path
) -> None:
    certificate, key = write_certificate(tmp_path)
    with (
        audiencelab.serve(survey, token=TOKEN, certificate=certificate, key=key) as url,
        connected(url) as connection,
    ):
        assert connection.recv(1) == b""
        trusted = ssl.create_default_context(cafile=certificate)
        with httpx.Client(verify=trusted, trust_env=False, timeout=60) as http:
            assert http.get(url + QUESTION, headers=AUTHORIZED).status_code == 200


def test_a_request_that_is_being_sent_has_its_own_time(survey: Survey, impatient: None) -> None:
    with audiencelab.serve(survey, token=TOKEN) as url, half_sent(url, TOKEN) as connection:
        time.sleep(0.8)
        connection.sendall(b': "q2"}')
        assert connection.recv(12) == b"HTTP/1.1 200"


def test_silent_connections_are_closed_for_requests(survey: Survey) -> None:
    with audiencelab.serve(survey, token=TOKEN, max_connections=3) as url, ExitStack() as stack:
        silent = [stack.enter_context(connected(url)) for _ in range(40)]
        for path in (QUESTION, "/health", "/ready"):
            assert get(url, path).status_code == 200
        assert silent[0].recv(1) == b"", "the oldest were closed"


def test_requests_beyond_the_limit_get_503_and_status_pages_are_answered(survey: Survey) -> None:
    with audiencelab.serve(survey, token=TOKEN, max_connections=3) as url, ExitStack() as stack:
        for _ in range(3):
            stack.enter_context(half_sent(url, TOKEN))
        while get(url, "/ready").json().get("in_progress", 3) < 3:
            time.sleep(0.01)
        refused = get(url)
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert refused.headers["content-type"] == "application/problem+json"
        assert get(url, "/health").status_code == 200
        ready = get(url, "/ready")
        assert (ready.status_code, list(ready.json()["reasons"])) == (503, ["connections"])
    assert ready.status_code == 503


@contextmanager
def limited(survey: Survey, other_files: int) -> Generator[tuple[subprocess.Popen[str], str]]:
    """The command where a process may open 160 files."""
    arguments = [str(other_files), "--survey", str(survey.path), "--token", TOKEN]
    with subprocess.Popen(
        [sys.executable, "-c", LIMITED, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160)),
    ) as process:
        try:
            yield process, address(process)
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("other_files", "logged"), [(64, "max_connections is 80"), (-500, "ccept")]
)
def test_few_files_leave_requests_answered_and_a_short_log(
    survey: Survey, other_files: int, logged: str
) -> None:
    """Fewer files than connections; where the limit does not know it, accepting fails."""
    with limited(survey, other_files) as (process, url), ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(connected(url))
        for path in (QUESTION, "/health", "/ready", QUESTION):
            assert get(url, path).status_code == 200
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert logged in errors
    assert len(errors.splitlines()) <= 3, errors
