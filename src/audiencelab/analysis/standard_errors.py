"""Standard errors of the percentages of a crosstab, as a metric of its cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.interval_formulas import share_error
from audiencelab.analysis.measured import UNKNOWN
from audiencelab.analysis.precision import precision_of
from audiencelab.analysis.sure_shares import Shares, sure_of, sure_of_others
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import METRICS, frame_name

Floats = NDArray[np.float64]


def column_errors(result: CrosstabData) -> Floats:
    """Of the column percentages in points, float64[rows, columns]: those of `intervals`."""
    return _errors(result, "column_percentage")


def row_base_errors(result: CrosstabData) -> Floats:
    """Of each row's percentage of the base, in points, float64[rows, columns]."""
    return _errors(result, "row_base_percentage")


def _errors(result: CrosstabData, percentage: str) -> Floats:
    """NaN where the cell has not arrived, and where nothing shows how its percentage varies."""
    found = np.full(result.shape, np.nan)
    rows, columns = np.nonzero(result.arrived)
    # In one scale, so that a wave's people are a part of those of all waves.
    places, seen = (rows, columns), in_one_scale(result)
    known = METRICS[percentage]
    names = (known.part, *(f"{known.rests_on[0]}_{what}" for what in ("size", "sample")))
    part, whole, sample = (seen.values(name)[places] for name in names)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.clip(np.where(whole > 0, part / whole, np.nan), 0.0, 1.0)
    precision = precision_of(result)
    sure = sure_of(precision).at(places)
    if percentage != "column_percentage" and precision.computed and not precision.refused:
        name = frame_name(percentage)
        others = sure_of_others(result, {name: Shares(share, sample)}, places)[name]
        if isinstance(others, str):
            return found
        sure = others
    with np.errstate(divide="ignore", invalid="ignore"):
        base = sample / sure.effects
    # A proportion that the design fixes is certain.
    found[places] = 100 * np.where(np.isinf(base), 0.0, share_error(share, base))
    return found


def errors_note(result: CrosstabData) -> str:
    """What standard errors are of, or why there are none and what to do."""
    precision = precision_of(result)
    if precision.refused:
        return f"No standard errors: {precision.refused.removesuffix('.')}."
    if precision.how.startswith(UNKNOWN):
        return (
            f"Standard errors are those of a simple random sample ({precision.how}). For a known "
            "design effect of 1.4: table.intervals(design=1.4)."
        )
    if precision.computed is None:
        return "Standard errors are those of a simple random sample."
    return "Standard errors are by the design of the sample."
