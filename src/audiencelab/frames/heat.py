"""Where the colours of a table end: the same for a grid, for what is saved of it, and for a reload.

What a colour looks like is the business of whoever paints.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.frames.crosstab import CrosstabResult

__all__ = ["OF_DIFFERENCE", "difference", "heat_scales"]

Floats = NDArray[np.float64]

OF_DIFFERENCE = ("size", "column_size", "row_size", "base_size")
"""The figures that a difference is worked out from, as `difference` takes them."""

_CLIP = (2.0, 98.0)
"""Percentiles that end the colour scale, so that one wild cell does not make all others pale."""

_CELLS = 50_000
"""Cells that the percentiles are taken from at most."""


def heat_scales(result: CrosstabResult) -> dict[str, dict[str, float]] | None:
    """The low and the high end of the colours, by `index` and by `difference` (in points).

    None while nothing that has a figure has arrived.
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


def _ends(values: Floats) -> dict[str, float] | None:
    known = values[np.isfinite(values)]
    if not known.size:
        return None
    low, high = np.percentile(known, _CLIP)
    return {"low": float(low), "high": float(high)}
