"""Crosstabs of the same rows in one table, each part with percentages of its own base."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, any_of, combine
from audiencelab.keywords import keywords
from audiencelab.results.banner import Groups
from audiencelab.results.cells import FIGURES, Floats
from audiencelab.results.crosstab import CrosstabData, cells_of
from audiencelab.results.provenance import waves_fact
from audiencelab.results.statistic_rows import StatisticRows
from audiencelab.results.who import WhoCounts
from audiencelab.schema.query import CrosstabQuery

Crosstab = TypeVar("Crosstab", bound=CrosstabData)

Positions = NDArray[np.intp]

_DIFFERING = ("base_audience", "waves", "locations")
"""What the parts may differ in; the rest of the source is common."""


@keywords()
def side_by_side(tables: Mapping[str, Crosstab]) -> Crosstab:
    """One table of several crosstabs of the same rows, each in a group of its own.

    tables: complete crosstabs by the name above their columns, such as one query in several bases:
        `al.side_by_side({base.name: client.crosstab(rows=…, base_audience=base) for base in …})`.

    All values stay as they are: percentages and indices of each part are of its own base, which
    `base_size` and `base_sample` show cell by cell. A part without columns is its base, under the
    part's name. Rows of statistics, such as means, are kept where all parts have the same. Raises
    `TypeError` for anything but crosstabs by name, and `ValueError` for no tables, incomplete
    tables and different rows.

    >>> women = client.crosstab("Pets", "Age", base_audience=client["Gender"] == "Female")
    >>> al.side_by_side({"All": client.crosstab("Pets", "Age"), "Women": women}).shape
    (8, 14)
    """
    if not isinstance(cast(object, tables), Mapping):
        raise TypeError('Tables have names: side_by_side({"Everyone": all, "Women": women}).')
    if not tables:
        raise ValueError("Give at least one table to put side by side.")
    parts = list(tables.values())
    for name, part in tables.items():
        _check(name, part, parts[0])
        _check_weight(name, part.provenance, parts[0].provenance)
    columns, groups = columns_beside(
        (name, part.base_audience, *_requested(part)) for name, part in tables.items()
    )
    base = base_beside((name, part.base_audience) for name, part in tables.items())
    made = replace(
        parts[0],
        rows=parts[0].rows if parts[0].rows_requested else (base,),
        columns=columns,
        column_groups=groups,
        columns_requested=True,
        base_audience=base,
        provenance=_provenance(tables),
        statistics=statistics_beside([part.statistics for part in parts], columns),
        asked=_common_query(parts),
        who=who_beside([part.who for part in parts]),
        whole=whole_beside(parts, base),
    )
    start = 0
    for part in parts:
        down, across = np.indices(part.shape)
        copy_cells(part, down.ravel(), across.ravel(), made, start)
        start += len(part.columns)
    return made


def _common_query(parts: Sequence[CrosstabData]) -> CrosstabQuery | None:
    """That of the first part, if the others differ from it in rows, columns and base alone."""
    queries = [part.asked for part in parts]
    scopes = [None if each is None else replace(each.scope, base=None) for each in queries]
    return parts[0].asked if all(scope == scopes[0] for scope in scopes) else None


def who_beside(parts: Sequence[WhoCounts]) -> WhoCounts:
    """Who counts in any of several parts, and what is known of the questions of all.

    How many were not asked a question is of the base of one part, so that it is left out.
    """
    valid = next((part for part in parts if part.valid), parts[0])
    return replace(
        valid,
        names={code: name for part in parts for code, name in part.names.items()},
        offered={code: found for part in parts for code, found in part.offered.items()},
        not_asked={},
        breaks={code: found for part in parts for code, found in part.breaks.items()},
        beside=True,
    )


def whole_beside(parts: Sequence[CrosstabData], base: Audience) -> Floats | None:
    """All of the rows of several parts: that of the part with everyone in any of the bases."""
    for part in parts:
        own = None if part.base_audience is None else part.base_audience.expression
        # Only a part whose base is that of the whole table has All of it.
        if own == base.expression and part.who.valid:
            if part.whole is not None or part.columns_requested:
                return part.whole
            return np.stack([part.values(name)[:, 0] for name in FIGURES])
    return None


def statistics_beside(
    parts: Sequence[StatisticRows | None], columns: Sequence[Audience]
) -> StatisticRows | None:
    """The rows of statistics of several parts, by the columns of all; None if a part has none.

    A part without columns is its base. What everyone in any of the bases has is not known, nor
    how values of two parts vary together.
    """
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or any(part.rows != known[0].rows for part in known):
        return None
    kept = [part.of_all_columns(bool(part.columns)) for part in known]

    def beside(planes: Sequence[Floats]) -> Floats:
        unknown = np.full((*planes[0].shape[:2], 1), np.nan)
        return np.concatenate([unknown, *planes], axis=2)

    figures = beside([each.figures for each in kept])
    covariance, freedom = np.full((2, *figures.shape[1:], figures.shape[2]), np.nan)
    start = 1
    for each in kept:
        block = slice(start, start + each.figures.shape[2])
        covariance[:, block, block], freedom[:, block, block] = each.covariance, each.freedom
        start = block.stop
    rests = [each.rest for each in kept if each.rest is not None]
    return replace(
        known[0],
        columns=tuple(each.id or "" for each in columns),
        figures=figures,
        covariance=covariance,
        freedom=freedom,
        ends=beside([each.ends for each in kept]),
        rest=np.concatenate(rests, axis=2) if len(rests) == len(kept) else None,
        waves=None,
    )


def columns_beside(
    parts: Iterable[tuple[str, Audience | None, Sequence[Audience], Sequence[Groups]]],
) -> tuple[tuple[Audience, ...], tuple[Groups, ...]]:
    """The columns of several parts, and their groups.

    parts: of each its name, its base, its columns (none: the base alone) and the groups of those.

    Each column is within its part's base, and has an id of its own.
    """
    columns: list[Audience] = []
    groups: list[Groups] = []
    for number, (name, base, requested, above) in enumerate(parts, 1):
        whole = Audience(name, base.expression if base is not None else None, f"base-{number}")
        if not requested:
            columns.append(whole)
            groups.append(())
        for position, (column, over) in enumerate(zip(requested, above, strict=True), 1):
            # Alone, the column would name people outside of its part's base.
            (within,) = combine([whole], [column])
            # Parts may have the same columns, and ids of one table must differ.
            identity = f"{whole.id}-column-{position}"
            columns.append(Audience(column.name, within.expression, identity))
            groups.append((name, *over))
    return tuple(columns), tuple(groups)


def base_beside(bases: Iterable[tuple[str, Audience | None]]) -> Audience:
    """Everyone in any of the bases, with the names of all."""
    listed = list(bases)
    parts = [base.expression if base is not None else None for _, base in listed]
    known = list(dict.fromkeys(part for part in parts if part is not None))
    everyone = len(known) == 0 or None in parts
    expression = None if everyone else known[0] if len(known) == 1 else any_of(*known)
    return Audience(", ".join(name for name, _ in listed), expression, "base")


def copy_cells(
    part: CrosstabData, rows: Positions, columns: Positions, into: CrosstabData, start: int
) -> None:
    """Copy cells of a part into the table in which its first column is number `start`."""
    cells_of(into).store(rows, columns + start, cells_of(part).figures(rows, columns))


def _check(name: object, part: CrosstabData, first: CrosstabData) -> None:
    if not isinstance(name, str) or not name.strip():
        raise TypeError(f"The name of a table must be str; got {name!r}.")
    if not isinstance(cast(object, part), CrosstabData):
        raise TypeError(f"{name!r} must be a crosstab; got {type(part).__name__}.")
    if not part.complete:
        raise ValueError(f"{name!r} has {part.count:,} of {part.expected:,} cells: wait for it.")
    if _rows(part) != _rows(first):
        raise ValueError(f"{name!r} has other rows: tables side by side have the same ones.")


def _check_weight(name: str, source: Mapping[str, Any], first: Mapping[str, Any]) -> None:
    weights = source.get("weight"), first.get("weight")
    # Two surveys may each have a weight of their own.
    if weights[0] != weights[1] and source.get("survey") == first.get("survey"):
        raise ValueError(
            f"{name!r} rests on another weight ({weights[0]}) than the first table ({weights[1]}), "
            "so they are not compared. Ask for both with one weight."
        )


def _requested(part: CrosstabData) -> tuple[Sequence[Audience], Sequence[Groups]]:
    return (part.columns, part.column_groups) if part.columns_requested else ((), ())


def _rows(part: CrosstabData) -> list[object]:
    if not part.rows_requested:
        return []
    return [[(row.name, row.expression) for row in part.rows], part.row_groups]


def _provenance(tables: Mapping[str, CrosstabData]) -> dict[str, Any]:
    sources = [part.provenance for part in tables.values()]
    made = dict(sources[0])
    for key in _DIFFERING:
        if any(source.get(key) != sources[0].get(key) for source in sources):
            named = zip(tables, sources, strict=True)
            made[key] = "; ".join(f"{name}: {_words(key, source)}" for name, source in named)
    return made


def _words(key: str, source: Mapping[str, Any]) -> str:
    if key == "waves":
        return waves_fact(source).partition(": ")[2]
    value: object = source.get(key)
    if isinstance(value, list | tuple):
        return ", ".join(map(str, cast("Sequence[object]", value)))
    return str(value)
