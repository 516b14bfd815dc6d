"""Moving averages over waves, and how sure they and their changes are.

A window is a column of a crosstab on its waves: neighbouring windows share respondents, so that
their percentages vary together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.interval_formulas import share_interval
from audiencelab.analysis.measured import UNKNOWN
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.options import checked_level
from audiencelab.analysis.statistics import difference_error, two_sided_p
from audiencelab.expressions import And, Audience, Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.results.asking import Unanswered
from audiencelab.results.stats import StatsData
from audiencelab.schema.local import Linearised, Precision
from audiencelab.schema.query import CrosstabQuery, StatsQuery

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

_ROUNDING = 1e-6
"""Shares of 1 that are nearer to each other than this are equal."""


class _Lines(NamedTuple):
    """The lines of a frame.

    row: the position of the answer. audience: of the audience. window: how many windows end before
    this one, negative where there are too few waves. previous: the line of the window before, -1
    for none.
    """

    row: Positions
    audience: Positions
    window: Positions
    previous: Positions


class _Sure(NamedTuple):
    """Of each line: how many respondents a share is worth, and the error and degrees of freedom.

    change: the standard error of the difference from the window before, with degrees of freedom.
    """

    base: Floats
    freedom: Floats
    change: Floats
    change_freedom: Floats
    how: str


def moving_average(result: StatsData, waves: int, level: float = 0.95) -> pd.DataFrame:
    """See `StatsResult.moving_average`."""
    import pandas as pd

    from audiencelab.results.to_pandas import stats_frame

    level = checked_level(level)
    if result.splitter != WAVES:
        raise ValueError('A moving average needs waves: ask with splitter="waves".')
    whole = isinstance(cast(object, waves), Integral) and not isinstance(waves, bool)
    if not (whole and 1 < waves <= len(result.segments)):
        raise ValueError(f"Take 2 to {len(result.segments)} waves together, not {waves!r}.")
    long = stats_frame(result)
    keys = ["datapoint", *(["audience"] if "audience" in long else [])]
    parts = [_windows(lines, result.segments, waves) for _, lines in long.groupby(keys, sort=False)]
    # The labels and the order are those of the result's own frame.
    figures = ("size", "sample", "percentage", "index", "note", "waves")
    labels = long[[name for name in long if not str(name).endswith(figures)]]
    frame = labels.join(pd.concat(parts)) if parts else labels
    note = f"Percentages over {waves} waves: people with the answer by people, of all of them"
    if parts:
        frame, how = _with_errors(frame, result, waves, level)
        note += f"; {percent_words(level)} intervals by Wilson, {how}"
    frame.attrs.update(result.provenance, method_note=f"{note}.")
    return frame


def _with_errors(
    frame: pd.DataFrame, result: StatsData, waves: int, level: float
) -> tuple[pd.DataFrame, str]:
    """The frame with standard errors, intervals and changes, and how they were made."""
    lines = _lines(frame, result, waves)
    share = frame["column_percentage"].to_numpy(np.float64) / 100
    sample = frame["column_sample"].to_numpy(np.float64)
    found, how = _asked(result, lines, waves, share)
    common = _common(frame, result, waves, lines)
    if found is None or found.linearised is None:
        sure = _simple(share, sample, common, lines, found)
    else:
        sure = _designed(share, found, found.linearised, lines)
    # `most`: a variance that is small by chance makes no interval narrower than a simple sample's.
    error, low, high = share_interval(share, sure.base, level, freedom=sure.freedom, most=sample)
    before = np.where(lines.previous >= 0, share[lines.previous], np.nan)
    change = share - before
    with np.errstate(divide="ignore", invalid="ignore"):
        # No error and no change, such as 0% in both windows: z is 0 and p is 1.
        z = np.where(sure.change > 0, change / sure.change, np.where(change == 0, 0.0, np.nan))
    added = {
        "column_percentage_se": 100 * error,
        "column_percentage_low": 100 * low,
        "column_percentage_high": 100 * high,
        "degrees_of_freedom": np.where(np.isnan(share), np.nan, sure.freedom),
        "change": 100 * change,
        "change_se": 100 * np.where(np.isnan(change), np.nan, sure.change),
        "change_p": two_sided_p(z, sure.change_freedom),
    }
    place = list(frame).index("column_percentage") + 1
    for offset, (name, values) in enumerate(added.items()):
        frame.insert(place + offset, name, values)
    return frame, how or sure.how


def _lines(frame: pd.DataFrame, result: StatsData, waves: int) -> _Lines:
    audiences = [each.id for each in result.audiences] or [None]
    of = frame["audience"] if "audience" in frame else [None] * len(frame)
    row = [result.datapoints.index(each) for each in frame["datapoint"]]
    audience = [audiences.index(each) for each in of]
    window = [result.segments.index(each) - waves + 1 for each in frame["segment"]]
    keys = list(zip(row, audience, window, strict=True))
    known = {key: line for line, key in enumerate(keys)}
    previous = [
        known.get((at, to, number - 1), -1) if number > 0 else -1 for at, to, number in keys
    ]
    return _Lines(*(np.array(each, np.intp) for each in (row, audience, window, previous)))


def _asked(
    result: StatsData, lines: _Lines, waves: int, share: Floats
) -> tuple[Precision | None, str]:
    """The precision of the windows as columns of a crosstab; None, and why, if it is not known."""
    query = result.asked
    if result.ask is None or not isinstance(query, StatsQuery):
        return None, f"simple random samples, {UNKNOWN}"
    nets = result.provenance.get("nets", {})
    rows = [
        Audience(
            code, Leaf(result.question, _answers(code, nets), query.suffixes or ()), f"row-{at}"
        )
        for at, code in enumerate(result.datapoints)
    ]
    own = [each.expression for each in result.audiences] or [None]
    windows = [result.segments[at : at + waves] for at in range(len(result.segments) - waves + 1)]
    parts = [_within(window, each) for window in windows for each in own]
    columns = [Audience(f"{at}", part, f"column-{at}") for at, part in enumerate(parts)]
    waves_of_all = result.waves or query.scope.waves
    scope = replace(query.scope, base=result.base_audience, waves=waves_of_all)
    try:
        found = result.ask.precision(CrosstabQuery(tuple(rows), tuple(columns), scope))
    except Unanswered as error:
        return None, f"simple random samples, {UNKNOWN}: {error}".rstrip(".")
    if found.refused:
        return found, f"none: {found.refused.partition(chr(10))[0]}".rstrip(".")
    if found.linearised is not None:
        answered = found.linearised.share[lines.row, _columns(lines, len(own))]
        known = lines.window >= 0
        if (np.abs(answered - share) > _ROUNDING)[known].any():
            return None, f"simple random samples, {UNKNOWN}"
    return found, ""


def _answers(code: str, nets: Any) -> tuple[str, ...]:
    """The answers that a row counts: those of a net, which may hold nets."""
    if code not in nets:
        return (code,)
    return tuple(answer for each in nets[code] for answer in _answers(each, nets))


def _within(window: Sequence[str], audience: Expression | None) -> Expression:
    part = Leaf(WAVES, tuple(window))
    return part if audience is None else And((part, audience))


def _columns(lines: _Lines, audiences: int) -> Positions:
    return np.maximum(lines.window, 0) * audiences + lines.audience


def _designed(share: Floats, found: Precision, design: Linearised, lines: _Lines) -> _Sure:
    """By the sample's design; windows that share waves vary together."""
    audiences = int(lines.audience.max(initial=0)) + 1
    row, column = lines.row, _columns(lines, audiences)
    # Columns are windows × audiences, so the window before is that many columns back.
    before = column - audiences * (lines.previous >= 0)
    variance, freedom = design.variance[row, column], design.freedom[row, column]
    worth = found.sample[row, column] / found.kish[row, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        # At 0 and 100% nothing varies: the base is the sample ÷ Kish's design effect.
        base = np.where(variance > 0, share * (1 - share) / variance, worth)
    change = np.full(len(row), np.nan)
    if design.pooled is not None:
        change = np.sqrt(np.maximum(design.pooled[row, column, before], 0.0))
    change[lines.previous < 0] = np.nan
    known = np.where(np.isnan(variance) | ~(freedom > 0), np.nan, freedom)
    of_change = design.freedom_of(row, column, before)
    how = design.replicates or "linearised standard errors"
    return _Sure(base, known, change, np.where(of_change > 0, of_change, np.nan), how)


def _simple(
    share: Floats, sample: Floats, common: Floats, lines: _Lines, found: Precision | None
) -> _Sure:
    """By respondents; those of the waves that two windows share are in both."""
    endless = np.full(len(share), np.inf)
    if found is not None and found.refused:
        none = np.full(len(share), np.nan)
        return _Sure(sample, none, none, none, "")
    before = np.where(lines.previous >= 0, share[lines.previous], np.nan)
    # -1 would read the last line.
    others = np.where(lines.previous >= 0, sample[lines.previous], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        overlap = common / np.sqrt(sample * others)
    change = difference_error(share, sample, before, others, pooled=True, overlap=overlap)
    return _Sure(sample, endless, change, endless, "simple random samples")


def _common(frame: pd.DataFrame, result: StatsData, waves: int, lines: _Lines) -> Floats:
    """Respondents of the waves that a window shares with the one before."""
    samples: dict[tuple[int, int, int], float] = {}
    audiences = [each.id for each in result.audiences] or [None]
    for each in result.rows:
        place = result.segments.index(each.segment or ""), audiences.index(each.audience)
        key = (result.datapoints.index(each.datapoint), *place)
        samples[key] = each.metrics.audience_sample
    return np.array(
        [
            # All waves of a window but its last are in the one before.
            sum(samples.get((row, at, audience), 0.0) for at in range(window, window + waves - 1))
            for row, audience, window in zip(lines.row, lines.audience, lines.window, strict=True)
        ]
    )


def _windows(lines: Any, segments: Sequence[str], waves: int) -> pd.DataFrame:
    import pandas as pd

    positions = [segments.index(code) for code in lines["segment"]]

    def sums(values: Floats) -> Floats:
        # Element i of a full convolution is the sum of wave i and the waves - 1 before it.
        return np.convolve(values, np.ones(waves))[: len(segments)][positions]

    by_wave: dict[str, Floats] = {}
    for name in ("size", "column_size", "sample", "column_sample"):
        by_wave[name] = np.full(len(segments), np.nan)
        by_wave[name][positions] = lines[name].to_numpy(np.float64)
    # A wave that did not ask adds to neither sum, so the rest of the window makes the share.
    asked = by_wave["column_size"] > 0
    total = {name: sums(np.where(asked, values, 0.0)) for name, values in by_wave.items()}
    count = sums(asked.astype(np.float64)).astype(np.int64)
    whole = np.array(positions) >= waves - 1
    known = whole & (count > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(known, 100 * total["size"] / total["column_size"], np.nan)
        # A size is a number of people, not of people times waves.
        sizes = {
            name: np.where(known, total[name] / count, np.nan) for name in ("size", "column_size")
        }
    notes = [
        "too few waves before it" if not all_there else f"{n} of {waves} waves" if n < waves else ""
        for all_there, n in zip(whole.tolist(), count.tolist(), strict=True)
    ]
    return pd.DataFrame(
        {
            "column_percentage": share,
            **sizes,
            "sample": np.where(whole, total["sample"], np.nan),
            "column_sample": np.where(whole, total["column_sample"], np.nan),
            "waves_counted": count,
            "note": notes,
        },
        index=lines.index,
    )
