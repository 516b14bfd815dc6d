"""Audiences as a request carries them: a flat list in which each has an id of its own.

Rows and columns may be given in banner groups. A request has no groups: the list is flattened
here, and the groups of each audience are kept for the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from audiencelab.expressions import Audience, Expression, Leaf, as_audience, walk
from audiencelab.schema import AudienceRef, SavedAudience

T = TypeVar("T")

AudienceLike = Audience | Expression | SavedAudience

AxisLike: TypeAlias = "Iterable[AudienceLike | Mapping[str, AxisLike]] | Mapping[str, AxisLike]"
"""`[a, b]`, or `{"Gender": [a, b], "Age": {"Young": [c], …}}`, or both: `[a, {"Age": [b, c]}]`."""

MOST_LEVELS = 8
"""Maximum levels of groups; more are a mistake, such as a mapping that contains itself."""


class Banner(NamedTuple):
    """Audiences in their order; groups: those of each, outermost first, () for none."""

    audiences: list[Audience]
    groups: list[tuple[str, ...]]


def flatten_banner(argument: str, axis: AxisLike | None) -> Banner:
    """The audiences of rows or columns in their order, with their groups.

    argument: "rows" or "columns", for the position that an error names. Raises `TypeError` for
    anything but an audience, a list or a mapping, and `ValueError` for a group without a name or
    without audiences, and for more than `MOST_LEVELS` levels.
    """
    banner = Banner([], [])
    if axis is not None:
        _flatten(argument, axis, (), banner)
    return banner


def _flatten(position: str, axis: Any, groups: tuple[str, ...], banner: Banner) -> None:
    if len(groups) > MOST_LEVELS:
        raise ValueError(f"{position}: at most {MOST_LEVELS} levels of groups are supported.")
    if isinstance(axis, Mapping):
        _flatten_groups(position, cast(Mapping[object, Any], axis), groups, banner)
        return
    for number, each in enumerate(as_list(position, axis)):
        at = f"{position}[{number}]"
        if isinstance(each, Mapping):
            _flatten_groups(at, cast(Mapping[object, Any], each), groups, banner)
        else:
            banner.audiences.append(to_audience(at, each))
            banner.groups.append(groups)


def _flatten_groups(
    position: str, given: Mapping[object, Any], groups: tuple[str, ...], banner: Banner
) -> None:
    for name, axis in given.items():
        if not isinstance(name, str):
            raise TypeError(f"{position}: a group name must be a str; got {type(name).__name__}.")
        if not name.strip():
            raise ValueError(
                f"{position}: a group needs a name. Put audiences without a group beside the "
                'others in a list: [everyone, {"Gender": genders}].'
            )
        at, before = f"{position}[{name!r}]", len(banner.audiences)
        _flatten(at, axis, (*groups, name), banner)
        if len(banner.audiences) == before:
            raise ValueError(f"{at} has no audiences: add some, or remove the group.")


def as_list(argument: str, audiences: Iterable[T] | None) -> list[T]:
    """A list of the given audiences; raises `TypeError` for a single one."""
    if audiences is None:
        return []
    if isinstance(audiences, (Audience, Expression, SavedAudience)):
        raise TypeError(
            f"{argument} must be a list of audiences; got a single one. Put it in brackets: "
            f"{argument}=[audience]."
        )
    if isinstance(audiences, (str, Mapping)) or not isinstance(audiences, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"{argument} must be a list of al.Audience or expressions; got "
            f"{type(cast(object, audiences)).__name__}. One for each answer of a question: "
            f"{argument}=client.catalogue.audiences('Gender')."
        )
    return list(audiences)


def to_audience(position: str, given: AudienceLike) -> Audience:
    """The given audience; an expression becomes one without a name.

    Raises `TypeError`, naming the `position`, for anything else.
    """
    if isinstance(given, Audience):
        return given
    if isinstance(given, Expression):
        return Audience(expression=given)
    if isinstance(given, SavedAudience):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        return given.to_audience()
    try:
        return as_audience(given)
    except TypeError as error:
        raise TypeError(f"{position}: {error}") from None


def to_audiences(argument: str, given: Iterable[AudienceLike] | None) -> list[Audience]:
    """The given audiences; raises `TypeError`, naming the position, for anything else."""
    return [
        to_audience(f"{argument}[{position}]", each)
        for position, each in enumerate(as_list(argument, given))
    ]


def assign_ids(
    audiences: Sequence[Audience], argument: str, taken: set[str]
) -> tuple[Audience, ...]:
    """The audiences with unique ids: their own where it is free, `row-1`, `row-2` … else.

    argument: the name of the argument ("rows"); ids begin with its singular ("row-1").

    Ids are made from positions, not at random: the same request is then the same bytes, which
    snapshots and caches of responses are keyed by. `taken` collects every id of the request.
    """
    stem = argument.removesuffix("s")
    own = {audience.id for audience in audiences if audience.id}
    assigned: list[Audience] = []
    for number, audience in enumerate(audiences, start=1):
        identity = audience.id
        if not identity or identity in taken:
            identity, again = f"{stem}-{number}", 1
            while identity in taken or identity in own:
                again += 1
                identity = f"{stem}-{number}-{again}"
            audience = replace(audience, id=identity)
        taken.add(identity)
        assigned.append(audience)
    return tuple(assigned)


def assign_base_id(base: AudienceLike | None, taken: set[str]) -> Audience | None:
    """The base audience with an id of its own; None stays None."""
    if base is None:
        return None
    return assign_ids([to_audience("base_audience", base)], "base", taken)[0]


def assign_names(
    audiences: Sequence[Audience], describe: Callable[[Expression | None], str]
) -> tuple[Audience, ...]:
    """The audiences; those without a name are named by a description of their expression."""
    return tuple(
        audience if audience.name else replace(audience, name=describe(audience.expression))
        for audience in audiences
    )


def question_codes(audiences: Iterable[Audience | None], *, nameless: bool = False) -> set[str]:
    """The questions of the audiences' expressions; nameless: of audiences without a name only."""
    return {
        node.question
        for audience in audiences
        if audience is not None
        and audience.expression is not None
        and not (nameless and audience.name)
        for _, node in walk(audience.expression)
        if isinstance(node, Leaf)
    }


def to_ref(audience: Audience) -> AudienceRef:
    """The audience in the query form."""
    expression = audience.expression
    return AudienceRef(
        id=audience.id,
        name=audience.name,
        expression=None if expression is None else expression.to_wire("query"),
    )
