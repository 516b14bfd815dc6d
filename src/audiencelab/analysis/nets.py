"""Subtotals of answers (nets, top and bottom boxes) and what is made of two of them (scores)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, cast

from audiencelab.analysis.disjointness import (
    Column,
    answers_of,
    codes_of,
    columns_of,
    heads_of,
    require_disjoint,
)
from audiencelab.flags import flag
from audiencelab.results.stats import StatsData
from audiencelab.schema import Metrics, StatsRow

if TYPE_CHECKING:
    import pandas as pd

Stats = TypeVar("Stats", bound=StatsData)


def nets(result: Stats, named: Mapping[str, Sequence[str]], *, disjoint: bool = False) -> Stats:
    """See `StatsResult.nets`."""
    if not isinstance(cast(object, named), Mapping):
        raise TypeError('Nets have names: nets({"Often": ["q1_4", "q1_5"]}).')
    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    codes = {name: codes_of(result, answers) for name, answers in named.items()}
    for name, members in codes.items():
        if not members:
            raise ValueError(f"The net {name!r} needs answers.")
        if name in result.datapoints:
            raise ValueError(f"{name!r} is a row already: give the net a name of its own.")
    added = [
        _net_row(name, [column.rows[code] for code in members if code in column.rows], column)
        for name, members in codes.items()
        for column in columns
    ]
    labels = replace(
        result.labels,
        datapoints={**result.labels.datapoints, **{name: name for name in codes}},
    )
    told = {**result.provenance, "nets": {**result.provenance.get("nets", {}), **codes}}
    return replace(result, rows=(*result.rows, *added), labels=labels, provenance=told)


def boxes(result: Stats, top: int, bottom: int, *, low_first: bool, disjoint: bool) -> Stats:
    """See `StatsResult.boxes`."""
    scale = list(answers_of(result))
    check_boxes(top, bottom, len(scale))
    if flag("low_first", low_first):
        scale.reverse()
    named: dict[str, list[str]] = {}
    if top:
        named[f"Top {top}"] = scale[:top]
    if bottom:
        named[f"Bottom {bottom}"] = scale[len(scale) - bottom :]
    return nets(result, named, disjoint=disjoint)


def check_boxes(top: int, bottom: int, answers: int) -> None:
    """Raise `TypeError` or `ValueError` for boxes that a scale of so many answers does not have."""
    if not all(isinstance(each, int) for each in cast(tuple[object, ...], (top, bottom))):
        raise TypeError(f"Boxes are whole numbers of answers, not {top!r} and {bottom!r}.")
    if top < 0 or bottom < 0 or not 0 < top + bottom <= answers:
        raise ValueError(
            f"Boxes are taken of {answers} answers: {top} and {bottom} are not among them."
        )


def net_score(
    result: StatsData,
    positive: Sequence[str],
    negative: Sequence[str],
    *,
    disjoint: bool = False,
) -> pd.DataFrame:
    """See `StatsResult.net_score`."""
    import pandas as pd

    columns = columns_of(result)
    require_disjoint(result, columns, disjoint)
    above, below = codes_of(result, positive), codes_of(result, negative)
    if both := set(above) & set(below):
        raise ValueError(f"{min(both)} is on both sides of the score: an answer counts once.")
    high = [_share(column, above) for column in columns]
    low = [_share(column, below) for column in columns]
    frame = pd.DataFrame(
        {
            **heads_of(result, columns),
            "positive_percentage": high,
            "negative_percentage": low,
            "net_score": [one - other for one, other in zip(high, low, strict=True)],
            "audience_size": [column.size for column in columns],
            "audience_sample": [column.sample for column in columns],
        }
    )
    recipe = "Points: percentage of the positive answers less that of the negative, of everyone."
    frame.attrs.update(result.provenance, recipe=recipe, positive=above, negative=below)
    return frame


def _share(column: Column, codes: Sequence[str]) -> float:
    size = sum(column.rows[code].metrics.positive_size for code in codes if code in column.rows)
    return 100 * size / column.size if column.size > 0 else float("nan")


def _net_row(name: str, rows: Sequence[StatsRow], column: Column) -> StatsRow:
    """The row of a net: sizes and samples add up, shares are taken of the sums."""
    parts = [row.metrics for row in rows]
    positive = sum(part.positive_size for part in parts)
    datapoint = sum(part.datapoint_size for part in parts)
    # An index is the share over datapoint ÷ base: the largest part tells the base most exactly.
    widest = max(parts, key=lambda part: part.positive_size, default=Metrics())
    base = (
        widest.audience_index * widest.datapoint_size / widest.audience_percentage
        if widest.audience_percentage > 0
        else 0.0
    )
    share = 100 * positive / column.size if column.size > 0 else 0.0
    metrics = Metrics(
        positive_size=positive,
        positive_sample=sum(part.positive_sample for part in parts),
        audience_size=column.size,
        audience_sample=column.sample,
        datapoint_size=datapoint,
        datapoint_sample=sum(part.datapoint_sample for part in parts),
        audience_percentage=share,
        datapoint_percentage=100 * positive / datapoint if datapoint > 0 else 0.0,
        audience_index=share * base / datapoint if datapoint > 0 else 0.0,
    )
    suffixes = rows[0].suffixes if rows else None
    return StatsRow(name, metrics, column.waves, column.segment, column.audience, suffixes)
