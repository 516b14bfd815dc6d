"""The client's own cost: a call in process, and a crosstab stream on its way to a frame.

The stream is the embedded service's real answer (100 × 100 cells, audiences echoed), kept in
memory, so that only reading it is measured. The ratios within one run are what counts.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import msgspec
import pandas as pd

from audiencelab.client import Client, connect
from audiencelab.client.cells import CellCollector, _Cell
from audiencelab.client.messages import Request as ClientRequest
from audiencelab.client.operations import queries
from audiencelab.frames import CrosstabResult
from audiencelab.panel import demo_panel
from audiencelab.service import Request, Service

SIDE = 100
CHUNK = 32 * 1024
CALLS = 400
TOKEN = "bench"


def main() -> None:
    panel = demo_panel(2_400)
    service = Service(panel, [TOKEN])
    with connect(panel=panel) as client:
        _call_overhead(client, service)
        _stream_to_frame(client, service)


def _call_overhead(client: Client, service: Service) -> None:
    """One small operation through the client, beside the service's own handler."""

    def handled() -> bytes:
        headers = {"authorization": f"Bearer {TOKEN}"}
        answer = service.handle(Request("GET", "/v2/questions/core.q2", "", headers, b""))
        return b"".join(answer.body)

    def called() -> object:
        return client.questions.get("core.q2")

    decoder = msgspec.json.Decoder()
    alone = _best(lambda: decoder.decode(handled()), CALLS)
    through = _best(called, CALLS)
    print(f"one call (GET a question), best of {CALLS}")
    print(f"  service alone       {1e6 * alone:8.0f} µs")
    print(f"  through the client  {1e6 * through:8.0f} µs")
    print(f"  the client's part   {1e6 * (through - alone):8.0f} µs  (× {through / alone:.1f})")


def _stream_to_frame(client: Client, service: Service) -> None:
    audiences = [each for question in client.catalogue for each in question.audiences()][:SIDE]
    plan = queries.crosstab(
        rows=audiences, columns=audiences, base_audience=None, locations=None, waves=None
    )
    body = _answer(service, plan.request)
    chunks = [body[start : start + CHUNK] for start in range(0, len(body), CHUNK)]
    cells = SIDE * SIDE

    def ours() -> CrosstabResult:
        collector = CellCollector(CrosstabResult(plan.rows, plan.columns))
        for chunk in chunks:
            collector.feed(chunk)
        collector.finish()
        return collector.result

    assert ours().complete
    lines = msgspec.json.Decoder(_Cell)
    ways: dict[str, Callable[[], object]] = {
        "bare msgspec, fields needed": lambda: lines.decode_lines(body),
        "stream to arrays (ours)": ours,
        "stream to frame (ours)": lambda: ours().to_frame(),
        "bare msgspec, everything": lambda: msgspec.json.Decoder().decode_lines(body),
        "json + json_normalize": lambda: pd.json_normalize(
            list(map(json.loads, body.splitlines()))
        ),
    }
    print(f"\n{cells:,} cells, {len(body) / 1e6:.1f} MB, chunks of {CHUNK // 1024} KiB")
    bare = 0.0
    for name, way in ways.items():
        spent = _best(way, 3 if "normalize" in name else 9)
        bare = bare or spent
        rate = f"{len(body) / spent / 1e6:7.0f} MB/s {cells / spent / 1e3:8.0f} k cells/s"
        print(f"  {name:28} {1e3 * spent:8.1f} ms {rate}   {100 * bare / spent:5.0f} % of bare")


def _answer(service: Service, request: ClientRequest) -> bytes:
    headers = {"authorization": f"Bearer {TOKEN}", **request.headers}
    sent = Request(request.method, request.path, "", headers, request.body or b"")
    response = service.handle(sent)
    body = b"".join(response.body)
    assert response.status == 200, body
    return body


def _best(work: Callable[[], object], times: int) -> float:
    """The least time of several: what the work costs when nothing else wants the machine."""
    work()
    spent: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spent.append(time.perf_counter() - start)
    return min(spent)


if __name__ == "__main__":
    main()
