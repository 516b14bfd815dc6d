"""A service that knows more than we do: every object it sends has a field that is new to us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from audiencelab import Client, Q, connect
from audiencelab.service import Request, Response, Service
from audiencelab.survey import Survey

NOVEL = {"novel": {"since": 2031}}


def with_novelties(value: Any) -> Any:
    if isinstance(value, list):
        return [with_novelties(each) for each in value]
    if isinstance(value, dict):
        return {name: with_novelties(each) for name, each in value.items()} | NOVEL
    return value


@pytest.fixture
def newer(survey: Survey, monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    handle = Service.handle

    def handle_more(service: Service, request: Request) -> Response:
        response = handle(service, request)
        lines = [msgspec.json.decode(line) for line in response.read().splitlines()]
        body = b"\n".join(msgspec.json.encode(with_novelties(line)) for line in lines)
        headers = {k: v for k, v in response.headers.items() if k != "content-length"}
        return Response(response.status, headers, iter([body]))

    monkeypatch.setattr(Service, "handle", handle_more)
    with connect(survey=survey) as client:
        yield client


def test_questions_and_results_are_read_as_before(newer: Client, client: Client) -> None:
    assert newer.questions.get("q2") == client.questions.get("q2")
    assert newer.questions.filter(["q2"], include=["datapoints"]) == client.questions.filter(
        ["q2"], include=["datapoints"]
    )
    assert newer.stats("q2").to_frame().equals(client.stats("q2").to_frame())


def test_a_crosstab_reads_the_figures_that_it_knows(newer: Client, client: Client) -> None:
    rows = [Q("q2").any("q2_1")]
    assert newer.crosstab(rows=rows).to_frame().equals(client.crosstab(rows=rows).to_frame())
