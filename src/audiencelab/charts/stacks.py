"""Stacked bars: how each column, wave or item of a grid divides over the answers to a question."""

from __future__ import annotations

from typing import Unpack

from audiencelab.analysis.chart_plan import MAX_PARTS, MAX_STACKS, ChartPlan, chart_plan
from audiencelab.analysis.disjointness import (
    OverlappingAnswers,
    columns_of,
    require_disjoint,
    require_separate,
)
from audiencelab.charts.arranging import arranged_result
from audiencelab.charts.captions import Captions, finish
from audiencelab.charts.data import check_table, values_of
from audiencelab.charts.labels import check_order, check_result, check_width, metric_words
from audiencelab.charts.layout import FEWEST_OF_WIDE, NAMES, WIDTH
from audiencelab.charts.options import ChartOptions
from audiencelab.charts.specification import ChartSpecification
from audiencelab.charts.stack_data import stacked
from audiencelab.charts.stack_marks import stack_marks
from audiencelab.charts.theme import SIZE, Theme
from audiencelab.charts.uncertainty import low_note
from audiencelab.charts.wrapping import text_width
from audiencelab.flags import flag
from audiencelab.keywords import keywords
from audiencelab.results.arrangement import (
    AS_IT_IS,
    ArrangementOptions,
    TableArrangement,
)
from audiencelab.results.banner import table_title
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.grid import GridData, by_item
from audiencelab.results.stats import StatsData
from audiencelab.wording import plural

_SHARE = "column_percentage"
_OF_EVERYONE = "% of base"
_LINES = 1.8
"""Lines of names at the usual width, from which a chart is wide."""

_BY_SUM = ("value", "descending", True)
"""Orders of stacks by the sum at the top of the scale."""

_ADVICE = "give what client.crosstab(…), client.stats(…) or client.grid(…) returned, no frame of it"


@keywords(ArrangementOptions, AS_IT_IS)
def stack(
    result: StatsData | GridData | CrosstabData,
    *,
    diverging: bool | None = None,
    disjoint: bool = False,
    title: str | None = None,
    base: bool = True,
    theme: Theme = "light",
    labels: bool = True,
    width: int | None = None,
    **arrangement: Unpack[ArrangementOptions],
) -> ChartSpecification:
    """A stack of 100% for each column, wave or item, with a part for each answer.

    result: a crosstab or a stats query of a question of one answer; or a grid, whose items are
        stacks and whose scale is their parts. Nets are left out: their answers are there already.
    diverging: whether stacks run to both sides of the middle of their scale; by default where the
        scale is known to run from an attitude to its opposite.
    disjoint: whether you know that respondents give one answer at most, where figures cannot tell.
    title: instead of the chart's own. base: whether a line below it says what the base is.
    theme: "light" or "dark". labels: whether the values of parts are written. width: pixels of the
        chart, by default 640.
    arrangement: `sort`, `top`, `rename`, `decimals`, `hide_under` and `stars`, as for tables
        (`ArrangementOptions`): items of a grid can be sorted and cut as its table's are; with
        `sort="value"` all stacks are sorted by the sum at the top of the scale, largest first.

    The points of a scale have shades in its order; answers off the scale are grey, at the right.
    The first two and the last two points of four or more are added up on either side of each
    stack. What is missing to 100% gave none of the answers, and is left empty. A stack on fewer
    than 100 respondents has a star, on fewer than 30 two; a wave that was not asked has no parts.

    Raises `OverlappingAnswers`, a `ValueError`, where respondents gave several answers or might
    have; `TypeError` for anything else; and `ValueError` for more stacks or answers than a chart
    can hold.

    >>> al.charts.stack(client.grid("Trust in sources"))
    <Chart: media.m21, 10 stacks of 5 answers>
    """
    by_sum = arrangement.get("sort") in _BY_SUM
    if by_sum:
        arrangement["sort"] = False
    how = TableArrangement(**arrangement)
    if not isinstance(result, GridData) and (how.by != "asked" or how.top is not None):
        raise ValueError(
            "sort= and top= are not valid for stacks of answers, which have the order of their "
            'scale. Write sort="value" for the stacks with the largest sum at the top first.'
        )
    drawn = arranged_result(result, _SHARE, how)
    shown = _shares(drawn.result)
    plan = drawn.noted(chart_plan(shown, "stack"))
    # Each respondent gives one point of the scale for an item.
    if not (isinstance(result, GridData) or len(plan.panels) > 1):
        _require_separate(shown, plan, flag("disjoint", disjoint))
    _check_size(plan)
    options = ChartOptions(title, base, theme, labels=labels, width=width, how=how)
    made = stacks(
        drawn.result, plan, options, diverging=diverging, sort="value" if by_sum else "asked"
    )
    return drawn.drawn(made)


def stacks(
    result: StatsData | GridData | CrosstabData,
    plan: ChartPlan,
    options: ChartOptions,
    *,
    diverging: bool | None = None,
    sort: str = "asked",
) -> ChartSpecification:
    """The stacks of a plan; `stack` describes the options."""
    check_order(sort, "asked", "value")
    shown = _shares(result)
    colours = options.look
    values = values_of(shown, _SHARE, how=options.how)
    if diverging is None:
        diverging = plan.diverging
    elif flag("diverging", diverging) and plan.scale is None:
        raise ValueError(
            "diverging=True is not valid: the answers are not known as a scale. Leave it out, or "
            'say what its ends are: client.edit("…", ends="opposite").'
        )
    made = stacked(values, shown, plan, colours, diverging=diverging, sort=sort)
    count, answers = len(made.order) - len(made.panels.headings), len(made.colours)
    if isinstance(result, GridData):
        lines = _lines_of(result)
        made = made._replace(parts=made.parts.assign(line=made.parts["line"].map(lines)))
    # A chart of names that take many lines is wide.
    longest = max((text_width(each, SIZE) for each in made.panels.texts.values()), default=0.0)
    pixels = check_width(options.width, FEWEST_OF_WIDE if longest > _LINES * NAMES * WIDTH else 1)
    everyone = plan.of_everyone
    said = [_OF_EVERYONE if everyone else metric_words(shown, _SHARE), *values.facts]
    heading = table_title(values.rows.groups, ()) if everyone else values.title
    subtitle = [" · ".join(said), *made.panels.notes, plan.note]
    subtitle = [
        *filter(None, subtitle),
        values.base_line,
        *low_note(made.parts["mark"], options.how),
    ]
    summary = f"{values.subject}, {plural(count, 'stack')} of {plural(answers, 'answer')}"
    drawn = None if isinstance(result, GridData) else plan.rows
    captions = Captions(heading, subtitle, summary, pixels, whole=pixels, rows=drawn)
    spec = stack_marks(made, colours, pixels, diverging=diverging, labels=options.labels)
    return finish(spec, colours, captions.by(options), of=result)


def _shares(result: StatsData | GridData | CrosstabData) -> StatsData | CrosstabData:
    """The result that has the shares; raises `TypeError`, or `ValueError` for statistics alone."""
    if isinstance(result, GridData):
        return by_item(result)
    if isinstance(result, CrosstabData):
        check_table(result)
    else:
        check_result(result, StatsData, _ADVICE)
    return result


def _lines_of(grid: GridData) -> dict[int, int]:
    """The line of the grid's own frame by that of its items'."""
    # There an item is the datapoint, and a point of the scale the segment.
    numbers: dict[tuple[str | None, ...], int] = {
        (row.segment, row.datapoint, row.audience): line for line, row in enumerate(grid.table)
    }
    return {
        line: numbers[row.datapoint, row.segment, row.audience]
        for line, row in enumerate(by_item(grid))
    }


def _require_separate(shown: CrosstabData | StatsData, plan: ChartPlan, disjoint: bool) -> None:
    """Raise `OverlappingAnswers` unless each respondent is in one part of a stack at most."""
    try:
        if isinstance(shown, StatsData):
            asked = [column for column in columns_of(shown) if column.waves]
            require_disjoint(shown, asked, disjoint)
        else:
            rows = [row for panel in plan.panels for row in panel.rows]
            require_separate(shown, "the stack", rows, disjoint)
    except OverlappingAnswers as error:
        raise OverlappingAnswers(
            f"{error} Bars show them as they are: table.chart.bar()."
        ) from None


def _check_size(plan: ChartPlan) -> None:
    stacks = sum(max(len(panel.columns), 1) for panel in plan.panels)
    parts = max((len(panel.rows) for panel in plan.panels), default=0)
    if parts > MAX_PARTS or stacks > MAX_STACKS:
        raise ValueError(
            f"{stacks:,} stacks of {parts:,} answers are too many for one chart (at most "
            f"{MAX_STACKS} of {MAX_PARTS}). Ask for fewer, or take table.chart.bar()."
        )
