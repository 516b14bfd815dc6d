"""A grid: one stats query for each point of the scale, put side by side."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from audiencelab.client.calls.catalogue import get_question
from audiencelab.client.calls.queries import stats
from audiencelab.client.flow import Flow
from audiencelab.client.operations.queries import StatsPlan
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.results.grid import grid_of
from audiencelab.tables import GridResult, StatsResult

__all__ = ["grid"]


def grid(session: Session, options: Options, plan: StatsPlan) -> Flow[GridResult]:
    """See `Client.grid`. plan: the query that would merge the points of the scale."""
    query = plan.query
    question = yield from get_question(session, options, query.question, ["datapoints"])
    names = {each.code: each.name for each in question.suffixes}
    scale = query.suffixes or list(names)
    if not scale:
        raise ValueError(
            f"{query.question} has no scale beside its answers, so it is no grid: "
            f"ask client.stats({query.question!r})."
        )
    parts: dict[str, StatsResult] = {}
    for point in dict.fromkeys(scale):
        of_point = msgspec.structs.replace(query, suffixes=[point])
        parts[point] = yield from stats(session, options, replace(plan, query=of_point))
    return grid_of(parts, names)
