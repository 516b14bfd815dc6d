"""The listing of insights of a client."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Unpack

import msgspec

from audiencelab.client._async.asking import ask, ask_with_line
from audiencelab.client._async.sending import AsyncSender
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.operations.arguments import check_fields, document_kwargs
from audiencelab.client.operations.insights import (
    PAGE_SIZE,
    InsightsArguments,
    build_insights_query,
    build_page,
    is_last,
)
from audiencelab.client.resource import Resource
from audiencelab.schema import Insight, InsightsQuery
from audiencelab.tables import InsightsPage


class AsyncInsights(Resource[AsyncSender]):
    """The listing of insights of a client."""

    @document_kwargs(InsightsArguments, None)
    async def filter(
        self,
        *,
        limit: int = PAGE_SIZE,
        offset: int = 0,
        total: int | None = None,
        **given: Unpack[InsightsArguments],
    ) -> InsightsPage:
        """One page of insights (POST /v3/insights/filter).

        categories: category ids. types: any of "report", "infographic", "powerpoint", "chart".
        is_trending: only those that are, or are not. limit: insights a page. offset: where it
            starts, from 0.
        order: "asc" or "desc". order_by: "name", "published_at", "created_at", "updated_at",
            "trending", "popularity" or "id".
        total: sent as it is; the interface does not define it.

        Raises `InvalidRequest` with every fault, and the other errors of `ClientError`.
        """
        check_fields("insights.filter", given, InsightsArguments)
        query = build_insights_query(limit=limit, offset=offset, total=total, **given)
        return await ask(self._sender, build_page(query))

    @document_kwargs(InsightsArguments, None)
    def all(
        self, *, page_size: int = 50, **given: Unpack[InsightsArguments]
    ) -> AsyncGenerator[Insight, None]:
        """Every insight, each once, requested a page at a time as the iterator advances.

        page_size: insights a page. Other arguments, and errors, as for `filter`.
        """
        check_fields("insights.all", given, InsightsArguments)
        return self._all(build_insights_query(limit=page_size, **given), page_size)

    async def _all(self, query: InsightsQuery, limit: int) -> AsyncGenerator[Insight, None]:
        """A page without a new insight is the last that is requested.

        Raises `InvalidResponse` if the service announced more then: it may ignore the offset.
        """
        seen: set[int] = set()
        offset = 0
        while True:
            asked = msgspec.structs.replace(query, offset=offset, limit=limit)
            page, line = await ask_with_line(self._sender, build_page(asked))
            before = len(seen)
            for insight in page.insights:
                if insight.id not in seen:
                    seen.add(insight.id)
                    yield insight
            offset += len(page.insights)
            if is_last(page, offset, limit):
                return
            if len(seen) == before:
                of_total = f" of {page.total:,}" if page.total else ""
                raise InvalidResponse(
                    f"The listing ended at {len(seen):,}{of_total} insights: the page from offset "
                    f"{offset - len(page.insights):,} on had no new ones. The service may ignore "
                    "the offset; request more at once with page_size=….",
                    line,
                )
