"""A service that knows more than we do: every object it sends has a field that is new to us."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from audiencelab import Client, Q, Survey, connect
from audiencelab.service import Request, Response, Service

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


def test_what_is_new_in_the_catalogue_is_kept(newer: Client) -> None:
    answer = newer.questions.filter(["q2"], include=["datapoints"])
    [question] = answer.questions
    assert answer.extra == question.extra == NOVEL
    assert question.datapoints is not None
    assert [each.extra for each in question.datapoints] == [NOVEL] * len(question.datapoints)
    assert question.to_dict()["datapoints"][0]["novel"] == {"since": 2031}
    assert newer.questions.get("q2").extra == NOVEL


def test_what_is_new_in_a_result_is_kept_and_no_figure_differs(
    newer: Client, client: Client
) -> None:
    result = newer.stats("q2")
    assert result.extra == result.meta.extra == NOVEL
    assert all(row.extra == row.metrics.extra == NOVEL for row in result)
    assert result.to_frame().equals(client.stats("q2").to_frame())


def test_a_crosstab_reads_the_figures_that_it_knows(newer: Client, client: Client) -> None:
    rows = [Q("q2").any("q2_1")]
    assert newer.crosstab(rows=rows).to_frame().equals(client.crosstab(rows=rows).to_frame())
