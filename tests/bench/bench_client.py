"""The client's own cost: a call in process, and a crosstab stream on its way to a frame.

The stream is the embedded service's real answer (100 × 100 cells, audiences echoed), kept in
memory, so that only reading it is measured. The ratios within one run are what counts: all ways
take turns, and each is told by its best turn.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from io import BytesIO

import ijson
import msgspec
import pandas as pd

from audiencelab import Client, connect, connect_async, demo_survey
from audiencelab.client.stream.collector import CellCollector
from audiencelab.service import Request, Service
from audiencelab.survey import Survey
from audiencelab.tables import CrosstabResult
from tests.bench.turns import best_turns

SIDE = 100
CHUNK = 32 * 1024
CALLS = 400
GATHERED = 20
TURNS = 9
TOKEN = "bench"


# What must be decoded of a cell, as plainly and as cheaply as msgspec can do it.


class Side(msgspec.Struct, gc=False):
    audience: str
    size: float
    sample: float
    percentage: float
    intersect_percentage: float


class Sides(msgspec.Struct, gc=False):
    row: Side
    column: Side


class Base(msgspec.Struct, gc=False):
    size: float
    sample: float


class Intersect(msgspec.Struct, gc=False):
    size: float
    sample: float
    percentage: float
    index: float


class Cell(msgspec.Struct, gc=False):
    audiences: Sides
    base: Base
    intersect: Intersect


def main() -> None:
    survey = demo_survey(2_400)
    service = Service(survey, [TOKEN])
    with connect(survey=survey) as client:
        _call_overhead(client, service)
        _awaited(survey, client)
        _stream_to_frame(client, service)


def _call_overhead(client: Client, service: Service) -> None:
    """One small operation through the client, beside the service's own handler."""
    decoder = msgspec.json.Decoder()

    def handled() -> object:
        headers = {"authorization": f"Bearer {TOKEN}"}
        answer = service.handle(Request("GET", "/v2/questions/core.q2", "", headers, b""))
        return decoder.decode(b"".join(answer.body))

    def called() -> object:
        return client.questions.get("core.q2")

    spent = best_turns({"service alone": handled, "through the client": called}, CALLS)
    alone, through = spent.values()
    print(f"one call (GET a question), best of {CALLS}")
    print(f"  service alone       {1e6 * alone:8.0f} µs")
    print(f"  through the client  {1e6 * through:8.0f} µs")
    print(f"  the client's part   {1e6 * (through - alone):8.0f} µs  (× {through / alone:.1f})")


def _awaited(survey: Survey, client: Client) -> None:
    """Crosstabs that are awaited together, on threads, beside the same ones in a row."""
    codes = [question.code for question in client.catalogue][:GATHERED]

    async def gathered() -> None:
        await asyncio.gather(*(others.crosstab(code, "q4") for code in codes))

    def in_a_row() -> None:
        for code in codes:
            client.crosstab(code, "q4")

    with asyncio.Runner() as runner:
        others = connect_async(survey=survey)
        ways = {"in a row": in_a_row, "awaited together": lambda: runner.run(gathered())}
        spent = best_turns(ways, TURNS)
        runner.run(others.close())
    print(f"\n{GATHERED} crosstabs in process, best of {TURNS}")
    for name, seconds in spent.items():
        print(f"  {name:18} {1e3 * seconds:8.1f} ms")


def _stream_to_frame(client: Client, service: Service) -> None:
    audiences = [each for question in client.catalogue for each in question.audiences()][:SIDE]
    whole = client.crosstab(rows=audiences, columns=audiences)
    body = _answer(service, whole)
    lines = body.splitlines(keepends=True)
    pretty = "".join(json.dumps(json.loads(line), indent=1) for line in lines).encode()
    cells = SIDE * SIDE
    assert len(lines) == cells

    def ours(chunks: list[bytes]) -> CrosstabResult:
        collector = CellCollector(CrosstabResult(whole.rows, whole.columns))
        for chunk in chunks:
            collector.feed(chunk)
        collector.finish()
        assert collector.result.complete
        return collector.result

    def reading(chunks: list[bytes]) -> Callable[[], object]:
        return lambda: ours(chunks)

    needed, everything = msgspec.json.Decoder(Cell), msgspec.json.Decoder()
    usual = _cut(body, CHUNK)
    bare = "bare msgspec, fields needed"
    ways: dict[str, Callable[[], object]] = {
        bare: lambda: needed.decode_lines(body),
        "  the same, 50 lines at once": _by_lines(needed, lines, 50),
        "bare msgspec, everything": lambda: everything.decode_lines(body),
        "ours, to arrays": reading(usual),
        "ours, to a frame": lambda: ours(usual).to_frame(),
        "  arrays, whole body": reading([body]),
        "  arrays, 100 cells a chunk": reading([b"".join(each) for each in _grouped(lines, 100)]),
        "  arrays, 4 KiB a chunk": reading(_cut(body, 4 * 1024)),
        "  arrays, 1 cell a chunk": reading(lines),
        "  arrays, back to back": reading(_cut(body.replace(b"\n", b""), CHUNK)),
        "  arrays, RS-prefixed": reading(_cut(b"".join(b"\x1e" + each for each in lines), CHUNK)),
        "  arrays, pretty-printed": reading(_cut(pretty, CHUNK)),
        f"ijson ({ijson.backend})": lambda: list(
            ijson.items(BytesIO(body), "", multiple_values=True, use_float=True)
        ),
        "json + json_normalize": lambda: pd.json_normalize(list(map(json.loads, lines))),
    }
    spent = best_turns(ways, TURNS)
    print(f"\n{cells:,} cells, {len(body) / 1e6:.1f} MB, chunks of {CHUNK // 1024} KiB")
    for name, seconds in spent.items():
        # Cells a second are the same work in every framing; megabytes are those of plain lines.
        rate = f"{len(body) / seconds / 1e6:6.0f} MB/s {cells / seconds / 1e3:6.0f} k cells/s"
        share = 100 * spent[bare] / seconds
        print(f"  {name:28} {1e3 * seconds:7.1f} ms {rate}   {share:4.0f}% of bare")


def _by_lines(
    decoder: msgspec.json.Decoder[Cell], lines: list[bytes], count: int
) -> Callable[[], object]:
    """Bare decoding that keeps no more objects than fit the processor's cache."""
    groups = [b"".join(each) for each in _grouped(lines, count)]

    def decode() -> None:
        for group in groups:
            decoder.decode_lines(group)

    return decode


def _grouped(lines: list[bytes], count: int) -> list[list[bytes]]:
    return [lines[start : start + count] for start in range(0, len(lines), count)]


def _cut(body: bytes, size: int) -> list[bytes]:
    return [body[start : start + size] for start in range(0, len(body), size)]


def _answer(service: Service, table: CrosstabResult) -> bytes:
    """The stream that the service sends for the audiences of a table."""
    query = {
        "rows": [audience.to_wire("query") for audience in table.rows],
        "columns": [audience.to_wire("query") for audience in table.columns],
    }
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    sent = Request("POST", "/v2/query/crosstab", "", headers, json.dumps(query).encode())
    response = service.handle(sent)
    body = b"".join(response.body)
    assert response.status == 200, body
    return body


if __name__ == "__main__":
    main()
