"""The statistics query: one question's datapoints × segments × audiences."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from itertools import islice
from math import isnan
from typing import Any

import msgspec

from audiencelab.engine import StatsRow, StatsSpec
from audiencelab.errors import Fault
from audiencelab.expressions.codes import is_whole_number
from audiencelab.schema import METRICS, Metrics, StatsMeta, StatsResult
from audiencelab.schema import StatsRow as WireRow
from audiencelab.schema.http import JSON, Response
from audiencelab.schema.queries import NumberRow, QuestionNumbers
from audiencelab.service.context import Operation, RequestContext
from audiencelab.service.responses import InvalidRequestError, StreamedBody
from audiencelab.service.survey_fields import (
    LOCATION_CODES,
    WAVE_CODES,
    AudienceField,
    AudiencesField,
    QuestionCode,
    SubmittedAudience,
    codes_of,
)
from audiencelab.service.validation import (
    Flag,
    ListOf,
    Record,
    SuffixCode,
    Text,
    ValidationContext,
    optional,
    required,
)

TYPE_SEGMENTED = "DATAPOINTS-SEGMENTS"
TYPE_PLAIN = "DATAPOINTS"
"""`meta.type` with a splitter and without."""

_ROWS_AT_A_TIME = 64
"""Rows encoded into one chunk: some 30 KB."""


def _check_codes(values: dict[str, Any], pointer: str, context: ValidationContext) -> None:
    """Codes that only mean something together with the question or the splitter."""
    codes, question, splitter = codes_of(context), values.get("question"), values.get("splitter")
    if question is not None:
        datapoints, suffixes = values.get("datapoints") or (), values.get("suffixes") or ()
        context.faults.extend(codes.in_datapoints(f"{pointer}/datapoints", question, datapoints))
        context.faults.extend(codes.in_suffixes(f"{pointer}/suffixes", question, suffixes))
    segments = values.get("segments") or ()
    if splitter is not None:
        context.faults.extend(codes.in_datapoints(f"{pointer}/segments", splitter, segments))
    elif segments and "splitter" not in values:
        context.fault(f"{pointer}/segments", "Segments need a splitter that they are codes of.")


_BODY = Record(
    {
        "question": required(QuestionCode(), "Defines the datapoints."),
        "datapoints": optional(ListOf(Text(shortest=1)), "Absent or empty: all accessible."),
        "suffixes": optional(ListOf(SuffixCode()), "Merged into every datapoint: any of them."),
        "splitter": optional(QuestionCode(), "`waves` or a question code."),
        "segments": optional(
            ListOf(Text(shortest=1)), "Codes of the splitter; absent or empty: all."
        ),
        "segmented_base": optional(Flag(), "Each segment is the base of its own rows."),
        "audiences": optional(AudiencesField("columns")),
        "locations": optional(LOCATION_CODES, "Absent or empty: all."),
        "waves": optional(WAVE_CODES, "Absent or empty: all accessible waves."),
        "base_audience": optional(AudienceField()),
    },
    check=_check_codes,
)


def query_stats(request: RequestContext) -> Response:
    """Rows ordered by datapoint, then segment, then audience, each as requested."""
    audiences: list[SubmittedAudience] = request.body.get("audiences") or []
    spec = _spec(request.body, audiences)
    _check_cells(request, spec)
    rows = request.context.engine.stats(spec)
    chunks = _encoded(
        _meta(request.body), _wire_rows(rows, spec, audiences), _numbers(request, spec)
    )
    return Response(200, {"content-type": JSON}, StreamedBody(chunks))


def _spec(body: dict[str, Any], audiences: list[SubmittedAudience]) -> StatsSpec:
    base: SubmittedAudience | None = body.get("base_audience")
    return StatsSpec(
        question=body["question"],
        datapoints=distinct(body.get("datapoints")),
        suffixes=distinct(body.get("suffixes")),
        splitter=body.get("splitter"),
        segments=distinct(body.get("segments")),
        segmented_base=body.get("segmented_base", False),
        audiences=tuple(audience.expression for audience in audiences) or None,
        base=base.expression if base is not None else None,
        locations=distinct(body.get("locations")),
        waves=distinct(body.get("waves")) or None,
    )


def _check_cells(request: RequestContext, spec: StatsSpec) -> None:
    datapoints, segments, audiences = request.context.engine.stats_shape(spec)
    cells, limit = datapoints * segments * audiences, request.context.limits.cells
    if cells > limit:
        raise InvalidRequestError(
            "The query asks for too many rows.",
            [
                Fault(
                    "",
                    f"{datapoints:,} datapoints × {segments:,} segments × {audiences:,} audiences "
                    f"are {cells:,} rows; the limit (cells) is {limit:,}.",
                )
            ],
        )


def _meta(body: dict[str, Any]) -> StatsMeta:
    splitter = body.get("splitter")
    kind = TYPE_PLAIN if splitter is None else TYPE_SEGMENTED
    return StatsMeta(kind, body["question"], splitter or "")


def _wire_rows(
    rows: Iterable[StatsRow], spec: StatsSpec, audiences: list[SubmittedAudience]
) -> Iterator[WireRow]:
    suffixes = [suffix_number(code) for code in spec.suffixes]
    for row in rows:
        yield WireRow(
            datapoint=row.datapoint,
            metrics=wire_metrics(row),
            waves=list(row.waves),
            segment=row.segment,
            audience=None if row.audience is None else audiences[row.audience].id,
            suffixes=suffixes,
        )


def _numbers(request: RequestContext, spec: StatsSpec) -> bytes:
    """The numbers behind the question's bands as a further member, for this process alone."""
    numbers = request.context.engine.numbers(spec) if request.http.in_process else None
    if numbers is None:
        return b""
    audiences: list[SubmittedAudience] = request.body.get("audiences") or []
    rows = tuple(
        NumberRow(
            answered_size=each.size,
            answered_sample=each.sample,
            mean=_known(each.mean),
            median=_known(each.median),
            standard_deviation=_known(each.standard_deviation),
            segment=segment,
            audience=None if place is None else audiences[place].id,
        )
        for segment, place, each in numbers.columns
    )
    found = QuestionNumbers(numbers.datapoints, numbers.without, rows)
    return b',"audiencelab_numbers":' + msgspec.json.encode(found)


def _known(number: float) -> float | None:
    return None if isnan(number) else number


def _encoded(meta: StatsMeta, rows: Iterator[WireRow], numbers: bytes) -> Generator[bytes]:
    """`{"meta": …, "data": […]}` in pieces, so that a million rows never stand in memory.

    numbers: a further member, encoded.
    """
    encode = msgspec.json.Encoder().encode
    opening = b'{"meta":' + encode(meta) + b',"data":['
    while batch := list(islice(rows, _ROWS_AT_A_TIME)):
        yield opening + b",".join(encode(row) for row in batch)
        opening = b","
    yield (opening if opening != b"," else b"") + b"]" + numbers + b"}"


def wire_metrics(row: StatsRow) -> Metrics:
    """The nine metrics of a row."""
    return Metrics(**{name: getattr(row, name) for name in METRICS})


def distinct(codes: list[str] | None) -> tuple[str, ...]:
    """The codes in order, each once."""
    return tuple(dict.fromkeys(codes or ()))


def suffix_number(code: str) -> int | str:
    """A suffix as results carry it: an integer, unless its code is none."""
    return int(code) if is_whole_number(code) else code


QUERY_STATS = Operation(
    name="query_stats",
    method="POST",
    path="/v2/query/stats",
    answer=query_stats,
    summary="Statistics of one question",
    body=_BODY,
    answers=StatsResult,
    errors=(403,),
)
