"""Audiences as a request carries them: a flat list in which each has an id of its own.

Rows and columns may be given in banner groups. A request has no groups: the list is flattened
here, and the groups of each audience are kept for the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from audiencelab.client.names import Names, QuestionLike
from audiencelab.expressions import (
    Audience,
    ByName,
    Condition,
    Expression,
    as_audience,
    nest,
    walk,
)
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema import AudienceRef, SavedAudience

T = TypeVar("T")

AudienceLike = Audience | Expression | SavedAudience

BaseLike: TypeAlias = AudienceLike | QuestionLike
"""An audience; a question is everyone who gave any answer to it."""

AxisLike: TypeAlias = (
    "QuestionLike | AudienceLike | Statistic | ByName | Iterable[AxisLike] | Mapping[str, AxisLike]"
)
"""A question (code, name or one of the catalogue), which is a group of its answers, of a grid a
group of the points of its scale for each item; "Total", which is everyone;
"Gender > Age + Market", which is `al.nest("Gender", ["Age", "Market"])`; an audience or expression;
a list of them; or groups by name:
`{"Gender": "q2", "Age": {"Young": [c], …}}`. A single audience in a mapping has its key as name:
`{"Young": young}`. Rows may also be statistics of amounts, such as `client["Age"].mean()` and
`al.mean("Age")`."""

AudiencesLike: TypeAlias = (
    QuestionLike | AudienceLike | Iterable[QuestionLike | AudienceLike] | Mapping[str, AudienceLike]
)
"""The same without groups."""

NO_NAMES = Names(only_codes=True)
"""For arguments of this package's own."""

MOST_LEVELS = 8
"""Maximum levels of groups; more are a mistake, such as a mapping that contains itself."""


class StatisticPlace(NamedTuple):
    """A row that is a statistic of amounts; before: how many audiences come before it."""

    statistic: Statistic
    before: int
    groups: tuple[str, ...]


class Banner(NamedTuple):
    """Audiences in their order; groups: those of each, outermost first, () for none.

    statistics: rows of amounts among them.
    """

    audiences: list[Audience]
    groups: list[tuple[str, ...]]
    statistics: tuple[StatisticPlace, ...] = ()


def flatten_banner(argument: str, axis: AxisLike | None, names: Names = NO_NAMES) -> Banner:
    """The audiences of rows or columns in their order, with their groups.

    argument: "rows" or "columns", for the position that an error names. Raises `TypeError` for
    anything but a question, an audience, a list or a mapping, `ValueError` for a group without a
    name or without audiences and for more than `MOST_LEVELS` levels, and the errors of `names`.
    """
    audiences: list[Audience] = []
    found: list[tuple[str, ...]] = []
    statistics: list[StatisticPlace] = []
    for each, groups in _flatten(argument, axis, (), names):
        if isinstance(each, Statistic):
            if argument != "rows":
                raise TypeError(
                    f"{argument}: {each.name!r} is a statistic of amounts, which can only be a "
                    "row of a crosstab."
                )
            statistics.append(StatisticPlace(each.plain, len(audiences), groups))
        else:
            audiences.append(each)
            found.append(groups)
    return Banner(audiences, found, tuple(statistics))


def _flatten(
    position: str, axis: Any, groups: tuple[str, ...], names: Names
) -> Iterator[tuple[Audience | Statistic, tuple[str, ...]]]:
    if len(groups) > MOST_LEVELS:
        raise ValueError(f"{position}: at most {MOST_LEVELS} levels of groups are supported.")
    axis = _meant(axis, names)
    if isinstance(axis, QuestionLike):
        question = names.question(axis)
        yield from _flatten(position, question.as_rows(), (*groups, question.name), names)
    elif isinstance(axis, Mapping):
        for name, given in cast(Mapping[object, Any], axis).items():
            yield from _flatten_group(position, name, given, groups, names)
    else:
        for number, each in enumerate(as_list(position, axis)):
            at = f"{position}[{number}]"
            _check_tuple(at, each)
            if isinstance(each, QuestionLike | ByName | Mapping | list | tuple):
                yield from _flatten(at, each, groups, names)
            elif isinstance(each, Statistic):
                yield each, groups
            else:
                yield to_audience(at, each, names), groups


def _meant(given: Any, names: Names) -> Any:
    """What words mean: rows of a `ByName`, everyone for "Total", a nest for "Gender > Age"."""
    if isinstance(given, str) and (levels := names.levels(given)):
        given = nest(*(names.beside(each) or each for each in levels))
    elif isinstance(given, str) and (beside := names.beside(given)):
        return beside
    if isinstance(given, ByName):
        return given.make(names.question)
    if isinstance(given, str) and names.is_total(given):
        return Audience(given.strip())
    return given


def _check_tuple(position: str, given: Any) -> None:
    """Refuse a tuple of questions, which other programs nest and this one put side by side."""
    if isinstance(given, tuple) and len(cast("tuple[Any, ...]", given)) > 1:
        listed = cast("tuple[Any, ...]", given)
        if all(isinstance(each, QuestionLike) for each in listed):
            written = ", ".join(repr(getattr(each, "name", each)) for each in listed)
            raise TypeError(
                f"{position} is not valid: a tuple of questions may mean one within the other or "
                f"both side by side. Write al.nest({written}) or [{written}]."
            )


def _flatten_group(
    position: str, name: object, given: Any, groups: tuple[str, ...], names: Names
) -> list[tuple[Audience | Statistic, tuple[str, ...]]]:
    if not isinstance(name, str):
        raise TypeError(f"{position}: a group name must be a str; got {type(name).__name__}.")
    if not name.strip():
        raise ValueError(
            f"{position}: a group needs a name. Put audiences without a group beside the "
            'others in a list: [everyone, {"Gender": genders}].'
        )
    at = f"{position}[{name!r}]"
    given = _meant(given, names)
    if isinstance(given, AudienceLike):
        return [(to_audience(at, given, names).renamed(name), groups)]
    if isinstance(given, Statistic):
        return [(given.named(name), groups)]
    if isinstance(given, QuestionLike):
        # The group has a name already, so that the question's own would be a level too many.
        given = names.question(given).as_rows()
    found = list(_flatten(at, given, (*groups, name), names))
    if not found:
        raise ValueError(f"{at} has no audiences: add some, or remove the group.")
    return found


def as_list(argument: str, given: Iterable[T] | None) -> list[T]:
    """What was given as a list; one audience is a list of one.

    Raises `TypeError` for what is neither.
    """
    if given is None:
        return []
    if isinstance(given, AudienceLike | Statistic | ByName):
        return [cast(T, given)]
    if not isinstance(given, Iterable):
        raise TypeError(
            f"{argument} must be a question or its name, an audience, or a list of these; got "
            f"{type(cast(object, given)).__name__}. The catalogue has them all. "
            "Write client.catalogue."
        )
    if hasattr(given, "__dataframe__"):
        raise TypeError(
            f"{argument} is a data frame. Open it as a survey, and name its questions: "
            "client = al.open(frame); client.crosstab('column')."
        )
    return list(given)


def to_audience(position: str, given: AudienceLike, names: Names = NO_NAMES) -> Audience:
    """The given audience; an expression becomes one without a name.

    Raises `TypeError`, naming the `position`, for anything else, and the errors of `names`.
    """
    if isinstance(given, SavedAudience):
        return given.to_audience()
    if isinstance(given, Expression):
        return Audience(expression=names.expression(given))
    if isinstance(given, list | tuple):
        raise TypeError(
            f"{position} must be one audience; got a {type(cast(object, given)).__name__}. "
            "client.crosstab(rows, [young, women]) compares several."
        )
    if not isinstance(given, Audience):
        try:
            return as_audience(given)
        except TypeError as error:
            raise TypeError(f"{position}: {error}") from None
    if given.expression is None:
        return given
    found = names.expression(given.expression)
    return given if found is given.expression else replace(given, expression=found)


def to_audiences(
    argument: str, given: AudiencesLike | None, names: Names = NO_NAMES
) -> list[Audience]:
    """The given audiences; a question is one for each of its answers.

    Raises `TypeError`, naming the position, for anything else, and the errors of `names`.
    """
    return flatten_banner(argument, given, names).audiences


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
            # Also not one that an audience after this one has of its own.
            while identity in taken or identity in own:
                again += 1
                identity = f"{stem}-{number}-{again}"
            audience = replace(audience, id=identity)
        taken.add(identity)
        assigned.append(audience)
    return tuple(assigned)


def to_base(given: BaseLike | None, names: Names = NO_NAMES) -> Audience | None:
    """The base audience; raises as `to_audience`. None stays None."""
    if given is None:
        return None
    if isinstance(given, QuestionLike):
        given = names.any_answer("base_audience", given)
    return to_audience("base_audience", given, names)


def assign_base_id(base: Audience | None, taken: set[str]) -> Audience | None:
    """The base audience with an id of its own; None stays None."""
    return None if base is None else assign_ids([base], "base", taken)[0]


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
        if isinstance(node, Condition)
    }


def to_ref(audience: Audience) -> AudienceRef:
    """The audience in the query form."""
    expression = audience.expression
    return AudienceRef(
        id=audience.id,
        name=audience.name,
        expression=None if expression is None else expression.to_wire("query"),
    )
