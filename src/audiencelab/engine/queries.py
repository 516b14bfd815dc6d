"""What the engine can be asked, and in what form it answers.

Queries hold expressions and codes, not JSON; answers hold arrays, not rows of dictionaries. The
wire forms are made in the service.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.tables import Figures
from audiencelab.expressions import Expression

__all__ = ["CrosstabSpec", "CrosstabStripe", "MaybeExpression", "StatsRow", "StatsSpec"]

Floats = NDArray[np.float64]
MaybeExpression = Expression | None


@dataclass(frozen=True, slots=True)
class CrosstabSpec:
    """Row audiences against column audiences; None as an expression is everyone.

    waves: codes; None means the last four accessible ones. locations: codes; empty means all.
    """

    rows: tuple[MaybeExpression, ...]
    columns: tuple[MaybeExpression, ...]
    base: MaybeExpression = None
    locations: tuple[str, ...] = ()
    waves: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CrosstabStripe:
    """Rows `start` to `stop` (exclusive) of a crosstab with all their columns.

    `base`, `row`, `column` and `intersect` each hold `.size` (float64, people) and `.sample`
    (int64, respondents) of shape [rows, columns]; the rest is float64 of that shape.
    `row_intersect_percentage` is 100 × intersect ÷ column, `column_intersect_percentage`
    100 × intersect ÷ row: each side carries its share of the other.
    """

    start: int
    stop: int
    base: Figures
    row: Figures
    column: Figures
    intersect: Figures
    row_percentage: Floats
    column_percentage: Floats
    row_intersect_percentage: Floats
    column_intersect_percentage: Floats
    intersect_percentage: Floats
    index: Floats


@dataclass(frozen=True, slots=True)
class StatsSpec:
    """The datapoints of one question × segments × audiences.

    question: its code, or `waves`. datapoints: codes; empty means all accessible ones, in
    catalogue order.
    suffixes: merged into each datapoint ("with any of these"); empty means with any at all.
    splitter: `waves` or a question code; segments: its codes, empty means all accessible ones (for
    `waves`, the waves of the query). segmented_base: each segment is the base of its own rows.
    audiences: None or empty means one row a segment, for everyone in the base.
    waves: codes; None means all accessible ones. locations: codes; empty means all.
    """

    question: str
    datapoints: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    splitter: str | None = None
    segments: tuple[str, ...] = ()
    segmented_base: bool = False
    audiences: tuple[MaybeExpression, ...] | None = None
    base: MaybeExpression = None
    locations: tuple[str, ...] = ()
    waves: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class StatsRow:
    """One row: its place on each axis (None where the query has no such axis) and its figures.

    base_size is not part of the nine metrics; it is what the index divides by.
    """

    datapoint: str
    segment: str | None
    audience: int | None
    waves: tuple[str, ...]
    positive_size: float
    positive_sample: int
    audience_size: float
    audience_sample: int
    datapoint_size: float
    datapoint_sample: int
    audience_percentage: float
    datapoint_percentage: float
    audience_index: float
    base_size: float
