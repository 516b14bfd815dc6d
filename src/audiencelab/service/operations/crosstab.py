"""The crosstab query: row audiences against column audiences, streamed cell by cell."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.engine import CrosstabSpec, CrosstabStripe
from audiencelab.schema import (
    AudienceRef,
    AxisFigures,
    BaseFigures,
    CellAudiences,
    CrosstabCell,
    IntersectFigures,
)
from audiencelab.schema.blocks import (
    BLOCK_CELLS,
    CELLS,
    CellsAxis,
    encode_block,
    encode_end,
    encode_failure,
    encode_header,
)
from audiencelab.schema.http import NDJSON, Response
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.operations.stats import distinct
from audiencelab.service.responses import CHUNK_BYTES, StreamedBody
from audiencelab.service.survey_fields import (
    LOCATION_CODES,
    WAVE_CODES,
    AudienceField,
    AudiencesField,
    SubmittedAudience,
)
from audiencelab.service.validation import Record, ValidationContext, optional

BASE_INDEX = 0
"""Index of "All base respondents" on each axis; requested audiences count from the one after."""

_NULL = b"null"

_LONGEST_ECHO = 16 * 1024
"""Bytes of an audience that is repeated in each of its cells. A longer one is sent by its id
alone: a megabyte of conditions would come back a thousand times."""

_MOST_ECHOED = 16 * 1024 * 1024
_SHORT_ECHO = 512
"""Where the echoes of all cells together exceed `_MOST_ECHOED` bytes, only echoes of at most
`_SHORT_ECHO` are sent: they at most double the size of the cells."""

_CELL_BYTES = 560
"""About what one cell takes without its echoed audiences."""


def _check_cells(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    rows, columns = (max(1, len(values.get(axis) or ())) for axis in ("rows", "columns"))
    if rows * columns > context.limits.cells:
        context.fault(
            pointer,
            f"{rows:,} rows × {columns:,} columns are {rows * columns:,} cells; "
            f"the limit (cells) is {context.limits.cells:,}.",
        )


_BODY = Record(
    {
        "columns": optional(AudiencesField("columns"), "Absent or empty: the base."),
        "rows": optional(AudiencesField("rows"), "Absent or empty: the base."),
        "locations": optional(LOCATION_CODES, "Absent or empty: all."),
        "waves": optional(WAVE_CODES, "Absent or empty: the last 4 accessible waves."),
        "base_audience": optional(AudienceField()),
    },
    check=_check_cells,
)


@dataclass(frozen=True, slots=True)
class _Axis:
    """One axis of the table.

    audiences: as they were sent; None for the base where no base audience was sent.
    first: the index of the first audience.
    """

    ids: list[str]
    audiences: list[dict[str, Any] | None]
    first: int

    @classmethod
    def of(cls, requested: list[SubmittedAudience], base: SubmittedAudience | None) -> _Axis:
        audiences = requested or [base or SubmittedAudience()]
        return cls(
            ids=[audience.id for audience in audiences],
            audiences=[audience.written for audience in audiences],
            first=BASE_INDEX + 1 if requested else BASE_INDEX,
        )

    def described(self) -> CellsAxis:
        """The axis as the header of columnar blocks has it."""
        return CellsAxis(self.ids, self.first, self.audiences)

    def echoes(self, longest: int) -> list[bytes]:
        """The audiences encoded once for all cells; null for one of more bytes than `longest`."""
        encoded = [msgspec.json.encode(audience) for audience in self.audiences]
        return [each if len(each) <= longest else _NULL for each in encoded]


def query_crosstab(request: RequestContext) -> Response:
    """Cells of requested audiences only, the first rows first.

    One JSON object a line; columnar blocks for a caller that accepts them.
    """
    body: dict[str, Any] = request.body
    base: SubmittedAudience | None = body.get("base_audience")
    rows: list[SubmittedAudience] = body.get("rows") or []
    columns: list[SubmittedAudience] = body.get("columns") or []
    spec = CrosstabSpec(
        # An axis that was not given is the base: everyone, within the base.
        rows=tuple(audience.expression for audience in rows) or (None,),
        columns=tuple(audience.expression for audience in columns) or (None,),
        base=base.expression if base is not None else None,
        locations=distinct(body.get("locations")),
        waves=distinct(body.get("waves")) or None,
    )
    stripes = request.context.engine.crosstab(spec)
    axes = _Axis.of(rows, base), _Axis.of(columns, base)
    if _accepts_blocks(request.http.headers.get("accept")):
        media, chunks = CELLS, StreamedBody(_blocks(stripes, *axes), encode_failure)
    else:
        media, chunks = NDJSON, StreamedBody(_lines(stripes, *axes), _last_line)
    return Response(200, {"content-type": media, "cache-control": "no-store"}, chunks)


def _accepts_blocks(accept: str | None) -> bool:
    ranges = (accept or "").lower().split(",")
    return any(each.partition(";")[0].strip() == CELLS for each in ranges)


def _blocks(stripes: Iterator[CrosstabStripe], rows: _Axis, columns: _Axis) -> Generator[bytes]:
    """Each stripe as columnar blocks of at most about `BLOCK_CELLS` cells."""
    opening = encode_header(rows.described(), columns.described())
    positions = np.arange(len(rows.ids)), np.arange(len(columns.ids))
    step = max(1, BLOCK_CELLS // len(columns.ids))
    for stripe in stripes:
        metrics = _metrics(stripe)
        for start in range(0, stripe.stop - stripe.start, step):
            part = slice(start, start + step)
            taken = positions[0][stripe.start : stripe.stop][part]
            yield opening + encode_block(taken, positions[1], [each[part] for each in metrics])
            opening = b""
    yield opening + encode_end()


def _lines(stripes: Iterator[CrosstabStripe], rows: _Axis, columns: _Axis) -> Generator[bytes]:
    """Each stripe as lines of JSON, in chunks that start early and are neither tiny nor huge."""
    encode_lines = msgspec.json.Encoder().encode_lines
    echoes = [axis.echoes(_LONGEST_ECHO) for axis in (rows, columns)]
    length = sum(map(_mean_length, echoes))
    if length * len(rows.ids) * len(columns.ids) > _MOST_ECHOED:
        echoes = [axis.echoes(_SHORT_ECHO) for axis in (rows, columns)]
        length = sum(map(_mean_length, echoes))
    at_once = max(1, int(CHUNK_BYTES / (_CELL_BYTES + length)))
    row_echoes, column_echoes = map(_as_raw, echoes)
    for stripe in stripes:
        cells = _cells(stripe, rows, columns, row_echoes, column_echoes)
        while batch := list(islice(cells, at_once)):
            yield encode_lines(batch)


def _last_line(problem: bytes) -> bytes:
    """A reader that counts its objects notices what is missing; the last line has the reason."""
    return problem + b"\n"


def _mean_length(echoes: list[bytes]) -> float:
    return sum(len(each) for each in echoes if each != _NULL) / len(echoes)


def _as_raw(echoes: list[bytes]) -> list[AudienceRef | None]:
    """The echoes as the encoder copies them into each cell."""
    raw = [None if each == _NULL else msgspec.Raw(each) for each in echoes]
    return cast(list[AudienceRef | None], raw)


def _metrics(stripe: CrosstabStripe) -> tuple[NDArray[Any], ...]:
    """The metrics of a stripe in the order of `CELL_METRICS`, each [rows, columns]."""
    return (
        stripe.intersect.size,
        stripe.intersect.sample,
        stripe.intersect_percentage,
        stripe.index,
        stripe.row_intersect_percentage,
        stripe.column_intersect_percentage,
        stripe.row.size,
        stripe.row.sample,
        stripe.row_percentage,
        stripe.column.size,
        stripe.column.sample,
        stripe.column_percentage,
        stripe.base.size,
        stripe.base.sample,
    )


def _cells(
    stripe: CrosstabStripe,
    rows: _Axis,
    columns: _Axis,
    row_echoes: list[AudienceRef | None],
    column_echoes: list[AudienceRef | None],
) -> Iterator[CrosstabCell]:
    """The cells of a stripe."""
    metrics = _metrics(stripe)
    for at, row in enumerate(range(stripe.start, stripe.stop)):
        # Lists of one row: numpy scalars are slow one by one, whole stripes keep others waiting.
        by_column = zip(*(metric[at].tolist() for metric in metrics), strict=True)
        for column, cell in enumerate(by_column):
            yield CrosstabCell(  # in the order of `_metrics`
                CellAudiences(
                    AxisFigures(rows.ids[row], cell[6], cell[7], cell[8], cell[4]),
                    AxisFigures(columns.ids[column], cell[9], cell[10], cell[11], cell[5]),
                ),
                BaseFigures(cell[12], cell[13]),
                IntersectFigures(*cell[0:4]),
                row_echoes[row],
                rows.first + row,
                column_echoes[column],
                columns.first + column,
            )


QUERY_CROSSTAB = Operation(
    name="query_crosstab",
    method="POST",
    path="/v2/query/crosstab",
    answer=query_crosstab,
    summary="Row audiences against column audiences, as a stream of objects",
    body=_BODY,
    answers=CrosstabCell,
    media=NDJSON,
    blocks=True,
    errors=(403,),
)
