"""The stats and crosstab queries: building the requests, reading the answers.

A query is planned before anything is sent, so that a slip in the arguments costs no request;
audiences without a name get theirs when the labels are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan

import msgspec
from msgspec.structs import astuple

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
from audiencelab.expressions import Audience, Labels
from audiencelab.schema import AudienceRef, CrosstabQuery, StatsQuery, StatsResult, StatsRow

__all__ = ["CrosstabPlan", "StatsPlan", "crosstab", "stats"]

STREAM_TYPES = "application/x-ndjson, application/json-seq, application/json"

_read_stats = reader(StatsResult)

_Place = tuple[str, str | None, str | None]
"""A datapoint, a segment and the id of an audience."""


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
        return Call(request, lambda answer: self._told_apart(_read_stats(answer)))

    def missing(self, answer: StatsResult) -> list[str]:
        """What should have come and did not, in words, a row each."""
        query = self.query
        came = {self._place(row): row for row in answer.data}
        datapoints = dict.fromkeys([*(query.datapoints or ()), *(place[0] for place in came)])
        if not datapoints:
            return []  # a question without datapoints has no rows
        segments = dict.fromkeys([*(query.segments or ()), *(place[1] for place in came)])
        if not query.splitter:
            segments = {None: None}
        names = {each.id: each.name or each.id for each in self.audiences} or {None: None}
        return [
            ", ".join(filter(None, (datapoint, segment, name)))
            for datapoint, segment, (audience, name) in product(
                datapoints, segments or [None], names.items()
            )
            if (datapoint, segment, audience) not in came
        ]

    def _told_apart(self, answer: StatsResult) -> StatsResult:
        """The answer with each row once, and the audience in it that was asked for.

        Raises `ValidationError` where several rows stand for one place of the table.
        """
        rows: dict[_Place, StatsRow] = {}
        for row in self._with_audiences(answer.data):
            place = self._place(row)
            first = rows.setdefault(place, row)
            if not _same(first, row):
                raise msgspec.ValidationError(self._contradiction(place, first, row))
        return answer.__replace__(data=list(rows.values()))

    def _with_audiences(self, rows: list[StatsRow]) -> list[StatsRow]:
        told = {row.audience for row in rows}
        ids = [each.id for each in self.audiences]
        if len(ids) == 1 and len(told) == 1 and told != set(ids):
            # There is no other that it could be.
            return [row.__replace__(audience=ids[0]) for row in rows]
        if len(ids) > 1 and told == {None}:
            raise msgspec.ValidationError(
                f"its rows do not tell which of the {len(ids)} audiences they are about"
            )
        return rows

    def _place(self, row: StatsRow) -> _Place:
        """What a row stands for, among what was asked."""
        return (
            row.datapoint,
            row.segment if self.query.splitter else None,
            row.audience if self.audiences else None,
        )

    def _contradiction(self, place: _Place, first: StatsRow, second: StatsRow) -> str:
        names = {each.id: each.name or each.id for each in self.audiences}
        datapoint, segment, audience = place
        what = ", ".join(filter(None, (datapoint, segment, names.get(audience, audience))))
        told = f"two rows are about {what!r} and differ"
        if first.suffixes != second.suffixes:
            return f"{told} in their suffixes; ask for one suffix at a time, as client.grid() does"
        if first.waves != second.waves:
            return f"{told} in their waves; ask with splitter='waves'"
        if first.segment != second.segment:
            return f"{told} in their segments, though no splitter was asked for"
        return f"{told} in their figures"


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


def _same(first: StatsRow, second: StatsRow) -> bool:
    """Whether two rows say the same, figures that are not known included."""
    if first is second:
        return True
    return all(
        getattr(first, name) == getattr(second, name)
        for name in ("waves", "segment", "audience", "suffixes")
    ) and all(
        one == two or (isnan(one) and isnan(two))
        for one, two in zip(astuple(first.metrics), astuple(second.metrics), strict=True)
    )


def _refs(audiences: Sequence[Audience], places: Sequence[int]) -> list[AudienceRef]:
    return [to_ref(audiences[place]) for place in places]
