"""Averages compared: those of the columns of one question, and of the items of a grid."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace

import msgspec
import numpy as np

from audiencelab.analysis.average_precision import AveragePrecision, Key
from audiencelab.analysis.averages import Average, Midpoints, with_precision
from audiencelab.analysis.compare_columns import columns_plan
from audiencelab.analysis.compare_statistics import pairs
from audiencelab.analysis.compare_waves import previous_of
from audiencelab.analysis.comparison import ComparisonData, comparison_of
from audiencelab.analysis.design_effects import DesignEffects
from audiencelab.analysis.disjointness import ComparedColumn
from audiencelab.analysis.options import TestOptions, TestSettings, Versus
from audiencelab.analysis.plan import MEANS, Errors, Pairs, TestPlan, errors_of_bases, scope_of
from audiencelab.analysis.precision import with_bases
from audiencelab.analysis.prepare import TestInputs, prepared_means
from audiencelab.analysis.proportions import (
    CellEstimates,
    Proportions,
    TableItems,
    pivoted,
    scopes,
    stats_columns,
)
from audiencelab.analysis.statistic_design import StatisticPrecision
from audiencelab.expressions.codes import WAVES
from audiencelab.results import undefined
from audiencelab.results.comparable import ALIKE, Comparability, comparability_of_stats
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData


def compare_averages(
    result: StatsData,
    midpoints: Midpoints,
    options: TestOptions,
    vs: Versus = "columns",
    *,
    disjoint: bool = False,
) -> ComparisonData:
    """Means of one question, a row for all columns or for each audience; see `StatsResult.test`."""
    if vs not in ("columns", "previous wave"):
        raise ValueError(f"Means are compared between columns or waves; vs={vs!r} is not valid.")
    found = with_precision(result, midpoints, disjoint=disjoint)
    code, name = result.question, result.labels.question or result.question
    of_waves = vs == "previous wave"
    if of_waves and result.splitter != WAVES:
        raise ValueError("There are no waves to compare: ask with splitter='waves'.")
    axis = TableItems(
        (name,), {"question": (code,), "question_label": (name,)}, np.zeros(1, dtype=bool)
    )
    down: list[Hashable] = [code] * len(found.columns)
    columns = found.columns
    if of_waves:
        # Each audience is a row, so that only waves are left as columns.
        down = [column.audience for column in columns]
        columns = [replace(column, audience=None) for column in columns]
        if result.audiences:
            ids = tuple(each or "" for each in dict.fromkeys(map(str, down)))
            names = tuple(map(result.audience_name, ids))
            labels = {"audience": ids, "audience_name": names}
            axis = TableItems(names, labels, np.zeros(len(ids), dtype=bool))
    table = _means(result, axis, columns, found.averages, down, found.method)
    lines = _lines(found.columns, down, columns)
    # Each line is the mean of one question, whatever its audience.
    audiences = dict.fromkeys(column.audience for column in found.columns)
    rows = [("", each) for each in audiences] if of_waves else [("", None)]
    across = [(column.segment, column.audience) for column in columns]
    comparable = comparability_of_stats(result, rows, [*dict.fromkeys(across)])
    return _compare_means(
        result, table, options, found.precision, lines, comparable, of_waves=of_waves
    )


def compare_item_averages(
    grid: GridData, midpoints: Mapping[str, float], options: TestOptions
) -> ComparisonData:
    """Means of the items of a grid, a row for each; see `GridResult.test`."""
    found = with_precision(by_item(grid), midpoints, disjoint=True)
    names = tuple(grid.table.labels.datapoints.get(code) or code for code in grid.items)
    labels = {"datapoint": grid.items, "datapoint_label": names}
    axis = TableItems(names, labels, np.zeros(len(names), dtype=bool))
    down = [column.segment for column in found.columns]
    columns = [replace(column, segment=None) for column in found.columns]
    table = _means(grid.table, axis, columns, found.averages, down, "midpoints")
    # The rows of one point of the scale are the result whose columns have design effects.
    rows = [row for row in grid.table.rows if row.segment == grid.scale[0]]
    asked = tuple(msgspec.structs.replace(row, segment=None) for row in rows)
    of_columns = replace(grid.table, rows=asked, splitter=None)
    lines = _lines(found.columns, down, columns)
    return _compare_means(of_columns, table, options, found.precision, lines)


def _lines(
    columns: Sequence[ComparedColumn], down: Sequence[Hashable], across: Sequence[ComparedColumn]
) -> list[list[Key | None]]:
    """The column of the result in each cell of a table; None where there is none.

    down, across: the row and the column of the table that each is in.
    """
    places = [(column.segment, column.audience) for column in across]
    known = {
        place: (column.segment, column.audience)
        for place, column in zip(zip(down, places, strict=True), columns, strict=True)
    }
    return [
        [known.get((row, place)) for place in dict.fromkeys(places)] for row in dict.fromkeys(down)
    ]


def _means(
    result: StatsData,
    rows: TableItems,
    columns: Sequence[ComparedColumn],
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
        [average.spread for average in averages],
    )
    return Proportions(
        rows,
        stats_columns(result, list(dict.fromkeys(across))),
        CellEstimates(mean, size, sample, scope, base=sample, deviation=deviation),
        f"means of {method}",
        dict(result.provenance),
        empty="no answers",
    )


def _compare_means(
    result: StatsData,
    table: Proportions,
    options: TestOptions,
    precision: AveragePrecision,
    lines: Sequence[Sequence[Key | None]],
    comparable: Comparability | None = None,
    *,
    of_waves: bool = False,
) -> ComparisonData:
    if isinstance(options.get("design"), DesignEffects):
        raise ValueError(
            "These design effects were computed for percentages. Give those of the averages, "
            "design=1.4, or one for each column."
        )
    if options.get("zero_or_full", "test") != "test":
        raise ValueError("zero_or_full= is an option of percentages, not of means.")

    def planned(ready: TestInputs, options: TestOptions) -> TestPlan:
        if of_waves:
            return _waves_plan(ready, comparable)
        return columns_plan(ready, result, options, comparable=comparable, unit=MEANS)

    # By the sample's own design, unless the caller chose a design effect or bases.
    automatic = isinstance(options.get("design", "auto"), str) and not options.get("base")
    if precision.rows is None or not automatic or options.get("pooled"):
        ready = prepared_means(result, table, options)
        return comparison_of(planned(ready, options))
    rows = precision.of(lines)
    settings = TestSettings.of({**options, "pooled": False}, "effective")
    settings.check_nets(table.rows, table.columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        error, spread = rows.values("standard_error"), rows.spread
        # The variance of the mean ÷ that of as many respondents drawn at random.
        effects = rows.values("answered_sample") * (error / spread) ** 2
    table = replace(table, cells=with_bases(table.cells, "effective", effects))
    ready = TestInputs(table, settings, effects, None, rows.how, automatic=True)
    # The answer's covariances include everyone who is in both columns.
    own: TestOptions = {**options, "overlap": None}
    plan = planned(ready, own)
    # -1, for no wave before, is not a position; the plan does not make these tests.
    before = np.maximum(plan.pairs.other, 0)
    tests = pairs(table, StatisticPrecision(rows, own=True), plan.pairs.column, before)
    assert tests.error is not None
    known = "respondents and clusters"
    errors = Errors(tests.error, tests.freedom, known=known, of_bases=False)
    return comparison_of(replace(plan, errors=errors))


def _waves_plan(ready: TestInputs, comparable: Comparability | None) -> TestPlan:
    """Each wave against the last one before it with a mean, as different respondents."""
    table = ready.table
    scope = scope_of(ready)._replace(columns=np.zeros(len(table.columns), dtype=bool))
    previous = previous_of(~np.isnan(table.cells.value))
    before = np.maximum(previous, 0)
    others = table.cells.take(before)
    every = np.broadcast_to(np.arange(len(table.columns)), table.shape)
    return TestPlan(
        ready,
        "previous wave",
        Pairs(table.cells, others, every, previous, table.columns),
        errors_of_bases(ready.settings, table.cells, others),
        scope,
        made=scope.made & (previous >= 0),
        unlike=ALIKE if comparable is None else comparable.between(every, before),
        empty=undefined.NO_WAVE,
        unit=MEANS,
    )
