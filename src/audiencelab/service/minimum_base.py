"""The minimum base: figures on too few respondents are withheld, in every operation.

A figure is withheld if it counts, or rests on, at least one respondent and fewer than the minimum.
It is null then, and what it is part of has `suppressed: true`. Zero respondents are shown.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine import StatsRow
from audiencelab.schema import METRICS, Metrics
from audiencelab.schema.blocks import CELL_METRICS

_NULL = float("nan")
"""Written as null; the NaN that `Metrics` has by default would be left out."""

_JOINT = ("size", "sample", "percentage", "index", "column_percentage", "row_percentage")
"""The metrics of a cell that are of its row and its column together."""

_OF_SIDE = ("{}_size", "{}_sample", "{}_base_percentage")


def metrics_of(row: StatsRow, minimum: int) -> tuple[Metrics, bool]:
    """The nine metrics of a row, and whether some of them are withheld."""
    metrics = {name: getattr(row, name) for name in METRICS}
    few = {
        of: 0 < metrics[f"{of}_sample"] < minimum for of in ("positive", "audience", "datapoint")
    }
    if not any(few.values()):
        return Metrics(**metrics), False
    # All three are small where a share is: it is of two of them.
    withheld = {"positive_size", "positive_sample"}
    withheld |= {"audience_percentage", "datapoint_percentage", "audience_index"}
    for of in ("audience", "datapoint"):
        if few[of]:
            withheld |= {f"{of}_size", f"{of}_sample"}
    return Metrics(**{name: _NULL if name in withheld else metrics[name] for name in METRICS}), True


def withheld(metrics: tuple[NDArray[Any], ...], minimum: int) -> tuple[NDArray[Any], ...]:
    """The metrics of cells in the order of `CELL_METRICS`, NaN where they are withheld."""
    if minimum <= 1:
        return metrics
    named: dict[str, NDArray[Any]] = dict(zip(CELL_METRICS, metrics, strict=True))

    def few(of: str) -> NDArray[np.bool_]:
        return (named[of] > 0) & (named[of] < minimum)

    base = few("base_sample")
    hidden = {"base_size": base, "base_sample": base}
    for side in ("row", "column"):
        hidden |= dict.fromkeys(
            (each.format(side) for each in _OF_SIDE), base | few(f"{side}_sample")
        )
    joint = hidden["row_sample"] | hidden["column_sample"] | few("sample")
    hidden |= dict.fromkeys(_JOINT, joint)
    return tuple(np.where(hidden[name], _NULL, named[name]) for name in CELL_METRICS)
