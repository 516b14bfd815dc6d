"""What charts, saved audiences and insights send, and what they refuse before sending it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest

from audiencelab.client import Catalogue, Client
from audiencelab.client.audiences import assign_ids
from audiencelab.client.context import ClientContext
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.options import ClientOptions
from audiencelab.client.raw_requests import build_raw_request
from audiencelab.client.transports.base import NO_LIMIT, Timeout
from audiencelab.expressions import Audience, Leaf, Q
from audiencelab.schema import ChartAttribute, ChartAudience, Datapoint, Question, SavedChart
from audiencelab.schema.endpoints import Retry, endpoint_of
from audiencelab.schema.http import Request, Response
from tests.messages import fails

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
MEN = GENDER["Male"]

Answer = Callable[[Request], Any]


class Sent:
    """A transport that keeps requests and answers each with JSON."""

    secrets = ()

    def __init__(self, answer: Answer) -> None:
        self.requests: list[Request] = []
        self._answer = answer

    def send(self, request: Request, timeout: Timeout = NO_LIMIT) -> Response:
        self.requests.append(request)
        return Response(200, {}, iter([json.dumps(self._answer(request)).encode()]))

    def close(self) -> None: ...


def sent(ask: Callable[[Client], object], answer: Any) -> Request:
    """The last request of a client that knows one question."""
    transport = Sent(lambda _: answer)
    context = ClientContext("https://a.example", recorded_questions=lambda: [GENDER.record])
    context.do_without_catalogue()
    ask(Client(transport, context, ClientOptions(retries=0)))
    return transport.requests[-1]


def create(whole: Any = "Chart", **fields: Any) -> Any:
    created = {"id": "c-1", "audience_replacements": []}
    return json.loads(sent(lambda client: client.charts.create(whole, **fields), created).body)


def update(**fields: Any) -> Any:
    return json.loads(sent(lambda client: client.charts.update("c-1", **fields), "c-1").body)


def save(audience_id: Any = "a-1", **fields: Any) -> Any:
    saved = {"id": "a-1", "name": "Radio"}
    return json.loads(
        sent(lambda client: client.audiences.update(audience_id, **fields), saved).body
    )


def listed(**fields: Any) -> Any:
    page = {"insights": []}
    return json.loads(sent(lambda client: client.insights.filter(**fields), page).body)


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
        (GENDER, [attribute("q2_1"), attribute("q2_2")]),
        (MEN, [attribute("q2_1")]),
        (("q2", "q2_1"), [attribute("q2_1")]),
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
    with fails(ValueError):
        update()
    with fails(ValueError):
        update(chart=SavedChart())


def test_a_whole_chart_is_sent_but_for_what_the_service_sets() -> None:
    whole = SavedChart(
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
        (lambda: create(wavs=["q1_2024"]), "no argument 'wavs'. Did you mean 'waves'"),
        (lambda: create(zzz=1), "It takes name, attributes"),
        (lambda: create(is_shared=True), "create takes no argument 'is_shared'"),
        (lambda: create(waves="q1_2024"), "waves must be a list of codes"),
        (lambda: create(audiences=["q2"]), r"audiences\[0\]: Must be an audience"),
        (lambda: create(base_audience="q2"), r"base_audience\[0\]: Must be an audience"),
        (lambda: create(splitter=GENDER), "splitter must be the code"),
        (lambda: create(GENDER), "takes a name or a wire.SavedChart; got CatalogueQuestion"),
        (lambda: save(expresion=MEN), "Did you mean 'expression'"),
        (lambda: save(expression="q2"), "expression: Must be an audience"),
        (lambda: save(flags="curated"), "flags must be a list"),
        (lambda: save(4, name="x"), "audience_id must be a str"),
        (lambda: save(position=float("nan")), "position must be a finite number"),
        (lambda: save(position="1"), "position must be a finite number"),
        (lambda: listed(limit="10"), "limit must be an int"),
        (lambda: listed(types="chart"), "types must be a list"),
    ],
)
def test_slips_are_caught_before_anything_is_sent(ask: Callable[[], object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        ask()


@pytest.mark.parametrize(
    ("ask", "answer", "method", "path"),
    [
        (lambda c: c.charts.create("A"), {"id": "c"}, "POST", "/v1/charts"),
        (lambda c: c.charts.update("a/b", name="A"), "a/b", "PUT", "/v1/charts/a%2Fb"),
        (lambda c: c.charts.calculate("c"), {"stats": []}, "POST", "/v1/charts/c/calculate"),
        (
            lambda c: c.audiences.update("x", name="N"),
            {"id": "x", "name": "N"},
            "PATCH",
            "/v2/saved/audiences/x",
        ),
    ],
)
def test_requests_go_to_their_paths(
    ask: Callable[[Client], object], answer: Any, method: str, path: str
) -> None:
    request = sent(ask, answer)
    assert (request.method, request.path) == (method, path)
    assert ("idempotency-key" in request.headers) == (path == "/v1/charts")


def test_an_id_that_is_made_is_none_that_another_has_by_itself() -> None:
    women = Q("q2").any("q2_2")
    given = [
        Audience(expression=women),
        Audience("One", women, "row-1"),
        Audience("Two", women, "row-1-2"),
    ]
    taken: set[str] = set()
    made = [audience.id for audience in assign_ids(given, "rows", taken)]
    assert made == ["row-1-3", "row-1", "row-1-2"]
    assert taken == set(made)


def test_a_saved_audience_is_written_in_its_own_form() -> None:
    radio = Q("q20", suffixes=[1, 2]).any("q20_1")
    expression = {"question": "q20", "datapoints": ["q20_1"], "suffixes": [1, 2]}
    assert save(expression=radio, flags=("curated",), position=2.5) == {
        "expression": expression,
        "flags": ["curated"],
        "position": 2.5,
    }
    assert save(expression=Audience("Radio", radio)) == {"expression": expression}
    assert save(flags=None) == {"flags": None}
    with fails(ValueError):
        save()


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_saved_audience_is_read_alone_or_wrapped_and_is_an_audience(wrapped: bool) -> None:
    answer = {
        "id": "a-1",
        "name": "Radio",
        "expression": {"question": "q20", "options": ["q20_1"], "suffixes": [1]},
        "newer": {"than": "us"},
        "sharings": None,
    }
    transport = Sent(lambda _: {"data": answer} if wrapped else answer)
    client = Client(transport, ClientContext("https://a.example"), ClientOptions())
    found = client.audiences.update("a-1", name="Radio")
    assert found.to_audience() == Audience("Radio", Leaf("q20", ("q20_1",), ("1",)), id="a-1")


def test_insights_are_requested_by_what_is_given() -> None:
    assert listed(categories=["12", 3], types=["chart"], limit=5, order_by="name") == {
        "filters": {"categories": [12, 3], "types": ["chart"]},
        "limit": 5,
        "offset": 0,
        "order_by": "name",
    }
    assert listed() == {"limit": 10, "offset": 0}
    assert listed(is_trending=False)["filters"] == {"is_trending": False}
    assert listed(total=20)["total"] == 20


@pytest.mark.parametrize(
    "wrong", [{"limit": 0}, {"offset": -1}, {"total": -1}, {"categories": ["media"]}]
)
def test_insights_are_not_requested_by_invalid_numbers(wrong: dict[str, Any]) -> None:
    with fails(ValueError):
        listed(**wrong)


Pages = Callable[[int, int], dict[str, Any]]


def walk(pages: Pages, page_size: int = 4) -> tuple[list[int], list[int]]:
    """The ids that come out of these pages, and the offsets that were requested."""

    def page(request: Request) -> Any:
        query = json.loads(request.body)
        return pages(query["offset"], query["limit"])

    transport = Sent(page)
    client = Client(transport, ClientContext("https://a.example"), ClientOptions())
    found = [each.id for each in client.insights.all(page_size=page_size)]
    return found, [json.loads(request.body)["offset"] for request in transport.requests]


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

    with fails(InvalidResponse):
        walk(short)


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
    assert endpoint_of(made.method, path).retry is retry
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
    with fails(ValueError):
        build_raw_request("GET", path, None, None)


@pytest.mark.parametrize("method", ["", "GET /", "GET\r\nHost: elsewhere"])
def test_a_method_is_one_word(method: str) -> None:
    with fails(ValueError):
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
    answer = {"question": {"code": "q2", "name": "Gender", "datapoints": [], "categories": []}}
    request = sent(lambda client: client.questions.get("q2", include=include), answer)
    assert request.query == urlencode({"include": asked})
