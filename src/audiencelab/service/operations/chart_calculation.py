"""A chart's calculation: one group of metrics for each attribute, each valid or failed by itself.

The metrics are those of the statistics query for the same datapoint.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from audiencelab.engine import CodeFault, StatsSpec
from audiencelab.errors import Fault
from audiencelab.expressions import Expression, InvalidExpression, join_code, parse_expression
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import (
    CalcAttribute,
    CalcData,
    Chart,
    ChartAttribute,
    ChartAudience,
    ChartCalculation,
    Compatibilities,
    StatsGroup,
    StatsMeta,
)
from audiencelab.schema.http import JSON, Response
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.operations.chart_taxonomy import Taxonomy
from audiencelab.service.operations.charts import chart_of
from audiencelab.service.operations.stats import (
    TYPE_PLAIN,
    TYPE_SEGMENTED,
    distinct,
    wire_metrics,
)
from audiencelab.service.responses import InvalidRequestError, NotFoundError, StreamedBody
from audiencelab.survey import Catalogue, SurveyQuestion


def question_code(attribute: ChartAttribute) -> str:
    """The question's code as queries write it; it may carry its namespace already."""
    code, namespace = attribute.question_code, attribute.namespace_code
    if not namespace or code == WAVES or code.startswith(f"{namespace}."):
        return code
    return join_code(namespace, code)


def described(
    taxonomy: Taxonomy, attribute: ChartAttribute, compatibilities: Compatibilities
) -> CalcAttribute:
    """The attribute as it was asked for, with its names as far as the catalogue has them."""
    labels = taxonomy.catalogue.labels
    code = question_code(attribute)
    question = question_of(taxonomy.catalogue, code)
    datapoint = labels.datapoint_name(code, attribute.datapoint_code) or ""
    suffix = labels.suffix_name(code, attribute.suffix_code) or ""
    name = question.name if question else ""
    text = f"{name}: {datapoint}" if name and datapoint else name or datapoint
    calculated = CalcAttribute(
        compatibilities_metadata=compatibilities,
        datapoint_code=attribute.datapoint_code,
        datapoint_label=datapoint,
        generated_text=f"{text} ({suffix})" if suffix else text,
        namespace_code=question.namespace_code if question else attribute.namespace_code,
        order=question.order if question else None,
        question_code=question.code if question else attribute.question_code,
        question_description=question.description if question else "",
        question_label=name,
        suffix_code=attribute.suffix_code,
        suffix_label=suffix,
    )
    paths = taxonomy.paths(question, calculated) if question else []
    return msgspec.structs.replace(calculated, taxonomy_paths=paths)


def question_of(catalogue: Catalogue, code: str) -> SurveyQuestion | None:
    """The catalogue's question, or None."""
    try:
        return catalogue.question(code)
    except KeyError:
        return None


_CODES = {"not_found": 404, "forbidden": 403, "incompatible_waves": 409, "invalid": 400}
"""What a group that has no figures says: `error_type` and its `code`."""


_WAVES_LISTED = 6


@dataclass(frozen=True, slots=True)
class _Failure(Exception):
    """A group that has no figures, and why."""

    error_type: str
    error: str


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all groups of a chart share, and what is wrong with it.

    audiences: ids and expressions. faults: of what stands outside the attributes.
    """

    chart: Chart
    taxonomy: Taxonomy
    audiences: tuple[tuple[str, Expression | None], ...]
    base: Expression | None
    faults: tuple[CodeFault, ...]

    @classmethod
    def of(cls, context: ServiceContext, chart: Chart) -> _Frame:
        faults: list[CodeFault] = []
        audiences = tuple(
            (
                audience.id or "",
                _expression(context, f"/audiences/{place}/expression", audience, faults),
            )
            for place, audience in enumerate(chart.audiences or ())
        )
        base = _expression(context, "/base_audience/expression", chart.base_audience, faults)
        taxonomy = Taxonomy(context.survey.catalogue)
        return cls(chart, taxonomy, audiences, base, (*faults, *_code_faults(context, chart)))

    def spec(self, question: str, attribute: ChartAttribute) -> StatsSpec:
        chart = self.chart
        return StatsSpec(
            question=question,
            datapoints=(attribute.datapoint_code,),
            suffixes=(attribute.suffix_code,) if attribute.suffix_code else (),
            splitter=chart.splitter or None,
            segments=distinct(chart.segments),
            segmented_base=bool(chart.segmented_base),
            audiences=tuple(expression for _, expression in self.audiences) or None,
            base=self.base,
            locations=distinct(chart.location_codes),
            waves=distinct(chart.wave_codes) or None,
        )


def calculate_chart(request: RequestContext) -> Response:
    """Every attribute's group in order; one that fails says why, and the others still answer."""
    chart = chart_of(request.context, request.path["id"])
    if chart is None:
        raise NotFoundError("No chart has this id.")
    frame = _Frame.of(request.context, chart)
    _check_cells(request.context, frame)
    return Response(200, {"content-type": JSON}, StreamedBody(_encoded(request.context, frame)))


def _encoded(context: ServiceContext, frame: _Frame) -> Generator[bytes]:
    """`{"stats": […], "meta": …}` a group at a time, so that only one stands in memory."""
    encode = msgspec.json.Encoder().encode
    opening = b'{"stats":['
    for place, attribute in enumerate(frame.chart.attributes or ()):
        yield opening + encode(_group(context, frame, place, attribute))
        opening = b","
    closing = b'],"meta":' + encode(_names(frame.chart)) + b"}"
    yield closing if opening == b"," else opening + closing


def _names(chart: Chart) -> dict[str, Any]:
    """What the rows tell by ids alone: nothing else reads a chart, so its names come with them."""
    audiences = [{"id": each.id or "", "name": each.name} for each in chart.audiences or ()]
    return {"chart_id": chart.id, "name": chart.name or "", "audiences": audiences}


def _group(
    context: ServiceContext, frame: _Frame, place: int, attribute: ChartAttribute
) -> StatsGroup:
    question = question_code(attribute)
    try:
        data = _figures(context, frame, question, attribute)
        if data and not any(each.waves for each in data):
            raise _Failure("incompatible_waves", _no_wave(context, question))
    except _Failure as failure:
        attributes = [
            described(frame.taxonomy, attribute, Compatibilities(has_incompatibilities=True))
        ]
        return StatsGroup(
            group_id=place,
            code=_CODES[failure.error_type],
            attributes=attributes,
            error=failure.error,
            error_type=failure.error_type,
        )
    compatible = [bool(each.waves) for each in data]
    compatibilities = Compatibilities(any(compatible), not all(compatible))
    splitter = frame.chart.splitter or ""
    return StatsGroup(
        group_id=place,
        code=200,
        attributes=[described(frame.taxonomy, attribute, compatibilities)],
        data=data,
        meta=StatsMeta(TYPE_SEGMENTED if splitter else TYPE_PLAIN, question, splitter),
    )


def _figures(
    context: ServiceContext, frame: _Frame, question: str, attribute: ChartAttribute
) -> list[CalcData]:
    """The rows of a group: segments, then audiences, as in the statistics query."""
    if not attribute.question_code or not attribute.datapoint_code:
        raise _Failure("invalid", "An attribute names a question and one of its datapoints.")
    _refuse([*_attribute_faults(context, question, attribute), *frame.faults])
    ids = [identity for identity, _ in frame.audiences]
    return [
        CalcData(
            metrics=wire_metrics(row),
            audience=None if row.audience is None else ids[row.audience],
            segment=row.segment,
            waves=list(row.waves),
        )
        for row in context.engine.stats(frame.spec(question, attribute))
    ]


def _no_wave(context: ServiceContext, code: str) -> str:
    """Why there is no wave, and between which the question was asked."""
    question = question_of(context.survey.catalogue, code)
    usable = {wave.code for wave in context.survey.waves if wave.accessible}
    asked = [code for code in (question.waves if question else ()) if code in usable]
    said = "No wave asked the attribute's question together with what the chart's base, "
    said += "audiences and waves need."
    if not asked:
        return f"{said} The question was asked in none."
    return f"{said} The question was asked in {_listed(asked)}."


def _listed(waves: Sequence[str]) -> str:
    """All of them by code, or how many and the two ends."""
    if len(waves) <= _WAVES_LISTED:
        return ", ".join(waves)
    return f"{len(waves):,} waves between {waves[0]} and {waves[-1]}"


def _refuse(faults: Sequence[CodeFault]) -> None:
    """Fail for the gravest kind of fault, with the words of every fault of the kind."""
    kinds = {
        "not_found": [fault for fault in faults if fault.unknown],
        "invalid": [fault for fault in faults if not fault.unknown and not fault.forbidden],
        "forbidden": [fault for fault in faults if fault.forbidden],
    }
    for kind, found in kinds.items():
        if found:
            errors = dict.fromkeys(f"{fault.pointer}: {fault.detail}" for fault in found)
            raise _Failure(kind, " ".join(errors))


def _attribute_faults(
    context: ServiceContext, question: str, attribute: ChartAttribute
) -> Iterator[CodeFault]:
    codes = context.engine.codes
    yield from codes.in_question("/question_code", question)
    for fault in codes.in_datapoints("/datapoint_code", question, [attribute.datapoint_code]):
        yield fault.at("/datapoint_code")
    if attribute.suffix_code:
        for fault in codes.in_suffixes("/suffix_code", question, [attribute.suffix_code]):
            yield fault.at("/suffix_code")


def _expression(
    context: ServiceContext, pointer: str, audience: ChartAudience | None, faults: list[CodeFault]
) -> Expression | None:
    """An audience's expression; what is wrong with it is added to `faults`."""
    if audience is None or audience.expression is None:
        return None
    limits = context.limits
    try:
        expression = parse_expression(
            audience.expression, max_depth=limits.depth, max_nodes=limits.nodes
        )
    except InvalidExpression as error:
        # The limits may have been wider when the chart was kept.
        faults.extend(CodeFault(pointer + each.pointer, each.detail) for each in error.faults)
        return None
    faults.extend(fault.under(pointer) for fault in context.engine.codes.in_expression(expression))
    return expression


def _code_faults(context: ServiceContext, chart: Chart) -> Iterator[CodeFault]:
    codes = context.engine.codes
    if chart.splitter:
        yield from codes.in_question("/splitter", chart.splitter)
        yield from codes.in_datapoints("/segments", chart.splitter, chart.segments or ())
    elif chart.segments:
        yield CodeFault("/segments", "Segments need a splitter that they are codes of.")
    yield from codes.in_waves("/wave_codes", chart.wave_codes or ())
    yield from codes.in_locations("/location_codes", chart.location_codes or ())


def _check_cells(context: ServiceContext, frame: _Frame) -> None:
    """The limit of one query, over all groups together."""
    attributes = len(frame.chart.attributes or ())
    if frame.faults or not attributes:
        return
    location = context.survey.catalogue.location_question
    spec = frame.spec(location, ChartAttribute(datapoint_code="any"))
    _, segments, audiences = context.engine.stats_shape(spec)
    cells, limit = attributes * segments * audiences, context.limits.cells
    if cells > limit:
        detail = (
            f"{attributes:,} attributes × {segments:,} segments × {audiences:,} audiences are "
            f"{cells:,} rows; the limit (cells) is {limit:,}."
        )
        raise InvalidRequestError("The chart asks for too many rows.", [Fault("", detail)])


CALCULATE_CHART = Operation(
    name="calculate_chart",
    method="POST",
    path="/v1/charts/{id}/calculate",
    answer=calculate_chart,
    summary="Calculate a chart's metrics",
    answers=ChartCalculation,
    errors=(404, 507),
)
