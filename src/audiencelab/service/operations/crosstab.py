"""The crosstab query: row audiences against column audiences, streamed cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import msgspec

from audiencelab.engine import CrosstabSpec, CrosstabStripe
from audiencelab.service import streams
from audiencelab.service.expressions import (
    AudienceField,
    AudiencesField,
    LocationCodes,
    SubmittedAudience,
    WaveCodes,
)
from audiencelab.service.fields import Reading, Record, optional
from audiencelab.service.operations.base import Call, Operation
from audiencelab.service.operations.stats import distinct
from audiencelab.wire import (
    AudienceRef,
    AxisFigures,
    BaseFigures,
    CellAudiences,
    CrosstabCell,
    IntersectFigures,
)
from audiencelab.wire.http import NDJSON, Response

__all__ = ["QUERY_CROSSTAB"]

BASE_INDEX = 0
"""Place of "All base respondents" on each axis; requested audiences count from the one after."""

_LONGEST_ECHO = 16 * 1024
"""Bytes of an audience that is told again in each of its cells. A longer one is told by its id:
a megabyte of conditions would come back a thousand times."""

_MOST_ECHOED = 16 * 1024 * 1024
_SHORT_ECHO = 512
"""Where the echoes of all cells together are longer than this many bytes, only short ones are sent:
they add at most as much again as the cells take themselves."""

_CELL_BYTES = 560
"""About what one cell takes without its echoed audiences."""


def _check_cells(values: dict[str, Any], pointer: str, reading: Reading) -> None:
    rows, columns = (max(1, len(values.get(axis) or ())) for axis in ("rows", "columns"))
    if rows * columns > reading.limits.cells:
        reading.fault(
            pointer,
            f"{rows:,} rows × {columns:,} columns are {rows * columns:,} cells; "
            f"the limit (cells) is {reading.limits.cells:,}.",
        )


_BODY = Record(
    {
        "columns": optional(AudiencesField("columns"), "Absent or empty: the base."),
        "rows": optional(AudiencesField("rows"), "Absent or empty: the base."),
        "locations": optional(LocationCodes(), "Absent or empty: all."),
        "waves": optional(WaveCodes(), "Absent or empty: the last 4 accessible waves."),
        "base_audience": optional(AudienceField()),
    },
    check=_check_cells,
)


@dataclass(frozen=True, slots=True)
class _Axis:
    """One side of the table: ids, and echoes encoded once for all cells.

    first: the index of the first audience. echoes: None where nothing is echoed.
    """

    ids: list[str]
    echoes: list[AudienceRef | None]
    first: int

    @classmethod
    def of(cls, requested: list[SubmittedAudience], base: SubmittedAudience | None) -> _Axis:
        side = requested or [base or SubmittedAudience()]
        return cls(
            ids=[audience.id for audience in side],
            echoes=[_echo(audience) for audience in side],
            first=BASE_INDEX + 1 if requested else BASE_INDEX,
        )

    def with_short_echoes(self) -> _Axis:
        """The same with the long echoes left out."""
        echoes = [
            echo if echo is not None and len(cast(bytes, echo)) <= _SHORT_ECHO else None
            for echo in self.echoes
        ]
        return replace(self, echoes=echoes)

    @property
    def echoed_bytes(self) -> float:
        """The mean length of an echo."""
        lengths = [len(cast(bytes, echo)) for echo in self.echoes if echo is not None]
        return sum(lengths) / len(self.echoes)


def query_crosstab(call: Call) -> Response:
    """One object a line, the first rows first; cells of requested audiences only."""
    body: dict[str, Any] = call.body
    base: SubmittedAudience | None = body.get("base_audience")
    rows: list[SubmittedAudience] = body.get("rows") or []
    columns: list[SubmittedAudience] = body.get("columns") or []
    spec = CrosstabSpec(
        # The base is a side by saying nothing: everyone, within the base.
        rows=tuple(audience.expression for audience in rows) or (None,),
        columns=tuple(audience.expression for audience in columns) or (None,),
        base=base.expression if base is not None else None,
        locations=distinct(body.get("locations")),
        waves=distinct(body.get("waves")) or None,
    )
    stripes = call.rooms.engine.crosstab(spec)
    chunks = _encoded(stripes, *_axes(rows, columns, base))
    headers = {"content-type": NDJSON, "cache-control": "no-store"}
    return Response(200, headers, streams.started(streams.told(chunks)))


def _axes(
    rows: list[SubmittedAudience], columns: list[SubmittedAudience], base: SubmittedAudience | None
) -> tuple[_Axis, _Axis]:
    row, column = _Axis.of(rows, base), _Axis.of(columns, base)
    cells = len(row.ids) * len(column.ids)
    if cells * (row.echoed_bytes + column.echoed_bytes) > _MOST_ECHOED:
        return row.with_short_echoes(), column.with_short_echoes()
    return row, column


def _encoded(stripes: Iterator[CrosstabStripe], rows: _Axis, columns: _Axis) -> Iterator[bytes]:
    """Each stripe as lines, in chunks that start early and are neither tiny nor huge."""
    encode_lines = msgspec.json.Encoder().encode_lines
    length = _CELL_BYTES + rows.echoed_bytes + columns.echoed_bytes
    at_a_time = streams.lines_in_chunk(length)
    for stripe in stripes:
        for batch in streams.batches(_cells(stripe, rows, columns), at_a_time):
            yield from streams.sliced(encode_lines(batch))


def _cells(stripe: CrosstabStripe, rows: _Axis, columns: _Axis) -> Iterator[CrosstabCell]:
    """The cells of a stripe; figures go through lists, since numpy scalars are slow one by one."""
    figures = [
        array.tolist()
        for array in (
            stripe.row.size,
            stripe.row.sample,
            stripe.row_percentage,
            stripe.row_intersect_percentage,
            stripe.column.size,
            stripe.column.sample,
            stripe.column_percentage,
            stripe.column_intersect_percentage,
            stripe.base.size,
            stripe.base.sample,
            stripe.intersect.size,
            stripe.intersect.sample,
            stripe.intersect_percentage,
            stripe.index,
        )
    ]
    for place in range(stripe.stop - stripe.start):
        row = stripe.start + place
        row_id, row_echo, row_index = rows.ids[row], rows.echoes[row], rows.first + row
        by_column = zip(*(figure[place] for figure in figures), strict=True)
        for column, cell in enumerate(by_column):
            yield CrosstabCell(
                CellAudiences(
                    AxisFigures(row_id, *cell[0:4]),
                    AxisFigures(columns.ids[column], *cell[4:8]),
                ),
                BaseFigures(*cell[8:10]),
                IntersectFigures(*cell[10:14]),
                row_echo,
                row_index,
                columns.echoes[column],
                columns.first + column,
            )


def _echo(audience: SubmittedAudience) -> AudienceRef | None:
    """The audience as it was sent, encoded; the encoder copies it into each cell as it is.

    None for the base, and for an audience that is too long to be told again and again.
    """
    if audience.written is None:
        return None
    written = msgspec.json.encode(audience.written)
    return cast(AudienceRef, msgspec.Raw(written)) if len(written) <= _LONGEST_ECHO else None


QUERY_CROSSTAB = Operation(
    name="query_crosstab",
    method="POST",
    path="/v2/query/crosstab",
    answer=query_crosstab,
    summary="Row audiences against column audiences, as a stream of objects",
    body=_BODY,
    answers=CrosstabCell,
    media=NDJSON,
    errors=(403,),
)
