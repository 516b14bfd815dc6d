"""Percentages of those who answered, taken from a result whose base is everyone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from audiencelab.analysis.disjointness import Column, answers_of, columns_of, require_disjoint
from audiencelab.expressions import Audience, Q
from audiencelab.results.stats import StatsResult
from audiencelab.schema import Metrics, StatsRow

__all__ = ["rebased_to_answered"]


def rebased_to_answered(result: StatsResult, *, disjoint: bool = False) -> StatsResult:
    """See `StatsResult.rebased_to_answered`."""
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    by_column = {(column.segment, column.audience): column for column in columns}
    rows = [_rebased(row, by_column[row.segment, row.audience]) for row in result.rows]
    base = _answered(result)
    told = {**result.provenance, "base_audience": base.name, "rebased": "answered"}
    return replace(result, rows=tuple(rows), base_audience=base, provenance=told)


def _answered(result: StatsResult) -> Audience:
    """The base that the service would be asked for."""
    answered = Q(result.question).any(*answers_of(result))
    name = f"Answered {result.labels.question or result.question}"
    before = result.base_audience
    if before is None or before.expression is None:
        return Audience(name, answered)
    return Audience(f"{before.name}, {name[0].lower()}{name[1:]}", before.expression & answered)


def _rebased(row: StatsRow, column: Column) -> StatsRow:
    parts = [each.metrics for each in column.rows.values()]
    size, base = _sum(p.positive_size for p in parts), _sum(p.datapoint_size for p in parts)
    own = row.metrics
    share = 100 * own.positive_size / size if size > 0 else 0.0
    of_base = own.datapoint_size / base if base > 0 else 0.0
    metrics: Metrics = msgspec.structs.replace(
        own,
        audience_size=size,
        audience_sample=_sum(p.positive_sample for p in parts),
        audience_percentage=share,
        audience_index=share / of_base if of_base > 0 else 0.0,
    )
    return msgspec.structs.replace(row, metrics=metrics)


def _sum(values: Iterable[float]) -> float:
    return sum(values)
