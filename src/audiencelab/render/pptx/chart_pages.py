"""The slides with charts of a table: its plan as bars, stacks or lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from audiencelab.analysis.chart_plan import MAX_SERIES, ChartPlan, Panel
from audiencelab.render.pptx.bar_pages import Bars, bar_pages
from audiencelab.render.pptx.figures import Cell, base_words, column_names, folded, row_names
from audiencelab.render.pptx.line_pages import Lines, line_pages
from audiencelab.render.pptx.pages import Item, ItemGroup, Page, grouped, parts
from audiencelab.render.pptx.plans import SlidePlan
from audiencelab.render.pptx.stack_pages import Stacks, stack_pages
from audiencelab.render.pptx.theme import Theme
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.banner import joined

_FEW = 4
"""Statistics that have a panel each; more are rows of bars."""


def chart_pages(
    layout: TableLayout, slides: SlidePlan, theme: Theme, area: tuple[float, float]
) -> list[Page]:
    """The slides of a table's chart in a free area, width and height in points."""
    plan = slides.plan
    words = f"{layout.title}: {layout.label(layout.metrics[0])}"
    if not plan.panels:
        return []
    if plan.kind == "stack":
        stacks = _stacks(layout, plan, of_rows=slides.parts)
        return stack_pages(layout, plan, stacks, theme, words, area)
    if plan.kind == "line":
        pages = line_pages(layout, _lines(layout, plan), theme, words, area)
    else:
        pages = bar_pages(_bars(layout, slides, words), *area)
    label = _shared_name(layout, plan)
    return [replace(page, label=page.label or label) for page in pages]


# -- bars -----------------------------------------------------------------------------------------


def _bars(layout: TableLayout, slides: SlidePlan, words: str) -> Bars:
    plan = slides.plan
    rows = list(dict.fromkeys(row for panel in plan.panels for row in panel.rows))
    columns = list(dict.fromkeys(column for panel in plan.panels for column in panel.columns))
    columns = columns or [0]
    statistics = all(layout.stub[row].decimals is not None for row in rows)
    turned = plan.turned or (statistics and len(rows) <= _FEW)
    down, across = _row_groups(layout, rows), _column_groups(layout, columns)
    _, label = folded([layout.stub[row].name for row in rows]) if statistics else ([], "")
    if turned:
        return Bars(
            layout,
            tuple(_column_groups(layout, columns, below=False)),
            tuple(_row_groups(layout, rows, heads=False)),
            lambda category, panel: (panel, category),
            words,
            alike=len(rows) == 1 or not statistics,
            upright=slides.upright,
            label=label,
        )
    return Bars(
        layout,
        tuple(down),
        tuple(across),
        lambda row, column: (row, column),
        words,
        upright=slides.upright,
        label=label,
    )


def _row_groups(layout: TableLayout, rows: Sequence[int], *, heads: bool = True) -> list[ItemGroup]:
    """Rows under the groups that differ between them."""
    names, label = folded([layout.stub[row].name for row in rows])
    if label and len({*names}) == len(names):
        own = dict(zip(rows, names, strict=True))
        return grouped(rows, lambda _: "", lambda row: Item(row, own[row]))
    several = heads and len({layout.stub[row].groups for row in rows}) > 1
    if several:
        return grouped(
            rows,
            lambda row: joined(layout.stub[row].groups),
            lambda row: Item(row, layout.row_name(row)),
        )
    of_rows = dict(zip(rows, row_names(layout, rows), strict=True))
    return grouped(rows, lambda _: "", lambda row: Item(row, of_rows[row]))


def _column_groups(
    layout: TableLayout, columns: Sequence[int], *, below: bool = True
) -> list[ItemGroup]:
    several = len({layout.banner[column].groups for column in columns}) > 1
    return grouped(
        columns,
        lambda column: joined(layout.banner[column].groups) if several else "",
        lambda column: Item(
            column, layout.banner[column].name, base_words(layout, column) if below else ""
        ),
    )


# -- lines ----------------------------------------------------------------------------------------


def _lines(layout: TableLayout, plan: ChartPlan) -> list[Lines]:
    if not layout.over_time and not _is_by_waves(layout, plan):
        return [_across(layout, plan.panels[0])]
    differ = any(_differ(layout, panel.rows) for panel in plan.panels)
    panels = [
        _over_waves(layout, replace(panel, rows=tuple(panel.rows[at] for at in part)))
        for panel in plan.panels
        for part in parts(len(panel.rows), 1 if differ else MAX_SERIES)
    ]
    whole = [panel for panel in panels if len(panel.lines) == 1]
    waves = {panel.waves for panel in panels}
    if differ and len(panels) > 1:
        return [
            replace(
                each, head=" · ".join(dict.fromkeys(filter(None, (each.head, each.lines[0][0]))))
            )
            for each in panels
        ]
    if len(panels) > 1 and len(whole) == len(panels) and len(waves) == 1 and len(panels) <= 6:
        # One row of several groups: a line for each group.
        return [Lines("", panels[0].waves, tuple((each.head, each.lines[0][1]) for each in panels))]
    return panels


def _shared_name(layout: TableLayout, plan: ChartPlan) -> str:
    """What all rows are, such as "Top 2", where neither the title nor their names say it."""
    cells = [layout.stub[row] for panel in plan.panels for row in panel.rows]
    names, groups = {cell.name for cell in cells}, {cell.groups[-1:] for cell in cells}
    if len(cells) > 1 and len(names) == 1:
        return names.pop()
    shared = joined(groups.pop()) if len(groups) == 1 else ""
    return "" if shared in layout.title else shared


def _differ(layout: TableLayout, rows: Sequence[int]) -> bool:
    """Whether rows are statistics that may have units of their own."""
    cells = [layout.stub[row] for row in rows]
    if len(rows) < 2:
        return False
    return any(cell.decimals is not None for cell in cells) and not folded(
        [cell.name for cell in cells]
    )[1].endswith(")")


def _is_by_waves(layout: TableLayout, plan: ChartPlan) -> bool:
    """Whether columns are waves within groups, as the plan of lines has found."""
    return len(plan.panels) > 1 or layout.over_time


def _over_waves(layout: TableLayout, panel: Panel) -> Lines:
    # Their bases are of all waves, beside values of one.
    names = row_names(layout, panel.rows, with_bases=False)
    return Lines(
        panel.name,
        tuple(layout.banner[column].name for column in panel.columns),
        tuple(
            (name, tuple((row, column) for column in panel.columns))
            for name, row in zip(names, panel.rows, strict=True)
        ),
    )


def _across(layout: TableLayout, panel: Panel) -> Lines:
    """Lines of columns over the rows, as they are asked for by name."""
    columns = panel.columns[:6]
    return Lines(
        "",
        tuple(row_names(layout, panel.rows)),
        tuple(
            (name, tuple((row, column) for row in panel.rows))
            for name, column in zip(column_names(layout, columns), columns, strict=True)
        ),
    )


# -- stacks ---------------------------------------------------------------------------------------


def _stacks(layout: TableLayout, plan: ChartPlan, *, of_rows: bool) -> list[Stacks]:
    if of_rows:
        return [_of_items(layout, plan, panel) for panel in plan.panels]
    columns = plan.panels[0].columns
    if len(plan.panels) > 1 and len(columns) < 2:
        return [_everyone(layout, plan, columns[0] if columns else 0)]
    return [
        stacks
        for panel in plan.panels
        for stacks in _of_columns(layout, plan, panel, len(plan.panels))
    ]


def _answers(layout: TableLayout, plan: ChartPlan, rows: Sequence[int]) -> list[tuple[str, int]]:
    """Rows in the order of the scale, then those off it."""
    points = dict(plan.points)
    order = {point: at for at, point in enumerate(plan.scale.points)} if plan.scale else {}
    placed = sorted(rows, key=lambda row: order.get(points.get(row, ""), len(order)))
    return [(points.get(row, ""), row) for row in placed]


def _of_columns(layout: TableLayout, plan: ChartPlan, panel: Panel, panels: int) -> list[Stacks]:
    """A stack for each column, under the name of its group, or of an item."""
    columns = panel.columns or (0,)
    answers = _answers(layout, plan, panel.rows)
    names = tuple((layout.stub[row].name, point) for point, row in answers)
    groups = _column_groups(layout, columns)
    made: list[Stacks] = []
    for group in groups:
        head = " · ".join(filter(None, (panel.name, group.head)))
        own = [item.at for item in group.items]
        made.append(
            Stacks(
                head if panels > 1 or len(groups) > 1 else "",
                tuple(item.name for item in group.items),
                tuple(layout.banner[column].sample for column in own),
                tuple(tuple((row, column) for _, row in answers) for column in own),
                names,
                _statistics(layout, panel.rows[0], own),
            )
        )
    return made


def _everyone(layout: TableLayout, plan: ChartPlan, column: int) -> Stacks:
    """A stack for each item, of one column."""
    first = _answers(layout, plan, plan.panels[0].rows)
    cells = [
        tuple((row, column) for _, row in _answers(layout, plan, panel.rows))
        for panel in plan.panels
    ]
    found = [_statistics(layout, panel.rows[0], [column]) for panel in plan.panels]
    statistics = (
        tuple(
            (name, tuple(each[at][1][0] for each in found)) for at, (name, _) in enumerate(found[0])
        )
        if all(len(each) == len(found[0]) for each in found)
        else ()
    )
    rows = [panel.rows[0] for panel in plan.panels]
    bases = [layout.stub[row].base_sample for row in rows]
    return Stacks(
        "",
        tuple(panel.name for panel in plan.panels),
        tuple(bases),
        tuple(cells),
        tuple((layout.stub[row].name, point) for point, row in first),
        statistics,
    )


def _of_items(layout: TableLayout, plan: ChartPlan, panel: Panel) -> Stacks:
    """A stack for each row, whose parts are columns: the points of a grid."""
    points = dict(plan.points)
    order = {point: at for at, point in enumerate(plan.scale.points)} if plan.scale else {}
    columns = sorted(panel.columns, key=lambda at: order.get(points[at], len(order)))
    several = any(layout.banner[column].groups for column in columns)
    return Stacks(
        panel.name,
        tuple(layout.stub[row].name for row in panel.rows),
        tuple(layout.stub[row].base_sample for row in panel.rows),
        tuple(tuple((row, column) for column in columns) for row in panel.rows),
        tuple(
            (joined(layout.banner[at].groups) if several else layout.banner[at].name, points[at])
            for at in columns
        ),
    )


def _statistics(
    layout: TableLayout, row: int, columns: Sequence[int]
) -> tuple[tuple[str, tuple[Cell, ...]], ...]:
    """Up to two statistics of the same question, whose values are beside its stacks."""
    own = [
        at
        for at, cell in enumerate(layout.stub)
        if cell.decimals is not None and cell.groups == layout.stub[row].groups
    ]
    return tuple(
        (layout.stub[at].name, tuple((at, column) for column in columns)) for at in own[:2]
    )
