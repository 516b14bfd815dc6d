"""The Python that asks for a table, as the notes of its slides have it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from audiencelab.expressions import Audience
from audiencelab.expressions.labels import WritesCode
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
from audiencelab.results.statistic_rows import row_order
from audiencelab.results.stats import StatsData


def table_code(result: object) -> str:
    """Python that asks for a result again, given `client`; "" where it is not known.

    >>> print(table_code(client.crosstab("Pets", "Gender", waves="latest 1")))
    client.crosstab(
        rows=['Pets'],
        columns=['Gender'],
        waves=['q4_2025'],
    )
    """
    if isinstance(result, CrosstabData):
        return _crosstab(result)
    if isinstance(result, StatsData) and result.asked is not None and not result.audiences:
        given = [repr(result.question)]
        query = result.asked
        chosen = {"datapoints": query.datapoints, "suffixes": query.suffixes}
        given += [f"{name}={[*each]!r}" for name, each in chosen.items() if each is not None]
        given += [f"splitter={query.splitter!r}"] if query.splitter else []
        given += [f"{name}={_code(value)}" for name, value in query.scope.arguments().items()]
        return f"client.stats({', '.join(given)})"
    return ""


def _code(value: object) -> str:
    if isinstance(value, Audience):
        return value.to_code()
    return repr([*cast("tuple[object, ...]", value)] if isinstance(value, tuple) else value)


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
        table.asked.scope.arguments(),
    )
