"""Requests for charts, saved audiences and insights: what is at hand, as the wire has it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from audiencelab.client import Catalogue
from audiencelab.client._sync.insights import Insights
from audiencelab.client._sync.sending import Sender
from audiencelab.client.catalogue.labels import QuestionBook
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.exchange import Call
from audiencelab.client.operations import charts, saved_audiences
from audiencelab.client.operations.audiences import assign_ids
from audiencelab.client.operations.catalogue import build_question
from audiencelab.client.operations.charts import ChartChanges, ChartFields, build_chart
from audiencelab.client.operations.insights import build_insights_query
from audiencelab.client.operations.registry import build_raw_request, operation_of
from audiencelab.client.options import Options
from audiencelab.client.retries import Retry
from audiencelab.client.session import Session
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.expressions import Audience, Leaf, Q
from audiencelab.schema import (
    Chart,
    ChartAttribute,
    ChartAudience,
    Datapoint,
    InsightsQuery,
    Question,
)
from audiencelab.schema.http import Request, Response
from tests.client.snapshots.scripted import ScriptedTransport

BOOK = QuestionBook()
GENDER = Catalogue(
    [
        Question(
            "q2",
            "core",
            "Gender",
            datapoints=[
                Datapoint("q2_1", "Male"),
                Datapoint("q2_2", "Female"),
                Datapoint("q2_3", "Hidden", accessible=False),
            ],
        )
    ]
)["Gender"]
BOOK.add([GENDER.record])
MEN = GENDER["Male"]


def body(call: Call[Any]) -> Any:
    return json.loads(call.request.body or b"null")


def create(whole: Any = "Chart", **fields: Any) -> Any:
    return body(plan("create", whole, ChartFields, fields).create("key"))


def update(**fields: Any) -> Any:
    return body(plan("update", None, ChartChanges, fields).update("c-1"))


def plan(operation: str, whole: Any, kind: type, fields: dict[str, Any]) -> charts.ChartRequest:
    return build_chart(f"charts.{operation}", whole, fields, kind, BOOK.canonical).named(BOOK)


def attribute(datapoint: str, question: str = "q2", suffix: str = "") -> dict[str, str]:
    return {
        "namespace_code": "core",
        "question_code": question,
        "datapoint_code": datapoint,
        "suffix_code": suffix,
    }


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ([GENDER["Female"]], [attribute("q2_2")]),
        ([GENDER], [attribute("q2_1"), attribute("q2_2")]),
        ([("q2", "q2_1"), ("core.q2", "q2_2")], [attribute("q2_1"), attribute("q2_2")]),
        ([("q20", "q20_1", "2")], [attribute("q20_1", "q20", "2")]),
        ([Q("q20", suffixes=[2]).any("q20_1")], [attribute("q20_1", "q20", "2")]),
        ([ChartAttribute("q2_1", "core", "q2")], [attribute("q2_1")]),
        (Catalogue([GENDER.record]), [attribute("q2_1"), attribute("q2_2")]),
        ([], []),
    ],
)
def test_attributes_are_taken_as_they_are_at_hand(given: Any, written: list[Any]) -> None:
    assert create(attributes=given)["attributes"] == written


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (GENDER, TypeError, "in brackets"),
        (MEN, TypeError, "in brackets"),
        (("q2", "q2_1"), TypeError, "in brackets"),
        ("q2", TypeError, "in brackets"),
        (["q2"], TypeError, r"attributes\[0\] must be a datapoint; got str"),
        ([("q2",)], TypeError, r"attributes\[0\]"),
        ([MEN, MEN | MEN], TypeError, r"attributes\[1\] must be a datapoint; got Or"),
        ([Q("q2").any("q2_1", "q2_2")], ValueError, r"attributes\[0\] must be one datapoint"),
        ([~MEN], ValueError, "not negated"),
        (4, TypeError, "attributes must be a list"),
    ],
)
def test_what_is_no_attribute_is_told_with_its_place(
    given: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        create(attributes=given)


def test_audiences_of_a_chart_have_ids_names_and_looks() -> None:
    sent = create(
        audiences=[
            MEN,
            Audience("Mine", ~MEN, id="mine"),
            ChartAudience("mine", "Red", MEN.to_wire("chart"), color_index=2, is_hidden=True),
        ],
        base_audience=Q("q20", suffixes=[1]).any("q20_1"),
    )
    men = {"question": "q2", "datapoints": ["q2_1"]}
    assert sent["audiences"] == [
        {"id": "audience-1", "name": "Gender is Male", "expression": men},
        {"id": "mine", "name": "Mine", "expression": {**men, "not": True}},
        {
            "id": "audience-3",
            "name": "Red",
            "expression": men,
            "color_index": 2,
            "is_hidden": True,
        },
    ]
    assert sent["base_audience"]["expression"]["suffixes"] == ["1"]


def test_fields_go_by_the_names_of_the_wire() -> None:
    assert create(waves=["q1_2024"], locations=(), splitter="waves", group_type=3) == {
        "name": "Chart",
        "wave_codes": ["q1_2024"],
        "location_codes": [],
        "splitter": "waves",
        "group_type": 3,
    }


def test_an_update_sends_what_is_given_and_clears_what_is_none() -> None:
    assert update(splitter=None, is_shared=False) == {"splitter": None, "is_shared": False}
    with pytest.raises(ValueError, match="Nothing to update"):
        update()
    with pytest.raises(ValueError, match="Nothing to update"):
        update(chart=Chart())


def test_a_whole_chart_is_sent_but_for_what_the_service_sets() -> None:
    whole = Chart(
        id="c-9",
        name="Copy",
        owner_id=4,
        created_at=1,
        wave_codes=["q1_2024"],
        attributes=[ChartAttribute("q2_1", "core", "q2")],
    )
    shared = {"wave_codes": ["q1_2024"], "attributes": [attribute("q2_1")]}
    assert create(whole) == {"name": "Copy", **shared}
    assert create(whole, waves=["q2_2024"])["wave_codes"] == ["q2_2024"]
    assert update(chart=whole) == {"name": "Copy", "owner_id": 4, "created_at": 1, **shared}


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: create(wave=["q1_2024"]), "no argument 'wave'. Did you mean 'waves'"),
        (lambda: create(zzz=1), "It takes attributes, audiences"),
        (lambda: create(is_shared=True), "charts.create takes no argument 'is_shared'"),
        (lambda: create(waves="q1_2024"), "waves must be a list of codes"),
        (lambda: create(audiences=MEN), r"in brackets: audiences=\["),
        (lambda: create(audiences=["q2"]), r"audiences\[0\]: Must be an audience"),
        (lambda: create(base_audience="q2"), r"base_audience\[0\]: Must be an audience"),
        (lambda: create(splitter=GENDER), "splitter must be the code"),
        (lambda: create(GENDER), "takes a name or a wire.Chart; got CatalogueQuestion"),
        (lambda: charts.build_calculate(7), "chart_id must be a str"),  # type: ignore[arg-type] -- the slip
        (
            lambda: saved_audiences.build_update("a", {"expresion": MEN}),
            "Did you mean 'expression'",
        ),
        (
            lambda: saved_audiences.build_update("a", {"expression": "q2"}),
            "expression: Must be an audience",
        ),
        (lambda: saved_audiences.build_update("a", {"flags": "curated"}), "flags must be a list"),
        (lambda: saved_audiences.build_update(4, {"name": "x"}), "audience_id must be a str"),  # type: ignore[arg-type] -- the slip
        (lambda: build_insights_query(limit="10"), "limit must be an int"),  # type: ignore[arg-type] -- the slip
        (lambda: build_insights_query(types="chart"), "types must be a list"),
    ],
)
def test_slips_are_caught_before_anything_is_sent(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        ask()


def test_requests_say_where_and_what_sending_them_twice_would_do() -> None:
    chart = plan("create", "Chart", ChartFields, {})
    created, changed = chart.create("key-1"), chart.update("a/b")
    counted = charts.build_calculate("c-1")
    patched = saved_audiences.build_update("x", {"name": "N"})
    calls = {
        (each.request.method, each.request.path): each.retry
        for each in (created, changed, counted, patched)
    }
    assert calls == {
        ("POST", "/v1/charts"): Retry.CREATE,
        ("PUT", "/v1/charts/a%2Fb"): Retry.ASSIGN,
        ("POST", "/v1/charts/c-1/calculate"): Retry.COSTLY,
        ("PATCH", "/v2/saved/audiences/x"): Retry.ASSIGN,
    }
    assert created.request.headers == {"idempotency-key": "key-1"}
    assert counted.request.body == b""


def test_an_id_that_is_made_is_none_that_another_has_by_itself() -> None:
    women = Q("q2").any("q2_2")
    given = [women, Audience("One", women, "row-1"), Audience("Two", women, "row-1-2")]
    taken: set[str] = set()
    made = [audience.id for audience in assign_ids(given, "rows", taken)]
    assert made == ["row-1-3", "row-1", "row-1-2"]
    assert taken == set(made)


@pytest.mark.parametrize("position", [float("nan"), float("inf"), "1"])
def test_a_position_that_json_cannot_write_is_refused(position: Any) -> None:
    with pytest.raises(TypeError, match="finite number"):
        saved_audiences.build_update("a-1", {"position": position})


def test_a_saved_audience_is_written_in_its_own_form() -> None:
    radio = Q("q20", suffixes=[1, 2]).any("q20_1")
    sent = body(
        saved_audiences.build_update(
            "a-1", {"expression": radio, "flags": ("curated",), "position": 2.5}
        )
    )
    assert sent == {
        "expression": {"question": "q20", "datapoints": ["q20_1"], "suffixes": [1, 2]},
        "flags": ["curated"],
        "position": 2.5,
    }
    named = saved_audiences.build_update("a-1", {"expression": Audience("Radio", radio)})
    assert body(named)["expression"] == sent["expression"]
    assert body(saved_audiences.build_update("a-1", {"flags": None})) == {"flags": None}
    with pytest.raises(ValueError, match="Nothing to update: pass fields"):
        saved_audiences.build_update("a-1", {})


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_saved_audience_is_read_alone_or_wrapped_and_is_an_audience(wrapped: bool) -> None:
    told = {
        "id": "a-1",
        "name": "Radio",
        "expression": {"question": "q20", "options": ["q20_1"], "suffixes": [1]},
        "newer": {"than": "us"},
        "sharings": None,
    }
    call = saved_audiences.build_update("a-1", {"name": "Radio"})
    found = call.parse(json.dumps({"data": told} if wrapped else told).encode())
    assert found.to_audience() == Audience("Radio", Leaf("q20", ("q20_1",), ("1",)), id="a-1")


def test_insights_are_asked_for_by_what_is_given() -> None:
    asked = build_insights_query(categories=["12", 3], types=["chart"], limit=5, order_by="name")
    assert _plain(asked) == {
        "filters": {"categories": [12, 3], "types": ["chart"]},
        "limit": 5,
        "offset": 0,
        "order_by": "name",
    }
    assert _plain(build_insights_query()) == {"limit": 10, "offset": 0}
    assert _plain(build_insights_query(is_trending=False))["filters"] == {"is_trending": False}
    for wrong in ({"limit": 0}, {"offset": -1}, {"categories": ["media"]}):
        with pytest.raises(ValueError, match=r"limit|offset|categories"):
            build_insights_query(**wrong)  # pyright: ignore[reportArgumentType] -- the slips


def _plain(query: InsightsQuery) -> Any:
    return msgspec.to_builtins(query)


Pages = Callable[[int, int], dict[str, Any]]


def walk(pages: Pages, page_size: int = 4) -> tuple[list[int], list[int]]:
    """The ids that come out of these pages, and the offsets that were asked for."""
    asked: list[int] = []

    class Paged(ScriptedTransport):
        def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
            query = json.loads(request.body)
            asked.append(query["offset"])
            page = json.dumps(pages(query["offset"], query["limit"])).encode()
            return Response(200, {}, iter([page]))

    insights = Insights(Sender(Paged([]), Session("nowhere"), Options()))
    return [each.id for each in insights.all(page_size=page_size)], asked


def serve(count: int, **told: Any) -> Pages:
    def page(offset: int, limit: int) -> dict[str, Any]:
        listed = [{"id": number} for number in range(offset, min(count, offset + limit))]
        return {"insights": listed, "limit": limit, "offset": offset, **told}

    return page


def test_all_insights_come_once_page_after_page() -> None:
    assert walk(serve(10, total=10)) == (list(range(10)), [0, 4, 8])
    assert walk(serve(8, total=8)) == (list(range(8)), [0, 4])
    assert walk(serve(0, total=0)) == ([], [0])


def test_without_a_total_a_short_page_is_the_last() -> None:
    assert walk(serve(10)) == (list(range(10)), [0, 4, 8])
    assert walk(serve(8)) == (list(range(8)), [0, 4, 8])


def test_a_service_that_sends_smaller_pages_is_followed() -> None:
    def stingy(offset: int, limit: int) -> dict[str, Any]:
        return serve(10)(offset, min(limit, 3))

    assert walk(stingy) == (list(range(10)), [0, 3, 6, 9])


@pytest.mark.parametrize(("told", "words"), [({"total": 1_000}, "4 of 1,000"), ({}, "4 insights")])
def test_a_listing_that_repeats_itself_does_not_pass_for_a_whole_one(
    told: dict[str, Any], words: str
) -> None:
    def stuck(offset: int, limit: int) -> dict[str, Any]:
        return serve(4, **told)(0, limit)

    with pytest.raises(InvalidResponse, match=f"ended at {words}.*offset 4"):
        walk(stuck)


def test_a_listing_that_ends_before_its_total_says_so() -> None:
    def short(offset: int, limit: int) -> dict[str, Any]:
        return serve(6, total=10)(offset, limit)

    with pytest.raises(InvalidResponse, match="6 of 10"):
        walk(short)


def test_the_total_is_sent_as_it_is_given() -> None:
    assert _plain(build_insights_query(total=20))["total"] == 20
    assert "total" not in _plain(build_insights_query())
    with pytest.raises(ValueError, match="total"):
        build_insights_query(total=-1)


def test_what_was_published_meanwhile_comes_once() -> None:
    def shifting(offset: int, limit: int) -> dict[str, Any]:
        ids = list(range(10)) if offset == 0 else [99, *range(10)]
        listed = [{"id": number} for number in ids[offset : offset + limit]]
        return {"insights": listed, "total": 11}

    assert walk(shifting)[0] == list(range(10))


@pytest.mark.parametrize(
    ("method", "path", "retry"),
    [
        ("get", "/v2/questions/core.q4", Retry.READ),
        ("POST", "/v2/query/stats", Retry.READ),
        ("POST", "/v3/insights/filter", Retry.READ),
        ("POST", "/v1/charts/c-1/calculate", Retry.COSTLY),
        ("POST", "/v1/charts", Retry.CREATE),
        ("POST", "/v9/anything", Retry.CREATE),
        ("PATCH", "/v2/saved/audiences/a%20b", Retry.ASSIGN),
        ("DELETE", "/v1/charts/c-1", Retry.ASSIGN),
    ],
)
def test_a_request_written_out_is_repeated_as_its_kind_allows(
    method: str, path: str, retry: Retry
) -> None:
    made: Request = build_raw_request(method, path, {"limit": 3}, {"a": [1]})
    assert (made.method, made.path) == (method.upper(), path)
    assert operation_of(made.method, path).retry is retry
    assert (made.query, made.body) == ("limit=3", b'{"a":[1]}')
    assert ("idempotency-key" in made.headers) == (retry is Retry.CREATE)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "v2/questions",
        "https://elsewhere/v2",
        "//elsewhere/v2",
        "/v2?x=1",
        "/v2#x",
        "/../x",
        "/v2/\r\nx",
        "/v2/a b",
        "/v2/\\x",
        "/v2/ü",
    ],
)
def test_only_paths_of_the_service_are_asked_for(path: str) -> None:
    with pytest.raises(ValueError, match="path must be a path of the service"):
        build_raw_request("GET", path, None, None)


@pytest.mark.parametrize("method", ["", "GET /", "GET\r\nHost: elsewhere"])
def test_a_method_is_one_word(method: str) -> None:
    with pytest.raises(ValueError, match="one word, such as 'GET'"):
        build_raw_request(method, "/v1/questions", None, None)


@pytest.mark.parametrize(
    ("include", "asked"),
    [
        (["datapoints", "categories"], "datapoints,categories"),
        ("datapoints", "datapoints"),
        ({"datapoints": True, "categories": False}, "datapoints"),
    ],
)
def test_what_is_included_is_what_is_wanted(include: Any, asked: str) -> None:
    request = build_question("core.q2", include, "include").request
    assert request.query == urlencode({"include": asked})
