"""Which waves asked the questions behind an audience, read off a stats query for each of them.

The catalogue does not tell when a question was asked; a row split by waves does, on every service.
"""

from __future__ import annotations

from math import isnan

from audiencelab.client.calls.asking import require_respondents
from audiencelab.client.calls.names import learn
from audiencelab.client.calls.queries import stats, waves
from audiencelab.client.flow import Flow
from audiencelab.client.operations.audiences import AudienceLike, named, to_audience
from audiencelab.client.operations.queries import stats as plan_stats
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.expressions.codes import WAVES
from audiencelab.results.coverage import questions_of
from audiencelab.schema import StatsRow
from audiencelab.tables import Coverage, StatsResult

__all__ = ["coverage"]


def coverage(session: Session, options: Options, given: AudienceLike) -> Flow[Coverage]:
    """See `Client.coverage`."""
    audience = to_audience("audience", given)
    require_respondents(session, (audience,))
    codes = questions_of(audience)
    yield from learn(session, options, codes)
    listed = yield from waves(session, options)
    asked: dict[str, frozenset[str]] = {}
    for code in codes:
        result = yield from stats(session, options, plan_stats(code, splitter=WAVES))
        asked[code] = _asked_in(result)
    names = {code: session.book.question_name(code) or code for code in codes}
    names |= {wave.code: wave.name for wave in listed}
    [audience] = named([audience], session.book)
    return Coverage(audience, tuple(wave.code for wave in listed), asked, names)


def _asked_in(result: StatsResult) -> frozenset[str]:
    """A wave that did not ask has no respondents; nor has it a wave to rest on."""
    return frozenset(row.segment for row in result.rows if row.segment and _has_asked(row))


def _has_asked(row: StatsRow) -> bool:
    sample = row.metrics.audience_sample
    return row.segment in row.waves if isnan(sample) else sample > 0
