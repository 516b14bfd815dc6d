"""Results as cards: static forms of tables, that are drawn as HTML and as text.

`banner_table` makes every table with a stub and a banner: the compact cards of notebooks, whole
tables for pages and mails, comparisons, and the static form of the crosstab widget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis import marks as marked
from audiencelab.analysis.comparison import (
    ComparisonData,
    count_words,
    shown_parts,
    shown_table,
)
from audiencelab.figures import figure
from audiencelab.markup import (
    HEADING,
    INDENTED,
    NET,
    NOTE_LENGTH,
    QUIET,
    Card,
    Cell,
    Content,
    Html,
    Row,
    Section,
    Table,
    WrittenValue,
    card,
    element,
    joined,
    muted,
    note,
    table,
    text,
    values,
)
from audiencelab.render.cell_text import base_text, cell_texts, marked_text, value_text
from audiencelab.render.crosstab_layout import (
    column_cells,
    crosstab_metric,
    everyone_cell,
    missing_gaps,
    missing_reasons,
    shown_reasons,
    stub_cells,
    table_notes,
)
from audiencelab.render.room import NOTEBOOK, PAGE, Room, fitted
from audiencelab.render.table_layout import (
    BaseKind,
    HeaderCell,
    TableLayout,
    have_own_bases,
    names_alone,
)
from audiencelab.results.arrangement import LOW_BASE, low_base_mark, low_base_words
from audiencelab.results.banner import edges, page_breaks, spans
from audiencelab.results.crosstab import CrosstabData, has_total, of_statistics_alone, title_of
from audiencelab.results.provenance import (
    waves_fact,
    weight_fact,
    weighted_base,
)
from audiencelab.results.record import sourced
from audiencelab.results.who_counts import BaseWords, base_line, base_words
from audiencelab.results.who_counts import notes as notes_on_bases

Floats = NDArray[np.float64]
CellContent = Content | Cell

_BLUE, _ORANGE = "91,155,213", "232,134,46"
_PANEL = 16
"""Columns that can be read on a landscape page; a wider table is in parts."""

_STRONGEST = 0.55
"""Opacity of the heat map, for light and dark backgrounds."""


def banner_table(
    layout: TableLayout,
    cell: Callable[[int, int], CellContent],
    *,
    bases: Sequence[Sequence[Content]],
    beside: Mapping[str, Sequence[CellContent]] | None = None,
    header: Callable[[HeaderCell], Content] = lambda column: column.name,
    room: Room = NOTEBOOK,
    hidden: tuple[int, int] = (0, 0),
) -> Table:
    """The stub and banner of a layout with their groups, rows of bases, and a body of cells.

    cell: the content of a cell, by row and column. bases: rows above the body, with their names.
    beside: columns between the stub and the cells, by their headers. header: what is written in a
    column's header. hidden: rows and columns that the layout leaves out.
    """
    beside = beside or {}
    first, written = 1 + len(beside), cache(cell)
    shape, headings = (len(layout.stub), len(layout.banner)), layout.headings
    groups = layout.banner_groups

    def draw(height: int, width: int) -> Table:
        rows: list[Row] = [[Cell(each, QUIET) for each in line[: first + width]] for line in bases]
        for row in range(height):
            rows += [Section(name, level) for level, name in headings[row]]
            name = Cell(layout.stub[row].lettered, _name_style(layout, row))
            sides = (values[row] for values in beside.values())
            rows.append([name, *sides, *(written(row, column) for column in range(width))])
        return table(
            ["", *beside, *map(header, layout.banner[:width])],
            rows,
            numeric=range(1, first + width),
            above=[[("", 1), *line] for line in spans(groups[:width], first - 1)],
            most=None,
            hidden=hidden[0] + shape[0] - height,
            hidden_columns=hidden[1] + shape[1] - width,
            length=room.length,
            breaks=[first + at for at in page_breaks(edges(groups[:width]), _PANEL)],
        )

    return fitted(room, *shape, draw)


def _name_style(layout: TableLayout, row: int) -> str:
    cell = layout.stub[row]
    own = HEADING if cell.head else NET if cell.net else ""
    indented = INDENTED[min(layout.level(row), len(INDENTED) - 1)]
    return ";".join(filter(None, (own, indented)))


# -- whole tables ---------------------------------------------------------------------------------


def layout_card(layout: TableLayout, room: Room = PAGE) -> Card:
    """The table with all its styles, by default whole, ready to be put into a page."""
    beside: dict[str, Sequence[CellContent]] = {
        label: [Cell(_beside_text(layout, base, kind), QUIET) for base in bases]
        for label, kind, bases in layout.beside
    }
    listed = banner_table(
        layout,
        lambda row, column: _layout_cell(layout, row, column),
        bases=_base_rows(layout, layout.banner, len(beside)),
        beside=beside,
        header=lambda column: (
            joined(column.name, muted(f" ({column.letter})")) if column.letter else column.name
        ),
        room=room,
    )
    facts = [*filter(None, [layout.labels(layout.metrics)]), *layout.facts]
    notes = (note(each, "font-size:12px;") for each in layout.footnotes)
    return card(layout.title, listed, *notes, subtitle=" · ".join(facts))


def _beside_text(layout: TableLayout, base: float, kind: BaseKind) -> str:
    # In a table with forms, only some rows have a base of their own.
    return "" if layout.forms and math.isnan(base) else base_text(base, kind, layout.how.stars)


def _base_rows(
    layout: TableLayout, banner: Iterable[HeaderCell], beside: int
) -> list[list[Content]]:
    """The bases of the columns, a row each, with nothing in the columns beside the stub."""
    stars = layout.how.stars
    return [
        [
            label,
            *[""] * beside,
            *(
                base_text(each.base(kind), kind, stars) if each.kind != "p" else ""
                for each in banner
            ),
        ]
        for label, kind in layout.bases
    ]


def _layout_cell(layout: TableLayout, row: int, column: int) -> Cell:
    index = next((each for each in layout.metrics if each.kind == "index"), None)
    heat = ""
    if index is not None and layout.is_coloured(index, row, column):
        heat = _heat(float(index.values[row, column]))
    return Cell(values(*cell_texts(layout, row, column)), heat, layout.reason(row, column))


def _heat(index: float) -> str:
    """A translucent blue below 100 and orange above, full at half and at twice the share."""
    if math.isnan(index) or index == 100:
        return ""
    strength = min(1.0, abs(math.log2(index / 100))) if index > 0 else 1.0
    colour = _ORANGE if index > 100 else _BLUE
    return f"background:rgba({colour},{strength * _STRONGEST:.2f})"


# -- crosstabs ------------------------------------------------------------------------------------


def crosstab_card(result: CrosstabData, words: BaseWords | None = None) -> Card:
    """The first rows and columns: column % and index in each cell, both bases in the margins.

    words: about its bases, where they are known.
    """
    words = words or base_words(result)
    # The total has a column of its own here, before the others.
    first = int(has_total(result) and result.columns_requested)
    stub = stub_cells(result)
    missing = missing_reasons(result, ("column_percentage", "index"))
    everyone = result.columns[0].name if first else "All"
    columns = [0, *range(1 + first, 1 + len(result.columns))]
    layout = TableLayout(
        title_of(result),
        stub,
        (everyone_cell(result, everyone), *column_cells(result)[first:]),
        tuple(
            crosstab_metric(result, name, total=True).part(range(len(stub)), columns)
            for name in ("column_percentage", "index")
        ),
        total=True,
        own_bases=have_own_bases(stub),
        reasons=tuple(
            tuple(row[at] for at in columns) for row in shown_reasons(result, missing, total=True)
        ),
        weighted_base=weighted_base(result.provenance),
    )
    own = layout.beside[-1:]
    listed = banner_table(
        layout,
        lambda row, column: _card_cell(layout, row, column),
        bases=_base_rows(layout, layout.banner, len(own)),
        beside={label: [base_text(base, kind) for base in bases] for label, kind, bases in own},
    )
    # An index has the same or a smaller base than the share beside it.
    under = layout.metrics[1].under
    assert under is not None
    names = [names_alone(side) for side in (stub, column_cells(result))]
    gaps = missing_gaps(result, missing, 0)
    notes = [*table_notes(result, words.notes), *(gap.note(*names) for gap in gaps)]
    low = low_base_footer(bool((under[:, 1:] < LOW_BASE).any()), result.provenance)
    subtitle = " · ".join(_crosstab_facts(result, words.line))
    return card(layout.title, listed, *map(note, notes), *low, subtitle=subtitle)


def _card_cell(layout: TableLayout, row: int, column: int) -> CellContent:
    """Column % and index, of everyone the share; one dash where there is neither."""
    if column == 0 and layout.stub[row].decimals is None:
        return value_text("column_percentage", float(layout.metrics[0].values[row, 0]))
    if any(not math.isnan(metric.values[row, column]) for metric in layout.metrics):
        return values(*cell_texts(layout, row, column))
    return Cell("–", title=layout.reason(row, column))


def _crosstab_facts(result: CrosstabData, base: str) -> list[str]:
    facts = [base] if of_statistics_alone(result) else ["column % and index", base]
    facts += filter(None, [waves_fact(result.provenance), weight_fact(result.provenance)])
    if not result.complete:
        facts.append(f"{result.count:,} of {result.expected:,} cells so far")
    return facts


# -- comparisons ----------------------------------------------------------------------------------


def comparison_card(comparison: ComparisonData) -> Card:
    """The first rows and columns of a comparison with their marks, and its whole method."""
    title, legend = marked.title(comparison), marked.legend(comparison)
    others, letters = comparison.statistics, marked.column_letters(comparison)
    table = shown_table(comparison)
    shown: Sequence[tuple[bool, int]] = [(False, at) for at in range(len(table.rows))]
    marks = marked.marks(comparison)
    if others is not None:
        shown, marks = comparison.shown, marked.shown_marks(comparison)
    columns = table.columns.names
    groups = table.columns.groups or [()] * len(columns)
    named = zip(columns, groups, letters, strict=False)

    def part(row: int) -> tuple[ComparisonData, int]:
        """The comparison that a shown row belongs to, and its row there."""
        is_statistic, place = shown[row]
        return (others if is_statistic and others is not None else comparison), place

    rows = [shown_table(each).rows.names[at] for each, at in map(part, range(len(shown)))]
    lettered = zip(rows, marked.row_letters(comparison), strict=False)
    layout = TableLayout(
        title,
        tuple(HeaderCell(f"{name} ({letter})" if letter else name) for name, letter in lettered),
        tuple(HeaderCell(name, group, letter=letter) for name, group, letter in named),
    )

    def cell(row: int, column: int) -> Content:
        each, place = part(row)
        value, mark = float(shown_table(each).cells.value[place, column]), marks[row, column]
        unit, value = each.unit, each.unit.factor * value
        decimals = each.decimals[place] if each.decimals else unit.decimals
        star = low_base_mark(float(shown_table(each).cells.sample[place, column]))
        written = marked_text(f"{figure(value, decimals)}{unit.sign}", value, star)
        return values(WrittenValue(written, mark))

    own = _row_bases(comparison.source, len(rows))
    listed = banner_table(
        layout,
        cell,
        bases=_comparison_bases(shown_parts(comparison)[0], [""] * len(own), len(columns)),
        beside=own,
        header=lambda column: (
            joined(column.name, " ", element("b", column.letter)) if column.letter else column.name
        ),
    )
    method = muted(text(f"{legend} {comparison.whole_note}", most=NOTE_LENGTH))
    below = element("div", method, style="max-width:60em")
    under = () if comparison.source is None else map(note, notes_on_bases(comparison.source))
    facts = " · ".join(_comparison_facts(comparison))
    cells = [shown_table(each).cells for each in shown_parts(comparison)]
    low = any(bool(((each.sample < LOW_BASE) & ~np.isnan(each.value)).any()) for each in cells)
    source = low_base_footer(low, comparison.table.provenance)
    return card(title, listed, *under, below, *source, subtitle=facts)


def _comparison_facts(comparison: ComparisonData) -> list[str]:
    outcome = comparison.outcome
    facts = [count_words(comparison)]
    told = dict.fromkeys(each for each in outcome.note[outcome.listed].tolist() if each)
    facts += [f"some pairs: {'; '.join(told)}"] if told else []
    if comparison.source is not None:
        facts.append(base_line(comparison.source))
    known = comparison.table.provenance
    facts += filter(None, [waves_fact(known), weight_fact(known)])
    return facts


def _row_bases(source: object, height: int) -> dict[str, Sequence[CellContent]]:
    """The base of each row of the crosstab that was tested, where rows have bases of their own."""
    stub = stub_cells(source) if isinstance(source, CrosstabData) else ()
    if not have_own_bases(stub):
        return {}
    return {"Base (n)": [base_text(cell.base_sample, "sample") for cell in stub[:height]]}


def _comparison_bases(
    comparison: ComparisonData, padding: Sequence[Content], width: int
) -> list[list[Content]]:
    """The unweighted base of each column, and its effective base where it differs.

    With a design effect for each cell a column has many bases, of which the least is shown.
    """
    cells = shown_table(comparison).cells
    sample = _largest(cells.sample)
    least, most = -_largest(-cells.base), _largest(cells.base)
    bases = {"Base (n)": sample}
    if not np.array_equal(sample, most, equal_nan=True):
        name = f"{comparison.settings.base} base"
        same = np.allclose(least, most, equal_nan=True)
        bases[name.capitalize() if same else f"Smallest {name}"] = least
    return [
        [name, *padding, *(figure(value, 0) for value in values[:width].tolist())]
        for name, values in bases.items()
    ]


def _largest(cells: Floats) -> Floats:
    """The largest value of each column: cells may rest on different waves."""
    most = np.where(np.isnan(cells), -np.inf, cells).max(axis=0, initial=-np.inf)
    return np.where(np.isfinite(most), most, np.nan)


def low_base_footer(low: bool, provenance: Mapping[str, Any], meaning: str = "") -> list[Html]:
    """What the marks mean, if there are any, and the source."""
    parts = [(meaning or low_base_words()) if low else "", sourced(provenance).line()]
    said = " · ".join(filter(None, parts))
    return [note(said)] if said else []
