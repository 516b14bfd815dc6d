"""A comparison as a static table: percentages with their marks, bases and the method note."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData, Unit
from audiencelab.markup import (
    COLUMN_CAP,
    NOTE_LENGTH,
    QUIET,
    ROW_CAP,
    Cell,
    Content,
    Html,
    card,
    element,
    figure,
    joined,
    muted,
    table,
    text,
)
from audiencelab.results.banner import spans
from audiencelab.results.provenance import waves_fact
from audiencelab.wording import plural

Floats = NDArray[np.float64]


def comparison_html(
    comparison: ComparisonData,
    *,
    title: str,
    legend: str,
    marks: NDArray[np.object_],
    letters: Sequence[str],
) -> str:
    """The first rows and columns of a comparison with their marks, and its whole method."""
    proportions = comparison.table
    rows, columns = proportions.rows.names[:ROW_CAP], proportions.columns.names[:COLUMN_CAP]
    unit = comparison.unit
    figures = (unit.factor * proportions.cells.value).tolist()
    lines = _bases(comparison, len(columns))
    bases = len(lines)
    lines += [
        [
            name,
            *(_cell(unit, *each) for each in zip(values[: len(columns)], found, strict=False)),
        ]
        for name, values, found in zip(rows, figures, marks.tolist(), strict=False)
    ]
    heads: list[Content] = ["", *map(_head, columns, letters)]
    listed = table(
        heads,
        lines,
        numeric=range(1, len(heads)),
        above=spans(proportions.columns.groups[:COLUMN_CAP], 1),
        most=bases + ROW_CAP,
        hidden=len(proportions.rows) - len(rows),
    )
    method_note = text(f"{legend} {comparison.method_note}", most=NOTE_LENGTH)
    return str(
        card(
            title,
            listed,
            element("div", muted(method_note), style="max-width:60em"),
            subtitle=" · ".join(_facts(comparison)),
        )
    )


def _facts(comparison: ComparisonData) -> list[str]:
    outcome = comparison.outcome
    found = int(np.count_nonzero(outcome.level[outcome.listed] > 0))
    facts = [f"{found:,} of {plural(len(comparison), 'test')} significant"]
    notes = dict.fromkeys(note for note in outcome.note[outcome.listed].tolist() if note)
    facts += [f"some pairs: {'; '.join(notes)}"] if notes else []
    if waves := waves_fact(comparison.table.provenance):
        facts.append(waves)
    if (hidden := len(comparison.table.columns) - COLUMN_CAP) > 0:
        facts.append(f"… and {plural(hidden, 'more column')}")
    return facts


def _head(name: str, letter: str) -> Content:
    return joined(name, " ", element("b", letter)) if letter else name


def _cell(unit: Unit, value: float, mark: str) -> Content:
    written = figure(value, unit.decimals) + ("" if math.isnan(value) else unit.sign)
    return joined(f"{written}\u00a0", element("b", mark)) if mark else written


def _bases(comparison: ComparisonData, width: int) -> list[list[Content | Cell]]:
    """Respondents, and how many they are worth where that is another number.

    With a design effect for each cell a column has many bases, of which the least is promised.
    """
    sample = _largest(comparison.table.cells.sample)
    lines = [("Sample", sample)]
    least, most = _smallest(comparison.table.cells.base), _largest(comparison.table.cells.base)
    if not np.array_equal(sample, most, equal_nan=True):
        name = f"{comparison.settings.base} base"
        same = np.allclose(least, most, equal_nan=True)
        lines.append((name.capitalize() if same else f"Smallest {name}", least))
    return [
        [Cell(content, QUIET) for content in (name, *(_count(each) for each in values[:width]))]
        for name, values in lines
    ]


def _count(value: float) -> Html | str:
    return figure(value, 0)


def _largest(planes: Floats) -> list[float]:
    """Of each column the largest figure: cells may rest on different waves."""
    known = np.where(np.isnan(planes), -math.inf, planes)
    most = known.max(axis=0, initial=-math.inf)
    return [value if math.isfinite(value) else math.nan for value in most.tolist()]


def _smallest(planes: Floats) -> list[float]:
    return [-value for value in _largest(-planes)]
