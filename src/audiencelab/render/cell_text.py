"""How a value is written in the cell of a table: digits, unit, low-base mark, marks of tests.

HTML, Markdown, LaTeX, slides, cards and the crosstab widget write values with these functions
only; a workbook holds the numbers, and writes them by the formats of `excel/styles.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from audiencelab.figures import at_least, figure, people, percent
from audiencelab.markup import GAP, WrittenValue
from audiencelab.render.table_layout import BaseKind, Metric, TableLayout
from audiencelab.results.arrangement import USUAL_STARS, Stars, low_base_mark
from audiencelab.results.metrics import metric_of
from audiencelab.results.summary_statistics import written


def value_text(metric: str, value: float, decimals: int | None = None, units: str = "short") -> str:
    """A value of a metric as text; a dash where there is none.

    decimals: those of the metric by default; respondents and people in full have none.
    units: of weighted people: "short" (1.2M, with a decimal by default), "thousands" or "full".
    """
    known = metric_of(metric)
    shown = known.decimals if decimals is None else decimals
    match known.kind:
        case "percentage":
            return percent(value, shown)
        case "size":
            return _people(value, 1 if decimals is None else decimals, units)
        case "signed":
            return signed(value, shown)
        case "p":
            return "<0.001" if value < 0.001 else figure(value, shown)
        case kind:
            return figure(value, 0 if kind == "sample" else shown)


def _people(value: float, decimals: int, units: str) -> str:
    if units == "full" or math.isnan(value):
        return figure(value, 0)
    return at_least(value / 1e3, decimals, "K") if units == "thousands" else people(value, decimals)


def signed(value: float, decimals: int) -> str:
    """A number with its sign; one that rounds to zero has none, and a missing one is a dash."""
    size = figure(abs(value), decimals)
    # Judged by what is shown: −0.04 with one decimal is 0.0.
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if value > 0 else '−'}{size}"


def _formed(layout: TableLayout, row: int, column: int) -> str:
    """The values of a cell in the form of its row, one dash where it has none of them."""
    shown = [part for part in layout.parts_of(row, column) if not part.is_hidden]
    if shown and all(math.isnan(part.value) for part in shown):
        return "–"
    texts = (value_text(part.form.metric, part.value, part.decimals) for part in shown)
    # A value stays on one line with what is in brackets.
    return written([part.form for part in shown], list(texts)).replace(" (", f"{GAP}(")


def base_text(value: float, kind: BaseKind, stars: Stars = USUAL_STARS) -> str:
    """A base of a row or a column, with its low-base mark."""
    return value_text(kind, value) + ("" if kind == "size" else low_base_mark(value, stars))


def marked_text(written: str, value: float, mark: str) -> str:
    """A value as it is written, with its low-base mark; a dash has none."""
    return written if math.isnan(value) else written + mark


def table_text(metric: Metric, value: float) -> str:
    """A value in a table to print, where an index has no decimals."""
    usual = 0 if metric.kind == "index" else None
    shown = metric.shown_decimals
    return value_text(metric.name, value, usual if shown is None else shown)


def metric_text(layout: TableLayout, metric: Metric, row: int, column: int) -> WrittenValue:
    """A metric of a cell; "" where it is left blank."""
    if layout.is_blank(metric, row, column):
        return WrittenValue("")
    value, decimals = float(metric.values[row, column]), layout.stub[row].decimals
    written, compared = table_text(metric, value), metric.name == layout.compared
    if decimals is not None:
        # The value of a row that is a statistic is a plain number, whatever the metric.
        compared = metric is layout.value_metric
        written = figure(value, decimals) if compared else signed(value, decimals)
    marks = layout.mark_at(row, column) if compared else ""
    return WrittenValue(marked_text(written, value, layout.low_mark(metric, row, column)), marks)


def cell_texts(layout: TableLayout, row: int, column: int) -> Sequence[WrittenValue]:
    """The metrics of a cell; a row that is a statistic has its value and what is of it."""
    if layout.forms:
        return [WrittenValue(_formed(layout, row, column))]
    metrics = [each for each in layout.metrics if not layout.is_gap(each, column)]
    if layout.stub[row].decimals is not None:
        metrics = [each for each in metrics if layout.of_statistic(each)]
    return [metric_text(layout, metric, row, column) for metric in metrics]
