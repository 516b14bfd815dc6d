"""Mean, median and spread of the numbers that respondents gave, for each column of a table.

A survey keeps the numbers behind a question's bands. The weight of each different number is summed
on the grid of weights, so that it is exact in any order; everything else follows from these sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import nan, sqrt

import numpy as np
from numpy.typing import NDArray

from audiencelab.engine.binding import Node, both
from audiencelab.engine.masks import Masks
from audiencelab.engine.stats import StatsPlan
from audiencelab.engine.waves import WaveSet, members
from audiencelab.survey.answers import pack, unpack

__all__ = ["NumberSummary", "Numbers", "RankedNumbers", "rank_numbers", "summarise"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NumberSummary:
    """The numbers of one column's respondents; NaN where none of them weighs anything.

    mean: Σwx ÷ Σw. median: the number that half of the people are at or below; between two, if
    half are exactly. standard_deviation: √(Σw(x - mean)² ÷ Σw). size: the people who gave a
    number, averaged over waves. sample: the respondents, summed.
    """

    mean: float
    median: float
    standard_deviation: float
    size: float
    sample: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers behind the bands of a stats query.

    columns: each segment and place of an audience (None where the query has none) with its
    summary. datapoints: whose respondents are counted. without: those of them that respondents
    gave without a number.
    """

    columns: tuple[tuple[str | None, int | None, NumberSummary], ...]
    datapoints: tuple[str, ...]
    without: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Wave:
    """Who of a wave gave which number. places: of each respondent's number, -1 for none."""

    place: int
    places: NDArray[np.int32]
    weights: Floats

    def gave(self) -> NDArray[np.uint64]:
        return pack(self.places >= 0)


@dataclass(frozen=True, slots=True)
class RankedNumbers:
    """The different numbers of a question, ascending, and who gave which."""

    values: Floats
    waves: tuple[_Wave, ...]


def summarise(
    masks: Masks,
    plan: StatsPlan,
    rank: Callable[[WaveSet], RankedNumbers | None],
) -> Numbers | None:
    """The numbers of each column of a query; None if some wave does not have them.

    rank: the question's numbers in a set of waves (`rank_numbers`), which the engine keeps:
        sorting them takes far longer than a query.
    """
    points = {code: each.node for code, each in zip(plan.datapoints, plan.points, strict=True)}
    coverage = plan.points[0].coverage & plan.base.coverage & plan.waves
    ranked = rank(coverage)
    if ranked is None:
        return None
    values, held = ranked.values, ranked.waves
    inside = {place: _any(masks, points.values(), place) for place in members(coverage)}
    made: list[NumberSummary] = []
    for column in plan.columns:
        node = both(plan.base, column.node)
        sums, sample = np.zeros(len(values)), 0
        for wave in held:
            mask = masks.of(node, wave.place) & inside[wave.place]
            chosen = np.flatnonzero(unpack(mask, len(wave.places)) & (wave.places >= 0))
            weights = wave.weights[chosen]
            sums += np.bincount(wave.places[chosen], weights=weights, minlength=len(values))
            sample += len(chosen)
        effective = (column.coverage & coverage).bit_count()
        made.append(_summary(values, sums, effective, sample))
    places = range(len(plan.audiences)) if plan.names_audiences else [None]
    names = product(plan.segments or [None], places)
    columns = tuple((*name, each) for name, each in zip(names, made, strict=True))
    return Numbers(columns, plan.datapoints, tuple(_without(masks, points, plan.base, held)))


def rank_numbers(masks: Masks, question: str, waves: WaveSet) -> RankedNumbers | None:
    """The numbers of a question in some waves; None if one of them does not have them."""
    frames = [masks.frame(place) for place in members(waves)]
    given = [frame.wave.numbers(question) for frame in frames]
    known = [numbers for numbers in given if numbers is not None]
    if len(known) < len(frames) or not frames:
        return None
    values = np.unique(np.concatenate(known))
    values = values[~np.isnan(values)]
    places = (np.searchsorted(values, numbers).astype(np.int32) for numbers in known)
    return RankedNumbers(
        values,
        tuple(
            _Wave(
                frame.place,
                np.where(np.isnan(numbers), np.int32(-1), ranks),
                frame.weights.reshape(-1)[: len(numbers)],
            )
            for frame, numbers, ranks in zip(frames, known, places, strict=True)
        ),
    )


def _any(masks: Masks, points: Iterable[Node], place: int) -> NDArray[np.uint64]:
    return np.bitwise_or.reduce([masks.of(point, place) for point in points])


def _without(
    masks: Masks, points: Mapping[str, Node], base: Node, waves: Sequence[_Wave]
) -> Iterator[str]:
    gave = {wave.place: wave.gave() for wave in waves}
    for code, point in points.items():
        inside = {place: masks.of(both(base, point), place) for place in gave}
        if any(mask.any() for mask in inside.values()) and not any(
            (mask & gave[place]).any() for place, mask in inside.items()
        ):
            yield code


def _summary(values: Floats, sums: Floats, waves: int, sample: int) -> NumberSummary:
    total = float(sums.sum())
    if not total > 0:
        return NumberSummary(nan, nan, nan, 0.0, sample)
    mean = float((sums * values).sum()) / total
    spread = sqrt(float((sums * np.square(values - mean)).sum()) / total)
    return NumberSummary(mean, _median(values, sums), spread, total / waves, sample)


def _median(values: Floats, sums: Floats) -> float:
    reached: Floats = np.cumsum(sums)
    # Sums are exact, so that half of the people is half.
    half = float(reached[-1]) / 2
    at_least, beyond = (np.searchsorted(reached, half, side) for side in ("left", "right"))
    return float(values[at_least] + values[beyond]) / 2
