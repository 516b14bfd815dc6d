"""What is compared: every pair of columns, a column and the rest, a wave and the one before."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.averages import Average, Midpoints, averaged, method_of
from audiencelab.analysis.compare_rows import compare_rows
from audiencelab.analysis.compared import (
    Remainder,
    check_number,
    comparison_of,
    of_any_test,
    pairs_of,
    scope_of,
)
from audiencelab.analysis.comparison import MEANS, PERCENTAGES, ComparisonData, Unit
from audiencelab.analysis.design_effects import (
    DesignEffects,
    effects_of_rest,
    effects_of_table,
    pair_correlations,
    pair_freedom,
    rest_correlations,
)
from audiencelab.analysis.disjointness import Column
from audiencelab.analysis.options import Options, TestOptions, Versus, require_choice
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.prepare import Prepared, prepared, prepared_means
from audiencelab.analysis.proportions import (
    Axis,
    Estimates,
    Proportions,
    crosstab_proportions,
    pivoted,
    rest_of,
    scopes,
    stats_columns,
    wave_proportions,
)
from audiencelab.analysis.run_tests import SHARED, Outcome, run_tests
from audiencelab.expressions.codes import WAVES
from audiencelab.flags import flag
from audiencelab.results import undefined
from audiencelab.results.all_waves import in_one_scale
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData
from audiencelab.results.who_counts import items_differ, items_differ_from_rest

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

_AGAINST = {"rest": "rest of its base", "total": "whole base, of which it is a part"}


def compare(
    result: CrosstabData | StatsData,
    vs: Versus,
    options: TestOptions,
    but: Remainder | None = None,
) -> ComparisonData:
    """The percentages of a result tested; see `CrosstabResult.test`.

    but: cells of a crosstab to leave out of the tests.
    """
    require_choice("vs", vs, get_args(Versus))
    if vs == "columns":
        return compare_columns(result, but=but, **options)
    if vs == "rows" and isinstance(result, CrosstabData):
        return compare_rows(result, options, but)
    rest = _not_between_columns(options, vs)
    if vs == "previous wave":
        if isinstance(result, CrosstabData):
            raise ValueError(
                "A crosstab has no waves to compare: use client.stats(question, splitter='waves')."
            )
        return compare_waves(result, **rest)
    if isinstance(result, StatsData):
        raise ValueError(
            f"vs={vs!r} needs a crosstab: client.crosstab({result.question!r}, audiences)."
        )
    return compare_to_rest(result, vs, but, **rest)


def _not_between_columns(options: TestOptions, vs: str) -> Options:
    """The options without those of pairs of columns; `ValueError` for one that was given."""
    overlap, within = options.get("overlap"), options.get("within_groups", True)
    if overlap is not None or not within:
        name = "overlap" if overlap is not None else "within_groups"
        raise ValueError(f"{name}= is an option of vs='columns', not of vs={vs!r}.")
    return of_any_test(options)


def compare_columns(
    result: CrosstabData | StatsData,
    *,
    overlap: CrosstabData | None = None,
    within_groups: bool = True,
    but: Remainder | None = None,
    **options: Unpack[Options],
) -> ComparisonData:
    """Every pair of columns within each row."""
    ready = prepared(result, options)
    unlike = items_differ(result)
    if unlike is not None and isinstance(result, StatsData):
        unlike = _by_column(unlike, result)
    return _every_pair(ready, overlap, within_groups=within_groups, but=but, unlike=unlike)


def _every_pair(
    ready: Prepared,
    overlap: CrosstabData | None,
    *,
    within_groups: bool = True,
    unit: Unit = PERCENTAGES,
    but: Remainder | None = None,
    unlike: Flags | None = None,
) -> ComparisonData:
    table, computed, scope = ready.table, ready.computed, scope_of(ready)
    compared = np.flatnonzero(~scope.columns)
    if len(compared) < 2:
        raise ValueError(
            "There are no two columns to compare. Totals and nets are left out; to set each "
            "column against everyone else, use test(vs='rest')."
        )
    within_groups = flag("within_groups", within_groups) and bool(table.columns.groups)
    groups = table.columns.group_numbers if within_groups else np.zeros(len(table.columns), np.intp)
    first, second = pairs_of(compared, groups)
    tests = (len(table.rows), len(first))
    check_number(*tests)
    columns = np.broadcast_to(first, tests), np.broadcast_to(second, tests)
    one, other = table.cells.take(first), table.cells.take(second)
    shared = _correlations(overlap, ready)
    made = ~scope.rows[:, None]
    outcome = run_tests(
        ready.settings,
        one,
        other,
        made=made if but is None else made & ~(but.cells[:, first] | but.cells[:, second]),
        parts=groups[first] if within_groups else None,
        outside=scope.outside,
        overlap=0.0 if shared is None else shared[..., first, second],
        freedom=None if computed is None else pair_freedom(computed, table, *columns),
        empty=table.empty,
        caveats=_caveats(one, other, table.apart, overlaps=shared is None),
        unlike=None if unlike is None else unlike[:, first, second],
    )
    dependence = (_dependence(shared, outcome), "" if but is None else but.words)
    compared_pairs = comparison_of(
        ready,
        outcome,
        scope,
        columns,
        table.columns,
        vs="columns",
        subject="every pair of columns",
        dependence=", ".join(filter(None, dependence)),
        within_groups=within_groups,
    )
    return replace(compared_pairs, groups=tuple(groups.tolist()), unit=unit)


def compare_to_rest(
    result: CrosstabData,
    against: str = "rest",
    but: Remainder | None = None,
    *,
    cautious: bool = False,
    **options: Unpack[Options],
) -> ComparisonData:
    """Each column against the rest of its base, or against the total.

    The column is a part of the total, so the statistic is the same: only what is shown differs.
    The rest has its column's design effect, or its own if it is computed.

    but: cells to leave out of the tests.
    cautious: whether a difference also has to hold by its likelihood ratio and with no design
        effect below Kish's: a selection from many tests selects what is off by chance.
    """
    scaled, design = in_one_scale(result), options.get("design")
    unlike = items_differ_from_rest(result)
    if scaled is not result and isinstance(design, DesignEffects):
        # They know the rest of each wave's own base, which is empty.
        of_cells = effects_of_table(design, crosstab_proportions(result))
        options["design"] = of_cells.tolist() if result.ask is None else "auto"
    result = scaled
    ready = prepared(result, options, cautious=cautious)
    table, computed, scope = ready.table, ready.computed, scope_of(ready)
    rest = rest_of(result)
    effects = ready.effects if computed is None else effects_of_rest(computed, rest)
    correlations = None if computed is None else rest_correlations(computed)
    made = ~scope.rows[:, None] & ~scope.columns
    outcome = run_tests(
        ready.settings,
        table.cells,
        with_bases(rest, ready.settings.base, effects),
        made=made if but is None else made & ~but.cells,
        outside=scope.outside,
        overlap=0.0 if correlations is None else correlations,
        freedom=None if computed is None else computed.rest_freedom,
        empty="nobody in the column, or in the rest",
        unlike=unlike,
        cautious=cautious,
    )
    dependence = (
        "" if correlations is None else "clusters in both accounted for",
        "" if but is None else but.words,
        "differences that hold by the likelihood ratio, too" if cautious else "",
    )
    return comparison_of(
        ready,
        _against_whole(outcome) if against == "total" else outcome,
        scope,
        (_every_column(table), np.zeros(table.shape, dtype=np.intp)),
        Axis((against,), {"other": (against,)}, np.ones(1, dtype=bool)),
        vs=against,
        subject=f"each column against the {_AGAINST[against]}",
        dependence=", ".join(filter(None, dependence)),
    )


def compare_waves(result: StatsData, **options: Unpack[Options]) -> ComparisonData:
    """Each wave against the last one before it with values."""
    if result.splitter != WAVES or not result.rows:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    ready = prepared(result, options, wave_proportions)
    table, computed = ready.table, ready.computed
    scope = scope_of(ready)._replace(columns=np.zeros(len(table.columns), dtype=bool))
    previous = _previous(~np.isnan(table.cells.value))
    before, every = np.maximum(previous, 0), _every_column(table)
    paired = None if computed is None else pair_correlations(computed, table, every, before)
    rows = np.array([result.datapoints.index(each) for each in table.rows.ids], dtype=np.intp)
    differing = items_differ(result)
    outcome = run_tests(
        ready.settings,
        table.cells,
        table.cells.take(before),
        made=~scope.rows[:, None] & (previous >= 0),
        outside=scope.outside,
        overlap=0.0 if paired is None else paired,
        freedom=None if computed is None else pair_freedom(computed, table, every, before),
        empty=undefined.NO_WAVE,
        unlike=None if differing is None else differing[rows[:, None], every, before],
    )
    return comparison_of(
        ready,
        outcome,
        scope,
        (every, previous),
        table.columns,
        vs="previous wave",
        subject="each wave against the one before it that asked",
        dependence="waves taken as separate samples" if paired is None else "",
    )


def compare_averages(
    result: StatsData, midpoints: Midpoints, options: TestOptions, *, disjoint: bool = False
) -> ComparisonData:
    """Means of one question, a table of one row; see `StatsResult.test`."""
    columns, averages = averaged(result, midpoints, disjoint=disjoint)
    code, name = result.question, result.labels.question or result.question
    axis = Axis((name,), {"question": (code,), "question_label": (name,)}, np.zeros(1, dtype=bool))
    down = [code] * len(columns)
    table = _means(result, axis, columns, averages, down, method_of(result, midpoints))
    return _compare_means(result, table, options)


def compare_item_averages(
    grid: GridData, midpoints: Mapping[str, float], options: TestOptions
) -> ComparisonData:
    """Means of the items of a grid, a row for each; see `GridResult.test`."""
    columns, averages = averaged(by_item(grid), midpoints, disjoint=True)
    names = tuple(grid.table.labels.datapoints.get(code) or code for code in grid.items)
    labels = {"datapoint": grid.items, "datapoint_label": names}
    axis = Axis(names, labels, np.zeros(len(names), dtype=bool))
    down = [column.segment for column in columns]
    columns = [replace(column, segment=None) for column in columns]
    table = _means(grid.table, axis, columns, averages, down, "midpoints")
    # The rows of one point of the scale are the result whose columns have design effects.
    rows = [row for row in grid.table.rows if row.segment == grid.scale[0]]
    asked = tuple(msgspec.structs.replace(row, segment=None) for row in rows)
    return _compare_means(replace(grid.table, rows=asked, splitter=None), table, options)


def _means(
    result: StatsData,
    rows: Axis,
    columns: Sequence[Column],
    averages: Sequence[Average],
    down: Sequence[Hashable],
    method: str,
) -> Proportions:
    across = [(column.segment, column.audience) for column in columns]
    mean, size, sample, scope, deviation = pivoted(
        down,
        across,
        [average.mean for average in averages],
        [average.answered_size for average in averages],
        [average.answered_sample for average in averages],
        scopes(column.waves for column in columns),
        [average.standard_deviation for average in averages],
    )
    return Proportions(
        rows,
        stats_columns(result, list(dict.fromkeys(across))),
        Estimates(mean, size, sample, scope, base=sample, deviation=deviation),
        f"means of {method}",
        dict(result.provenance),
        empty="no answers",
    )


def _compare_means(result: StatsData, table: Proportions, options: TestOptions) -> ComparisonData:
    if isinstance(options.get("design"), DesignEffects):
        raise ValueError(
            "These design effects were computed for percentages. Give those of the averages, "
            "design=1.4, or one for each column."
        )
    if options.get("zero_or_full", "test") != "test":
        raise ValueError("zero_or_full= is an option of percentages, not of means.")
    within = options.get("within_groups", True)
    ready = prepared_means(result, table, of_any_test(options))
    return _every_pair(ready, options.get("overlap"), within_groups=within, unit=MEANS)


def _every_column(table: Proportions) -> Positions:
    return np.broadcast_to(np.arange(len(table.columns)), table.shape)


def _correlations(overlap: CrosstabData | None, ready: Prepared) -> Floats | None:
    """The correlations of the estimates of two columns, if known.

    float64[columns, columns], or [rows, columns, columns] where they were computed.
    """
    correlations = None if ready.computed is None else ready.computed.correlations
    if correlations is not None and overlap is not None and not ready.automatic:
        raise ValueError(
            "Leave out overlap=: these design effects know who is in both columns, and what they "
            "say."
        )
    if overlap is None or correlations is not None:
        return correlations
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


def _by_column(differing: Flags, result: StatsData) -> Flags:
    """Pairs of waves as pairs of columns, each a wave and an audience."""
    waves = [row.segment for row in result.rows]
    columns = list(dict.fromkeys(zip(waves, (row.audience for row in result.rows), strict=True)))
    places = [result.segments.index(wave or "") for wave, _ in columns]
    return differing[:, places][:, :, places]


def _caveats(
    first: Estimates, second: Estimates, apart: str, *, overlaps: bool
) -> NDArray[np.object_]:
    """Notes of pairs of different scopes, and of pairs with more respondents than their base.

    apart: the note of the former. overlaps: whether columns may share respondents without the
    test knowing.
    """
    same_waves = first.scope == second.scope
    caveats = np.where(same_waves, "", apart).astype(object)
    if overlaps and first.respondents is not None:
        shared = same_waves & (first.sample + second.sample > first.respondents)
        caveats[shared] = SHARED
    return caveats


def _dependence(correlations: Floats | None, outcome: Outcome) -> str:
    if correlations is not None:
        known = "respondents" if correlations.ndim == 2 else "respondents and clusters"
        return f"{known} in both columns accounted for"
    if bool((outcome.note == SHARED).any()):
        return "columns taken as different people although some share respondents"
    return "columns taken as different people"


def _against_whole(outcome: Outcome) -> Outcome:
    """The same tests, stated against rest and column together.

    The column differs from the whole by a fixed part of what it differs from the rest by, so the
    statistic and p are the same.
    """
    part, rest = outcome.first, outcome.second
    people = part.size + rest.size
    kept = rest.size / people
    whole = Estimates(
        value=part.value - outcome.difference * kept,
        size=people,
        sample=part.sample + rest.sample,
        scope=part.scope,
        base=part.base + rest.base,
    )
    return replace(
        outcome, second=whole, difference=outcome.difference * kept, error=outcome.error * kept
    )


def _previous(known: Flags) -> Positions:
    """For each position of a row the last known one before it, -1 for none."""
    each = np.arange(known.shape[1], dtype=np.intp)
    last = np.maximum.accumulate(np.where(known, each, -1), axis=1)
    return np.concatenate([np.full((len(known), 1), -1), last[:, :-1]], axis=1)
