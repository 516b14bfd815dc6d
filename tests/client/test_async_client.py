"""The asynchronous client mirrors the blocking one, and is clear about where it can be used."""

from __future__ import annotations

import asyncio
import inspect
import re
import traceback
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
from audiencelab.client.awaiting import Unawaited
from audiencelab.client.messages import Patience, Request
from audiencelab.expressions import Audience, Q
from audiencelab.schema import Insight
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
        audiences = [pool[place % 2].renamed(f"{place}") for place in range(60)]
        stream = through.crosstab_stream(rows=audiences, columns=audiences)
        assert stream.result.count == 0
        seen = [update.arrived async for update in stream]
        async with through.crosstab_stream(rows=audiences, columns=audiences) as second:
            first = await anext(second)
        assert [update async for update in second] == []
        return seen, first.arrived, second.result.count

    seen, first, count = use(survey, ask)
    assert len(seen) > 3
    assert seen[-1] == 3_600
    assert 0 < first == count < 3_600


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
    assert repr(client.questions).endswith("to be awaited: .filter(), .get()>")
    assert client.service.survey is survey


def test_an_async_client_in_a_plain_with_block_is_told_what_to_write() -> None:
    client = connect_async()
    with pytest.raises(TypeError, match="`async with client:`"), client:
        pass


@pytest.mark.parametrize(
    ("slip", "error", "words"),
    [
        (lambda c: c.catalogue["Gender"], TypeError, "write catalogue = await client.catalogue()"),
        (lambda c: "Gender" in c.catalogue, TypeError, "await client.catalogue()"),
        (lambda c: list(c.catalogue), TypeError, "await client.catalogue()"),
        (lambda c: c.catalogue.search("x"), AttributeError, "await client.catalogue()"),
        (lambda c: c.stats("q2").to_frame(), AttributeError, "(await client.stats(…)).to_frame"),
        (lambda c: list(c.insights.filter()), TypeError, "await client.insights.filter(…)"),
        (lambda c: c.catalogue()["Gender"], TypeError, "await client.catalogue()"),
        (lambda c: list(c.insights.all()), TypeError, "async for … in client.insights.all(…)"),
        (lambda c: list(c.crosstab_stream(rows=[MEN])), TypeError, "`async for update in stream`"),
        (lambda c: c.crosstab_stream(rows=[MEN]).__enter__(), TypeError, "`async with stream:`"),
        (lambda c: c.crosstab_stream(rows=[MEN])[0], TypeError, "so far is stream.result"),
        (lambda c: c.insights.all()[0], TypeError, "[each async for each in client.insights.all("),
        (lambda c: c["Gender"], TypeError, "(await client.catalogue())['Gender']"),
        (lambda c: c.insights(), TypeError, "call client.insights.filter() or client.insights.all"),
    ],
)
def test_whoever_forgets_to_wait_is_told_what_to_write(
    survey: Survey, slip: Callable[[AsyncClient], Any], error: type[Exception], words: str
) -> None:
    async def ask(client: AsyncClient) -> None:
        with pytest.raises(error, match=re.escape(words)) as caught:
            slip(client)
        # Python would tell of it as well, once it is garbage.
        for frame, _ in traceback.walk_tb(caught.tb):
            for held in frame.f_locals.values():
                if isinstance(held, Unawaited):
                    held.close()

    use(survey, ask)


def test_whoever_waits_for_the_catalogue_and_does_not_call_it_is_told_what_to_write(
    survey: Survey,
) -> None:
    async def ask(client: AsyncClient) -> None:
        with pytest.raises(TypeError, match=r"write catalogue = await client\.catalogue\(\)"):
            await client.catalogue  # type: ignore[misc] -- the slip

    use(survey, ask)


def test_only_what_is_to_be_awaited_can_be(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        others = (client, client.crosstab_stream(rows=[MEN]), client.insights.all())
        assert not any(map(inspect.isawaitable, others))

    use(survey, ask)


def test_outside_of_any_loop_it_says_where_it_can_be_used() -> None:
    client = connect_async()
    with pytest.raises(RuntimeError, match=r"asyncio\.run\(\) runs, .* connect\(\)") as caught:
        client.crosstab_stream(rows=[MEN])
    assert caught.value.__context__ is None


def test_what_is_not_awaited_shows_how_it_is(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        pending = client.questions.get("q2")
        assert repr(pending).endswith("not awaited yet: write await client.questions.get(…)>")
        assert (await pending).name == "Gender"
        assert "await client.catalogue()" in repr(client.catalogue)
        assert "async for … in" in repr(client.insights.all())

    use(survey, ask)


def test_a_call_that_is_not_wanted_any_more_is_closed_and_warns_of_nothing(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        pending = client.questions.get("q2")
        pending.close()
        with pytest.raises(RuntimeError, match="already awaited"):
            await pending

    use(survey, ask)


def test_what_looks_for_forms_to_show_finds_none_where_nothing_is_loaded(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> None:
        assert not hasattr(client.catalogue, "_repr_html_")
        with pytest.raises(AttributeError, match=r"^_repr_html_$"):
            client.catalogue._repr_html_()

    use(survey, ask)


def test_its_door_is_open_to_requests_as_they_are_until_it_is_closed(survey: Survey) -> None:
    async def ask(client: AsyncClient) -> bytes:
        answer = await client.door.send(Request("GET", "/v2/questions/q2", {}, None), Patience())
        body = b""
        while chunk := await answer.read():
            body += chunk
        await answer.close()
        await client.close()
        with pytest.raises(RuntimeError, match="closed"):
            assert client.door
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
