"""The document that the audience editor edits, as Python reads and writes it.

A named tree as plain JSON that may be unfinished: groups may be empty, conditions may lack answers,
and muted nodes are kept but do not count. `document_of` makes one of an audience, `audience_of` an
audience of a finished one, and `find_document_faults` lists what is missing, by the same rules as
the page (`faults.ts`); both are tested with one file of cases. The page makes the edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NotRequired, Protocol, TypedDict, cast

import msgspec

from audiencelab.errors import AudienceError, Fault
from audiencelab.expressions import And, Audience, Expression, Leaf, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import Combinator

_MOST_STEPS = 300
"""As in `history.ts`."""


class Known(Protocol):
    """One question of the catalogue."""

    @property
    def accessible(self) -> bool: ...
    @property
    def datapoints(self) -> tuple[Any, ...]: ...
    @property
    def suffixes(self) -> tuple[Any, ...]: ...


class Questions(Protocol):
    """The part of `client.Catalogue` that validation uses."""

    def __contains__(self, key: object) -> bool: ...
    def __getitem__(self, key: str) -> Known: ...
    def guess(self, key: str) -> str: ...


class Node(TypedDict):
    """A group or a condition; the page's `GroupNode` and `LeafNode`."""

    id: str
    kind: Literal["group", "leaf"]
    negated: bool
    muted: NotRequired[bool]
    operator: NotRequired[Literal["and", "or"]]
    children: NotRequired[list[Node]]
    question: NotRequired[str]
    datapoints: NotRequired[list[str] | None]
    suffixes: NotRequired[list[str]]
    quantifier: NotRequired[Literal["any", "all", "at_least"]]
    count: NotRequired[float]


class Document(TypedDict):
    """A named tree; `next` numbers the next node, the root is always a group."""

    name: str
    audience_id: str | None
    next: int
    root: Node


class History(TypedDict):
    """Undo and redo; the page defines the steps (`history.ts`)."""

    past: list[dict[str, Any]]
    future: list[dict[str, Any]]


class Work(TypedDict):
    """The `work` trait: the document and its undo history."""

    document: Document
    history: History


class MalformedDocument(AudienceError, ValueError):
    """A value that is not a document, as opposed to an unfinished one."""


# -- an audience as a document ------------------------------------------------------------------


def work_of(audience: Audience) -> Work:
    """A document without history."""
    return {"document": document_of(audience), "history": {"past": [], "future": []}}


def replaced(work: Work, audience: Audience, time: float) -> Work:
    """The work after Python set another audience, as a step that can be undone.

    time: milliseconds since the epoch.
    """
    # Ids continue, so that no id ever refers to two nodes.
    after = document_of(audience, first=work["document"]["next"])
    return stepped(work, after, "set from Python", time)


def stepped(work: Work, after: Document, label: str, time: float) -> Work:
    """The work with another document, as one more step; label: follows "Undo" in the page."""
    step: dict[str, Any] = {
        "label": label,
        "gesture": None,
        "time": time,
        "patches": [{"path": [], "before": work["document"], "after": after}],
    }
    past = [*work["history"]["past"], step][-_MOST_STEPS:]
    return {"document": after, "history": {"past": past, "future": []}}


def identified(work: Work, audience_id: str, name: str) -> Work:
    """The work after its audience was saved; not a step, because it cannot be undone here."""
    document: Document = {**work["document"], "audience_id": audience_id, "name": name}
    return {"document": document, "history": work["history"]}


def document_of(audience: Audience, first: int = 1) -> Document:
    """The document of an audience; `audience_of` returns an equal audience.

    first: the number of the first node's id.
    """
    numbers = iter(range(first, 2**53))
    expression = audience.expression
    if isinstance(expression, Combinator) and (len(expression.children) > 1 or expression.negated):
        root = _node(expression, numbers)
    else:
        # A single condition gets a group of its own, which `audience_of` removes again.
        root: Node = {
            "id": _id(numbers),
            "kind": "group",
            "operator": "and",
            "negated": False,
            "muted": False,
            "children": [] if expression is None else [_node(expression, numbers)],
        }
    return {
        "name": audience.name,
        "audience_id": audience.id,
        "next": next(numbers),
        "root": root,
    }


def _node(expression: Expression, numbers: Iterator[int]) -> Node:
    identifier = _id(numbers)
    if isinstance(expression, Combinator):
        return {
            "id": identifier,
            "kind": "group",
            "operator": "and" if isinstance(expression, And) else "or",
            "negated": expression.negated,
            "muted": False,
            "children": [_node(child, numbers) for child in expression.children],
        }
    assert isinstance(expression, Leaf)
    count, listed = expression.min_count, len(expression.datapoints)
    return {
        "id": identifier,
        "kind": "leaf",
        "question": expression.question,
        "datapoints": list(expression.datapoints) or None,
        "suffixes": list(expression.suffixes),
        "quantifier": "any" if count == 1 else "all" if count == listed else "at_least",
        # The initial number when the user switches from "any" to "at least".
        "count": max(count, 2),
        "negated": expression.negated,
        "muted": False,
    }


def _id(numbers: Iterator[int]) -> str:
    return f"n{next(numbers)}"


# -- a document as an audience ------------------------------------------------------------------


def audience_of(document: Document) -> Audience:
    """The audience of a document in which `find_document_faults` finds nothing."""
    root = document["root"]
    children = _counting(root)
    if not children:
        expression = None
    elif len(children) == 1 and not root["negated"]:
        expression = _expression(children[0])
    else:
        expression = _expression(root)
    return Audience(document["name"], expression, document["audience_id"])


def _expression(node: Node) -> Expression:
    if node["kind"] == "group":
        kind = And if node.get("operator") == "and" else Or
        return kind(tuple(_expression(child) for child in _counting(node)), node["negated"])
    return Leaf(
        question=_question(node),
        datapoints=tuple(node.get("datapoints") or ()),
        suffixes=tuple(node.get("suffixes", ())),
        min_count=int(_min_count(node)),
        negated=node["negated"],
    )


def _min_count(leaf: Node) -> float:
    quantifier = leaf.get("quantifier")
    if quantifier == "any":
        return 1
    return len(leaf.get("datapoints") or "1") if quantifier == "all" else leaf.get("count", 1)


def _children(group: Node) -> list[Node]:
    return group.get("children", [])


def _counting(group: Node) -> list[Node]:
    """The children of a group that are not muted."""
    return [child for child in _children(group) if _counts(child)]


def _counts(node: Node) -> bool:
    """Whether it is not muted and has a child that is not; the page's `counts`."""
    if node.get("muted", False):
        return False
    return not _children(node) or any(map(_counts, _children(node)))


def _question(leaf: Node) -> str:
    return leaf.get("question", "")


# -- validation -----------------------------------------------------------------------------------


def find_document_faults(
    document: Document, questions: Questions | None = None
) -> Iterator[tuple[str, Fault]]:
    """Every fault with the id of its node, parents first; pointers refer to the tree.

    questions: the catalogue; without it only the structure is checked.
    """
    root = document["root"]
    for pointer, node in _walk(root):
        if node["kind"] == "group":
            details = _group_faults(node, is_root=node is root)
        else:
            details = [*_leaf_faults(node), *_catalogue_faults(node, questions)]
        for detail in details:
            yield node["id"], Fault(pointer, detail)


def _walk(node: Node, pointer: str = "") -> Iterator[tuple[str, Node]]:
    """The nodes that count, each with its pointer in the tree as it is shown."""
    yield pointer, node
    for place, child in enumerate(_children(node)):
        if _counts(child):
            yield from _walk(child, f"{pointer}/{node.get('operator', 'and')}/{place}")


def _group_faults(group: Node, *, is_root: bool) -> list[str]:
    if _counting(group):
        return []
    if not is_root:
        return ["This group is empty: add a condition or remove it."]
    return ["Not everyone is nobody: add a condition or drop the NOT."] if group["negated"] else []


def _leaf_faults(leaf: Node) -> list[str]:
    listed = leaf.get("datapoints")
    if listed is not None and not listed:
        return ["Choose at least one answer."]
    if listed is None and leaf.get("quantifier") == "all":
        return ["'All of' needs the answers by name."]
    count = _min_count(leaf)
    # A number in a file may be fractional or infinite.
    if count < 1 or not float(count).is_integer():
        return ["The number must be a whole number of at least 1."]
    if listed is not None and count > len(listed):
        return [f"At least {count:.0f} of {len(listed)} answers can never hold."]
    return []


def _catalogue_faults(leaf: Node, questions: Questions | None) -> Iterator[str]:
    code = _question(leaf)
    if questions is None or code == WAVES:
        return
    if code not in questions:
        yield f"Unknown question {code!r}.{questions.guess(code)}"
        return
    question = questions[code]
    if not question.accessible:
        yield "You may not use this question."
        return
    answers = {each.code for each in question.datapoints}
    yield from _unknown(leaf.get("datapoints") or [], answers, "answer")
    yield from _unknown(
        leaf.get("suffixes", []), {each.code for each in question.suffixes}, "suffix"
    )
    if leaf.get("datapoints") is None and _min_count(leaf) > len(answers):
        yield f"At least {_min_count(leaf):.0f} of {len(answers)} answers can never hold."


def _unknown(codes: list[str], known: set[str], what: str) -> Iterator[str]:
    if missing := [code for code in codes if code not in known]:
        yield f"This question has no {what} {', '.join(missing[:3])}."


# -- parsing --------------------------------------------------------------------------------------


class _Group(msgspec.Struct, tag_field="kind", tag="group"):
    id: str
    operator: Literal["and", "or"]
    negated: bool
    children: list[_Group | _Leaf]
    muted: bool = False


class _Leaf(msgspec.Struct, tag_field="kind", tag="leaf"):
    id: str
    question: str
    datapoints: list[str] | None
    suffixes: list[str]
    quantifier: Literal["any", "all", "at_least"]
    count: float
    negated: bool
    muted: bool = False


class _Document(msgspec.Struct):
    name: str
    audience_id: str | None
    next: int
    root: _Group


class _History(msgspec.Struct):
    past: list[dict[str, Any]]
    future: list[dict[str, Any]]


class _Work(msgspec.Struct):
    document: _Document
    history: _History


def read_work(value: object) -> Work:
    """`value` as `Work`; raises `MalformedDocument` with the position of the error."""
    try:
        msgspec.convert(value, _Work)
    except msgspec.ValidationError as error:
        raise MalformedDocument(f"This is not a document of an audience editor: {error}") from None
    except RecursionError:
        raise MalformedDocument("This tree is nested too deeply for an audience editor.") from None
    return cast("Work", value)
