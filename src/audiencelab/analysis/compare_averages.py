"""Averages compared: those of the columns of one question, and of the items of a grid."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from audiencelab.analysis.averages import Average, Midpoints, averaged, method_of
from audiencelab.analysis.compare_columns import columns_plan
from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import Column
from audiencelab.analysis.options import TestOptions
from audiencelab.analysis.plan import MEANS
from audiencelab.analysis.prepare import prepared_means
from audiencelab.analysis.proportions import (
    Axis,
    Estimates,
    Proportions,
    pivoted,
    scopes,
    stats_columns,
)
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData


def compare_averages(
    result: StatsData, midpoints: Midpoints, options: TestOptions, *, disjoint: bool = False
) -> ComparisonData:
    """Means of one question, a table of one row; see `StatsResult.test`."""
    columns, averages = averaged(result, midpoints, disjoint=disjoint)
    code, name = result.question, result.labels.question or result.question
    axis = Axis((name,), {"question": (code,), "question_label": (name,)}, np.zeros(1, dtype=bool))
    down = [code] * len(columns)
    table = _means(result, axis, columns, averages, down, method_of(result, midpoints))
    return _compare_means(result, table, options)


def compare_item_averages(
    grid: GridData, midpoints: Mapping[str, float], options: TestOptions
) -> ComparisonData:
    """Means of the items of a grid, a row for each; see `GridResult.test`."""
    columns, averages = averaged(by_item(grid), midpoints, disjoint=True)
    names = tuple(grid.table.labels.datapoints.get(code) or code for code in grid.items)
    labels = {"datapoint": grid.items, "datapoint_label": names}
    axis = Axis(names, labels, np.zeros(len(names), dtype=bool))
    down = [column.segment for column in columns]
    columns = [replace(column, segment=None) for column in columns]
    table = _means(grid.table, axis, columns, averages, down, "midpoints")
    # The rows of one point of the scale are the result whose columns have design effects.
    rows = [row for row in grid.table.rows if row.segment == grid.scale[0]]
    asked = tuple(msgspec.structs.replace(row, segment=None) for row in rows)
    return _compare_means(replace(grid.table, rows=asked, splitter=None), table, options)


def _means(
    result: StatsData,
    rows: Axis,
    columns: Sequence[Column],
    averages: Sequence[Average],
    down: Sequence[Hashable],
    method: str,
) -> Proportions:
    across = [(column.segment, column.audience) for column in columns]
    mean, size, sample, scope, deviation = pivoted(
        down,
        across,
        [average.mean for average in averages],
        [average.answered_size for average in averages],
        [average.answered_sample for average in averages],
        scopes(column.waves for column in columns),
        [average.standard_deviation for average in averages],
    )
    return Proportions(
        rows,
        stats_columns(result, list(dict.fromkeys(across))),
        Estimates(mean, size, sample, scope, base=sample, deviation=deviation),
        f"means of {method}",
        dict(result.provenance),
        empty="no answers",
    )


def _compare_means(result: StatsData, table: Proportions, options: TestOptions) -> ComparisonData:
    if isinstance(options.get("design"), DesignEffects):
        raise ValueError(
            "These design effects were computed for percentages. Give those of the averages, "
            "design=1.4, or one for each column."
        )
    if options.get("zero_or_full", "test") != "test":
        raise ValueError("zero_or_full= is an option of percentages, not of means.")
    ready = prepared_means(result, table, options)
    return comparison_of(columns_plan(ready, options, unit=MEANS))
