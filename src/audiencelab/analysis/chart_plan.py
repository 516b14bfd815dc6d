"""What a chart of a result draws: the kind that suits it, the panels, and the ends of a scale.

Charts on the screen and on slides follow one plan, so that a table looks the same on both. A plan
names rows and columns of the result by position; it has no figures of its own but the order of
answers without an order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np

from audiencelab.analysis.chart_shape import FEWEST_POINTS, Row, Shape, shape_of
from audiencelab.results.banner import Groups, full_name, joined
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale
from audiencelab.wording import plural

AskedForm = Literal["bar", "dots", "stack", "line", "points"]
"""The kinds whose panels can be asked for."""

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

OF_EVERYONE = "Everyone in the base, not each column."
"""The note of a chart of a table with too many columns for it."""

BOX = 2
"""Answers that are added up at each end of a stack."""


@dataclass(frozen=True, slots=True)
class Panel:
    """Rows and columns that are drawn together.

    name: what its rows or columns have in common; "" for the only panel, and for one of a single
    column, which has a name of its own. columns: none for everyone in the base, where the result
    has too many columns to draw. in_order: whether the columns are points of a scale, such as ages;
    as series they are steps of one ramp.
    """

    name: str
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    in_order: bool = False


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
    def marks(self) -> int:
        """How many values it draws; those of everyone where a panel has no columns."""
        return sum(len(each.rows) * max(1, len(each.columns)) for each in self.panels)

    @property
    def rows(self) -> frozenset[int]:
        """The rows that it draws."""
        return frozenset(row for panel in self.panels for row in panel.rows)

    @property
    def of_everyone(self) -> bool:
        """Whether it draws no column, but everyone in the base."""
        return bool(self.panels) and not any(panel.columns for panel in self.panels)

    @property
    def diverging(self) -> bool:
        """Whether the stacks run from an attitude to its opposite, to both sides of a middle."""
        return self.scale is not None and self.scale.ends == "opposite"


def chart_plan(
    result: CrosstabData | StatsData,
    kind: AskedForm | None = None,
    *,
    statistic: str = "",
    whole: bool = False,
) -> ChartPlan:
    """The chart that suits a result, or the panels of a kind that was asked for.

    Answers of one scale are stacks of 100% in each column, and in each wave; other answers are
    lines over waves; statistics are points, and lines over waves;
    one column is bars; two or three columns of a group are dots, more are bars in a panel each; the
    groups of a banner are panels. What is too large for all of these is a coloured table.

    kind: draws every row and column, in the order of the result. statistic: a kind of statistic,
        such as "mean", whose rows are drawn instead of the shares of a table. whole: draws every
        row in the suitable chart, too, such as those that `top` left.

    >>> chart_plan(client.crosstab("Pets", "Gender")).kind
    'dots'
    """
    if kind is not None:
        of_statistics = bool(statistic) or kind == "points"
        shape = shape_of(result, with_total=True, statistic=statistic if of_statistics else None)
        if kind == "stack":
            return _asked_stacks(shape)
        if kind == "line":
            return _asked_lines(shape)
        return _points(shape) if kind == "points" else _asked(shape, kind)
    shape = shape_of(result)
    is_course = shape.is_over_time and len(shape.columns) >= FEWEST_WAVES
    if shape.axes:
        return _asked_lines(shape) if is_course else _points(shape)
    plan = None if is_course and _is_grid(shape) else _stacks(shape)
    every = len(shape.rows) if whole else 0
    plan = plan or (
        _lines(shape, max(MAX_SERIES, every))
        if is_course
        else _side_by_side(shape, max(MAX_ROWS, every))
    )
    if isinstance(result, CrosstabData) and result.statistics is not None:
        plan = replace(plan, note=f"{plan.note} Statistics are in the table.".lstrip())
    return plan


# -- the kinds ------------------------------------------------------------------------------------


def _points(shape: Shape) -> ChartPlan:
    """Statistics of one axis as rows, in panels for the groups of columns; others in one each."""
    rows = tuple(at for at, _, _ in shape.axes)
    panels = _panels(shape, rows)
    fit = max((len(panel.columns) for panel in panels), default=0) <= MAX_SERIES
    if len(rows) > 1 and len({axis for *_, axis in shape.axes}) == 1 and fit:
        return ChartPlan("points", panels)
    columns = tuple(at for at, _ in shape.columns)
    own = (Panel(name, (row,), columns) for row, name, _ in shape.axes)
    return ChartPlan("points", tuple(own), turned=True)


def _asked_lines(shape: Shape) -> ChartPlan:
    """A line for each row, in panels for groups of waves and for rows that have other axes."""
    over_time = replace(
        shape, columns=tuple(each for each in shape.columns if each[0] in shape.waves)
    )
    if not shape.axes:
        return _turned_lines(over_time, _panels(over_time, _positions(shape.rows)))
    made: list[Panel] = []
    axes = list(dict.fromkeys(axis for *_, axis in shape.axes))
    for axis in axes:
        rows = tuple(at for at, _, own in shape.axes if own == axis)
        names = [name for _, name, own in shape.axes if own == axis]
        name = names[0] if len(rows) == 1 and len(axes) > 1 else ""
        panels = _panels(over_time, rows)
        made += [
            replace(each, name=joined(tuple(filter(None, (name, each.name))))) for each in panels
        ]
    return _turned_lines(over_time, tuple(made))


def _lines(shape: Shape, most: int) -> ChartPlan:
    """A line for each row; items of a grid, as other groups of rows, have a panel each.

    most: lines of a panel.
    """
    items = [
        # Answers off the scale are last, so that they are the first to be left out.
        sorted(each, key=lambda row: _is_off(shape, row))
        for _, each in groupby(shape.rows, key=lambda row: row.groups)
    ]
    across = _panels(shape, ())
    if len(items) > 1 and len(across) == 1:
        panels = tuple(
            Panel(joined(rows[0].groups[-1:]), _positions(rows[:most]), across[0].columns)
            for rows in items[:MAX_PANELS]
        )
        longest = max(map(len, items))
        left_out = [_left_out(longest, most, "the first")] if longest > most else []
        if len(items) > MAX_PANELS:
            left_out.append(f"The first {MAX_PANELS} of {len(items)} groups of rows.")
        return replace(_turned_lines(shape, panels), note=" ".join(left_out))
    chosen, note = _drawn_rows(shape, most)
    return replace(_turned_lines(shape, _panels(shape, chosen)), note=note)


def _turned_lines(shape: Shape, panels: tuple[Panel, ...]) -> ChartPlan:
    """Lines of panels; turned where a single row is a line for each group of waves."""
    single = len({panel.rows for panel in panels}) == 1 and len(panels[0].rows) == 1
    turned = single and 1 < len(panels) <= MAX_SERIES
    if turned:
        # Each group of waves is a series.
        in_order = shape.in_order([panel.columns[0] for panel in panels])
        panels = tuple(replace(panel, in_order=in_order) for panel in panels)
    drawn = [row for row in shape.rows if any(row.position in panel.rows for panel in panels)]
    question = drawn[0].item[:1] if drawn else ()
    scale = shape.scale_of(question[0]) if question else None
    if scale is not None and not _in_order(scale, replace(shape, rows=tuple(drawn))):
        scale = None
    points = tuple((row.position, row.point) for row in drawn)
    return ChartPlan("line", panels, turned=turned, scale=scale, points=points)


def _stacks(shape: Shape) -> ChartPlan | None:
    """Stacks of the answers on one scale; None where the rows are something else."""
    plan = _asked_stacks(shape)
    scale, codes = plan.scale, dict(plan.points)
    if scale is None or not shape.columns or not (_is_grid(shape) or scale.ends):
        return None
    for panel in plan.panels:
        drawn = [codes[row] for row in panel.rows]
        is_whole = {*scale.points} <= {*drawn} <= {*scale.points, *scale.off}
        if not is_whole or len({*drawn}) < len(drawn) or len(drawn) > MAX_PARTS:
            return None
    # Each respondent gives one point of the scale for an item.
    if not (_is_grid(shape) or shape.separate(plan.panels[0].rows)):
        return None
    items, panels, note = len(plan.panels), _sorted(plan, shape), ""
    if items * len(shape.columns) > MAX_STACKS:
        if items == 1 or items > MAX_STACKS:
            return None
        panels = [replace(panel, columns=()) for panel in panels]
        note = OF_EVERYONE
    return replace(plan, panels=tuple(panels), note=note)


def _sorted(plan: ChartPlan, shape: Shape) -> list[Panel]:
    """The items of a grid, those with the largest sum at the top of the scale first."""
    codes, scale = dict(plan.points), plan.scale
    if len(plan.panels) < 2 or scale is None:
        return [*plan.panels]
    share, top = shape.share(), plan.low if scale.top == "first" else plan.high

    def sum_of(panel: Panel) -> float:
        return sum(share[row] for row in panel.rows if codes[row] in top)

    return sorted(plan.panels, key=sum_of, reverse=True)


def _asked_stacks(shape: Shape) -> ChartPlan:
    """Stacks of every row, a panel for each item of a grid, in the order of their scale."""
    items = _items(shape)
    question = items[0][0].item[:1] if items else ()
    found = shape.scale_of(question[0]) if question else None
    of_one = all(row.item[:1] == question for row in shape.rows)
    scale = found if found is not None and of_one and _in_order(found, shape) else None
    order = {} if scale is None else {code: at for at, code in enumerate(scale.points)}
    panels = [
        Panel(
            joined(rows[0].groups[-1:]) if len(items) > 1 else "",
            _positions(sorted(rows, key=lambda row: order.get(row.point, len(order)))),
            tuple(at for at, _ in shape.columns),
        )
        for rows in items
    ]
    drawn = {row.point for row in shape.rows}
    added_up = scale is not None and (scale.ends is not None or _is_grid(shape))
    points = scale.points if scale is not None and added_up else ()
    if len(points) < 2 * BOX or not {*points} <= drawn:
        points = ()
    return ChartPlan(
        "stack",
        tuple(panels),
        scale=scale,
        points=tuple((row.position, row.point) for row in shape.rows),
        low=points[:BOX],
        high=points[-BOX:],
    )


def _items(shape: Shape) -> list[list[Row]]:
    """The rows of each item of a grid; all rows of anything else."""
    if not _is_grid(shape):
        return [[*shape.rows]] if shape.rows else []
    return [list(each) for _, each in groupby(shape.rows, key=lambda row: row.item)]


def _is_grid(shape: Shape) -> bool:
    return bool(shape.rows) and all(len(row.item) > 1 for row in shape.rows)


def _in_order(scale: Scale, shape: Shape) -> bool:
    """Whether the rows are answers on a scale whose order shows in shades of colours."""
    known = {*scale.points, *scale.off}
    if len(scale.points) < FEWEST_POINTS or not all(row.point in known for row in shape.rows):
        return False
    return _is_grid(shape) or scale.is_ordered


def _side_by_side(shape: Shape, most: int) -> ChartPlan:
    rows, note = _drawn_rows(shape, most)
    columns = shape.columns
    if len(rows) == 1 < len(columns):
        turned = _panels(shape, rows)
        small = len(columns) <= MAX_ROWS
        return ChartPlan("bar" if small else "heatmap", turned, turned=small, note=note)
    if len(columns) <= 1:
        return ChartPlan("bar", _panels(shape, rows), note=note)
    panels = _panels(shape, rows)
    widest = max(len(panel.columns) for panel in panels)
    if widest <= MAX_DOTS and len(panels) <= MAX_PANELS:
        return ChartPlan("dots", panels, note=note)
    if len(columns) <= MAX_PANELS:
        # Bars of each column are larger than colours, and easier to read.
        return ChartPlan("bar", tuple(Panel("", rows, (at,)) for at, _ in columns), note=note)
    return ChartPlan("heatmap", (Panel("", rows, tuple(at for at, _ in columns)),), note=note)


def _asked(shape: Shape, kind: ChartForm) -> ChartPlan:
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


def _drawn_rows(shape: Shape, most: int) -> tuple[tuple[int, ...], str]:
    """The rows in the order to draw them, and what is left out.

    Answers of a scale stay in its order; others begin with the largest, and those off a scale,
    such as "don't know", end the list.
    """
    rows = list(shape.rows)
    if len({row.groups for row in rows}) > 1 or any(_is_ordered(shape, row) for row in rows):
        longest = max(Counter(row.groups for row in rows).values())
        return _positions(rows[:most]), _left_out(len(rows), most, "the first", longest)
    share = np.nan_to_num(np.asarray(shape.share(), dtype=np.float64), nan=-1.0)
    rows.sort(key=lambda row: (_is_off(shape, row), -share[row.position]))
    shown = most if most < MAX_ROWS else TOP if len(rows) > most else len(rows)
    return _positions(rows[:shown]), _left_out(len(rows), shown, "the largest")


def _left_out(count: int, shown: int, which: str, top: int | None = None) -> str:
    """How many rows are drawn, and what draws all; "" for all. top: rows of a group, if several."""
    if shown >= count:
        return ""
    return f"{which.capitalize()} {shown} of {plural(count, 'row')}; top={top or count} draws all."


def _is_ordered(shape: Shape, row: Row) -> bool:
    scale = shape.scale_of(row.item[0]) if row.item else None
    return scale is not None and scale.is_ordered


def _is_off(shape: Shape, row: Row) -> bool:
    scale = shape.scale_of(row.item[0]) if row.item else None
    return scale is not None and row.point in scale.off


def _positions(rows: Sequence[Row]) -> tuple[int, ...]:
    return tuple(row.position for row in rows)


def _panels(shape: Shape, rows: tuple[int, ...]) -> tuple[Panel, ...]:
    """A panel for each group of columns, named by what differs between their groups."""
    places: dict[Groups, list[int]] = {}
    for at, groups in shape.columns:
        places.setdefault(groups, []).append(at)
    found = [(groups, tuple(inside)) for groups, inside in places.items()]
    if len(found) < 2:
        columns = found[0][1] if found else ()
        return (Panel("", rows, columns, shape.in_order(columns)),)
    common = 0
    while all(
        len(groups) > common + 1 and groups[common] == found[0][0][common] for groups, _ in found
    ):
        common += 1
    return tuple(
        Panel(joined(groups[common:]), rows, columns, shape.in_order(columns))
        for groups, columns in found
    )


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
