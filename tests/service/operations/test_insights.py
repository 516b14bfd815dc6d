"""The insights listing: filters, seven orders, and pages that give every insight exactly once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from audiencelab.schema import Image, Insight
from audiencelab.service import Limits, Service
from audiencelab.service.operations.insights import ORDERS
from audiencelab.survey import InsightRecord, Survey
from tests.service.asking import TOKEN, ask
from tests.service.surveys import build_survey

TYPES = ("report", "infographic", "powerpoint", "chart")

RECORDS = [
    InsightRecord(
        # Names in either case, and many equal values in each order.
        Insight(
            number,
            ("Beta", "alpha", "beta", "Gamma")[number * 7 % 4],
            f"About {number}",
            [Image(number * 10, is_main=True)],
        ),
        type=TYPES[number % 4],
        categories=((), (1,), (1, 2), (3,), (2,))[number % 5],
        is_trending=number % 3 == 0,
        published_at=f"2023-0{1 + number * 5 % 6}-01T00:00:00Z",
        created_at=f"2022-0{1 + number * 3 % 4}-01T00:00:00Z",
        updated_at=f"2023-1{number % 2}-01T00:00:00Z",
        trending=float(number * 5 % 7),
        popularity=number * 3 % 5 / 2,
    )
    for number in (*range(20, 0, -1), *range(21, 38))
]
IDS = sorted(record.insight.id for record in RECORDS)


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Survey:
    return build_survey(tmp_path_factory.mktemp("insights") / "survey", insights=RECORDS)


@pytest.fixture(scope="module")
def service(survey: Survey) -> Service:
    return Service(survey, [TOKEN])


def page(service: Service, **body: Any) -> Any:
    answer = ask(service, "POST", "/v3/insights/filter", body)
    assert answer.status == 200, answer.body
    return answer.json


def found(service: Service, **body: Any) -> list[int]:
    return [each["id"] for each in page(service, limit=100, **body)["insights"]]


def value(number: int, key: str) -> Any:
    [record] = [each for each in RECORDS if each.insight.id == number]
    if key == "name":
        return record.insight.name.casefold()
    return number if key == "id" else getattr(record, key)


def test_there_are_the_seven_orders_of_the_specification() -> None:
    assert set(ORDERS) == {
        *("name", "published_at", "created_at", "updated_at", "trending", "popularity", "id")
    }


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("key", ORDERS)
@pytest.mark.parametrize("size", [5, 37])
def test_pages_give_every_insight_exactly_once_in_order(
    service: Service, key: str, order: str, size: int
) -> None:
    seen: list[int] = []
    for offset in range(0, len(IDS) + size, size):
        paging = {"order_by": key, "order": order, "limit": size, "offset": offset}
        answer = page(service, **paging)
        seen += [each["id"] for each in answer.pop("insights")]
        assert answer == paging | {"total": len(IDS)}
    assert sorted(seen) == IDS
    values = [value(number, key) for number in seen]
    assert values == sorted(values, reverse=order == "desc")
    assert found(service, order_by=key, order={"asc": "desc"}.get(order, "asc")) == seen[::-1]


def test_by_default_the_ten_published_last_come_first(service: Service) -> None:
    answer = page(service)
    assert (answer["limit"], answer["offset"], answer["total"]) == (10, 0, len(IDS))
    assert (answer["order_by"], answer["order"]) == ("published_at", "desc")
    nulls = dict.fromkeys(("filters", "limit", "offset", "order", "order_by"))
    assert page(service, **nulls, total=3) == answer
    for key in ORDERS:
        assert page(service, order_by=key)["order"] == ("asc" if key in ("name", "id") else "desc")


def test_an_insight_has_its_fields(service: Service) -> None:
    [insight] = page(service, order_by="id", limit=1, offset=4)["insights"]
    paths = dict.fromkeys(("page_preview_thumb_path", "page_thumb_path", "thumb_path"), "")
    assert insight == {
        "id": 5,
        "name": "Gamma",
        "description": "About 5",
        "images": [{"id": 50, "is_main": True, **paths}],
    }


@pytest.mark.parametrize(
    ("filters", "passes"),
    [
        (None, lambda n: True),
        ({"types": [], "categories": [], "is_trending": None}, lambda n: True),
        ({"is_trending": True}, lambda n: n % 3 == 0),
        ({"is_trending": False}, lambda n: n % 3),
        ({"types": ["infographic", "chart"]}, lambda n: n % 4 in (1, 3)),
        ({"categories": [1]}, lambda n: n % 5 in (1, 2)),
        ({"categories": [3, 99]}, lambda n: n % 5 == 3),
        (
            {"types": ["report"], "is_trending": True, "categories": [1, 2]},
            lambda n: n % 4 == 0 and n % 3 == 0 and n % 5 in (1, 2, 4),
        ),
    ],
)
def test_filters_hold_together_and_the_total_counts_what_passes(
    service: Service, filters: Any, passes: Callable[[int], bool]
) -> None:
    expected = [number for number in IDS if passes(number)]
    assert found(service, order_by="id", filters=filters) == expected
    assert page(service, filters=filters, limit=1)["total"] == len(expected)


def test_a_page_beyond_the_end_is_empty(service: Service) -> None:
    answer = page(service, offset=2**62)
    assert (answer["insights"], answer["total"]) == ([], len(IDS))


def test_a_page_has_a_limit(survey: Survey) -> None:
    service = Service(survey, [TOKEN], Limits(page=20))
    assert len(page(service, limit=20)["insights"]) == 20
    answer = ask(service, "POST", "/v3/insights/filter", {"limit": 21})
    assert "20, the limit (page)" in answer.json["errors"][0]["detail"]
