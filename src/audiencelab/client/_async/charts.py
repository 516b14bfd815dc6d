"""The chart operations of a client."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Unpack, cast

from audiencelab.client._async.asking import (
    ask,
    ask_with_line,
    catalogue_for_hints,
    learn_names,
    require_respondents,
)
from audiencelab.client._async.sending import AsyncSender
from audiencelab.client.catalogue.labels import did_you_mean, not_accessible
from audiencelab.client.errors import InvalidResponse, UnknownCodeError
from audiencelab.client.hints import question_hint
from audiencelab.client.operations.arguments import document_kwargs
from audiencelab.client.operations.charts import (
    ChartChanges,
    ChartFields,
    ChartRequest,
    GivenAttribute,
    build_calculate,
    build_chart,
)
from audiencelab.client.operations.queries import stats_labels
from audiencelab.client.resource import Resource
from audiencelab.client.session import ChartNames, Session
from audiencelab.errors import Fault, list_faults
from audiencelab.expressions import join_code
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import Chart, ChartAttribute, ChartCalculation, ChartCreated, Question
from audiencelab.tables import ChartCalculationResult

_AS_SAVED = "as saved in the chart"
"""What is unknown of a chart, which somebody else may have saved."""


class AsyncCharts(Resource[AsyncSender]):
    """The chart operations of a client."""

    @document_kwargs(ChartFields)
    async def create(self, name: str | Chart, **fields: Unpack[ChartFields]) -> ChartCreated:
        """Save a chart (POST /v1/charts).

        name: its name; or a `wire.Chart`, which is sent without the fields that the service sets
            itself (its id, its owner, its times).
        attributes: what it shows: `catalogue["Gender"]["Female"]`, a whole question of the
            catalogue, `("q20", "q20_1")`, or with a suffix `("q20", "q20_1", "1")`.
        audiences, base_audience: audiences or expressions; a `wire.ChartAudience` has a colour too.
        waves, locations, splitter, segments, segmented_base: as in `stats`.
        metrics, dataset_codes, dataset_names, color, folder_id, group_type, view_type, sort_type,
            sort_parameter_type, sort_parameter_value: kept as given.

        The result holds the chart's `id`, and which audience ids the service replaced. A chart is
        never created twice: a request that may have arrived is not sent again. Raises `TypeError`
        for what cannot be part of a chart, `InvalidRequest` with every fault, and the other
        errors of `ClientError`.
        """
        canonical = self._sender.session.book.canonical
        chart = build_chart("charts.create", name, fields, ChartFields, canonical)
        chart = await _with_names(self._sender, chart)
        # One key for all attempts: a service that honours it creates one chart.
        created = await ask(self._sender, chart.create(uuid.uuid4().hex))
        ids = {each.source: each.target for each in created.audience_replacements}
        _remember(self._sender.session, created.id, chart, ids)
        return created

    @document_kwargs(ChartChanges)
    async def update(self, chart_id: str, **fields: Unpack[ChartChanges]) -> str:
        """Assign fields of a chart (PUT /v1/charts/{id}); returns its id.

        chart: a `wire.Chart`, of which the fields with a value are assigned.
        Other arguments as for `create`. Fields that are not given stay; None clears a field.

        Raises `ValueError` if nothing is given, `NotFound`, and the errors of `create`.
        """
        canonical = self._sender.session.book.canonical
        chart = build_chart("charts.update", None, fields, ChartChanges, canonical)
        chart = await _with_names(self._sender, chart)
        updated = await ask(self._sender, chart.update(chart_id))
        _remember(self._sender.session, updated, chart, {})
        return updated

    async def calculate(self, chart_id: str) -> ChartCalculationResult:
        """The metrics of a chart (POST /v1/charts/{id}/calculate).

        The result holds one group for each attribute; `failures` are those without metrics, and
        `to_frame()` has them all. Sizes are weighted counts, percentages run from 0 to 100. Raises
        `NotFound`, and the other errors of `ClientError`.
        """
        session = self._sender.session
        answer, line = await ask_with_line(self._sender, build_calculate(chart_id))
        names = session.charts.get(chart_id, ChartNames()).with_names_of(answer.meta)
        came = sum(max(1, len(group.attributes)) for group in answer.stats)
        if names.attributes is not None and came < names.attributes:
            raise InvalidResponse(
                f"The calculation has metrics for {came:,} of the chart's {names.attributes:,} "
                "attributes, and does not mention the others. If they were removed from the chart "
                "elsewhere, connect again.",
                line,
            )
        splitter = _splitter(answer) or names.splitter
        if splitter:
            await learn_names(self._sender, [splitter])
        segments = [row.segment for group in answer.stats for row in group.data]
        labels = stats_labels(session.book, WAVES, splitter or WAVES, segments)
        return ChartCalculationResult(
            chart_id=chart_id,
            groups=tuple(answer.stats),
            name=names.name,
            audiences=names.audiences,
            segments=labels.segments,
            meta=answer.meta,
            provenance=session.provenance("chart calculation", None, None)
            | {"chart": chart_id, "base_audience": _AS_SAVED, "locations": _AS_SAVED},
        )


async def _with_names(sender: AsyncSender, chart: ChartRequest) -> ChartRequest:
    """The chart with a name for every audience, its attributes checked."""
    require_respondents(sender.session, chart.all_audiences())
    await _check_attributes(sender, chart.attributes)
    await learn_names(sender, chart.questions_to_name())
    return chart.named(sender.session.book)


async def _check_attributes(sender: AsyncSender, attributes: Iterable[GivenAttribute]) -> None:
    """Raise `UnknownCodeError`, with every fault, for attributes that do not exist.

    The service would keep a chart of any codes and report them when the chart is calculated.
    Checked where that is cheap: in this process, or if the catalogue is loaded already.
    """
    session = sender.session
    wanted = [each for each in attributes if each.is_looked_up]
    if not wanted or not (session.embedded or session.catalogue is not None):
        return
    codes = {each.position: _question_code(each.attribute) for each in wanted}
    await learn_names(sender, codes.values())
    if not session.book.knows(codes.values()):
        return
    faults: list[Fault] = []
    for each in wanted:
        code = codes[each.position]
        question = session.book.question(code)
        if question is not None:
            faults += [Fault(each.position, why) for why in _why_not(question, each.attribute)]
        elif code != WAVES:
            written = code.removeprefix(f"{session.base_namespace}.")
            hint = question_hint(written, await catalogue_for_hints(sender))
            faults.append(Fault(each.position, hint))
    if faults:
        # An unknown question has the same fault for each of its datapoints.
        faults = list(dict.fromkeys(faults))
        message = list_faults("Some attributes of the chart are not valid.", faults)
        raise UnknownCodeError(message, dict.fromkeys(codes[fault.pointer] for fault in faults))


def _question_code(attribute: ChartAttribute) -> str:
    if attribute.question_code == WAVES:
        return WAVES
    return join_code(attribute.namespace_code, attribute.question_code)


def _why_not(question: Question, attribute: ChartAttribute) -> list[str]:
    """What is wrong with an attribute of a question that exists; at most one sentence."""
    title = f"{question.code!r} ({question.name})"
    if not question.accessible:
        return [not_accessible(f"Question {title}")]
    if question.datapoints is None:
        return []
    names = {each.code: each.name for each in question.datapoints}
    suffixes = {each.code: each.name for each in question.suffixes}
    for kind, code, known in (
        ("datapoint", attribute.datapoint_code, names),
        ("suffix", attribute.suffix_code, suffixes),
    ):
        if code and code not in known:
            return [f"Question {title} has no {kind} {code!r}.{did_you_mean(code, known)}"]
    return []


def _splitter(answer: ChartCalculation) -> str:
    """The splitter that the groups name, if any does."""
    metas: list[Any] = [group.meta for group in answer.stats]
    named = [cast(dict[str, Any], m).get("splitter") for m in metas if isinstance(m, dict)]
    return next((each for each in named if isinstance(each, str) and each), "")


def _remember(session: Session, chart_id: str, chart: ChartRequest, ids: Mapping[str, str]) -> None:
    """Keep the names of the chart's parts, which no operation returns later.

    ids: those that the service changed, from what was sent.
    """
    audiences = {each.id or "": each.name for each in chart.audiences or ()}
    session.charts[chart_id] = session.charts.get(chart_id, ChartNames()).updated(
        chart.fields, {ids.get(identity, identity): name for identity, name in audiences.items()}
    )
