"""Other denominators: those who answered, and all answers given."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from audiencelab.analysis.disjointness import (
    Column,
    answers_of,
    columns_of,
    heads_of,
    require_disjoint,
)
from audiencelab.expressions import Audience, Q
from audiencelab.results.dtypes import as_counts
from audiencelab.results.stats import StatsData
from audiencelab.schema import Metrics, StatsRow

if TYPE_CHECKING:
    import pandas as pd

Stats = TypeVar("Stats", bound=StatsData)


def rebased_to_answered(result: Stats, *, disjoint: bool = False) -> Stats:
    """See `StatsResult.rebased_to_answered`."""
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    by_column = {(column.segment, column.audience): column for column in columns}
    rows = [_rebased(row, by_column[row.segment, row.audience]) for row in result.rows]
    base = _answered(result)
    told = {**result.provenance, "base_audience": base.name, "rebased": "answered"}
    return replace(result, rows=tuple(rows), base_audience=base, provenance=told)


def _answered(result: StatsData) -> Audience:
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


def shares_of_responses(result: StatsData) -> pd.DataFrame:
    """See `StatsResult.shares_of_responses`."""
    import pandas as pd

    answers = answers_of(result)
    lines = [
        (column, code) for code in answers for column in columns_of(result) if code in column.rows
    ]
    columns = [column for column, _ in lines]
    given = [column.rows[code].metrics for column, code in lines]
    labels = [result.labels.datapoints.get(code) or code for _, code in lines]
    whole = [_responses(column) for column in columns]
    heads = heads_of(result, columns)
    frame = pd.DataFrame(
        {
            "question": heads.pop("question"),
            "datapoint": [code for _, code in lines],
            "datapoint_label": pd.Categorical(
                labels, categories=list(dict.fromkeys(labels)), ordered=True
            ),
            **heads,
            "positive_size": [each.positive_size for each in given],
            "positive_sample": as_counts(
                np.array([each.positive_sample for each in given], np.float64)
            ),
            "responses_size": [size for size, _ in whole],
            "responses_sample": as_counts(np.array([sample for _, sample in whole], np.float64)),
            "response_percentage": [
                100 * each.positive_size / size if size > 0 else float("nan")
                for each, (size, _) in zip(given, whole, strict=True)
            ],
            "note": ["" if size > 0 else "no answers" for size, _ in whole],
        }
    )
    frame.attrs.update(result.provenance, rebased="responses", recipe=_RECIPE)
    return frame


_RECIPE = "Percent of all answers given, of those that the result holds; a person may give several."


def _responses(column: Column) -> tuple[float, float]:
    """How many answers were given in a column, by people and by respondents."""
    given = [row.metrics for row in column.rows.values()]
    return sum(each.positive_size for each in given), sum(each.positive_sample for each in given)
