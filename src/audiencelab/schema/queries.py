"""Stats and crosstab queries and their results on the wire."""

from __future__ import annotations

from functools import partial
from math import isnan, nan
from typing import Any

import msgspec
from msgspec import structs

from audiencelab.schema.local import QuestionNumbers
from audiencelab.schema.resource import Resource, always

DEFAULT_WAVES = 4
"""A crosstab without waves runs over this many of the last accessible ones; other queries over
all accessible waves."""

LATEST_WAVES = f"latest {DEFAULT_WAVES}"
"""The same as the provenance of a crosstab has them."""

METRICS = (
    "positive_size",
    "positive_sample",
    "audience_size",
    "audience_sample",
    "datapoint_size",
    "datapoint_sample",
    "audience_percentage",
    "datapoint_percentage",
    "audience_index",
)
"""The nine metrics of a stats row. Sizes are weighted people, samples respondents, percentages
run from 0 to 100, and an index of 100 is the base."""


class AudienceRef(Resource, frozen=True):
    """An audience as queries carry it; the expression is a JSON object, None is everyone."""

    id: str | None = None
    name: str | None = None
    expression: dict[str, Any] | None = None


class Metrics(Resource, frozen=True):
    """The nine metrics of one row; see `METRICS` for their units.

    One that an answer leaves out is NaN: not known, which is not 0.
    """

    positive_size: float = nan
    positive_sample: float = nan
    audience_size: float = nan
    audience_sample: float = nan
    datapoint_size: float = nan
    datapoint_sample: float = nan
    audience_percentage: float = nan
    datapoint_percentage: float = nan
    audience_index: float = nan

    @property
    def total_percentage(self) -> float:
        """The part of the base that is in both, by the size of the base that the index implies.

        NaN where both audience and datapoint are empty: the size of the base is not known then.
        """
        if self.positive_size == 0 and (self.audience_size > 0 or self.datapoint_size > 0):
            return 0.0
        # Also where it is NaN, which compares as false.
        if not self.audience_index > 0:
            return nan
        # With B the base: (P ÷ A) (P ÷ D) ÷ (P B ÷ (A D)) = P ÷ B, in percent.
        return self.audience_percentage * self.datapoint_percentage / self.audience_index

    def __reduce__(self) -> tuple[Any, ...]:
        # A NaN out of a pickle would be another one than the default: unequal, and written out.
        known = {name: each for name, each in structs.asdict(self).items() if not isnan(each)}
        return partial(Metrics, **known), ()


class StatsMeta(Resource, frozen=True):
    """What was asked, echoed, with a label for the layout of the rows."""

    type: str = always("")
    question: str = always("")
    splitter: str = always("")


class StatsRow(Resource, frozen=True):
    """The metrics of one datapoint in one segment for one audience."""

    datapoint: str
    metrics: Metrics
    waves: list[str] = msgspec.field(default_factory=list[str])
    segment: str | None = None
    audience: str | None = None
    suffixes: list[int | str] | None = None
    suppressed: bool | None = None


class StatsResult(Resource, frozen=True):
    """Answer to a statistics query."""

    meta: StatsMeta
    data: list[StatsRow]


class RecordedStatsResult(StatsResult, frozen=True):
    """The same in a snapshot of 2.0, which holds the answer of `/local/numbers` as a field."""

    numbers: QuestionNumbers | None = msgspec.field(default=None, name="audiencelab_numbers")


class StatisticRef(msgspec.Struct, frozen=True, omit_defaults=True):
    """A row of a statistics query of amounts.

    kind: "mean", "percentile", "sum", "standard deviation", "nps", or one of its parts "promoters",
    "passives" and "detractors"; "correlation" or "ratio" of these amounts and those of `other`.
    percentile: 0 to 100. expression: an audience in place of a question, whose respondents have the
    amount 1.
    datapoint: the item of a grid. amounts: of answers, or of the points of a grid's scale, by code.
    exact: whether the numbers of respondents are preferred to them.
    """

    kind: str
    question: str = ""
    datapoint: str = ""
    amounts: dict[str, float] = {}
    exact: bool = True
    percentile: float = 50.0
    other: StatisticRef | None = None
    expression: dict[str, Any] | None = None


class RestFigures(msgspec.Struct, frozen=True):
    """The rest of the base of each column of a row; null for NaN.

    apart: the standard error of the column's value less that of its rest. freedom: degrees of
    freedom of the smaller side.
    """

    value: list[float | None]
    error: list[float | None]
    deviation: list[float | None]
    size: list[float | None]
    sample: list[float | None]
    apart: list[float | None]
    freedom: list[float | None]


class StatisticFigures(msgspec.Struct, frozen=True):
    """One row of the response: each figure for the base and then every column; null for NaN.

    deviation: √(Σw(x - mean)² ÷ Σw), also the value of a "standard deviation"; clients show the
    estimate that they make of it and of sample. covariance, freedom: of every two of them.
    exact: whether amounts are numbers as answered.
    how: what errors account for, other than strata and clusters.
    low, high: the ends of the intervals of a percentile; None of other kinds, and, as `rest` and
    `waves`, in answers of before 3.0. waves: how many sizes and sums are an average of.
    """

    value: list[float | None]
    error: list[float | None]
    deviation: list[float | None]
    size: list[float | None]
    sample: list[float | None]
    covariance: list[list[float | None]]
    freedom: list[list[float | None]]
    exact: bool
    how: str = ""
    low: list[float | None] | None = None
    high: list[float | None] | None = None
    rest: RestFigures | None = None
    waves: list[float] | None = None


class AmountsAnswer(msgspec.Struct, frozen=True):
    """Answer to a query for statistics of amounts."""

    rows: list[StatisticFigures]


class AxisFigures(Resource, frozen=True):
    """One side of a cell: the row or column audience within the base.

    `percentage` is its share of the base; `intersect_percentage` is 100 × intersect ÷ the size
    of the *other* side.
    """

    audience: str = always("")
    size: float = always(0.0)
    sample: float = always(0.0)
    percentage: float = always(0.0)
    intersect_percentage: float = always(0.0)


class CellAudiences(Resource, frozen=True):
    """Both sides of a cell."""

    row: AxisFigures
    column: AxisFigures


class BaseFigures(Resource, frozen=True):
    """The base audience of a cell."""

    size: float = always(0.0)
    sample: float = always(0.0)


class IntersectFigures(Resource, frozen=True):
    """Row and column audience together, within the base."""

    size: float = always(0.0)
    sample: float = always(0.0)
    percentage: float = always(0.0)
    index: float = always(0.0)


class CrosstabCell(Resource, frozen=True):
    """One object of the crosstab stream: the intersection of one row and one column."""

    audiences: CellAudiences
    base: BaseFigures
    intersect: IntersectFigures
    row: AudienceRef | None = None
    row_index: float | None = None
    column: AudienceRef | None = None
    column_index: float | None = None
    suppressed: bool | None = None
