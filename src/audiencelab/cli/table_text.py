"""A table of figures as text, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from audiencelab.cli.output import text_table
from audiencelab.figures import figure
from audiencelab.render.table_layout import TableLayout, low_base_note


def table_lines(layout: TableLayout) -> Iterator[str]:
    """The table as text, with the unweighted base of each column.

    Several metrics are lines below each other, of a table with a single column beside each other.
    """
    several = len(layout.metrics) > 1
    header, groups, cells, corner = (
        _beside(layout) if several and len(layout.banner) == 1 else _below(layout)
    )
    height = len(layout.metrics) if corner == 2 else 1
    blank = [""] * (len(cells[0]) - 1)
    # From the end, so that rows before it stay where they are.
    for row, name in reversed(_headings(layout)):
        cells.insert(row * height, [name, *blank])
    yield layout.title
    yield ""
    yield from text_table([""] * corner + header, cells, groups=[""] * corner + groups)
    yield ""
    facts = layout.facts if several else (layout.label(layout.metrics[0]), *layout.facts)
    yield f"{'. '.join(facts)}."
    yield from filter(None, (*layout.notes, *layout.gaps, low_base_note(layout), layout.source))


_Cells = tuple[list[str], list[str], list[list[str]], int]
"""The header, the groups above it, the lines, and how many columns name a line."""


def _below(layout: TableLayout) -> _Cells:
    """A line for each row and metric."""
    several = len(layout.metrics) > 1
    stub = [
        [layout.row_name(row), *([layout.label(metric)] if several else [])]
        for row in range(len(layout.stub))
        for metric in layout.metrics
    ]
    stub.append(["Base (n)", *([""] if several else [])])
    columns = [_column(layout, column) for column in range(len(layout.banner))]
    cells = [[*names, *values] for names, *values in zip(stub, *columns, strict=True)]
    header = [
        f"{cell.name} ({cell.letter})" if cell.letter else cell.name for cell in layout.banner
    ]
    return header, [", ".join(cell.groups) for cell in layout.banner], cells, len(stub[0])


def _beside(layout: TableLayout) -> _Cells:
    """A column for each metric."""
    count = len(layout.metrics)
    *values, base = _column(layout, 0)
    stub = [layout.row_name(row) for row in range(len(layout.stub))]
    cells = [[name, *values[at * count : (at + 1) * count]] for at, name in enumerate(stub)]
    cells.append(["Base (n)", *[""] * (count - 1), base])
    return [layout.label(each) for each in layout.metrics], [""] * count, cells, 1


def _headings(layout: TableLayout) -> list[tuple[int, str]]:
    """The groups of a stub of several, each with the number of its first row."""
    groups = [cell.groups for cell in layout.stub]
    if len({*groups}) < 2:
        return []
    starts = [at for at, each in enumerate(groups) if at == 0 or each != groups[at - 1]]
    return [(at, f"[{' › '.join(groups[at])}]") for at in starts if groups[at]]


def _column(layout: TableLayout, column: int) -> list[str]:
    """A column as it is read: figures under each other, marks of bases and of tests behind."""
    figures: list[str] = []
    marks: list[str] = []
    for row in range(len(layout.stub)):
        for metric in layout.metrics:
            is_blank = layout.is_blank(metric, row, column)
            value = float(metric.values[row, column])
            figures.append("" if is_blank else figure(value, metric.decimals))
            tested = layout.mark_at(row, column) if metric.name == layout.compared else ""
            marks.append(
                f"{'' if is_blank else layout.low_mark(metric, row, column)} {tested}".rstrip()
            )
    figures.append(f"{layout.banner[column].sample:,.0f}")
    marks.append("")
    widest = max(map(len, figures))
    return [f"{figure:>{widest}}{mark}" for figure, mark in zip(figures, marks, strict=True)]
