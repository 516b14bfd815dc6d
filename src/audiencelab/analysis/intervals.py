"""Standard errors and confidence intervals of proportions and indices, and frames with them.

The formulas work on arrays: proportions run from 0 to 1 and an index of 1 is the base; frames have
them times 100. Their sources are in the page "Which differences hold" of the documentation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects, design_words, effects_of_rows
from audiencelab.analysis.measured import UNKNOWN, measured
from audiencelab.analysis.method_note import base_words, percent_words
from audiencelab.analysis.options import (
    DesignEffect,
    checked_level,
    chosen_freedom,
    design_effects,
    require_choice,
    table_effects,
)
from audiencelab.analysis.precision import where_it_matters
from audiencelab.analysis.proportions import crosstab_proportions
from audiencelab.analysis.statistic_intervals import statistic_intervals
from audiencelab.analysis.statistics import beta_quantile, critical_value, t_quantile
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]

IntervalMethod = Literal["wilson", "logit", "beta"]
METHODS: tuple[str, ...] = get_args(IntervalMethod)

LineEffect = Literal["auto"] | float | Sequence[float] | DesignEffects
"""A design effect for all lines of a result, for each of them, or computed of its respondents."""

_METHOD_NAMES = {"wilson": "Wilson", "logit": "logit", "beta": "Korn and Graubard"}

_CROSSTAB = {
    "total_percentage": ("size", "base_size", "base_sample"),
    "column_percentage": ("size", "column_size", "column_sample"),
    "row_percentage": ("size", "row_size", "row_sample"),
    "row_base_percentage": ("row_size", "base_size", "base_sample"),
    "column_base_percentage": ("column_size", "base_size", "base_sample"),
}
"""Which columns of a frame each percentage is made of: part, whole, and sample of the whole."""

_STATS = {
    "column_percentage": ("size", "column_size", "column_sample"),
    "row_percentage": ("size", "row_size", "row_sample"),
}


class Interval(NamedTuple):
    """A standard error, and the ends of an interval; NaN where there is none."""

    error: Floats
    low: Floats
    high: Floats


class IntervalOptions(NamedTuple):
    """Options of intervals, checked; the method is checked where it is used."""

    level: float
    method: str
    degrees_of_freedom: float | None

    @classmethod
    def of(
        cls,
        level: float,
        method: str,
        degrees_of_freedom: float | None,
        design: object = None,
    ) -> IntervalOptions:
        """Raises `ValueError` for options that are not valid."""
        freedom = chosen_freedom(degrees_of_freedom, design)
        return cls(checked_level(level), method, freedom)


def interval_design(result: Any, design: Any) -> tuple[Any, str]:
    """The design effects to use, and a word where "auto" finds no respondents to compute them.

    "auto" are those of `Client.design_effects`; None of equal weights without strata and clusters.
    """
    if not isinstance(design, str):
        return design, ""
    require_choice("design", design, ["auto"])
    if not isinstance(result, CrosstabData | StatsData):
        return None, UNKNOWN
    found = measured(result, effects=True)
    return None if found.effects is None else where_it_matters(found.effects), found.unknown


def intervals_of(
    result: CrosstabData | StatsData | ChartCalculationData,
    level: float,
    method: str = "wilson",
    design: Any = "auto",
    degrees_of_freedom: float | None = None,
) -> pd.DataFrame:
    """The frame of a result with its intervals; see `CrosstabResult.intervals`."""
    effects, unknown = interval_design(result, design)
    options = IntervalOptions.of(level, method, degrees_of_freedom, effects)
    if isinstance(result, CrosstabData):
        frame = _crosstab_intervals(result, options, effects, design)
    else:
        frame = _metric_intervals(result, options, effects)
    if unknown:
        note = str(frame.attrs["method_note"]).removesuffix(".")
        frame.attrs["method_note"] = f"{note}, {unknown}."
    return frame


def share_interval(
    share: Floats,
    base: Floats,
    level: float,
    method: str = "wilson",
    degrees_of_freedom: float | None = None,
    respondents: Floats | None = None,
) -> Interval:
    """The interval of a proportion of `base` respondents.

    `wilson` inverts the score test, `logit` is symmetric on the scale of log odds and is undefined
    at 0 and 100%, `beta` is Korn and Graubard's, which without a design is Clopper and Pearson's.

    respondents: how many were counted, if the base is an effective one; `beta` compares their
        degrees of freedom with those of the design.
    """
    require_choice("method", method, METHODS)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(share * (1 - share) / base)
        if method == "beta":
            people = base if respondents is None else respondents
            worth = base * _freedom_factor(people, level, degrees_of_freedom)
            low, high = _beta(share, worth, level)
        else:
            reach = critical_value(level, degrees_of_freedom)
            low, high = (_wilson if method == "wilson" else _logit)(share, base, reach)
    none = np.isnan(share) | ~(base > 0)
    return Interval(*(np.where(none, np.nan, each) for each in (error, low, high)))


def index_interval(
    share: Floats,
    base: Floats,
    rest: Floats,
    rest_base: Floats,
    part: Floats,
    level: float,
    degrees_of_freedom: float | None = None,
    respondents: Floats | None = None,
) -> Interval:
    """The standard error and interval of `share ÷ (part × share + (1 - part) × rest)`.

    share, base: the column's proportion, and how many respondents it is worth. rest, rest_base:
    the same of the rest of the base. part: how much of the base is in the column.
    respondents: how many were counted in the base, if the bases are effective ones.

    The column is a part of what it is compared with, so both start from three independent
    proportions: in the column, in the rest, and the part itself. The standard error is the delta
    method's. The interval adds up the squares of how far the Wilson interval of each of the three
    moves the logarithm of the index (the method of variance estimates recovery): at 120
    respondents its coverage is more even than that of a symmetric one. An index of 0 has no
    logarithm and no error: its interval ends where the upper end of its proportion puts it.
    """
    reach = critical_value(level, degrees_of_freedom)
    # Where the column is the whole base, the rest is empty and has no weight.
    alone = ~(part < 1)
    other, other_base = np.where(alone, 0.0, rest), np.where(alone, 1.0, rest_base)
    worth = base + other_base
    people = worth if respondents is None else respondents

    def index_of(inside: Floats, outside: Floats, within: Floats) -> Floats:
        return inside / (within * inside + (1 - within) * outside)

    with np.errstate(divide="ignore", invalid="ignore"):
        index = index_of(share, other, part)
        whole = part * share + (1 - part) * other
        by_share = (1 - part) * other / whole / share * np.sqrt(share * (1 - share) / base)
        by_other = (1 - part) / whole * np.sqrt(other * (1 - other) / other_base)
        by_part = (share - other) / whole * np.sqrt(part * (1 - part) / worth)
        # Totals have the variance of n - 1 degrees of freedom, as in R's svytotal.
        once = np.where(people > 1, people / (people - 1), 1.0)
        spread = np.sqrt((by_share**2 + by_other**2 + by_part**2) * once)

        (least, most), (few, many) = _wilson(share, base, reach), _wilson(other, other_base, reach)
        narrow, wide = (np.where(alone, part, end) for end in _wilson(part, worth, reach))
        # A larger part brings the index nearer to 100, from either side.
        lower, upper = np.where(share > other, (wide, narrow), (narrow, wide))

        def distance(inside: Floats, outside: Floats, within: Floats) -> Floats:
            moved = (
                index_of(inside, other, part),
                index_of(share, outside, part),
                index_of(share, other, within),
            )
            return np.sqrt(sum(np.log(each / index) ** 2 for each in moved))

        low = index * np.exp(-distance(least, many, lower))
        high = index * np.exp(distance(most, few, upper))
        nobody = (share == 0) & (whole > 0)
        top = index_of(most, other, part)
    return Interval(
        np.where(nobody, np.nan, index * spread),
        np.where(nobody, 0.0, low),
        np.where(nobody, top, high),
    )


def log_interval(
    index: Floats, spread: Floats, level: float, degrees_of_freedom: float | None = None
) -> Interval:
    """The interval of an index from the standard error of its logarithm."""
    reach = critical_value(level, degrees_of_freedom)
    return Interval(index * spread, index * np.exp(-reach * spread), index * np.exp(reach * spread))


def _wilson(share: Floats, base: Floats, reach: float) -> tuple[Floats, Floats]:
    squared = reach**2 / base
    middle = (share + squared / 2) / (1 + squared)
    half = reach / (1 + squared) * np.sqrt(share * (1 - share) / base + squared / (4 * base))
    # The formula ends at 0 and 100% there; rounding would miss it.
    low = np.where(share > 0, np.maximum(middle - half, 0.0), 0.0)
    return low, np.where(share < 1, np.minimum(middle + half, 1.0), 1.0)


def _logit(share: Floats, base: Floats, reach: float) -> tuple[Floats, Floats]:
    odds = np.log(share / (1 - share))
    half = reach / np.sqrt(base * share * (1 - share))
    inside = (share > 0) & (share < 1)
    low, high = 1 / (1 + np.exp(half - odds)), 1 / (1 + np.exp(-half - odds))
    return np.where(inside, low, np.nan), np.where(inside, high, np.nan)


def _beta(share: Floats, base: Floats, level: float) -> tuple[Floats, Floats]:
    there, tail = share * base, (1 - level) / 2
    away = base - there
    low = np.where(there > 0, beta_quantile(there, away + 1, tail), 0.0)
    high = np.where(away > 0, beta_quantile(there + 1, away, 1 - tail), 1.0)
    return low, high


def _freedom_factor(people: Floats, level: float, degrees_of_freedom: float | None) -> Floats:
    """Korn and Graubard's factor of the base, (t with n - 1 ÷ t of the design)², at most 1."""
    if degrees_of_freedom is None:
        return np.ones_like(people)
    own = people - 1
    ratio = t_quantile((1 + level) / 2, own) / critical_value(level, degrees_of_freedom)
    return np.where(own > degrees_of_freedom, ratio**2, 1.0)


# -- frames ---------------------------------------------------------------------------------------


def _crosstab_intervals(
    result: CrosstabData, options: IntervalOptions, design: DesignEffect | None, given: Any
) -> pd.DataFrame:
    """See `CrosstabResult.intervals`."""
    from audiencelab.results.to_pandas import crosstab_frame, share_frame

    effects = table_effects(design, crosstab_proportions(result))[result.arrived]
    computed = design if isinstance(design, DesignEffects) else None
    index_errors = None if computed is None else computed.index_errors
    spread = None if index_errors is None else index_errors[result.arrived]
    # One for each column or cell says nothing of rows and base.
    of_all = design is None or np.isscalar(design)
    metrics = list(_CROSSTAB) if of_all else ["column_percentage"]
    frame, seen = crosstab_frame(result), share_frame(in_one_scale(result))
    found = {
        name: _percentage_interval(seen, _CROSSTAB[name], effects, options) for name in metrics
    }
    found["index"] = _crosstab_index(seen, effects, options, spread)
    note = _method_note(options, effects, design, linearised=spread is not None)
    if result.statistics is None:
        return _with_intervals(frame, found, note)
    found = {name: _among_lines(each, frame["statistic"] == "") for name, each in found.items()}
    value, words = statistic_intervals(result, options.level, given)
    found["value"] = _among_lines(Interval(*value), frame["statistic"] != "")
    return _with_intervals(frame, found, f"{note} {words}")


def _among_lines(interval: Interval, lines: pd.Series[bool]) -> Interval:
    """The interval of some lines of a frame, in their order, and NaN in the others."""
    places, found = lines.to_numpy(), np.full((3, len(lines)), np.nan)
    found[:, places] = interval
    return Interval(*found)


def _metric_intervals(
    result: StatsData | ChartCalculationData,
    options: IntervalOptions,
    design: Any,
) -> pd.DataFrame:
    """See `StatsResult.intervals` and `ChartCalculationResult.intervals`."""
    from audiencelab.results.to_pandas import calculation_frame, stats_frame

    if isinstance(result, StatsData):
        frame, rows = stats_frame(result), result.rows
    else:
        frame, rows = calculation_frame(result), None
    metrics = tuple(_STATS)
    if not isinstance(design, DesignEffects):
        effects = design_effects(design, (1, len(frame)))[0]
    elif rows is None:
        raise ValueError("Design effects are computed for a stats result, not for a chart.")
    else:
        effects, metrics = effects_of_rows(design, rows), ("column_percentage",)
    found = {name: _percentage_interval(frame, _STATS[name], effects, options) for name in metrics}
    own_bases = isinstance(result, StatsData) and result.who.valid and result.kind != "single"
    found["index"] = _stats_index(frame, effects, options, own_bases=own_bases)
    return _with_intervals(frame, found, _method_note(options, effects, design))


def _percentage_interval(
    frame: pd.DataFrame, columns: tuple[str, str, str], effects: Floats, options: IntervalOptions
) -> Interval:
    part, whole, sample = (_column(frame, name) for name in columns)
    share = _fraction(part, whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        base = sample / effects
    interval = share_interval(share, base, *options, respondents=sample)
    # A proportion that the design fixes is certain.
    fixed = np.isinf(base)
    certain = (0.0, share, share)
    return Interval(*(100 * np.where(fixed, *both) for both in zip(certain, interval, strict=True)))


def _crosstab_index(
    frame: pd.DataFrame, effects: Floats, options: IntervalOptions, spread: Floats | None
) -> Interval:
    part, row = _column(frame, "size"), _column(frame, "row_size")
    column, base = _column(frame, "column_size"), _column(frame, "base_size")
    sample, base_sample = _column(frame, "column_sample"), _column(frame, "base_sample")
    found = _index_interval(part, column, sample, row, base, base_sample, effects, options)
    if spread is None:
        return found
    share, rest = _fraction(part, column), _fraction(row - part, base - column)
    linear = log_interval(
        _column(frame, "index"), spread, options.level, options.degrees_of_freedom
    )
    # Linearisation says nothing of the error of a proportion of 0 or 1.
    inside = (spread > 0) & (share > 0) & (share < 1) & (rest > 0) & (rest < 1)
    return Interval(*(np.where(inside, *both) for both in zip(linear, found, strict=True)))


def _stats_index(
    frame: pd.DataFrame, effects: Floats, options: IntervalOptions, *, own_bases: bool
) -> Interval:
    part, column = _column(frame, "size"), _column(frame, "column_size")
    row, row_sample = _column(frame, "row_size"), _column(frame, "row_sample")
    base, sample = _stats_bases(frame, own_bases=own_bases), _column(frame, "column_sample")
    # A service that rounds may send a base that is smaller than its parts.
    whole, whole_sample = (
        np.maximum(base, column),
        np.maximum(base * _ratio(row_sample, row), sample),
    )
    return _index_interval(part, column, sample, row, whole, whole_sample, effects, options)


def _stats_bases(frame: pd.DataFrame, *, own_bases: bool) -> Floats:
    """The base of each line, float64[lines]: not sent, but it follows from the index.

    An index of 0 does not give it. Lines of the same waves and segment have the same base; the
    one with most people gives it most exactly, as services round.

    own_bases: whether each datapoint and each audience has a base of its own.
    """
    index, part = _column(frame, "index") / 100, _column(frame, "size")
    row, column = _column(frame, "row_size"), _column(frame, "column_size")
    bases = _ratio(index * row * column, part)
    waves: list[Any] = frame["waves"].tolist()
    segments: list[Any] = frame["segment"].tolist() if "segment" in frame else [""] * len(waves)
    names = {"datapoint", "audience"} & set(frame) if own_bases else ()
    own = [frame[name].tolist() for name in names]
    lines: dict[Any, list[int]] = {}
    for line, key in enumerate(zip(segments, waves, *own, strict=True)):
        lines.setdefault(key, []).append(line)
    for same in lines.values():
        widest = max(same, key=lambda line: part[line])
        bases[same] = np.where(np.isnan(bases[same]), bases[widest], bases[same])
    return bases


def _index_interval(
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


def _with_intervals(frame: pd.DataFrame, found: Mapping[str, Interval], note: str) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in frame.columns:
        columns[name] = frame[name]
        if name in found:
            error, low, high = found[name]
            columns |= {f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}
    made = pd.DataFrame(columns)
    made.attrs = {**frame.attrs, "method_note": note}
    return made


def _method_note(
    options: IntervalOptions, effects: Floats, design: object, *, linearised: bool = False
) -> str:
    simple = bool((effects == 1).all())
    freedom, method = options.degrees_of_freedom, _METHOD_NAMES[options.method]
    if options.method == "beta" and simple and freedom is None:
        method = "Clopper and Pearson"  # what it is without a design
    indices = (
        "the same linearisation on the log scale"
        if linearised
        else "the Wilson intervals of the shares in them"
    )
    base, words = "unweighted" if simple else "effective", design_words(design)
    parts = [
        f"{percent_words(options.level)} intervals: percentages by {method}",
        f"indices by {indices}",
        base_words(base, effects, design=words),
        "" if freedom is None else f"t with {freedom:,g} degrees of freedom",
    ]
    return f"{', '.join(filter(None, parts))}."


def _column(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(dtype=np.float64)


def _fraction(part: Floats, whole: Floats) -> Floats:
    """A proportion; metrics that a service rounds may make it slightly more than 1."""
    return np.clip(_ratio(part, whole), 0.0, 1.0)


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
