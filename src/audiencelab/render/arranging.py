"""A table in another arrangement: its rows sorted and counted, its names and decimals changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from audiencelab.render.table_layout import (
    LARGEST_BASES,
    LARGEST_SHARES,
    HeaderCell,
    Metric,
    TableLayout,
    names_alone,
    nets_note,
)
from audiencelab.results.arrangement import Line, TableArrangement
from audiencelab.results.banner import Groups, table_title
from audiencelab.results.metrics import metric_of


def arranged(layout: TableLayout, how: TableArrangement) -> TableLayout:
    """The same figures in another arrangement.

    Raises `ValueError` for a column to sort by, and for a name to change, that the table does not
    have.
    """
    how.check_names(names_in(layout))
    return placed(layout, how)


def names_in(layout: TableLayout) -> Iterator[str]:
    """All names and codes that can be changed."""
    for cell in (*layout.stub, *layout.banner):
        yield from _names(cell)
        yield from cell.groups


def placed(layout: TableLayout, how: TableArrangement) -> TableLayout:
    """The same as `arranged`, where not all names to change need be in the table."""
    layout = replace(layout, how=how)
    column = sorting_column(layout)
    before = lines_of(layout, column)
    order = how.order(before)
    by = names_alone([renamed(cell, how) for cell in layout.banner])[column : column + 1]
    note = how.note(before, [before[at] for at in order], "".join(by))
    return _with_names(_with_rows(layout, order, note), layout)


def sorting_column(layout: TableLayout) -> int:
    """The position of the column that rows are sorted by: the one that is named, or everyone's."""
    how = layout.how
    if how.by == "column":
        return how.column_among([_new_names(cell, how) for cell in layout.banner])
    first = layout.metrics[0].name if layout.metrics else "column_percentage"
    # Everyone's index and share of a row are 100 in every row, which has no order.
    has_order = not layout.total or bool(metric_of(first).of_all)
    if layout.over_time and not layout.total:
        return len(layout.banner) - 1
    return 0 if has_order or len(layout.banner) < 2 else 1


def lines_of(layout: TableLayout, column: int) -> list[Line]:
    """What the order of each row depends on; column: that of the values."""
    metric = layout.metrics[0] if layout.metrics and layout.banner else None
    lines: list[Line] = []
    for row, cell in enumerate(layout.stub):
        shown = metric is not None and not layout.is_blank(metric, row, column)
        lines.append(
            Line(
                cell.codes[0] if cell.codes else "",
                renamed(cell, layout.how).name,
                # A row that names others stays above them.
                (*cell.groups, cell.name, str(row)) if cell.head else cell.groups,
                float(metric.values[row, column]) if metric is not None and shown else np.nan,
                cell.parts,
                cell.off_scale,
                cell.kind,
                cell.ordered,
            )
        )
    return lines


# -- rows -----------------------------------------------------------------------------------------


def _with_rows(layout: TableLayout, order: Sequence[int], note: str) -> TableLayout:
    """Some of the rows in another order, with the note that says so."""
    if [*order] == [*range(len(layout.stub))]:
        return layout
    columns = range(len(layout.banner))
    moved: list[int | None] = [None] * len(layout.stub)
    for place, at in enumerate(order):
        moved[at] = place
    gaps = (gap.moved(moved) for gap in layout.missing)
    return replace(
        layout,
        order=tuple(order),
        stub=tuple(layout.stub[at] for at in order),
        metrics=tuple(metric.part(order, columns) for metric in layout.metrics),
        marks=_with_letters(layout, order) if layout.marks else (),
        reasons=tuple(layout.reasons[at] for at in order) if layout.reasons else (),
        forms=tuple(layout.forms[at] for at in order) if layout.forms else (),
        missing=tuple(gap for gap in gaps if gap.cells),
        shown_note=note,
        notes=(*filter(None, (note,)), *_notes_on_bases(layout, order)),
    )


def _notes_on_bases(layout: TableLayout, order: Sequence[int]) -> Iterator[str]:
    """The notes, in which the row with the largest base may be one that is left out."""
    rows = max((layout.stub[at].base_sample for at in order), default=0.0)
    widest = max((cell.base_sample for cell in layout.stub), default=0.0)
    for note in layout.notes:
        left_out = note in (LARGEST_BASES, LARGEST_SHARES) and rows < widest
        yield f"{note.removesuffix('.')}, which is left out." if left_out else note


def _with_letters(layout: TableLayout, order: Sequence[int]) -> tuple[tuple[str, ...], ...]:
    """The marks of the rows, without letters of rows that are left out."""
    letters = [cell.letter for cell in layout.stub if cell.letter]
    # Letters may begin again in each group.
    alike = len({*letters}) < len(letters)
    left_out: dict[Groups, set[str]] = {}
    for at in {*range(len(layout.stub))} - {*order}:
        cell = layout.stub[at]
        left_out.setdefault(cell.groups if alike else (), set()).add(cell.letter)
    return tuple(
        tuple(
            _without(mark, left_out.get(layout.stub[at].groups if alike else (), ()))
            for mark in layout.marks[at]
        )
        for at in order
    )


def _without(mark: str, letters: Iterable[str]) -> str:
    gone = {*letters} - {""}
    return " ".join(each for each in mark.split(" ") if each.upper() not in gone)


# -- names and decimals ---------------------------------------------------------------------------


def _names(cell: HeaderCell) -> tuple[str, ...]:
    return (cell.name, cell.full_name, *filter(None, cell.codes))


def _new_names(cell: HeaderCell, how: TableArrangement) -> tuple[str, ...]:
    """Its names and codes, old and new."""
    made = renamed(cell, how)
    return tuple(dict.fromkeys((*_names(cell), made.name, made.full_name)))


def renamed(cell: HeaderCell, how: TableArrangement) -> HeaderCell:
    """A row or column under its new name."""
    # A full name means one of several that are called alike.
    names = (cell.full_name, cell.name, *cell.codes)
    groups = tuple(how.new_name((group,), group) for group in cell.groups)
    return replace(cell, name=how.new_name(names, cell.name), groups=groups)


def _with_names(layout: TableLayout, before: TableLayout) -> TableLayout:
    """Names and decimals of some of the rows of a table."""
    how = layout.how
    if how.decimals is not None:
        layout = replace(
            layout,
            stub=tuple(replace(cell, decimals=_places(cell, how)) for cell in layout.stub),
            metrics=tuple(_with_places(metric, how) for metric in layout.metrics),
        )
    if not how.rename:
        return layout
    old = before.stub, before.banner
    stub, banner = ([renamed(cell, how) for cell in side] for side in old)
    new = stub, banner
    names = {
        cell.full_name: made.full_name
        for pair in zip(old, new, strict=True)
        for cell, made in zip(*pair, strict=True)
    }
    # What is made of names is made again; a title and notes of the user's own stay.
    # By several weights, the outermost group of a column is its weight.
    outer = int(layout.repeated > 1)
    said = {_title(*old, outer): _title(*new, outer), nets_note(old[0]): nets_note(new[0])}
    return replace(
        layout,
        title=said.get(layout.title, layout.title),
        notes=tuple(said.get(note, note) for note in layout.notes),
        stub=tuple(renamed(cell, how) for cell in layout.stub),
        banner=tuple(renamed(cell, how) for cell in layout.banner),
        definitions=tuple(
            (side, names.get(name, name), *others) for side, name, *others in layout.definitions
        ),
    )


def _title(stub: Sequence[HeaderCell], banner: Sequence[HeaderCell], outer: int) -> str:
    rows, columns = ([cell.groups for cell in side] for side in (stub, banner))
    return table_title(rows, [groups[outer:] for groups in columns])


def _places(cell: HeaderCell, how: TableArrangement) -> int | None:
    if cell.decimals is None:
        return None
    places = how.places(cell.kind)
    return cell.decimals if places is None else places


def _with_places(metric: Metric, how: TableArrangement) -> Metric:
    places = how.places(metric_of(metric.name).name)
    return metric if places is None else replace(metric, shown_decimals=places)
