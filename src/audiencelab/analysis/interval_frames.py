"""Frames with margins: beside each percentage and index its standard error and interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, design_words
from audiencelab.analysis.effective_base import DesignEffect, design_effects, table_effects
from audiencelab.analysis.intervals import (
    Interval,
    index_interval,
    log_interval,
    share_interval,
)
from audiencelab.analysis.options import (
    base_words,
    checked_level,
    chosen_freedom,
    percent_words,
)
from audiencelab.analysis.prepare import without_weight_0
from audiencelab.analysis.proportions import crosstab_shares
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.results.to_pandas import calculation_frame, crosstab_frame, stats_frame

Floats = NDArray[np.float64]


class IntervalOptions(NamedTuple):
    """What whoever asks for intervals may choose, checked."""

    level: float
    method: str
    degrees_of_freedom: float | None

    @classmethod
    def of(
        cls,
        level: float,
        method: str,
        degrees_of_freedom: float | None,
        design_effect: object = None,
    ) -> IntervalOptions:
        """Raises `ValueError` for what cannot be; the method is checked where it is used."""
        freedom = chosen_freedom(degrees_of_freedom, design_effect)
        return cls(checked_level(level), method, freedom)


class _Share(NamedTuple):
    """Which columns a percentage is made of."""

    part: str
    whole: str
    sample: str


_CROSSTAB: Mapping[str, _Share] = {
    "percentage": _Share("size", "base_size", "base_sample"),
    "column_percentage": _Share("size", "column_size", "column_sample"),
    "row_percentage": _Share("size", "row_size", "row_sample"),
    "row_base_percentage": _Share("row_size", "base_size", "base_sample"),
    "column_base_percentage": _Share("column_size", "base_size", "base_sample"),
}

_STATS: Mapping[str, _Share] = {
    "audience_percentage": _Share("positive_size", "audience_size", "audience_sample"),
    "datapoint_percentage": _Share("positive_size", "datapoint_size", "datapoint_sample"),
}

_OF_THE_COLUMN = ("column_percentage", "index")
"""Figures of a crosstab that a design effect of the column is about."""

_OF_THE_AUDIENCE = ("audience_percentage",)
"""Shares of a stats result that its computed design effects are about."""

LineEffect = float | Sequence[float] | DesignEffects
"""A design effect for all lines of a result, for each of them, or computed of its respondents."""


def crosstab_intervals(
    result: CrosstabData, options: IntervalOptions, design_effect: DesignEffect | None
) -> pd.DataFrame:
    """See `CrosstabResult.intervals`."""
    frame, counted = crosstab_frame(result), without_weight_0(result)
    effects = table_effects(design_effect, crosstab_shares(counted))[result.arrived]
    computed = design_effect.index_errors if isinstance(design_effect, DesignEffects) else None
    spread = None if computed is None else computed[result.arrived]
    one_for_all = design_effect is None or np.ndim(_plain(design_effect)) == 0
    figures = [name for name in (*_CROSSTAB, "index") if one_for_all or name in _OF_THE_COLUMN]
    seen = frame if counted is result else crosstab_frame(counted)
    found = {
        name: _index_of_crosstab(seen, effects, options, spread)
        if name == "index"
        else _share(seen, _CROSSTAB[name], effects, options)
        for name in figures
    }
    return _beside(frame, found, _recipe(options, effects, design_effect, spread))


def metric_intervals(
    result: StatsData | ChartCalculationData,
    options: IntervalOptions,
    design_effect: LineEffect | None,
) -> pd.DataFrame:
    """See `StatsResult.intervals`, and that of a chart's calculation."""
    of_stats = isinstance(result, StatsData)
    frame = stats_frame(result) if of_stats else calculation_frame(result)
    counted: Any = without_weight_0(result) if of_stats else result
    seen = frame if counted is result else stats_frame(counted)
    if isinstance(design_effect, DesignEffects):
        if not of_stats:
            raise ValueError("Design effects are computed for a stats result and for no chart.")
        each, figures = design_effect.of_lines(counted.rows), _OF_THE_AUDIENCE
    else:
        # One number for each line: lines are what a stats result has in place of columns.
        each, figures = design_effects(design_effect, (1, len(frame)))[0], tuple(_STATS)
    found = {name: _share(seen, _STATS[name], each, options) for name in figures}
    found["audience_index"] = _index_of_stats(seen, each, options)
    return _beside(frame, found, _recipe(options, each, design_effect))


def _plain(design_effect: DesignEffect) -> Any:
    if isinstance(design_effect, DesignEffects):
        return design_effect.effects
    return list(design_effect) if isinstance(design_effect, Mapping) else design_effect


def _share(
    frame: pd.DataFrame, made_of: _Share, effects: Floats, options: IntervalOptions
) -> Interval:
    part, whole, sample = (_column(frame, name) for name in made_of)
    share = _fraction(part, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        base = sample / effects
    interval = share_interval(share, base, *options, respondents=sample)
    # Where the design fixes a share there is nothing around it.
    fixed = np.isinf(base)
    error, low, high = (
        np.where(fixed, settled, each)
        for each, settled in zip(interval, (0.0, share, share), strict=True)
    )
    return Interval(100 * error, 100 * low, 100 * high)


def _index_of_crosstab(
    frame: pd.DataFrame, effects: Floats, options: IntervalOptions, spread: Floats | None
) -> Interval:
    column, base = _column(frame, "column_size"), _column(frame, "base_size")
    found = _index(
        part=_column(frame, "size"),
        column=column,
        sample=_column(frame, "column_sample"),
        row=_column(frame, "row_size"),
        base=base,
        base_sample=_column(frame, "base_sample"),
        effects=effects,
        options=options,
    )
    if spread is None:
        return found
    part, row = _column(frame, "size"), _column(frame, "row_size")
    share, rest = _fraction(part, column), _fraction(row - part, base - column)
    told = log_interval(_column(frame, "index"), spread, options.level, options.degrees_of_freedom)
    # Of a share of 0 or 1 no linearisation knows how far it may lie.
    inside = (spread > 0) & (share > 0) & (share < 1) & (rest > 0) & (rest < 1)
    return Interval(*(np.where(inside, *both) for both in zip(told, found, strict=True)))


def _index_of_stats(frame: pd.DataFrame, effects: Floats, options: IntervalOptions) -> Interval:
    part, column = _column(frame, "positive_size"), _column(frame, "audience_size")
    row, row_sample = _column(frame, "datapoint_size"), _column(frame, "datapoint_sample")
    base = _base_of_stats(frame)
    sample = _column(frame, "audience_sample")
    return _index(
        part=part,
        column=column,
        sample=sample,
        row=row,
        # A service that rounds may tell of a base that is smaller than what is in it.
        base=np.maximum(base, column),
        base_sample=np.maximum(base * _ratio(row_sample, row), sample),
        effects=effects,
        options=options,
    )


def _base_of_stats(frame: pd.DataFrame) -> Floats:
    """The people of each line's base: not sent, but they follow from the figures that are.

    An index of 0 tells nothing of its base. Another line of the same waves and segment has the
    same base; the one of most people tells it best, for services round.
    """
    index, part = _column(frame, "audience_index") / 100, _column(frame, "positive_size")
    row, column = _column(frame, "datapoint_size"), _column(frame, "audience_size")
    bases = _ratio(index * row * column, part)
    waves: list[Any] = frame["waves"].tolist()
    segments: list[Any] = frame["segment"].tolist() if "segment" in frame else [""] * len(waves)
    lines: dict[Any, list[int]] = {}
    for line, (segment, asked) in enumerate(zip(segments, waves, strict=True)):
        lines.setdefault((segment, *asked), []).append(line)
    for alike in lines.values():
        widest = max(alike, key=lambda line: part[line])
        bases[alike] = np.where(np.isnan(bases[alike]), bases[widest], bases[alike])
    return bases


def _index(
    *,
    part: Floats,
    column: Floats,
    sample: Floats,
    row: Floats,
    base: Floats,
    base_sample: Floats,
    effects: Floats,
    options: IntervalOptions,
) -> Interval:
    with np.errstate(divide="ignore", invalid="ignore"):
        worth, rest_worth = sample / effects, (base_sample - sample) / effects
    interval = index_interval(
        _fraction(part, column),
        worth,
        _fraction(row - part, base - column),
        rest_worth,
        _fraction(column, base),
        options.level,
        options.degrees_of_freedom,
        respondents=base_sample,
    )
    return Interval(*(100 * each for each in interval))


def _beside(frame: pd.DataFrame, found: Mapping[str, Interval], recipe: str) -> pd.DataFrame:
    """The frame, with three columns after each figure that has an interval."""
    columns: dict[str, Any] = {}
    for name in frame.columns:
        columns[name] = frame[name]
        if name in found:
            error, low, high = found[name]
            columns |= {f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}
    made = pd.DataFrame(columns)
    made.attrs = {**frame.attrs, "recipe": recipe}
    return made


def _recipe(
    options: IntervalOptions, effects: Floats, design_effect: object, spread: Floats | None = None
) -> str:
    simple = bool((effects == 1).all())
    freedom = options.degrees_of_freedom
    method = _NAMES[options.method]
    if options.method == "beta" and simple and freedom is None:
        method = "Clopper and Pearson"  # what it is where there is no design
    indices = (
        "the Wilson intervals of the shares in them"
        if spread is None
        else "the same linearisation on the log scale"
    )
    parts = [
        f"{percent_words(options.level)} intervals: percentages by {method}",
        f"indices by {indices}",
        base_words(
            "unweighted" if simple else "effective", effects, design=design_words(design_effect)
        ),
        "" if freedom is None else f"t with {freedom:,g} degrees of freedom",
    ]
    return f"{', '.join(filter(None, parts))}."


_NAMES = {"wilson": "Wilson", "logit": "logit", "beta": "Korn and Graubard"}


def _column(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(dtype=np.float64)


def _fraction(part: Floats, whole: Floats) -> Floats:
    """A share; figures that a service rounds may make it a hair more than everyone."""
    return np.clip(_ratio(part, whole), 0.0, 1.0)


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
