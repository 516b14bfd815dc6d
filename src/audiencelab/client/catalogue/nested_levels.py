"""The lists of which `al.nest` makes the groups of a banner, found again in the groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, TypeAlias, cast

from audiencelab.expressions import Audience, nest
from audiencelab.expressions.nodes import And, Expression, parts_of
from audiencelab.results.statistic_rows import Statistic

Group: TypeAlias = "Audience | Statistic | dict[str, list[Group]]"
"""An audience or a statistic, or groups by name."""


def nests_in(
    groups: Mapping[str, Sequence[Group]], question_of: Callable[[Audience], object]
) -> Iterator[tuple[list[list[Group]], dict[str, Sequence[Group]]]]:
    """The groups in order: the lists of a nest, or groups that are not one."""

    def question(item: tuple[str, Sequence[Group]]) -> object:
        head = _head(*item)
        return None if head is None else question_of(head)

    for of, run in groupby(groups.items(), question):
        listed = dict(run)
        yield ([] if of is None else nested_levels(listed, question_of)), listed


def nested_levels(
    groups: Mapping[str, Sequence[Group]], question_of: Callable[[Audience], object]
) -> list[list[Group]]:
    """The lists whose nest is these groups, outermost first; [] where they are not a nest.

    question_of: the question of which an audience is an answer; the groups of the outermost list
    are answers of one.
    """
    outer = [_head(name, below) for name, below in groups.items()]
    heads = [each for each in outer if each is not None]
    if len(heads) < len(outer) or not heads:
        return []
    questions = [question_of(each) for each in heads]
    if questions[0] is None or any(each != questions[0] for each in questions):
        return []
    inner = [_without(head, below) for head, below in zip(heads, groups.values(), strict=True)]
    first = inner[0]
    if first is None or any(each != first for each in inner):
        return []
    # A mapping alone may be a nest itself: a third level.
    only = first[0] if len(first) == 1 else None
    deeper = nested_levels(only, question_of) if isinstance(only, dict) else []
    levels: list[list[Group]] = [[*heads], *(deeper or [first])]
    # A condition that two levels share is in the nest once, so that it may not be found again.
    return levels if _made(levels) == _plain(dict(groups)) else []


def _made(levels: Sequence[Sequence[Group]]) -> list[Any]:
    crossed: Callable[..., Any] = nest
    try:
        return _plain(crossed(*levels))
    except (TypeError, ValueError):
        return []


def _plain(given: Any) -> list[Any]:
    """Groups as pairs in their order, whatever lists and mappings they are written in."""
    found: list[Any] = []
    for each in cast("list[Any]", given) if isinstance(given, list) else [given]:
        if isinstance(each, dict):
            groups = cast("dict[str, Any]", each).items()
            found += [(name, _plain(below)) for name, below in groups]
        else:
            found.append(each)
    return found


def _head(name: str, below: Sequence[Group]) -> Audience | None:
    """The audience of a group by the first condition that all in it begin with."""
    first = _first(below)
    return None if first is None else Audience(name, first)


def _first(below: Sequence[Group]) -> Expression | None:
    if not below:
        return None
    if isinstance(below[0], dict):
        return next((_first(items) for items in below[0].values()), None)
    expression = None if isinstance(below[0], Statistic) else below[0].expression
    return None if expression is None else next(iter(parts_of(expression, And)))


def _without(head: Audience, below: Sequence[Group]) -> list[Group] | None:
    """What is in a group, without the condition of the group; None where one lacks it."""
    found: list[Group] = []
    for each in below:
        if isinstance(each, dict):
            parts = {name: _without(head, items) for name, items in each.items()}
            if any(part is None for part in parts.values()):
                return None
            found.append({name: part for name, part in parts.items() if part is not None})
            continue
        if isinstance(each, Statistic):
            return None
        conditions = [] if each.expression is None else [*parts_of(each.expression, And)]
        if conditions[:1] != [head.expression]:
            return None
        found.append(Audience(each.name, _all(conditions[1:]), each.id))
    return found


def _all(conditions: Sequence[Expression]) -> Expression | None:
    return And(tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)
