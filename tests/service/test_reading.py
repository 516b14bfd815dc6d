"""What every operation reads alike: empty bodies, whole numbers, null, and ids that repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from audiencelab.schema import SavedAudience
from audiencelab.service import Limits, Service
from audiencelab.service.openapi import document
from audiencelab.service.operations import OPERATIONS, Operation
from audiencelab.survey import Survey
from tests.service.asking import TOKEN, ask, crosstab, stats
from tests.service.surveys import build_survey

STATS, CROSSTAB, CHARTS = "/v2/query/stats", "/v2/query/crosstab", "/v1/charts"
WOMEN = {"question": "q2", "datapoints": ["q2_2"]}
SAVED = "11111111-2222-3333-4444-555555555555"


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a saved audience of its own."""
    saved = SavedAudience(SAVED, name="Fans", expression=WOMEN, datasets=["main"], flags=["isP2"])
    survey = build_survey(tmp_path_factory.mktemp("kept") / "survey", saved_audiences=[saved])
    with Service(survey, [TOKEN]) as service:
        yield service


# ---- empty bodies ----


@pytest.mark.parametrize("path", ["/v3/questions/filter", "/v3/insights/filter"])
@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_empty_body_of_a_filter_is_the_empty_request(
    service: Service, path: str, body: bytes
) -> None:
    answer = ask(service, "POST", path, body)
    assert (answer.status, answer.body) == (200, ask(service, "POST", path, {}).body)
    assert document()["paths"][path]["post"]["requestBody"]["required"] is False


@pytest.mark.parametrize("path", [STATS, CROSSTAB, CHARTS])
def test_an_empty_body_of_a_query_or_a_chart_is_refused(service: Service, path: str) -> None:
    assert ask(service, "POST", path, b"").status == 400
    assert document()["paths"][path]["post"]["requestBody"]["required"] is True


# ---- whole numbers ----


@pytest.mark.parametrize("number", [b"10.0", b"1e1", b"10.000", b"1.0E+1"])
def test_a_number_without_a_fraction_is_an_integer(service: Service, number: bytes) -> None:
    answer = ask(service, "POST", "/v3/insights/filter", b'{"limit": ' + number + b"}")
    assert (answer.status, answer.json["limit"]) == (200, 10)


@pytest.mark.parametrize("number", [b"10.5", b"1e-1", b"1e300"])
def test_a_number_with_a_fraction_is_none(service: Service, number: bytes) -> None:
    answer = ask(service, "POST", "/v3/insights/filter", b'{"limit": ' + number + b"}")
    assert (answer.status, answer.pointers) == (400, ["/limit"])


def test_a_whole_number_is_an_integer_in_expressions_and_suffixes_too(service: Service) -> None:
    leaf = b'{"question": "q20", "suffixes": [1.0], "min_count": 1.0}'
    answer = ask(service, "POST", CROSSTAB, b'{"rows": [{"expression": ' + leaf + b"}]}")
    assert answer.status == 200
    answer = ask(service, "POST", STATS, b'{"question": "q20", "suffixes": [1.0, 2]}')
    assert answer.status == 200
    assert answer.json["data"][0]["suffixes"] == [1, 2]


# ---- one id twice ----


@pytest.mark.parametrize(
    ("path", "body", "axis"),
    [
        (CROSSTAB, {}, "rows"),
        (CROSSTAB, {}, "columns"),
        (STATS, {"question": "q4"}, "audiences"),
        (CHARTS, {"name": "x"}, "audiences"),
    ],
)
def test_two_of_one_id_are_refused_at_the_second(
    service: Service, path: str, body: dict[str, Any], axis: str
) -> None:
    twice = [{"id": "a"}, {"id": "b"}, {"id": "a", "expression": WOMEN}]
    answer = ask(service, "POST", path, {**body, axis: twice})
    assert (answer.status, answer.pointers) == (400, [f"/{axis}/2/id"])


def test_a_row_and_a_column_may_have_one_id_and_several_none(service: Service) -> None:
    assert len(crosstab(service, rows=[{"id": "a"}, {}], columns=[{"id": "a"}, {}, {}])) == 6
    assert len(stats(service, question="q2", audiences=[{}, {}])["data"]) == 4


# ---- long ids and echoes ----


@pytest.mark.parametrize(
    ("path", "body", "axis"),
    [
        (CROSSTAB, {}, "rows"),
        (CROSSTAB, {}, "columns"),
        (STATS, {"question": "q4"}, "audiences"),
        (CHARTS, {"name": "x"}, "audiences"),
    ],
)
def test_an_id_is_bounded_as_every_result_repeats_it(
    service: Service, path: str, body: dict[str, Any], axis: str
) -> None:
    assert ask(service, "POST", path, {**body, axis: [{"id": "a" * 256}]}).status == 200
    answer = ask(service, "POST", path, {**body, axis: [{"id": "a" * 257}]})
    assert (answer.status, answer.pointers) == (400, [f"/{axis}/0/id"])
    assert "the limit (identifier) is 256" in answer.json["errors"][0]["detail"]


def test_an_answer_is_not_many_times_its_request(survey: Survey) -> None:
    # The longest that are echoed one by one, in a table of which each is told a hundred times.
    long = [{"id": f"a{place}", "name": "x" * 15_000} for place in range(100)]
    body = {"rows": long, "columns": long}
    with Service(survey, [TOKEN], Limits(body=1 << 30)) as service:
        answer = ask(service, "POST", CROSSTAB, body)
    assert answer.status == 200
    assert len(answer.body) < 8 * len(msgspec.json.encode(body))
    assert not any("row" in cell or "column" in cell for cell in answer.lines)
    assert len({cell["audiences"]["row"]["audience"] for cell in answer.lines}) == 100


# ---- null ----


def test_null_in_an_update_is_the_absence_of_a_member(kept: Service) -> None:
    path = f"/v2/saved/audiences/{SAVED}"
    names = ("datasets", "expression", "flags", "folder", "folder_id", "position", "shared")
    full = {"flags": ["isP2"], "position": 3, "shared": True, "folder_id": SAVED}
    assert ask(kept, "PATCH", path, full).status == 200
    answer = ask(kept, "PATCH", path, dict.fromkeys(names))
    assert answer.status == 200, answer.body
    emptied = {
        "datasets": [],
        "expression": None,
        "flags": [],
        "folder_id": "00000000-0000-0000-0000-000000000000",
        "position": None,
        "shared": False,
    }
    assert {name: answer.json.get(name) for name in emptied} == emptied
    assert answer.json["name"] == "Fans"
    # Of two forms of the folder, null is neither.
    answer = ask(kept, "PATCH", path, {"folder": None, "folder_id": SAVED})
    assert answer.json["folder_id"] == SAVED


@pytest.mark.parametrize(("method", "kind"), [("PUT", "charts"), ("PATCH", "saved")])
def test_what_always_has_a_name_keeps_it(kept: Service, method: str, kind: str) -> None:
    if kind == "charts":
        path = f"/v1/charts/{ask(kept, 'POST', CHARTS, {'name': 'x'}).json['id']}"
    else:
        path = f"/v2/saved/audiences/{SAVED}"
    answer = ask(kept, method, path, {"name": None})
    assert (answer.status, answer.pointers) == (400, ["/name"])


def members(schema: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each member at the top of a body, and whether null is declared for it."""
    for name, each in schema["properties"].items():
        yield name, "null" in each.get("type", ()) or {"type": "null"} in each.get("anyOf", ())


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if each.body], ids=lambda each: each.name
)
def test_null_is_declared_where_it_is_accepted(kept: Service, operation: Operation) -> None:
    described = document()["paths"][operation.path][operation.method.lower()]["requestBody"]
    chart = ask(kept, "POST", CHARTS, {"name": "x"}).json["id"]
    path = operation.path.replace("{id}", chart if "charts" in operation.path else SAVED)
    least = {"query_stats": {"question": "q2"}, "create_chart": {"name": "x"}}
    for name, is_declared in members(described["content"]["application/json"]["schema"]):
        body = {**least.get(operation.name, {}), name: None}
        assert (ask(kept, operation.method, path, body).status == 200) == is_declared, name
