"""Results as static HTML tables, their figures rounded for display.

Figures are rounded here and nowhere else; what is computed with stays exact. The blocks that the
tables are built of, and their looks, are in `markup`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from audiencelab.markup import (
    COLUMN_CAP,
    CUT_BYTES,
    NET,
    QUIET,
    ROW_CAP,
    Cell,
    Content,
    Html,
    Section,
    card,
    element,
    figure,
    joined,
    people,
    percent,
    table,
)
from audiencelab.render.table_layout import LOW_BASE, LOW_BASE_NOTE, low_base_mark
from audiencelab.results import undefined as denominators
from audiencelab.results.banner import sections, spans, table_title
from audiencelab.results.chart_result import ChartCalculationData
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.provenance import source_line, waves_fact
from audiencelab.results.stats import StatsData
from audiencelab.wording import plural

if TYPE_CHECKING:
    import pandas as pd


def stats_html(result: StatsData) -> str:
    """A stats result as a table of its first rows, in the order asked for."""
    from audiencelab.results.to_pandas import stats_frame

    facts = [result.question if result.labels.question else "", _waves(result.waves)]
    if result.splitter:
        facts.append(f"by {result.labels.splitter or result.splitter}")
    if result.base_audience:
        facts.append(f"base: {result.base_audience.name}")
    listed, low = _figures_table(stats_frame(result), {"datapoint_label": "Datapoint"})
    return str(
        card(
            result.labels.question or result.question,
            listed,
            *_under(low, result.provenance),
            subtitle=" · ".join(filter(None, facts)),
        )
    )


def calculation_html(result: ChartCalculationData) -> str:
    """A chart's calculation as a table of its first rows, failures among them."""
    from audiencelab.results.to_pandas import calculation_frame

    facts = [plural(len(result), "group")]
    if result.failures:
        facts.append(f"{len(result.failures):,} failed")
    frame = calculation_frame(result)
    if waves := dict.fromkeys(wave for listed in frame["waves"] for wave in listed):
        facts.append(_waves(list(waves)))
    listed, low = _figures_table(
        frame,
        {
            "question_label": "Question",
            "datapoint_label": "Datapoint",
            "suffix_label": "Suffix",
        },
    )
    under = _under(low, result.provenance)
    return str(card(result.name or "Chart", listed, *under, subtitle=" · ".join(facts)))


_FIGURE_HEADS = {
    "segment_label": "Segment",
    "audience_name": "Audience",
    "audience_percentage": "Audience %",
    "datapoint_percentage": "Datapoint %",
    "audience_index": "Index",
    "positive_size": "Size",
    "positive_sample": "Sample",
    "audience_sample": "Base sample",
    "note": "",
}


def _figures_table(frame: pd.DataFrame, named: Mapping[str, str]) -> tuple[Html, bool]:
    """The first rows of a frame, and whether a figure in them has a low base.

    Columns that say nothing anywhere are left out. named: heads by column for what the rows are
    called by.
    """
    optional = {"note", "suffix_label"}
    heads = {
        name: head
        for name, head in {**named, **_FIGURE_HEADS}.items()
        if name in frame and (name not in optional or frame[name].astype(bool).any())
    }
    shown = frame.head(ROW_CAP)
    marks = {
        name: [low_base_mark(respondents) for respondents in under]
        for name in heads
        if (under := denominators.respondents_under(name, lambda of: shown[of].to_numpy()))
        is not None
    }
    lines = [
        [
            _stats_cell(name, value, marks[name][place] if name in marks else "")
            for name, value in zip(heads, line, strict=True)
        ]
        for place, line in enumerate(shown[list(heads)].itertuples(index=False))
    ]
    listed = table(
        list(heads.values()),
        lines,
        numeric=[place for place, name in enumerate(heads) if not _is_text(name)],
        hidden=len(frame) - len(lines),
    )
    return listed, any(map(any, marks.values()))


def _under(low: bool, provenance: Mapping[str, Any]) -> list[Html]:
    """What the marks mean, if there are any, and where the figures come from."""
    source = source_line(provenance, dated=False)
    told = " · ".join(filter(None, [LOW_BASE_NOTE if low else "", source]))
    return [element("div", told, style=QUIET)] if told else []


def crosstab_html(result: CrosstabData) -> str:
    """A crosstab as a table: column % and index in each cell, both bases in the margins."""
    # Everyone has a column of their own here, before those that are told in full.
    first = int(result.has_total and result.columns_requested)
    shown = range(first, min(first + COLUMN_CAP, len(result.columns)))
    rows = result.rows[:ROW_CAP]
    lines: list[Sequence[Content | Cell] | Section] = [*_crosstab_bases(result, shown)]
    body = _crosstab_body(result, len(rows), shown)
    for begun, line in zip(sections(result.row_heads[: len(rows)]), body, strict=True):
        lines += [*(Section(name, level) for level, name in begun), line]
    everyone = result.columns[0].name if first else "All"
    heads = ["", everyone, *(result.columns[column].name for column in shown)]
    listed = table(
        heads,
        lines,
        numeric=range(1, len(heads)),
        above=spans([result.column_heads[column] for column in shown], 2),
        most=len(lines),
        cut=CUT_BYTES,
        hidden=len(result.rows) - len(rows),
    )
    # An index rests on no more people than the share beside it.
    bases = denominators.respondents_under("index", result.values)
    marked = bases is not None and bool((bases[: len(rows), first : shown.stop] < LOW_BASE).any())
    under = _under(marked, result.provenance)
    facts = _crosstab_facts(result, len(result.columns) - shown.stop)
    return str(
        card(
            table_title(result.row_heads, result.column_heads),
            listed,
            *under,
            subtitle=" · ".join(facts),
        )
    )


def _crosstab_facts(result: CrosstabData, hidden: int) -> list[str]:
    facts = ["column % and index"]
    if result.base_audience:
        facts.append(f"base: {result.base_audience.name}")
    if waves := waves_fact(result.provenance):
        facts.append(waves)
    if not result.complete:
        facts.append(f"{result.count:,} of {result.expected:,} cells so far")
    if result.base_varies:
        facts.append("cells rest on different waves; the largest base is shown")
    if hidden > 0:
        facts.append(f"… and {plural(hidden, 'more column')}")
    return facts


def _crosstab_body(
    result: CrosstabData, height: int, shown: Sequence[int]
) -> Iterator[list[Content | Cell]]:
    """A line for each row: its name, the share of everyone that is in it, and its cells."""
    shares, indices = result.values("column_percentage"), result.values("index")
    marks = _low_base_marks(result, "column_percentage"), _low_base_marks(result, "index")
    nets = result.row_nets
    everyone = 100 * result.row_values("row_size") / (result.base_size or math.nan)
    for row in range(height):
        cells = (
            _crosstab_cell(
                float(shares[row, column]),
                float(indices[row, column]),
                *(mark(row, column) for mark in marks),
            )
            for column in shown
        )
        name = Cell(result.rows[row].name, NET if nets[row] else "")
        yield [name, percent(float(everyone[row])), *cells]


def _is_text(column: str) -> bool:
    return column.endswith(("label", "name", "note"))


def _stats_cell(name: str, value: object, mark: str) -> str:
    if isinstance(value, str):
        return value
    number = float(value)  # pyright: ignore[reportArgumentType] -- the other columns are figures
    if name.endswith("size"):
        return people(number)
    if name.endswith("sample"):
        return figure(number, 0)
    shown = percent(number) if name.endswith("percentage") else figure(number)
    return shown if math.isnan(number) else shown + mark


def _low_base_marks(result: CrosstabData, metric: str) -> Callable[[int, int], str]:
    """Gives the mark of a cell, which is its metric's own: shares and indices differ in theirs."""
    under = denominators.respondents_under(metric, result.values)
    return lambda row, column: "" if under is None else low_base_mark(float(under[row, column]))


def _crosstab_cell(percentage: float, index: float, of_share: str, of_index: str) -> Content:
    if math.isnan(percentage) and math.isnan(index):
        return "–"
    # Two figures on one line, and apart.
    small = figure(index, 0) + ("" if math.isnan(index) else of_index)
    return joined(f"{percent(percentage)}{of_share}\u00a0", element("small", small))


def _crosstab_bases(result: CrosstabData, shown: Sequence[int]) -> list[list[Content | Cell]]:
    sizes = result.column_values("column_size")[shown]
    samples = result.column_values("column_sample")[shown]
    lines = [
        ["Size", people(result.base_size), *(people(float(size)) for size in sizes)],
        [
            "Sample",
            figure(result.base_sample, 0),
            *(figure(float(each), 0) + low_base_mark(float(each)) for each in samples),
        ],
    ]
    return [[Cell(content, QUIET) for content in line] for line in lines]


def _waves(waves: Sequence[str]) -> str:
    if not waves:
        return denominators.NO_WAVE
    return (
        f"wave {waves[0]}" if len(waves) == 1 else f"{len(waves)} waves, {waves[0]} to {waves[-1]}"
    )
