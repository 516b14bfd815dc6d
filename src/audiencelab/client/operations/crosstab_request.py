"""A crosstab query before it is sent, and the request for any part of its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from audiencelab.client.audiences import StatisticPlace
from audiencelab.expressions import Audience
from audiencelab.schema.blocks import CELLS
from audiencelab.schema.endpoints import QUERY_CROSSTAB
from audiencelab.schema.http import Request
from audiencelab.schema.query import CrosstabQuery
from audiencelab.schema.scope import DEFAULT_SCOPE, Scope
from audiencelab.tables import CrosstabResult

_JSON_STREAMS = "application/x-ndjson, application/json-seq, application/json"

_MANY_CELLS = 256
"""Cells from which on columnar blocks are faster than JSON."""


@dataclass(frozen=True, slots=True)
class CrosstabRequest:
    """A checked crosstab query; rows that were not given are the base audience, columns alike.

    row_groups, column_groups: the banner groups of each audience, which the request does not have.
    statistics: rows of amounts, which are a request of their own.
    """

    rows: tuple[Audience, ...]
    columns: tuple[Audience, ...]
    scope: Scope = DEFAULT_SCOPE
    rows_requested: bool = True
    columns_requested: bool = True
    row_groups: tuple[tuple[str, ...], ...] = ()
    column_groups: tuple[tuple[str, ...], ...] = ()
    statistics: tuple[StatisticPlace, ...] = ()

    def part(self, table: CrosstabResult, rows: Sequence[int], columns: Sequence[int]) -> Request:
        """POST /v2/query/crosstab for a part of the table, which has the names of audiences."""
        query = CrosstabQuery(
            tuple([table.rows[each] for each in rows]) if self.rows_requested else (),
            tuple([table.columns[each] for each in columns]) if self.columns_requested else (),
            replace(self.scope, base=table.base_audience),
        )
        many = len(rows) * len(columns) >= _MANY_CELLS
        accepted = {"accept": f"{CELLS}, {_JSON_STREAMS}" if many else _JSON_STREAMS}
        body = msgspec.json.encode(query.to_wire())
        return QUERY_CROSSTAB.request(headers=accepted | query.scope.headers(), body=body)


def alone(scope: Scope) -> tuple[Audience, ...]:
    """The side of a table that was not requested: the base audience."""
    return (Audience(name="All", id="base") if scope.base is None else scope.base,)
