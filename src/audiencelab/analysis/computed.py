"""Metrics of a cell that no service sends: they are computed where they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.standard_errors import column_errors, errors_note, row_base_errors
from audiencelab.analysis.wave_changes import (
    changes_note,
    share_changes,
    share_reasons,
    statistic_changes,
)
from audiencelab.results.crosstab import CrosstabData

Floats = NDArray[np.float64]
Texts = NDArray[np.object_]

COMPUTED: dict[str, Callable[[CrosstabData], Floats]] = {
    "standard_error": column_errors,
    "row_base_standard_error": row_base_errors,
    "change": share_changes,
}
"""The values of all cells, float64[rows, columns], by the metric's name."""

OF_STATISTICS: dict[str, Callable[[CrosstabData], Floats]] = {"change": statistic_changes}
"""The same of rows of statistics, of metrics that these have beside their value."""

REASONS: dict[str, Callable[[CrosstabData], Texts]] = {"change": share_reasons}
"""Why cells with other figures have none of a metric, object[rows, columns]."""

NOTES: dict[str, Callable[[CrosstabData], str]] = {
    **dict.fromkeys(COMPUTED, errors_note),
    "change": changes_note,
}
"""How a metric was computed, or why it has no values and what to do, in a sentence."""


def notes_on(result: CrosstabData, metrics: Sequence[str]) -> list[str]:
    """How those of some metrics that are computed were computed, each sentence once."""
    return list(dict.fromkeys(NOTES[name](result) for name in metrics if name in NOTES))
