"""Other denominators: those who answered, and all answers given."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import msgspec
import numpy as np

from audiencelab.analysis.disjointness import (
    ComparedColumn,
    OverlappingAnswers,
    answers_of,
    column_frame,
    columns_of,
    require_disjoint,
)
from audiencelab.expressions import Audience, Q
from audiencelab.results.dtypes import as_counts, ordered
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData
from audiencelab.schema import Metrics, StatsRow

if TYPE_CHECKING:
    import pandas as pd

Stats = TypeVar("Stats", bound=StatsData)

_RESPONSES = (
    "Percent of all answers given, of those that the result holds; a person may give several."
)


def rebased_to_answered(result: Stats, *, disjoint: bool = False) -> Stats:
    """See `StatsResult.rebased_to_answered`."""
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    by_column = {(column.segment, column.audience): column for column in columns}
    rows = [_rebased(row, by_column[row.segment, row.audience]) for row in result.rows]
    base = _answered(result)
    provenance = {**result.provenance, "base_audience": base.name, "rebased": "answered"}
    return replace(result, rows=tuple(rows), base_audience=base, provenance=provenance)


def rebased_grid(grid: GridData) -> StatsData:
    """See `GridResult.rebased_to_answered`."""
    table = grid.table
    if missing := [code for code in table.labels.segments if code not in grid.scale]:
        raise ValueError(
            f"Points of the scale are not in this result ({', '.join(missing)}), so it does not "
            "know who answered. Ask for the whole scale: leave out suffixes=."
        )
    columns = {(each.segment, each.audience): each for each in columns_of(by_item(grid))}
    for column in columns.values():
        # Each item takes one point of the scale, so more answers than respondents disprove it.
        if column.answers[1] > column.sample:
            raise OverlappingAnswers(
                f"Respondents gave several answers to an item of {grid.question}, so those who "
                "answered cannot be added up."
            )
    rows = [_rebased(row, columns[row.datapoint, row.audience]) for row in table.rows]
    told = {**table.provenance, "rebased": "answered"}
    # Each item has a base of its own, which no query has.
    return replace(table, rows=tuple(rows), provenance=told, asked=None)


def _answered(result: StatsData) -> Audience:
    answered = Q(result.question).any(*answers_of(result))
    name = f"Answered {result.labels.question or result.question}"
    before = result.base_audience
    if before is None or before.expression is None:
        return Audience(name, answered)
    return Audience(f"{before.name}, {name[0].lower()}{name[1:]}", before.expression & answered)


def _rebased(row: StatsRow, column: ComparedColumn) -> StatsRow:
    size, sample = column.answers
    # Answers share no respondent, so those of the base add up to everyone in it who answered.
    base = sum(each.metrics.datapoint_size for each in column.rows.values())
    own = row.metrics
    share = 100 * own.positive_size / size if size > 0 else 0.0
    # The index compares with the same denominator: those of the base who answered.
    of_base = own.datapoint_size / base if base > 0 else 0.0
    metrics: Metrics = msgspec.structs.replace(
        own,
        audience_size=size,
        audience_sample=sample,
        audience_percentage=share,
        audience_index=share / of_base if of_base > 0 else 0.0,
    )
    return msgspec.structs.replace(row, metrics=metrics)


def shares_of_responses(result: StatsData) -> pd.DataFrame:
    """See `StatsResult.shares_of_responses`."""
    answers, every = answers_of(result), columns_of(result)
    lines = [(column, code) for code in answers for column in every if code in column.rows]
    columns, codes = [column for column, _ in lines], [code for _, code in lines]
    given = [column.rows[code].metrics for column, code in lines]
    positive = np.array([each.positive_size for each in given], np.float64)
    size, sample = np.array([column.answers for column in columns], np.float64).reshape(-1, 2).T
    labels = [result.labels.datapoints.get(code) or code for code in codes]
    frame = column_frame(result, columns)
    frame.insert(1, "datapoint", codes)
    frame.insert(2, "datapoint_label", ordered(labels))
    with np.errstate(divide="ignore", invalid="ignore"):
        percentage = np.where(size > 0, 100 * positive / size, np.nan)
    frame = frame.assign(
        size=positive,
        sample=as_counts(np.array([each.positive_sample for each in given], np.float64)),
        responses_size=size,
        responses_sample=as_counts(sample),
        response_percentage=percentage,
        note=np.where(size > 0, "", "no answers").tolist(),
    )
    frame.attrs.update(result.provenance, rebased="responses", method_note=_RESPONSES)
    return frame
