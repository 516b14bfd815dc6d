"""More than the service takes, and callers that keep it waiting: real sockets, a real process.

Whoever asks as one should is answered: at once, or with 503 or 429 and the time to come again.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

import httpx

from audiencelab.service.http.app import MAX_CONCURRENT
from audiencelab.survey import Survey
from tests.service.asking import TOKEN
from tests.service.http.test_commands import address, command

IMPATIENT = """
import sys
from audiencelab.cli import main
from audiencelab.service.http import app
app._BODY_SECONDS = 1.0
app._SEND_SECONDS = 2.0
sys.exit(main(["serve", *sys.argv[1:]]))
"""
"""The command as it is, but that its patience ends before that of who runs the tests."""

HEADERS = f"Host: x\r\nAuthorization: Bearer {TOKEN}\r\n"


@contextmanager
def impatient(survey: Survey) -> Generator[subprocess.Popen[str]]:
    arguments = ["--survey", str(survey.path), "--token", TOKEN]
    with subprocess.Popen(
        [sys.executable, "-c", IMPATIENT, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def connected(url: str, sent: bytes, buffer: int = 4096) -> Generator[socket.socket]:
    """A connection that has sent this, and reads nothing by itself."""
    place = urlsplit(url)
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        connection.settimeout(60)
        connection.connect((place.hostname, place.port))
        connection.sendall(sent)
        yield connection


def crosstab(side: int) -> bytes:
    """A request for a table of so many rows and columns, whose answer is megabytes."""
    audiences = [
        {"id": f"a{place}", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
        for place in range(side)
    ]
    body = json.dumps({"rows": audiences, "columns": audiences}).encode()
    head = f"POST /v2/query/crosstab HTTP/1.1\r\n{HEADERS}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


UNFINISHED_BODY = (
    f"POST /v2/query/stats HTTP/1.1\r\n{HEADERS}Content-Length: 1000\r\n\r\n{{"
).encode()


def persistent(url: str) -> Counter[int]:
    """Ask until the answer is there, as a client of ours does; the statuses of all answers."""
    seen: Counter[int] = Counter()
    with httpx.Client(base_url=url, trust_env=False, timeout=60) as client:
        while not seen[200]:
            answer = client.get("/v2/questions/q2", headers={"Authorization": f"Bearer {TOKEN}"})
            seen[answer.status_code] += 1
            if answer.status_code != 200:
                assert answer.status_code in (429, 503)
                assert int(answer.headers["retry-after"]) >= 1
                assert answer.headers["content-type"] == "application/problem+json"
                time.sleep(0.2)
    return seen


def all_at_once(url: str, callers: int) -> Counter[int]:
    with ThreadPoolExecutor(callers) as pool:
        return sum(pool.map(persistent, [url] * callers), Counter[int]())


def test_callers_that_keep_the_service_waiting_lose_their_turn(survey: Survey) -> None:
    with impatient(survey) as server, ExitStack() as stack:
        url = address(server)
        assert persistent(url)[200] == 1
        asking = crosstab(100)
        for _ in range(MAX_CONCURRENT):
            stack.enter_context(connected(url, asking))
        for _ in range(40):
            stack.enter_context(connected(url, UNFINISHED_BODY, 65536))
        # Whoever asks meanwhile is answered, if only to come again, and then gets through.
        seen = all_at_once(url, 20)
        assert seen[200] == 20
        assert set(seen) <= {200, 503}
        assert persistent(url) == {200: 1}


def test_over_its_rate_a_caller_is_told_when_to_come_again(survey: Survey) -> None:
    options = ["--survey", str(survey.path), "--token", TOKEN, "--rate-limit", "4"]
    with command(*options) as server:
        seen = all_at_once(address(server), 12)
    assert seen[200] == 12
    assert set(seen) <= {200, 429}


def test_1200_idle_connections_delay_no_request_and_leave_no_log(survey: Survey) -> None:
    options = ["--survey", str(survey.path), "--token", TOKEN]
    with command(*options) as server, ExitStack() as stack:
        url = address(server)
        for _ in range(1_200):
            stack.enter_context(connected(url, b""))
        for _ in range(20):
            assert persistent(url) == {200: 1}
        server.terminate()
        _, errors = server.communicate(timeout=60)
    assert len(errors.splitlines()) == 1, errors
