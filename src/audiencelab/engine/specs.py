"""Queries of the engine, in expressions and codes, and the rows of a stats query."""

from __future__ import annotations

from dataclasses import dataclass

from audiencelab.expressions import Expression

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
class StatsSpec:
    """The datapoints of one question × segments × audiences.

    question: its code, or `waves`. datapoints: codes; empty means all accessible ones, in
    catalogue order.
    suffixes: merged into each datapoint ("with any of these"); empty means with any at all.
    splitter: `waves` or a question code; segments: its codes, empty means all accessible ones (for
    `waves`, the waves of the query). segmented_base: each segment is the base of its own rows.
    audiences: None or empty means one row per segment, for everyone in the base.
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
    """One row: its position on each axis (None where the query has no such axis) and its metrics.

    audience: its index in the query. base_size: what the index divides by; not one of the nine
    metrics of the wire format.
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
