"""The listing of insights of a client."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import Any, TypedDict, Unpack

import msgspec

from audiencelab.client.arguments import codes
from audiencelab.client.decoding import reader
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.exchange import Call
from audiencelab.client.operations.group import OperationGroup
from audiencelab.client.sending import ask, ask_with_line
from audiencelab.keywords import keywords
from audiencelab.schema import Insight, InsightsFilter, InsightsQuery
from audiencelab.schema.endpoints import FILTER_INSIGHTS
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


class Insights(OperationGroup):
    """The listing of insights of a client."""

    @keywords(InsightsArguments)
    def filter(
        self,
        *,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        total: int | None = None,
        **given: Unpack[InsightsArguments],
    ) -> InsightsPage:
        """One page of insights.

        categories: category ids. types: any of "report", "infographic", "powerpoint", "chart".
        is_trending: only those that are, or are not. limit: insights a page. offset: where it
            starts, from 0.
        order: "asc" or "desc". order_by: "name", "published_at", "created_at", "updated_at",
            "trending", "popularity" or "id".
        total: sent as it is; the interface does not define it.

        Raises `InvalidRequest` with every fault, and the other errors of `ClientError`.

        >>> client.insights.filter(limit=2).total >= 2
        True

        It sends POST /v3/insights/filter.
        """
        query = _query(limit, given, offset=offset, total=total)
        return ask(self._sender, _page(query))

    @keywords(InsightsArguments)
    def all(
        self, *, page_size: int = 50, **given: Unpack[InsightsArguments]
    ) -> Generator[Insight, None]:
        """Every insight, each once, requested a page at a time as the iterator advances.

        page_size: insights a page. Other arguments, and errors, as for `filter`.

        >>> next(client.insights.all()).name
        'Four quarters of short video'
        """
        return self._all(_query(page_size, given))

    def _all(self, query: InsightsQuery) -> Generator[Insight, None]:
        """A page without a new insight is the last that is requested.

        Raises `InvalidResponse` if the service announced more then: it may ignore the offset.
        """
        seen: set[int] = set()
        offset = 0
        while True:
            asked = msgspec.structs.replace(query, offset=offset)
            page, line = ask_with_line(self._sender, _page(asked))
            before = len(seen)
            for insight in page.insights:
                if insight.id not in seen:
                    seen.add(insight.id)
                    yield insight
            start, offset = offset, offset + len(page.insights)
            # By the total where it is known, else by a short page.
            limit = query.limit or PAGE_SIZE
            if (
                offset >= page.total
                if page.total
                else offset - start < min(limit, page.limit or limit)
            ):
                return
            if len(seen) == before:
                of_total = f" of {page.total:,}" if page.total else ""
                raise InvalidResponse(
                    f"The listing ended at {len(seen):,}{of_total} insights: the page from offset "
                    f"{start:,} on had no new ones. The service may ignore the offset; request "
                    "more at once with page_size=….",
                    line,
                )


def _query(
    limit: int, given: InsightsArguments, *, offset: int = 0, total: int | None = None
) -> InsightsQuery:
    """The body of the listing; raises `TypeError` and `ValueError` for invalid arguments."""
    try:
        categories = codes("categories", given.get("categories"))
        numbers = None if categories is None else [int(each) for each in categories]
    except ValueError:
        raise ValueError("categories must be integer ids of categories.") from None
    filters = InsightsFilter(
        categories=numbers,
        is_trending=given.get("is_trending"),
        types=codes("types", given.get("types")),
    )
    return InsightsQuery(
        filters=None if filters == InsightsFilter() else filters,
        limit=_integer("limit", limit, least=1),
        offset=_integer("offset", offset, least=0),
        order=given.get("order"),
        order_by=given.get("order_by"),
        total=None if total is None else _integer("total", total, least=0),
    )


def _page(query: InsightsQuery) -> Call[InsightsPage]:
    body = msgspec.json.encode(query)
    return Call(FILTER_INSIGHTS.request(body=body), _read_page)


def _integer(name: str, given: Any, *, least: int) -> int:
    if not isinstance(given, int) or isinstance(given, bool):
        raise TypeError(f"{name} must be an int; got {type(given).__name__}.")
    if given < least:
        raise ValueError(f"{name} must be at least {least}.")
    return given
