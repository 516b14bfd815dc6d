"""The asynchronous client mirrors the blocking one, and is clear about where it can be used."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from audiencelab.client import (
    AsyncClient,
    connect_async,
)
from audiencelab.expressions import Audience, Q
from audiencelab.schema import Insight
from audiencelab.schema.http import Request
from audiencelab.survey import InsightRecord, Survey
from tests.messages import fails
from tests.service.surveys import build_survey

MEN = Audience(name="Men", expression=Q("q2").any("q2_1"))

Use = Callable[[AsyncClient], Awaitable[Any]]


def use(survey: Survey, each: Use) -> Any:
    async def run() -> Any:
        async with connect_async(survey=survey) as client:
            return await each(client)

    return asyncio.run(run())


def test_calls_run_beside_each_other(survey: Survey) -> None:
    async def ask(through: AsyncClient) -> Any:
        return await asyncio.gather(
            through.catalogue(), through.catalogue(), *(through.stats("q4") for _ in range(5))
        )

    first, second, *results = use(survey, ask)
    assert first is second
    assert len({len(result) for result in results}) == 1


def test_updates_are_iterated_over_as_they_come(survey: Survey) -> None:
    async def ask(through: AsyncClient) -> Any:
        pool = (await through.catalogue()).audiences("q2")
        audiences = [pool[place % 2].renamed(f"{place}") for place in range(250)]
        stream = through.crosstab_stream(rows=audiences, columns=audiences)
        assert stream.result.count == 0
        seen = [update.arrived async for update in stream]
        async with through.crosstab_stream(rows=audiences, columns=audiences) as second:
            first = await anext(second)
        assert [update async for update in second] == []
        return seen, first.arrived, second.result.count

    seen, first, count = use(survey, ask)
    assert len(seen) >= 3
    assert seen[-1] == 62_500
    assert 0 < first == count < 62_500


def test_it_may_be_used_on_one_event_loop_after_another(survey: Survey) -> None:
    client = connect_async(survey=survey)
    stream = client.crosstab_stream(rows=[MEN])

    async def follow() -> int:
        return [update.arrived async for update in stream][-1]

    assert asyncio.run(client.questions.get("q2")).name == "Gender"
    assert asyncio.run(client.questions.get("q2")).name == "Gender"
    assert asyncio.run(follow()) == 1
    asyncio.run(client.close())


def test_a_copy_borrows_what_the_client_owns(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        async with client.with_options(deadline=60) as copy:
            assert await copy.catalogue() is await client.catalogue()
        assert (await client.questions.get("q2")).name == "Gender"
        await client.close()
        with fails(RuntimeError):
            await copy.questions.get("q2")

    use(survey, ask)


def test_progress_is_reported_on_the_thread_of_the_event_loop(survey: Survey) -> None:
    seen: list[tuple[int, int]] = []

    def report(arrived: int, _: int) -> None:
        seen.append((arrived, threading.get_ident()))

    def fail(*_: int) -> None:
        raise ZeroDivisionError

    async def ask(client: AsyncClient) -> None:
        await client.crosstab(rows=[MEN], progress=report)
        assert seen == [(1, threading.get_ident())]
        with pytest.raises(ZeroDivisionError):
            await client.crosstab(rows=[MEN], progress=fail)
        assert len(await client.crosstab(rows=[MEN], progress=True)) == 1

    use(survey, ask)


def test_a_call_sees_the_context_variables_of_its_caller(survey: Survey) -> None:
    named = ContextVar("named", default="")
    seen: list[tuple[str, int]] = []

    async def ask(client: AsyncClient) -> None:
        named.set("ours")
        assert await client.workers.run(named.get) == "ours"
        seen.append((named.get(), await client.workers.run(threading.get_ident)))

    use(survey, ask)
    assert seen[0][0] == "ours"
    assert seen[0][1] != threading.get_ident()


def test_more_calls_than_threads_are_all_answered(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> int:
        return len(await asyncio.gather(*(client.questions.get("q2") for _ in range(100))))

    assert use(survey, ask) == 100


def test_insights_are_gone_through_and_left_early(tmp_path: Path) -> None:
    published = [InsightRecord(Insight(number), type="chart") for number in range(1, 8)]
    survey = build_survey(tmp_path / "survey", insights=published)

    async def ask(client: AsyncClient) -> Any:
        every = client.insights.all(order_by="id", order="asc", page_size=3)
        first = await anext(every)
        rest = [each.id async for each in every]
        left = client.insights.all(order_by="id", order="asc", page_size=3)
        assert (await anext(left)).id == 1
        await left.aclose()
        assert [each async for each in left] == []
        return first.id, rest

    assert use(survey, ask) == (1, [2, 3, 4, 5, 6, 7])


def test_it_names_its_place_and_its_operations(survey: Survey) -> None:
    client = connect_async(survey=survey)
    assert repr(client) == "<AsyncClient of the embedded service, survey>"
    assert repr(client.questions).endswith(": .filter(), .get()>")
    assert client.service.survey is survey


def test_its_transport_is_open_to_requests_as_they_are_until_it_is_closed(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> bytes:
        response = await asyncio.to_thread(
            client.transport.send, Request("GET", "/v2/questions/q2")
        )
        body = response.read()
        await client.close()
        with fails(RuntimeError):
            assert client.transport
        return body

    assert b'"Gender"' in use(survey, ask)
