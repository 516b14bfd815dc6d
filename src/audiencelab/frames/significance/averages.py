"""Averages compared: a t test of means of midpoints, for every pair of columns.

A mean has what a share has, people and respondents it is taken of, and a spread besides. So a
table of means goes the way of a table of shares, and only its standard errors are others.
"""

from __future__ import annotations

from typing import Unpack

import numpy as np

from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.derived.averages import Average, Midpoints, averaged
from audiencelab.frames.derived.columns import Column
from audiencelab.frames.significance.comparing import every_pair
from audiencelab.frames.significance.comparison import AverageComparison
from audiencelab.frames.significance.design import DesignEffects
from audiencelab.frames.significance.settings import Options
from audiencelab.frames.significance.shares import Cells, Margin, Shares, column_margin
from audiencelab.frames.stats import StatsResult

__all__ = ["compare_averages"]

_NO_ANSWERS = "no answers"


def compare_averages(
    result: StatsResult,
    midpoints: Midpoints,
    overlap: CrosstabResult | None = None,
    *,
    disjoint: bool = False,
    **options: Unpack[Options],
) -> AverageComparison:
    """See `StatsResult.compare_averages`."""
    if isinstance(options["design_effect"], DesignEffects):
        raise ValueError(
            "These design effects were computed for percentages. Give those of the averages, "
            "design_effect=1.4, or one for each column."
        )
    columns, averages = averaged(result, midpoints, disjoint=disjoint)
    return every_pair(AverageComparison, _means(result, columns, averages), overlap, **options)


def _means(result: StatsResult, columns: list[Column], averages: list[Average]) -> Shares:
    """A table of one row: the question's mean in each column."""
    waves: dict[tuple[str, ...], float] = {}
    table = np.array(
        [
            (
                average.mean,
                average.answered_size,
                average.answered_sample,
                waves.setdefault(tuple(column.waves), len(waves)),
                average.standard_deviation,
            )
            for column, average in zip(columns, averages, strict=True)
        ],
        dtype=np.float64,
    ).reshape(-1, 5)
    mean, size, sample, scope, deviation = (plane[None, :] for plane in table.T)
    name = result.labels.question or result.question
    return Shares(
        Margin((name,), {"question": (result.question,), "question_label": (name,)}, (False,)),
        column_margin(result, [(column.segment, column.audience) for column in columns]),
        Cells(mean, size, sample, scope, deviation=deviation),
        "means of midpoints",
        dict(result.provenance),
        empty=_NO_ANSWERS,
    )
