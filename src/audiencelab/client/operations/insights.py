"""The listing of insights: building the request, reading a page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from audiencelab.client.messages import Call, Request
from audiencelab.client.operations.codes import codes
from audiencelab.client.operations.reading import reader
from audiencelab.schema import InsightsFilter, InsightsQuery
from audiencelab.tables import InsightsPage

__all__ = ["PAGE_SIZE", "page", "plan_insights"]

PAGE_SIZE = 10
"""Insights a page, unless a caller asks for more or fewer."""

_read_page = reader(InsightsPage)


def plan_insights(
    *,
    categories: Iterable[int | str] | None = None,
    types: Iterable[str] | None = None,
    is_trending: bool | None = None,
    limit: int = PAGE_SIZE,
    offset: int = 0,
    order: str | None = None,
    order_by: str | None = None,
    total: int | None = None,
) -> InsightsQuery:
    """The body of the listing; raises `TypeError` and `ValueError` for what cannot be asked."""
    filters = InsightsFilter(
        categories=None if categories is None else _numbers(categories),
        is_trending=is_trending,
        types=codes("types", types),
    )
    return InsightsQuery(
        filters=None if filters == InsightsFilter() else filters,
        limit=_number("limit", limit, least=1),
        offset=_number("offset", offset, least=0),
        order=order,
        order_by=order_by,
        total=None if total is None else _number("total", total, least=0),
    )


def page(query: InsightsQuery) -> Call[InsightsPage]:
    """POST /v3/insights/filter."""
    request = Request("POST", "/v3/insights/filter", {}, msgspec.json.encode(query))
    return Call(request, _read_page)


def _numbers(categories: Iterable[int | str]) -> list[int]:
    """Category ids as integers: a category of the catalogue has its id as text."""
    try:
        return [int(each) for each in codes("categories", categories) or ()]
    except ValueError:
        raise ValueError("categories takes the integer ids of categories.") from None


def _number(name: str, given: Any, *, least: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name} is a whole number, not {type(given).__name__}.")
    if given < least:
        raise ValueError(f"{name} must be at least {least}.")
    return given
