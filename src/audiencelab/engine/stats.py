"""A stats query as tables: datapoints against segment × audience, and rows in request order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from audiencelab.engine.binding import Binder, Node, both
from audiencelab.engine.kernel import Counts, Sums
from audiencelab.engine.metrics import affinity_index, share
from audiencelab.engine.queries import StatsRow, StatsSpec
from audiencelab.engine.sums import Tabulator
from audiencelab.engine.tables import Scoped, Stripe, tabulate
from audiencelab.engine.waves import WaveOrder, WaveSet
from audiencelab.expressions import Leaf
from audiencelab.expressions.codes import WAVES

__all__ = ["StatsFigures", "StatsPlan"]


@dataclass(frozen=True, slots=True)
class StatsPlan:
    """A stats query bound to a survey: codes listed in full, nodes made, waves settled.

    segments: None without a splitter.
    """

    datapoints: tuple[str, ...]
    points: tuple[Scoped, ...]
    segments: tuple[str, ...] | None
    parts: tuple[Scoped, ...]
    audiences: tuple[Node, ...]
    names_audiences: bool
    base: Node
    waves: WaveSet
    segmented_base: bool

    @classmethod
    def of(
        cls, spec: StatsSpec, binder: Binder, order: WaveOrder, base: Node, waves: WaveSet
    ) -> StatsPlan:
        datapoints = spec.datapoints or binder.datapoints_of(spec.question)
        points = [binder.bind(Leaf(spec.question, (code,), spec.suffixes)) for code in datapoints]
        segments = _segments(spec, binder, order, waves)
        return cls(
            datapoints=datapoints,
            points=tuple(Scoped.of(point) for point in points),
            segments=segments,
            parts=_parts(spec.splitter, segments, binder),
            audiences=tuple(binder.bind(each) for each in spec.audiences or (None,)),
            names_audiences=bool(spec.audiences),
            base=base,
            waves=waves,
            segmented_base=spec.segmented_base,
        )

    def rows(self, tabulator: Tabulator, order: WaveOrder) -> Iterator[StatsRow]:
        """Datapoints, then segments, then audiences, each as requested."""
        codes_of = cache(order.codes_of)
        for stripes in self._stripes(tabulator):
            tables = [_Columns(stripe) for stripe in stripes]
            for place in range(stripes[0].stop - stripes[0].start):
                datapoint = self.datapoints[stripes[0].start + place]
                for segment, audience, table, column in self._cells(tables):
                    waves = codes_of(table.stripe.effective(place, column))
                    yield StatsRow(
                        datapoint, segment, audience, waves, *table.figures(place, column)
                    )

    @property
    def columns(self) -> tuple[Scoped, ...]:
        """Who is in each segment × audience, within one base for all."""
        return tuple(
            Scoped(both(part.node, audience), part.coverage & audience.coverage)
            for part in self.parts
            for audience in self.audiences
        )

    def _stripes(self, tabulator: Tabulator) -> Iterator[tuple[Stripe, ...]]:
        """Stripes of one table over all segments, or in step of one table for each segment."""
        if not self.segmented_base:
            base = Scoped.of(self.base)
            table = tabulate(tabulator, self.points, self.columns, base, self.waves)
            return ((stripe,) for stripe in table)
        tables = [
            tabulate(
                tabulator,
                self.points,
                [
                    Scoped(audience, part.coverage & audience.coverage)
                    for audience in self.audiences
                ],
                Scoped(both(self.base, part.node), self.base.coverage),
                self.waves,
            )
            for part in self.parts
        ]
        return zip(*tables, strict=True)

    def _cells(
        self, tables: list[_Columns]
    ) -> Iterator[tuple[str | None, int | None, _Columns, int]]:
        """Segment, audience, and the table and column that hold their figures."""
        for part in range(len(self.parts)):
            segment = None if self.segments is None else self.segments[part]
            for place in range(len(self.audiences)):
                audience = place if self.names_audiences else None
                if self.segmented_base:
                    yield segment, audience, tables[part], place
                else:
                    yield segment, audience, tables[0], part * len(self.audiences) + place


class StatsFigures(NamedTuple):
    """The figures of a stripe, named and in the order of `StatsRow`, each [rows, columns]."""

    positive_size: Sums
    positive_sample: Counts
    audience_size: Sums
    audience_sample: Counts
    datapoint_size: Sums
    datapoint_sample: Counts
    audience_percentage: Sums
    datapoint_percentage: Sums
    audience_index: Sums
    base_size: Sums

    @classmethod
    def of(cls, stripe: Stripe) -> StatsFigures:
        """Rows are datapoints, columns audiences."""
        positive, audience, datapoint = stripe.intersect, stripe.column, stripe.row
        return cls(
            positive.size,
            positive.sample,
            audience.size,
            audience.sample,
            datapoint.size,
            datapoint.sample,
            share(positive.size, audience.size),
            share(positive.size, datapoint.size),
            affinity_index(positive.size, datapoint.size, audience.size, stripe.base.size),
            stripe.base.size,
        )


class _Columns:
    """The figures of one stripe as lists of Python numbers."""

    def __init__(self, stripe: Stripe) -> None:
        self.stripe = stripe
        self._columns = [column.tolist() for column in StatsFigures.of(stripe)]

    def figures(self, row: int, column: int) -> Iterator[Any]:
        return (figures[row][column] for figures in self._columns)


def _segments(
    spec: StatsSpec, binder: Binder, order: WaveOrder, waves: WaveSet
) -> tuple[str, ...] | None:
    if spec.splitter is None:
        return None
    if spec.segments:
        return spec.segments
    return order.codes_of(waves) if spec.splitter == WAVES else binder.datapoints_of(spec.splitter)


def _parts(
    splitter: str | None, segments: tuple[str, ...] | None, binder: Binder
) -> tuple[Scoped, ...]:
    """The segments, each with the waves that asked the splitter (of `waves`, its own)."""
    if splitter is None or segments is None:
        return (Scoped.of(binder.everyone),)
    return tuple(Scoped.of(binder.bind(Leaf(splitter, (code,)))) for code in segments)
