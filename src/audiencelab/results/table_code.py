"""The Python that asks for a table, as the notes of its slides have it."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from audiencelab.expressions import Audience
from audiencelab.expressions.labels import WritesCode
from audiencelab.results.crosstab import CrosstabData, of_statistics_alone
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
    others = () if table.statistics is None else table.statistics.rows
    alone = of_statistics_alone(table) or not table.rows_requested
    return table.labels.crosstab_code(
        [] if alone else rows,
        columns if table.columns_requested else [],
        [f"client{each.code}" for each in others if each.code],
        table.asked.scope.arguments(),
    )
