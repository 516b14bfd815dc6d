"""Moving averages over waves, and how sure they and their changes are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.interval_formulas import share_interval
from audiencelab.analysis.method_note import percent_words
from audiencelab.analysis.options import checked_level
from audiencelab.analysis.proportions import positions_of
from audiencelab.analysis.statistics import two_sided_p
from audiencelab.analysis.windows import (
    WindowLines,
    Windows,
    change_since,
    known_windows,
    of_each,
)
from audiencelab.expressions.codes import WAVES, wave_name
from audiencelab.hidden_members import hide_members
from audiencelab.results.coverage import questions_of
from audiencelab.results.dtypes import listed
from audiencelab.results.made import Made
from audiencelab.results.metric_names import own_names
from audiencelab.results.metrics import unknown_metric
from audiencelab.results.stats import Provenance, StatsData
from audiencelab.schema.breaks import Break, breaks_between

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[np.float64]
M = TypeVar("M", bound="MovingAverageData")

TOO_FEW = "too few waves before it"


@hide_members("frame", "known", "made", "title", "windows")
@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MovingAverageData:
    """Audience percentages over each wave and those before it.

    table: the result by waves. waves: of each window. level: the confidence of the intervals.
    across_breaks: whether windows that hold a break of the question have figures.
    frame: a line for each row of the table. known: how sure they are.
    made: how the result was made, for `to_code`.
    """

    table: StatsData
    waves: int
    level: float
    across_breaks: bool
    frame: pd.DataFrame
    known: Windows | None
    made: Made = None

    @property
    def windows(self) -> dict[str, str]:
        """The windows by the code of their last wave, named "Q1–Q4 2025"."""
        codes, names = self.table.segments, self.table.labels.segments
        pairs = zip(codes, codes[self.waves - 1 :], strict=False)
        return {
            last: window_name(names.get(first) or first, names.get(last) or last)
            for first, last in pairs
        }

    @property
    def title(self) -> str:
        """The name of the question."""
        return self.table.labels.question or self.table.question

    @property
    def provenance(self) -> Provenance:
        """Where the figures come from."""
        return self.table.provenance

    @property
    def method_note(self) -> str:
        """How percentages, intervals and changes were made."""
        return self.frame.attrs["method_note"]


def window_name(first: str, last: str) -> str:
    """The waves of a window by the names of its first and last.

    >>> from audiencelab.analysis.moving_averages import window_name
    >>> window_name("Q1 2025", "Q4 2025"), window_name("Q2 2024", "Q1 2025")
    ('Q1–Q4 2025', 'Q2 2024 – Q1 2025')
    """
    (start, _, of), (end, _, year) = first.rpartition(" "), last.rpartition(" ")
    return f"{start}–{end} {year}" if start and end and of == year else f"{first} – {last}"


def moving_average(
    made: type[M], result: StatsData, waves: int, level: float, *, across_breaks: bool = False
) -> M:
    """See `StatsResult.moving_average`; made: the class of the result."""
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
    parts: list[pd.DataFrame] = []
    for key, lines in long.groupby(keys, sort=False):
        broken = [] if across_breaks else _broken(result, waves, [*key][1:])
        parts.append(_windows(lines, result.segments, waves, broken))
    # The labels and the order are those of the result's own frame.
    figures = ("size", "sample", "percentage", "index", "note", "waves")
    labels = long[[name for name in long if not str(name).endswith(figures)]]
    frame = labels.join(pd.concat(parts)) if parts else labels
    note = f"Percentages over {waves} waves: people with the answer by people, of all of them"
    known: Windows | None = None
    if parts:
        known = known_windows(result, _lines(frame, result, waves), *_shares(frame))
        _add_errors(frame, known, level)
        note += f"; {percent_words(level)} intervals by Wilson, {known.how}"
    frame.attrs.update(result.provenance, method_note=f"{note}.")
    return made(result, waves, level, across_breaks, frame, known)


def _shares(frame: pd.DataFrame) -> tuple[Floats, Floats]:
    """The shares of a frame of windows, of 1, and their respondents."""
    share, sample = (
        frame[name].to_numpy(np.float64) for name in ("column_percentage", "column_sample")
    )
    return share / 100, sample


def _add_errors(frame: pd.DataFrame, known: Windows, level: float) -> None:
    """Add standard errors, intervals and changes since the window before."""
    share = known.share
    base, freedom = of_each(known)
    # `most`: a variance that is small by chance makes no interval narrower than a simple sample's.
    error, low, high = share_interval(share, base, level, freedom=freedom, most=known.sample)
    since = change_since(known, 1)
    change = share - np.where(since.line >= 0, share[since.line], np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        # No error and no change, such as 0% in both windows: z is 0 and p is 1.
        z = np.where(since.error > 0, change / since.error, np.where(change == 0, 0.0, np.nan))
    added = {
        "column_percentage_se": 100 * error,
        "column_percentage_low": 100 * low,
        "column_percentage_high": 100 * high,
        "degrees_of_freedom": np.where(np.isnan(share), np.nan, freedom),
        "change": 100 * change,
        "change_se": 100 * np.where(np.isnan(change), np.nan, since.error),
        "change_p": two_sided_p(z, since.freedom),
    }
    place = list(frame).index("column_percentage") + 1
    for offset, (name, values) in enumerate(added.items()):
        frame.insert(place + offset, name, values)


def _lines(frame: pd.DataFrame, result: StatsData, waves: int) -> WindowLines:
    audiences = [each.id for each in result.audiences] or [None]
    of = frame["audience"] if "audience" in frame else [None] * len(frame)
    row = [result.datapoints.index(each) for each in frame["datapoint"]]
    audience = [audiences.index(each) for each in of]
    window = [result.segments.index(each) - waves + 1 for each in frame["segment"]]
    places = [np.array(each, np.intp) for each in (row, audience, window)]
    return WindowLines(places[0], places[1], places[2], waves)


# -- breaks ---------------------------------------------------------------------------------------


def breaks_of_window(result: StatsData, audience: str | None, first: str, last: str) -> list[Break]:
    """The breaks between two waves of what a column counts: question, audience and base."""
    counted = [each for each in result.audiences if each.id == audience]
    counted += [] if result.base_audience is None else [result.base_audience]
    codes = [result.question, *(code for each in counted for code in questions_of(each))]
    waves = result.who.waves or result.segments
    return [
        found
        for code in dict.fromkeys(codes)
        for found in breaks_between(result.who.breaks.get(code, ()), waves, first, last)
    ]


def break_words(result: StatsData, found: Sequence[Break]) -> str:
    """Why waves are not compared: "break at Q3 2025: 5 points were 7"."""
    return "; ".join(
        f"break at {result.labels.segments.get(each.wave) or wave_name(each.wave)}: {each.why}"
        for each in found
    )


def _broken(result: StatsData, waves: int, audience: Sequence[Any]) -> list[str]:
    """For each window, why its waves are not one figure; "" where they are."""
    of = next(iter(audience), None)
    return [
        break_words(result, breaks_of_window(result, of, first, last))
        for first, last in zip(result.segments, result.segments[waves - 1 :], strict=False)
    ]


# -- sums -----------------------------------------------------------------------------------------


def _windows(
    lines: Any, segments: Sequence[str], waves: int, broken: Sequence[str]
) -> pd.DataFrame:
    """The windows of one answer; broken: why some have no figure, in their order."""
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
    reasons = [TOO_FEW] * (waves - 1) + (list(broken) or [""] * (len(segments) - waves + 1))
    whole = np.array([not reasons[at] for at in positions])
    known = whole & (count > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(known, 100 * total["size"] / total["column_size"], np.nan)
        # A size is a number of people, not of people times waves.
        sizes = {
            name: np.where(known, total[name] / count, np.nan) for name in ("size", "column_size")
        }
    notes = [
        reasons[at] or (f"{n} of {waves} waves" if n < waves else "")
        for at, n in zip(positions, count.tolist(), strict=True)
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


def windows_wide(
    result: MovingAverageData, metric: str | Sequence[str], *, labels: bool
) -> pd.DataFrame:
    """See `MovingAverage.to_wide`."""
    import pandas as pd

    table, frame, windows = result.table, result.frame, result.windows
    known = [str(name) for name in frame.select_dtypes("number")]
    metrics = own_names(table, listed(metric))
    for each in metrics:
        if each not in known:
            raise unknown_metric(each, known)
    whole = frame[frame["segment"].isin(list(windows))]
    levels = [whole["segment"].map(windows) if labels else whole["segment"]]
    if table.audiences:
        levels.append(whole["audience_name" if labels else "audience"])
    names = ["segment", "audience"][: len(levels)]
    rows = whole["datapoint_label" if labels else "datapoint"]
    down, across = rows.astype(str).tolist(), list(zip(*levels, strict=True))
    at = positions_of(whole["datapoint"].tolist()), positions_of(across)
    planes = np.full((len(metrics), len(set(whole["datapoint"])), len(set(across))), np.nan)
    planes[:, *at] = whole[metrics].to_numpy(np.float64).T
    columns = pd.MultiIndex.from_tuples(list(dict.fromkeys(across)), names=names)
    if isinstance(metric, str):
        columns = columns if table.audiences else columns.get_level_values(0)
        values = planes[0]
    else:
        keys = [(*key, name) for key in columns for name in metrics]
        columns = pd.MultiIndex.from_tuples(keys, names=[*names, "metric"])
        values = np.moveaxis(planes, 0, 2).reshape(planes.shape[1], -1)
    first = dict(zip(at[0].tolist(), down, strict=True))
    index = pd.Index([first[each] for each in range(len(values))], name="datapoint")
    made = pd.DataFrame(values, index=index, columns=columns)
    made.attrs = {**frame.attrs, "metric": metrics[0] if isinstance(metric, str) else metrics}
    return made
