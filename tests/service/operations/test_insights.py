"""The insights listing: filters, seven orders, and pages that give every insight exactly once."""

from __future__ import annotations

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
@pytest.mark.parametrize("size", [1, 2, 5, 10, 36, 37, 38])
def test_pages_give_every_insight_exactly_once_in_order(
    service: Service, key: str, order: str, size: int
) -> None:
    seen: list[int] = []
    for offset in range(0, len(IDS) + size, size):
        answer = page(service, order_by=key, order=order, limit=size, offset=offset)
        paging = {name: answer[name] for name in ("limit", "offset", "order", "order_by", "total")}
        assert paging == {
            "limit": size,
            "offset": offset,
            "total": len(IDS),
            "order": order,
            "order_by": key,
        }
        seen += [each["id"] for each in answer["insights"]]
    assert sorted(seen) == IDS
    values = [value(number, key) for number in seen]
    assert values == sorted(values, reverse=order == "desc")


@pytest.mark.parametrize("key", ORDERS)
def test_the_two_orders_mirror_each_other(service: Service, key: str) -> None:
    up = found(service, order_by=key, order="asc")
    assert found(service, order_by=key, order="desc") == up[::-1]


def test_without_a_word_the_ten_published_last_come_first(service: Service) -> None:
    answer = page(service)
    assert (answer["limit"], answer["offset"], answer["total"]) == (10, 0, len(IDS))
    assert (answer["order_by"], answer["order"]) == ("published_at", "desc")
    nulls = dict.fromkeys(("filters", "limit", "offset", "order", "order_by", "total"))
    assert page(service, **nulls) == answer


@pytest.mark.parametrize("key", ORDERS)
def test_names_and_ids_begin_with_the_first_and_all_else_with_the_most(
    service: Service, key: str
) -> None:
    assert page(service, order_by=key)["order"] == ("asc" if key in ("name", "id") else "desc")


def test_an_insight_is_told_whole(service: Service) -> None:
    [insight] = page(service, order_by="id", limit=1, offset=4)["insights"]
    assert insight == {
        "id": 5,
        "name": "Gamma",
        "description": "About 5",
        "images": [
            {
                "id": 50,
                "is_main": True,
                "page_preview_thumb_path": "",
                "page_thumb_path": "",
                "thumb_path": "",
            }
        ],
    }


@pytest.mark.parametrize("trending", [True, False])
def test_trending_or_not(service: Service, trending: bool) -> None:
    expected = [number for number in IDS if (number % 3 == 0) is trending]
    assert found(service, order_by="id", filters={"is_trending": trending}) == expected


@pytest.mark.parametrize("types", [["report"], ["chart", "infographic"], list(TYPES)])
def test_of_any_of_the_types(service: Service, types: list[str]) -> None:
    expected = [number for number in IDS if TYPES[number % 4] in types]
    assert found(service, order_by="id", filters={"types": types}) == expected


@pytest.mark.parametrize(("categories", "places"), [([1], {1, 2}), ([2, 3], {2, 3, 4}), ([9], ())])
def test_in_any_of_the_categories(service: Service, categories: list[int], places: Any) -> None:
    expected = [number for number in IDS if number % 5 in places]
    assert found(service, order_by="id", filters={"categories": categories}) == expected


def test_filters_hold_together_and_the_total_counts_what_passes(service: Service) -> None:
    filters = {"types": ["report"], "is_trending": True, "categories": [1, 2]}
    expected = [n for n in IDS if n % 4 == 0 and n % 3 == 0 and n % 5 in (1, 2, 4)]
    assert found(service, order_by="id", filters=filters) == expected
    assert page(service, filters=filters, limit=1)["total"] == len(expected)


@pytest.mark.parametrize(
    "filters", [None, {}, {"types": [], "categories": []}, {"types": None, "is_trending": None}]
)
def test_an_empty_filter_lets_everything_pass(service: Service, filters: Any) -> None:
    assert found(service, order_by="id", filters=filters) == IDS


def test_a_total_that_is_sent_is_ignored(service: Service) -> None:
    assert page(service, total=3) == page(service)


def test_a_page_beyond_the_end_is_empty(service: Service) -> None:
    answer = page(service, offset=2**62)
    assert (answer["insights"], answer["total"]) == ([], len(IDS))


def test_every_fault_is_told(service: Service) -> None:
    body = {
        "filters": {
            "categories": ["canary"],
            "is_trending": 1,
            "types": ["report", "canary"],
            "more": 1,
        },
        "limit": 0,
        "offset": -1,
        "order": "up",
        "order_by": "canary",
        "total": "many",
    }
    answer = ask(service, "POST", "/v3/insights/filter", body)
    assert answer.status == 400
    assert sorted(answer.pointers) == [
        *("/filters/categories/0", "/filters/is_trending", "/filters/more", "/filters/types/1"),
        *("/limit", "/offset", "/order", "/order_by", "/total"),
    ]
    assert b"canary" not in answer.body


def test_a_page_has_a_limit_with_a_name(survey: Survey) -> None:
    service = Service(survey, [TOKEN], Limits(page=20))
    assert len(page(service, limit=20)["insights"]) == 20
    answer = ask(service, "POST", "/v3/insights/filter", {"limit": 21})
    assert "20, the limit (page)" in answer.json["errors"][0]["detail"]
