"""Who is compared with whom: every pair of columns, a column and the rest, a wave and the last."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import PERCENTAGES, ComparisonData, Reading
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.options import Against, Options, recipe
from audiencelab.analysis.prepare import Prepared, full_rows, prepared, worth
from audiencelab.analysis.proportions import (
    Cells,
    Margin,
    Shares,
    rest_of,
    wave_shares,
)
from audiencelab.analysis.run_tests import (
    SHARED,
    Outcome,
    Side,
    carry_out,
    remarks,
)
from audiencelab.expressions.codes import WAVES
from audiencelab.flags import flag
from audiencelab.results import undefined as denominators
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Remainder(NamedTuple):
    """Cells that are not tested, bool[rows, columns], and how a recipe puts it."""

    cells: NDArray[np.bool_]
    words: str


MOST_TESTS = 2_000_000
"""Of more tests nobody reads the letters, and their figures would fill the memory."""


def compare_columns(
    result: CrosstabData | StatsData,
    overlap: CrosstabData | None = None,
    *,
    within_heads: bool = True,
    **options: Unpack[Options],
) -> ComparisonData:
    """Every pair of columns within each row; see `CrosstabResult.compare_columns`."""
    return every_pair(prepared(result, options), overlap, within_heads=within_heads)


def every_pair(
    ready: Prepared,
    overlap: CrosstabData | None,
    *,
    within_heads: bool = True,
    reading: Reading = PERCENTAGES,
) -> ComparisonData:
    """Every pair of columns within each row."""
    shares, settings, bases, computed = ready.shares, ready.settings, ready.bases, ready.computed
    out_of_rows = np.array(shares.rows.totals, dtype=bool)
    out_of_columns = settings.holding(shares.columns) | np.array(shares.columns.totals, dtype=bool)
    outside = (settings.holding(shares.rows) | full_rows(shares)) & ~out_of_rows
    compared = np.flatnonzero(~out_of_columns)
    if len(compared) < 2:
        raise ValueError(
            "There are no two columns to compare. Totals and nets are left out; to set each "
            "column against everyone else, use compare_to_rest()."
        )
    within_heads = flag("within_heads", within_heads) and bool(shares.columns.heads)
    groups = shares.columns.groups if within_heads else np.zeros(len(shares.columns), np.intp)
    first, second = _pairs(compared, groups)
    tests = (len(shares.rows), len(first))
    _check_number(tests, shares)
    columns = np.broadcast_to(first, tests), np.broadcast_to(second, tests)
    side = Side(shares.cells, bases)
    one, other = side.across(first), side.across(second)
    shared = _shared(overlap, shares, computed, automatic=ready.automatic)
    remark = remarks(one.cells, other.cells)
    if shared is None:
        remark = _with_shared(one.cells, other.cells, remark)
    freedom = None if computed is None else computed.pair_freedom(shares, *columns)
    outcome = carry_out(
        settings,
        one,
        other,
        made=~out_of_rows[:, None],
        parts=groups[first] if within_heads else None,
        outside=outside,
        overlap=0.0 if shared is None else shared[..., first, second],
        freedom=freedom,
        empty=shares.empty,
        remark=remark,
    )
    return ComparisonData(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=columns[0],
        other=columns[1],
        others=shares.columns,
        bases=bases,
        recipe=recipe(
            settings,
            shares,
            ready.effects,
            subject="every pair of columns",
            left_out=_names(shares.rows, out_of_rows) + _names(shares.columns, out_of_columns),
            outside=_names(shares.rows, outside),
            dependence=_dependence(shared, bool((outcome.note == SHARED).any())),
            within_heads=within_heads,
            design=ready.design,
            freedom=outcome.freedom,
        ),
        groups=tuple(groups.tolist()),
        reading=reading,
    )


def _pairs(compared: Places, groups: Places) -> tuple[Places, Places]:
    """Every pair of the compared columns that are in the same group."""
    first, second = (compared[places] for places in np.triu_indices(len(compared), k=1))
    together = groups[first] == groups[second]
    if not together.any():
        raise ValueError(
            "No two columns stand under the same head. To compare columns of different heads, "
            "say within_heads=False."
        )
    return first[together], second[together]


def compare_to_rest(
    result: CrosstabData,
    against: Against = "rest",
    but: Remainder | None = None,
    *,
    cautious: bool = False,
    **options: Unpack[Options],
) -> ComparisonData:
    """Each column against the rest of its base; see `CrosstabResult.compare_to_rest`.

    but: cells to leave out of the tests, bool[rows, columns], and how the recipe puts it.
    cautious: whether a difference has to hold by its likelihood ratio, too, and with no design
        effect below Kish's: what is picked from many tests is where either is off by chance.
    """
    if against not in ("rest", "base"):
        raise ValueError(f"Nothing to compare with is called {against!r}. Choose rest or base.")
    ready = prepared(result, options, cautious=cautious)
    shares, settings, computed = ready.shares, ready.settings, ready.computed
    out_of_rows = np.array(shares.rows.totals, dtype=bool)
    out_of_columns = settings.holding(shares.columns) | np.array(shares.columns.totals, dtype=bool)
    outside = (settings.holding(shares.rows) | full_rows(shares)) & ~out_of_rows
    rest = rest_of(cast(CrosstabData, ready.result))
    rest_effects = ready.effects if computed is None else computed.of_rest(rest)
    together = None if computed is None else computed.rest_correlations
    made = ~out_of_rows[:, None] & ~out_of_columns
    outcome = carry_out(
        settings,
        Side(shares.cells, ready.bases),
        Side(rest, worth(rest, settings.base, rest_effects)),
        made=made if but is None else made & ~but.cells,
        outside=outside,
        overlap=0.0 if together is None else together,
        freedom=None if computed is None else computed.rest_freedom,
        empty="nobody in the column, or in the rest",
        cautious=cautious,
    )
    if against == "base":
        outcome = _against_whole(outcome)
    every = np.broadcast_to(np.arange(len(shares.columns)), shares.shape)
    said = (
        "" if together is None else "clusters in both accounted for",
        "" if but is None else but.words,
        "differences that hold by the likelihood ratio, too" if cautious else "",
    )
    return ComparisonData(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=every,
        other=np.zeros(shares.shape, dtype=np.intp),
        others=Margin((against,), {"other": (against,)}, (True,)),
        bases=ready.bases,
        recipe=recipe(
            settings,
            shares,
            ready.effects,
            subject=f"each column against the {_AGAINST[against]}",
            left_out=_names(shares.rows, out_of_rows) + _names(shares.columns, out_of_columns),
            outside=_names(shares.rows, outside),
            dependence=", ".join(filter(None, said)),
            design=ready.design,
            freedom=outcome.freedom,
        ),
    )


_AGAINST = {"rest": "rest of its base", "base": "whole base, of which it is a part"}


def compare_waves(result: StatsData, **options: Unpack[Options]) -> ComparisonData:
    """Each wave against the last one before it with figures; see `StatsResult.compare_waves`."""
    if result.splitter != WAVES or not result.rows:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    ready = prepared(result, options, wave_shares)
    shares, settings, computed = ready.shares, ready.settings, ready.computed
    out_of_rows = np.array(shares.rows.totals, dtype=bool)
    outside = (settings.holding(shares.rows) | full_rows(shares)) & ~out_of_rows
    previous = _previous(~np.isnan(shares.cells.share))
    before = np.maximum(previous, 0)
    side = Side(shares.cells, ready.bases)
    rows, waves = shares.shape
    every = np.broadcast_to(np.arange(waves), (rows, waves))
    outcome = carry_out(
        settings,
        side,
        side.across(before),
        made=~out_of_rows[:, None] & (previous >= 0),
        outside=outside,
        freedom=None if computed is None else computed.pair_freedom(shares, every, before),
        empty=denominators.NO_WAVE,
    )
    return ComparisonData(
        shares=shares,
        outcome=outcome,
        settings=settings,
        column=every,
        other=previous,
        others=shares.columns,
        bases=ready.bases,
        recipe=recipe(
            settings,
            shares,
            ready.effects,
            subject="each wave against the one before it that asked",
            left_out=_names(shares.rows, out_of_rows),
            outside=_names(shares.rows, outside),
            dependence="waves taken as separate samples",
            design=ready.design,
            freedom=outcome.freedom,
        ),
    )


def _check_number(tests: tuple[int, int], shares: Shares) -> None:
    if tests[0] * tests[1] > MOST_TESTS:
        raise ValueError(
            f"{shares.shape[0]:,} rows × {tests[1]:,} pairs of columns are more than "
            f"{MOST_TESTS:,} tests. Take fewer columns, or compare_to_rest()."
        )


def _shared(
    overlap: CrosstabData | None,
    shares: Shares,
    computed: DesignEffects | None,
    *,
    automatic: bool,
) -> Floats | None:
    """How closely the estimates of two columns hang together, [columns, columns].

    Where the respondents have told it, it differs by row: [rows, columns, columns].
    """
    correlations = None if computed is None else computed.correlations
    if correlations is not None and overlap is not None and not automatic:
        raise ValueError(
            "Leave out overlap=: these design effects know who is in both columns, and what they "
            "say."
        )
    if overlap is None or correlations is not None:
        return correlations
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
    if not isinstance(overlap, CrosstabData):
        return False
    sides = (overlap.rows, overlap.columns)
    return overlap.complete and all(tuple(each.name for each in side) == names for side in sides)


def _with_shared(first: Cells, second: Cells, remark: NDArray[np.object_]) -> NDArray[np.object_]:
    """Remarks, with a word on pairs that hold more respondents together than their base does."""
    if first.respondents is None:
        return remark
    shared = (first.scope == second.scope) & (first.sample + second.sample > first.respondents)
    return np.where(shared & (remark == ""), SHARED, remark)


def _dependence(accounted: Floats | None, shared: bool) -> str:
    if accounted is not None:
        said = "respondents" if accounted.ndim == 2 else "respondents and clusters"
        return f"{said} in both columns accounted for"
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
