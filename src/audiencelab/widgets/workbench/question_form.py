"""A query in a workbench document: its axes, its scope and its rows of statistics."""

from __future__ import annotations

import ast
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec

from audiencelab.client.audiences import StatisticPlace
from audiencelab.errors import AudienceError
from audiencelab.expressions import Audience, parse_audience
from audiencelab.results.statistic_rows import Statistic
from audiencelab.schema.scope import SCOPE_ARGUMENTS, Scope
from audiencelab.widgets.crosstab.axis import AxisAudiences
from audiencelab.widgets.crosstab.placed import PlacedStatistics
from audiencelab.widgets.crosstab.query import GridQuery

UNKNOWN = (
    "figures depend on it, and this audiencelab does not know it: a newer one wrote it. Update "
    "yours."
)


class BrokenStudy(AudienceError, ValueError):
    """A document that no workbench can be opened from; the message names the position."""


# -- to JSON ------------------------------------------------------------------------------------


def question_to_json(question: GridQuery) -> dict[str, Any]:
    """The query as a JSON object without empty fields."""
    positions = [StatisticPosition(each.before, each.groups) for each in question.statistics.places]
    asked = {
        "rows": _axis_to_json(question.rows),
        "columns": _axis_to_json(question.columns),
        "bases": None if question.bases is None else [base.to_wire() for base in question.bases],
        "scope": question.scope.to_json() or None,
        "statistics": [each.plain for each in question.statistics] or None,
        "statistic_positions": positions or None,
    }
    return {name: value for name, value in asked.items() if value is not None}


def _axis_to_json(axis: AxisAudiences | None) -> list[dict[str, Any]] | None:
    if axis is None:
        return None
    return [
        audience.to_wire()
        | ({"groups": groups} if groups else {})
        | ({"net": True} if is_net else {})
        for audience, groups, is_net in zip(axis, axis.groups, axis.nets, strict=True)
    ]


# -- from JSON ----------------------------------------------------------------------------------


class AudienceForm(msgspec.Struct):
    """An audience of an axis, or a base."""

    name: str = ""
    id: str | None = None
    expression: dict[str, Any] | None = None
    groups: tuple[str, ...] = ()
    net: bool = False

    def to_audience(self) -> Audience:
        fields = {"name": self.name, "id": self.id, "expression": self.expression}
        return parse_audience(fields)


class StatisticPosition(msgspec.Struct, omit_defaults=True):
    """The position of a statistic among the rows."""

    before: int
    groups: tuple[str, ...] = ()


class QuestionForm(msgspec.Struct):
    """The fields of a query as they are written; `read_question` checks them."""

    rows: list[AudienceForm] | None = None
    columns: list[AudienceForm] | None = None
    bases: list[AudienceForm] | None = None
    scope: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    statistics: tuple[Statistic, ...] = ()
    statistic_positions: tuple[StatisticPosition, ...] = ()


def read_question(asked: QuestionForm, position: str) -> GridQuery:
    """The query of a JSON object; raises `BrokenStudy` with the position of the error."""
    rows, columns, bases = (
        _axis(getattr(asked, name), f"{position}.{name}") for name in ("rows", "columns", "bases")
    )
    with at(f"{position}.scope"):
        scope = _scope(asked.scope)
    statistics: list[Statistic] = []
    for number, each in enumerate(asked.statistics):
        with at(f"{position}.statistics[{number}]"):
            statistics.append(_checked_statistic(each))
    # Older documents have statistics after all rows.
    ends = [StatisticPosition(len(rows or ()))] * len(statistics)
    pairs = zip(statistics, [*asked.statistic_positions, *ends], strict=False)
    placed = [StatisticPlace(each, at.before, at.groups) for each, at in pairs]
    return GridQuery(rows, columns, scope, bases, PlacedStatistics(placed))


def _axis(items: list[AudienceForm] | None, position: str) -> AxisAudiences | None:
    if items is None:
        return None
    audiences: list[Audience] = []
    for number, item in enumerate(items):
        with at(f"{position}[{number}]"):
            audiences.append(item.to_audience())
    return AxisAudiences(audiences, [item.groups for item in items], [item.net for item in items])


def _scope(fields: Mapping[str, Any]) -> Scope:
    # Any other part of a document may be ignored; without this one the figures would be others.
    if unknown := sorted(fields.keys() - set(SCOPE_ARGUMENTS)):
        raise AudienceError(f"{unknown[0]!r}: {UNKNOWN}")
    return Scope.from_json(fields)


def _checked_statistic(given: Statistic) -> Statistic:
    """The row, whose code becomes code of a notebook; raises `AudienceError` for any other code."""
    if not given.code:
        return given
    refusal = f"the code {given.code!r} is not a statistic of a question."
    try:
        node = ast.parse(f"client{given.code}", mode="eval").body
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Subscript(value=ast.Name("client"), slice=ast.Constant(str()))
                )
            ):
                for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                    ast.literal_eval(each)
            case _:
                raise AudienceError(refusal)
    except (ValueError, SyntaxError):
        raise AudienceError(refusal) from None
    return replace(given, code=ast.unparse(node).removeprefix("client"))


@contextmanager
def at(position: str) -> Generator[None]:
    """Errors within are those of a document that is not valid at this position."""
    try:
        yield
    except AudienceError as error:
        raise broken_at(position, error) from None


def broken_at(position: str, error: object) -> BrokenStudy:
    """The error for a document that is not valid at a position."""
    return BrokenStudy(f"This workbench document is not valid at {position}: {error}")
