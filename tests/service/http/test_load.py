"""Many requests of every kind at once: right answers, and nothing that grows."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

import audiencelab
from audiencelab.panel import Panel
from tests.service.asking import TOKEN

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

PROC = Path("/proc/self")


def resident() -> int:
    """Bytes of memory of this process, server and clients together."""
    return int((PROC / "statm").read_text().split()[1]) * 4096


def open_files() -> int:
    return len(list((PROC / "fd").iterdir()))


def mixed(url: str, seed: int) -> None:
    """Every kind of request, some answers left half-way, each on a connection that is kept."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False) as client:
        for place in range(ROUNDS):
            method, path, body, status = REQUESTS[(place + seed) % len(REQUESTS)]
            with client.stream(method, path, json=body) as answer:
                assert answer.status_code == status
                if place % 7:
                    answer.read()


@pytest.mark.skipif(not PROC.is_dir(), reason="counts what /proc tells")
def test_memory_threads_and_files_stay_where_they_are(survey: Panel) -> None:
    with audiencelab.serve(survey, token=TOKEN) as url, ThreadPoolExecutor(THREADS) as pool:

        def burst() -> None:
            list(pool.map(lambda seed: mixed(url, seed), range(THREADS)))

        for _ in range(3):  # caches and pools fill
            burst()
        memory, threads, files = resident(), threading.active_count(), open_files()
        for _ in range(5):
            burst()
        assert resident() - memory < 24 * 1024 * 1024
        assert threading.active_count() <= threads + THREADS
        assert open_files() <= files + 2 * THREADS
