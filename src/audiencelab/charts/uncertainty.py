"""Confidence intervals and low-base marks of the values in a chart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.intervals import IntervalOptions, measured_intervals
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.options import checked_level
from audiencelab.charts.renderer import Spec
from audiencelab.charts.theme import Look
from audiencelab.charts.vega_lite import layer
from audiencelab.results.arrangement import (
    UNARRANGED,
    TableArrangement,
    low_base_mark,
    low_base_words,
)
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import frame_name
from audiencelab.results.statistic_rows import STATISTIC_KINDS, TESTED
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import long_frame
from audiencelab.results.undefined import respondents_under

Intervals = bool | float
"""Whether to draw intervals: no, yes at 95%, or at this confidence level."""

_GAPS = 3
_GAP_OF_BAR = 0.45
"""Gaps in a hatched bar, and the width of one relative to the stripe before it."""

_WITH_INTERVALS = ("column_percentage", "row_percentage", "percentage", "index", "median", *TESTED)


class Whiskers(NamedTuple):
    """The long frame of a result with the columns `low` and `high`; words: what they are."""

    frame: pd.DataFrame
    words: str


def level_of(intervals: Intervals, metric: str) -> float | None:
    """The confidence level, or `None` without intervals.

    Raises `ValueError` for a level that is not valid, and for a metric that has no intervals.
    """
    if intervals is False:
        return None
    level = 0.95 if intervals is True else checked_level(intervals)
    if metric not in _WITH_INTERVALS:
        raise ValueError(
            f"{metric!r} has no intervals. Choose one of {', '.join(_WITH_INTERVALS)}, or leave "
            "intervals= out."
        )
    return level


def whiskers(result: StatsData | CrosstabData, metric: str, level: float | None) -> Whiskers:
    """The intervals of a metric of a result; NaN where there are none, and without a level."""
    if level is None:
        return Whiskers(long_frame(result).assign(low=np.nan, high=np.nan), "")
    name = "value" if metric in STATISTIC_KINDS else frame_name(metric)
    measured = measured_intervals(result, IntervalOptions.of(level), only=name)
    frame, design, missing = measured[:3]
    how = f"none: {missing[name]}" if name in missing else design
    ends = {end: frame[f"{name}_{end}"] for end in ("low", "high")}
    return Whiskers(frame.assign(**ends), f"{percent_words(level)} intervals, {how}")


def low_marks(metric: str, of: CrosstabData | pd.DataFrame) -> NDArray[Any]:
    """A star or two for each value of a metric that rests on a low base, in the values' shape.

    "" where there is no value, and for counts. of: a crosstab, or the frame of a query.
    """

    def values_of(name: str) -> NDArray[np.float64]:
        return of.values(name) if isinstance(of, CrosstabData) else of[name].to_numpy(np.float64)

    values, under = values_of(metric), respondents_under(metric, values_of)
    marks: NDArray[Any] = np.full(values.shape, "", dtype=object)
    if under is not None:
        known = ~np.isnan(values)
        marks[known] = [low_base_mark(respondents) for respondents in under[known]]
    return marks


def respondents(metric: str, of: CrosstabData | pd.DataFrame) -> NDArray[np.float64]:
    """The respondents that each value of a metric rests on; of counts those of its column.

    of: a crosstab, or the frame of a query.
    """

    def values_of(name: str) -> NDArray[np.float64]:
        return of.values(name) if isinstance(of, CrosstabData) else of[name].to_numpy(np.float64)

    under = respondents_under(metric, values_of)
    return values_of("column_sample") if under is None else under


def low_note(marks: Iterable[str], how: TableArrangement = UNARRANGED) -> list[str]:
    """The line that explains the stars, where there are some."""
    return [low_base_words(how.stars)] if any(marks) else []


def hollow_note(
    what: str, marks: Iterable[str], how: TableArrangement = UNARRANGED, *, stars: bool = False
) -> list[str]:
    """The line that explains hollow points, where there are some.

    what: "dots". stars: whether their labels have stars, too.
    """
    few = f"fewer than {max(how.stars or [0]):,g} respondents in the denominator"
    few = low_base_words(how.stars) if stars else few
    return [f"Hollow {what}: {few}"] if any(marks) else []


def hatch(
    encoding: Mapping[str, Any], marks: Iterable[str], colours: Look, along: Literal["x", "y"] = "x"
) -> list[Spec]:
    """A layer over bars that hatches those with a low-base mark; none where there are none.

    encoding: that of the bars, without their colour. along: the direction of the bars.
    """
    if not any(marks):
        return []
    # Vega-Lite has no patterns: a gradient with hard stops, from side to side, is one.
    right, down = (0, 1) if along == "x" else (1, 0)
    ends = {"x1": 0, "y1": 0, "x2": right, "y2": down}
    fill = {"gradient": "linear", **ends, "stops": _stops(colours.ground)}
    return [layer("bar", encoding, where="datum.mark !== ''", color=fill, cornerRadiusEnd=2)]


def _stops(ground: str) -> list[Spec]:
    """Stops of a gradient that is clear but for the gaps, and clear at both edges."""
    # In widths of a stripe: gaps with a stripe before each, and one after the last.
    unit = 1 / (_GAPS * (1 + _GAP_OF_BAR) + 1)
    red, green, blue = (int(ground[at : at + 2], 16) for at in (1, 3, 5))
    clear = f"rgba({red},{green},{blue},0)"
    stops = [(clear, 0.0)]
    for gap in range(_GAPS):
        start = unit * (gap * (1 + _GAP_OF_BAR) + 1)
        end = start + unit * _GAP_OF_BAR
        # Two stops at one offset make a hard edge.
        stops += [(clear, start), (ground, start), (ground, end), (clear, end)]
    stops.append((clear, 1.0))
    return [{"color": colour, "offset": round(at, 4)} for colour, at in stops]
