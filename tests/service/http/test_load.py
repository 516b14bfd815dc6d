"""Many requests of every kind at once: right answers, and nothing that grows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from audiencelab.survey import Survey
from tests.service.asking import TOKEN
from tests.service.http.test_commands import address, command

pytestmark = pytest.mark.slow

THREADS = 8
ROUNDS = 25

AUDIENCES = [
    {"id": f"a{place}", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
    for place in range(30)
]
REQUESTS = [
    ("POST", "/v3/questions/filter", {}, 200),
    ("GET", "/v2/questions/core.q2?include=datapoints", None, 200),
    ("GET", "/v2/categories/1?include=children", None, 200),
    ("POST", "/v2/query/stats", {"question": "q2", "splitter": "waves"}, 200),
    ("POST", "/v2/query/crosstab", {"rows": AUDIENCES, "columns": AUDIENCES}, 200),
    ("POST", "/v2/query/stats", {"question": "nowhere"}, 400),
    ("POST", "/v3/insights/filter", {"limit": 5}, 200),
    ("GET", "/v2/questions/nowhere", None, 404),
]


class Process:
    """What the system says of the server, which is a process of its own."""

    def __init__(self, number: int) -> None:
        self._folder = Path(f"/proc/{number}")

    def memory(self) -> int:
        return int((self._folder / "statm").read_text().split()[1]) * 4096

    def threads(self) -> int:
        return len(list((self._folder / "task").iterdir()))

    def files(self) -> int:
        return len(list((self._folder / "fd").iterdir()))


def mixed(url: str, seed: int) -> None:
    """Every kind of request, some answers left half-way, each on a connection that is kept."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=60) as client:
        for place in range(ROUNDS):
            method, path, body, status = REQUESTS[(place + seed) % len(REQUESTS)]
            with client.stream(method, path, json=body) as answer:
                assert answer.status_code == status
                if place % 7:
                    answer.read()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="counts what /proc tells")
def test_memory_threads_and_files_stay_where_they_are(survey: Survey) -> None:
    options = ["--survey", str(survey.path), "--token", TOKEN]
    with command(*options) as process, ThreadPoolExecutor(THREADS) as pool:
        url, server = address(process), Process(process.pid)

        def burst() -> None:
            list(pool.map(lambda seed: mixed(url, seed), range(THREADS)))

        for _ in range(3):  # caches and pools fill
            burst()
        memory, threads, files = server.memory(), server.threads(), server.files()
        for _ in range(5):
            burst()
        assert server.memory() - memory < 16 * 1024 * 1024
        assert server.threads() <= threads + THREADS
        assert server.files() <= files + 2 * THREADS
