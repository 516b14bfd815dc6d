"""`audiencelab serve --workers 2`: several processes that act as one service."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

import audiencelab
from audiencelab.service import Service
from audiencelab.service.credentials import Credential, digest_of, write_credentials
from audiencelab.service.http import ServeError
from audiencelab.survey import Survey
from tests.messages import fails
from tests.service.asking import TOKEN
from tests.service.http.test_commands import address, command, half_sent, until_it_takes_no_more
from tests.service.http.test_operating import client, slow_reader

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="finds worker processes in /proc"
)

QUESTION, CHARTS = "/v2/questions/core.q2", "/v1/charts"


def workers_of(process: int) -> list[int]:
    """The worker processes that a process has started, without Python's own helper."""
    # Those of all threads: another one than the first starts what replaces a worker.
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    children = [each for task in tasks for each in task.read_text().split()]
    # A process that has ended meanwhile has no command line.
    return [
        int(each)
        for each in children
        if b"multiprocessing.spawn" in Path(f"/proc/{each}/cmdline").read_bytes()
    ]


def two_workers(process: int) -> list[int]:
    """The workers, once there are two."""
    deadline = time.monotonic() + 60
    while len(found := workers_of(process)) != 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found


@contextmanager
def only(worker: int, process: int) -> Iterator[None]:
    """A block in which one worker answers and the others are paused."""
    others = [each for each in workers_of(process) if each != worker]
    for each in others:
        os.kill(each, signal.SIGSTOP)
    try:
        yield
    finally:
        for each in others:
            os.kill(each, signal.SIGCONT)


@contextmanager
def served(survey: Survey, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    arguments = ["--survey", str(survey.path), "--workers", "2", *options]
    with command(*arguments) as process:
        yield process, address(process)


def get(url: str, token: str = TOKEN, path: str = QUESTION) -> httpx.Response:
    """On a connection of its own, which any worker may take."""
    with client(url, token) as http:
        return http.get(path)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    path = tmp_path / "team.toml"
    names = {name: Credential([digest_of(name)], "write") for name in ("ana", "bea")}
    write_credentials(path, names)
    return path


def test_a_rate_limit_is_one_for_all_workers(survey: Survey) -> None:
    with served(survey, "--token", TOKEN, "--rate-limit", "0.001") as (process, url):
        one, two = two_workers(process.pid)
        with only(one, process.pid):
            assert get(url).status_code == 200
        with only(two, process.pid):
            refused = get(url)
    assert refused.status_code == 429
    assert refused.headers["x-ratelimit-remaining"] == "0"


def test_a_repeated_request_is_known_to_all_workers(survey: Survey) -> None:
    """Also without a file for the store."""
    body = {"name": "one"}

    def create(url: str, name: str) -> httpx.Response:
        with client(url) as http:
            return http.post(CHARTS, json={"name": name}, headers={"Idempotency-Key": "key"})

    with served(survey, "--token", TOKEN) as (process, url):
        one, two = two_workers(process.pid)
        with only(one, process.pid):
            first = create(url, body["name"])
        with only(two, process.pid):
            again, other = create(url, body["name"]), create(url, "other")
            chart = get(url, path=f"{CHARTS}/{first.json()['id']}")
    assert first.json()["id"] == again.json()["id"]
    # Both answer for the same version of the survey.
    assert first.headers["survey-version"] == again.headers["survey-version"]
    assert other.status_code == 409
    # No operation reads a chart; the path is there, and the chart is not missing.
    assert chart.status_code in (200, 405)


def test_a_revoked_credential_is_refused_by_all_workers(survey: Survey, team: Path) -> None:
    with served(survey, "--credentials", str(team)) as (process, url):
        for worker in two_workers(process.pid):
            with only(worker, process.pid):
                assert get(url, "ana").status_code == 200
        write_credentials(team, {"bea": Credential([digest_of("bea")])})
        for worker in two_workers(process.pid):
            with only(worker, process.pid):
                assert get(url, "ana").status_code == 401
                assert get(url, "bea").status_code == 200


def in_progress(url: str) -> float:
    families = text_string_to_metric_families(get(url, path="/metrics").text)
    return next(
        each.samples[0].value
        for each in families
        if each.name == "audiencelab_requests_in_progress"
    )


def test_requests_in_progress_count_in_all_workers_and_end_with_their_worker(
    survey: Survey, team: Path
) -> None:
    options = ["--credentials", str(team), "--per-caller", "3", "--metrics"]
    with served(survey, *options) as (process, url), ExitStack() as stack:
        one, two = two_workers(process.pid)
        with only(one, process.pid):
            for _ in range(3):
                stack.callback(slow_reader(url, "ana", 600).close)
        with only(two, process.pid):
            assert get(url, "ana").status_code == 429
            assert get(url, "bea").status_code == 200
            assert in_progress(url) == 3
        os.kill(one, signal.SIGKILL)
        assert two in two_workers(process.pid)
        deadline = time.monotonic() + 60
        while get(url, "ana").status_code == 429 or in_progress(url) > 0:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_metrics_are_those_of_all_workers_and_outlive_one(survey: Survey) -> None:
    def requests(url: str) -> float:
        families = text_string_to_metric_families(get(url, path="/metrics").text)
        return sum(
            each.value
            for family in families
            for each in family.samples
            if each.name == "audiencelab_requests_total"
        )

    with served(survey, "--token", TOKEN, "--metrics") as (process, url):
        workers = two_workers(process.pid)
        for worker in workers:
            with only(worker, process.pid):
                for _ in range(3):
                    assert get(url).status_code == 200
                # The request is counted after its answer was sent.
                get(url, path="/health")
        for worker in workers:
            with only(worker, process.pid):
                assert requests(url) == 6
        os.kill(workers[0], signal.SIGKILL)
        two_workers(process.pid)
        assert requests(url) == 6


@pytest.mark.slow
def test_workers_that_are_killed_lose_no_acknowledged_write(survey: Survey, tmp_path: Path) -> None:
    store, stop = tmp_path / "store.db", threading.Event()
    acknowledged: dict[str, str] = {}

    def write(url: str, writer: int) -> None:
        number = 0
        while not stop.is_set():
            number += 1
            name = f"{writer}/{number}"
            while not stop.is_set():
                try:
                    with client(url) as http:
                        headers = {"Idempotency-Key": name}
                        answer = http.post(CHARTS, json={"name": name}, headers=headers)
                except httpx.TransportError:
                    continue
                assert answer.status_code in (200, 503)
                if answer.status_code == 200:
                    acknowledged[name] = answer.json()["id"]
                    break

    options = ["--token", TOKEN, "--store", str(store)]
    with served(survey, *options) as (process, url), ThreadPoolExecutor(4) as pool:
        writing = [pool.submit(write, url, writer) for writer in range(4)]
        for number in range(6):
            time.sleep(0.3)
            os.kill(two_workers(process.pid)[number % 2], signal.SIGKILL)
        two_workers(process.pid)
        before = len(acknowledged)
        while len(acknowledged) < before + 20:
            time.sleep(0.05)
        stop.set()
        for each in writing:
            each.result()
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.count("is replaced") == 6
    with Service(survey, [TOKEN], store=store) as service:
        names = [chart.name for chart in service.charts()]
        kept = {chart.id: chart.name for chart in service.charts()}
    assert len(names) == len(set(names)), "a repeated request made two charts"
    assert [name for name, made in acknowledged.items() if kept.get(made) != name] == []


@pytest.mark.parametrize("to_all", [False, True])
def test_all_workers_finish_their_answers(survey: Survey, to_all: bool) -> None:
    """Whether a signal is sent to the first process, or, as systemd does, to all."""
    with served(survey, "--token", TOKEN) as (process, url), ExitStack() as stack:
        workers = two_workers(process.pid)
        connections = []
        for worker in workers:
            with only(worker, process.pid):
                connections.append(stack.enter_context(half_sent(url, TOKEN)))
                assert get(url, path="/health").status_code == 200
        for each in [process.pid, *(workers if to_all else [])]:
            os.kill(each, signal.SIGTERM)
        until_it_takes_no_more(url)
        for connection in connections:
            connection.sendall(b': "q2"}')
            answer = b"".join(iter(lambda: connection.recv(65536), b""))  # noqa: B023 -- used at once
            assert answer.startswith(b"HTTP/1.1 200 ")
            assert answer.endswith(b"0\r\n\r\n")
        process.communicate(timeout=60)
    assert process.returncode == 0
    assert not any(Path(f"/proc/{each}").exists() for each in workers)


def test_workers_end_when_the_first_process_is_killed(survey: Survey) -> None:
    with served(survey, "--token", TOKEN) as (process, _):
        workers = two_workers(process.pid)
        process.kill()
        deadline = time.monotonic() + 60
        while any(Path(f"/proc/{each}/exe").exists() for each in workers):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_python_serves_with_workers_and_a_made_token(survey: Survey) -> None:
    with audiencelab.serve(survey, workers=2) as url:
        assert len(two_workers(os.getpid())) == 2
        with audiencelab.connect(url) as remote, audiencelab.connect(survey=survey) as embedded:
            assert remote.stats("q2").to_frame().equals(embedded.stats("q2").to_frame())
    assert workers_of(os.getpid()) == []


class Unsendable:
    """Credentials that belong to this process."""

    def __init__(self) -> None:
        self.check = lambda request: None


def test_what_no_worker_can_serve_is_refused(survey: Survey, tmp_path: Path) -> None:
    with fails(ServeError):
        audiencelab.serve(survey, workers=0).__enter__()
    with fails(ServeError):
        audiencelab.serve(survey, credentials=Unsendable(), workers=2).__enter__()  # type: ignore[arg-type]
    with fails(ServeError):
        audiencelab.serve(survey, certificate=tmp_path / "none.pem", workers=2).__enter__()
    assert workers_of(os.getpid()) == []
