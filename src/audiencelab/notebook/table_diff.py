"""Compares tables row by row and lines of text, and says where they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

from audiencelab.notebook.html_reading import Table

_LONGEST_ORDER = 400
"""Characters of lines in two orders that are named as such."""


class Mismatch(NamedTuple):
    """One difference. where: a row and a column, or the path of a value; "" for a line."""

    where: str
    before: str
    now: str


def table_differences(before: Sequence[Table], now: Sequence[Table]) -> Iterator[Mismatch]:
    """How tables differ, one by one in their order."""
    for old, new in zip_longest(before, now, fillvalue=list[list[str]]()):
        if [*map(len, old)] == [*map(len, new)] and not _moved(old, new):
            yield from _cell_by_cell(old, new)
        elif not old or not new:
            yield Mismatch("the table", _shape(old), _shape(new))
        else:
            yield from _aligned(old, new)


def _moved(old: Table, new: Table) -> bool:
    """Whether other rows or columns are in it, or the same in another order."""
    return _rows(old) != _rows(new) or _header(old) != _header(new)


def _cell_by_cell(old: Table, new: Table) -> Iterator[Mismatch]:
    for number, (mine, other) in enumerate(zip(old, new, strict=True)):
        for column, (was, this) in enumerate(zip(mine, other, strict=True)):
            if was != this:
                yield Mismatch(_where(old, number, column), was, this)


def _aligned(old: Table, new: Table) -> Iterator[Mismatch]:
    """Rows and columns by their names: those of one table alone, then the cells of both."""
    names, header = _header(old), _header(new)
    if _reordered(names, header):
        yield _order("columns", names, header)
        # The cells are compared below by the names of their columns.
        order = [header.index(name) for name in names]
        new = [[row[n] for n in order] if len(row) == len(order) else row for row in new]
    if _reordered(_rows(old), _rows(new)):
        yield _order("rows", _rows(old), _rows(new))
        new = [new[_rows(new).index(name)] for name in _rows(old)]
    yield from _of_both(old, new)


def _of_both(old: Table, new: Table) -> Iterator[Mismatch]:
    columns = [*_pairs(_header(old), _header(new))]
    both = [(a, b) for a, b in columns if a is not None and b is not None]
    for a, b in columns:
        if a is None or b is None:
            yield _alone("column", _column(old, a), _column(new, b))
    widths = max(map(len, old)), max(map(len, new))
    for a, b in _pairs(_rows(old), _rows(new)):
        if a is None or b is None:
            yield _alone("row", [] if a is None else old[a], [] if b is None else new[b])
        elif (len(old[a]), len(new[b])) == widths:
            for mine, other in both:
                if old[a][mine] != new[b][other]:
                    yield Mismatch(_where(old, a, mine), old[a][mine], new[b][other])
        elif old[a] != new[b] and widths[0] == widths[1]:
            yield Mismatch(_row(old, a), _joined(old[a]), _joined(new[b]))


def _reordered(before: Sequence[str], now: Sequence[str]) -> bool:
    """Whether these are the same names, each once, in another order."""
    return before != now and len({*before}) == len(before) and sorted(before) == sorted(now)


def _order(of: str, before: Sequence[str], now: Sequence[str]) -> Mismatch:
    """Names in both orders, from the first to the last that moved."""
    moved = [n for n, (a, b) in enumerate(zip(before, now, strict=True)) if a != b]
    begin, end = moved[0], moved[-1] + 1
    where = f"order of {of}" if of else "order"
    return Mismatch(where, _joined(before[begin:end]), _joined(now[begin:end]))


def _pairs(before: list[str], now: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Positions of equal names in both; None where one has none."""
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if (kind == "replace" and b - a == d - c) or kind == "equal":
            yield from zip(range(a, b), range(c, d), strict=True)
        else:
            yield from ((each, None) for each in range(a, b))
            yield from ((None, each) for each in range(c, d))


def _alone(what: str, before: Sequence[str], now: Sequence[str]) -> Mismatch:
    name = next((cell for cell in (*before, *now) if cell), "without a name")
    return Mismatch(f"{what} {name}", _joined(before), _joined(now))


def _joined(cells: Sequence[str]) -> str:
    return " | ".join(filter(None, cells))


def _shape(table: Table) -> str:
    columns = max(map(len, table), default=0)
    return f"{len(table)} lines of {columns} cells" if table else ""


def _header(table: Table) -> list[str]:
    """The first of its widest rows, which names the columns."""
    width = max(map(len, table), default=0)
    return next((row for row in table if len(row) == width), list[str]())


def _column(table: Table, number: int | None) -> list[str]:
    if number is None:
        return []
    return [row[number] for row in table if len(row) == len(_header(table))]


def _rows(table: Table) -> list[str]:
    return [_row(table, number) for number in range(len(table))]


def _row(table: Table, number: int) -> str:
    return next((cell for cell in table[number] if cell), f"line {number + 1}")


def _where(table: Table, number: int, column: int) -> str:
    """A cell by its row and its column, which tables name in the first cell of each."""
    # A header of groups has fewer cells: the first row as wide as this one names the columns.
    headers = [line for line in table[:number] if len(line) == len(table[number])]
    name = (headers[0][column] if headers else "") or f"column {column + 1}"
    return f"{_row(table, number)}, {name}" if column else f"line {number + 1}"


def line_differences(before: Sequence[str], now: Sequence[str]) -> Iterator[Mismatch]:
    """Lines that only one has, or that replace others."""
    # A legend says each of its names twice: to be read, and to be read aloud.
    if before != now and sorted(before) == sorted(now):
        order = _order("", before, now)
        if len(order.before) <= _LONGEST_ORDER:
            yield order
            return
    # By default difflib ignores lines that come often, where there are 200 or more.
    for kind, a, b, c, d in SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            for mine, other in zip_longest(before[a:b], now[c:d], fillvalue=""):
                yield Mismatch("", mine, other)


def field_differences(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Mismatch]:
    """Values by their paths."""
    for place in dict.fromkeys((*before, *now)):
        was, this = before.get(place, ""), now.get(place, "")
        if was != this:
            yield Mismatch(place, was, this)
