"""The figures of a table as planes, one of each, as they are sent to a page or saved for one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["CELL_PLANES", "TELLS_ARRIVAL", "collapsed"]

Floats = NDArray[np.float64]

CELL_PLANES = (
    "size",
    "sample",
    "row_size",
    "row_sample",
    "column_size",
    "column_sample",
    "base_size",
    "base_sample",
)
"""What was counted for a cell; every metric of the grid is arithmetic on these."""

TELLS_ARRIVAL = "size"
"""The plane by which a page knows the cells that are there."""


def collapsed(plane: Floats, *, gaps: bool) -> Floats:
    """The plane with shape 1 along each axis in which all its numbers are equal.

    gaps: whether NaN has to stay where it is; otherwise a number may stand there as well.
    """
    for axis in (1, 0):
        if plane.shape[axis] < 2:
            continue
        missing = np.isnan(plane)
        first = np.take_along_axis(plane, missing.argmin(axis=axis, keepdims=True), axis=axis)
        alike = (plane == first) | (missing & np.isnan(first) if gaps else missing)
        if bool(alike.all()):
            plane = first
    return plane
