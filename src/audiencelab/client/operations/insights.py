"""The listing of insights: building the request, reading a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict, Unpack

import msgspec

from audiencelab.client.exchange import Call
from audiencelab.client.operations.arguments import codes
from audiencelab.client.operations.decoding import reader
from audiencelab.schema import InsightsFilter, InsightsQuery
from audiencelab.schema.http import Request
from audiencelab.tables import InsightsPage

PAGE_SIZE = 10
"""Insights a page, by default."""

_read_page = reader(InsightsPage)


class InsightsArguments(TypedDict, total=False):
    """The filters and the order of a listing of insights."""

    categories: Iterable[int | str] | None
    types: Iterable[str] | None
    is_trending: bool | None
    order: str | None
    order_by: str | None


def build_insights_query(
    *,
    limit: int = PAGE_SIZE,
    offset: int = 0,
    total: int | None = None,
    **given: Unpack[InsightsArguments],
) -> InsightsQuery:
    """The body of the listing; raises `TypeError` and `ValueError` for invalid arguments."""
    categories = given.get("categories")
    filters = InsightsFilter(
        categories=None if categories is None else _numbers(categories),
        is_trending=given.get("is_trending"),
        types=codes("types", given.get("types")),
    )
    return InsightsQuery(
        filters=None if filters == InsightsFilter() else filters,
        limit=_number("limit", limit, least=1),
        offset=_number("offset", offset, least=0),
        order=given.get("order"),
        order_by=given.get("order_by"),
        total=None if total is None else _number("total", total, least=0),
    )


def build_page(query: InsightsQuery) -> Call[InsightsPage]:
    """POST /v3/insights/filter."""
    request = Request("POST", "/v3/insights/filter", body=msgspec.json.encode(query))
    return Call(request, _read_page)


def _numbers(categories: Iterable[int | str]) -> list[int]:
    """Category ids as `int`; a category of the catalogue has its id as `str`."""
    try:
        return [int(each) for each in codes("categories", categories) or ()]
    except ValueError:
        raise ValueError("categories must be integer ids of categories.") from None


def _number(name: str, given: Any, *, least: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name} must be an int; got {type(given).__name__}.")
    if given < least:
        raise ValueError(f"{name} must be at least {least}.")
    return given


def is_last(page: InsightsPage, offset: int, limit: int) -> bool:
    """Whether no page can follow: by the total where it is known, else by a short page."""
    if page.total:
        return offset >= page.total
    return len(page.insights) < min(limit, page.limit or limit)
