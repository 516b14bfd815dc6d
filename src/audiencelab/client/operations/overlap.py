"""The overlap of audiences as one crosstab query of all their combinations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import isnan

import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from audiencelab.client.audiences import (
    AudiencesLike,
    assign_base_id,
    assign_ids,
    assign_names,
    question_codes,
    to_audiences,
)
from audiencelab.client.errors import RequestRefused, UnknownCodeError
from audiencelab.client.names import names_in, read_once
from audiencelab.client.operations.call_code import call_code
from audiencelab.client.operations.names import names_for, read_scope
from audiencelab.client.operations.queries import (
    build_crosstab,
    build_stats,
    fetch_crosstab,
    fetch_stats,
    fetch_waves,
    location_question,
)
from audiencelab.client.scope import ScopeArguments
from audiencelab.client.sending import Sender, load_names, require_respondents
from audiencelab.expressions import Audience, all_of
from audiencelab.results.overlap import MOST_AUDIENCES
from audiencelab.results.undefined import WITHHELD
from audiencelab.schema.queries import DEFAULT_WAVES, LATEST_WAVES
from audiencelab.schema.scope import Scope
from audiencelab.tables import OverlapResult
from audiencelab.wording import plural

_OURS = ("/audiences", "/base_audience", "/locations", "/waves")
"""The parts of a refused request that the caller wrote."""

_UNKNOWN_WAVES = (
    "The service does not report which waves are counted; they are the same in every value."
)


def fetch_overlap(
    sender: Sender,
    audiences: AudiencesLike,
    given: ScopeArguments,
) -> OverlapResult:
    """See `Client.overlap`."""
    sender = sender.with_weight(given.get("weight", UNSET))
    context, taken = sender.context, set[str]()
    audiences = read_once(audiences)
    names = names_for(sender, names_in(audiences))
    sent = assign_ids(to_audiences("audiences", audiences, names), "audiences", taken)
    scope = read_scope(sender, given)
    base = assign_base_id(scope.base, taken)
    _check_overlap(sent)
    every = sent if base is None else (*sent, base)
    require_respondents(sender, every)
    load_names(sender, question_codes(every, nameless=True))
    sent = assign_names(sent, context.describe)
    if base is not None:
        scope = replace(scope, base=assign_names([base], context.describe)[0])
    scope, notes = counted_waves(sender, sent, scope)
    # The first half of the audiences against the other: each side lists every way to be in
    # its audiences or not, so each cell is one combination. Every expression mentions every
    # audience of its side, so all cells rest on the waves in which all of it was asked.
    half = (len(sent) + 1) // 2
    crosstab = build_crosstab(
        _combinations(sent[:half]),
        _combinations(sent[half:]),
        scope,
    )
    table = fetch_crosstab(sender, crosstab, all_waves=False)
    sizes, samples = (_combined(table.values(name)) for name in ("size", "sample"))
    return OverlapResult(
        audiences=sent,
        sizes=sizes,
        samples=samples,
        base_size=table.base_size,
        base_sample=table.base_sample,
        base_audience=scope.base,
        provenance=context.provenance("overlap", scope)
        | sender.version_fact
        | {"waves": list(scope.waves or ()) or LATEST_WAVES},
        who=table.who,
        notes=(*notes, *_withheld(sizes), *_unaccounted(float(samples.sum()), table.base_sample)),
        made=call_code(sender, "client.overlap()", [audiences], {}, scope),
    )


def _check_overlap(audiences: Sequence[Audience]) -> None:
    if not 2 <= len(audiences) <= MOST_AUDIENCES:
        why = (
            "a question counts as one for each of its answers. Name some: "
            "client['question'].audiences()[:3]"
            if len(audiences) > MOST_AUDIENCES
            else "one by itself overlaps with nothing, and client.size(audience) counts it"
        )
        raise ValueError(
            f"overlap() takes 2 to {MOST_AUDIENCES} audiences; got {len(audiences)}: {why}."
        )
    for position, audience in enumerate(audiences):
        if audience.expression is None:
            raise ValueError(
                f"audiences[{position}] is everyone and contains all the others; leave it out."
            )


def _combinations(audiences: Sequence[Audience]) -> list[Audience]:
    """Every way to be in these or not, in the order of `_combined`."""
    found: list[Audience] = []
    for inside in product((False, True), repeat=len(audiences)):
        # The first audience is the lowest bit of a combination's number.
        parts = [
            (each.expression, each.name) if is_in else (~each.expression, f"not {each.name}")
            for each, is_in in zip(audiences, reversed(inside), strict=True)
            if each.expression is not None
        ]
        expressions, names = zip(*parts, strict=True)
        found.append(
            Audience(", ".join(names), expressions[0] if len(parts) == 1 else all_of(*expressions))
        )
    return found


def _combined(cells: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of the crosstab's cells by combination: bit i of an index is `audiences[i]`.

    The rows are the lower bits and the columns the upper ones; a cell without a wave is 0, one
    that the service withholds is NaN, and so is every sum with it.
    """
    return cells.T.ravel()


def counted_waves(
    sender: Sender, audiences: Sequence[Audience], scope: Scope
) -> tuple[Scope, list[str]]:
    """The scope in the waves in which all of the audiences were asked, and notes on the others.

    Every combination contains every audience, so its waves are these in any case; they are found
    to be reported. A service without the location question cannot report them.
    """
    try:
        requested = scope.waves or [each.code for each in fetch_waves(sender)][-DEFAULT_WAVES:]
        # A question that every respondent answers removes no wave, and a stats row lists the
        # waves that it rests on, however few belong to the audience.
        within = replace(scope, waves=tuple(requested))
        request = build_stats(location_question(sender), within, audiences=audiences)
        rows = fetch_stats(sender, request)
    except RequestRefused as error:
        if any(fault.pointer.startswith(_OURS) for fault in error.faults):
            raise
        return scope, [_UNKNOWN_WAVES]
    except UnknownCodeError:
        return scope, [_UNKNOWN_WAVES]
    asked = {audience.id or "": () for audience in audiences}
    asked |= {row.audience or "": tuple(row.waves) for row in rows}
    counted = [wave for wave in requested if all(wave in known for known in asked.values())]
    left_out = _left_out(audiences, requested, asked)
    if not counted:
        raise ValueError(
            "There is no wave in which all of these audiences were asked. "
            f"{' '.join(left_out)} Pass waves= that they share, or leave one out."
        )
    if left_out:
        left_out.insert(0, f"Counted: {', '.join(counted)}, where all of it was asked.")
    return replace(scope, waves=tuple(counted)), left_out


def _left_out(
    audiences: Sequence[Audience], requested: Sequence[str], asked: dict[str, tuple[str, ...]]
) -> list[str]:
    """Which audiences were not asked in which of the waves, a sentence each."""
    never = [wave for wave in requested if not any(wave in known for known in asked.values())]
    notes = [f"Neither base nor audiences were asked in {', '.join(never)}."] if never else []
    for audience in audiences:
        known = {*never, *asked[audience.id or ""]}
        if missing := [wave for wave in requested if wave not in known]:
            notes.append(f"{audience.name!r} was not asked in {', '.join(missing)}.")
    return notes


def _withheld(sizes: NDArray[np.float64]) -> list[str]:
    """A note on combinations that the service withholds."""
    withheld = int(np.isnan(sizes).sum())
    if not withheld:
        return []
    return [f"{plural(withheld, 'combination')} {WITHHELD}, and all sums that contain them."]


def _unaccounted(combined_sample: float, base_sample: float) -> list[str]:
    """A warning where the combinations do not add up to the base."""
    if combined_sample == base_sample or isnan(combined_sample):
        return []
    return [
        f"The combinations hold {combined_sample:,.0f} of the {base_sample:,.0f} respondents in "
        "the base: this service counts some people neither in an audience nor out of it."
    ]
