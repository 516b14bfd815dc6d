"""Which figures have no value, and why: the one place that knows every denominator.

On the wire each metric is a number, and a fraction with nothing under it is written as 0. A frame
must not pass that off as "0 %": here such figures become NaN, and a note gives the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

NO_WAVE = "no wave in common"
EMPTY_BASE = "empty base"
NO_BASE = "empty base, or no wave in common"
EMPTY_AUDIENCE = "empty audience"
EMPTY_SEGMENT = "empty segment"
EMPTY_DATAPOINT = "empty datapoint"
EMPTY_ROW = "empty row"
EMPTY_COLUMN = "empty column"

NO_FIGURE = (NO_WAVE, EMPTY_BASE, NO_BASE, EMPTY_AUDIENCE, EMPTY_SEGMENT, EMPTY_COLUMN)
"""Reasons that leave nothing to draw; a share of an empty row or datapoint is 0."""

Array = NDArray[np.float64]

_RESTS_ON: dict[str, tuple[str, ...]] = {
    "percentage": ("base_sample",),
    "index": ("row_sample", "column_sample"),
    "column_percentage": ("column_sample",),
    "row_percentage": ("row_sample",),
    "row_base_percentage": ("base_sample",),
    "column_base_percentage": ("base_sample",),
    "audience_percentage": ("audience_sample",),
    "audience_index": ("audience_sample", "datapoint_sample"),
    "datapoint_percentage": ("datapoint_sample",),
}
"""The samples that each figure rests on; counts rest on none. An index reads both ways: whoever
stands in rows and columns, it is the same number."""

_CROSSTAB_DENOMINATORS: dict[str, tuple[str, ...]] = {
    "percentage": ("base_size",),
    "index": ("base_size", "row_size", "column_size"),
    "column_percentage": ("column_size",),
    "row_percentage": ("row_size",),
    "row_base_percentage": ("base_size",),
    "column_base_percentage": ("base_size",),
}
"""Which sizes must not be zero for a figure to have a value."""


def respondents_under(metric: str, samples: Callable[[str], Array]) -> Array | None:
    """How many respondents each figure rests on: the fewest, where it rests on two samples.

    samples: gives a sample by its name, in the shape of the figures. None for a count.
    """
    names = _RESTS_ON.get(metric)
    return reduce(np.fmin, map(samples, names)) if names else None


def checked_fewest(respondents: float) -> float:
    """How many respondents a figure must rest on to be shown, as `blank_under=` was given."""
    given = cast(object, respondents)
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 <= given < math.inf:
        raise ValueError(f"blank_under is a number of respondents, such as 100, not {given!r}.")
    return respondents


def blank_crosstab(figures: Mapping[str, Array]) -> None:
    """Put NaN, in place, wherever a crosstab figure's denominator is zero."""
    empty = {name: figures[name] == 0 for name in ("base_size", "row_size", "column_size")}
    for figure, denominators in _CROSSTAB_DENOMINATORS.items():
        for name in denominators:
            if empty[name].any():
                figures[figure][empty[name]] = np.nan


def crosstab_notes(
    figures: Mapping[str, Array],
) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Why figures have no value: the reasons ("" is none), and the place of each cell's.

    The wire does not list a cell's waves. A cell whose base is empty although the same base is
    not empty in other cells has no wave (with respondents of the base) that row and column share;
    where it is empty in all of them, nothing tells the one reason from the other.
    """
    base, row, column = (figures[name] for name in ("base_size", "row_size", "column_size"))
    without_base = NO_WAVE if bool((base > 0).any()) else NO_BASE
    places = np.zeros(base.shape, dtype=np.int8)
    places[column == 0] = 1
    places[row == 0] = 2
    places[base == 0] = 3
    return ("", EMPTY_COLUMN, EMPTY_ROW, without_base), places


def blank_stats(
    metrics: dict[str, Array], waves: Sequence[Sequence[str]], empty_audience: str
) -> list[str]:
    """Put NaN, in place, where a stats metric has no value; the reason for each row is returned.

    metrics: the nine metrics by name, one value a row.
    waves: each row's effective waves.
    empty_audience: what to call an audience that is empty (the segment's, the base's, its own).
    """
    audience = metrics["audience_size"] == 0
    datapoint = metrics["datapoint_size"] == 0
    no_wave = np.array([not listed for listed in waves], dtype=bool)
    # A service that lists no waves at all, yet counts people, has simply left the field out.
    no_wave &= (metrics["audience_sample"] == 0) & (metrics["datapoint_sample"] == 0)
    metrics["audience_percentage"][audience] = np.nan
    metrics["datapoint_percentage"][datapoint] = np.nan
    metrics["audience_index"][audience | datapoint] = np.nan
    for name in ("positive_size", "audience_size", "datapoint_size"):
        metrics[name][no_wave] = np.nan
    notes: Any = np.full(audience.shape, "", dtype=object)
    notes[datapoint] = EMPTY_DATAPOINT
    notes[audience] = empty_audience
    notes[no_wave] = NO_WAVE
    return notes.tolist()
