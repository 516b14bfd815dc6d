"""Definitions of derived questions from what people write: groups by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import EllipsisType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from audiencelab import lines
from audiencelab.client.catalogue.proposed_amounts import numbers_of
from audiencelab.client.catalogue.question import CatalogueQuestion
from audiencelab.expressions import Audience, Expression, KeptAudience, Leaf
from audiencelab.expressions.codes import code_of

if TYPE_CHECKING:
    from audiencelab.survey.derivations import Definition

GroupLike: TypeAlias = (
    "Expression | Audience | KeptAudience | str | float | Iterable[str | float] | EllipsisType"
)
"""An expression or audience; answers, with `of=`; or ... for all others who were asked."""

_EXAMPLE = 'client.derive("Stage", {"Young": client["Age"] <= 34, "Other": ...})'


class Derivation(NamedTuple):
    """A definition, and the Python that makes it, as it follows the client."""

    definition: Definition
    code: str


def derivation(
    find: Callable[[str | CatalogueQuestion], CatalogueQuestion],
    name: str,
    groups: Mapping[str, GroupLike],
    of: str | CatalogueQuestion | None,
    code: str,
) -> Derivation:
    """See `Client.derive`. find: a question of the catalogue."""
    from audiencelab.survey.derivations import Grouping, GroupPoint, Net, NetPoint

    given = _checked(name, groups)
    rest = [each for each, group in given.items() if group is ...]
    if len(rest) > 1:
        raise ValueError(f"{rest[1]!r}: ... is not valid: {rest[0]!r} is all others already.")
    question = None if of is None else find(of)
    found = {
        each: _expression(each, group, question)
        for each, group in given.items()
        if group is not ...
    }
    if not found:
        raise ValueError(f"groups is not valid: it names no group. Write {_EXAMPLE}.")
    own = code or code_of(name) or "derived"
    fields: dict[str, Any] = {"code": own, "name": name, "rest": rest[0] if rest else ""}
    # All others have no number, and would be left out of means.
    numbers = None if rest else numbers_of(found)
    midpoints = dict(zip(found, numbers or (), strict=False))
    nets = question and _nets(found, given, question)
    if nets and question:
        points = tuple(
            NetPoint(each, codes, midpoint=midpoints.get(each)) for each, codes in nets.items()
        )
        definition = Net(question=question.code, datapoints=points, **fields)
    else:
        parts = (
            GroupPoint(each, expression.to_wire(), midpoint=midpoints.get(each))
            for each, expression in found.items()
        )
        definition = Grouping(datapoints=tuple(parts), **fields)
    written = [f"{each!r}: {found[each].to_code()}" for each in found]
    written += [f"{each!r}: ..." for each in rest]
    given_code = f", code={code!r}" if code else ""
    return Derivation(definition, f".derive({name!r}, {{{', '.join(written)}}}{given_code})")


def _checked(name: object, groups: object) -> dict[str, GroupLike]:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name must be a str with the question's name; got {name!r}.")
    if not isinstance(groups, Mapping):
        one = isinstance(groups, Expression | Audience)
        line = f'{{"yes": {lines.code_of(groups)}, "no": ...}}' if one else '{"everyone": ...}'
        raise TypeError(
            f"groups must be a mapping of groups by name; got {groups!r}. "
            f"Write client.derive({lines.code_of(name)}, {line})."
        )
    named = cast("Mapping[Any, Any]", groups)
    if odd := [each for each in named if not isinstance(each, str) or not each.strip()]:
        raise TypeError(f"groups must have names that are str; got {odd[0]!r}: {_EXAMPLE}.")
    return dict(named)


def _expression(name: str, group: GroupLike, question: CatalogueQuestion | None) -> Expression:
    """The expression of a group."""
    if isinstance(group, KeptAudience):
        group = group.to_audience()
    if isinstance(group, Audience):
        if group.expression is None:
            raise ValueError(f"{name!r} is everyone, which makes no group. Write ... for the rest.")
        return group.expression
    if isinstance(group, Expression):
        return group
    if isinstance(group, str | int | float | list | tuple | set):
        if question is None:
            raise ValueError(
                f"{name!r}: {group!r} is not valid: it is not known of which question these are "
                f'the answers. Add of="q4", or write client["q4"].isin({group!r}).'
            )
        answers = [group] if isinstance(group, str | int | float) else [*group]
        found = question.isin(answers)
        # Of a question whose numbers are kept, numbers are not answers.
        if isinstance(group, tuple) and len(answers) == 2 and not isinstance(found, Leaf):
            raise ValueError(
                f"{name!r}: {group!r} is not valid: it may be a range or two numbers. Write "
                f'client["{question.code}"].between({answers[0]!r}, {answers[1]!r}) for all '
                f"numbers between them, {answers!r} for these two."
            )
        return found
    raise TypeError(
        f"{name!r} must be an expression, an audience, answers or ...; got "
        f"{type(group).__name__}: {_EXAMPLE}."
    )


def _nets(
    found: Mapping[str, Expression], given: Mapping[str, GroupLike], question: CatalogueQuestion
) -> dict[str, tuple[str, ...]] | None:
    """The answers of each group, where all are answers of one question, of which a net is made.

    Unlike groups, a net keeps the order and the top of its question's scale.
    """
    if question.item_of is not None or question.suffixes:
        return None
    nets = {
        name: each.datapoints
        for name, each in found.items()
        if isinstance(each, Leaf) and not isinstance(given[name], Expression | Audience)
    }
    return nets if len(nets) == len(found) and all(nets.values()) else None
