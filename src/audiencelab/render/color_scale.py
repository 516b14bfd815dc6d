"""The heat map of a table: the ends of its scale, and the shade of a value.

Cells on a low base are outside of the scale and have no colour: theirs would show noise. The page
follows the same rules (`js/src/crosstab/metrics/heat.ts`, `view/cellStyle.ts`); the page and the
static form define the colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.arrangement import LOW_BASE
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.undefined import respondents_under

Floats = NDArray[np.float64]

OF_DIFFERENCE = ("size", "column_size", "row_size", "base_size")
"""The arguments of `difference`, by metric."""

HEAT_STEPS = 12
"""Shades on either side."""

HEAT_SCALES = {"index": (100.0, 10.0), "difference": (0.0, 2.0)}
"""The neutral value, and the least extent of the scale, so that noise in a flat table is pale."""

HEAT_LEVELS = ((99, 0.6), (95, 0.25))
"""Two pale steps for z: from which level in percent, and their shade of 1. With many respondents
nearly every difference is significant."""

_CLIP = (2.0, 98.0)
"""Percentiles at the ends of the scale, so that one outlier does not make all other cells pale."""

_CELLS = 50_000
"""Maximum number of cells for computing the percentiles."""


def heat_scales(
    result: CrosstabData, low_base: float = LOW_BASE
) -> dict[str, dict[str, float]] | None:
    """The low and the high end of the scale, by `index` and by `difference` (in points).

    low_base: respondents in a denominator below which a cell is left out.
    None while no cell with a value has arrived. Both ends are the neutral value where all cells are
    left out.
    """
    # Every n-th cell: percentiles of a sample are near enough for colours.
    every = max(1, result.expected // _CELLS)

    def some(name: str) -> Floats:
        return result.values(name).ravel()[::every]

    index, points = some("index"), difference(*map(some, OF_DIFFERENCE))
    if not np.isfinite(index).any():
        return None
    under = respondents_under("index", some)
    assert under is not None
    # An index that rounds to 0 is not an end that a reader can use.
    sound = index[~(under < low_base) & (index >= 1)]
    return {
        "index": _ends("index", sound),
        "difference": _ends("difference", points[~(some("column_sample") < low_base)]),
    }


def difference(size: Floats, column: Floats, row: Floats, base: Floats) -> Floats:
    """A column's share less that of the base, in points; NaN where one of them has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        points = 100 * (size / column - row / base)
    return np.where(np.isfinite(points), points, np.nan)


def heat_step(value: float, heat: str, scales: Mapping[str, Mapping[str, float]] | None) -> int:
    """The shade of a cell, from -`HEAT_STEPS` (far below its base) to `HEAT_STEPS`; 0 has none.

    heat: "index", "difference" or "z", whose value is the level, in percent, at which the cell
        is significantly above (positive) or below the rest of its base.
    scales: those of the whole table, from `heat_scales`.
    """
    if math.isnan(value):
        return 0
    if heat == "z":
        shade = next((pale for level, pale in HEAT_LEVELS if abs(value) >= level), 0.0)
    else:
        middle, least = HEAT_SCALES[heat]
        ends = (scales or {}).get(heat, {})
        end = ends.get("high", middle) if value >= middle else ends.get("low", middle)
        outwards = end - middle if value >= middle else middle - end
        shade = min(1.0, abs(value - middle) / max(outwards, least))
        value -= middle
    # Half up, as Math.round of the page; Python's round would take halves to even numbers.
    step = math.floor(HEAT_STEPS * shade + 0.5)
    return step if value > 0 else -step


def _ends(heat: str, values: Floats) -> dict[str, float]:
    known = np.sort(values[np.isfinite(values)]).tolist()
    middle, _ = HEAT_SCALES[heat]
    low, high = (_percentile(known, each) if known else middle for each in _CLIP)
    return {"low": low, "high": high}


def _percentile(ordered: Sequence[float], percent: float) -> float:
    """That of `np.percentile`, which takes longer for a table than all else of its scale."""
    place = (len(ordered) - 1) * (percent / 100)
    before = math.floor(place)
    low, high, part = ordered[before], ordered[min(before + 1, len(ordered) - 1)], place - before
    return low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
