"""Lists of audiences crossed with each other: every pair as an audience of its own.

`nest` makes banner groups, `combine` one flat list of full names. Nothing is counted: an audience
without respondents is made as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any, Protocol, TypeAlias, Union, cast, overload

from audiencelab.expressions.audience import KeptAudience, as_audience
from audiencelab.expressions.by_name import ByName
from audiencelab.expressions.nodes import And, Audience, Expression, parts_of
from audiencelab.keywords import keywords


def within(base: Audience | None, given: Audience | None) -> Audience | None:
    """The people of both, each condition once; None is everyone.

    Where one is within the other already, it is that one with its name. Both have a name for both
    to have one: "Female · 18 to 24".
    """
    if base is None or base.expression is None:
        return given if base is None or given is not None else base
    if given is None or given.expression is None:
        return base
    outer, inner = set(_parts(base.expression)), set(_parts(given.expression))
    if outer <= inner:
        return given
    if inner <= outer:
        return base
    name = _BETWEEN.join([base.name, given.name]) if base.name and given.name else ""
    return Audience(name, _all_of([base.expression, given.expression]))


class HasAudiences(Protocol):
    """A question, each of whose answers is an audience, of a grid each point of each item."""

    @property
    def name(self) -> str: ...

    def audiences(self) -> Iterable[Audience]: ...

    def as_rows(self) -> Iterable[Audience] | Mapping[str, Iterable[Audience]]: ...


Given: TypeAlias = "Iterable[Audience | KeptAudience | Expression] | HasAudiences"

Beside: TypeAlias = "Iterable[Audience | HasAudiences | Mapping[str, Given | str] | str]"
"""Questions beside each other, each a group of its answers; and other groups by name."""

Nested: TypeAlias = Union["dict[str, Nested]", "dict[str, list[Audience]]"]
"""Groups of audiences, or of further groups."""

_BETWEEN = " · "


@overload
def nest(outer: Given, inner: Given, /) -> dict[str, list[Audience]]: ...
@overload
def nest(outer: Given, inner: Given, /, *deeper: Given) -> Nested: ...
@overload
def nest(
    outer: Given | Beside | str, inner: Given | Beside | str, /, *deeper: Given | Beside | str
) -> Nested | ByName: ...
@keywords()
def nest(
    outer: Given | Beside | str, inner: Given | Beside | str, /, *deeper: Given | Beside | str
) -> Nested | ByName:
    """The audiences of each list within those of the list before it, as a banner takes them.

    `nest(genders, ages)` is `{"Female": [18 to 24, 25 to 34, …], "Male": […]}`: a group for each
    audience of the first list, and in it those of the second under their own names, each of the
    people who belong to both. More lists make more levels of groups, outermost first. A question,
    or its name, is a list of its answers: `nest("Gender", "Age")`; a grid is a group for each item
    and in it the points of the scale. A list of questions puts them beside each other, each a group
    of its answers: `nest("Gender", ["Age", "Market"])`; other groups are `{"Young": ages[:2]}`.

    Every audience needs a name. Ids are left out. Raises `TypeError` for anything but lists of
    audiences, and `ValueError` for an empty list, an audience without a name, and two audiences
    of one name in a list.

    >>> client.crosstab("Pets", al.nest("Gender", ["Age", "Market"])).shape
    (8, 45)
    """
    given = (outer, inner, *deeper)
    if by_name := _by_name("nest", nest, given):
        return by_name
    lists = [_contents(at, each) for at, each in enumerate(given, start=1)]
    # The outermost group, which has no name, is everyone.
    return cast(Nested, _within(Audience(), lists))


@overload
def combine(first: Given, second: Given, /, *more: Given) -> list[Audience]: ...
@overload
def combine(
    first: Given | str, second: Given | str, /, *more: Given | str
) -> list[Audience] | ByName: ...
def combine(
    first: Given | str, second: Given | str, /, *more: Given | str
) -> list[Audience] | ByName:
    """Every audience of each list with every one of the others: "Female · 18 to 24".

    One flat list in the order of a nested banner, the first list changing slowest. Each is the
    people who are in all of the audiences that it is named after. Arguments and errors are those
    of `nest`.

    >>> ages, genders = client["Age"].audiences(), client["Gender"].audiences()
    >>> [each.name for each in al.combine(genders[:1], ages[1:3])]
    ['Male · 18 to 24', 'Male · 25 to 34']
    """
    if by_name := _by_name("combine", combine, (first, second, *more)):
        return by_name
    return [
        Audience(
            _BETWEEN.join(each.name for each in together),
            _all_of(each.expression for each in together),
        )
        for together in product(*_checked([first, second, *more]))
    ]


def _by_name(code: str, cross: Callable[..., Any], given: tuple[object, ...]) -> ByName | None:
    """What `cross` makes once names of questions have been looked up; None where there is none."""
    if not (names := [*_names(given)]):
        return None

    def made(each: object, find: Callable[[Any], Any]) -> Any:
        found = find(each) if isinstance(each, str) else each
        found = found.make(find) if isinstance(found, ByName) else found
        if isinstance(found, Mapping):
            parts = cast("Mapping[str, Any]", found).items()
            return {name: made(part, find) for name, part in parts}
        if isinstance(found, list | tuple):
            return [made(part, find) for part in cast("list[Any]", found)]
        return found

    def outermost(each: object, find: Callable[[Any], Any]) -> Any:
        found = made(each, find)
        return [found] if isinstance(found, Audience) else found

    return ByName(
        f"al.{code}({', '.join(map(repr, given))})",
        lambda find: cross(*(outermost(each, find) for each in given)),
        tuple(names),
    )


_NAMES = str | ByName


def _names(given: Any) -> Iterator[object]:
    """The names of questions in lists and groups."""
    if isinstance(given, _NAMES):
        yield given
    elif isinstance(given, Mapping):
        yield from _names([*cast("Mapping[str, Any]", given).values()])
    elif isinstance(given, list | tuple):
        for each in cast("list[Any]", given):
            yield from _names(each)


_List: TypeAlias = "list[Audience | dict[str, _List]] | dict[str, _List]"
"""The audiences of one list; those of a grid are in a group for each item, as are questions."""


def _within(group: Audience, lists: list[_List]) -> object:
    """The contents of a group: audiences, or further groups with theirs."""
    first, *deeper = lists
    if isinstance(first, dict):
        # A group of names alone: an item does not narrow who is counted, as its points do.
        return {name: _within(group, [below, *deeper]) for name, below in first.items()}
    made = [_each_within(group, each, deeper) for each in first]
    if not all(isinstance(each, dict) for each in made):
        return made
    names = [name for each in made for name in cast("dict[str, object]", each)]
    # One mapping where each group has a name of its own.
    is_one = len({*names}) == len(names)
    return {k: v for each in made for k, v in cast(Any, each).items()} if is_one else made


def _each_within(group: Audience, each: Any, deeper: list[_List]) -> object:
    if isinstance(each, dict):
        return _within(group, [cast(_List, each), *deeper])
    both = Audience(each.name, _all_of([group.expression, each.expression]))
    return {both.name: _within(both, deeper)} if deeper else both


def _beside(number: int, given: Any) -> _List | None:
    """Questions and groups that are beside each other; None for audiences alone."""
    parts = cast("list[Any]", given) if isinstance(given, list | tuple) else []
    groups = [_as_groups(each) for each in parts]
    if not any(groups):
        return None
    found: list[Audience | dict[str, _List]] = []
    for each, named in zip(parts, groups, strict=True):
        if named:
            found.append(_below(number, named))
        else:
            found += _listed(number, [each])
    return found


def _below(number: int, groups: Mapping[str, Any]) -> dict[str, _List]:
    return {
        name: _below(number, cast("Mapping[str, Any]", given))
        if isinstance(given, Mapping)
        else _contents(number, given)
        for name, given in groups.items()
    }


def _as_groups(given: Any) -> Mapping[str, Any]:
    """A question, or groups, by name; empty for an audience."""
    if isinstance(given, Mapping):
        return cast("Mapping[str, Any]", given)
    return {given.name: given} if hasattr(given, "as_rows") else {}


def _contents(number: int, given: object) -> _List:
    return _by_item(given) or _beside(number, given) or cast(_List, _listed(number, given))


def _all_of(expressions: Iterable[Expression | None]) -> Expression | None:
    """The intersection, each part once; None is everyone."""
    # Flat and without repetition, so that an audience crossed with itself is itself.
    parts = dict.fromkeys(part for each in expressions if each is not None for part in _parts(each))
    if len(parts) < 2:
        return next(iter(parts), None)
    return And(tuple(parts))


def _parts(expression: Expression) -> Iterator[Expression]:
    """The expressions that must all apply for this one to apply."""
    for part in parts_of(expression, And):
        if part is expression:
            yield part
        else:
            yield from _parts(part)


def _by_item(given: Any) -> _List | None:
    """The points of each item of a grid; None for anything else."""
    rows = given.as_rows() if hasattr(given, "as_rows") else None
    if not isinstance(rows, dict):
        return None
    groups = cast("dict[str, tuple[Audience, ...]]", rows)
    return {item: [*points] for item, points in groups.items()}


def _checked(lists: Iterable[object]) -> list[list[Audience]]:
    return [_listed(number, given) for number, given in enumerate(lists, start=1)]


def _listed(number: int, given: Any) -> list[Audience]:
    """The audiences of one list, checked to have distinct names."""
    answers = getattr(given, "audiences", None)
    if callable(answers):
        given = answers()
    if isinstance(given, Mapping):
        raise TypeError(
            f"List {number} is already nested. Give the lists that it was made of, outermost "
            "first: al.nest(genders, ages, incomes)."
        )
    # A `str` is iterable, and would be taken apart into letters.
    if isinstance(given, Audience | Expression | str) or not isinstance(given, Iterable):
        raise TypeError(
            f"List {number} must be a list of audiences; got {type(given).__name__}. Write "
            "al.nest(catalogue.audiences('Gender'), catalogue.audiences('Age')), or put one "
            "audience in brackets."
        )
    audiences = [_named(number, each) for each in cast("Iterable[Any]", given)]
    if not audiences:
        raise ValueError(f"List {number} is empty: there is nothing to combine.")
    names = [audience.name for audience in audiences]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ValueError(
            f"List {number} has several audiences called {twice[0]!r}. Give them different names: "
            "audience.renamed('…')."
        )
    return audiences


def _named(number: int, given: Audience | KeptAudience | Expression) -> Audience:
    if isinstance(given, Expression) or (isinstance(given, Audience) and not given.name):
        raise ValueError(
            f"List {number} has an audience without a name, which group and joined names need: "
            "al.Audience(name='Young', expression=…)."
        )
    return as_audience(given)
