"""Headlines of slides: the findings of a table as text, with the names of its layout."""

from __future__ import annotations

import numpy as np

from audiencelab.analysis.chart_plan import short_names
from audiencelab.analysis.finding import METHOD, TableFinding, findings
from audiencelab.analysis.highlights import of_one_question
from audiencelab.figures import figure, percent
from audiencelab.render.pptx.plans import SlideChart, of_everyone, of_others, slide_plan
from audiencelab.render.pptx.slide_texts import Headline, SlideTable
from audiencelab.render.table_layout import TableLayout, names_alone
from audiencelab.results.banner import full_name
from audiencelab.results.crosstab import CrosstabData, shown_rows, title_of
from audiencelab.results.offers import leaves_of
from audiencelab.results.table_code import table_code


def headlines(result: object, layout: TableLayout) -> tuple[Headline, ...]:
    """The findings of a table, the best first; none where it has none."""
    if not isinstance(result, CrosstabData) or not layout.metrics:
        return ()
    added = len(layout.banner) - len(result.columns)
    placed = {before: row for row, before in enumerate(layout.positions)}
    rows = {shown: placed[at] for at, shown in enumerate(shown_rows(result)) if at in placed}
    made: list[Headline] = []
    for found in findings(result):
        row, column = rows.get((found.is_statistic, found.row)), added + found.column
        if row is None or layout.is_blank(layout.metrics[0], row, column):
            continue
        name = _column_name(result, layout, found.column, added)
        made.append(Headline(_words(result, layout, found, row, name), row, column))
    return tuple(made)


def _column_name(result: CrosstabData, layout: TableLayout, at: int, added: int) -> str:
    """A column outside of the table, without the names of the questions of a nested banner."""
    cell = layout.banner[added + at]
    if not cell.nested or result.labels is None:
        return names_alone(layout.banner)[added + at]
    codes = {leaf.question for leaf in leaves_of(result.columns[at])}
    questions = {result.labels.question_name(code) for code in codes}
    return full_name(tuple(name for name in cell.groups if name not in questions), cell.name)


def _words(
    result: CrosstabData, layout: TableLayout, found: TableFinding, row: int, column_name: str
) -> str:
    value, other = (_written(layout, row, each) for each in (found.value, found.other))
    name = short_names([cell.groups for cell in layout.stub], [cell.name for cell in layout.stub])[
        row
    ]
    before = None if found.before is None else result.columns[found.before].name
    if found.is_statistic and result.statistics is not None:
        # Whether more is better is in no figure, so the ends of the scale are named.
        direction = result.statistics.rows[found.row].direction
        ends = f" ({direction})" if direction else ""
        name = name.removesuffix(ends)
        told = f"{name}{' ' if ': ' in name else ': '}{value}"
        if before is None:
            return f"{told} for {column_name}, {other} for everyone else{ends}"
        return f"{told} in {column_name}, {other} in {before}{ends}"
    rises = found.value > found.other
    if before is None:
        more = "more" if rises else "fewer"
        return f"{name}: {value} of {column_name}, {more} than the {other} of everyone else"
    return f"{name}: {value} in {column_name}, {'up' if rises else 'down'} from {other} in {before}"


def _written(layout: TableLayout, row: int, value: float) -> str:
    decimals = layout.stub[row].decimals
    if decimals is not None:
        return figure(value, decimals)
    shares = next((each for each in layout.metrics if each.name == "column_percentage"), None)
    return percent(value, 1 if shares is None else shares.decimals)


def slide_table(
    result: object,
    layout: TableLayout,
    chart: SlideChart | None,
    *,
    headline: str = "finding",
    tables: bool = True,
    otherwise: SlideChart | None = None,
    itself: bool = True,
) -> SlideTable:
    """A table with what its slides show; the arguments and errors are those of `to_pptx`.

    otherwise: the chart in place of a stack of rows that do not stack. itself: whether columns are
    shown that are about the question of all rows, of 100% and 0%; else a table of nothing else is a
    chart of everyone.
    """
    plan = slide_plan(chart, result, layout, otherwise=otherwise)
    question = ""
    if plan is not None and isinstance(result, CrosstabData):
        own = frozenset[int]() if itself else _of_itself(result, layout)
        plan = of_others(plan, own, layout)
        tables = tables and not _of_nobody_else(layout, own)
        if of_everyone(plan, layout) and layout.title == title_of(result):
            question = title_of(result, with_columns=False)
    finds = headline == "finding"
    return SlideTable(
        layout,
        plan,
        headlines(result, layout) if finds else (),
        tables,
        "" if finds or headline == "question" else headline,
        code=table_code(result),
        method=METHOD,
        question=question,
    )


def _of_itself(result: CrosstabData, layout: TableLayout) -> frozenset[int]:
    """The columns of a layout that are about the question of every row."""
    added = len(layout.banner) - len(result.columns)
    own = of_one_question(result).all(axis=0) & bool(result.rows_requested)
    return frozenset(added + at for at in np.flatnonzero(own).tolist())


def _of_nobody_else(layout: TableLayout, own: frozenset[int]) -> bool:
    others = (at for at in range(len(layout.banner)) if not layout.is_total(at))
    return bool(own) and own.issuperset(others)
