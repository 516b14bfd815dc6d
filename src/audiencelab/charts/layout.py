"""How the parts of a chart share its width: names, plots side by side, and values at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audiencelab.charts.renderer import Spec

Floats = NDArray[np.float64]

WIDTH, WIDE = 640, 860
"""Pixels of a chart by default, and of one with several panels."""

FEWEST_OF_WIDE = 2
"""Panels from which a chart is wide."""

PADDING = 12.0
"""Pixels around a chart."""

NAMES = 0.45
"""The part of a chart's width that names beside a plot may take."""

_PANEL_GAP, _ROW_GAP = 18.0, 20.0
"""Pixels between panels side by side, and between rows of them."""

_ALONE = 0.5
"""How far an axis goes from the only value to both sides, relative to it."""

_ROUNDS = 20
"""Each end of an axis depends on the other: so many rounds settle both to a part of a pixel."""


class PanelGrid(NamedTuple):
    """Panels in rows: how many side by side, and how wide each plot is in pixels."""

    columns: int
    plot: float


def grid(panels: int, pixels: float, least: float) -> PanelGrid:
    """Rows of panels as equal as they can be; least: pixels of a plot."""
    fitting = max(1, int((pixels + _PANEL_GAP) // (least + _PANEL_GAP)))
    rows = ceil(panels / fitting)
    columns = ceil(panels / max(rows, 1)) or 1
    return PanelGrid(columns, max((pixels - _PANEL_GAP * (columns - 1)) / columns, 1.0))


def side_by_side(views: Sequence[Spec], columns: int, above: float) -> Spec:
    """One view as it is, or several as panels of one chart, with colours of their own.

    above: pixels of what is over a plot.
    """
    if len(views) == 1:
        return views[0]
    return {
        "concat": list(views),
        "columns": columns,
        "align": "each",
        "bounds": "flush",
        "spacing": {"row": round(_ROW_GAP + above, 1), "column": _PANEL_GAP},
        "resolve": {"scale": {"color": "independent", "yOffset": "independent"}},
    }


def ends_with_room(
    left: ArrayLike, right: ArrayLike, before: ArrayLike, after: ArrayLike, plot: float
) -> tuple[float, float]:
    """The ends of an axis of so many pixels, with space for text at the ends of marks.

    left, right: the ends of each mark, float64[marks]. before, after: pixels of the text beyond
    them. Marks without ends take no part.
    """
    given: list[Floats] = [np.asarray(each, np.float64) for each in (left, right, before, after)]
    known = np.isfinite(given[0]) & np.isfinite(given[1])
    if not known.any():
        return 0.0, 1.0
    starts, stops, start_room, stop_room = (each[known] for each in given)
    low, high = float(starts.min()), float(stops.max())
    if high <= low:
        # A single value has no range, and a range of 0 no scale.
        span = _ALONE * (abs(low) or 1.0)
        return low - span, high + span
    # Names longer than the plot get what there is.
    most = 0.8 * plot
    rooms = float(start_room.max(initial=0.0) + stop_room.max(initial=0.0))
    shared = min(1.0, most / max(rooms, 1.0))
    start_room, stop_room = start_room * shared, stop_room * shared
    for _ in range(_ROUNDS):
        unit = (high - low) / plot
        low = float((starts - start_room * unit).min())
        reach = (stops - low) / np.maximum(plot - stop_room, 1.0)
        high = low + float(reach.max()) * plot
    return low, high


def pixels_at(values: ArrayLike, ends: tuple[float, float], plot: float) -> Floats:
    """Where values are on an axis, in pixels."""
    known: Floats = np.asarray(values, np.float64)
    return plot * (known - ends[0]) / (ends[1] - ends[0])
