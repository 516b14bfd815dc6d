"""Metrics of a cell that no service sends: they are computed where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.standard_errors import column_errors, errors_note, row_base_errors
from audiencelab.results.crosstab import CrosstabData

Floats = NDArray[np.float64]

COMPUTED: dict[str, Callable[[CrosstabData], Floats]] = {
    "standard_error": column_errors,
    "row_base_standard_error": row_base_errors,
}
"""The values of all cells, float64[rows, columns], by the metric's name."""

NOTES: dict[str, Callable[[CrosstabData], str]] = dict.fromkeys(COMPUTED, errors_note)
"""How a metric was computed, or why it has no values and what to do, in a sentence."""


def notes_on(result: CrosstabData, metrics: Sequence[str]) -> list[str]:
    """How those of some metrics that are computed were computed, each sentence once."""
    return list(dict.fromkeys(NOTES[name](result) for name in metrics if name in NOTES))
