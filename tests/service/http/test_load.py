"""Many requests of every kind at once: right answers, and nothing that grows."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import httpx
import pytest

from audiencelab.schema.blocks import CELLS
from audiencelab.survey import Survey
from tests.service.asking import TOKEN
from tests.service.http.test_commands import address, command
from tests.service.http.test_workers import workers_of

pytestmark = pytest.mark.slow

MEGABYTE = 1 << 20
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


POINTS = (
    *(("q2", f"q2_{place}") for place in (1, 2)),
    *(("q4", f"q4_{place}") for place in (1, 2)),
    *(("s2", f"s2_{place}") for place in (1, 2)),
    *(("q20", f"q20_{place}") for place in (1, 2)),
    *(("sport.q9", f"q9_{place}") for place in (1, 2, 3)),
)
COMBINED = [
    {join: [{"question": code, "datapoints": [point]} for code, point in points]}
    for size in (3, 4, 5, 6)
    for points in combinations(POINTS, size)
    for join in ("and", "or")
]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads memory from /proc")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_memory_of_large_answers_is_given_back(survey: Survey, workers: str) -> None:
    """Of six tables of 250 × 2,000 at once; it grew by 222 MB, of which caches were 43."""
    options = ["--survey", str(survey.path), "--token", TOKEN, "--workers", workers]
    headers = {"Authorization": f"Bearer {TOKEN}", "Accept": CELLS}
    # The compiler of the other kernel takes 140 MB, once.
    with command(*options, AUDIENCELAB_KERNEL="numpy") as process:
        url = address(process)

        def memory() -> int:
            served = [process.pid, *workers_of(process.pid)]
            texts = [Path(f"/proc/{each}/status").read_text() for each in served]
            return 1024 * sum(int(re.findall(r"RssAnon:\s+(\d+)", text)[0]) for text in texts)

        def answer(number: int) -> None:
            rows, columns = (
                [
                    {"id": f"a{place}", "expression": COMBINED[start + place % 200]}
                    for place in range(length)
                ]
                for start, length in ((200 * number, 250), (200 * number + 1_300, 2_000))
            )
            with (
                httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=300) as client,
                client.stream(
                    "POST", "/v2/query/crosstab", json={"rows": rows, "columns": columns}
                ) as answer,
            ):
                assert answer.status_code == 200, answer.read()[:300]
                assert sum(map(len, answer.iter_raw())) > 10 * MEGABYTE

        before = memory()
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(answer, range(6)))
        assert memory() - before < 100 * MEGABYTE
