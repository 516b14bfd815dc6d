"""Frames of results with the standard errors and confidence intervals of their figures.

How sure each figure is follows from `precision_of`, as in tests; the formulas are in
`interval_formulas`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.interval_formulas import (
    METHODS,
    Interval,
    index_interval,
    log_interval,
    share_interval,
)
from audiencelab.analysis.interval_notes import Noted, chart_words, method_note
from audiencelab.analysis.options import (
    checked_level,
    chosen_freedom,
    design_effects,
    require_choice,
)
from audiencelab.analysis.precision import TablePrecision, given_design, precision_of
from audiencelab.analysis.proportions import positions_of
from audiencelab.analysis.reliability import RULES, Published
from audiencelab.analysis.statistic_intervals import statistic_intervals
from audiencelab.analysis.sure_shares import (
    Asked,
    Shares,
    Sure,
    linearised_of,
    sure_of,
    sure_of_others,
)
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.dtypes import text_column
from audiencelab.results.stats import StatsData
from audiencelab.schema.query import StatsQuery

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Places = tuple[NDArray[np.intp], NDArray[np.intp]]
Result = CrosstabData | StatsData | ChartCalculationData

LineEffect = Literal["auto"] | float | Sequence[float] | DesignEffects
"""A design effect for all lines of a result, for each of them, or computed of its respondents."""

_OWN = "column_percentage"

_CROSSTAB = {
    "total_percentage": ("size", "base_size", "base_sample"),
    _OWN: ("size", "column_size", "column_sample"),
    "row_percentage": ("size", "row_size", "row_sample"),
    "row_base_percentage": ("row_size", "base_size", "base_sample"),
    "column_base_percentage": ("column_size", "base_size", "base_sample"),
}
"""Which columns of a frame each percentage is made of: part, whole, and sample of the whole."""

_STATS = {name: _CROSSTAB[name] for name in (_OWN, "row_percentage")}


class IntervalOptions(NamedTuple):
    """Options of intervals, checked. degrees_of_freedom: None for those of each figure."""

    level: float
    method: str
    degrees_of_freedom: float | None
    precision: str | None

    @classmethod
    def of(
        cls,
        level: float,
        method: str = "wilson",
        degrees_of_freedom: float | None = None,
        precision: str | None = None,
    ) -> IntervalOptions:
        """Raises `ValueError` for options that are not valid."""
        require_choice("method", method, METHODS)
        if precision is not None:
            require_choice("precision", precision, RULES)
        freedom = chosen_freedom(degrees_of_freedom, None)
        if degrees_of_freedom is not None and freedom is None:
            freedom = np.inf
        return cls(checked_level(level), method, freedom, precision)

    def freedom(self, known: Floats) -> Floats:
        """The degrees of freedom to take; NaN where there are fewer than 1, for no interval."""
        if self.degrees_of_freedom is not None:
            return np.full_like(known, self.degrees_of_freedom)
        return np.where(known >= 1, known, np.nan)


class FrameWithIntervals(NamedTuple):
    """A frame with intervals. design: what they are of, in a few words for a chart.

    missing: why percentages have none, by their names. freedom: degrees of freedom of the column
    percentages, a number for each line of shares.
    """

    frame: pd.DataFrame
    design: str
    missing: Mapping[str, str]
    freedom: Floats


class _Lines(NamedTuple):
    """The lines of a result's frame that have percentages.

    frame: as users see it. seen: the figures that intervals are of, in the same lines.
    percentages: what each is made of. places: the row and the column of each line in the table.
    whole, whole_sample: the base of each index.
    """

    frame: pd.DataFrame
    seen: pd.DataFrame
    percentages: Mapping[str, tuple[str, str, str]]
    places: Places
    whole: Floats
    whole_sample: Floats

    def column(self, name: str) -> Floats:
        return self.seen[name].to_numpy(dtype=np.float64)

    def shares(self, name: str) -> Shares:
        part, whole, sample = (self.column(each) for each in self.percentages[name])
        return Shares(_fraction(part, whole), sample)


def intervals_of(
    result: Result,
    level: float,
    method: str = "wilson",
    design: Any = "auto",
    degrees_of_freedom: float | None = None,
    precision: str | None = None,
) -> pd.DataFrame:
    """The frame of a result with its intervals; see `CrosstabResult.intervals`."""
    options = IntervalOptions.of(level, method, degrees_of_freedom, precision)
    return measured_intervals(result, options, design).frame


def measured_intervals(
    result: Result, options: IntervalOptions, design: Any = "auto", only: str | None = None
) -> FrameWithIntervals:
    """The same for given options; only: the figure whose interval is needed."""
    lines = _lines(result)
    precision, own = _own(result, lines, design)
    found: dict[str, Interval] = {}
    missing: dict[str, str] = {}
    for name, sure in _percentages(result, lines, design, precision, own, only).items():
        if isinstance(sure, str):
            missing[name] = sure
            # NaN effects keep the columns of the frame and leave them empty.
            sure = own._replace(effects=np.full_like(own.effects, np.nan))
        found[name] = _percentage_interval(lines.shares(name), sure, options)
    found["index"] = _index(result, lines, precision, own, options)
    note = method_note(_noted(lines, precision, own, options, missing))
    marks = None
    if options.precision is not None:
        value, sample = lines.shares(_OWN)
        marks = RULES[options.precision].marks(
            Published(value, sample, _base(sample, own), own.freedom)
        )
    frame = lines.frame
    if isinstance(result, CrosstabData) and result.statistics is not None:
        # Lines of statistics have no percentages, only a `value`.
        shares = (frame["statistic"] == "").to_numpy()
        found = {name: _among_lines(each, shares) for name, each in found.items()}
        of_rows = statistic_intervals(result, options.level, design, options.degrees_of_freedom)
        found["value"] = _among_lines(Interval(*of_rows[:3]), ~shares)
        note = f"{note} {of_rows.how}"
        if marks is not None:
            among = np.full(len(frame), "", dtype=object)
            among[shares] = marks
            marks = among
    return FrameWithIntervals(
        _with_intervals(frame, found, marks, note),
        chart_words(precision),
        missing,
        options.freedom(own.freedom),
    )


# -- how sure each percentage is ------------------------------------------------------------------


def _own(result: Result, lines: _Lines, design: Any) -> tuple[TablePrecision | None, Sure]:
    """The precision of a table, None where design effects are given line by line; and of lines."""
    of_table = isinstance(result, CrosstabData) or type(design) in (str, DesignEffects)
    if not isinstance(result, ChartCalculationData) and of_table:
        precision = precision_of(result, design)
        return precision, sure_of(precision).at(lines.places)
    given = given_design(design)
    if isinstance(given, DesignEffects):
        raise ValueError("Design effects are computed for a stats result, not for a chart.")
    effects = design_effects(given, (1, len(lines.seen)))[0]
    return None, Sure(effects, np.full_like(effects, np.inf))


def _percentages(
    result: Result,
    lines: _Lines,
    design: Any,
    precision: TablePrecision | None,
    own: Sure,
    only: str | None,
) -> dict[str, Asked]:
    """How sure each percentage is, or why that is not known, in the order of the frame."""
    names = [name for name in lines.percentages if only in (None, name) or name == _OWN]
    computed = None if precision is None else precision.computed
    if computed is None:
        # Several design effects of a table are those of its columns or cells.
        of_all = (
            precision is None or isinstance(design, str) or design is None or np.isscalar(design)
        )
        return dict.fromkeys(names if of_all else [_OWN], own)
    assert precision is not None
    if precision.refused:
        return dict.fromkeys(names, own)
    if not precision.automatic:
        return {_OWN: own}
    assert not isinstance(result, ChartCalculationData)
    shares = {name: lines.shares(name) for name in names if name != _OWN}
    others = sure_of_others(result, shares, lines.places)
    return {name: own if name == _OWN else others[name] for name in names}


def _base(sample: Floats, sure: Sure) -> Floats:
    """How many respondents each proportion is worth, infinitely many if the design fixes it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return sample / sure.effects


def _percentage_interval(shares: Shares, sure: Sure, options: IntervalOptions) -> Interval:
    share, sample = shares
    base = _base(sample, sure)
    interval = share_interval(
        share,
        base,
        options.level,
        options.method,
        options.freedom(sure.freedom),
        respondents=sample,
        # logit and beta are R's `svyciprop`, which has no such bound.
        most=sure.most(sample) if options.method == "wilson" else None,
        log_odds_error=sure.log_odds_error,
    )
    # A proportion that the design fixes is certain.
    fixed = np.isinf(base)
    certain = (0.0, share, share)
    return Interval(*(100 * np.where(fixed, *both) for both in zip(certain, interval, strict=True)))


# -- indices --------------------------------------------------------------------------------------


def _index(
    result: Result,
    lines: _Lines,
    precision: TablePrecision | None,
    own: Sure,
    options: IntervalOptions,
) -> Interval:
    part, row = lines.column("size"), lines.column("row_size")
    column, sample = lines.column("column_size"), lines.column("column_sample")
    share, rest = _fraction(part, column), _fraction(row - part, lines.whole - column)
    rest_sample, people = lines.whole_sample - sample, lines.whole_sample
    base, rest_base, freedom = _base(sample, own), _base(rest_sample, own), own.freedom
    linearised = None if precision is None else linearised_of(precision, lines.places)
    if linearised is not None:
        of_rest = linearised.rest_freedom
        # A column that is the whole base has no rest, and its index no error. Where columns are
        # waves the service counts no rest of them, and the figures are those of other tables.
        freedom = np.where(np.isnan(of_rest), freedom, of_rest)
        freedom = np.where(np.isnan(rest), np.inf, freedom)
        base, rest_base = own.capped(base, sample), own.capped(rest_base, rest_sample)
        # Linearised variances have the factor n ÷ (n - 1) already.
        people = np.full_like(people, np.inf)
    freedom, part_of_base = options.freedom(freedom), _fraction(column, lines.whole)
    found = index_interval(
        share, base, rest, rest_base, part_of_base, options.level, freedom, respondents=people
    )
    found = Interval(*(100 * each for each in found))
    if linearised is None or _has_segmented_base(result):
        return found
    linear = log_interval(lines.column("index"), linearised.index_error, options.level, freedom)
    known = ~np.isnan(linearised.rest_freedom) & ~np.isnan(found.error)
    error = np.where(known, linear.error, found.error)
    # Linearisation says nothing of the error of a proportion of 0 or 1.
    inside = known & (error > 0) & (share > 0) & (share < 1) & (rest > 0) & (rest < 1)
    ends = zip(linear[1:], found[1:], strict=True)
    return Interval(error, *(np.where(inside, *both) for both in ends))


def _has_segmented_base(result: Result) -> bool:
    """Whether each segment is the base of its own indices, which precision is not of."""
    asked = result.asked if isinstance(result, StatsData) else None
    return isinstance(asked, StatsQuery) and bool(asked.segmented_base)


# -- lines ----------------------------------------------------------------------------------------


def _lines(result: Result) -> _Lines:
    # Imported here since `to_pandas` imports pandas, which takes long.
    from audiencelab.results.to_pandas import (
        calculation_frame,
        crosstab_frame,
        share_frame,
        stats_frame,
    )

    if isinstance(result, CrosstabData):
        seen, (rows, columns) = share_frame(in_one_scale(result)), np.nonzero(result.arrived)
        whole, sample = (
            seen[name].to_numpy(dtype=np.float64) for name in ("base_size", "base_sample")
        )
        return _Lines(crosstab_frame(result), seen, _CROSSTAB, (rows, columns), whole, sample)
    if isinstance(result, StatsData):
        frame = stats_frame(result)
        places = (
            positions_of([row.datapoint for row in result.rows]),
            positions_of([(row.segment, row.audience) for row in result.rows]),
        )
        # Valid answers to a single question are one base; each item of others has its own.
        own_bases = result.who.valid and result.kind != "single"
    else:
        frame, own_bases = calculation_frame(result), False
        # The lines of a chart are not cells of a table: each is a row, in one column.
        places = (np.arange(len(frame)), np.zeros(len(frame), np.intp))
    return _Lines(frame, frame, _STATS, places, *_stats_bases(frame, own_bases=own_bases))


def _stats_bases(frame: pd.DataFrame, *, own_bases: bool) -> tuple[Floats, Floats]:
    """The base of each line, weighted and in respondents: not sent, but it follows from the index.

    An index of 0 does not give it. Lines of the same waves and segment have the same base; the
    one with most people gives it most exactly, as services round.

    own_bases: whether each datapoint and each audience has a base of its own.
    """
    part, row, column, row_sample, sample, index = (
        frame[name].to_numpy(dtype=np.float64)
        for name in ("size", "row_size", "column_size", "row_sample", "column_sample", "index")
    )
    bases = _ratio(index / 100 * row * column, part)
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
    # A service that rounds may send a base that is smaller than its parts.
    return np.maximum(bases, column), np.maximum(bases * _ratio(row_sample, row), sample)


def _among_lines(interval: Interval, lines: NDArray[np.bool_]) -> Interval:
    """The interval of some lines of a frame, in their order, and NaN in the others."""
    found = np.full((3, len(lines)), np.nan)
    found[:, lines] = interval
    return Interval(*found)


def _noted(
    lines: _Lines,
    precision: TablePrecision | None,
    own: Sure,
    options: IntervalOptions,
    missing: Mapping[str, str],
) -> Noted:
    value, _ = lines.shares(_OWN)
    freedom = options.freedom(own.freedom)
    computed = None if precision is None else precision.computed
    refused = precision is not None and bool(precision.refused)
    unknown = np.isnan(own.effects) | np.isnan(freedom)
    how = "" if precision is None else precision.how
    return Noted(
        options.level,
        options.method,
        own.effects,
        freedom,
        how,
        linearised=computed is not None and computed.precision.linearised is not None,
        kish=0.0 if computed is None else float(np.nanmax(computed.precision.kish, initial=0)),
        without=0 if refused else int(np.count_nonzero(unknown & ~np.isnan(value))),
        missing=missing,
        rule=options.precision,
    )


def _with_intervals(
    frame: pd.DataFrame,
    found: Mapping[str, Interval],
    marks: NDArray[np.object_] | None,
    note: str,
) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in frame.columns:
        columns[name] = frame[name]
        if name in found:
            error, low, high = found[name]
            columns |= {f"{name}_se": error, f"{name}_low": low, f"{name}_high": high}
        if name == _OWN and marks is not None:
            columns["reliability"] = text_column(marks)
    made = pd.DataFrame(columns)
    made.attrs = {**frame.attrs, "method_note": note}
    return made


def _fraction(part: Floats, whole: Floats) -> Floats:
    """A proportion; metrics that a service rounds may make it slightly more than 1."""
    return np.clip(_ratio(part, whole), 0.0, 1.0)


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
