"""Crosstabs of the same rows put side by side: one table with a head for each of them.

What a table of several bases is: each part is a crosstab of its own, so a percentage and an index
are of that part's base, as the service told them. Nothing is counted and nothing is added up here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, any_of, combine
from audiencelab.results.banner import Heads
from audiencelab.results.crosstab import CrosstabData

Crosstab = TypeVar("Crosstab", bound=CrosstabData)

Places = NDArray[np.intp]

_APART = ("base_audience", "waves", "locations")
"""What tables that stand side by side may differ in; the rest of the source is one."""


def side_by_side(tables: Mapping[str, Crosstab]) -> Crosstab:
    """One table of several crosstabs of the same rows, each under a head of its own.

    tables: complete crosstabs by the name that stands over their columns, such as the same query in
        several bases:
        `al.side_by_side({base.name: client.crosstab(rows=…, base_audience=base) for base in …})`.

    Every figure stays what it was: percentages and indices of each part are of its own base, and
    `base_size` and `base_sample` tell it cell by cell. A part without columns is its base, under
    the part's name. Raises `TypeError` for what are no crosstabs by name, and `ValueError` for
    none, for tables under way, and for rows that differ.
    """
    if not isinstance(cast(object, tables), Mapping):
        raise TypeError('Tables have names: side_by_side({"Everyone": all, "Women": women}).')
    if not tables:
        raise ValueError("Give at least one table to put side by side.")
    parts = list(tables.values())
    for name, part in tables.items():
        _check(name, part, parts[0])
    columns, heads = columns_beside(
        (name, part.base_audience, *_asked(part)) for name, part in tables.items()
    )
    base = base_beside((name, part.base_audience) for name, part in tables.items())
    joined = replace(
        parts[0],
        rows=parts[0].rows if parts[0].rows_requested else (base,),
        columns=columns,
        column_heads=heads,
        columns_requested=True,
        base_audience=base,
        provenance=_told(tables),
    )
    start = 0
    for part in parts:
        down, across = np.indices(part.shape)
        copy_cells(part, down.ravel(), across.ravel(), joined, start)
        start += len(part.columns)
    return joined


def columns_beside(
    parts: Iterable[tuple[str, Audience | None, Sequence[Audience], Sequence[Heads]]],
) -> tuple[tuple[Audience, ...], tuple[Heads, ...]]:
    """The columns of parts that stand side by side, and the heads over them.

    parts: of each its name, its base, its columns (none: the base alone) and the heads over those.

    Each column is of the people who are in its part's base as well, and has an id of its own.
    """
    columns: list[Audience] = []
    heads: list[Heads] = []
    for number, (name, base, asked, above) in enumerate(parts, 1):
        whole = Audience(name, base.expression if base else None, f"base-{number}")
        if not asked:
            columns.append(whole)
            heads.append(())
        for place, (column, over) in enumerate(zip(asked, above, strict=True), 1):
            (within,) = combine([whole], [column])
            columns.append(Audience(column.name, within.expression, f"{whole.id}-column-{place}"))
            heads.append((name, *over))
    return tuple(columns), tuple(heads)


def base_beside(bases: Iterable[tuple[str, Audience | None]]) -> Audience:
    """Whoever is in any of the bases, called by the names of all."""
    listed = list(bases)
    parts = [base.expression if base else None for _, base in listed]
    known = list(dict.fromkeys(part for part in parts if part is not None))
    everyone = len(known) == 0 or None in parts
    expression = None if everyone else known[0] if len(known) == 1 else any_of(*known)
    return Audience(", ".join(name for name, _ in listed), expression, "base")


def copy_cells(
    part: CrosstabData, rows: Places, columns: Places, into: CrosstabData, start: int
) -> None:
    """Copy cells of a part, by their places, into the table whose column `start` is its first."""
    into.store(rows, columns + start, part.figures(rows, columns))


def _check(name: object, part: CrosstabData, first: CrosstabData) -> None:
    if not isinstance(name, str) or not name.strip():
        raise TypeError(f"A table is called by a text, not by {name!r}.")
    if not isinstance(cast(object, part), CrosstabData):
        raise TypeError(f"{name!r} is no crosstab but of type {type(part).__name__}.")
    if not part.complete:
        raise ValueError(f"{name!r} has {part.count:,} of {part.expected:,} cells: wait for it.")
    if _rows(part) != _rows(first):
        raise ValueError(f"{name!r} has other rows: tables side by side have the same ones.")


def _asked(part: CrosstabData) -> tuple[Sequence[Audience], Sequence[Heads]]:
    return (part.columns, part.column_heads) if part.columns_requested else ((), ())


def _rows(part: CrosstabData) -> list[object]:
    if not part.rows_requested:
        return []
    rows = [(row.name, row.expression) for row in part.rows]
    return [rows, part.row_heads]


def _told(tables: Mapping[str, CrosstabData]) -> dict[str, Any]:
    """The source of the first part, and what the parts differ in by their names."""
    told = [part.provenance for part in tables.values()]
    joined = dict(told[0])
    for key in _APART:
        values = [each.get(key) for each in told]
        if any(value != values[0] for value in values):
            named = zip(tables, map(_words, values), strict=True)
            joined[key] = "; ".join(f"{name}: {value}" for name, value in named)
    return joined


def _words(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast("Sequence[object]", value)))
    return str(value)
