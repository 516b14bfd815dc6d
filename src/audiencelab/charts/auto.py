"""The chart that suits a result."""

from __future__ import annotations

from typing import Any, cast

from audiencelab.analysis.chart_plan import chart_plan
from audiencelab.charts.bars import bar, bars
from audiencelab.charts.data import planned
from audiencelab.charts.dots import dot_plot
from audiencelab.charts.heatmaps import heat_map
from audiencelab.charts.labels import check_order
from audiencelab.charts.point_plots import point_plot
from audiencelab.charts.sources import Drawable
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.stacks import stacks
from audiencelab.charts.theme import Palette, Theme
from audiencelab.charts.trends import lines
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.metrics import crosstab_name

_STACKED = "column_percentage"


def auto(
    result: Drawable | CrosstabData,
    metric: str | None = None,
    *,
    sort: str = "asked",
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    palette: Palette = "standard",
    labels: bool = True,
    width: int | None = None,
) -> ChartSpecification:
    """The chart that suits a result.

    Answers of a scale are stacks of 100% in each column, waves are lines, and means are points. Two
    or three columns of a group are dots, others bars, in panels for the groups of a banner; what is
    too large for that is a coloured table. Of an unordered question with many answers the largest
    are drawn, and a line says so.

    result: of a stats query, of a chart's calculation, or a crosstab.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of the result's
        frame; stacks are of column percentages, and other metrics of a scale are bars.
    sort: rows as "asked", or by "value" (in the first column), largest first; not of lines and
        points.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". palette: of dots, bars and tables "standard", or shades of "blue",
        "green", "orange", "purple" or "grey". labels: whether values are written.
    width: pixels of the chart.

    Raises as the function of the kind that it chooses.

    >>> al.charts.auto(client.crosstab("Pets", "Gender"))
    <Chart: dots of column_percentage, 8 lines, 3 columns>
    """
    check_order(sort, "asked", "value")
    plan = chart_plan(planned(result))
    shared: dict[str, Any] = {
        "title": title,
        "base": base,
        "theme": theme,
        "labels": labels,
        "width": width,
    }
    coloured: dict[str, Any] = {**shared, "sort": sort, "palette": palette}
    if plan.kind == "points":
        return point_plot(cast(CrosstabData, result), plan, **shared)
    if plan.kind == "line":
        return lines(result, plan, metric, **shared)
    metric = metric or "column"
    if plan.kind == "stack":
        if crosstab_name(metric) != _STACKED:
            return bar(result, metric, **coloured)
        return stacks(cast(CrosstabData, result), plan, sort=sort, **shared)
    if plan.kind == "dots":
        return dot_plot(result, plan, metric, **coloured)
    if plan.kind == "heatmap":
        return heat_map(result, plan, metric, **coloured)
    return bars(result, plan, metric, **coloured)
