"""The soak for seconds: every answer right, memory where it was. `make soak` is the long one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest

from audiencelab.service import Service
from audiencelab.service.http.app import application
from tests.reliability.load import MEGABYTE
from tests.reliability.soak import soak
from tests.service.asking import TOKEN
from tests.service.surveys import build_survey

SECONDS = 10.0


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_eight_clients_for_seconds(tmp_path: Path) -> None:
    load = soak(SECONDS, 8, tmp_path, people=2_400)
    assert load.errors == {}
    assert load.answers > 50
    assert all(load.times.values())
    sizes = [size for _, size in load.memory]
    assert max(sizes) - sizes[0] < 256 * MEGABYTE
    assert load.threads < 64
    report = list(load.lines())
    assert report[-1] == "errors: none"
    assert "a second" in report[0]


def test_more_callers_than_the_service_takes_are_told_to_come_again(tmp_path: Path) -> None:
    """Nobody waits without an answer, and everybody who comes again is served."""
    app = application(Service(build_survey(tmp_path / "survey"), [TOKEN]), max_concurrent=4)
    audiences = [
        {"id": f"a{place}", "expression": {"question": "q2", "datapoints": ["q2_1"]}}
        for place in range(60)
    ]
    body = {"rows": audiences, "columns": audiences}

    async def call(client: httpx.AsyncClient) -> list[int]:
        seen: list[int] = []
        while not seen or seen[-1] != 200:
            answer = await client.post("/v2/query/crosstab", json=body)
            seen.append(answer.status_code)
            if answer.status_code != 200:
                assert answer.headers["retry-after"] == "1"
                await asyncio.sleep(0.05)
        return seen

    async def together() -> list[list[int]]:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(
            transport=transport, base_url="http://here", headers=headers, timeout=60
        ) as client:
            return await asyncio.gather(*(call(client) for _ in range(24)))

    seen = asyncio.run(together())
    assert {each for one in seen for each in one} == {200, 503}
