"""Statistics queries of grids, and of items as questions: a query for each point of the scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import msgspec
from msgspec import UNSET

from audiencelab.client.catalogue import CatalogueQuestion
from audiencelab.client.errors import RequestRefused
from audiencelab.client.names import QuestionLike
from audiencelab.client.operations.call_code import stats_code
from audiencelab.client.operations.catalogue import scale_points
from audiencelab.client.operations.names import stats_request
from audiencelab.client.operations.queries import GridArguments, StatsArguments, fetch_stats
from audiencelab.client.sending import Sender
from audiencelab.results.grid import GridData, by_item, grid_table
from audiencelab.schema.query import StatsQuery
from audiencelab.schema.scales import midpoints_of
from audiencelab.tables import GridResult, StatsResult


def fetch_question(sender: Sender, question: QuestionLike, given: StatsArguments) -> StatsResult:
    """The answers of a question, of a grid the points of each item; see `Client.stats`."""
    sender = sender.with_weight(given.get("weight", UNSET))
    if (known := _at_hand(sender, question)) is not None:
        return _fetch_known(sender, known, given)
    # A code is sent as it is: the catalogue comes with the names of a result or with advice.
    try:
        result = fetch_stats(sender, stats_request(sender, question, given))
    except RequestRefused:
        known = _at_hand(sender, question)
        if known is None or known.item_of is None:
            raise
        return _fetch_known(sender, known, given)
    # The names of the result came with the catalogue, which may show that it is a grid.
    known = _at_hand(sender, question)
    is_grid = known is not None and known.suffixes and given.get("suffixes") is None
    return _fetch_known(sender, known, given) if known and is_grid else result


def _at_hand(sender: Sender, question: QuestionLike) -> CatalogueQuestion | None:
    """The question of the catalogue; None where that is not loaded, and for an unknown one."""
    if isinstance(question, CatalogueQuestion):
        return question
    catalogue = sender.context.catalogue
    return catalogue[question] if catalogue is not None and question in catalogue else None


def _fetch_known(sender: Sender, question: CatalogueQuestion, given: StatsArguments) -> StatsResult:
    if (parent := question.item_of) is not None:
        return _fetch_item(sender, question, parent, given)
    query = stats_request(sender, question, given)
    if not question.suffixes or query.suffixes is not None:
        return fetch_stats(sender, query)
    if query.splitter is not None:
        raise _needs_a_point(query)
    return _turned(
        GridData(_each_point(sender, query, _points(question))),
        question,
        stats_code(sender, "stats", query),
    )


def _fetch_item(
    sender: Sender, item: CatalogueQuestion, parent: CatalogueQuestion, given: StatsArguments
) -> StatsResult:
    for name in ("datapoints", "suffixes"):
        if given.get(name) is not None and (name == "suffixes" or not parent.suffixes):
            raise ValueError(
                f"{name} is not valid: {item.code!r} is an item of {parent.code!r} "
                f"({parent.name}). Leave {name} out, or ask for {parent.code!r}."
            )
    own: Any = {**given, "datapoints": [item.record.code]}
    if parent.suffixes:
        own["suffixes"] = given.get("datapoints")
    query = stats_request(sender, parent, own)
    if not parent.suffixes:
        return fetch_stats(sender, query)
    if query.splitter is None:
        code = stats_code(sender, "stats", query)
        return _turned(GridData(_each_point(sender, query, _points(parent))), parent, code)
    return _of_item(sender, query, item)


def fetch_grid(sender: Sender, question: QuestionLike, given: GridArguments) -> GridResult:
    """See `Client.grid`."""
    known = _at_hand(sender, question)
    if known is not None and known.item_of is not None and known.item_of.suffixes:
        given = {**given, "datapoints": [known.record.code]}
        question = known.item_of
    query = stats_request(sender, question, given)
    names = {each.code: each.name for each in scale_points(sender, query.question)}
    if not (query.suffixes or names):
        raise ValueError(
            f"{query.question} has no scale, so it is not a grid. "
            f"Write client.stats({query.question!r})."
        )
    return GridResult(_each_point(sender, query, names), stats_code(sender, "grid", query))


def _points(question: CatalogueQuestion) -> dict[str, str]:
    return {each.code: each.name for each in question.suffixes}


def _needs_a_point(query: StatsQuery) -> ValueError:
    code = query.question
    return ValueError(
        f"splitter={query.splitter!r} is not valid for {code!r}: it is a grid, whose items have a "
        f"scale. client.crosstab({code!r}, {query.splitter!r}) has every item and point; one item "
        "is a question by its own code; suffixes=[…] counts those who gave any of these points."
    )


def _parts(sender: Sender, query: StatsQuery, points: Mapping[str, str]) -> dict[str, StatsResult]:
    """The query for each point of the scale, so that every figure is the service's own."""
    parts: dict[str, StatsResult] = {}
    for point in dict.fromkeys(query.suffixes or points):
        part = replace(query, suffixes=(point,))
        parts[point] = fetch_stats(sender, part, asks_who=not parts)
    return parts


def _each_point(sender: Sender, query: StatsQuery, points: Mapping[str, str]) -> StatsResult:
    return grid_table(_parts(sender, query, points), points)


def _turned(grid: GridData, question: CatalogueQuestion, code: str) -> StatsResult:
    """A grid as statistics of its points, with a segment for each item."""
    table = cast(StatsResult, by_item(grid))
    place = {item: at for at, item in enumerate(grid.items)}
    rows = sorted(table.rows, key=lambda row: place[row.segment or ""])
    told = {**table.provenance, "operation": "stats"}
    labels = replace(table.labels, midpoints=midpoints_of(question.suffixes))
    return replace(
        table, rows=tuple(rows), kind="single", provenance=told, labels=labels, made=code
    )


def _of_item(sender: Sender, query: StatsQuery, item: CatalogueQuestion) -> StatsResult:
    """One item as a question of its own: the points are its answers, whatever splits them."""
    names = {each.code: each.name for each in item.datapoints}
    parts = _parts(sender, query, names)
    first = next(iter(parts.values()))
    rows = [
        msgspec.structs.replace(row, datapoint=point)
        for point, part in parts.items()
        for row in part.rows
    ]
    labels = replace(
        first.labels,
        question=item.name,
        datapoints=names,
        midpoints=midpoints_of(item.datapoints),
    )
    # No query of the service has the points as its answers.
    own = replace(query, datapoints=query.suffixes, suffixes=None)
    code = stats_code(sender, "stats", own, item)
    return replace(first, rows=tuple(rows), labels=labels, kind="single", asked=None, made=code)
