"""How sure a drawn figure is: the margins beside it, and a mark where few people answered.

Both come from the result, as its tables have them; charts only place them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import altair as alt
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.interval_frames import IntervalOptions, metric_intervals
from audiencelab.analysis.options import checked_level, percent_words
from audiencelab.charts.theme import Look
from audiencelab.render.table_layout import LOW_BASE_NOTE, low_base_mark
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import stats_frame
from audiencelab.results.undefined import respondents_under
from audiencelab.schema import METRICS

__all__ = [
    "Intervals",
    "frame_of",
    "hatch",
    "level_of",
    "low_marks",
    "low_note",
    "said_of",
]

Intervals = bool | float
"""Whether to draw margins: no, yes at 95 %, or at this level of confidence."""

_LEVEL = 0.95

_GAPS = 3
_GAP_OF_BAR = 0.45
"""Gaps in a hatched bar, and how wide one is beside the stripe that it follows."""

_WITH_MARGINS = (
    *("audience_percentage", "datapoint_percentage", "audience_index"),
    *("column_percentage", "row_percentage", "percentage", "index"),
)


def level_of(intervals: Intervals, metric: str) -> float | None:
    """The level of confidence that was asked for, if margins were.

    Raises `ValueError` for a level that is none, and for a metric that has no margins.
    """
    if intervals is False:
        return None
    level = _LEVEL if intervals is True else checked_level(intervals)
    if metric not in _WITH_MARGINS:
        of_query = metric in METRICS
        known = ", ".join(each for each in _WITH_MARGINS if (each in METRICS) == of_query)
        raise ValueError(
            f"{metric!r} has no intervals. Choose one of {known}, or leave intervals= out."
        )
    return level


def frame_of(stats: StatsData, metric: str, level: float | None) -> pd.DataFrame:
    """The result's frame with the columns `low` and `high`, NaN where there is no margin."""
    if level is None:
        return stats_frame(stats).assign(low=np.nan, high=np.nan)
    frame = metric_intervals(stats, IntervalOptions.of(level, "wilson", None), None)
    return frame.assign(low=frame[f"{metric}_low"], high=frame[f"{metric}_high"])


def said_of(level: float | None) -> str:
    """What the margins are, in the words of a subtitle."""
    return "" if level is None else f"{percent_words(level)} intervals"


def low_marks(metric: str, of: CrosstabData | pd.DataFrame) -> NDArray[Any]:
    """A star or two for each figure of a metric that rests on a low base, in the figures' shape.

    Nothing where there is no figure, and for a count: it rests on nobody but those it counts.
    of: a crosstab, or the frame of a query.
    """

    def values_of(name: str) -> NDArray[np.float64]:
        return of.values(name) if isinstance(of, CrosstabData) else of[name].to_numpy(np.float64)

    values, under = values_of(metric), respondents_under(metric, values_of)
    marks: NDArray[Any] = np.full(values.shape, "", dtype=object)
    if under is not None:
        known = ~np.isnan(values)
        marks[known] = [low_base_mark(respondents) for respondents in under[known]]
    return marks


def low_note(marks: Iterable[str]) -> list[str]:
    """The line that explains the stars, where there are some."""
    return [LOW_BASE_NOTE] if any(marks) else []


def hatch(base: Any, colours: Look, along: Literal["x", "y"] = "x") -> Any:
    """A layer over bars that hatches those with a mark: gaps in the colour of the ground.

    base: a chart that is encoded as the bars are, but for their colour. along: which way the bars
    run, and the gaps with them; a bar is as thick as the next, so that its hatching is too.
    """
    # Vega-Lite has no patterns: a gradient with hard stops, from side to side, is one.
    right, down = (0, 1) if along == "x" else (1, 0)
    fill = alt.LinearGradient(
        gradient="linear", x1=0, y1=0, x2=right, y2=down, stops=_gaps(colours.ground)
    )
    marked = base.transform_filter("datum.mark !== ''")
    return marked.mark_bar(color=fill, cornerRadiusEnd=2)


def _gaps(ground: str) -> list[Any]:
    """Stops of a gradient that is clear but for the gaps, and clear at both edges."""
    unit = 1 / (_GAPS * (1 + _GAP_OF_BAR) + 1)
    red, green, blue = (int(ground[place : place + 2], 16) for place in (1, 3, 5))
    clear = f"rgba({red},{green},{blue},0)"
    stops = [(clear, 0.0)]
    for gap in range(_GAPS):
        start = unit * (gap * (1 + _GAP_OF_BAR) + 1)
        end = start + unit * _GAP_OF_BAR
        stops += [(clear, start), (ground, start), (ground, end), (clear, end)]
    stops.append((clear, 1.0))
    return [alt.GradientStop(color=colour, offset=round(at, 4)) for colour, at in stops]
