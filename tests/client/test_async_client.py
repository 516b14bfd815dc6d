"""The asynchronous client mirrors the blocking one, and is clear about where it can be used."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from audiencelab.client import (
    AsyncClient,
    AsyncCrosstabStream,
    Client,
    CrosstabStream,
    InvalidRequest,
    NotFound,
    connect,
    connect_async,
)
from audiencelab.expressions import Audience, Q
from audiencelab.schema import Insight
from audiencelab.schema.http import Request
from audiencelab.survey import InsightRecord, Survey
from tests.service.surveys import build_survey

MEN = Audience(name="Men", expression=Q("q2").any("q2_1"))

Use = Callable[[AsyncClient], Awaitable[Any]]


def use(survey: Survey, each: Use) -> Any:
    async def run() -> Any:
        async with connect_async(survey=survey) as client:
            return await each(client)

    return asyncio.run(run())


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(kind) if not name.startswith("_")}


def endpoints(client: Client | AsyncClient) -> dict[str, type]:
    return {name: type(each) for name, each in vars(client).items() if not name.startswith("_")}


def test_every_operation_is_there_with_the_same_arguments_and_words(survey: Survey) -> None:
    with connect(survey=survey) as client:
        blocking = endpoints(client) | {"client": Client, "stream": CrosstabStream}
    waiting = endpoints(connect_async(survey=survey))
    waiting |= {"client": AsyncClient, "stream": AsyncCrosstabStream}
    assert waiting.keys() == blocking.keys()
    for name, kind in blocking.items():
        _compare(kind, waiting[name])


def _compare(blocking: type, waiting: type) -> None:
    ours, theirs = public(blocking), public(waiting)
    assert ours.keys() == theirs.keys()
    for name in ours.keys() - {"catalogue", "service"}:
        assert _signature(ours[name]).parameters == _signature(theirs[name]).parameters
        assert ours[name].__doc__ == theirs[name].__doc__
        assert ours[name].__doc__


def _signature(member: Any) -> inspect.Signature:
    return inspect.signature(member.fget if isinstance(member, property) else member)


def test_results_are_those_of_the_blocking_client(client: Client, survey: Survey) -> None:
    async def ask(through: AsyncClient) -> Any:
        stats = await through.stats("q20", splitter="waves", audiences=[MEN, ~MEN.expression])
        table = await through.crosstab(
            rows=[MEN], columns=(await through.catalogue()).audiences("q20")
        )
        return stats.to_frame(), table.to_frame(), await through.waves()

    stats, table, waves = use(survey, ask)
    assert stats.equals(
        client.stats("q20", splitter="waves", audiences=[MEN, ~MEN.expression]).to_frame()
    )
    assert table.equals(
        client.crosstab(rows=[MEN], columns=client.catalogue.audiences("q20")).to_frame()
    )
    assert waves == client.waves()


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


def test_a_refusal_is_advised(survey: Survey) -> None:
    async def ask(through: AsyncClient) -> Any:
        with pytest.raises(InvalidRequest, match="Did you mean 'q2'"):
            await through.stats("q21")
        with pytest.raises(InvalidRequest, match="has no datapoint 'q2_7'"):
            await through.crosstab(rows=[Q("q2").any("q2_7")])

    use(survey, ask)


def test_another_event_loop_is_told_before_anything_hangs(survey: Survey) -> None:
    client = connect_async(survey=survey)
    assert asyncio.run(client.questions.get("q2")).name == "Gender"
    with pytest.raises(RuntimeError, match="another event loop"):
        asyncio.run(client.questions.get("q2"))

    async def stream() -> None:
        client.with_options(retries=0).crosstab_stream(rows=[MEN])

    with pytest.raises(RuntimeError, match=r"connect_async\(\) inside"):
        asyncio.run(stream())


def test_a_copy_borrows_what_the_client_owns(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        async with client.with_options(deadline=60) as copy:
            assert await copy.catalogue() is await client.catalogue()
        assert (await client.questions.get("q2")).name == "Gender"
        await client.close()
        with pytest.raises(RuntimeError, match="closed"):
            await copy.questions.get("q2")

    use(survey, ask)


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


def test_a_call_ends_with_the_task_that_waits_for_it(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> Any:
        audiences = [MEN.renamed(f"{place}") for place in range(300)]
        task = asyncio.create_task(client.crosstab(rows=audiences, columns=audiences))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return (await client.questions.get("q2")).name

    assert use(survey, ask) == "Gender"


def test_it_names_its_place_and_its_operations(survey: Survey) -> None:
    client = connect_async(survey=survey)
    assert repr(client) == "<AsyncClient of the embedded service, survey survey>"
    assert repr(client.questions).endswith(": .filter(), .get()>")
    assert client.service.survey is survey


def test_outside_of_any_loop_it_says_where_it_can_be_used() -> None:
    client = connect_async()
    with pytest.raises(RuntimeError, match=r"asyncio\.run\(\) runs, .* connect\(\)") as caught:
        client.crosstab_stream(rows=[MEN])
    assert caught.value.__context__ is None


def test_its_transport_is_open_to_requests_as_they_are_until_it_is_closed(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> bytes:
        response = await client.transport.send(Request("GET", "/v2/questions/q2"))
        body = b"".join([chunk async for chunk in response.body])
        await response.close()
        await client.close()
        with pytest.raises(RuntimeError, match="closed"):
            assert client.transport
        return body

    assert b'"Gender"' in use(survey, ask)


def test_a_call_is_a_coroutine_to_everything_that_takes_one(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        task = asyncio.create_task(client.questions.get("q2"))
        assert "AsyncQuestions.get" in repr(task), "asyncio names it by its function"
        both = await asyncio.gather(task, client.catalogue(), client.stats("q4"))
        assert [type(each).__name__ for each in both] == ["Question", "Catalogue", "StatsResult"]
        assert (await asyncio.wait_for(client.questions.get("q2"), 60)).name == "Gender"
        with pytest.raises(NotFound):
            await client.questions.get("q99")

    use(survey, ask)
    client = connect_async(survey=survey)
    assert asyncio.run(client.questions.get("q2")).name == "Gender"
