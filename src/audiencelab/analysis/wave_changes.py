"""What each column has changed by since the wave before, as a metric of its cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.compare_waves import one_waves, previous_columns
from audiencelab.analysis.proportions import crosstab_proportions
from audiencelab.results.comparable import (
    ITEMS_DIFFER,
    Comparability,
    comparability,
    comparability_of_statistics,
)
from audiencelab.results.crosstab import CrosstabData

Floats = NDArray[np.float64]
Texts = NDArray[np.object_]

NO_WAVE = "column other than a wave"
NONE_BEFORE = "no wave before"


class _Changes(NamedTuple):
    """values: NaN where there is no change. reasons: why, "" where there is no figure at all."""

    values: Floats
    reasons: Texts


def share_changes(result: CrosstabData) -> Floats:
    """Of column percentages, in points, float64[rows, columns].

    Each is that of the same column in the last wave before it with a figure; NaN where there is
    none, and where the two do not compare.
    """
    return _of_shares(result).values


def share_reasons(result: CrosstabData) -> Texts:
    """Why cells with a figure have no change, object[rows, columns]."""
    return _of_shares(result).reasons


def statistic_changes(result: CrosstabData) -> Floats:
    """The same of rows of statistics, each in its own unit."""
    return _of_statistics(result).values


def statistic_reasons(result: CrosstabData) -> Texts:
    """Why rows of statistics with a figure have no change, object[rows, columns]."""
    return _of_statistics(result).reasons


def changes_note(result: CrosstabData) -> str:
    """What changes are since, and why some cells have none."""
    reasons = _of_shares(result).reasons
    missing = dict.fromkeys(reasons[reasons != ""].tolist())
    none = f" Without one: {'; '.join(missing)}." if missing else ""
    return f"Change is since the wave before in the same column, of shares in points.{none}"


def _of_statistics(result: CrosstabData) -> _Changes:
    if result.statistics is None:
        shape = 0, len(result.columns)
        return _Changes(np.zeros(shape), np.zeros(shape, object))
    values = result.statistics.values("value")
    return _changes(result, values, comparability_of_statistics(result))


def _of_shares(result: CrosstabData) -> _Changes:
    shares = crosstab_proportions(result).cells.value
    found = _changes(result, shares, comparability(result))
    return _Changes(100 * found.values, found.reasons)


def _changes(result: CrosstabData, values: Floats, comparable: Comparability) -> _Changes:
    known = ~np.isnan(values)
    previous = previous_columns(result, known)
    # -1, for no wave before, is not a position.
    before = np.maximum(previous, 0)
    every = np.broadcast_to(np.arange(len(result.columns)), values.shape)
    reasons: Texts = np.where(previous < 0, NONE_BEFORE, "").astype(object)
    items, breaks = comparable.between(every, before)
    compared = previous >= 0
    if items is not None:
        reasons = np.where(items & compared, ITEMS_DIFFER, reasons)
    if breaks is not None:
        reasons = np.where((breaks != "") & compared, breaks, reasons)
    reasons[:, [each is None for each in one_waves(result)]] = NO_WAVE
    changed = values - np.take_along_axis(values, before, axis=1)
    return _Changes(np.where(reasons == "", changed, np.nan), np.where(known, reasons, ""))
