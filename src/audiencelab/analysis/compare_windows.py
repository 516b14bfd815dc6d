"""Windows of a moving average tested against earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.moving_averages import (
    MovingAverageData,
    break_words,
    breaks_of_window,
)
from audiencelab.analysis.options import DEFAULTS, Family, TestSettings, ZeroOrFull, require_choice
from audiencelab.analysis.plan import ONE_CLUSTER, Errors, Pairs, TestPlan, scope_of
from audiencelab.analysis.prepare import TestInputs
from audiencelab.analysis.proportions import (
    CellEstimates,
    Proportions,
    TableItems,
    column_id,
    stats_proportions,
)
from audiencelab.analysis.statistics import Correction
from audiencelab.analysis.windows import WindowLines, Windows, change_since, of_each
from audiencelab.flags import flag

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Texts = NDArray[np.object_]

Earlier = Literal["previous wave", "previous window"]

_SHOWN = {"previous wave": "window a wave earlier", "previous window": "window before"}
"""What a comparison says it is with."""


class WindowTestOptions(TypedDict, total=False):
    """Options of the tests of windows, as `TestOptions` documents them."""

    levels: float | Sequence[float]
    correction: Correction
    family: Family
    degrees_of_freedom: float | None
    min_base: float
    zero_or_full: ZeroOrFull
    across_breaks: bool


USUAL: WindowTestOptions = {
    "levels": DEFAULTS.get("levels", 0.95),
    "correction": "none",
    "family": "row",
    "degrees_of_freedom": None,
    "min_base": 30,
    "zero_or_full": "test",
    "across_breaks": False,
}
"""The options that are not given."""


_NONE = 1e-9
"""A standard error of less than this is the rounding of one that the sample's design fixes at 0."""


class _Table(NamedTuple):
    """The lines of a frame of windows as a table: answers down, windows × audiences across."""

    lines: WindowLines
    shape: tuple[int, int]
    audiences: int

    def of(self, values: Floats) -> Floats:
        """The values of lines as float64[rows, columns]; NaN where there is no line."""
        found = np.full(self.shape, np.nan)
        kept = self.lines.window >= 0
        row, audience, window = (each[kept] for each in self.lines[:3])
        found[row, window * self.audiences + audience] = values[kept]
        return found


def compare_windows(
    result: MovingAverageData, vs: Earlier, options: WindowTestOptions
) -> ComparisonData:
    """See `MovingAverage.test`."""
    require_choice("vs", vs, get_args(Earlier))
    given: Any = {**USUAL, **options}
    across = flag("across_breaks", given.pop("across_breaks")) or result.across_breaks
    if result.known is None:
        raise ValueError("There are no windows to compare: the result is empty.")
    known = result.known
    columns = _columns(result)
    audiences = max(len(result.table.audiences), 1)
    table = _Table(known.lines, (len(result.table.datapoints), len(columns)), audiences)
    cells = CellEstimates(
        table.of(known.share),
        table.of(result.frame["column_size"].to_numpy(np.float64)),
        table.of(known.sample),
        np.zeros(table.shape),
        table.of(of_each(known)[0]),
    )
    rows = stats_proportions(result.table).rows
    tested = Proportions(rows, columns, cells, "moving averages", dict(result.provenance))
    settings = TestSettings.of(given, "unweighted")
    ready = TestInputs(tested, settings, np.ones(table.shape), None, known.how, automatic=True)
    lag = 1 if vs == "previous wave" else result.waves
    each = np.arange(len(columns), dtype=np.intp)
    before = np.where(each >= lag * audiences, each - lag * audiences, -1)
    apart = _broken(result, columns, before) if not across else np.full(len(columns), "", object)
    wide = [np.broadcast_to(at, table.shape) for at in (each, before)]
    pairs = Pairs(cells, cells.take(np.maximum(before, 0)), wide[0], wide[1], columns)
    scope = scope_of(ready)._replace(columns=np.zeros(len(columns), dtype=bool))
    return comparison_of(
        TestPlan(
            ready,
            _SHOWN[vs],
            pairs,
            _errors(table, known, lag, apart),
            scope,
            made=np.broadcast_to(before >= 0, table.shape) & ~scope.rows[:, None],
            parts=each % audiences if audiences > 1 else None,
            empty="no respondent in the window",
        )
    )


def _errors(table: _Table, known: Windows, lag: int, apart: Texts) -> Errors:
    """How sure the differences are; apart: why columns are not compared, "" where they are."""
    since, of_bases = change_since(known, lag), known.design is None
    error = table.of(since.error)
    unsure: Texts = np.full(table.shape, known.how if known.refused else ONE_CLUSTER, dtype=object)
    unsure[:, apart != ""] = apart[apart != ""]
    error[:, apart != ""] = np.nan
    return Errors(
        np.where(error < _NONE, 0.0, error),
        None if of_bases else table.of(since.freedom),
        table.of(since.overlap) if of_bases else 0.0,
        "respondents",
        of_bases=of_bases,
        unsure=unsure,
    )


def _columns(result: MovingAverageData) -> TableItems:
    """The windows, or windows × audiences, of a moving average."""
    windows, audiences = result.windows, result.table.audiences
    none = np.zeros(len(windows) * max(len(audiences), 1), dtype=bool)
    if not audiences:
        names = tuple(windows.values())
        return TableItems(names, {"wave": tuple(windows), "wave_label": names}, none)
    both = list(product(windows.items(), audiences))
    ids = tuple(column_id(code, each.id) for (code, _), each in both)
    names = tuple(f"{name}, {each.name}" for (_, name), each in both)
    return TableItems(names, {"column_id": ids, "column": names}, none)


def _broken(result: MovingAverageData, columns: TableItems, before: Positions) -> Texts:
    """For each column, the break between it and the window before; "" where there is none."""
    table, waves = result.table, result.table.segments
    audiences: list[Any] = [each.id for each in table.audiences] or [None]
    found: Texts = np.full(len(columns), "", dtype=object)
    for at in np.flatnonzero(before >= 0).tolist():
        last = waves[at // len(audiences) + result.waves - 1]
        of, first = audiences[at % len(audiences)], waves[int(before[at]) // len(audiences)]
        found[at] = break_words(table, breaks_of_window(table, of, first, last))
    return found
