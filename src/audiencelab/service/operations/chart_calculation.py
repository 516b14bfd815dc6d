"""A chart's calculation: one group of metrics for each attribute, each valid or failed by itself.

The metrics are those of the statistics query for the same datapoint.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import msgspec

from audiencelab.engine import CodeFault, StatsSpec
from audiencelab.expressions import (
    Audience,
    Expression,
    InvalidExpression,
    join_code,
    parse_expression,
)
from audiencelab.expressions.codes import ASKED, WAVES
from audiencelab.schema import (
    CalcAttribute,
    CalcCategory,
    CalcData,
    CalcDataset,
    CalcPathNode,
    CalcQuestion,
    CalcTaxonomyPath,
    ChartAttribute,
    ChartAudience,
    ChartCalculation,
    Compatibilities,
    Dataset,
    SavedChart,
    StatsGroup,
    endpoints,
)
from audiencelab.schema.http import JSON, Response
from audiencelab.schema.scope import Scope
from audiencelab.service.context import Operation, RequestContext, ServiceContext
from audiencelab.service.fields import distinct
from audiencelab.service.minimum_base import metrics_of
from audiencelab.service.operations.catalogue import count_attributes
from audiencelab.service.operations.charts import chart_of
from audiencelab.service.operations.stats import check_cells, stats_meta
from audiencelab.service.responses import NotFoundError, StreamedBody
from audiencelab.survey import SurveyCatalogue, SurveyCategory, SurveyQuestion

_STATUSES = {"not_found": 404, "forbidden": 403, "incompatible_waves": 409, "invalid": 400}
"""The `code` of a failed group, by its `error_type`."""

_WAVES_LISTED = 6

_CATEGORY = ("id", "name", "description", "order")
_DATASET = ("base_namespace_code", "code", "depth", "description", "name", "order")


def calculate_chart(request: RequestContext) -> Response:
    """Every attribute's group in order; one that fails has the reason, and the others succeed."""
    chart = chart_of(request.context, request.path["id"])
    if chart is None:
        raise NotFoundError("No chart has this id.")
    calculation = _Calculation(request.context, chart)
    calculation.check_cells()
    return Response(200, {"content-type": JSON}, StreamedBody(calculation.encoded()))


class _GroupError(Exception):
    """Why a group has no metrics."""

    def __init__(self, error_type: str, error: str) -> None:
        super().__init__(error)
        self.error_type = error_type


class _Calculation:
    """The groups of one chart.

    faults: of what all groups share, which is everything but the attributes.
    """

    def __init__(self, context: ServiceContext, chart: SavedChart) -> None:
        self.context = context
        self.chart = chart
        self.attributes = chart.attributes or []
        self.taxonomy = _Taxonomy(context.survey.catalogue)
        self.faults: list[CodeFault] = []
        self.ids = [audience.id or "" for audience in chart.audiences or ()]
        self.audiences = [
            self._expression(f"/audiences/{i}/expression", audience)
            for i, audience in enumerate(chart.audiences or ())
        ]
        self.base = self._expression("/base_audience/expression", chart.base_audience)
        self.faults.extend(self._code_faults())

    def check_cells(self) -> None:
        """Check the limit of one query, over all groups together."""
        if self.faults or not self.attributes:
            return
        location = self.context.survey.catalogue.location_question
        # For its shape alone: segments and audiences are the same for every attribute.
        spec = self._spec(location, ChartAttribute(datapoint_code=ASKED))
        _, segments, audiences = self.context.engine.stats_shape(spec)
        count = len(self.attributes)
        check_cells(self.context, count, segments, audiences, subject="chart", noun="attributes")

    def encoded(self) -> Generator[bytes]:
        """`{"stats": […], "meta": …}` a group at a time, so that only one is in memory."""
        encode = msgspec.json.Encoder().encode
        separator = b'{"stats":['
        for index, attribute in enumerate(self.attributes):
            yield separator + encode(self._group(index, attribute))
            separator = b","
        closing = b'],"meta":' + encode(self._names()) + b"}"
        yield closing if separator == b"," else separator + closing

    def _names(self) -> dict[str, Any]:
        """The names behind the ids of the rows: no operation reads a chart."""
        audiences = [
            {"id": each.id or "", "name": each.name} for each in self.chart.audiences or ()
        ]
        return {"chart_id": self.chart.id, "name": self.chart.name or "", "audiences": audiences}

    def _group(self, index: int, attribute: ChartAttribute) -> StatsGroup:
        code = _question_code(attribute)
        try:
            data = self._data(code, attribute)
        except _GroupError as error:
            return StatsGroup(
                group_id=index,
                code=_STATUSES[error.error_type],
                attributes=[
                    self._described(code, attribute, Compatibilities(has_incompatibilities=True))
                ],
                error=str(error),
                error_type=error.error_type,
            )
        has_waves = [bool(each.waves) for each in data]
        compatibilities = Compatibilities(any(has_waves), not all(has_waves))
        return StatsGroup(
            group_id=index,
            code=200,
            attributes=[self._described(code, attribute, compatibilities)],
            data=data,
            meta=stats_meta(code, self.chart.splitter),
        )

    def _data(self, question: str, attribute: ChartAttribute) -> list[CalcData]:
        """The rows of a group: segments, then audiences, as in the statistics query."""
        if not attribute.question_code or not attribute.datapoint_code:
            raise _GroupError("invalid", "An attribute names a question and one of its datapoints.")
        _raise_for([*self._attribute_faults(question, attribute), *self.faults])
        minimum = self.context.minimum_base
        data = [
            CalcData(
                metrics=metrics,
                audience=None if row.audience is None else self.ids[row.audience],
                segment=row.segment,
                waves=list(row.waves),
                suppressed=suppressed or None,
            )
            for row in self.context.engine.stats(self._spec(question, attribute))
            for metrics, suppressed in [metrics_of(row, minimum)]
        ]
        if data and not any(each.waves for each in data):
            raise _GroupError("incompatible_waves", self._no_wave(question))
        return data

    def _spec(self, question: str, attribute: ChartAttribute) -> StatsSpec:
        chart = self.chart
        return StatsSpec(
            question=question,
            datapoints=(attribute.datapoint_code,),
            suffixes=(attribute.suffix_code,) if attribute.suffix_code else (),
            splitter=chart.splitter or None,
            segments=distinct(chart.segments),
            segmented_base=bool(chart.segmented_base),
            audiences=tuple(self.audiences) or None,
            scope=Scope(
                base=None if self.base is None else Audience(expression=self.base),
                waves=tuple(chart.wave_codes or ()) or None,
                locations=tuple(chart.location_codes or ()) or None,
                weight=self.context.weight,
            ),
        )

    def _no_wave(self, code: str) -> str:
        """Why there is no wave, and in which waves the question was asked."""
        question = self._question(code)
        usable = {wave.code for wave in self.context.survey.waves if wave.accessible}
        asked = [code for code in (question.waves if question else ()) if code in usable]
        if len(asked) > _WAVES_LISTED:
            listed = f"{len(asked):,} waves between {asked[0]} and {asked[-1]}"
        else:
            listed = ", ".join(asked) or "none"
        return (
            "No wave asked the attribute's question together with what the chart's base, audiences "
            f"and waves need. The question was asked in {listed}."
        )

    def _described(
        self, code: str, attribute: ChartAttribute, compatibilities: Compatibilities
    ) -> CalcAttribute:
        """The attribute as requested, with its names as far as the catalogue has them."""
        labels = self.taxonomy.catalogue.labels
        question = self._question(code)
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
        paths = self.taxonomy.paths(question, calculated) if question else []
        return msgspec.structs.replace(calculated, taxonomy_paths=paths)

    def _question(self, code: str) -> SurveyQuestion | None:
        try:
            return self.taxonomy.catalogue.question(code)
        except KeyError:
            return None

    def _expression(self, pointer: str, audience: ChartAudience | None) -> Expression | None:
        """An audience's expression; its faults are added to `faults`."""
        if audience is None or audience.expression is None:
            return None
        limits = self.context.limits
        try:
            expression = parse_expression(
                audience.expression,
                pointer=pointer,
                max_depth=limits.depth,
                max_nodes=limits.nodes,
            )
        except InvalidExpression as error:
            # The limits may have been wider when the chart was saved.
            self.faults.extend(CodeFault(each.pointer, each.detail) for each in error.faults)
            return None
        faults = self.context.engine.codes.in_expression(expression)
        self.faults.extend(fault.under(pointer) for fault in faults)
        return expression

    def _code_faults(self) -> Iterator[CodeFault]:
        chart, codes = self.chart, self.context.engine.codes
        if chart.splitter:
            yield from codes.in_question("/splitter", chart.splitter)
            yield from codes.in_datapoints("/segments", chart.splitter, chart.segments or ())
        elif chart.segments:
            yield CodeFault("/segments", "Segments need a splitter that they are codes of.")
        yield from codes.in_waves("/wave_codes", chart.wave_codes or ())
        yield from codes.in_locations("/location_codes", chart.location_codes or ())

    def _attribute_faults(self, question: str, attribute: ChartAttribute) -> Iterator[CodeFault]:
        codes = self.context.engine.codes
        yield from codes.in_question("/question_code", question)
        for fault in codes.in_datapoints("/datapoint_code", question, [attribute.datapoint_code]):
            yield fault.at("/datapoint_code")
        if attribute.suffix_code:
            for fault in codes.in_suffixes("/suffix_code", question, [attribute.suffix_code]):
                yield fault.at("/suffix_code")


def _question_code(attribute: ChartAttribute) -> str:
    """The question's code as queries write it; it may have its namespace already."""
    code, namespace = attribute.question_code, attribute.namespace_code
    if not namespace or code == WAVES or code.startswith(f"{namespace}."):
        return code
    return join_code(namespace, code)


def _raise_for(faults: Sequence[CodeFault]) -> None:
    """Raise for the gravest kind of fault, with the details of every fault of the kind."""
    kinds = {
        "not_found": [fault for fault in faults if fault.unknown],
        "invalid": [fault for fault in faults if not fault.unknown and not fault.forbidden],
        "forbidden": [fault for fault in faults if fault.forbidden],
    }
    for kind, found in kinds.items():
        if found:
            errors = dict.fromkeys(f"{fault.pointer}: {fault.detail}" for fault in found)
            raise _GroupError(kind, " ".join(errors))


class _Taxonomy:
    """The paths of attributes in the catalogue, for all groups of one calculation.

    Categories are described with what is directly below them, and no deeper: every group of a
    chart has these paths, and a chart has thousands of groups.
    """

    def __init__(self, catalogue: SurveyCatalogue) -> None:
        self.catalogue = catalogue
        self._counts: dict[str, int] = {}

    def paths(self, question: SurveyQuestion, attribute: CalcAttribute) -> list[CalcTaxonomyPath]:
        """Each path of a question, which is below its own category, with the attribute."""
        taxonomy = self.catalogue.taxonomy(question)
        described = CalcQuestion(
            accessible=question.accessible,
            attributes=[attribute],
            average_unit=question.unit,
            flags=list(question.flags),
            has_suffixes=bool(question.suffixes),
            knowledge_base=question.knowledge_base,
            message=question.message,
            namespace_code=question.namespace_code,
            notice=question.notice,
            order=question.order,
            question_code=question.code,
            question_description=question.description,
            question_label=question.name,
            taxonomy_paths=_plain_paths(taxonomy),
            warning=question.warning,
        )

        def describe(category: SurveyCategory) -> dict[str, Any]:
            is_parent = category.id in question.categories
            return self._described(category) | {"question_children": [described] * is_parent}

        return [
            CalcTaxonomyPath(
                dataset=CalcDataset(
                    **_plain(dataset, _DATASET),
                    categories=[
                        CalcCategory(**describe(root))
                        for root in self.catalogue.categories_of(dataset.code)
                    ],
                ),
                taxonomy_path=[
                    CalcPathNode(**describe(each), height=self._heights[each.id])
                    for each in lineage
                ],
            )
            for dataset, lineage in taxonomy
        ]

    def _described(self, category: SurveyCategory) -> dict[str, Any]:
        if category.id not in self._counts:
            self._counts[category.id] = count_attributes(self.catalogue, category)
        children = self.catalogue.child_categories(category.id)
        return _plain(category, _CATEGORY) | {
            "attributes_count": self._counts[category.id],
            "category_children": [CalcCategory(**_plain(child, _CATEGORY)) for child in children],
            "taxonomy_paths": _plain_paths(self.catalogue.places_of(category)),
        }

    @cached_property
    def _heights(self) -> dict[str, int]:
        # The height of a category is its longest way down to one without children.
        heights = {category.id: 0 for category in self.catalogue.categories}
        for category in self.catalogue.categories:
            for height, each in enumerate(reversed(self.catalogue.lineage(category.id))):
                heights[each.id] = max(heights[each.id], height)
        return heights


def _plain(source: object, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def _plain_paths(
    paths: Iterable[tuple[Dataset, tuple[SurveyCategory, ...]]],
) -> list[CalcTaxonomyPath]:
    return [
        CalcTaxonomyPath(
            dataset=CalcDataset(**_plain(dataset, _DATASET)),
            taxonomy_path=[CalcPathNode(**_plain(each, _CATEGORY)) for each in lineage],
        )
        for dataset, lineage in paths
    ]


CALCULATE_CHART = Operation(
    endpoint=endpoints.CALCULATE_CHART,
    answer=calculate_chart,
    summary="Calculate a chart's metrics",
    answers=ChartCalculation,
    errors=(404, 507),
)
