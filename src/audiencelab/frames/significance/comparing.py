"""Who is compared with whom: every pair of columns, a column and the rest, a wave and the last."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from audiencelab.audience.codes import WAVES
from audiencelab.frames import denominators
from audiencelab.frames.crosstab import CrosstabResult
from audiencelab.frames.significance.bases import (
    Base,
    design_effects,
)
from audiencelab.frames.significance.comparison import (
    ColumnComparison,
    RestComparison,
    WaveComparison,
)
from audiencelab.frames.significance.outcome import (
    SHARED,
    Outcome,
    Side,
    carry_out,
    remarks,
)
from audiencelab.frames.significance.settings import Options, Settings, recipe
from audiencelab.frames.significance.shares import (
    Cells,
    Margin,
    Shares,
    crosstab_shares,
    rest_of,
    wave_shares,
)
from audiencelab.frames.stats import StatsResult

__all__ = [
    "MOST_TESTS",
    "Against",
    "Remainder",
    "compare_columns",
    "compare_to_rest",
    "compare_waves",
]

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

Against = Literal["rest", "base"]


class Remainder(NamedTuple):
    """Cells that are not tested, bool[rows, columns], and how a recipe puts it."""

    cells: NDArray[np.bool_]
    words: str


MOST_TESTS = 2_000_000
"""Of more tests nobody reads the letters, and their figures would fill the memory."""


def compare_columns(
    shares: Shares, overlap: CrosstabResult | None = None, **options: Unpack[Options]
) -> ColumnComparison:
    """Every pair of columns within each row; see `CrosstabResult.compare_columns`."""
    settings, bases, effects = _prepared(shares, options)
    out_of_rows = settings.left_out(shares.rows)
    out_of_columns = settings.left_out(shares.columns)
    compared = np.flatnonzero(~out_of_columns)
    if len(compared) < 2:
        raise ValueError(
            "There are no two columns to compare. Totals and nets are left out; to set each "
            "column against everyone else, use compare_to_rest()."
        )
    first, second = (compared[places] for places in np.triu_indices(len(compared), k=1))
    tests = (len(shares.rows), len(first))
    _check_number(tests, shares)
    side = Side(shares.cells, bases)
    one, other = side.across(first), side.across(second)
    shared = _shared(overlap, shares)
    remark = remarks(one.cells, other.cells)
    if shared is None:
        remark = _surely_shared(one.cells, other.cells, remark)
    outcome = carry_out(
        settings,
        one,
        other,
        made=~out_of_rows[:, None],
        overlap=0.0 if shared is None else shared[first, second],
        remark=remark,
    )
    return ColumnComparison(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=np.broadcast_to(first, tests),
        other=np.broadcast_to(second, tests),
        others=shares.columns,
        bases=bases,
        recipe=recipe(
            settings,
            shares,
            effects,
            subject="every pair of columns",
            left_out=_names(shares.rows, out_of_rows) + _names(shares.columns, out_of_columns),
            dependence=_dependence(shared is not None, bool((outcome.note == SHARED).any())),
        ),
    )


def compare_to_rest(
    result: CrosstabResult,
    against: Against = "rest",
    but: Remainder | None = None,
    **options: Unpack[Options],
) -> RestComparison:
    """Each column against the rest of its base; see `CrosstabResult.compare_to_rest`.

    but: cells to leave out of the tests, bool[rows, columns], and how the recipe puts it.
    """
    if against not in ("rest", "base"):
        raise ValueError(f"Nothing to compare with is called {against!r}. Choose rest or base.")
    shares = crosstab_shares(result)
    settings, bases, effects = _prepared(shares, options)
    out_of_rows = settings.left_out(shares.rows)
    out_of_columns = settings.left_out(shares.columns)
    rest = rest_of(result)
    made = ~out_of_rows[:, None] & ~out_of_columns
    outcome = carry_out(
        settings,
        Side(shares.cells, bases),
        Side(rest, _worth(rest, settings.base, effects)),
        made=made if but is None else made & ~but.cells,
        empty="nobody in the column, or in the rest",
    )
    if against == "base":
        outcome = _against_whole(outcome)
    every = np.broadcast_to(np.arange(len(shares.columns)), shares.shape)
    return RestComparison(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=every,
        other=np.zeros(shares.shape, dtype=np.intp),
        others=Margin((against,), {"other": (against,)}, (True,)),
        bases=bases,
        recipe=recipe(
            settings,
            shares,
            effects,
            subject=f"each column against the {_AGAINST[against]}",
            left_out=_names(shares.rows, out_of_rows) + _names(shares.columns, out_of_columns),
            dependence="" if but is None else but.words,
        ),
    )


_AGAINST = {"rest": "rest of its base", "base": "whole base, of which it is a part"}


def compare_waves(result: StatsResult, **options: Unpack[Options]) -> WaveComparison:
    """Each wave against the last one before it with figures; see `StatsResult.compare_waves`."""
    if result.splitter != WAVES or not result.rows:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    shares = wave_shares(result)
    settings, bases, effects = _prepared(shares, options)
    out_of_rows = settings.left_out(shares.rows)
    previous = _previous(~np.isnan(shares.cells.share))
    side = Side(shares.cells, bases)
    rows, waves = shares.shape
    outcome = carry_out(
        settings,
        side,
        side.across(np.maximum(previous, 0)),
        made=~out_of_rows[:, None] & (previous >= 0),
        empty=denominators.NO_WAVE,
    )
    return WaveComparison(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=np.broadcast_to(np.arange(waves), (rows, waves)),
        other=previous,
        others=shares.columns,
        bases=bases,
        recipe=recipe(
            settings,
            shares,
            effects,
            subject="each wave against the one before it that asked",
            left_out=_names(shares.rows, out_of_rows),
            dependence="waves taken as separate samples",
        ),
    )


def _prepared(shares: Shares, options: Options) -> tuple[Settings, Floats, Floats]:
    """The options checked, each share's base, and the design effects in it."""
    settings = Settings.of(options)
    settings.check_nets(shares.rows, shares.columns)
    effects = design_effects(options["design_effect"], shares.shape, shares.columns)
    return settings, _worth(shares.cells, settings.base, effects), effects


def _worth(cells: Cells, base: Base, effects: Floats) -> Floats:
    """How many respondents each share is worth."""
    return cells.size if base == "weighted" else cells.sample / effects


def _check_number(tests: tuple[int, int], shares: Shares) -> None:
    if tests[0] * tests[1] > MOST_TESTS:
        raise ValueError(
            f"{shares.shape[0]:,} rows × {tests[1]:,} pairs of columns are more than "
            f"{MOST_TESTS:,} tests. Take fewer columns, or compare_to_rest()."
        )


def _shared(overlap: CrosstabResult | None, shares: Shares) -> Floats | None:
    """How closely the estimates of two columns hang together, [columns, columns]."""
    if overlap is None:
        return None
    names = shares.columns.names
    if not _is_of_itself(overlap, names):
        raise ValueError(
            "The overlap is the whole crosstab of the same columns against themselves: "
            "overlap=client.crosstab(rows=columns, columns=columns)."
        )
    both = np.sqrt(overlap.values("row_sample") * overlap.values("column_sample"))
    return np.where(both > 0, overlap.values("sample") / np.maximum(both, 1.0), 0.0)


def _is_of_itself(overlap: object, names: tuple[str, ...]) -> bool:
    """Whether it is a whole crosstab of columns with these names against themselves."""
    if not isinstance(overlap, CrosstabResult):
        return False
    sides = (overlap.rows, overlap.columns)
    return overlap.complete and all(tuple(each.name for each in side) == names for side in sides)


def _surely_shared(first: Cells, second: Cells, remark: NDArray[np.object_]) -> NDArray[np.object_]:
    """Remarks, with a word on pairs that hold more respondents together than their base does."""
    if first.respondents is None:
        return remark
    shared = (first.scope == second.scope) & (first.sample + second.sample > first.respondents)
    return np.where(shared & (remark == ""), SHARED, remark)


def _dependence(accounted: bool, shared: bool) -> str:
    if accounted:
        return "respondents in both columns accounted for"
    if shared:
        return "columns taken as different people although some share respondents"
    return "columns taken as different people"


def _against_whole(outcome: Outcome) -> Outcome:
    """The same tests, told against rest and column together.

    The column is a part of the whole, so it differs from the whole by a fixed part of what it
    differs from the rest by: statistic and p stay the same.
    """
    part, rest = outcome.first, outcome.second
    people = part.cells.size + rest.cells.size
    kept = rest.cells.size / people
    whole = Cells(
        share=part.cells.share - outcome.difference * kept,
        size=people,
        sample=part.cells.sample + rest.cells.sample,
        scope=part.cells.scope,
    )
    return replace(
        outcome,
        second=Side(whole, part.base + rest.base),
        difference=outcome.difference * kept,
        error=outcome.error * kept,
    )


def _previous(there: NDArray[np.bool_]) -> Places:
    """For each place of a row the last one before it that is there, -1 for none."""
    each = np.arange(there.shape[1], dtype=np.intp)
    places = np.where(there, each, -1)
    last = np.maximum.accumulate(places, axis=1)
    return np.concatenate([np.full((len(there), 1), -1), last[:, :-1]], axis=1)


def _names(margin: Margin, chosen: NDArray[np.bool_]) -> list[str]:
    return [name for name, each in zip(margin.names, chosen.tolist(), strict=True) if each]
