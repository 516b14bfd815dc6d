"""Trends: lines over the waves, with a gap where a question was not asked or changed."""

from __future__ import annotations

from dataclasses import replace
from typing import Unpack

from audiencelab.analysis.chart_plan import MAX_SERIES, ChartPlan
from audiencelab.analysis.compare_waves import one_waves
from audiencelab.analysis.moving_averages import MovingAverageData
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import Drawable, plain_rows, planned, with_marks
from audiencelab.charts.labels import (
    check_choice,
    check_limit,
    check_pixels,
    check_width,
    metric_words,
)
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.theme import Theme
from audiencelab.charts.trend_data import lines_of, parts_of, values_over_waves
from audiencelab.charts.trend_marks import line_marks
from audiencelab.charts.uncertainty import Intervals, hollow_note
from audiencelab.expressions.codes import WAVES
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.metric_names import own_name
from audiencelab.results.statistic_rows import STATISTIC_KINDS
from audiencelab.results.stats import StatsData
from audiencelab.wording import plural

_OF_WINDOWS = ("column_percentage", "size", "sample")


_MEAN = "mean"
"""What rows of statistics are sorted by: their values, whatever their kinds are."""


@keywords(ArrangementOptions, AS_IT_IS)
def trend(
    result: Drawable | CrosstabData | MovingAverageData,
    metric: str | None = None,
    *,
    most: int = MAX_SERIES,
    intervals: Intervals | None = None,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    labels: bool = True,
    width: int | None = None,
    height: int = 300,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """A line over the waves for each row, in panels for the groups of a banner.

    result: of a stats query with `splitter="waves"`, or of the calculation of such a chart: then
        the lines are the chart's attributes; a crosstab whose columns are waves, of shares, means
        or scores; or a moving average, whose windows are at their last wave, with the waves
        themselves as faint points. One row of several groups or audiences is a line for each.
    metric: "column" (%, the default), "row", "index", "size", "sample", or another of the frame's;
        with "index" a rule marks 100. A moving average has "column", "size" and "sample", and a
        table with statistics "mean", "nps" and others.
    most: rows drawn, the largest in the last wave of any panel first; the subtitle says if some are
        not.
    intervals: True draws a band over the confidence interval of each value, at 95% or at the given
        level, such as 0.9. By default those of a moving average are drawn, at its own level, and no
        others.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". labels: whether the last values are written. width: pixels of the
        chart, by default 640. height: pixels of the plot.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`); `top=8` draws the eight largest rows.

    A wave without coverage is a gap, never a zero, in the band too, and a line is interrupted where
    the question changed. A point on fewer than 100 respondents is hollow. Answers on a scale are
    steps of one ramp of colours. Raises `TypeError` for anything else, and `ValueError` for an
    unknown metric, for intervals of a metric that has none, and for a result without waves.

    >>> al.charts.trend(client.crosstab("Gender", "waves"))
    <Chart: trend of column_percentage, a crosstab over 4 waves>
    """
    check_limit(most, "most (rows)")
    shown = result.table if isinstance(result, MovingAverageData) else planned(result)
    _require_waves(shown)
    statistic = metric if metric in STATISTIC_KINDS and isinstance(shown, CrosstabData) else ""
    how = TableArrangement(**arrangement)
    drawn = arranged_result(result, _metric(shown, metric) or _MEAN, how)
    options = ChartOptions(title, base, theme, labels=labels, width=width, how=how)
    made = lines(
        drawn.result,
        drawn.plan("line", statistic or ""),
        metric,
        options,
        most=max(most, how.top or 0),
        intervals=intervals,
        height=height,
    )
    return drawn.drawn(made)


def lines(
    result: Drawable | CrosstabData | MovingAverageData,
    plan: ChartPlan,
    metric: str | None,
    options: ChartOptions,
    *,
    most: int = MAX_SERIES,
    intervals: Intervals | None = None,
    height: int = 300,
) -> ChartSpecification:
    """The lines of a plan; `trend` describes the options."""
    check_pixels(height=height)
    colours = options.look
    is_average = isinstance(result, MovingAverageData)
    shown = result.table if isinstance(result, MovingAverageData) else planned(result)
    name = _metric(shown, metric)
    if is_average:
        check_choice("metric", name, _OF_WINDOWS)
    values, facts = values_over_waves(result, name, intervals)
    values = with_marks(values, name, options.how)
    if isinstance(shown, CrosstabData) and not values.of_statistics:
        # Bases are those of all waves, which would be read as those of the last.
        values = replace(values, rows=plain_rows(shown))
    breaks = parts_of(result if isinstance(result, MovingAverageData) else shown, values)
    drawn = lines_of(values, plan, breaks, most)
    pixels = check_width(options.width, len(drawn.headings))
    said = [metric_words(shown, name) if name else "", *values.facts, *facts, drawn.left_out]
    if plan.turned and not values.of_statistics:
        said.insert(1, values.rows.names[plan.panels[0].rows[0]])
    subtitle = [" · ".join(filter(None, said)), plan.note]
    subtitle = [*filter(None, subtitle), values.base_line]
    subtitle += hollow_note("points", drawn.data["mark"], options.how)
    what = "moving average" if is_average else "trend"
    of = f" of {name}" if name else ""
    summary = f"{what}{of}, {values.subject} over {plural(len(drawn.waves), 'wave')}"
    rows = () if values.of_statistics else drawn.rows
    captions = Captions(values.title, subtitle, summary, pixels, whole=pixels, rows=rows)
    spec = line_marks(drawn, plan, values, name, colours, pixels, height, labels=options.labels)
    return finish(spec, colours, captions.by(options), of=result)


def _metric(shown: CrosstabData | StatsData, metric: str | None) -> str:
    """The name of the metric; "" for the statistics of a table, whatever their kinds are."""
    statistics = shown.statistics if isinstance(shown, CrosstabData) else None
    kinds = [] if statistics is None else statistics.kinds
    if metric in kinds or (
        metric is None and isinstance(shown, CrosstabData) and of_statistics_alone(shown)
    ):
        return ""
    return own_name(shown, metric or "column")


def _require_waves(shown: CrosstabData | StatsData) -> None:
    if isinstance(shown, StatsData):
        if shown.splitter != WAVES:
            raise ValueError(
                "A trend needs a result by waves: client.stats(…, splitter='waves'), or a chart "
                "with this splitter."
            )
    elif not any(one_waves(shown)):
        raise ValueError(
            "A trend needs columns that are waves: client.crosstab(…, columns='waves'), or "
            "al.nest('Gender', 'waves') for a panel for each group."
        )
