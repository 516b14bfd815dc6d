"""The chart that suits a result."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack, cast

from audiencelab.analysis.chart_plan import MAX_SERIES, TOP, ChartPlan, chart_plan
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.bars import bars
from audiencelab.charts.data import planned
from audiencelab.charts.dots import dot_plot
from audiencelab.charts.heatmaps import heat_map
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.point_plots import point_plot
from audiencelab.charts.sources import Drawable
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.stacks import stack, stacks
from audiencelab.charts.theme import Palette, Theme
from audiencelab.charts.trends import lines
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import AS_IT_IS, ArrangementOptions, TableArrangement
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData
from audiencelab.results.metric_names import own_name
from audiencelab.results.metrics import crosstab_name

_STACKED = "column_percentage"


@keywords(ArrangementOptions, AS_IT_IS)
def auto(
    result: Drawable | CrosstabData | GridData,
    metric: str | None = None,
    *,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int | None = None,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """The chart that suits a result.

    Answers of a scale are stacks of 100% in each column, waves are lines, and means are points. Two
    or three columns of a group are dots, others bars, in panels for the groups of a banner; what is
    too large for that is a coloured table. Of an unordered question with many answers the largest
    are drawn, and a line says so.

    result: of a stats query, of a chart's calculation, a crosstab, or a grid, whose items are
        stacks.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of the result's
        frame; stacks are of column percentages, and other metrics of a scale are bars.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: of dots, bars and tables "standard", or shades of "blue",
        "green", "orange", "purple" or "grey". labels: whether values are written.
    width: pixels of the chart.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`).

    Raises as the function of the kind that it chooses.

    >>> al.charts.auto(client.crosstab("Pets", "Gender"))
    <Chart: dots of column_percentage, 8 lines, 3 columns>
    """
    if isinstance(result, GridData):
        return stack(result, title=title, base=base, theme=theme, labels=labels, width=width)
    how = TableArrangement(**arrangement)
    drawn = own_name(result, metric or _STACKED)
    if chart_plan(planned(result)).kind == "stack":
        # The answers of a stack have the order of their scale, and are all there.
        how = replace(how, sort=False, top=None)
    shown = arranged_result(result, drawn, how)
    plan = shown.plan()
    if how.by != "asked" and plan.kind in ("bar", "dots"):
        _, left_out, code = plan.note.partition("; top=")
        if left_out and how.top is None:
            shown = arranged_result(result, drawn, replace(how, top=TOP))
            shown = replace(shown, note=f"{shown.note.removesuffix('.')}{left_out}{code}")
        # Every row, in the order that was asked for.
        plan = shown.plan(plan.kind)
    options = ChartOptions(title, base, theme, palette, labels, width, how)
    return shown.drawn(_drawn(shown.result, plan, metric, options))


def _drawn(
    result: Drawable | CrosstabData, plan: ChartPlan, metric: str | None, options: ChartOptions
) -> ChartSpecification:
    """The chart of a plan."""
    plain = replace(options, palette="standard")
    if plan.kind == "points":
        return point_plot(cast(CrosstabData, result), plan, plain)
    if plan.kind == "line":
        return lines(result, plan, metric, plain, most=max(MAX_SERIES, options.how.top or 0))
    metric = metric or "column"
    if plan.kind == "stack":
        if crosstab_name(metric) != _STACKED:
            return bars(result, chart_plan(planned(result), "bar"), metric, options)
        return stacks(cast(CrosstabData, result), plan, plain)
    if plan.kind == "dots":
        return dot_plot(result, plan, metric, options)
    if plan.kind == "heatmap":
        return heat_map(result, plan, metric, options)
    return bars(result, plan, metric, options)
