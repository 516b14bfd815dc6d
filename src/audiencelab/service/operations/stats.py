"""The statistics query: one question's datapoints × segments × audiences."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from math import isnan
from typing import Any

import msgspec

from audiencelab.engine import StatsCell, StatsSpec
from audiencelab.errors import Fault
from audiencelab.expressions.codes import is_whole_number
from audiencelab.schema import StatsMeta, StatsResult, endpoints
from audiencelab.schema import StatsRow as WireRow
from audiencelab.schema.http import JSON, Response
from audiencelab.schema.local import NumberRow, QuestionNumbers
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.fields import (
    CODES,
    FLAG,
    QUESTION_CODE,
    SUFFIX_CODE,
    ListOf,
    Record,
    SubmittedAudience,
    ValidationContext,
    audiences,
    distinct,
    optional,
    required,
    scope_fields,
)
from audiencelab.service.minimum_base import metrics_of
from audiencelab.service.responses import InvalidRequestError, StreamedBody

_ROWS_AT_A_TIME = 64
"""Rows encoded into one chunk: some 30 KB."""


def check_codes(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    """Codes that only mean something together with the question or the splitter."""
    codes, question, splitter = context.codes, values.get("question"), values.get("splitter")
    if question is not None:
        datapoints, suffixes = values.get("datapoints") or (), values.get("suffixes") or ()
        context.faults.extend(codes.in_datapoints(f"{pointer}/datapoints", question, datapoints))
        context.faults.extend(codes.in_suffixes(f"{pointer}/suffixes", question, suffixes))
    segments = values.get("segments") or ()
    if splitter is not None:
        context.faults.extend(codes.in_datapoints(f"{pointer}/segments", splitter, segments))
    # A splitter that was not valid is there as None, and was reported already.
    elif segments and "splitter" not in values:
        context.fault(f"{pointer}/segments", "Segments need a splitter that they are codes of.")


STATS_BODY = Record(
    {
        "question": required(QUESTION_CODE, "Defines the datapoints."),
        "datapoints": optional(CODES, "Absent or empty: all accessible."),
        "suffixes": optional(ListOf(SUFFIX_CODE), "Merged into every datapoint: any of them."),
        "splitter": optional(QUESTION_CODE, "`waves` or a question code."),
        "segments": optional(CODES, "Codes of the splitter; absent or empty: all."),
        "segmented_base": optional(FLAG, "Each segment is the base of its own rows."),
        "audiences": optional(audiences("columns")),
        **scope_fields(no_waves="all accessible waves"),
    },
    check=check_codes,
)


def stats_spec(request: RequestContext) -> StatsSpec:
    """The query of a body with the fields of a statistics query, not larger than the limit."""
    body, engine = request.body, request.context.engine
    requested: list[SubmittedAudience] = body.get("audiences") or []
    spec = StatsSpec(
        question=body["question"],
        datapoints=distinct(body.get("datapoints")),
        suffixes=distinct(body.get("suffixes")),
        splitter=body.get("splitter"),
        segments=distinct(body.get("segments")),
        segmented_base=body.get("segmented_base", False),
        audiences=tuple(audience.expression for audience in requested) or None,
        scope=request.scope,
    )
    check_cells(request.context, *engine.stats_shape(spec))
    return spec


def query_stats(request: RequestContext) -> Response:
    """Rows ordered by datapoint, then segment, then audience, each as requested."""
    engine, spec = request.context.engine, stats_spec(request)
    ids = [audience.id for audience in request.body.get("audiences") or ()]
    minimum = request.context.minimum_base
    rows = _wire_rows(engine.stats(spec), spec.suffixes, ids, minimum)
    chunks = _encoded(stats_meta(spec.question, spec.splitter), rows)
    return Response(200, {"content-type": JSON}, StreamedBody(chunks))


def stats_meta(question: str, splitter: str | None) -> StatsMeta:
    """What was asked, with the type of the layout: with a splitter or without."""
    return StatsMeta("DATAPOINTS-SEGMENTS" if splitter else "DATAPOINTS", question, splitter or "")


def check_cells(
    context: ServiceContext,
    first: int,
    segments: int,
    audiences: int,
    *,
    subject: str = "query",
    noun: str = "datapoints",
) -> None:
    """Raise `InvalidRequestError` for more rows than the limit `cells`."""
    cells, limit = first * segments * audiences, context.limits.cells
    if cells > limit:
        detail = (
            f"{first:,} {noun} × {segments:,} segments × {audiences:,} audiences "
            f"are {cells:,} rows; the limit (cells) is {limit:,}."
        )
        raise InvalidRequestError(f"The {subject} asks for too many rows.", [Fault("", detail)])


def _wire_rows(
    rows: Iterable[StatsCell], suffixes: tuple[str, ...], ids: list[str], minimum: int
) -> Iterator[WireRow]:
    # A suffix is an integer, unless its code is not a number.
    numbers = [int(code) if is_whole_number(code) else code for code in suffixes]
    for row in rows:
        metrics, suppressed = metrics_of(row, minimum)
        yield WireRow(
            datapoint=row.datapoint,
            metrics=metrics,
            waves=list(row.waves),
            segment=row.segment,
            audience=None if row.audience is None else ids[row.audience],
            suffixes=numbers,
            suppressed=suppressed or None,
        )


def question_numbers(
    context: ServiceContext, spec: StatsSpec, ids: list[str]
) -> QuestionNumbers | None:
    """The numbers behind the question's bins; None where the survey does not have them all."""
    numbers = context.engine.numbers(spec)
    if numbers is None:
        return None
    rows = [
        NumberRow(
            answered_size=each.size,
            answered_sample=each.sample,
            mean=_known(each.mean),
            median=_known(each.median),
            standard_deviation=_known(each.standard_deviation),
            segment=segment,
            audience=None if index is None else ids[index],
        )
        for segment, index, each in numbers.columns
    ]
    return QuestionNumbers(numbers.datapoints, numbers.without, tuple(rows), numbers.whole)


def _known(number: float) -> float | None:
    return None if isnan(number) else number


def _encoded(meta: StatsMeta, rows: Iterator[WireRow]) -> Generator[bytes]:
    """A `StatsResult` in pieces, so that a million rows are never in memory at once."""
    encode = msgspec.json.Encoder().encode
    separator = b'{"meta":' + encode(meta) + b',"data":['
    while batch := list(islice(rows, _ROWS_AT_A_TIME)):
        yield separator + b",".join(map(encode, batch))
        separator = b","
    yield b"]}" if separator == b"," else separator + b"]}"


QUERY_STATS = Operation(
    endpoint=endpoints.QUERY_STATS,
    answer=query_stats,
    summary="Statistics of one question",
    body=STATS_BODY,
    answers=StatsResult,
    errors=(403,),
)
