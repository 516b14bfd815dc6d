"""The profile call: the catalogue for its answers, then one crosstab, part by part."""

from __future__ import annotations

import numpy as np

from audiencelab.client import flow
from audiencelab.client.calls.asking import advise, load_catalogue, require_respondents
from audiencelab.client.calls.names import learn
from audiencelab.client.calls.queries import crosstab_table
from audiencelab.client.errors import RequestRefused
from audiencelab.client.flow import Emit, Flow
from audiencelab.client.operations.profiles import ProfilePlan, parts
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.client.stream.cells import CrosstabUpdate
from audiencelab.results.profile import ProfileResult
from audiencelab.tables import CrosstabResult

__all__ = ["empty_profile", "profile"]


def empty_profile(plan: ProfilePlan) -> ProfileResult:
    """A profile of which nothing is known yet but whose it is, to be filled by `profile`."""
    return ProfileResult((), CrosstabResult((), (plan.audience,), plan.base_audience))


def profile(
    session: Session, options: Options, plan: ProfilePlan, result: ProfileResult
) -> Flow[ProfileResult]:
    """See `Client.profile`; emits a `CrosstabUpdate` once the answers are known, and as they come.

    A deadline is for each of its requests.
    """
    require_respondents(session, (plan.audience, plan.base_audience))
    catalogue = (yield from load_catalogue(session, options)) if plan.needs_catalogue else None
    points = plan.points(catalogue, session.book.canonical)
    yield from learn(session, options, plan.questions_to_name())
    asked = plan.named(session.book).crosstab(points)
    table = crosstab_table(session, asked)
    table.provenance["operation"] = "profile"
    result.begin(points, table)
    none = np.empty(0, dtype=np.intp)
    yield Emit(CrosstabUpdate(table, none, none, 0, table.expected))
    for part in parts(table.rows):
        try:
            yield from flow.crosstab(asked.request_for, table, options, part=part)
        except RequestRefused as error:
            request = asked.request_for(range(len(table.rows))[part], [0])
            yield from advise(session, options, error, request)
            raise
    return result
