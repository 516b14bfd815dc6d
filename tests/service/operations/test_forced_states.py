"""Stripes of large tables, failures and the end of a day, forced by replacing one part."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

from audiencelab.engine import Engine
from audiencelab.schema.blocks import CELLS
from audiencelab.service import Request, Service
from audiencelab.service.operations.charts import KEPT_SECONDS
from audiencelab.service.responses import BrokenStreamError
from audiencelab.service.store import Documents
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask
from tests.service.operations.test_charts import again
from tests.service.operations.test_crosstab import audiences, decoded, start
from tests.service.operations.test_stats import WOMEN


@pytest.fixture
def service(survey: Survey) -> Iterator[Service]:
    with Service(survey, [TOKEN]) as service:
        yield service


@pytest.fixture
def in_stripes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small survey as if it were a large one, whose tables come in stripes."""
    monkeypatch.setattr("audiencelab.engine.tabulator._ONE_STRIPE_BITS", 0)


@pytest.mark.usefixtures("in_stripes")
def test_rows_come_in_growing_stripes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    answer = Engine.crosstab

    def watched(*args: Any, **options: Any) -> Any:
        for stripe in answer(*args, **options):
            seen.append((stripe.start, stripe.stop))
            yield stripe

    monkeypatch.setattr(Engine, "crosstab", watched)
    response = start(service, {"rows": audiences(300)})
    assert len(seen) == 1, "the first cells are ready before the rest is begun"
    response.read()
    starts, stops = zip(*seen, strict=True)
    assert (*starts, 300) == (0, *stops)
    heights = [stop - start for start, stop in seen[:-1]]
    assert heights == sorted(heights)
    assert heights[0] < heights[-1]


@pytest.mark.usefixtures("in_stripes")
def test_closing_the_body_stops_the_work(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    stopped: list[bool] = []
    answer = Engine.crosstab

    def watched(*args: Any, **options: Any) -> Any:
        try:
            for stripe in answer(*args, **options):
                made.append(stripe.stop)
                yield stripe
        finally:
            stopped.append(True)

    monkeypatch.setattr(Engine, "crosstab", watched)
    response = start(service, {"rows": audiences(300), "columns": audiences(20)})
    next(response.body)
    response.close()
    assert (len(made), stopped) == (1, [True])
    assert list(response.body) == []


def failing_after(stripes: int) -> Any:
    answer = Engine.crosstab

    def failing(*args: Any, **options: Any) -> Any:
        for place, stripe in enumerate(answer(*args, **options)):
            if place == stripes:
                raise MemoryError("canary")
            yield stripe

    return failing


def test_a_failure_before_the_first_cell_is_a_500(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Engine, "crosstab", failing_after(0))
    answer = ask(service, "POST", "/v2/query/crosstab", {"rows": audiences(20)})
    assert (answer.status, answer.json["status"]) == (500, 500)


@pytest.mark.usefixtures("in_stripes")
def test_a_failure_after_the_first_cell_ends_the_stream_with_a_problem(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Engine, "crosstab", failing_after(1))
    answer = ask(service, "POST", "/v2/query/crosstab", {"rows": audiences(20)})
    *cells, last = answer.lines
    assert [cell["row_index"] for cell in cells] == list(range(1, len(cells) + 1))
    assert 0 < len(cells) < 20
    assert (last["status"], last["title"]) == (500, "The service failed")
    assert b"canary" not in answer.body
    assert "canary" in caplog.text


def test_blocks_of_a_large_table_are_cut(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audiencelab.service.operations.crosstab.BLOCK_CELLS", 100)
    body = {"rows": audiences(45), "columns": audiences(20)}
    decoder, blocks = decoded(start(service, body, CELLS))
    assert decoder.is_complete
    assert [len(block.rows) for block in blocks] == [5] * 9
    assert np.concatenate([block.rows for block in blocks]).tolist() == list(range(45))


@pytest.mark.usefixtures("in_stripes")
def test_blocks_end_with_a_problem_where_the_service_fails(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Engine, "crosstab", failing_after(1))
    decoder, blocks = decoded(start(service, {"rows": audiences(20)}, CELLS))
    assert 0 < sum(len(block.rows) for block in blocks) < 20
    assert not decoder.is_complete
    assert decoder.problem is not None
    assert (decoder.problem.status, decoder.problem.title) == (500, "The service failed")


def test_a_failure_on_the_way_breaks_the_document_off(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answer = Engine.stats

    def failing(*args: Any, **options: Any) -> Any:
        for place, row in enumerate(answer(*args, **options)):
            if place == 100:
                raise MemoryError("canary")
            yield row

    monkeypatch.setattr(Engine, "stats", failing)
    body = {
        "question": "q20",
        "splitter": "q4",
        "audiences": [{**WOMEN, "id": f"w{n}"} for n in range(40)],
    }
    headers = {"authorization": TOKEN}
    encoded = msgspec.json.encode(body)
    response = service.handle(Request("POST", "/v2/query/stats", "", headers, encoded))
    assert response.status == 200
    assert next(response.body).startswith(b'{"meta":')
    with pytest.raises(BrokenStreamError) as caught:
        list(response.body)
    assert "canary" not in str(caught.value)
    assert "canary" in caplog.text


def test_a_key_is_forgotten_after_a_day(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    first = again(service, "one", {"name": "x"}).json["id"]
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + KEPT_SECONDS - 60)
    assert again(service, "one", {"name": "x"}).json["id"] == first
    monkeypatch.setattr(time, "time", lambda: now + KEPT_SECONDS + 60)
    assert again(service, "one", {"name": "y"}).json["id"] != first


def test_when_keeping_the_answer_fails_there_is_no_chart_either(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: Any) -> None:
        raise MemoryError("canary")

    with monkeypatch.context() as broken:
        broken.setattr(Documents, "put_response", failing)
        answer = again(service, "one", {"name": "x"})
    assert (answer.status, b"canary" in answer.body) == (500, False)
    assert service.charts() == ()
    assert again(service, "one", {"name": "y"}).status == 200
    assert len(service.charts()) == 1


def test_a_defect_is_a_500_whose_cause_is_only_in_the_log(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("canary")

    monkeypatch.setattr(Engine, "stats", broken)
    answer = ask(service, "POST", "/v2/query/stats", {"question": "q2"})
    assert answer.status == 500
    assert b"canary" not in answer.body
    assert answer.headers["x-request-id"] in caplog.text
