"""Audiences as a request carries them: each with an id that no other of the request has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from audiencelab.audience import Audience, Expression, Labels, as_audience
from audiencelab.wire import AudienceRef

__all__ = ["AudienceLike", "identified", "identified_base", "to_ref"]

AudienceLike = Audience | Expression


def identified(
    audiences: Iterable[AudienceLike] | None,
    argument: str,
    taken: set[str],
    labels: Labels | None = None,
) -> tuple[Audience, ...]:
    """The audiences with unique ids: their own where it is free, `row-1`, `row-2` … else.

    argument: what the caller calls them ("rows"); ids begin with its singular ("row-1").

    Ids are made from positions, not at random: the same request is then the same bytes, which is
    what records and caches of answers are keyed by. `taken` collects every id of the request.
    """
    given = [
        _audience(f"{argument}[{place}]", audience, labels)
        for place, audience in enumerate(_listed(argument, audiences))
    ]
    own = [audience.id for audience in given]
    named: list[Audience] = []
    for place, audience in enumerate(given, start=1):
        identity = audience.id
        if not identity or identity in taken:
            made = f"{argument.removesuffix('s')}-{place}"
            identity = _free(made, taken.union(filter(None, own)))
        taken.add(identity)
        named.append(replace(audience, id=identity))
    return tuple(named)


def identified_base(
    base: AudienceLike | None, taken: set[str], labels: Labels | None = None
) -> Audience | None:
    """The base audience with an id of its own; None stays None."""
    if base is None:
        return None
    return identified([_audience("base_audience", base, labels)], "base", taken)[0]


def to_ref(audience: Audience) -> AudienceRef:
    """The audience in the query form."""
    expression = audience.expression
    return AudienceRef(
        id=audience.id,
        name=audience.name,
        expression=None if expression is None else expression.to_wire("query"),
    )


def _listed(argument: str, audiences: Iterable[AudienceLike] | None) -> list[AudienceLike]:
    if audiences is None:
        return []
    if isinstance(audiences, (Audience, Expression)):
        raise TypeError(
            f"{argument} needs a list of audiences, not a single one: put it in brackets, "
            f"{argument}=[audience]."
        )
    if isinstance(audiences, (str, Mapping)) or not isinstance(audiences, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"{argument} needs a list of al.Audience or expressions, "
            f"not {type(cast(object, audiences)).__name__}."
        )
    return list(audiences)


def _audience(place: str, given: AudienceLike, labels: Labels | None) -> Audience:
    try:
        return as_audience(given, labels)
    except TypeError as error:
        raise TypeError(f"{place}: {error}") from None


def _free(identity: str, taken: set[str]) -> str:
    candidate, number = identity, 1
    while candidate in taken:
        number += 1
        candidate = f"{identity}-{number}"
    return candidate
