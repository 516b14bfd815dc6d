"""Groups of a question's answers by how many people gave them: one stats query, and then sums."""

from __future__ import annotations

from audiencelab.analysis.quantiles import QuantileGroups
from audiencelab.analysis.quantiles import quantile_groups as make_groups
from audiencelab.client.calls.queries import stats
from audiencelab.client.flow import Flow
from audiencelab.client.operations.queries import StatsPlan
from audiencelab.client.options import Options
from audiencelab.client.session import Session

__all__ = ["quantile_groups"]


def quantile_groups(
    session: Session, options: Options, plan: StatsPlan, count: int, *, disjoint: bool
) -> Flow[QuantileGroups]:
    """See `Client.quantile_groups`."""
    result = yield from stats(session, options, plan)
    question = session.book.question(plan.query.question)
    points = (question.datapoints if question else None) or ()
    midpoints = {each.code: each.midpoint.value for each in points if each.midpoint is not None}
    return make_groups(result, midpoints, count, disjoint=disjoint)
