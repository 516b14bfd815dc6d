"""The insights listing: filtered, in one of seven orders, page by page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audiencelab.schema import InsightsPage, endpoints
from audiencelab.schema.http import Response
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.fields import FLAG, Integer, ListOf, Record, choice, optional
from audiencelab.service.responses import json_response
from audiencelab.survey import InsightRecord

INSIGHT_TYPES = ("report", "infographic", "powerpoint", "chart")

DEFAULT_LIMIT = 10
DEFAULT_ORDER_BY = "published_at"

ORDERS: dict[str, Callable[[InsightRecord], Any]] = {
    "name": lambda record: (record.insight.name.casefold(), record.insight.name),
    "published_at": lambda record: record.published_at,
    "created_at": lambda record: record.created_at,
    "updated_at": lambda record: record.updated_at,
    "trending": lambda record: record.trending,
    "popularity": lambda record: record.popularity,
    "id": lambda record: record.insight.id,
}
"""Sort keys."""

_ASCENDING = ("name", "id")
"""Orders that are ascending by default; the others are descending."""

_BODY = Record(
    {
        "filters": optional(
            Record(
                {
                    "categories": optional(ListOf(Integer()), "In any of these; empty: all."),
                    "is_trending": optional(FLAG),
                    "types": optional(ListOf(choice(*INSIGHT_TYPES)), "Of any of these."),
                }
            ),
            "What must hold together.",
        ),
        "limit": optional(Integer(least=1, most="page"), f"Absent: {DEFAULT_LIMIT}."),
        "offset": optional(Integer(least=0), "Absent: 0."),
        "order": optional(choice("asc", "desc"), "Absent: asc by name and id, else desc."),
        "order_by": optional(choice(*ORDERS), f"Absent: {DEFAULT_ORDER_BY}."),
        "total": optional(Integer(), "Ignored; the response has it."),
    }
)


def filter_insights(request: RequestContext) -> Response:
    """One page. Insights that compare equal are ordered by id, so that pages never overlap."""
    body: dict[str, Any] = request.body
    limit = body.get("limit") or DEFAULT_LIMIT
    offset = body.get("offset") or 0
    order_by = body.get("order_by") or DEFAULT_ORDER_BY
    order = body.get("order") or ("asc" if order_by in _ASCENDING else "desc")
    filters: dict[str, Any] = body.get("filters") or {}
    found = sorted(
        (record for record in request.context.survey.insights if _fits(record, filters)),
        key=lambda record: (ORDERS[order_by](record), record.insight.id),
        reverse=order == "desc",
    )
    return json_response(
        InsightsPage(
            insights=[record.insight for record in found[offset : offset + limit]],
            limit=limit,
            offset=offset,
            order=order,
            order_by=order_by,
            total=len(found),
        )
    )


def _fits(record: InsightRecord, filters: dict[str, Any]) -> bool:
    categories, types = filters.get("categories"), filters.get("types")
    is_trending = filters.get("is_trending")
    return (
        (not categories or not set(categories).isdisjoint(record.categories))
        and (not types or record.type in types)
        and (is_trending is None or record.is_trending == is_trending)
    )


FILTER_INSIGHTS = Operation(
    endpoint=endpoints.FILTER_INSIGHTS,
    answer=filter_insights,
    summary="Insights, filtered and paged",
    answers=InsightsPage,
    body=_BODY,
    may_be_empty=True,
)
