"""Saved charts: created, updated and calculated, with the names that this client knows."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, cast

from audiencelab.client.calls.asking import ask, ask_with_line, require_respondents
from audiencelab.client.calls.attributes import check_attributes
from audiencelab.client.calls.names import learn
from audiencelab.client.calls.queries import stats_labels
from audiencelab.client.errors import InvalidResponse
from audiencelab.client.flow import Flow
from audiencelab.client.operations import charts
from audiencelab.client.operations.charts import ChartPlan
from audiencelab.client.options import Options
from audiencelab.client.session import ChartNames, Session
from audiencelab.expressions.codes import WAVES
from audiencelab.schema import ChartCalculation, ChartCreated
from audiencelab.tables import ChartCalculationResult

__all__ = ["calculate", "create", "update"]


def create(session: Session, options: Options, plan: ChartPlan) -> Flow[ChartCreated]:
    """See `Charts.create`."""
    plan = yield from _named(session, options, plan)
    # One key for all attempts: a service that honours it makes one chart of them.
    created = yield from ask(session, options, plan.create(uuid.uuid4().hex))
    ids = {each.source: each.target for each in created.audience_replacements}
    _remember(session, created.id, plan, ids)
    return created


def update(session: Session, options: Options, chart_id: str, plan: ChartPlan) -> Flow[str]:
    """See `Charts.update`."""
    plan = yield from _named(session, options, plan)
    updated = yield from ask(session, options, plan.update(chart_id))
    _remember(session, updated, plan, {})
    return updated


def calculate(session: Session, options: Options, chart_id: str) -> Flow[ChartCalculationResult]:
    """See `Charts.calculate`."""
    answer, line = yield from ask_with_line(session, options, charts.calculate(chart_id))
    names = session.charts.get(chart_id, ChartNames()).told(answer.meta)
    came = sum(max(1, len(group.attributes)) for group in answer.stats)
    if names.attributes is not None and came < names.attributes:
        raise InvalidResponse(
            f"The calculation has figures for {came:,} of the chart's {names.attributes:,} "
            "attributes, and does not mention the others. If they were taken out of the chart "
            "elsewhere, connect again.",
            line,
        )
    splitter = _splitter(answer) or names.splitter
    if splitter:
        yield from learn(session, options, [splitter])
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
        | {"chart": chart_id, "base_audience": _THE_CHARTS_OWN, "locations": _THE_CHARTS_OWN},
    )


_THE_CHARTS_OWN = "as saved in the chart"
"""What is not told of a chart, for whoever saved it may have been somebody else."""


def _splitter(answer: ChartCalculation) -> str:
    """The splitter that the groups tell of, as far as they do."""
    metas: list[Any] = [group.meta for group in answer.stats]
    told = [cast(dict[str, Any], m).get("splitter") for m in metas if isinstance(m, dict)]
    return next((each for each in told if isinstance(each, str) and each), "")


def _named(session: Session, options: Options, plan: ChartPlan) -> Flow[ChartPlan]:
    require_respondents(session, plan.all_audiences())
    yield from check_attributes(session, options, plan.attributes)
    yield from learn(session, options, plan.questions_to_name())
    return plan.named(session.book)


def _remember(session: Session, chart_id: str, plan: ChartPlan, ids: Mapping[str, str]) -> None:
    """Keep what no operation tells later: how the chart's parts are called.

    ids: those that the service changed, from what was sent.
    """
    audiences = {each.id or "": each.name for each in plan.audiences or ()}
    session.charts[chart_id] = session.charts.get(chart_id, ChartNames()).updated(
        plan.fields, {ids.get(identity, identity): name for identity, name in audiences.items()}
    )
