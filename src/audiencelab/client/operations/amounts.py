"""Rows of a crosstab that are statistics of amounts: a request of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from audiencelab.client.audiences import StatisticPlace
from audiencelab.client.catalogue.proposed_amounts import proposed_amounts, with_amounts
from audiencelab.client.decoding import reader
from audiencelab.client.errors import InvalidRequest
from audiencelab.client.exchange import Call
from audiencelab.client.sending import Sender, ask, is_ours
from audiencelab.results.crosstab import CrosstabData
from audiencelab.results.statistic_rows import Statistic, StatisticRows
from audiencelab.schema.endpoints import QUERY_AMOUNTS
from audiencelab.schema.queries import AmountsAnswer, StatisticRef
from audiencelab.schema.scope import Scope, audience_to_wire

_read = reader(AmountsAnswer)

_SHOWN = 12
"""Most answers that an error gives numbers to."""


def require_amounts(sender: Sender, name: str) -> None:
    """Raise `LookupError` for a service that does not have the local operations."""
    if not is_ours(sender):
        raise LookupError(
            f"{name!r} is computed from respondents, and those of {sender.context} are not in this "
            "process, nor is it a service of audiencelab. Open the survey itself, al.open(folder); "
            "or take client.stats(question).averages(), which needs no respondents."
        )


def fetch_statistics(
    sender: Sender,
    places: Sequence[StatisticPlace],
    table: CrosstabData,
    scope: Scope,
) -> StatisticRows:
    """The rows of a table; raises as every request."""
    rows = tuple(each.statistic for each in places)
    scope = replace(scope, base=table.base_audience)
    body = {
        "rows": [statistic_ref(each) for each in rows],
        "columns": [audience_to_wire(each) for each in table.columns],
        **scope.to_wire(),
    }
    request = QUERY_AMOUNTS.request(headers=scope.headers(), body=msgspec.json.encode(body))
    try:
        found = ask(sender, Call(request, _read)).rows
    except InvalidRequest as error:
        raise _without_amounts(sender, rows, error) or error from None
    return StatisticRows.of(
        [each.id or "" for each in table.columns],
        rows,
        [table.rows[each.before - 1].id if each.before else None for each in places],
        [each.groups for each in places],
        found,
    )


def _without_amounts(
    sender: Sender, rows: Sequence[Statistic], error: InvalidRequest
) -> ValueError | None:
    """The error for the first row whose answers have no numbers; None for another."""
    refused = {fault.pointer for fault in error.faults}
    row = next((row for at, row in enumerate(rows) if f"/rows/{at}/amounts" in refused), None)
    if row is not None and row.other is not None:
        # The answer does not say whose amounts are missing; a category has no scores.
        both = (row, row.other)
        without = next((each.question for each in both if not each.amounts), row.question)
        other = next((each.question for each in both if each.question != without), without)
        return ValueError(
            f"{row.short_name} is not valid: the answers of {without!r} have no numbers. Compare "
            f"the means of its groups. Write client.mean({other!r}, by={without!r})."
        )
    if row is None or row.amounts or row.item:
        return None
    said = f"{row.short_name} is not valid: the answers of {row.question!r} have no numbers."
    question = sender.context.names.of_code(row.question)
    amounts = {} if question is None else proposed_amounts(question)
    if amounts and len(amounts) <= _SHOWN:
        return ValueError(
            f"{said} Give each one its own, client{with_amounts(row.code, amounts)}, or show how "
            f"many gave each. Write client.proportion({row.question!r})."
        )
    return ValueError(f"{said} Show how many gave each. Write client.proportion({row.question!r}).")


def statistic_ref(row: Statistic) -> StatisticRef:
    """A row of statistics as it is sent."""
    own = (row.question, row.item, dict(row.amounts), row.exact)
    if row.other is not None:
        of = row.other
        other = StatisticRef(row.kind, of.question, of.item, dict(of.amounts), of.exact)
        return StatisticRef(row.kind, *own, other=other)
    if row.audience is not None:
        return StatisticRef(row.kind, expression=row.audience.to_wire("query"))
    return StatisticRef(row.kind, *own, row.percentile)
