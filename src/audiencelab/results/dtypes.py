"""Respondents as frames show them: whole numbers, as counts are.

A service that sends fractions of respondents keeps them: nothing is rounded here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["as_counts", "as_figures"]


def as_counts(values: NDArray[Any]) -> NDArray[Any]:
    """The values as int64 where each is a whole number, else as they are; NaN is none."""
    return values.astype(np.int64) if bool((values == np.floor(values)).all()) else values


def as_figures(name: str, values: NDArray[Any]) -> NDArray[Any]:
    """A figure as a column of a frame: a count if its name says that it is a sample."""
    return as_counts(values) if name.endswith("sample") else values
