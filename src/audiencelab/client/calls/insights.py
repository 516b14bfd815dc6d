"""The listing of insights: one page, or all of them, a page at a time."""

from __future__ import annotations

import msgspec

from audiencelab.client.calls.asking import ask_with_line
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.flow import Emit, Flow
from audiencelab.client.operations import insights
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.schema import Insight, InsightsQuery
from audiencelab.tables import InsightsPage

__all__ = ["every_insight", "filter_insights"]


def filter_insights(session: Session, options: Options, query: InsightsQuery) -> Flow[InsightsPage]:
    """See `Insights.filter`."""
    return (yield from ask_with_line(session, options, insights.page(query)))[0]


def every_insight(session: Session, options: Options, query: InsightsQuery) -> Flow[None]:
    """See `Insights.all`: emits every insight once, and asks for a page when it is needed.

    A page that brings nothing new is the last one that is asked for. Raises `InvalidResponse` if
    the service speaks of more insights then: it may ignore the offset.
    """
    seen: set[int] = set()
    offset, limit = query.offset or 0, query.limit or insights.PAGE_SIZE
    while True:
        asked = msgspec.structs.replace(query, offset=offset, limit=limit)
        page, line = yield from ask_with_line(session, options, insights.page(asked))
        new = _unseen(page, seen)
        for insight in new:
            yield Emit(insight)
        offset += len(page.insights)
        if _is_last(page, offset, limit):
            return
        if not new:
            told = f" of {page.total:,}" if page.total else ""
            raise InvalidResponse(
                f"The listing ended at {len(seen):,}{told} insights: the page from offset "
                f"{offset - len(page.insights):,} on brought none that is new. The service may "
                "ignore the offset; ask for more at once with page_size=….",
                line,
            )


def _unseen(page: InsightsPage, seen: set[int]) -> list[Insight]:
    new: list[Insight] = []
    for insight in page.insights:
        if insight.id not in seen:
            seen.add(insight.id)
            new.append(insight)
    return new


def _is_last(page: InsightsPage, offset: int, limit: int) -> bool:
    """Whether nothing can follow: by the total where it is told, else by a page that is short."""
    if page.total:
        return offset >= page.total
    return len(page.insights) < min(limit, page.limit or limit)
