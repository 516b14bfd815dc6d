"""The stats and crosstab queries: building the requests, reading the responses.

A query is built before anything is sent, so that wrong arguments cost no request; audiences
without a name are named once labels are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan
from typing import TypedDict, Unpack

import msgspec
from msgspec.structs import astuple

from audiencelab.client.catalogue.labels import QuestionBook, wave_name
from audiencelab.client.exchange import Call
from audiencelab.client.operations.arguments import code, codes
from audiencelab.client.operations.audiences import (
    AudienceLike,
    AxisLike,
    assign_base_id,
    assign_base_name,
    assign_ids,
    assign_names,
    flatten_banner,
    questions_to_name,
    to_ref,
)
from audiencelab.client.operations.decoding import reader
from audiencelab.expressions import Audience, Labels
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import AudienceRef, CrosstabQuery, StatsQuery, StatsRow
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.http import Request
from audiencelab.schema.queries import LocalStatsResult
from audiencelab.tables import CrosstabResult, StatsLabels

JSON_STREAMS = "application/x-ndjson, application/json-seq, application/json"

MANY_CELLS = 256
"""Cells from which on columnar blocks are faster than JSON."""

_read_stats = reader(LocalStatsResult)

_Position = tuple[str, str | None, str | None]
"""A datapoint, a segment and the id of an audience."""


@dataclass(frozen=True, slots=True)
class Wave:
    """A wave of the survey. sample: its respondents; size: their weighted count.

    The sample is None, and the size NaN, where a service does not return them.
    """

    code: str
    name: str
    sample: int | None
    size: float


@dataclass(frozen=True, slots=True)
class Location:
    """A location of the survey, by the code that `locations=` takes."""

    code: str
    name: str


@dataclass(frozen=True, slots=True)
class StatsRequest:
    """A checked statistics query, and its audiences as they will be sent."""

    query: StatsQuery
    audiences: tuple[Audience, ...]
    base_audience: Audience | None

    def questions_to_name(self) -> set[str]:
        """The questions whose names make up the names of nameless audiences."""
        return questions_to_name((*self.audiences, self.base_audience))

    def named(self, labels: Labels) -> StatsRequest:
        """The same with a name for every audience."""
        return replace(
            self,
            audiences=assign_names(self.audiences, labels),
            base_audience=assign_base_name(self.base_audience, labels),
        )

    def call(self) -> Call[LocalStatsResult]:
        """POST /v2/query/stats."""
        body = msgspec.structs.replace(
            self.query,
            audiences=[to_ref(audience) for audience in self.audiences] or None,
            base_audience=None if self.base_audience is None else to_ref(self.base_audience),
        )
        request = Request("POST", "/v2/query/stats", body=msgspec.json.encode(body))
        return Call(request, lambda answer: self._checked(_read_stats(answer)))

    def missing(self, answer: LocalStatsResult) -> list[str]:
        """Descriptions of the rows that should have come and did not."""
        query = self.query
        came = {self._position(row): row for row in answer.data}
        datapoints = dict.fromkeys([*(query.datapoints or ()), *(position[0] for position in came)])
        if not datapoints:
            return []  # a question without datapoints has no rows
        segments = dict.fromkeys([*(query.segments or ()), *(position[1] for position in came)])
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

    def _checked(self, answer: LocalStatsResult) -> LocalStatsResult:
        """The response with each row once, and with the ids of the audiences that were sent.

        Raises `ValidationError` where several rows of one position differ.
        """
        rows: dict[_Position, StatsRow] = {}
        for row in self._with_audiences(answer.data):
            position = self._position(row)
            first = rows.setdefault(position, row)
            if not _same(first, row):
                raise msgspec.ValidationError(self._contradiction(position, first, row))
        return answer.__replace__(data=list(rows.values()))

    def _with_audiences(self, rows: list[StatsRow]) -> list[StatsRow]:
        named = {row.audience for row in rows}
        ids = [each.id for each in self.audiences]
        if len(ids) == 1 and len(named) == 1 and named != set(ids):
            # It cannot be any other.
            return [row.__replace__(audience=ids[0]) for row in rows]
        if len(ids) > 1 and named == {None}:
            raise msgspec.ValidationError(
                f"its rows do not say which of the {len(ids)} audiences they are about"
            )
        return rows

    def _position(self, row: StatsRow) -> _Position:
        """The position of a row in the table that was requested."""
        return (
            row.datapoint,
            row.segment if self.query.splitter else None,
            row.audience if self.audiences else None,
        )

    def _contradiction(self, position: _Position, first: StatsRow, second: StatsRow) -> str:
        names = {each.id: each.name or each.id for each in self.audiences}
        datapoint, segment, audience = position
        what = ", ".join(filter(None, (datapoint, segment, names.get(audience, audience))))
        differ = f"two rows are about {what!r} and differ"
        if first.suffixes != second.suffixes:
            return (
                f"{differ} in their suffixes; ask for one suffix at a time, as client.grid() does"
            )
        if first.waves != second.waves:
            return f"{differ} in their waves; ask with splitter='waves'"
        if first.segment != second.segment:
            return f"{differ} in their segments, although no splitter was given"
        return f"{differ} in their metrics"


@dataclass(frozen=True, slots=True)
class CrosstabRequest:
    """A checked crosstab query; rows that were not given are the base audience, columns alike.

    row_heads, column_heads: the groups over each audience, which are not part of the request.
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

    def named(self, labels: Labels) -> CrosstabRequest:
        """The same with a name for every audience."""
        return replace(
            self,
            rows=assign_names(self.rows, labels),
            columns=assign_names(self.columns, labels),
            base_audience=assign_base_name(self.base_audience, labels),
        )

    def with_names_of(self, table: CrosstabResult) -> CrosstabRequest:
        """The same with the names of a table that was made of it."""
        return replace(
            self, rows=table.rows, columns=table.columns, base_audience=table.base_audience
        )

    def request(self) -> Request:
        """POST /v2/query/crosstab for the whole table."""
        return self.request_for(range(len(self.rows)), range(len(self.columns)))

    def request_for(self, rows: Sequence[int], columns: Sequence[int]) -> Request:
        """The same for a part of the table, by positions from 0; audiences keep their ids."""
        query = CrosstabQuery(
            columns=_refs(self.columns, columns) if self.columns_requested else None,
            rows=_refs(self.rows, rows) if self.rows_requested else None,
            locations=self.locations,
            waves=self.waves,
            base_audience=None if self.base_audience is None else to_ref(self.base_audience),
        )
        many = len(rows) * len(columns) >= MANY_CELLS
        headers = {"accept": f"{CELLS}, {JSON_STREAMS}" if many else JSON_STREAMS}
        body = msgspec.json.encode(query)
        return Request("POST", "/v2/query/crosstab", "", headers, body)


class GridArguments(TypedDict, total=False):
    """The keyword arguments of a grid."""

    datapoints: Iterable[str] | None
    suffixes: Iterable[str | int] | None
    audiences: Iterable[AudienceLike] | None
    locations: Iterable[str] | None
    waves: Iterable[str] | None
    base_audience: AudienceLike | None


class StatsArguments(GridArguments, total=False):
    """The keyword arguments of a statistics query."""

    splitter: str | None
    segments: Iterable[str] | None
    segmented_base: bool | None


def build_stats(question: str, **given: Unpack[StatsArguments]) -> StatsRequest:
    """A statistics query; raises `TypeError` for arguments of the wrong type."""
    taken: set[str] = set()
    audiences = assign_ids(given.get("audiences"), "audiences", taken)
    splitter = given.get("splitter")
    query = StatsQuery(
        question=code("question", question),
        datapoints=codes("datapoints", given.get("datapoints")),
        suffixes=codes("suffixes", given.get("suffixes")),
        splitter=None if splitter is None else code("splitter", splitter),
        segments=codes("segments", given.get("segments")),
        segmented_base=given.get("segmented_base"),
        locations=codes("locations", given.get("locations")),
        waves=codes("waves", given.get("waves")),
    )
    return StatsRequest(query, audiences, assign_base_id(given.get("base_audience"), taken))


class CrosstabArguments(TypedDict, total=False):
    """The keyword arguments of a crosstab query."""

    rows: AxisLike | None
    columns: AxisLike | None
    base_audience: AudienceLike | None
    waves: Iterable[str] | None
    locations: Iterable[str] | None


def build_crosstab(**given: Unpack[CrosstabArguments]) -> CrosstabRequest:
    """A crosstab query; see `flatten_banner` for what rows and columns may be."""
    taken: set[str] = set()
    row_banner = flatten_banner("rows", given.get("rows"))
    column_banner = flatten_banner("columns", given.get("columns"))
    sent_rows = assign_ids(row_banner.audiences, "rows", taken)
    sent_columns = assign_ids(column_banner.audiences, "columns", taken)
    base = assign_base_id(given.get("base_audience"), taken)
    alone = (base or Audience(name="All", id="base"),)
    return CrosstabRequest(
        rows=sent_rows or alone,
        columns=sent_columns or alone,
        base_audience=base,
        rows_requested=bool(sent_rows),
        columns_requested=bool(sent_columns),
        locations=codes("locations", given.get("locations")),
        waves=codes("waves", given.get("waves")),
        row_heads=tuple(row_banner.groups),
        column_heads=tuple(column_banner.groups),
    )


def _same(first: StatsRow, second: StatsRow) -> bool:
    """Whether two rows are equal, where unknown metrics equal each other."""
    if first is second:
        return True
    return all(
        getattr(first, name) == getattr(second, name)
        for name in ("waves", "segment", "audience", "suffixes")
    ) and all(
        one == two or (isnan(one) and isnan(two))
        for one, two in zip(astuple(first.metrics), astuple(second.metrics), strict=True)
    )


def _refs(audiences: Sequence[Audience], positions: Sequence[int]) -> list[AudienceRef]:
    return [to_ref(audiences[position]) for position in positions]


def stats_labels(
    book: QuestionBook, question: str, splitter: str | None, segments: Iterable[str | None]
) -> StatsLabels:
    """The names of a result's question, datapoints and segments, as far as they are known."""
    return StatsLabels(
        question=book.question_name(question) or "",
        datapoints=book.datapoints(question) if question != WAVES else {},
        segments={code: wave_name(code) for code in segments if code}
        if splitter is None or splitter == WAVES
        else book.datapoints(splitter),
        splitter=(book.question_name(splitter) or "") if splitter else "",
    )
