"""Audiences as a request carries them: each with an id that no other of the request has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from audiencelab.expressions import Audience, Expression, Labels, Leaf, as_audience, walk
from audiencelab.schema import AudienceRef, SavedAudience

__all__ = [
    "AudienceLike",
    "identified",
    "identified_base",
    "listed",
    "named",
    "named_base",
    "questions_to_name",
    "to_audience",
    "to_ref",
]

T = TypeVar("T")

AudienceLike = Audience | Expression | SavedAudience


def identified(
    audiences: Iterable[AudienceLike] | None, argument: str, taken: set[str]
) -> tuple[Audience, ...]:
    """The audiences with unique ids: their own where it is free, `row-1`, `row-2` … else.

    argument: what the caller calls them ("rows"); ids begin with its singular ("row-1").

    Ids are made from positions, not at random: the same request is then the same bytes, which is
    what records and caches of answers are keyed by. `taken` collects every id of the request.
    Expressions have no name yet; `named` gives them theirs.
    """
    given = [
        to_audience(f"{argument}[{place}]", audience)
        for place, audience in enumerate(listed(argument, audiences))
    ]
    own = [audience.id for audience in given]
    identified: list[Audience] = []
    for place, audience in enumerate(given, start=1):
        identity = audience.id
        if not identity or identity in taken:
            made = f"{argument.removesuffix('s')}-{place}"
            identity = _free(made, taken.union(filter(None, own)))
        taken.add(identity)
        identified.append(replace(audience, id=identity))
    return tuple(identified)


def identified_base(base: AudienceLike | None, taken: set[str]) -> Audience | None:
    """The base audience with an id of its own; None stays None."""
    if base is None:
        return None
    return identified([to_audience("base_audience", base)], "base", taken)[0]


def questions_to_name(audiences: Iterable[Audience | None]) -> set[str]:
    """The questions whose names make up the names of audiences that have none."""
    return set(_questions(audiences))


def named(audiences: Iterable[Audience], labels: Labels) -> tuple[Audience, ...]:
    """The audiences, those without a name called by the words of their expression."""
    return tuple(
        audience if audience.name else as_audience(audience, labels) for audience in audiences
    )


def named_base(base: Audience | None, labels: Labels) -> Audience | None:
    """The same for a base audience, which may be none."""
    return None if base is None else named([base], labels)[0]


def listed(argument: str, audiences: Iterable[T] | None) -> list[T]:
    """A list of what was given as audiences; raises `TypeError` for a single one."""
    if audiences is None:
        return []
    if isinstance(audiences, (Audience, Expression, SavedAudience)):
        raise TypeError(
            f"{argument} needs a list of audiences, not a single one: put it in brackets, "
            f"{argument}=[audience]."
        )
    if isinstance(audiences, (str, Mapping)) or not isinstance(audiences, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"{argument} needs a list of al.Audience or expressions, not "
            f"{type(cast(object, audiences)).__name__}. One for each answer of a question: "
            f"{argument}=client.catalogue.audiences('Gender')."
        )
    return list(audiences)


def to_audience(place: str, given: AudienceLike) -> Audience:
    """An audience of what was given, nameless for an expression.

    Raises `TypeError`, naming the `place`, for anything else.
    """
    if isinstance(given, Audience):
        return given
    if isinstance(given, SavedAudience):
        return given.to_audience()
    if isinstance(given, Expression):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        return Audience(expression=given)
    try:
        return as_audience(given)
    except TypeError as error:
        raise TypeError(f"{place}: {error}") from None


def to_ref(audience: Audience) -> AudienceRef:
    """The audience in the query form."""
    expression = audience.expression
    return AudienceRef(
        id=audience.id,
        name=audience.name,
        expression=None if expression is None else expression.to_wire("query"),
    )


def _questions(audiences: Iterable[Audience | None]) -> Iterator[str]:
    for audience in audiences:
        if audience is None or audience.name or audience.expression is None:
            continue
        for _, node in walk(audience.expression):
            if isinstance(node, Leaf):
                yield node.question


def _free(identity: str, taken: set[str]) -> str:
    candidate, number = identity, 1
    while candidate in taken:
        number += 1
        candidate = f"{identity}-{number}"
    return candidate
