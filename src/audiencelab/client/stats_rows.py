"""The rows of a statistics response: each once, by its position, and which of them did not come."""

from __future__ import annotations

from itertools import product
from math import isnan

import msgspec
from msgspec.structs import astuple

from audiencelab.schema import StatsRow
from audiencelab.schema.query import StatsQuery

Position = tuple[str, str | None, str | None]
"""A datapoint, a segment and the id of an audience."""


def rows_by_position(rows: list[StatsRow], query: StatsQuery) -> dict[Position, StatsRow]:
    """Each row once, by its position, with the ids of the audiences that were sent.

    Raises `ValidationError` where several rows of one position differ.
    """
    audiences = query.audiences
    came = {row.audience for row in rows}
    names = {each.id: each.name or each.id for each in audiences}
    if len(names) == 1 and len(came) == 1 and came != set(names):
        # It cannot be any other.
        rows = [row.__replace__(audience=audiences[0].id) for row in rows]
    if len(names) > 1 and came == {None}:
        raise msgspec.ValidationError(
            f"its rows do not say which of the {len(names)} audiences they are about"
        )
    found: dict[Position, StatsRow] = {}
    for row in rows:
        position = (
            row.datapoint,
            row.segment if query.splitter else None,
            row.audience if audiences else None,
        )
        first = found.setdefault(position, row)
        if difference := _difference(first, row):
            audience = names.get(row.audience, row.audience) if audiences else None
            what = ", ".join(filter(None, (*position[:2], audience)))
            raise msgspec.ValidationError(f"two rows are about {what!r} and differ{difference}")
    return found


def _difference(first: StatsRow, second: StatsRow) -> str:
    """How two rows of one position differ; unknown metrics equal each other."""
    if first is second:
        return ""
    if first.suffixes != second.suffixes:
        return " in their suffixes; ask for one suffix at a time, as client.grid() does"
    if first.waves != second.waves:
        return " in their waves; ask with splitter='waves'"
    if first.segment != second.segment:
        return " in their segments, although no splitter was given"
    same = first.audience == second.audience and all(
        one == two or (isnan(one) and isnan(two))
        for one, two in zip(astuple(first.metrics), astuple(second.metrics), strict=True)
    )
    return "" if same else " in their metrics"


def missing_rows(came: dict[Position, StatsRow], query: StatsQuery) -> list[str]:
    """Descriptions of the rows that should have come and did not."""
    audiences = query.audiences
    datapoints = dict.fromkeys([*(query.datapoints or ()), *(position[0] for position in came)])
    if not datapoints:
        return []  # a question without datapoints has no rows
    segments = dict.fromkeys([*(query.segments or ()), *(position[1] for position in came)])
    if not query.splitter or not segments:
        segments = {None: None}
    names = {each.id: each.name or each.id for each in audiences} or {None: None}
    return [
        ", ".join(filter(None, (datapoint, segment, name)))
        for datapoint, segment, (audience, name) in product(datapoints, segments, names.items())
        if (datapoint, segment, audience) not in came
    ]
