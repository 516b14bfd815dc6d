"""Lists of audiences crossed with each other: every pair as an audience of its own.

`nest` keeps the lists apart, as the heads of a banner over what stands below each; `combine` makes
one flat list of full names. Nothing is counted: an audience that nobody belongs to is made as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TypeAlias, Union, cast, overload

from audiencelab.expressions.audience import Audience, KeptAudience, as_audience
from audiencelab.expressions.expression import And, Expression

__all__ = ["Nested", "combine", "nest"]

Given: TypeAlias = "Iterable[Audience | KeptAudience | Expression]"

Nested: TypeAlias = Union["dict[str, Nested]", "dict[str, list[Audience]]"]
"""Heads over audiences, or over more heads."""

_BETWEEN = " · "


@overload
def nest(outer: Given, inner: Given, /) -> dict[str, list[Audience]]: ...
@overload
def nest(outer: Given, inner: Given, /, *deeper: Given) -> Nested: ...
def nest(outer: Given, inner: Given, /, *deeper: Given) -> Nested:
    """The audiences of each list within those of the list before it, as a banner takes them.

    `nest(genders, ages)` is `{"Female": [18 to 24, 25 to 34, …], "Male": […]}`: a head for each
    audience of the first list, and below it those of the second under their own names, each of the
    people who belong to both. More lists make more levels of heads, outermost first.

    Every audience needs a name, for an expression alone has none before a catalogue gives it one.
    Ids are left out. Raises `TypeError` for what is no list of audiences, and `ValueError` for an
    empty list, an audience without a name, and two of one name in a list.
    """
    lists = _checked([outer, inner, *deeper])
    # One head more than there are levels of heads: everyone, of whom all of it is a part.
    return cast(Nested, _below(Audience(), lists))


def combine(first: Given, second: Given, /, *more: Given) -> list[Audience]:
    """Every audience of each list with every one of the others: "Female · 18 to 24".

    One flat list in the order of a nested banner, the first list changing slowest. Each belongs to
    everyone who is in all of the audiences that it is named after. What is asked of the lists, and
    raised, is as in `nest`.
    """
    return [
        Audience(
            _BETWEEN.join(each.name for each in together),
            _all_of(each.expression for each in together),
        )
        for together in product(*_checked([first, second, *more]))
    ]


def _below(head: Audience, lists: list[list[Audience]]) -> object:
    """What stands below a head: audiences within it, or heads within it with theirs."""
    within = [Audience(each.name, _all_of([head.expression, each.expression])) for each in lists[0]]
    return {each.name: _below(each, lists[1:]) for each in within} if lists[1:] else within


def _all_of(expressions: Iterable[Expression | None]) -> Expression | None:
    """Those to whom all apply, with nothing said twice; None is everyone."""
    parts = dict.fromkeys(part for each in expressions if each is not None for part in _parts(each))
    if len(parts) < 2:
        return next(iter(parts), None)
    return And(tuple(parts))


def _parts(expression: Expression) -> Iterator[Expression]:
    """What all has to apply for an expression to apply."""
    if isinstance(expression, And) and not expression.negated:
        for child in expression.children:
            yield from _parts(child)
    else:
        yield expression


def _checked(lists: Iterable[Given]) -> list[list[Audience]]:
    return [_listed(place, given) for place, given in enumerate(lists, start=1)]


def _listed(place: int, given: Given) -> list[Audience]:
    """The audiences of one list, each with a name that no other has."""
    if isinstance(given, Mapping):
        raise TypeError(
            f"List {place} has heads already. Give the lists that it was made of, outermost first: "
            "al.nest(genders, ages, incomes)."
        )
    if isinstance(given, Audience | Expression | str) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] -- callers in notebooks are not type-checked
        raise TypeError(
            f"List {place} is no list of audiences but of type {type(given).__name__}. Write "
            "al.nest(catalogue.audiences('Gender'), catalogue.audiences('Age')), or put one "
            "audience in brackets."
        )
    audiences = [_named(place, each) for each in given]
    if not audiences:
        raise ValueError(f"List {place} is empty: there is nothing to combine.")
    names = [audience.name for audience in audiences]
    if twice := [name for name in dict.fromkeys(names) if names.count(name) > 1]:
        raise ValueError(
            f"List {place} has several audiences called {twice[0]!r}, which nobody could tell "
            "apart. Give them names of their own: audience.renamed('…')."
        )
    return audiences


def _named(place: int, given: Audience | KeptAudience | Expression) -> Audience:
    if isinstance(given, Expression) or (isinstance(given, Audience) and not given.name):
        raise ValueError(
            f"List {place} has an audience without a name, which heads and joined names are made "
            "of: al.Audience(name='Young', expression=…)."
        )
    return as_audience(given)
