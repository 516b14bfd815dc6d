"""Averages compared: a t test of means of midpoints, for every pair of columns.

A mean has what a share has, people and respondents it is taken of, and a spread besides. So a
table of means goes the way of a table of shares, and only its standard errors are others.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import msgspec

from audiencelab.analysis.averages import Average, Midpoints, averaged, method_of
from audiencelab.analysis.compare import every_pair
from audiencelab.analysis.comparison import MEANS, ComparisonData
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import Column
from audiencelab.analysis.options import Options
from audiencelab.analysis.prepare import prepared_means
from audiencelab.analysis.proportions import (
    Cells,
    Margin,
    Shares,
    column_margin,
    pivoted,
    scopes,
)
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData

_NO_ANSWERS = "no answers"


def compare_averages(
    result: StatsData,
    midpoints: Midpoints,
    overlap: CrosstabData | None = None,
    *,
    disjoint: bool = False,
    **options: Unpack[Options],
) -> ComparisonData:
    """See `StatsResult.compare_averages`: a table of one row, the question."""
    columns, averages = averaged(result, midpoints, disjoint=disjoint)
    across = [(column.segment, column.audience) for column in columns]
    name = (result.labels.question or result.question,)
    shares = Shares(
        Margin(name, {"question": (result.question,), "question_label": name}, (False,)),
        column_margin(result, across),
        _means(columns, averages, [result.question] * len(columns), across),
        f"means of {method_of(result, midpoints)}",
        dict(result.provenance),
        empty=_NO_ANSWERS,
    )
    return _compared(result, shares, overlap, options)


def compare_item_averages(
    grid: GridData,
    midpoints: Mapping[str, float],
    overlap: CrosstabData | None = None,
    **options: Unpack[Options],
) -> ComparisonData:
    """See `GridResult.compare_averages`: a row for each item."""
    columns, averages = averaged(by_item(grid), midpoints, disjoint=True)
    across = [(None, column.audience) for column in columns]
    names = tuple(grid.table.labels.datapoints.get(code) or code for code in grid.items)
    shares = Shares(
        Margin(
            names, {"datapoint": grid.items, "datapoint_label": names}, (False,) * len(grid.items)
        ),
        column_margin(grid.table, list(dict.fromkeys(across))),
        _means(columns, averages, [column.segment for column in columns], across),
        "means of midpoints",
        dict(grid.provenance),
        empty=_NO_ANSWERS,
    )
    return _compared(_one_point(grid), shares, overlap, options)


def _one_point(grid: GridData) -> StatsData:
    """The rows of one point of the scale, as they were asked for."""
    rows = [row for row in grid.table.rows if row.segment == grid.scale[0]]
    asked = tuple(msgspec.structs.replace(row, segment=None) for row in rows)
    return replace(grid.table, rows=asked, splitter=None)


def _compared(
    result: StatsData, shares: Shares, overlap: CrosstabData | None, options: Options
) -> ComparisonData:
    if isinstance(options.get("design_effect"), DesignEffects):
        raise ValueError(
            "These design effects were computed for percentages. Give those of the averages, "
            "design_effect=1.4, or one for each column."
        )
    return every_pair(prepared_means(result, shares, options), overlap, reading=MEANS)


def _means(
    columns: Sequence[Column],
    averages: Sequence[Average],
    down: Sequence[Hashable],
    across: Sequence[Hashable],
) -> Cells:
    mean, size, sample, scope, deviation = pivoted(
        down,
        across,
        [average.mean for average in averages],
        [average.answered_size for average in averages],
        [average.answered_sample for average in averages],
        scopes(column.waves for column in columns),
        [average.standard_deviation for average in averages],
    )
    return Cells(mean, size, sample, scope, deviation=deviation)
