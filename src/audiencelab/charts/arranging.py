"""Results in the arrangement of a chart: their rows in order, some of them, by their new names.

Tables are arranged as layouts; a chart draws a result, so its rows are taken in the order in which
the same table would have them. What is hidden, low bases and decimals are options of the values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from audiencelab.analysis.chart_plan import AskedForm, ChartPlan, chart_plan
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.charts.data import lines_of, planned
from audiencelab.charts.specification import ChartSpecification
from audiencelab.expressions import Audience
from audiencelab.render.arranging import arranged, renamed
from audiencelab.render.crosstab_layout import column_cells, row_cells
from audiencelab.render.layout import table_layout
from audiencelab.render.table_layout import HeaderCell, TableLayout
from audiencelab.results.arrangement import TableArrangement
from audiencelab.results.banner import Groups
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData, cells_of, of_statistics_alone, shown_rows
from audiencelab.results.grid import GridData
from audiencelab.results.metrics import IN_TABLES
from audiencelab.results.statistic_rows import row_order
from audiencelab.results.stats import STATS_FIGURES, StatsData

T = TypeVar("T")

_Arrangeable = CrosstabData | StatsData | GridData | ChartCalculationData | MovingAverageData


class _Made(NamedTuple):
    """A result, and for each line of its frame that of the frame before."""

    result: Any
    lines: Sequence[int]


@dataclass(frozen=True, slots=True)
class ArrangedResult(Generic[T]):
    """A result to draw, with its rows in order.

    note: how many of how many rows it has; "" for all. of: the result as it was. lines: of its
    frame, for each line of that of `result`; None where they are the same. whole: whether a number
    of rows was asked for, all of which are drawn.
    """

    result: T
    note: str
    of: T
    lines: Sequence[int] | None = None
    whole: bool = False

    def plan(self, kind: AskedForm | None = None, statistic: str = "") -> ChartPlan:
        """The plan of its chart, with the note; kind, statistic: as `chart_plan` takes them."""
        drawn = self.result.table if isinstance(self.result, MovingAverageData) else self.result
        given = planned(cast(Any, drawn))
        return self.noted(chart_plan(given, kind, statistic=statistic, whole=self.whole))

    def noted(self, plan: ChartPlan) -> ChartPlan:
        """A plan of it, with the note."""
        return replace(plan, note=" ".join(filter(None, (plan.note, self.note))))

    def drawn(self, made: ChartSpecification) -> ChartSpecification:
        """A chart of the arranged result, whose marks are rows of the result as it was."""
        if self.lines is None:
            return made
        datasets = {
            name: [self._of_line(row) for row in rows]
            for name, rows in made.spec.get("datasets", {}).items()
        }
        spec = made.spec | ({"datasets": datasets} if datasets else {})
        return replace(made, spec=spec, result=cast(Any, self.of))

    def _of_line(self, row: dict[str, Any]) -> dict[str, Any]:
        if self.lines is None or (line := row.get("line")) is None:
            return row
        return row | {"line": self.lines[int(line)]}


def arranged_result(
    result: T, metric: str, how: TableArrangement, *, draws_nets: bool = False
) -> ArrangedResult[T]:
    """The result with its rows in order.

    metric: what is drawn, and rows are sorted by. draws_nets: whether nets are drawn with the rows
    that they hold; otherwise these are sorted by themselves. Raises `ValueError` for names that it
    does not have. Anything but a result stays, which the chart reports.
    """
    changes = how.by != "asked" or how.rename or how.top is not None
    if not changes or not isinstance(result, _Arrangeable):
        return ArrangedResult(result, "", result)
    layout = _layout(result, metric, replace(how, nets_lead=draws_nets))
    if isinstance(result, CrosstabData):
        made = _crosstab(result, layout, how)
    elif isinstance(result, StatsData):
        made = _stats(result, layout, how)
    elif isinstance(result, GridData):
        table = _stats(result.table, layout, how)
        made = _Made(replace(result, table=table.result), table.lines)
    elif isinstance(result, MovingAverageData):
        made = _windows(result, layout, how)
    else:
        made = _calculation(result, layout, how)
    whole = how.top is not None
    return ArrangedResult(cast(T, made.result), layout.shown_note, result, made.lines, whole)


def _layout(result: _Arrangeable, metric: str, how: TableArrangement) -> TableLayout:
    given = result.table if isinstance(result, GridData) else result
    known = IN_TABLES if isinstance(given, CrosstabData) else tuple(STATS_FIGURES)
    # Kinds of statistics are not metrics: their values are in any table.
    metrics = [metric] if metric in known else None
    return arranged(table_layout(given, metrics=metrics), how)


# -- crosstabs ------------------------------------------------------------------------------------


def _crosstab(table: CrosstabData, layout: TableLayout, how: TableArrangement) -> _Made:
    before = shown_rows(table)
    order = [before[at] for at in layout.positions]
    shares = [at for is_other, at in order if not is_other]
    if of_statistics_alone(table):
        # The row of shares is the base, which is not shown.
        shares = list(range(len(table.rows)))
    others = [at for is_other, at in order if is_other]
    statistics = table.statistics
    if statistics is not None:
        after: list[str | None] = []
        last: str | None = None
        for is_other, at in order:
            if is_other:
                after.append(last)
            else:
                last = table.rows[at].id
        taken = statistics.take(others)
        named = [renamed(cell, how).name for cell in layout.stub if cell.decimals is not None]
        new = [row.named(name) for row, name in zip(taken.rows, named, strict=True)]
        statistics = replace(taken, rows=tuple(new), after=tuple(after))
    cells = row_cells(table)
    kept = [table.rows[at] for at in shares]
    rows, row_groups = _renamed(kept, [cells[at] for at in shares], how)
    columns, column_groups = _renamed(table.columns, column_cells(table), how)
    ids = {row.id for row in rows}
    made = replace(
        table,
        rows=rows,
        columns=columns,
        row_groups=row_groups,
        column_groups=column_groups,
        nets_of={net: parts for net, parts in table.nets_of.items() if net in ids},
        statistics=statistics,
        whole=None if table.whole is None else table.whole[:, shares],
    )
    down, across = np.nonzero(table.arrived[shares])
    figures = cells_of(table).figures(np.array(shares, dtype=np.intp)[down], across)
    cells_of(made).store(down, across, figures)
    return _Made(made, _lines(table, made, shares, others))


def _lines(
    table: CrosstabData, made: CrosstabData, shares: Sequence[int], others: Sequence[int]
) -> list[int]:
    if table.statistics is None:
        # A table may be under way, whose frame has the cells that have arrived.
        old, new = lines_of(table)[list(shares)].ravel(), lines_of(made).ravel()
        known = ~np.isnan(new)
        return old[known].astype(int).tolist()
    before, after = (
        row_order([row.id for row in each.rows], each.statistics) for each in (table, made)
    )
    rows = [
        before.index((is_other, (others if is_other else shares)[at])) for is_other, at in after
    ]
    width = len(table.columns)
    return [row * width + column for row in rows for column in range(width)]


def _renamed(
    audiences: Sequence[Audience], cells: Sequence[HeaderCell], how: TableArrangement
) -> tuple[tuple[Audience, ...], tuple[Groups, ...]]:
    made = [renamed(cell, how) for cell in cells]
    pairs = zip(audiences, made, strict=True)
    named = tuple(replace(each, name=cell.name) for each, cell in pairs)
    return named, tuple(cell.groups for cell in made)


# -- queries, moving averages and calculations ----------------------------------------------------


def _stats(result: StatsData, layout: TableLayout, how: TableArrangement) -> _Made:
    rank = {cell.codes[0]: at for at, cell in enumerate(layout.stub)}
    kept = [at for at, row in enumerate(result.rows) if row.datapoint in rank]
    kept.sort(key=lambda at: rank[result.rows[at].datapoint])
    labels = result.labels
    datapoints = _new_names(labels.datapoints, result.datapoints, how)
    segments = _new_names(labels.segments, result.segments, how)
    made = replace(
        result,
        rows=tuple(result.rows[at] for at in kept),
        audiences=tuple(
            replace(each, name=how.new_name((each.name, each.id or ""), each.name))
            for each in result.audiences
        ),
        labels=replace(labels, datapoints=datapoints, segments=segments),
    )
    return _Made(made, kept)


def _new_names(
    names: Mapping[str, str], codes: Sequence[str], how: TableArrangement
) -> dict[str, str]:
    """The names of codes; a code without one is its own name."""
    known = {code: names.get(code) or code for code in codes}
    return {code: how.new_name((name, code), name) for code, name in known.items()}


def _windows(result: MovingAverageData, layout: TableLayout, how: TableArrangement) -> _Made:
    table = _stats(result.table, layout, how)
    frame = result.frame.iloc[list(table.lines)].reset_index(drop=True)
    frame.attrs.update(result.frame.attrs)
    return _Made(replace(result, table=table.result, frame=frame), table.lines)


def _calculation(result: ChartCalculationData, layout: TableLayout, how: TableArrangement) -> _Made:
    by_id = {str(group.group_id): group for group in result.groups}
    groups = tuple(by_id[cell.codes[0]] for cell in layout.stub)
    # A group without data is a row of the frame all the same.
    lines: dict[int, list[int]] = {}
    for line, group in enumerate(each for each in result.groups for _ in each.data or [None]):
        lines.setdefault(id(group), []).append(line)
    segments = _new_names(result.segments, [*result.segments], how)
    audiences = _new_names(result.audiences, [*result.audiences], how)
    made = replace(result, groups=groups, segments=segments, audiences=audiences)
    return _Made(made, [line for group in groups for line in lines[id(group)]])
