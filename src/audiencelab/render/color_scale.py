"""The heat map of a table: the ends of its scale, and the shade of a value.

The page follows the same rule (`js/src/crosstab/metrics/heat.ts`); the page and the static form
define the colours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from audiencelab.results.crosstab import CrosstabData

Floats = NDArray[np.float64]

OF_DIFFERENCE = ("size", "column_size", "row_size", "base_size")
"""The arguments of `difference`, by metric."""

HEAT_STEPS = 12
"""Shades on either side."""

_MIDDLE_AND_REACH = {"index": (100.0, 10.0), "difference": (0.0, 2.0)}
"""The neutral value, and the least extent of the scale, so that noise in a flat table is pale."""

_LIKELY, _SURE = 1.96, 2.58
_LIKELY_SHADE, _SURE_SHADE = 0.25, 0.6
"""Two pale steps for z: with many respondents nearly every difference is significant."""

_CLIP = (2.0, 98.0)
"""Percentiles at the ends of the scale, so that one outlier does not make all other cells pale."""

_CELLS = 50_000
"""Maximum number of cells for computing the percentiles."""


def heat_scales(result: CrosstabData) -> dict[str, dict[str, float]] | None:
    """The low and the high end of the scale, by `index` and by `difference` (in points).

    None while no cell with a value has arrived.
    """
    every = max(1, result.expected // _CELLS)
    index, *figures = (result.values(name).ravel()[::every] for name in ("index", *OF_DIFFERENCE))
    scales = {"index": _ends(index), "difference": _ends(difference(*figures))}
    known = {name: ends for name, ends in scales.items() if ends is not None}
    return known if len(known) == len(scales) else None


def difference(size: Floats, column: Floats, row: Floats, base: Floats) -> Floats:
    """A column's share less that of the base, in points; NaN where one of them has none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        points = 100 * (size / column - row / base)
    return np.where(np.isfinite(points), points, np.nan)


def heat_step(value: float, heat: str, scales: Mapping[str, Mapping[str, float]] | None) -> int:
    """The shade of a cell, from -`HEAT_STEPS` (far below its base) to `HEAT_STEPS`; 0 has none.

    heat: "index", "difference" or "z". scales: those of the whole table, from `heat_scales`.
    """
    if math.isnan(value):
        return 0
    if heat == "z":
        size = abs(value)
        shade = _SURE_SHADE if size >= _SURE else _LIKELY_SHADE if size >= _LIKELY else 0.0
    else:
        middle, least = _MIDDLE_AND_REACH[heat]
        ends = (scales or {}).get(heat, {})
        end = ends.get("high", middle) if value >= middle else ends.get("low", middle)
        outwards = end - middle if value >= middle else middle - end
        shade = min(1.0, abs(value - middle) / max(outwards, least))
        value -= middle
    step = math.floor(HEAT_STEPS * shade + 0.5)
    return step if value > 0 else -step


def _ends(values: Floats) -> dict[str, float] | None:
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = np.percentile(known, _CLIP)
    return {"low": float(low), "high": float(high)}
