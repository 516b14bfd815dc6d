"""The overlap call: which waves count for all of the audiences, then one crosstab in these."""

from __future__ import annotations

from collections.abc import Sequence

from audiencelab.client.calls.asking import require_respondents
from audiencelab.client.calls.names import learn
from audiencelab.client.calls.queries import (
    crosstab,
    crosstab_table,
    location_question,
    stats,
    waves,
)
from audiencelab.client.errors import RequestRefused, UnknownCodeError
from audiencelab.client.flow import Flow
from audiencelab.client.operations.overlaps import OverlapPlan, combined
from audiencelab.client.options import Options
from audiencelab.client.session import Session
from audiencelab.results.overlaps import OverlapResult
from audiencelab.schema.queries import DEFAULT_WAVES

__all__ = ["overlap"]

_OURS = ("/audiences", "/base_audience", "/locations", "/waves")
"""What of a refused request the caller has written."""

_UNKNOWN = "The service does not tell which waves are counted; they are the same in every figure."

AskedIn = dict[str, tuple[str, ...]]
"""By the id of an audience, the requested waves in which it was asked."""


def overlap(session: Session, options: Options, plan: OverlapPlan) -> Flow[OverlapResult]:
    """See `Client.overlap`."""
    require_respondents(session, (*plan.audiences, plan.base_audience))
    yield from learn(session, options, plan.questions_to_name())
    plan = plan.named(session.book)
    counted, notes = yield from _counted_waves(session, options, plan)
    query = plan.crosstab(counted)
    table = yield from crosstab(session, options, query, crosstab_table(session, query))
    samples = combined(table.values("sample"))
    return OverlapResult(
        audiences=plan.audiences,
        sizes=combined(table.values("size")),
        samples=samples,
        base_size=table.base_size,
        base_sample=table.base_sample,
        base_audience=plan.base_audience,
        provenance=session.provenance("overlap", plan.base_audience, plan.locations)
        | {"waves": counted or "the last four accessible"},
        notes=(*notes, *_unaccounted(float(samples.sum()), table.base_sample)),
    )


def _counted_waves(
    session: Session, options: Options, plan: OverlapPlan
) -> Flow[tuple[list[str] | None, list[str]]]:
    """The requested waves in which all of the audiences were asked, and what is to be said of it.

    Every combination mentions every audience, so its waves are these in any case; here they are
    found to be told. A service without the location question cannot tell them.
    """
    try:
        requested = plan.waves or (yield from _last_waves(session, options))
        asked = yield from _coverage(session, options, plan, requested)
    except RequestRefused as error:
        if any(fault.pointer.startswith(_OURS) for fault in error.faults):
            raise
        return plan.waves, [_UNKNOWN]
    except UnknownCodeError:
        return plan.waves, [_UNKNOWN]
    counted = [wave for wave in requested if all(wave in known for known in asked.values())]
    left_out = _left_out(plan, requested, asked)
    if not counted:
        raise ValueError(
            "There is no wave in which all of these audiences were asked. "
            f"{' '.join(left_out)} Name waves= that they share, or leave one out."
        )
    if left_out:
        left_out.insert(0, f"Counted: {', '.join(counted)}, where all of it was asked.")
    return counted, left_out


def _last_waves(session: Session, options: Options) -> Flow[list[str]]:
    accessible = yield from waves(session, options)
    return [each.code for each in accessible][-DEFAULT_WAVES:]


def _coverage(
    session: Session, options: Options, plan: OverlapPlan, requested: Sequence[str]
) -> Flow[AskedIn]:
    """A stats row lists the waves that it rests on, whoever belongs to the audience."""
    location = yield from location_question(session, options)
    result = yield from stats(session, options, plan.coverage(location, requested))
    asked: AskedIn = {audience.id or "": () for audience in plan.audiences}
    asked.update((row.audience or "", tuple(row.waves)) for row in result)
    return asked


def _left_out(plan: OverlapPlan, requested: Sequence[str], asked: AskedIn) -> list[str]:
    """Who was not asked in which of the waves, a sentence each."""
    never = [wave for wave in requested if not any(wave in known for known in asked.values())]
    told = [f"Neither base nor audiences were asked in {', '.join(never)}."] if never else []
    for audience in plan.audiences:
        known = {*never, *asked[audience.id or ""]}
        if missing := [wave for wave in requested if wave not in known]:
            told.append(f"{audience.name!r} was not asked in {', '.join(missing)}.")
    return told


def _unaccounted(combined_sample: float, base_sample: float) -> list[str]:
    """A warning where the combinations do not make the base: then nothing adds up to it."""
    if combined_sample == base_sample:
        return []
    return [
        f"The combinations hold {combined_sample:,.0f} of the {base_sample:,.0f} respondents in "
        "the base: this service counts some people neither in an audience nor out of it."
    ]
