"""How sure the windows of a moving average are, and how two windows vary together.

A window is a column of a crosstab on its waves: neighbouring windows share respondents, so that
their percentages vary together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.measured import UNKNOWN
from audiencelab.analysis.statistics import difference_error
from audiencelab.expressions import And, Audience, Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.results.asking import Unanswered
from audiencelab.results.stats import StatsData
from audiencelab.schema.local import Linearised, Precision
from audiencelab.schema.query import CrosstabQuery, StatsQuery

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]

_ROUNDING = 1e-6
"""Shares of 1 that are nearer to each other than this are equal."""


class WindowLines(NamedTuple):
    """The lines of a frame of windows.

    row: the position of the answer. audience: of the audience. window: how many windows end before
    this one, negative where there are too few waves. waves: of one window.
    """

    row: Positions
    audience: Positions
    window: Positions
    waves: int

    def earlier(self, lag: int) -> Positions:
        """The line of the window that ends so many waves earlier, -1 for none."""
        keys = list(zip(*(each.tolist() for each in self[:3]), strict=True))
        known = {key: line for line, key in enumerate(keys) if key[2] >= 0}
        return np.array([known.get((at, to, number - lag), -1) for at, to, number in keys], np.intp)


class Windows(NamedTuple):
    """What is known of the windows, of each line.

    share: of 1, NaN where a window has no figure. sample: respondents. own: respondents of each
    wave, by row, wave and audience. found: how sure they are as columns of a crosstab, None where
    that is not known. how: the words for a method note.
    """

    lines: WindowLines
    share: Floats
    sample: Floats
    own: Floats
    found: Precision | None
    how: str

    @property
    def design(self) -> Linearised | None:
        """Variances by the sample's design."""
        return None if self.found is None else self.found.linearised

    @property
    def refused(self) -> bool:
        """Whether the declared design shows no variance."""
        return self.found is not None and bool(self.found.refused)


class WindowChange(NamedTuple):
    """The difference from an earlier window, of each line.

    line: that of the earlier window, -1 for none. error: its standard error, of shares of 1.
    overlap: which part of both windows' respondents is in both, NaN by the sample's design.
    """

    line: Positions
    error: Floats
    freedom: Floats
    overlap: Floats


def known_windows(result: StatsData, lines: WindowLines, share: Floats, sample: Floats) -> Windows:
    """Ask how sure the windows of a result by waves are."""
    found, how = _asked(result, lines, share)
    if how == "" and found is not None and found.linearised is not None:
        how = found.linearised.replicates or "linearised standard errors"
    return Windows(lines, share, sample, _own(result), found, how or "simple random samples")


def of_each(known: Windows) -> tuple[Floats, Floats]:
    """How many respondents each share is worth, and its degrees of freedom."""
    lines, design = known.lines, known.design
    if known.refused:
        return known.sample, np.full(len(known.share), np.nan)
    if known.found is None or design is None:
        return known.sample, np.full(len(known.share), np.inf)
    row, column = lines.row, _columns(lines)
    variance, freedom = design.variance[row, column], design.freedom[row, column]
    worth = known.found.sample[row, column] / known.found.kish[row, column]
    with np.errstate(divide="ignore", invalid="ignore"):
        # At 0 and 100% nothing varies: the base is the sample ÷ Kish's design effect.
        base = np.where(variance > 0, known.share * (1 - known.share) / variance, worth)
    return base, np.where(np.isnan(variance) | ~(freedom > 0), np.nan, freedom)


def change_since(known: Windows, lag: int) -> WindowChange:
    """The difference from the window that ends so many waves earlier."""
    lines, line = known.lines, known.lines.earlier(lag)
    none = np.full(len(line), np.nan)
    if known.refused:
        return WindowChange(line, none, none, none)
    if known.found is None or known.design is None:
        return _by_respondents(known, line, lag)
    row, column = lines.row, _columns(lines)
    before = np.where(line >= 0, column[line], column)
    error = none.copy()
    if known.design.pooled is not None:
        error = np.sqrt(np.maximum(known.design.pooled[row, column, before], 0.0))
    error[line < 0] = np.nan
    freedom = known.design.freedom_of(row, column, before)
    return WindowChange(line, error, np.where(freedom > 0, freedom, np.nan), none)


def _by_respondents(known: Windows, line: Positions, lag: int) -> WindowChange:
    """Those of the waves that two windows share are in both."""
    share, sample, lines = known.share, known.sample, known.lines
    # -1 would read the last line.
    before = np.where(line >= 0, share[line], np.nan)
    others = np.where(line >= 0, sample[line], np.nan)
    both = [
        known.own[row, window : window + max(lines.waves - lag, 0), audience].sum()
        for row, audience, window in zip(*lines[:3], strict=True)
    ]
    with np.errstate(divide="ignore", invalid="ignore"):
        overlap = np.array(both) / np.sqrt(sample * others)
    error = difference_error(share, sample, before, others, pooled=True, overlap=overlap)
    return WindowChange(line, error, np.full(len(line), np.inf), overlap)


def _own(result: StatsData) -> Floats:
    """Respondents of each wave, float64[rows, waves, audiences]."""
    audiences = [each.id for each in result.audiences] or [None]
    rows, waves = result.datapoints, result.segments
    found = np.zeros((len(rows), len(waves), len(audiences)))
    for each in result.rows:
        place = waves.index(each.segment or ""), audiences.index(each.audience)
        found[rows.index(each.datapoint), *place] = each.metrics.audience_sample
    return found


def _asked(result: StatsData, lines: WindowLines, share: Floats) -> tuple[Precision | None, str]:
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
    starts = range(len(result.segments) - lines.waves + 1)
    windows = [result.segments[at : at + lines.waves] for at in starts]
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
        answered = found.linearised.share[lines.row, _columns(lines)]
        if (np.abs(answered - share) > _ROUNDING)[lines.window >= 0].any():
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


def _columns(lines: WindowLines) -> Positions:
    """The column of each line: columns are windows × audiences."""
    audiences = int(lines.audience.max(initial=0)) + 1
    return np.maximum(lines.window, 0) * audiences + lines.audience
