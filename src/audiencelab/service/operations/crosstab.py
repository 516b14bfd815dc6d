"""The crosstab query: row audiences against column audiences, streamed cell by cell."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from math import isnan
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.engine import CrosstabSpec, CrosstabStripe
from audiencelab.schema import (
    AxisFigures,
    BaseFigures,
    CellAudiences,
    CrosstabCell,
    IntersectFigures,
    endpoints,
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
from audiencelab.service.fields import (
    Record,
    SubmittedAudience,
    ValidationContext,
    audiences,
    optional,
    scope_fields,
)
from audiencelab.service.minimum_base import withheld
from audiencelab.service.responses import CHUNK_BYTES, StreamedBody

BASE_INDEX = 0
"""Index of "All base respondents" on each axis; requested audiences count from the one after."""

_LONGEST_ECHO = 16 * 1024
"""Bytes of an audience that is repeated in each of its cells. A longer one is sent by its id
alone: a megabyte of conditions would come back a thousand times."""

_SHORT_ECHO = 512
_MOST_ECHOED = 16 * 1024 * 1024
"""Where the echoes of all cells together exceed `_MOST_ECHOED` bytes, only echoes of at most
`_SHORT_ECHO` are sent: they at most double the size of the cells."""

_CELL_BYTES = 560
"""About what one cell takes without its echoed audiences."""


def check_size(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    """Report a crosstab of more cells than the limit."""
    rows, columns = (max(1, len(values.get(axis) or ())) for axis in ("rows", "columns"))
    if rows * columns > context.limits.cells:
        context.fault(
            pointer,
            f"{rows:,} rows × {columns:,} columns are {rows * columns:,} cells; "
            f"the limit (cells) is {context.limits.cells:,}.",
        )


CROSSTAB_BODY = Record(
    {
        "columns": optional(audiences("columns"), "Absent or empty: the base."),
        "rows": optional(audiences("rows"), "Absent or empty: the base."),
        **scope_fields(no_waves="the last 4 accessible waves"),
    },
    check=check_size,
)


def crosstab_spec(request: RequestContext) -> CrosstabSpec:
    """The query of a body with the fields of a crosstab."""
    body: dict[str, Any] = request.body
    rows: list[SubmittedAudience] = body.get("rows") or []
    columns: list[SubmittedAudience] = body.get("columns") or []
    return CrosstabSpec(
        # An axis that was not given is the base: everyone, within the base.
        rows=tuple([audience.expression for audience in rows]) or (None,),
        columns=tuple([audience.expression for audience in columns]) or (None,),
        scope=request.scope,
    )


def query_crosstab(request: RequestContext) -> Response:
    """Cells of requested audiences only, the first rows first.

    One JSON object a line; columnar blocks for a caller that accepts them.
    """
    body: dict[str, Any] = request.body
    base: SubmittedAudience | None = body.get("base_audience")
    rows: list[SubmittedAudience] = body.get("rows") or []
    columns: list[SubmittedAudience] = body.get("columns") or []
    stripes = request.context.engine.crosstab(crosstab_spec(request))
    minimum = request.context.minimum_base
    alone = [base or SubmittedAudience()]
    # By identity: an audience that was requested may equal the base.
    axes = [
        CellsAxis(
            ids=[audience.id for audience in axis],
            first_index=BASE_INDEX + (axis is not alone),
            audiences=[audience.written for audience in axis],
        )
        for axis in (rows or alone, columns or alone)
    ]
    accepted = request.http.headers.get("accept", "").lower().split(",")
    if any(each.partition(";")[0].strip() == CELLS for each in accepted):
        media, chunks = CELLS, StreamedBody(_blocks(stripes, minimum, *axes), encode_failure)
    else:
        # A reader that counts its objects notices what is missing; the last line has the reason.
        media, chunks = (
            NDJSON,
            StreamedBody(_lines(stripes, minimum, *axes), lambda last: last + b"\n"),
        )
    headers = {"content-type": media, "cache-control": "no-store"}
    return Response(200, headers, chunks, {"rows": len(axes[0].ids), "columns": len(axes[1].ids)})


def _blocks(
    stripes: Iterator[CrosstabStripe], minimum: int, rows: CellsAxis, columns: CellsAxis
) -> Generator[bytes]:
    """Each stripe as columnar blocks of at most about `BLOCK_CELLS` cells."""
    opening = encode_header(rows, columns)
    row_positions, column_positions = np.arange(len(rows.ids)), np.arange(len(columns.ids))
    step = max(1, BLOCK_CELLS // len(columns.ids))
    for stripe in stripes:
        metrics = withheld(_metrics(stripe), minimum)
        for start in range(stripe.start, stripe.stop, step):
            stop = min(start + step, stripe.stop)
            part = slice(start - stripe.start, stop - stripe.start)
            block = [each[part] for each in metrics]
            yield opening + encode_block(row_positions[start:stop], column_positions, block)
            opening = b""
    yield opening + encode_end()


def _lines(
    stripes: Iterator[CrosstabStripe], minimum: int, rows: CellsAxis, columns: CellsAxis
) -> Generator[bytes]:
    """Each stripe as lines of JSON, in chunks that start early and are neither tiny nor huge."""
    encode_lines = msgspec.json.Encoder().encode_lines
    row_echoes, column_echoes, length = _encode_echoes(rows, columns)
    cells_at_once = max(1, int(CHUNK_BYTES / (_CELL_BYTES + length)))
    width = len(columns.ids)
    for stripe in stripes:
        metrics = [metric.ravel() for metric in withheld(_metrics(stripe), minimum)]
        for start in range(0, len(metrics[0]), cells_at_once):
            # Lists of one chunk: numpy scalars are slow one by one, whole stripes keep others
            # waiting.
            lists = [metric[start : start + cells_at_once].tolist() for metric in metrics]
            cells: list[CrosstabCell] = []
            for at, cell in enumerate(zip(*lists, strict=True), stripe.start * width + start):
                row, column = divmod(at, width)
                cells.append(
                    CrosstabCell(  # in the order of `_metrics`
                        CellAudiences(
                            AxisFigures(rows.ids[row], cell[6], cell[7], cell[8], cell[4]),
                            AxisFigures(columns.ids[column], cell[9], cell[10], cell[11], cell[5]),
                        ),
                        BaseFigures(cell[12], cell[13]),
                        IntersectFigures(*cell[0:4]),
                        row_echoes[row],
                        rows.first_index + row,
                        column_echoes[column],
                        columns.first_index + column,
                        # NaN is written as null.
                        True if isnan(cell[1]) else None,
                    )
                )
            yield encode_lines(cells)


def _encode_echoes(rows: CellsAxis, columns: CellsAxis) -> tuple[list[Any], list[Any], float]:
    """The audiences of both axes encoded once for all cells, and their mean bytes in a cell.

    None for an audience that is too long to repeat.
    """
    encode = msgspec.json.Encoder().encode
    encoded = [
        [b"" if audience is None else encode(audience) for audience in axis.audiences]
        for axis in (rows, columns)
    ]
    length = 0.0
    for longest in (_LONGEST_ECHO, _SHORT_ECHO):
        encoded = [[each if len(each) <= longest else b"" for each in axis] for axis in encoded]
        length = sum(sum(map(len, axis)) / len(axis) for axis in encoded)
        if length * len(rows.ids) * len(columns.ids) <= _MOST_ECHOED:
            break
    row_echoes, column_echoes = [
        [msgspec.Raw(each) if each else None for each in axis] for axis in encoded
    ]
    return row_echoes, column_echoes, length


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


QUERY_CROSSTAB = Operation(
    endpoint=endpoints.QUERY_CROSSTAB,
    answer=query_crosstab,
    summary="Row audiences against column audiences, as a stream of objects",
    body=CROSSTAB_BODY,
    answers=CrosstabCell,
    media=NDJSON,
    blocks=True,
    errors=(403,),
)
