"""Audiences as a request carries them: each with an id that no other of the request has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from audiencelab.audience import Audience, Expression, Labels, as_audience
from audiencelab.wire import AudienceRef

__all__ = ["AudienceLike", "identified", "to_ref"]

AudienceLike = Audience | Expression


def identified(
    audiences: Iterable[AudienceLike], prefix: str, taken: set[str], labels: Labels | None = None
) -> tuple[Audience, ...]:
    """The audiences with unique ids: their own where it is free, `prefix-1`, `prefix-2` … else.

    Ids are made from positions, not at random: the same request is then the same bytes, which is
    what records and caches of answers are keyed by. `taken` collects every id of the request.
    """
    given = [as_audience(audience, labels) for audience in _checked(audiences)]
    own = [audience.id for audience in given]
    named: list[Audience] = []
    for place, audience in enumerate(given, start=1):
        identity = audience.id
        if not identity or identity in taken:
            identity = _free(f"{prefix}-{place}", taken.union(filter(None, own)))
        taken.add(identity)
        named.append(replace(audience, id=identity))
    return tuple(named)


def to_ref(audience: Audience) -> AudienceRef:
    """The audience in the query form."""
    expression = audience.expression
    return AudienceRef(
        id=audience.id,
        name=audience.name,
        expression=None if expression is None else expression.to_wire("query"),
    )


def _checked(audiences: Iterable[AudienceLike]) -> list[AudienceLike]:
    if isinstance(audiences, (Audience, Expression)):
        raise TypeError(
            "A list of audiences is needed here, not a single one: put it in brackets, [audience]."
        )
    return list(audiences)


def _free(identity: str, taken: set[str]) -> str:
    candidate, number = identity, 1
    while candidate in taken:
        number += 1
        candidate = f"{identity}-{number}"
    return candidate
