"""The grid for readers without a kernel: its first rows and columns as an escaped HTML table."""

from __future__ import annotations

from collections.abc import Sequence

from audiencelab.render.color_scale import heat_scales
from audiencelab.render.html import figure
from audiencelab.render.markup import (
    CUT_BYTES,
    QUIET,
    Cell,
    Content,
    Html,
    Section,
    card,
    code_block,
    element,
    table,
)
from audiencelab.results.banner import sections, spans, table_title
from audiencelab.results.crosstab import CrosstabResult
from audiencelab.results.provenance import waves_fact
from audiencelab.widgets.crosstab.letters import LettersOf
from audiencelab.widgets.crosstab.looks import Looks
from audiencelab.widgets.crosstab.part import part_of
from audiencelab.widgets.crosstab.query import GridQuery
from audiencelab.widgets.crosstab.written import HIDDEN, CellWriter, size_writer
from audiencelab.wording import plural

__all__ = ["COLUMN_CAP", "ROW_CAP", "grid_html"]

ROW_CAP = 40
COLUMN_CAP = 12
"""Rows and columns shown of a larger table."""

_CODE_AUDIENCES = 20
_TITLES = {
    "index": "Index",
    "column_percentage": "Column %",
    "row_percentage": "Row %",
    "percentage": "% of base",
    "size": "Size",
    "sample": "Sample",
    "difference": "Difference",
    "z": "z",
    "letters": "Letters",
}

_COLOURS = {
    "index": "colour by index: orange over 100, blue under",
    "difference": "colour by difference from the base: orange above, blue below",
    "z": "colour by z: pale from 1.96, stronger from 2.58; orange above everyone else, blue below",
}


def grid_html(
    query: GridQuery,
    result: CrosstabResult | None,
    looks: Looks,
    base: str,
    letters: LettersOf | None = None,
) -> Html:
    """The table as far as it has arrived, with both bases, and the code that counts it again.

    letters: those of the table, where the cells show them and they are known.
    """
    rows, columns = query.shape
    about = "Crosstab" if result is None else table_title(result.row_heads, result.column_heads)
    title = f"{about} · {' / '.join(_TITLES[name] for name in looks.metrics)} · base: {base}"
    small = rows + columns <= _CODE_AUDIENCES
    code = [code_block(query.to_code())] if small else []
    if result is None or not result.count:
        shape = f"{plural(rows, 'row')} × {plural(columns, 'column')}, not counted yet"
        return card(title, *code, subtitle=shape)
    told = letters if "letters" in looks.metrics else None
    waves = waves_fact(result.provenance)
    return card(
        title, _cells(result, looks, told), _notes(result, looks, told), *code, subtitle=waves
    )


def _cells(result: CrosstabResult, looks: Looks, letters: LettersOf | None) -> Html:
    columns = range(min(COLUMN_CAP, len(result.columns)))
    rows = result.rows[:ROW_CAP]
    # Only of what is shown: some figures take a while over a large table.
    shown = part_of(result, range(len(rows)), columns)
    write = CellWriter(shown, looks, letters, heat_scales(result))
    people = size_writer(looks)
    row_size, row_sample = result.row_values("row_size"), result.row_values("row_sample")
    column_size = result.column_values("column_size")
    column_sample = result.column_values("column_sample")
    sizes = [people(column_size[column]) for column in columns]
    samples = [figure(column_sample[column], 0) for column in columns]
    # One line each: side by side they would make every column as wide as both.
    bases = (
        ["Base: people", people(result.base_size), "", *sizes],
        ["Base: respondents", "", figure(result.base_sample, 0), *samples],
    )
    lines: list[Sequence[Content | Cell] | Section] = [
        [Cell(words, QUIET) for words in line] for line in bases
    ]
    for row, begun in enumerate(sections(result.row_heads[: len(rows)])):
        lines += [Section(name, level) for level, name in begun]
        lines.append(
            [
                rows[row].name,
                Cell(people(row_size[row]), QUIET),
                Cell(figure(row_sample[row], 0), QUIET),
                *(write(row, column) for column in columns),
            ]
        )
    heads = ["", "Size", "Sample", *(_head(result, column, letters) for column in columns)]
    hidden = len(result.rows) - len(rows)
    return table(
        heads,
        lines,
        numeric=range(1, len(heads)),
        most=len(lines),
        cut=CUT_BYTES,
        hidden=hidden,
        above=spans(result.column_heads[:COLUMN_CAP], 3),
    )


def _head(result: CrosstabResult, column: int, letters: LettersOf | None) -> str:
    name, letter = result.columns[column].name, letters.heads[column] if letters else ""
    return f"{name} ({letter})" if letter else name


def _notes(result: CrosstabResult, looks: Looks, letters: LettersOf | None) -> Html:
    notes = [_COLOURS[looks.heat]] if looks.heat in _COLOURS else []
    low, very_low = looks.low_base
    if low and not set(looks.metrics) <= {"size", "sample"}:
        marks = f"* fewer than {low:,} respondents in the denominator"
        notes.append(f"{marks}, ** fewer than {very_low:,}" if very_low else marks)
    if looks.blank_under:
        notes.append(f"{HIDDEN} fewer than {looks.blank_under:,g}: not shown")
    if letters is not None:
        notes.append(letters.problem or letters.legend.removesuffix("."))
    if not result.complete:
        notes.append(f"{result.count:,} of {result.expected:,} cells had arrived")
    hidden = len(result.columns) - COLUMN_CAP
    if hidden > 0:
        notes.append(f"… and {plural(hidden, 'more column')}")
    return element("div", " · ".join(notes), style=QUIET)
