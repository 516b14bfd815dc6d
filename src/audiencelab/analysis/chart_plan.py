"""What a chart of a result draws: the kind that suits it, the panels, and the ends of a scale.

Charts on the screen and on slides follow one plan, so that a table looks the same on both. A plan
names rows and columns of the result by position; it has no figures of its own but the order of
answers without an order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.disjointness import (
    columns_of,
    own_rows,
    require_disjoint,
    require_separate,
)
from audiencelab.expressions import Expression, Leaf
from audiencelab.expressions.codes import WAVES
from audiencelab.results.banner import Groups, full_name, joined
from audiencelab.results.crosstab import CrosstabData, has_total, of_statistics_alone
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale
from audiencelab.wording import plural

ChartForm = Literal["bar", "dots", "stack", "line", "points", "heatmap"]
"""Bars, dots on a line for each row, stacks of 100%, lines over waves, means, a coloured table."""

MAX_SERIES = 6
"""Series in one panel: the colours of more look alike."""

MAX_DOTS = 3
"""Dots on a line, from which bars in panels are easier to read."""

MAX_PANELS = 12
"""Panels of one chart; a table of more columns is coloured instead."""

MAX_PARTS = 8
"""Answers in a stack."""

MAX_STACKS = 60
"""Stacks of one chart, above which the items of a grid are drawn for everyone only."""

MAX_ROWS = 40
"""Answers in a chart; of an unordered question with more, the largest `TOP` are drawn."""

TOP = 25
"""Answers that are drawn of a question with more than `MAX_ROWS`."""

FEWEST_WAVES = 3
"""Waves from which a line shows a course; two are compared as two groups are."""

FEWEST_POINTS = 3
"""Points of a scale from which its order is visible in a stack."""

BOX = 2
"""Answers that are added up at each end of a stack."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows and columns that are drawn together.

    name: what its rows or columns have in common; "" for the only panel, and for one of a single
    column, which has a name of its own. columns: none for everyone in the base, where the result
    has too many columns to draw.
    """

    name: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """What a chart of a result draws.

    kind: which chart. panels: what is in each. turned: whether the columns are the categories and
        the rows the series, as for one row of many columns.
    scale: that of the answers of a stack. points: the point of the scale that each row is, by
        position. low, high: the points that are added up at the left and the right end of each
        stack; none where the scale has too few. Their names list the answers, so that neither has
        to be called the top.
    note: what of the result is not drawn; "" if all of it is.
    """

    kind: ChartForm
    panels: tuple[Panel, ...]
    turned: bool = False
    scale: Scale | None = None
    points: tuple[tuple[int, str], ...] = ()
    low: tuple[str, ...] = ()
    high: tuple[str, ...] = ()
    note: str = ""

    @property
    def diverging(self) -> bool:
        """Whether the stacks run from an attitude to its opposite, to both sides of a middle."""
        return self.scale is not None and self.scale.ends == "opposite"


def chart_plan(
    result: CrosstabData | StatsData, kind: Literal["bar", "dots"] | None = None
) -> ChartPlan:
    """The chart that suits a result, or the panels of a kind that was asked for.

    Answers of one scale are stacks of 100% in each column; waves are lines; statistics are points;
    one column is bars; two or three columns of a group are dots, more are bars in a panel each; the
    groups of a banner are panels. What is too large for all of these is a coloured table.

    kind: draws every row and column, in the order of the result.

    >>> chart_plan(client.crosstab("Pets", "Gender")).kind
    'dots'
    """
    if kind is not None:
        whole = isinstance(result, StatsData)
        return _asked(_of_stats(result) if whole else _of_table(result, with_total=True), kind)
    shape = _of_stats(result) if isinstance(result, StatsData) else _of_table(result)
    if shape.statistics:
        return _of_statistics(shape)
    if shape.over_time and len(shape.columns) >= FEWEST_WAVES:
        return _lines(shape)
    return _stacks(shape) or _side_by_side(shape)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row: its position, its groups, and the answer that it counts."""

    position: int
    groups: Groups
    answer: Leaf | None

    @property
    def point(self) -> str:
        """The code of the answer on its scale; "" for anything but a single answer."""
        leaf = self.answer
        if leaf is None or leaf.negated or leaf.min_count != 1:
            return ""
        codes = leaf.suffixes or leaf.datapoints
        return str(codes[0]) if len(codes) == 1 else ""

    @property
    def item(self) -> tuple[str, ...]:
        """What its scale is about: a question, or an item of a grid."""
        leaf = self.answer
        if leaf is None:
            return ()
        return (leaf.question, *(leaf.datapoints if leaf.suffixes else ()))


@dataclass(frozen=True, slots=True)
class _Shape:
    """A result as far as its chart depends on it.

    rows: those of shares, without nets. columns: position and groups, without everyone in the base.
    separate: whether each respondent is in at most one of some rows. share: of a row in the base.
    """

    rows: tuple[_Row, ...]
    columns: tuple[tuple[int, Groups], ...]
    over_time: bool
    statistics: int
    scale_of: Callable[[str], Scale | None]
    separate: Callable[[Sequence[int]], bool]
    share: Callable[[], Sequence[float]]


def _of_table(table: CrosstabData, *, with_total: bool = False) -> _Shape:
    alone = of_statistics_alone(table)
    expressions = [each.expression for each in table.rows]
    rows = tuple(_Row(at, table.row_groups[at], _leaf(expressions[at])) for at in own_rows(table))
    first = 1 if has_total(table) and len(table.columns) > 1 and not with_total else 0
    waves = one_waves(table)[first:]

    def separate(drawn: Sequence[int]) -> bool:
        try:
            require_separate(table, "the stack", drawn, disjoint=False)
        except ValueError:
            return False
        return True

    return _Shape(
        () if alone else rows,
        tuple((at, table.column_groups[at]) for at in range(first, len(table.columns))),
        bool(waves) and all(each is not None for each in waves),
        len(table.statistics.rows) if alone and table.statistics is not None else 0,
        table.scales.get,
        separate,
        lambda: table.row_values("row_base_percentage").tolist(),
    )


def _leaf(expression: Expression | None) -> Leaf | None:
    return expression if isinstance(expression, Leaf) else None


def _of_stats(result: StatsData) -> _Shape:
    columns, codes = columns_of(result), result.datapoints
    added = result.provenance.get("nets", {})

    def separate(drawn: Sequence[int]) -> bool:
        asked = [column for column in columns if column.waves]
        try:
            require_disjoint(result, asked, disjoint=False)
        except ValueError:
            return False
        return len(drawn) > 1

    def share() -> list[float]:
        shown = columns[0].rows if columns else {}
        return [shown[code].metrics.positive_size if code in shown else 0.0 for code in codes]

    return _Shape(
        tuple(
            _Row(at, (), Leaf(result.question, (code,)))
            for at, code in enumerate(codes)
            if code not in added
        ),
        # Audiences are panels of segments.
        tuple(
            (at, (result.audience_name(each.audience),) if each.audience and each.segment else ())
            for at, each in enumerate(columns)
        ),
        result.splitter == WAVES,
        0,
        lambda _: result.labels.scale,
        separate,
        share,
    )


# -- the kinds ------------------------------------------------------------------------------------


def _of_statistics(shape: _Shape) -> ChartPlan:
    rows = tuple(range(shape.statistics))
    is_line = shape.over_time and len(shape.columns) >= FEWEST_WAVES
    return ChartPlan("line" if is_line else "points", _panels(shape, rows))


def _lines(shape: _Shape) -> ChartPlan:
    """A line for each row; items of a grid, as other groups of rows, have a panel each."""
    items = [list(each) for _, each in groupby(shape.rows, key=lambda row: row.groups)]
    across = _panels(shape, ())
    if len(items) > 1 and len(across) == 1:
        panels = tuple(
            Panel(joined(rows[0].groups[-1:]), _positions(rows[:MAX_SERIES]), across[0].columns)
            for rows in items[:MAX_PANELS]
        )
        longest = max(map(len, items))
        left_out = [_left_out(longest, MAX_SERIES, "the first")] if longest > MAX_SERIES else []
        if len(items) > MAX_PANELS:
            left_out.append(f"The first {MAX_PANELS} of {len(items)} groups of rows.")
        return ChartPlan("line", panels, note=" ".join(left_out))
    chosen, note = _drawn_rows(shape, MAX_SERIES)
    return ChartPlan("line", _panels(shape, chosen), note=note)


def _stacks(shape: _Shape) -> ChartPlan | None:
    """Stacks of the answers on one scale; None where the rows are something else."""
    items = [list(each) for _, each in groupby(shape.rows, key=lambda row: row.item)]
    if not items or not shape.columns:
        return None
    question = items[0][0].item[:1]
    scale = shape.scale_of(question[0]) if question else None
    is_grid = len(items[0][0].item) > 1
    if scale is None or len(scale.points) < FEWEST_POINTS or not (is_grid or scale.ends):
        return None
    known = {*scale.points, *scale.off}
    for rows in items:
        drawn = [row.point for row in rows]
        if rows[0].item[:1] != question or len({*drawn}) < len(drawn) or not {*drawn} <= known:
            return None
        if not {*scale.points} <= {*drawn} or len(drawn) > MAX_PARTS:
            return None
    # Each respondent gives one point of the scale for an item.
    if not is_grid and not shape.separate([row.position for row in items[0]]):
        return None
    columns, note = tuple(at for at, _ in shape.columns), ""
    if len(items) * len(columns) > MAX_STACKS:
        columns, note = (), "Everyone in the base; the columns are in the table."
    if len(items) > MAX_STACKS:
        return None
    panels = tuple(
        Panel(joined(rows[0].groups[-1:]) if len(items) > 1 else "", _positions(rows), columns)
        for rows in items
    )
    long = len(scale.points) >= 2 * BOX
    return ChartPlan(
        "stack",
        panels,
        scale=scale,
        points=tuple((row.position, row.point) for row in shape.rows),
        low=scale.points[:BOX] if long else (),
        high=scale.points[-BOX:] if long else (),
        note=note,
    )


def _side_by_side(shape: _Shape) -> ChartPlan:
    rows, note = _drawn_rows(shape, MAX_ROWS)
    columns = shape.columns
    if len(rows) == 1 < len(columns):
        turned = _panels(shape, rows)
        small = len(columns) <= MAX_ROWS
        return ChartPlan("bar" if small else "heatmap", turned, turned=small, note=note)
    if len(columns) <= 1:
        return ChartPlan("bar", _panels(shape, rows), note=note)
    panels = _panels(shape, rows)
    widest = max(len(panel.columns) for panel in panels)
    if widest <= (MAX_DOTS if len(panels) == 1 else MAX_SERIES) and len(panels) <= MAX_PANELS:
        return ChartPlan("dots", panels, note=note)
    if len(columns) <= MAX_PANELS:
        # Bars of each column are larger than colours, and easier to read.
        return ChartPlan("bar", tuple(Panel("", rows, (at,)) for at, _ in columns), note=note)
    return ChartPlan("heatmap", (Panel("", rows, tuple(at for at, _ in columns)),), note=note)


def _asked(shape: _Shape, kind: Literal["bar", "dots"]) -> ChartPlan:
    """Every row and column: the columns of a group as series, or in a panel each if they are many.

    Everyone, who are in no group, are with the only group.
    """
    rows = _positions(shape.rows)
    places = tuple(at for at, _ in shape.columns)
    if len(rows) == 1 < len(places) and (kind == "bar" or len(places) > MAX_DOTS):
        return ChartPlan(kind, _panels(shape, rows), turned=True)
    panels = _panels(shape, rows)
    if len(panels) == 2 and not panels[0].name and len(panels[0].columns) == 1:
        panels = (Panel("", rows, places),)
    if max((len(panel.columns) for panel in panels), default=0) > MAX_SERIES:
        panels = tuple(Panel("", rows, (at,)) for at in places)
    return ChartPlan(kind, panels)


def _drawn_rows(shape: _Shape, most: int) -> tuple[tuple[int, ...], str]:
    """The rows in the order to draw them, and what is left out.

    Answers of a scale stay in its order; others begin with the largest, and those off a scale,
    such as "don't know", end the list.
    """
    rows = list(shape.rows)
    if len({row.groups for row in rows}) > 1 or any(_is_ordered(shape, row) for row in rows):
        return _positions(rows[:most]), _left_out(len(rows), most, "the first")
    share = np.nan_to_num(np.asarray(shape.share(), dtype=np.float64), nan=-1.0)
    rows.sort(key=lambda row: (_is_off(shape, row), -share[row.position]))
    shown = most if most < MAX_ROWS else TOP if len(rows) > most else len(rows)
    return _positions(rows[:shown]), _left_out(len(rows), shown, "the largest")


def _left_out(count: int, shown: int, which: str) -> str:
    return f"{which.capitalize()} {shown} of {plural(count, 'row')}." if shown < count else ""


def _is_ordered(shape: _Shape, row: _Row) -> bool:
    scale = shape.scale_of(row.item[0]) if row.item else None
    return scale is not None and scale.is_ordered


def _is_off(shape: _Shape, row: _Row) -> bool:
    scale = shape.scale_of(row.item[0]) if row.item else None
    return scale is not None and row.point in scale.off


def _positions(rows: Sequence[_Row]) -> tuple[int, ...]:
    return tuple(row.position for row in rows)


def _panels(shape: _Shape, rows: tuple[int, ...]) -> tuple[Panel, ...]:
    """A panel for each group of columns, named by what differs between their groups."""
    places: dict[Groups, list[int]] = {}
    for at, groups in shape.columns:
        places.setdefault(groups, []).append(at)
    found = [(groups, tuple(inside)) for groups, inside in places.items()]
    if len(found) < 2:
        return (Panel("", rows, found[0][1] if found else ()),)
    common = 0
    while all(
        len(groups) > common + 1 and groups[common] == found[0][0][common] for groups, _ in found
    ):
        common += 1
    return tuple(Panel(joined(groups[common:]), rows, columns) for groups, columns in found)


# -- names ----------------------------------------------------------------------------------------


def short_names(groups: Sequence[Groups], names: Sequence[str]) -> list[str]:
    """Names with as much of their groups as tells them apart, from the innermost.

    >>> short_names([("Male", "Age"), ("Female", "Age")], ["16 to 17", "16 to 17"])
    ['Male › Age › 16 to 17', 'Female › Age › 16 to 17']
    >>> short_names([("Male", "Age")] * 2, ["16 to 17", "18 to 24"])
    ['16 to 17', '18 to 24']
    """
    deepest = max(map(len, groups), default=0)
    for depth in range(deepest + 1):
        made = [
            full_name(each[len(each) - depth :] if depth else (), name)
            for each, name in zip(groups, names, strict=True)
        ]
        if len({*made}) == len(made):
            return made
    return [full_name(each, name) for each, name in zip(groups, names, strict=True)]
