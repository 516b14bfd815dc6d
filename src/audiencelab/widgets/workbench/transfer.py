"""Values that move between the parts of a workbench: picks as conditions, cells as an audience."""

from __future__ import annotations

from collections.abc import Sequence

from audiencelab.expressions import (
    Audience,
    Expression,
    Labels,
    all_of,
    any_of,
    as_audience,
    describe_name,
)
from audiencelab.widgets.editor.document import Document, Node, Work, document_of, stepped


def audience_of_cells(
    rows: Sequence[Audience], columns: Sequence[Audience], labels: Labels | None
) -> Audience:
    """The people in some cells of a table: in any of their rows and in any of their columns."""
    axes = [axis for axis in (_any_of(rows), _any_of(columns)) if axis is not None]
    if not axes:
        return as_audience(None)
    expression = axes[0] if len(axes) == 1 else all_of(*axes)
    if len(rows) == len(columns) == 1:
        return Audience(_cell_name(rows[0], columns[0]), expression)
    return Audience(describe_name(expression, labels), expression)


def _any_of(audiences: Sequence[Audience]) -> Expression | None:
    """The people in any of them; None is everyone."""
    expressions = [audience.expression for audience in audiences]
    known = [expression for expression in expressions if expression is not None]
    if len(known) < len(expressions) or not known:
        return None
    return known[0] if len(known) == 1 else any_of(*known)


def _cell_name(row: Audience, column: Audience) -> str:
    everyone = [audience for audience in (row, column) if audience.expression is None]
    if everyone:
        return (column if everyone[0] is row else row).name
    return f"{row.name} · {column.name}"


def with_condition(work: Work, expression: Expression, time: float) -> Work:
    """The editor's work with one more condition, as a step that can be undone.

    The present tree does not change, finished or not; the condition applies in addition to it.
    time: milliseconds since the epoch.
    """
    document = work["document"]
    added = document_of(Audience(expression=expression), first=document["next"])
    number, nodes = added["next"], _conditions(added["root"])
    root = document["root"]
    children = root.get("children", [])
    if root["negated"] or (root.get("operator") == "or" and len(children) > 1):
        grown: Node = {
            "id": f"n{number}",
            "kind": "group",
            "operator": "and",
            "negated": False,
            "muted": False,
            "children": [root, *nodes],
        }
        number += 1
    else:
        grown = {**root, "operator": "and", "children": [*children, *nodes]}
    after: Document = {**document, "next": number, "root": grown}
    return stepped(work, after, "add condition", time)


def _conditions(root: Node) -> list[Node]:
    """The nodes whose conjunction is this one, so that no unnecessary group is created."""
    children = root.get("children", [])
    plain = not root["negated"] and (root.get("operator") == "and" or len(children) == 1)
    return children if plain else [root]
