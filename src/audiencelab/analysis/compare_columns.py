"""Every two columns compared within each row, of shares or of means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.options import TestOptions
from audiencelab.analysis.pair_errors import errors_of_pairs
from audiencelab.analysis.plan import (
    PERCENTAGES,
    SHARED,
    Pairs,
    TestPlan,
    Unit,
    UntestedCells,
    check_number,
    families,
    pairs_of,
    scope_of,
)
from audiencelab.analysis.prepare import TestInputs
from audiencelab.analysis.proportions import CellEstimates
from audiencelab.results.comparable import ALIKE, Comparability
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData

Floats = NDArray[np.float64]


def columns_plan(
    ready: TestInputs,
    result: CrosstabData | StatsData,
    options: TestOptions,
    but: UntestedCells | None = None,
    comparable: Comparability | None = None,
    unit: Unit = PERCENTAGES,
) -> TestPlan:
    """Every pair of columns within each row.

    but: cells to leave out. comparable: which columns compare; None for all.
    """
    table, scope = ready.table, scope_of(ready, but)
    compared = np.flatnonzero(~scope.columns)
    if len(compared) < 2:
        raise ValueError(
            "There are no two columns to compare. Totals and nets are left out; to set each "
            "column against everyone else, use test(vs='rest')."
        )
    groups, within = families(table.columns, options)
    first, second = pairs_of(compared, groups)
    tests = (len(table.rows), len(first))
    check_number(*tests)
    one, other = table.cells.take(first), table.cells.take(second)
    pairs = Pairs(
        one, other, np.broadcast_to(first, tests), np.broadcast_to(second, tests), table.columns
    )
    overlap = _overlap(options.get("overlap"), ready)
    correlation = None if overlap is None else np.broadcast_to(overlap[first, second], tests)
    errors = errors_of_pairs(ready, result, pairs, correlation)
    return TestPlan(
        ready,
        "columns",
        pairs,
        errors,
        scope,
        made=scope.made[:, first] & scope.made[:, second],
        unlike=ALIKE if comparable is None else comparable.between(first, second),
        parts=groups[first] if within else None,
        within_groups=within,
        groups=tuple(groups.tolist()),
        caveats=_caveats(one, other, table.apart, overlaps=not errors.known),
        empty=table.empty,
        unit=unit,
    )


def _overlap(overlap: CrosstabData | None, ready: TestInputs) -> Floats | None:
    """The correlation of two columns by a crosstab of both, float64[columns, columns].

    None where the respondents say more.
    """
    if overlap is not None and ready.linearised is not None and not ready.automatic:
        raise ValueError(
            "Leave out overlap=: these design effects know who is in both columns, and what they "
            "say."
        )
    # Covariances by the respondents know how those in both answered; an overlap counts them only.
    if overlap is None or ready.linearised is not None:
        return None
    names = ready.table.columns.names
    if not _is_of(names, overlap):
        raise ValueError(
            "The overlap is the whole crosstab of the same columns against themselves: "
            "overlap=client.crosstab(rows=columns, columns=columns)."
        )
    both = np.sqrt(overlap.values("row_sample") * overlap.values("column_sample"))
    return np.where(both > 0, overlap.values("sample") / np.maximum(both, 1.0), 0.0)


def _is_of(names: tuple[str, ...], overlap: object) -> bool:
    if not isinstance(overlap, CrosstabData) or not overlap.complete:
        return False
    sides = (overlap.rows, overlap.columns)
    return all(tuple(audience.name for audience in side) == names for side in sides)


def _caveats(
    first: CellEstimates, second: CellEstimates, apart: str, *, overlaps: bool
) -> NDArray[np.object_]:
    """Notes of pairs of different scopes, and of pairs with more respondents than their base.

    apart: the note of the former. overlaps: whether columns may share respondents without the
    test knowing.
    """
    same_waves = first.scope == second.scope
    caveats = np.where(same_waves, "", apart).astype(object)
    if overlaps and first.respondents is not None:
        # Two columns with more respondents than their base must share some.
        shared = same_waves & (first.sample + second.sample > first.respondents)
        caveats[shared] = SHARED
    return caveats
