"""The stats and crosstab queries: building the requests, reading the answers.

A query is planned before anything is sent, so that a slip in the arguments costs no request;
audiences without a name get theirs when the labels are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from audiencelab.audience import Audience, Labels
from audiencelab.client.messages import Call, Request
from audiencelab.client.operations.audiences import (
    AudienceLike,
    identified,
    identified_base,
    named,
    named_base,
    questions_to_name,
    to_ref,
)
from audiencelab.client.operations.codes import code, codes
from audiencelab.client.operations.reading import reader
from audiencelab.client.operations.sides import Side, laid_flat
from audiencelab.wire import AudienceRef, CrosstabQuery, StatsQuery, StatsResult

__all__ = ["CrosstabPlan", "StatsPlan", "crosstab", "stats"]

STREAM_TYPES = "application/x-ndjson, application/json-seq, application/json"

_read_stats = reader(StatsResult)


@dataclass(frozen=True, slots=True)
class StatsPlan:
    """A statistics query, found well-formed, and its audiences as they will be sent."""

    query: StatsQuery
    audiences: tuple[Audience, ...]
    base_audience: Audience | None

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((*self.audiences, self.base_audience))

    def named(self, labels: Labels) -> StatsPlan:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=named(self.audiences, labels),
            base_audience=named_base(self.base_audience, labels),
        )

    def call(self) -> Call[StatsResult]:
        """POST /v2/query/stats."""
        body = msgspec.structs.replace(
            self.query,
            audiences=[to_ref(audience) for audience in self.audiences] or None,
            base_audience=None if self.base_audience is None else to_ref(self.base_audience),
        )
        request = Request("POST", "/v2/query/stats", {}, msgspec.json.encode(body))
        return Call(request, _read_stats)


@dataclass(frozen=True, slots=True)
class CrosstabPlan:
    """A crosstab query, found well-formed; a side not asked for holds the base audience alone.

    row_heads, column_heads: what stands over each audience, which no request carries.
    """

    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    base_audience: Audience | None
    rows_requested: bool
    columns_requested: bool
    locations: list[str] | None
    waves: list[str] | None
    row_heads: tuple[tuple[str, ...], ...] = ()
    column_heads: tuple[tuple[str, ...], ...] = ()

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((*self.rows, *self.columns, self.base_audience))

    def named(self, labels: Labels) -> CrosstabPlan:
        """The same with a name for every audience."""
        return replace(
            self,
            rows=named(self.rows, labels),
            columns=named(self.columns, labels),
            base_audience=named_base(self.base_audience, labels),
        )

    def request(self) -> Request:
        """POST /v2/query/crosstab, for the whole table."""
        return self.request_for(range(len(self.rows)), range(len(self.columns)))

    def request_for(self, rows: Sequence[int], columns: Sequence[int]) -> Request:
        """The same for a part of the table, by places from 0; audiences keep their ids."""
        query = CrosstabQuery(
            columns=_refs(self.columns, columns) if self.columns_requested else None,
            rows=_refs(self.rows, rows) if self.rows_requested else None,
            locations=self.locations,
            waves=self.waves,
            base_audience=None if self.base_audience is None else to_ref(self.base_audience),
        )
        headers = {"accept": STREAM_TYPES}
        return Request("POST", "/v2/query/crosstab", {}, msgspec.json.encode(query), headers)


def stats(
    question: str,
    *,
    datapoints: Iterable[str] | None = None,
    suffixes: Iterable[str | int] | None = None,
    splitter: str | None = None,
    segments: Iterable[str] | None = None,
    segmented_base: bool | None = None,
    audiences: Iterable[AudienceLike] | None = None,
    locations: Iterable[str] | None = None,
    waves: Iterable[str] | None = None,
    base_audience: AudienceLike | None = None,
) -> StatsPlan:
    """Plan a statistics query; raises `TypeError` for arguments of another kind."""
    taken: set[str] = set()
    sent = identified(audiences, "audiences", taken)
    base = identified_base(base_audience, taken)
    query = StatsQuery(
        question=code("question", question),
        datapoints=codes("datapoints", datapoints),
        suffixes=codes("suffixes", suffixes),
        splitter=None if splitter is None else code("splitter", splitter),
        segments=codes("segments", segments),
        segmented_base=segmented_base,
        locations=codes("locations", locations),
        waves=codes("waves", waves),
    )
    return StatsPlan(query, sent, base)


def crosstab(
    *,
    rows: Side | None,
    columns: Side | None,
    base_audience: AudienceLike | None,
    locations: Iterable[str] | None,
    waves: Iterable[str] | None,
) -> CrosstabPlan:
    """Plan a crosstab query; see `laid_flat` for what a side may be and what it raises."""
    taken: set[str] = set()
    down, across = laid_flat("rows", rows), laid_flat("columns", columns)
    sent_rows = identified(down.audiences, "rows", taken)
    sent_columns = identified(across.audiences, "columns", taken)
    base = identified_base(base_audience, taken)
    alone = (base or Audience(name="All", id="base"),)
    return CrosstabPlan(
        rows=sent_rows or alone,
        columns=sent_columns or alone,
        base_audience=base,
        rows_requested=bool(sent_rows),
        columns_requested=bool(sent_columns),
        locations=codes("locations", locations),
        waves=codes("waves", waves),
        row_heads=tuple(down.heads),
        column_heads=tuple(across.heads),
    )


def _refs(audiences: Sequence[Audience], places: Sequence[int]) -> list[AudienceRef]:
    return [to_ref(audiences[place]) for place in places]
