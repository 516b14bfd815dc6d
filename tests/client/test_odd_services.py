"""Answers of services that differ from ours: read where they say the same, else a named error.

Each case runs over the library's own transport.
"""

from __future__ import annotations

import json
import logging
import math
import zlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from audiencelab.client import connect, errors
from audiencelab.expressions import Audience, Q
from audiencelab.service.http import serve
from audiencelab.survey import Survey
from tests.client.fault_server import answer, serving
from tests.client.faulty_calls import saying
from tests.client.odd_services import TOKEN, TWO, URL, Handler, Opened, always, row
from tests.engine.studies import random_study
from tests.messages import fails

OPERATIONS: dict[str, Callable[[Any], Any]] = {
    "questions.filter": lambda client: client.questions.filter(),
    "questions.get": lambda client: client.questions.get("q1"),
    "categories.get": lambda client: client.categories.get("1"),
    "stats": lambda client: client.stats("q1"),
    "crosstab": lambda client: client.crosstab(rows=[Q("q1").any("q1_1")]),
    "charts.create": lambda client: client.charts.create("A chart"),
    "charts.update": lambda client: client.charts.update("c1", name="Another"),
    "charts.calculate": lambda client: client.charts.calculate("c1"),
    "audiences.update": lambda client: client.audiences.update("a1", name="Another"),
    "insights.filter": lambda client: client.insights.filter(),
}


# -- a success without what was promised ------------------------------------------------------


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_success_that_is_an_error_is_told_in_the_services_words(
    opened: Opened, operation: str
) -> None:
    client = opened(always({"error": "quota exceeded"}))
    with fails(errors.RequestError) as caught:
        OPERATIONS[operation](client)
    assert isinstance(caught.value, (errors.InvalidResponse, errors.AmbiguousWriteError))
    assert caught.value.status == 200


@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_page_in_place_of_json_is_told_with_its_status_and_content_type(
    opened: Opened, operation: str
) -> None:
    page = "<!doctype html><html><style>b {}</style><body><b>Sign in</b> to go on</body></html>"
    client = opened(lambda _path, _body: httpx.Response(203, html=page))
    with fails(errors.RequestError) as caught:
        OPERATIONS[operation](client)
    assert isinstance(caught.value, (errors.InvalidResponse, errors.AmbiguousWriteError))
    if operation != "crosstab":
        assert "Sign in to go on" in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        {"error": "backend unavailable"},
        {"title": "Too early", "status": 425, "detail": "Try again."},
        {"status": "queued"},
        {},
        {"stats": None},
        {"data": {}},
        {"data": None},
        [],
    ],
)
def test_a_calculation_without_groups_is_not_a_success(opened: Opened, body: Any) -> None:
    with pytest.raises(errors.InvalidResponse):
        opened(always(body)).charts.calculate("c1")


GROUP = {
    "group_id": 0,
    "code": 200,
    "attributes": [{"question_code": "q1", "datapoint_code": "q1_1"}],
    "data": [{"metrics": {"audience_percentage": 12.5}}],
}


def test_a_wrapped_calculation_keeps_its_groups(opened: Opened) -> None:
    result = opened(always({"data": {"stats": [GROUP]}})).charts.calculate("c1")
    assert result.complete
    assert result.to_frame()["column_percentage"].tolist() == [12.5]


@pytest.mark.parametrize("code", [0, 1, None])
def test_a_group_with_figures_has_not_failed_whatever_its_code(opened: Opened, code: Any) -> None:
    result = opened(always({"stats": [GROUP | {"code": code}]})).charts.calculate("c1")
    assert result.complete
    assert result.to_frame()["note"].tolist() == [""]


def test_a_group_with_an_error_code_or_without_figures_has_failed(opened: Opened) -> None:
    groups = [GROUP | {"code": 500}, GROUP | {"code": 0, "data": []}]
    result = opened(always({"stats": groups})).charts.calculate("c1")
    assert len(result.failures) == 2


def test_groups_are_counted_against_the_attributes_that_were_sent(opened: Opened) -> None:
    def handler(path: str, body: dict[str, Any]) -> Any:
        if path.endswith("/filter"):
            points = [{"code": "q1_1"}, {"code": "q1_2"}]
            return {"questions": [{"code": "q1", "namespace_code": "core", "datapoints": points}]}
        return {"stats": [GROUP]} if path.endswith("/calculate") else {"id": "c1"}

    client = opened(handler)
    client.charts.create("Two", attributes=[("q1", "q1_1"), ("q1", "q1_2")])
    with fails(errors.InvalidResponse):
        client.charts.calculate("c1")
    client.charts.create("One", attributes=[("q1", "q1_1")])
    assert client.charts.calculate("c1").complete


# -- JSON as some programs write it -----------------------------------------------------------


def written(found: Any) -> httpx.Response:
    """A byte order mark, and a label that was cut within an emoji."""
    text = json.dumps(found).replace("CUT", r"\ud83d").replace("WHOLE", r"\ud83d\ude00")
    return httpx.Response(200, content=b"\xef\xbb\xbf" + text.replace("PATH", r"\\ud800").encode())


def test_half_a_surrogate_pair_and_a_byte_order_mark_hide_no_catalogue(opened: Opened) -> None:
    names = ["aCUTb", "CUT", "WHOLECUT", "CUTWHOLE", "C:PATH"]
    points = [{"code": f"q1_{n}", "name": each} for n, each in enumerate(names)]
    found = {"questions": [{"code": "q1", "namespace_code": "core", "datapoints": points}]}
    client = opened(lambda _path, _body: written(found))
    shown = [each.name for each in client.catalogue["q1"].datapoints]
    assert shown == ["a\ufffdb", "\ufffd", "😀\ufffd", "\ufffd😀", r"C:\ud800"]
    assert client.request("GET", "/v2/questions/core.q1").json()["questions"]


def test_cells_may_begin_with_a_byte_order_mark_and_hold_half_a_surrogate_pair(
    opened: Opened,
) -> None:
    figures = {"size": 5.0, "sample": 5, "percentage": 50.0, "intersect_percentage": 1.0}

    def handler(path: str, body: dict[str, Any]) -> Any:
        if path != "/v2/query/crosstab":
            return {"questions": []}
        sides = {"row": figures | {"audience": body["rows"][0]["id"]}, "column": figures}
        echo = {"id": body["rows"][0]["id"], "name": "CUT"}
        return written(
            {
                "audiences": sides,
                "base": {"size": 10.0, "sample": 10},
                "intersect": figures | {"index": 100.0},
                "row": echo,
            }
        )

    assert opened(handler).crosstab(rows=TWO[:1]).complete


# -- a resource that was not asked for --------------------------------------------------------

OTHERS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "question": (
        lambda client: client.questions.get("core.q20"),
        {"question": {"code": "q99", "namespace_code": "core"}},
    ),
    "namespace": (
        lambda client: client.questions.get("core.q20"),
        {"question": {"code": "q20", "namespace_code": "other"}},
    ),
    "category": (lambda client: client.categories.get(110), {"category": {"id": "111"}}),
    "chart": (lambda client: client.charts.update("c1", name="x"), "OTHER"),
    "no chart": (lambda client: client.charts.update("c1", name="x"), ""),
    "audience": (lambda client: client.audiences.update("a1", name="x"), {"id": "OTHER"}),
}


@pytest.mark.parametrize(("call", "answer"), OTHERS.values(), ids=OTHERS)
def test_an_answer_about_another_resource_is_refused(
    opened: Opened, call: Callable[[Any], Any], answer: Any
) -> None:
    with fails(errors.InvalidResponse):
        call(opened(always(answer)))


def test_a_chart_without_an_id_was_perhaps_created(opened: Opened) -> None:
    with fails(errors.AmbiguousWriteError):
        opened(always({"id": ""})).charts.create("A chart")


SAME: tuple[tuple[Callable[[Any], Any], Any], ...] = (
    (lambda client: client.questions.get("q20"), {"question": {"code": "q20"}}),
    (lambda client: client.questions.get("core.q20"), {"question": {"code": "core.q20"}}),
    (
        lambda client: client.questions.get("q20"),
        {"question": {"code": "core.q20", "namespace_code": "core"}},
    ),
    (
        lambda client: client.questions.get("mine.q20"),
        {"question": {"code": "q20", "namespace_code": "mine"}},
    ),
    (lambda client: client.charts.update("0A1B", name="x"), "0a1b"),
    (lambda client: client.audiences.update("7", name="x"), {"id": "0a1b", "v1_id": 7}),
    (lambda client: client.audiences.update("0A1B", name="x"), {"data": {"id": "0a1b"}}),
)


@pytest.mark.parametrize(("call", "answer"), SAME)
def test_an_answer_about_it_in_another_spelling_is_taken(
    opened: Opened, call: Callable[[Any], Any], answer: Any
) -> None:
    call(opened(always(answer)))


# -- nulls and numbers ------------------------------------------------------------------------


def test_null_lists_are_empty_ones(opened: Opened) -> None:
    client = opened(
        always({"questions": None, "insights": None, "data": None, "meta": {"type": "DATAPOINTS"}})
    )
    assert client.questions.filter().questions == []
    assert client.insights.filter().insights == []
    assert len(client.stats("q1")) == 0


@pytest.mark.parametrize("whole", [False, True], ids=["some", "all"])
def test_a_crosstab_with_null_figures_is_whole(opened: Opened, whole: bool) -> None:
    def handler(path: str, body: dict[str, Any]) -> Any:
        if path != "/v2/query/crosstab":
            return {"questions": []}
        lines = []
        for place, each in enumerate(body["rows"]):
            index = None if whole or place == 0 else 100.0
            figures = {"size": 5.0, "sample": 5, "percentage": 50.0}
            side = {**figures, "intersect_percentage": None if whole else 1.0}
            sides = {"row": side | {"audience": each["id"]}, "column": side | {"audience": ""}}
            base = {"size": 10.0, "sample": 10}
            cell = {"audiences": sides, "base": base, "intersect": figures | {"index": index}}
            lines.append(json.dumps(cell))
        return httpx.Response(200, text="\n".join(lines))

    table = opened(handler).crosstab(rows=TWO)
    assert table.complete
    assert [math.isnan(each) for each in table.values("index")[:, 0]] == [True, whole]
    assert table.to_frame()["size"].tolist() == [5, 5]


def test_cells_with_nothing_to_place_them_by_are_told_as_such(opened: Opened) -> None:
    figures = {"size": 5.0, "sample": 5, "percentage": 50.0}
    cell = {
        "audiences": {"row": figures, "column": figures},
        "base": {"size": 10.0, "sample": 10},
        "intersect": figures | {"index": 100.0},
    }
    client = opened(lambda _path, _body: httpx.Response(200, json=[cell, cell]))
    with fails(errors.InvalidResponse):
        client.crosstab(rows=TWO)


# -- the location question, and the parameter `include` ------------------------------------------


def catalogue(*questions: dict[str, Any]) -> Handler:
    def handler(path: str, body: dict[str, Any]) -> Any:
        if path == "/v2/query/stats":
            rows = [row("x_1", segment="q1_2024", audience_sample=None)]
            del rows[0]["metrics"]["audience_sample"]
            return {"meta": {"question": body["question"]}, "data": rows}
        assert path == "/v3/questions/filter", path
        wanted = [each["question"] for each in body.get("questions") or ()]
        return {"questions": [q for q in questions if not wanted or q["code"] in wanted]}

    return handler


def question(code: str, **fields: Any) -> dict[str, Any]:
    points = [{"code": f"{code}_1", "name": "Here"}, {"code": f"{code}_2", "name": "There"}]
    return {"code": code, "namespace_code": "core", "datapoints": points, **fields}


def test_the_location_question_is_found_by_its_flag(opened: Opened) -> None:
    client = opened(catalogue(question("s2"), question("where", flags=["location"])))
    assert [each.code for each in client.locations()] == ["where_1", "where_2"]


def test_without_a_flag_it_is_the_usual_one(opened: Opened) -> None:
    client = opened(catalogue(question("q1"), question("s2")))
    assert [each.code for each in client.locations()] == ["s2_1", "s2_2"]


def test_the_location_question_can_be_named(opened: Opened) -> None:
    client = opened(catalogue(question("s2"), question("q9")), location_question="q9")
    assert [each.code for each in client.locations()] == ["q9_1", "q9_2"]


def test_a_service_without_a_location_question_is_told_with_the_remedy(opened: Opened) -> None:
    for listed in ("waves", "locations"):
        with fails(errors.UnknownCodeError):
            getattr(opened(catalogue(question("q1"))), listed)()


def test_locations_without_datapoints_are_an_error(opened: Opened) -> None:
    for datapoints in (None, []):
        client = opened(catalogue(question("s2", datapoints=datapoints)))
        with fails(errors.UnknownCodeError):
            client.locations()


def test_waves_without_samples_are_listed(opened: Opened) -> None:
    [wave] = opened(catalogue(question("s2"))).waves()
    assert (wave.code, wave.sample) == ("q1_2024", None)
    assert "Q1 2024" in repr(opened(catalogue(question("s2"))).waves())


def test_the_include_parameter_has_the_name_that_it_is_given(opened: Opened) -> None:
    def handler(path: str, _body: dict[str, Any]) -> Any:
        if "fields=datapoints" in path:
            return {"question": question("q1")}
        if "fields=children" in path:
            return {"category": {"id": "1", "child_questions": []}}
        return {"question": {"code": "q1"}, "category": {"id": "1"}}

    named = opened(handler, include_parameter="fields")
    assert len(named.questions.get("q1", include=["datapoints"]).datapoints) == 2
    assert named.categories.get("1", include=["children"]).child_questions == []


def test_a_service_that_ignores_the_include_parameter_gives_no_silent_answer(
    opened: Opened,
) -> None:
    client = opened(
        lambda path, _body: (
            {"category": {"id": "1"}} if "categories" in path else {"question": {"code": "q1"}}
        )
    )
    with fails(errors.InvalidResponse):
        client.questions.get("q1", include=["datapoints"])
    with fails(errors.InvalidResponse):
        client.categories.get("1", include=["children"])
    assert client.questions.get("q1").datapoints is None


def test_a_relationship_that_is_null_was_answered(opened: Opened) -> None:
    client = opened(always({"question": {"code": "q1", "datapoints": None}}))
    assert client.questions.get("q1", include=["datapoints"]).datapoints is None


def test_waves_and_locations_of_a_served_survey_of_ones_own(survey_of_ones_own: Survey) -> None:
    with (
        serve(survey_of_ones_own, token=TOKEN) as url,
        connect(url, token=TOKEN) as outer,
        connect(survey=survey_of_ones_own) as inner,
    ):
        assert outer.waves() == inner.waves()
        assert outer.locations() == inner.locations()


@pytest.fixture(scope="module")
def survey_of_ones_own(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return random_study(tmp_path_factory.mktemp("own") / "survey", seed=5).survey


# -- large answers ----------------------------------------------------------------------------


def test_an_answer_is_measured_with_its_compression_undone(opened: Opened) -> None:
    swollen = zlib.compress(b'{"questions": [' + b" " * 5_000_000 + b"]}")

    def handler(_path: str, _body: dict[str, Any]) -> Any:
        headers = {"content-encoding": "deflate", "content-type": "application/json"}
        return httpx.Response(200, headers=headers, content=swollen)

    with fails(errors.InvalidResponse):
        opened(handler, max_body=1_000_000).questions.filter()
    assert len(opened(handler, max_body=6_000_000).questions.filter()) == 0
    client = opened(handler).with_options(max_body=1_000_000)
    with fails(errors.InvalidResponse):
        client.questions.filter()


def test_an_answer_of_very_many_items_is_not_read(opened: Opened) -> None:
    body = b'{"questions": [' + b",".join([b'{"code":"a"}'] * 120_000) + b"]}"

    def handler(_path: str, _body: dict[str, Any]) -> Any:
        return httpx.Response(200, content=body)

    with fails(errors.InvalidResponse):
        opened(handler, max_body=2_000_000).questions.filter()
    assert len(opened(handler).questions.filter()) == 120_000


@pytest.mark.parametrize("max_body", [0, -1, 1.5, "1 MB", True])
def test_max_body_is_a_number_of_bytes(max_body: Any) -> None:
    with fails((TypeError, ValueError)):
        connect(URL, token=TOKEN, max_body=max_body)


# -- words that would act on a terminal, and headers in the log ------------------------------------

ACTING = "\x1b]0;owned\x07 \x1b[2J \u202egnp.exe \x9b31m"


def acts(shown: str) -> bool:
    return any(sign in shown for sign in ("\x1b", "\x07", "\u202e", "\x9b"))


def test_an_error_shows_no_sign_that_acts_on_a_terminal() -> None:
    body = json.dumps({"detail": ACTING, "errors": [{"pointer": f"/{ACTING}", "detail": ACTING}]})
    with (
        serving(saying(answer(body.encode(), 400, x_request_id="a\x1b[2Jb"))) as server,
        connect(server.url, token=TOKEN, retries=0) as client,
        fails(errors.InvalidRequest) as caught,
    ):
        client.questions.filter()
    assert not acts(str(caught.value))
    assert not acts(repr(caught.value))
    assert not acts(repr(caught.value.request))


def test_a_success_that_is_an_error_shows_none_either(opened: Opened) -> None:
    with fails(errors.InvalidResponse) as caught:
        opened(always({"error": ACTING})).questions.filter()
    assert not acts(str(caught.value))


def test_labels_of_a_survey_show_none(opened: Opened) -> None:
    points = [{"code": f"q1_1{ACTING}", "name": ACTING}, {"code": "q1_2", "name": "Two"}]
    category = {"id": "1", "name": ACTING}
    asked = {
        "code": "q1",
        "namespace_code": "core",
        "name": ACTING,
        "datapoints": points,
        "categories": [category],
        "suffixes": [{"code": "1", "name": ACTING}],
        "taxonomy_paths": [{"categories_lineage": [category], "dataset": {"code": "d"}}],
    }

    def handler(path: str, body: dict[str, Any]) -> Any:
        if path.endswith("/calculate"):
            return {"stats": [GROUP], "meta": {"name": ACTING}}
        if path.endswith("/stats"):
            return {"meta": {"type": "DATAPOINTS", "question": ACTING}, "data": [row("q1_1")]}
        if path.endswith("insights/filter"):
            return {"insights": [{"id": 1, "name": ACTING}], "total": 1}
        return {"questions": [asked, asked | {"code": "s2", "suffixes": []}]}

    client = opened(handler)
    listed = client.catalogue
    found = [
        listed,
        listed.tree,
        listed["q1"],
        listed["q1"].datapoints,
        client.locations(),
        client.stats("q1"),
        client.charts.calculate("c1"),
        client.insights.filter(),
        client.insights.filter().insights,
        client.questions.filter().questions[0],
        Audience(ACTING, Q("q1").any("q1_1")),
    ]
    shown = [show(each) for each in found for show in (repr, str)]
    assert any("owned" in each for each in shown)
    assert [each for each in shown if acts(each)] == []
    with pytest.raises(errors.UnknownCodeError) as caught:
        listed["q1"]["Thre"]
    assert not acts(str(caught.value))


def test_headers_of_an_answer_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    body = json.dumps({"questions": []}).encode()
    echo = answer(body, x_echo=f"Bearer {TOKEN}")
    with (
        caplog.at_level(logging.DEBUG),
        serving(saying(echo)) as server,
        connect(server.url, token=TOKEN, retries=0) as client,
    ):
        client.questions.filter()
    assert TOKEN not in caplog.text
