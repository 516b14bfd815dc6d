"""The Python that makes a result again, given `client`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial, wraps
from typing import Any, ParamSpec, TypeVar

from audiencelab.expressions.labels import WritesCode
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.made import MadeOf, method_code
from audiencelab.results.statistic_rows import row_order

P = ParamSpec("P")
T = TypeVar("T")


def table_code(result: object) -> str:
    """Python that makes a result again, given `client`; "" where it is not known.

    >>> print(table_code(client.crosstab("Pets", "Gender", waves="latest 1")))
    client.crosstab('Pets', 'Gender', waves=['q4_2025'])
    """
    made = getattr(result, "made", None)
    if made is not None:
        return str(made)
    return _crosstab(result) if isinstance(result, CrosstabData) else ""


def of_call(method: Callable[P, T]) -> Callable[P, T]:
    """Note on what a method of a result returns the call that made it, for its `to_code`."""

    @wraps(method)
    def call(*given: P.args, **named: P.kwargs) -> T:
        made = method(*given, **named)
        note_call(method.__name__, given, named, made)
        return made

    return call


def note_call(method: str, given: Sequence[Any], named: Mapping[str, Any], made: Any) -> None:
    """Note a call of a method on what it returned; given: with the object of the method."""
    source, *others = given
    # Most results are frozen, and a copy of a table would have no cells.
    object.__setattr__(made, "made", step(source, method_code(method, others, named)))


def step(of: object, call: str, before: str = "") -> MadeOf:
    """How a result was made by a call of a method of another; see `MadeOf`."""
    return MadeOf(partial(table_code, of), call, before)


def _crosstab(table: CrosstabData) -> str:
    if not isinstance(table.labels, WritesCode) or table.asked is None:
        return ""
    rows, columns = (
        # Ids are numbered by the query.
        [(groups, replace(each, id=None)) for groups, each in zip(side, audiences, strict=True)]
        for side, audiences in (
            (table.row_groups, table.rows),
            (table.column_groups, table.columns),
        )
    )
    others = table.statistics
    known = [] if others is None else [*zip(others.groups, others.rows, strict=True)]
    alone = of_statistics_alone(table) or not table.rows_requested
    order = row_order([each.id for each in table.rows], others)
    return table.labels.crosstab_code(
        [
            known[at] if is_statistic else rows[at]
            for is_statistic, at in order
            if (known[at][1].code if is_statistic else not alone)
        ],
        columns if table.columns_requested else [],
    )
