"""What all comparisons are made of: which pairs are tested, and the result with its method note."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from audiencelab.analysis.comparison import ComparisonData
from audiencelab.analysis.method_note import describe_tests
from audiencelab.analysis.options import Options, TestOptions
from audiencelab.analysis.prepare import Prepared, full_rows
from audiencelab.analysis.proportions import Axis
from audiencelab.analysis.run_tests import Outcome

Flags = NDArray[np.bool_]
Positions = NDArray[np.intp]

MOST_TESTS = 2_000_000
"""More tests than this cannot be read as letters, and their values would fill the memory."""


class Remainder(NamedTuple):
    """Cells that are not tested, bool[rows, columns], and how the method note puts it."""

    cells: Flags
    words: str


class Scope(NamedTuple):
    """Rows and columns that are not tested (totals, nets), and rows outside of the family."""

    rows: Flags
    columns: Flags
    outside: Flags


def of_any_test(options: TestOptions) -> Options:
    """The options without those of pairs."""
    kept: Any = {
        name: value for name, value in options.items() if name not in ("overlap", "within_groups")
    }
    return kept


def check_number(lines: int, pairs: int, line: str = "row", pair: str = "column") -> None:
    """Raise `ValueError` for more tests than can be read."""
    if lines * pairs > MOST_TESTS:
        raise ValueError(
            f"{lines:,} {line}s × {pairs:,} pairs of {pair}s are more than "
            f"{MOST_TESTS:,} tests. Take fewer {pair}s, or vs='rest'."
        )


def scope_of(ready: Prepared) -> Scope:
    """Totals and nets are not tested; rows of everything and nets are outside of the family."""
    table, settings = ready.table, ready.settings
    total = table.rows.totals
    return Scope(
        total,
        settings.is_net(table.columns) | table.columns.totals,
        (settings.is_net(table.rows) | full_rows(table)) & ~total,
    )


def comparison_of(
    ready: Prepared,
    outcome: Outcome,
    scope: Scope,
    columns: tuple[Positions, Positions],
    others: Axis,
    *,
    vs: str,
    subject: str,
    dependence: str,
    within_groups: bool = False,
    linearised: bool = False,
) -> ComparisonData:
    """The tests with their method note; the arguments are those of `describe_tests`."""
    table = ready.table
    note = describe_tests(
        ready.settings,
        table,
        ready.effects,
        subject=subject,
        left_out=names_of(table.rows, scope.rows) + names_of(table.columns, scope.columns),
        outside=names_of(table.rows, scope.outside),
        dependence=dependence,
        within_groups=within_groups,
        design=ready.design,
        freedom=outcome.freedom,
        linearised=linearised,
        line="column" if vs == "rows" else "row",
    )
    return ComparisonData(table, outcome, ready.settings, *columns, others, note, vs)


def names_of(axis: Axis, chosen: Flags) -> list[str]:
    """The names of some rows or columns."""
    return [axis.names[position] for position in np.flatnonzero(chosen)]


def pairs_of(
    compared: Positions, groups: Positions, pair: str = "column"
) -> tuple[Positions, Positions]:
    """Every two of the same group; raises `ValueError` where there are none."""
    first, second = (compared[positions] for positions in np.triu_indices(len(compared), k=1))
    together = groups[first] == groups[second]
    if not together.any():
        raise ValueError(
            f"No two {pair}s are in the same group. To compare {pair}s of different groups, "
            "say within_groups=False."
        )
    return first[together], second[together]
