"""Columns on some waves, such as "Q1 2025", set against all waves that were requested.

A service counts base and row of a cell in the waves of its column, so every wave would be compared
with itself. The same people within all waves are an audience too, empty in the other waves. A
second table has columns of these; base, row, index and shares of a cell are that table's, its
sizes and its column its own. Rows that are waves are treated alike where no column is on waves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from audiencelab.expressions import Audience, Condition, Expression, Leaf, any_of, walk
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import Combinator
from audiencelab.results.cells import FIGURES, PLACE, WITHIN_BASE
from audiencelab.results.crosstab import CrosstabData, cells_of

Table = TypeVar("Table", bound=CrosstabData)

Flags = NDArray[np.bool_]

_ROUNDING = 1e-6
"""Parts of a size that are the rounding of sums and of shares."""

_OF_COLUMN = ("size", "column_size", "column_sample", "column_percentage")
_OF_ROW = ("size", "row_size", "row_sample", "row_percentage")
"""What a cell keeps whose column, or whose row, is on some waves."""


def within_all_waves(
    expression: Expression | None, requested: Sequence[str] = ()
) -> Expression | None:
    """The same people, who are counted in all waves that the conditions on answers cover.

    requested: the waves of the query, if they are known; a condition that lists all of them stays.
    """
    if isinstance(expression, Leaf) and expression.question == WAVES:
        if requested and not expression.negated and {*requested} <= {*expression.datapoints}:
            return expression
        # "Or" covers the waves of both; the second, which is always empty, covers all.
        return any_of(expression, ~any_of(expression, ~expression))
    if isinstance(expression, Combinator) and not expression.negated:
        children = [within_all_waves(child, requested) for child in expression.children]
        return replace(expression, children=tuple(children))
    return expression


def waves_of(audience: Audience) -> frozenset[Expression]:
    """The conditions on waves that an audience has."""
    nodes = () if audience.expression is None else walk(audience.expression)
    return frozenset(node for _, node in nodes if isinstance(node, Leaf) and node.question == WAVES)


def is_period(audience: Audience) -> bool:
    """Whether an audience is some waves and nothing else."""
    nodes = () if audience.expression is None else walk(audience.expression)
    leaves = [node for _, node in nodes if isinstance(node, Condition)]
    return bool(leaves) and all(leaf.question == WAVES for leaf in leaves)


def on_some_waves(table: CrosstabData) -> tuple[Flags, Flags]:
    """Which rows and which columns are set against all waves."""
    columns = [_within(each, table) is not each for each in table.columns]
    turned = not any(columns)
    # A row is, unlike a column, only if it is waves and nothing else.
    rows = [turned and is_period(each) and _within(each, table) is not each for each in table.rows]
    return np.array(rows, dtype=bool), np.array(columns, dtype=bool)


def wide_table(table: Table) -> Table | None:
    """The second table, empty; None where no row and no column is on some waves."""
    rows, columns = on_some_waves(table)
    if not (rows.any() or columns.any()):
        return None
    return replace(
        table,
        rows=_wide(table, table.rows, rows),
        columns=_wide(table, table.columns, columns),
        row_groups=(),
        column_groups=(),
        statistics=None,
    )


def compare_with(table: CrosstabData, wide: CrosstabData) -> None:
    """Take what cells of a table are compared with from its second table, as they arrive."""
    rows, columns = on_some_waves(table)
    found = np.full((len(FIGURES), *table.shape), np.nan)
    # A side without anything on some waves is in the second table as a whole.
    block = np.ix_(*(each if each.any() else ~each for each in (rows, columns)))
    own = _OF_ROW if rows.any() else _OF_COLUMN
    for name in FIGURES:
        if name not in own:
            found[PLACE[name]][block] = wide.values(name)
    cells_of(table).wide = found


def in_one_scale(table: Table) -> Table:
    """The table with the people of each period as a part of those of all waves.

    Sizes are averages over waves, so that people of one wave are as many as those of all: they are
    no part of them that could be added or subtracted.
    """
    rows, columns = on_some_waves(table)
    if not (rows.any() or columns.any()):
        return table
    down, across = np.nonzero(table.arrived)
    figures = cells_of(table).figures(down, across)
    changed = np.zeros(table.shape, dtype=bool)
    for name, chosen in (
        ("size", rows[down] | columns[across]),
        ("row_size", rows[down]),
        ("column_size", columns[across]),
    ):
        own, share = figures[:, PLACE[name]], figures[:, PLACE[WITHIN_BASE[name]]]
        # The people of a period as a part of those of all waves.
        part = figures[:, PLACE["base_size"]] * (share / 100)
        chosen &= np.abs(part - own) > _ROUNDING * own
        own[chosen] = part[chosen]
        changed[down[chosen], across[chosen]] = True
    if not changed.any():
        return table  # each wave is its own base, as in tables side by side of such bases
    made = replace(
        table,
        rows=tuple(
            _within(each, table) if is_chosen else each
            for each, is_chosen in zip(table.rows, rows, strict=True)
        ),
        columns=tuple(_within(each, table) for each in table.columns),
    )
    cells_of(made).store(down, across, figures)
    return made


def parts_of_waves(table: CrosstabData, scaled: CrosstabData) -> dict[str, NDArray[np.float64]]:
    """The part of its base's waves that each cell's row and column rest on; {} if all on all.

    scaled: the table `in_one_scale`, which has the people of a row or column times this part.
    """
    found: dict[str, NDArray[np.float64]] = {}
    for side in ("row", "column") if scaled is not table else ():
        part, own = scaled.values(f"{side}_size"), table.values(f"{side}_size")
        found[f"{side}_part"] = np.divide(part, own, out=np.ones_like(own), where=own > 0)
    return found


def _wide(
    table: CrosstabData, audiences: Sequence[Audience], chosen: Flags
) -> tuple[Audience, ...]:
    """Those that are on some waves, within all; where none is, all as they are."""
    if not chosen.any():
        return tuple(audiences)
    return tuple(_within(audiences[at], table) for at in np.flatnonzero(chosen).tolist())


def _within(audience: Audience, table: CrosstabData) -> Audience:
    """The audience within all waves of the table; the very same if that is what it is."""
    requested = () if table.asked is None else table.asked.scope.waves or ()
    expression = audience.expression
    found = within_all_waves(expression, requested)
    # Most are the very same, which takes less time to see than that they are equal.
    is_same = found is expression or found == expression
    return audience if is_same else replace(audience, expression=found)
