"""Which metrics have no value, and why.

On the wire each metric is a number, and a fraction without a denominator is 0. In frames such
metrics are NaN, and a note gives the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.metrics import FIGURES, METRICS

NO_WAVE = "no wave in common"
EMPTY_BASE = "empty base"
NO_BASE = "empty base, or no wave in common"
EMPTY_AUDIENCE = "empty audience"
EMPTY_SEGMENT = "empty segment"
EMPTY_DATAPOINT = "empty datapoint"
EMPTY_ROW = "empty row"
EMPTY_COLUMN = "empty column"
WITHHELD = "withheld by the service"
NOT_OFFERED = "not offered"
NOT_ASKED_ALL = "no respondent was asked all of these items"
NO_ANSWERS = "no respondent answered"
NO_ANSWERS_TO_BOTH = "no respondent answered both"

NO_FIGURE = (
    *(NO_WAVE, EMPTY_BASE, NO_BASE, EMPTY_AUDIENCE, EMPTY_SEGMENT, EMPTY_COLUMN, WITHHELD),
    *(NOT_OFFERED, NOT_ASKED_ALL, NO_ANSWERS, NO_ANSWERS_TO_BOTH),
)
"""Reasons that leave nothing to draw; the percentage of an empty row or datapoint is 0."""

Array = NDArray[np.float64]

_DIVIDED_BY = {
    side: [name for name in FIGURES if side in METRICS[name].divisors]
    for side in ("base", "row", "column")
}
"""The metrics of a crosstab that have each size as a denominator."""


def respondents_under(metric: str, samples: Callable[[str], Array]) -> Array | None:
    """How many respondents each value rests on: the fewest, if on two samples; None for a count.

    samples: returns a sample by its name, in the shape of the values.
    """
    sides = METRICS[metric].rests_on if metric in METRICS else ()
    return reduce(np.fmin, (_sample_of(side, samples) for side in sides)) if sides else None


def _sample_of(side: str, samples: Callable[[str], Array]) -> Array:
    if side == "rest":
        return samples("base_sample") - samples("column_sample")
    return samples(f"{side}_sample")


def checked_fewest(respondents: float, name: str = "hide_under") -> float:
    """The number of respondents given by this name; `ValueError` for anything else."""
    given = cast(object, respondents)
    if not isinstance(given, int | float) or isinstance(given, bool) or not 0 <= given < math.inf:
        raise ValueError(f"{name} is a number of respondents, such as 100, not {given!r}.")
    return respondents


def blank_crosstab(figures: Mapping[str, Array]) -> None:
    """Set values of a crosstab to NaN, in place, where their denominator is zero."""
    for side, divided in _DIVIDED_BY.items():
        empty = figures[f"{side}_size"] == 0
        if not empty.any():
            continue
        for metric in divided:
            figures[metric][empty] = np.nan


def crosstab_notes(figures: Mapping[str, Array]) -> tuple[tuple[str, ...], NDArray[np.int8]]:
    """Why values are missing: the reasons ("" is none), and the position of each cell's.

    The wire does not list a cell's waves. A cell with an empty base, where the same base is not
    empty in other cells, has no wave that row and column share; where it is empty in all of them,
    the reason is unknown.
    """
    base, row, column = (figures[name] for name in ("base_size", "row_size", "column_size"))
    without_base = NO_WAVE if bool((base > 0).any()) else NO_BASE
    positions = np.zeros(base.shape, dtype=np.int8)
    # Later reasons replace earlier ones: an empty base also empties rows and columns.
    positions[column == 0] = 1
    positions[row == 0] = 2
    positions[base == 0] = 3
    positions[np.isnan(figures["sample"])] = 4
    return ("", EMPTY_COLUMN, EMPTY_ROW, without_base, WITHHELD), positions


def blank_stats(
    metrics: dict[str, Array],
    waves: Sequence[Sequence[str]],
    empty_audience: str,
    not_offered: Sequence[bool] = (),
) -> list[str]:
    """Set metrics of stats to NaN, in place, where they have no value; returns each row's reason.

    metrics: the metrics by name, one value a row. waves: the waves that each row rests on.
    empty_audience: the reason for an empty audience (the segment's, the base's, its own).
    not_offered: which rows are of an answer that none of their waves offered; by default none.
    """
    audience = metrics["column_size"] == 0
    datapoint = metrics["row_size"] == 0
    no_wave = np.array([not listed for listed in waves], dtype=bool)
    # A service that lists no waves although it counts people has omitted the field.
    no_wave &= (metrics["column_sample"] == 0) & (metrics["row_sample"] == 0)
    for side, empty in (("column", audience), ("row", datapoint)):
        for name in _DIVIDED_BY[side]:
            metrics[name][empty] = np.nan
    for name in ("size", "column_size", "row_size"):
        metrics[name][no_wave] = np.nan
    notes: Any = np.full(audience.shape, "", dtype=object)
    # Later notes replace earlier ones.
    notes[datapoint] = EMPTY_DATAPOINT
    notes[audience] = empty_audience
    # A service may omit samples and still send shares.
    is_withheld = np.isnan(metrics["sample"]) & np.isnan(metrics["column_percentage"])
    notes[is_withheld & ~audience] = WITHHELD
    notes[no_wave] = NO_WAVE
    if len(not_offered):
        notes[no_wave & np.array(not_offered, dtype=bool)] = NOT_OFFERED
    return notes.tolist()
