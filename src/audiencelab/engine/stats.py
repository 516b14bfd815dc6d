"""A stats query as a table of datapoints against segment × audience; numbers behind bins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from math import nan, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binder import Binder, WaveOrder
from audiencelab.engine.masks import Masks
from audiencelab.engine.nodes import BoundTable, Counted, Node, WaveSet, intersection, members
from audiencelab.engine.tabulator import CrosstabStripe, Tabulator, tabulate
from audiencelab.expressions import Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
from audiencelab.survey.answers import pack, unpack
from audiencelab.survey.record import Sizes

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StatsSpec:
    """The datapoints of one question × segments × audiences.

    question: its code, or `waves`. datapoints: codes; empty means all accessible ones, in
    catalogue order.
    suffixes: merged into each datapoint ("with any of these"); empty means with any at all.
    splitter: `waves` or a question code; segments: its codes, empty means all accessible ones (for
    `waves`, the waves of the query). segmented_base: each segment is the base of its own rows.
    audiences: None or empty means one row per segment, for everyone in the base.
    scope: whom it counts; without waves all accessible ones.
    """

    question: str
    datapoints: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    splitter: str | None = None
    segments: tuple[str, ...] = ()
    segmented_base: bool = False
    audiences: tuple[Expression | None, ...] | None = None
    scope: Scope = DEFAULT_SCOPE


@dataclass(frozen=True, slots=True)
class StatsCell:
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


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """The numbers of one column's respondents; NaN where their weights are all zero.

    mean: Σwx ÷ Σw. median: the number that half of the people are at or below; between two, if
    half are exactly. standard_deviation: √(Σw(x - mean)² ÷ Σw) of the respondents, of which
    `results.deviation` makes what is shown. size: the people who gave a number, averaged over
    waves. sample: the respondents, summed.
    """

    mean: float
    median: float
    standard_deviation: float
    size: float
    sample: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers behind the bins of a stats query.

    columns: each segment and index of an audience (None where the query has none) with its
    summary. datapoints: whose respondents are counted. without: those of them that respondents
    gave without a number. whole: whether all numbers are integers.
    """

    columns: tuple[tuple[str | None, int | None, NumberSummary], ...]
    datapoints: tuple[str, ...]
    without: tuple[str, ...]
    whole: bool


@dataclass(frozen=True, slots=True)
class StatsPlan:
    """A stats query bound to a survey: codes listed in full, nodes made, waves settled.

    segments: (None,) without a splitter; parts: their nodes.
    """

    datapoints: tuple[str, ...]
    points: tuple[Counted, ...]
    segments: tuple[str | None, ...]
    parts: tuple[Counted, ...]
    audiences: tuple[Counted, ...]
    names_audiences: bool
    base: Node
    waves: WaveSet
    segmented_base: bool
    sizes: Sizes

    @classmethod
    def of(
        cls, spec: StatsSpec, binder: Binder, base: Node, waves: WaveSet, sizes: Sizes
    ) -> StatsPlan:
        """Raises `KeyError` for codes that the survey lacks, and segments without a splitter."""
        datapoints = spec.datapoints or binder.datapoints_of(spec.question)
        segments: tuple[str | None, ...] = spec.segments or (None,)
        if spec.splitter is None and spec.segments:
            raise KeyError("segments")
        if spec.splitter is not None and not spec.segments:
            by_wave = spec.splitter == WAVES
            segments = (
                binder.waves.codes_of(waves) if by_wave else binder.datapoints_of(spec.splitter)
            )
        points = [Leaf(spec.question, (code,), spec.suffixes) for code in datapoints]
        parts = [None if code is None else Leaf(spec.splitter or "", (code,)) for code in segments]
        base_of = spec.scope.base_of
        return cls(
            datapoints,
            binder.counted(points, base_of),
            segments,
            binder.counted(parts, base_of),
            binder.counted(spec.audiences or (None,), base_of),
            bool(spec.audiences),
            base,
            waves,
            spec.segmented_base,
            sizes,
        )

    @property
    def table(self) -> BoundTable:
        """The datapoints in each segment × audience."""
        return BoundTable(self.points, self.columns, self.base, self.waves, self.sizes)

    @property
    def columns(self) -> tuple[Counted, ...]:
        """The members of each segment × audience, within one base for all."""
        return tuple(part & audience for part in self.parts for audience in self.audiences)

    @property
    def names(self) -> list[tuple[str | None, int | None]]:
        """Segment and index of the audience of each column."""
        indices = range(len(self.audiences)) if self.names_audiences else [None]
        return list(product(self.segments, indices))

    def rows(self, tabulator: Tabulator, order: WaveOrder) -> Iterator[StatsCell]:
        """Datapoints, then segments, then audiences, each as requested."""
        codes_of, names = cache(order.codes_of), self.names
        # One table over all segments, or in step one for each segment within itself.
        tables = [self.table]
        if self.segmented_base:
            tables = [replace(self.table, **self._within(part)) for part in self.parts]
        # Tables of the same datapoints are cut into the same stripes.
        for stripes in zip(*(tabulate(tabulator, each) for each in tables), strict=True):
            cells = [column for stripe in stripes for column in _columns(stripe)]
            rows = range(stripes[0].start, stripes[0].stop)
            for at, datapoint in enumerate(self.datapoints[rows.start : rows.stop]):
                for (segment, audience), (waves, metrics) in zip(names, cells, strict=True):
                    yield StatsCell(datapoint, segment, audience, codes_of(waves[at]), *metrics[at])

    def _within(self, part: Counted) -> dict[str, Any]:
        """The base and the columns of a segment within itself."""
        columns = [replace(each, offered=each.offered & part.offered) for each in self.audiences]
        return {"base": intersection(self.base, part.node), "columns": columns}

    def numbers(
        self, masks: Masks, rank: Callable[[WaveSet], RankedNumbers | None]
    ) -> Numbers | None:
        """The numbers of each column; None if some wave does not have them.

        rank: the question's numbers in a set of waves (`rank_numbers`); sorting them takes far
            longer than a query.
        """
        coverage = self.points[0].coverage & self.base.coverage & self.waves
        ranked = rank(coverage)
        if ranked is None:
            return None
        # Those who gave any of the datapoints asked for, the same for every column.
        inside = {
            wave.position: np.bitwise_or.reduce(
                [masks.of(point.node, wave.position) for point in self.points]
            )
            for wave in ranked.waves
        }
        summaries = [
            self._summary(
                masks, ranked, inside, column.node, (column.coverage & coverage).bit_count()
            )
            for column in self.columns
        ]
        columns = tuple((*name, each) for name, each in zip(self.names, summaries, strict=True))
        whole = bool((ranked.values == np.floor(ranked.values)).all())
        return Numbers(columns, self.datapoints, tuple(self._without(masks, ranked)), whole)

    def _summary(
        self,
        masks: Masks,
        ranked: RankedNumbers,
        inside: dict[int, NDArray[np.uint64]],
        column: Node,
        waves: int,
    ) -> NumberSummary:
        node = intersection(self.base, column)
        sums, sample = np.zeros(len(ranked.values)), 0
        for wave in ranked.waves:
            mask = masks.counted(node, wave.position) & inside[wave.position]
            chosen = np.flatnonzero(unpack(mask, len(wave.ranks)) & (wave.ranks >= 0))
            weights = wave.weights[chosen]
            sums += np.bincount(wave.ranks[chosen], weights=weights, minlength=len(sums))
            sample += len(chosen)
        return _summarise(ranked.values, sums, self.table.divisor(waves), sample)

    def _without(self, masks: Masks, ranked: RankedNumbers) -> Iterator[str]:
        """Datapoints that respondents of the base gave, all of them without a number."""
        gave = {wave.position: pack(wave.ranks >= 0) for wave in ranked.waves}
        for code, point in zip(self.datapoints, self.points, strict=True):
            node = intersection(self.base, point.node)
            inside = {position: masks.counted(node, position) for position in gave}
            if any(mask.any() for mask in inside.values()) and not any(
                (mask & gave[position]).any() for position, mask in inside.items()
            ):
                yield code


_Column = tuple[list[WaveSet], list[tuple[Any, ...]]]


def _columns(stripe: CrosstabStripe) -> list[_Column]:
    """For each column: the effective waves and the metrics of each row as `StatsCell`."""
    metrics = (
        stripe.intersect.size,
        stripe.intersect.sample,
        stripe.column.size,
        stripe.column.sample,
        stripe.row.size,
        stripe.row.sample,
        stripe.row_intersect_percentage,
        stripe.column_intersect_percentage,
        stripe.index,
        stripe.base.size,
    )
    # Python numbers in one call: taking them out of arrays one by one is far slower.
    by_column = zip(*(metric.T.tolist() for metric in metrics), strict=True)
    return [
        (stripe.waves(column), list(zip(*metric, strict=True)))
        for column, metric in enumerate(by_column)
    ]


@dataclass(frozen=True, slots=True)
class RankedWave:
    """The respondents of a wave by their number. ranks: of each one's number, -1 for none."""

    position: int
    ranks: NDArray[np.int32]
    weights: Floats


@dataclass(frozen=True, slots=True)
class RankedNumbers:
    """The different numbers of a question, ascending, and which respondents gave which."""

    values: Floats
    waves: tuple[RankedWave, ...]


def rank_numbers(masks: Masks, question: str, waves: WaveSet) -> RankedNumbers | None:
    """The numbers of a question in some waves; None if one of them does not have them."""
    frames = {position: masks.frame(position) for position in members(waves)}
    given = {position: frame.wave.numbers(question) for position, frame in frames.items()}
    known = {position: numbers for position, numbers in given.items() if numbers is not None}
    if len(known) < len(frames) or not frames:
        return None
    values = np.unique(np.concatenate(list(known.values())))
    values = values[~np.isnan(values)]
    return RankedNumbers(
        values,
        tuple(
            RankedWave(
                position,
                # `searchsorted` puts NaN at the end, beyond the last rank.
                np.where(np.isnan(numbers), np.int32(-1), np.searchsorted(values, numbers)).astype(
                    np.int32
                ),
                frames[position].weights.reshape(-1)[: len(numbers)],
            )
            for position, numbers in known.items()
        ),
    )


def _summarise(values: Floats, sums: Floats, divisor: int, sample: int) -> NumberSummary:
    """The summary of numbers by the weight of each; exact sums, so half of the people is half."""
    total = float(sums.sum())
    if not total > 0:
        return NumberSummary(nan, nan, nan, 0.0, sample)
    mean = float((sums * values).sum()) / total
    spread = sqrt(float((sums * np.square(values - mean)).sum()) / total)
    reached: Floats = np.cumsum(sums)
    half = float(reached[-1]) / 2
    # The two differ only where exactly half of the weight is at or below a number.
    at_half = int(np.searchsorted(reached, half, "left"))
    beyond = int(np.searchsorted(reached, half, "right"))
    median = float(values[at_half] + values[beyond]) / 2
    return NumberSummary(mean, median, spread, total / divisor, sample)
