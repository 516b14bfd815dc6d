"""The chart of a slide: which there are, and which rows and columns of a layout it draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, cast, get_args

from audiencelab.analysis.chart_plan import (
    OF_EVERYONE,
    ChartForm,
    ChartPlan,
    Panel,
    chart_plan,
)
from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    columns_of,
    own_rows,
    require_disjoint,
    require_separate,
)
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.render.table_layout import TableLayout
from audiencelab.results.banner import joined
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone, shown_rows
from audiencelab.results.grid import GridData
from audiencelab.results.overlap import OverlapData
from audiencelab.results.stats import StatsData
from audiencelab.schema.scales import Scale
from audiencelab.words import OBJECTS

SlideChart = Literal["auto", "bar", "column", "line", "stack", "trend", "points", "dots", "heatmap"]
"""The chart that suits a question, bars across, bars upright, lines, or stacks of 100%; and the
kinds of other charts: lines, bars in place of points and dots, and the table."""

_AS: dict[str, SlideChart | None] = {
    "trend": "line",
    "points": "bar",
    "dots": "bar",
    "heatmap": None,
}
"""What slides have for kinds of other charts, in which PowerPoint has no native form of them."""

MAX_PARTS = 12
"""Answers in a stack that is asked for: the colours of more look alike."""

_ADVICE = 'Take chart="bar".'


@dataclass(frozen=True, slots=True)
class SlidePlan:
    """A `ChartPlan` whose positions are those of a layout.

    upright: whether bars are vertical. parts: whether columns are the parts of stacks, as the
    points of a grid are, and rows the stacks.
    """

    plan: ChartPlan
    upright: bool = False
    parts: bool = False


def slide_plan(
    chart: SlideChart | None,
    result: object,
    layout: TableLayout,
    *,
    otherwise: SlideChart | None = None,
) -> SlidePlan | None:
    """What the chart of a result draws; None for none.

    otherwise: what replaces a stack of rows that do not stack.

    The words for charts of results (`table.chart.barh()`) are words for slides, too.
    Raises `ValueError` for an unknown chart and, without `otherwise`, for a stack of rows that are
    not the answers of one question, or of too many; `OverlappingAnswers`, a `ValueError`, where a
    respondent may be in several rows.
    """
    asked = _kind(chart)
    chart = _AS.get(str(asked), asked)
    if chart is None or layout.forms or not (layout.metrics and layout.banner and layout.stub):
        return None
    if chart == "stack":
        try:
            return _stack(result, layout)
        except ValueError:
            if otherwise is None:
                raise
            chart = otherwise
    if chart != "auto":
        form: ChartForm = "line" if chart == "line" else "bar"
        note = f"Bars in place of {asked}." if asked in ("points", "dots") else ""
        plan = ChartPlan(form, (Panel("", _share_rows(layout), _columns(layout)),), note=note)
        return SlidePlan(plan, upright=chart == "column")
    return _suitable(result, layout)


def _kind(chart: str | None) -> SlideChart | None:
    """The kind of a slide by its name, or by a word for a chart of a result."""
    kinds = get_args(SlideChart)
    known = chart if chart in kinds else OBJECTS["ResultCharts"].same.get(str(chart), chart)
    if known is not None and known not in kinds:
        raise ValueError(
            f"chart={chart!r} is not valid: slides have the charts {', '.join(kinds)}, or None for "
            'the table alone. Write table.to_pptx("table.pptx", chart="bar").'
        )
    return cast("SlideChart | None", known)


def _suitable(result: object, layout: TableLayout) -> SlidePlan | None:
    """The chart that suits a result."""
    if isinstance(result, GridData):
        return _grid(result, layout)
    if isinstance(result, CrosstabData | StatsData):
        made = _in_layout(_planned(result, layout), result, layout)
        if made.kind == "heatmap":
            if not layout.total:
                return None
            panels = tuple(replace(panel, columns=(0,)) for panel in made.panels[:1])
            made = replace(made, kind="bar", panels=panels, note=_and_everyone(made.note))
        is_share = layout.metrics[0].name == "column_percentage"
        if made.kind == "stack" and not is_share:
            # Only shares of a column add up.
            made = replace(made, kind="bar")
        return None if is_share and _is_whole(result) else SlidePlan(made)
    if isinstance(result, OverlapData):
        # Shares of everyone: those of each audience are in the table.
        return SlidePlan(ChartPlan("bar", (Panel("", _share_rows(layout), (0,)),)))
    if isinstance(result, MovingAverageData):
        # The answers are those of the waves themselves; the columns are windows.
        made = _in_layout(_planned(result.table, layout), result.table, layout)
        rows = dict.fromkeys(row for panel in made.panels for row in panel.rows)
        return SlidePlan(ChartPlan("line", _panels(layout, [*rows]), note=made.note))
    return SlidePlan(ChartPlan("bar", (Panel("", _share_rows(layout), _columns(layout)),)))


def _and_everyone(note: str) -> str:
    return " ".join(filter(None, (note, OF_EVERYONE)))


def of_others(plan: SlidePlan, own: frozenset[int], layout: TableLayout) -> SlidePlan:
    """A plan without some columns; where it has no others, of everyone in the base."""
    drawn = plan.plan
    kept = [
        replace(panel, columns=tuple(at for at in panel.columns if at not in own))
        for panel in drawn.panels
    ]
    panels = [
        panel
        for panel, before in zip(kept, drawn.panels, strict=True)
        if panel.columns or not before.columns
    ]
    if panels or not drawn.panels:
        return replace(plan, plan=replace(drawn, panels=tuple(panels)))
    columns = (0,) if layout.total else ()
    if drawn.kind == "stack":
        panels = [replace(panel, columns=columns) for panel in drawn.panels]
        return replace(plan, plan=replace(drawn, panels=tuple(panels)))
    made = ChartPlan("bar", (Panel("", drawn.panels[0].rows, columns),), note=drawn.note)
    return replace(plan, plan=made)


def of_everyone(plan: SlidePlan, layout: TableLayout) -> bool:
    """Whether a chart draws no column of a table that has some, but everyone in the base."""
    columns = {at for panel in plan.plan.panels for at in panel.columns}
    return len(layout.banner) > 1 and all(map(layout.is_total, columns))


def _planned(result: CrosstabData | StatsData, layout: TableLayout) -> ChartPlan:
    """The plan of a chart, of every row where a number of rows was asked for."""
    return chart_plan(result, whole=layout.how.top is not None)


def _is_whole(result: CrosstabData | StatsData) -> bool:
    """Whether everyone in a column is in the only row: bars of 100% show nothing."""
    if not isinstance(result, CrosstabData) or result.rows_requested:
        return False
    return not of_statistics_alone(result)


def _panels(layout: TableLayout, rows: Sequence[int]) -> tuple[Panel, ...]:
    """A panel for each group of columns."""
    groups = groupby(_columns(layout), key=lambda at: layout.banner[at].groups)
    return tuple(Panel(joined(name), tuple(rows), tuple(own)) for name, own in groups)


def _share_rows(layout: TableLayout) -> tuple[int, ...]:
    """The rows of shares; those of statistics where there are no others."""
    shares = tuple(at for at, cell in enumerate(layout.stub) if cell.decimals is None)
    return shares or tuple(range(len(layout.stub)))


def _columns(layout: TableLayout) -> tuple[int, ...]:
    """The columns without everyone in the base, unless there are no others."""
    first = 1 if layout.total and len(layout.banner) > 1 else 0
    return tuple(range(first, len(layout.banner)))


def _in_layout(plan: ChartPlan, result: CrosstabData | StatsData, layout: TableLayout) -> ChartPlan:
    """A plan by the positions of a layout, which has statistics and the column of everyone."""
    added = len(layout.banner) - len(result.columns) if isinstance(result, CrosstabData) else 0
    rows = _places(result, layout)
    panels = [
        replace(
            panel,
            rows=_drawn([rows[at] for at in panel.rows if at in rows], panel, layout, plan),
            columns=tuple(added + at for at in panel.columns),
        )
        for panel in plan.panels
    ]
    return replace(
        plan,
        panels=tuple(panel for panel in panels if panel.rows),
        points=tuple((rows[at], point) for at, point in plan.points if at in rows),
    )


def _places(result: CrosstabData | StatsData, layout: TableLayout) -> dict[int, int]:
    """The row of a layout by the position of a row of shares, or of a statistic without any."""
    placed = {before: row for row, before in enumerate(layout.positions)}
    if not isinstance(result, CrosstabData):
        return placed
    alone = of_statistics_alone(result)
    return {
        at: placed[row]
        for row, (other, at) in enumerate(shown_rows(result))
        if other == alone and row in placed
    }


def _drawn(
    rows: Sequence[int], panel: Panel, layout: TableLayout, plan: ChartPlan
) -> tuple[int, ...]:
    """The rows of a panel; those that a sorted table begins with, where not all are drawn."""
    if layout.order and plan.note and len(plan.panels) == 1 and panel.columns:
        own = [at for at in _share_rows(layout) if not layout.stub[at].net]
        return tuple(own[: len(panel.rows)])
    return _ordered(rows, layout)


def _ordered(rows: Sequence[int], layout: TableLayout) -> tuple[int, ...]:
    """Rows in the order of the plan, or in that of a table that is sorted."""
    return tuple(sorted(rows) if layout.order else rows)


# -- stacks ---------------------------------------------------------------------------------------


def _stack(result: object, layout: TableLayout) -> SlidePlan:
    """The stacks that were asked for, also of answers without an order."""
    if isinstance(result, GridData):
        return _grid(result, layout)
    if (first := layout.metrics[0].name) != "column_percentage":
        raise ValueError(
            f'chart="stack" stacks column percentages; got metrics[0] {first!r}. Put "column" '
            'first in metrics, or take chart="bar".'
        )
    if isinstance(result, CrosstabData | StatsData):
        made = _in_layout(_planned(result, layout), result, layout)
        if made.kind == "stack":
            return SlidePlan(made)
    rows = _separate_rows(result)
    places = _places(cast("CrosstabData | StatsData", result), layout)
    drawn = _ordered([places[at] for at in rows if at in places], layout)
    return SlidePlan(ChartPlan("stack", (Panel("", drawn, _columns(layout)),)))


def _grid(result: GridData, layout: TableLayout) -> SlidePlan:
    """A stack for each item, of each audience in a panel of its own."""
    columns = list(dict.fromkeys((row.segment or "", row.audience) for row in result.table.rows))
    of_audiences: dict[str | None, list[int]] = {}
    for at, (_, audience) in enumerate(columns):
        of_audiences.setdefault(audience, []).append(at)
    scale = result.table.labels.scale or Scale(tuple(result.scale), None, frozenset())
    if not {*scale.points} <= {*result.scale}:
        scale = Scale(tuple(result.scale), None, frozenset())
    long = len(scale.points) >= 4
    rows = tuple(range(len(layout.stub)))
    several = len(of_audiences) > 1
    return SlidePlan(
        ChartPlan(
            "stack",
            tuple(
                Panel(layout.banner[own[0]].name if several else "", rows, tuple(own))
                for own in of_audiences.values()
            ),
            scale=scale,
            points=tuple((at, point) for at, (point, _) in enumerate(columns)),
            low=scale.points[:2] if long else (),
            high=scale.points[-2:] if long else (),
        ),
        parts=True,
    )


def _separate_rows(result: object) -> Sequence[int]:
    """The rows of a stack; raises the errors of `slide_plan` for rows that do not stack."""
    try:
        if isinstance(result, CrosstabData):
            if of_statistics_alone(result):
                raise ValueError(f'chart="stack" is not valid: statistics do not stack. {_ADVICE}')
            rows = own_rows(result)
            require_separate(result, "the stack", rows, disjoint=False)
        elif isinstance(result, StatsData):
            asked = [column for column in columns_of(result) if column.waves]
            require_disjoint(result, asked, disjoint=False)
            added = result.provenance.get("nets", {})
            rows = [at for at, code in enumerate(result.datapoints) if code not in added]
        else:
            raise ValueError(
                'chart="stack" is not valid: it is for the rows of a crosstab or a stats query. '
                f"{_ADVICE}"
            )
    except OverlappingAnswers:
        raise OverlappingAnswers(
            'chart="stack" is not valid: a respondent may be in several rows, and only answers of '
            f"one question, of which everyone gives one, stack to 100%. {_ADVICE}"
        ) from None
    if len(rows) > MAX_PARTS:
        raise ValueError(
            f'chart="stack" is not valid: {len(rows)} rows are too many parts for one stack (at '
            f"most {MAX_PARTS}). {_ADVICE}"
        )
    return rows
