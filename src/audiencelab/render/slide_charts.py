"""The chart of a slide: which kinds there are, and whether a result can be drawn as one."""

from __future__ import annotations

from typing import Literal, get_args

from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    columns_of,
    own_rows,
    require_disjoint,
    require_separate,
)
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.stats import StatsData

SlideChart = Literal["bar", "column", "line", "stack"]
"""Bars across, bars upright, lines over the rows, or a stack of 100% for each column."""

MAX_PARTS = 12
"""Answers in a stack: the colours of more look alike."""

_ADVICE = 'Take chart="bar".'


def slide_chart(
    chart: SlideChart | None, result: object, *, otherwise: SlideChart | None = None
) -> SlideChart | None:
    """The chart to draw a result as; otherwise: what replaces a stack of rows that do not stack.

    Raises `ValueError` for an unknown chart and, without `otherwise`, for a stack of rows that are
    not the answers of one question, or of too many; `OverlappingAnswers`, a `ValueError`, where a
    respondent may be in several rows.
    """
    if chart is not None and chart not in get_args(SlideChart):
        raise ValueError(f"chart must be {', '.join(get_args(SlideChart))} or None; got {chart!r}.")
    if chart == "stack":
        try:
            _check_stack(result)
        except ValueError:
            if otherwise is None:
                raise
            return otherwise
    return chart


def _check_stack(result: object) -> None:
    try:
        if isinstance(result, CrosstabData):
            if of_statistics_alone(result):
                raise ValueError(f'chart="stack" is not valid: statistics do not stack. {_ADVICE}')
            rows = own_rows(result)
            require_separate(result, "the stack", rows, disjoint=False)
            parts = len(rows)
        elif isinstance(result, StatsData):
            asked = [column for column in columns_of(result) if column.waves]
            require_disjoint(result, asked, disjoint=False)
            parts = max((len(column.rows) for column in asked), default=0)
        else:
            raise ValueError(
                'chart="stack" is not valid: it is for the rows of a crosstab or a stats query. '
                f"{_ADVICE}"
            )
    except OverlappingAnswers:
        raise OverlappingAnswers(
            'chart="stack" is not valid: a respondent may be in several rows, and only answers of '
            f"one question, of which everyone gives one, stack to 100%. {_ADVICE}"
        ) from None
    if parts > MAX_PARTS:
        raise ValueError(
            f'chart="stack" is not valid: {parts} rows are too many parts for one stack (at most '
            f"{MAX_PARTS}). {_ADVICE}"
        )
