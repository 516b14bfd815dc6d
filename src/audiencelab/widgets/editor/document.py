"""The document that the audience editor edits, as Python reads and writes it.

A named tree as plain JSON that may be unfinished: groups may be empty, conditions may lack answers,
and muted nodes are kept but do not count. `find_document_faults` lists what is missing by the same
rules as the page (`validation.ts`); both are tested with one file of cases. The page makes the
edits, and keeps their history.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, TypeAlias, cast

import msgspec
from msgspec import UNSET, UnsetType

from audiencelab.errors import AudienceError, Fault
from audiencelab.expressions import And, Audience, Expression, Leaf, NumberRange, Or
from audiencelab.expressions.codes import WAVES
from audiencelab.expressions.nodes import Combinator
from audiencelab.expressions.number_range import range_faults
from audiencelab.schema import Question
from audiencelab.schema.scales import keeps_numbers
from audiencelab.widgets.saved_audiences import NumberEnds
from audiencelab.wording import plural

Json: TypeAlias = dict[str, Any]


class MalformedDocument(AudienceError, ValueError):
    """A value that is not a document, as opposed to an unfinished one."""


class ConditionNode(msgspec.Struct, tag_field="kind", tag="leaf"):
    """A condition; `datapoints` of None is any answer, `count` belongs to "at_least".

    numbers: of a condition on numbers, which has no answers.
    """

    id: str
    question: str
    suffixes: list[str]
    quantifier: Literal["any", "all", "at_least"]
    count: float
    negated: bool
    muted: bool = False
    datapoints: list[str] | None = None
    numbers: NumberEnds | UnsetType = UNSET

    @property
    def min_count(self) -> float:
        """The number of answers that must apply."""
        if self.quantifier == "at_least":
            return self.count
        return len(self.datapoints or "1") if self.quantifier == "all" else 1


class Group(msgspec.Struct, tag_field="kind", tag="group"):
    """Nodes that all apply, or of which any applies."""

    id: str
    operator: Literal["and", "or"]
    negated: bool
    children: list[Group | ConditionNode]
    muted: bool = False

    @property
    def counting(self) -> list[Node]:
        """The children that are not muted."""
        return [child for child in self.children if _counts(child)]


Node: TypeAlias = "Group | ConditionNode"


class EditorDocument(msgspec.Struct):
    """A named tree; `next` numbers the next node."""

    name: str
    next: int
    root: Group
    # The kernel of a browser leaves out what is null.
    audience_id: str | None = None


def read_document(value: object) -> Json:
    """`value` as the JSON of `EditorDocument`; `MalformedDocument` names the position of an error.

    Also reads the form of 1.0, which has the undo history beside the document; it is ignored.
    """
    document = cast("Json", value)
    if isinstance(value, dict) and "document" in value:
        document = document["document"]
    try:
        msgspec.convert(document, EditorDocument)
    except msgspec.ValidationError as error:
        raise MalformedDocument(f"This is not a document of an audience editor: {error}") from None
    except RecursionError:
        raise MalformedDocument("This tree is nested too deeply for an audience editor.") from None
    # Unchanged, with what a newer page may have added.
    return document


# -- an audience as a document ------------------------------------------------------------------


def replaced(document: Json, audience: Audience) -> Json:
    """The document of another audience, with ids that continue those of `document`."""
    # No id ever refers to two nodes.
    return document_of(audience, first=document["next"])


def with_condition(document: Json, expression: Expression) -> Json:
    """The document with one more condition.

    The present tree does not change, finished or not; the condition applies in addition to it.
    """
    added = document_of(Audience(expression=expression), first=document["next"])
    number, root = added["next"], document["root"]
    if root["negated"] or (root["operator"] == "or" and len(root["children"]) > 1):
        grown = msgspec.to_builtins(Group(f"n{number}", "and", False, []))
        grown["children"] = [root, *_conjuncts(added["root"])]
        number += 1
    else:
        children = [*root["children"], *_conjuncts(added["root"])]
        grown = {**root, "operator": "and", "children": children}
    return {**document, "next": number, "root": grown}


def _conjuncts(root: Json) -> list[Json]:
    """The nodes whose conjunction is this one, so that no unnecessary group is created."""
    plain = not root["negated"] and (root["operator"] == "and" or len(root["children"]) == 1)
    return root["children"] if plain else [root]


def document_of(audience: Audience, first: int = 1) -> Json:
    """The document of an audience; `audience_of` returns an equal audience.

    first: the number of the first node's id.
    """
    # JavaScript, which continues these numbers, counts exactly up to 2^53.
    numbers = iter(range(first, 2**53))
    expression = audience.expression
    if isinstance(expression, Combinator) and (len(expression.children) > 1 or expression.negated):
        root = _group(expression, numbers)
    else:
        # A single condition gets a group of its own, which `audience_of` removes again.
        root = Group(_id(numbers), "and", negated=False, children=[])
        if expression is not None:
            root.children.append(_node(expression, numbers))
    return msgspec.to_builtins(EditorDocument(audience.name, next(numbers), root, audience.id))


def _node(expression: Expression, numbers: Iterator[int]) -> Node:
    if isinstance(expression, Combinator):
        return _group(expression, numbers)
    if isinstance(expression, NumberRange):
        return ConditionNode(
            id=_id(numbers),
            question=expression.question,
            suffixes=[],
            quantifier="any",
            count=2,
            negated=expression.negated,
            numbers=NumberEnds(**expression.ends),
        )
    assert isinstance(expression, Leaf)
    count, listed = expression.min_count, len(expression.datapoints)
    return ConditionNode(
        _id(numbers),
        expression.question,
        list(expression.suffixes),
        datapoints=list(expression.datapoints) or None,
        quantifier="any" if count == 1 else "all" if count == listed else "at_least",
        # The initial number when the user switches from "any" to "at least".
        count=max(count, 2),
        negated=expression.negated,
    )


def _group(expression: Combinator, numbers: Iterator[int]) -> Group:
    operator = "and" if isinstance(expression, And) else "or"
    group = Group(_id(numbers), operator, expression.negated, [])
    group.children = [_node(child, numbers) for child in expression.children]
    return group


def _id(numbers: Iterator[int]) -> str:
    return f"n{next(numbers)}"


# -- a document as an audience ------------------------------------------------------------------


def audience_of(document: Json) -> Audience:
    """The audience of a document in which `find_document_faults` finds nothing."""
    read = msgspec.convert(document, EditorDocument)
    children = read.root.counting
    expression = None
    if children:
        is_wrapped = len(children) == 1 and not read.root.negated
        expression = _expression(children[0] if is_wrapped else read.root)
    return Audience(read.name, expression, read.audience_id)


def _expression(node: Node) -> Expression:
    if isinstance(node, Group):
        kind = And if node.operator == "and" else Or
        return kind(tuple(map(_expression, node.counting)), node.negated)
    if node.numbers:
        ends: dict[str, Any] = node.numbers.given
        return NumberRange(node.question, **ends, negated=node.negated)
    return Leaf(
        node.question,
        tuple(node.datapoints or ()),
        tuple(node.suffixes),
        min_count=int(node.min_count),
        negated=node.negated,
    )


def _counts(node: Node) -> bool:
    """Whether it is not muted and has a child that is not; the page's `counts`."""
    if node.muted:
        return False
    return isinstance(node, ConditionNode) or not node.children or any(map(_counts, node.children))


# -- validation -----------------------------------------------------------------------------------


class Known(Protocol):
    """One question of the catalogue."""

    @property
    def accessible(self) -> bool: ...
    @property
    def datapoints(self) -> tuple[Any, ...]: ...
    @property
    def suffixes(self) -> tuple[Any, ...]: ...
    @property
    def record(self) -> Question: ...


class ConditionQuestions(Protocol):
    """The part of `client.Catalogue` that validation uses."""

    def __contains__(self, key: object) -> bool: ...
    def __getitem__(self, key: str) -> Known: ...
    def guess(self, key: str) -> str: ...


def find_document_faults(
    document: Json, questions: ConditionQuestions | None = None
) -> Iterator[tuple[str, Fault]]:
    """Every fault with the id of its node, parents first; pointers refer to the tree.

    questions: the catalogue; without it only the structure is checked.
    """
    root = msgspec.convert(document, EditorDocument).root
    for pointer, node in _walk(root):
        if isinstance(node, ConditionNode):
            details = [*_condition_faults(node), *_catalogue_faults(node, questions)]
        else:
            details = _group_faults(node, is_root=node is root)
        for detail in details:
            yield node.id, Fault(pointer, detail)


def _walk(node: Node, pointer: str = "") -> Iterator[tuple[str, Node]]:
    """The nodes that count, each with its pointer in the tree as it is shown."""
    yield pointer, node
    if isinstance(node, Group):
        for position, child in enumerate(node.children):
            if _counts(child):
                yield from _walk(child, f"{pointer}/{node.operator}/{position}")


def _group_faults(group: Group, *, is_root: bool) -> list[str]:
    if group.counting:
        return []
    if not is_root:
        return ["This group is empty: add a condition or remove it."]
    if not group.negated:
        return []
    return ["NOT of everyone leaves no respondents: add a condition or turn NOT off."]


def _condition_faults(condition: ConditionNode) -> list[str]:
    if condition.numbers is not UNSET:
        return _range_faults(condition.numbers.given)
    listed, count = condition.datapoints, condition.min_count
    if listed is not None and not listed:
        return ["Choose at least one answer."]
    if listed is None and condition.quantifier == "all":
        return ["'All of' needs a list of answers: choose them, or set how many must hold."]
    # A number in a file may be fractional or infinite.
    if count < 1 or not float(count).is_integer():
        return ["The number must be an integer of at least 1."]
    if listed is not None and count > len(listed):
        return [_too_many(count, len(listed))]
    return []


def _range_faults(ends: dict[str, float]) -> list[str]:
    if not ends:
        return ["Give a lowest or a highest number."]
    if any(range_faults(ends)):
        return ["No number is in this range: the lower number comes first."]
    return []


def _too_many(count: float, answers: int) -> str:
    return (
        f"At least {count:.0f} of {plural(answers, 'answer')} can never hold: "
        "choose more answers or lower the number."
    )


def _catalogue_faults(
    condition: ConditionNode, questions: ConditionQuestions | None
) -> Iterator[str]:
    code = condition.question
    if questions is None or code == WAVES:
        return
    if code not in questions:
        yield f"Unknown question {code!r}.{questions.guess(code)}"
        return
    question = questions[code]
    if not question.accessible:
        yield "You do not have access to this question: choose another, or ask for access."
        return
    if condition.numbers is not UNSET:
        if not keeps_numbers(question.record):
            yield "The survey keeps no numbers of this question: choose answers."
        return
    for what, used, known in (
        ("answer", condition.datapoints or [], question.datapoints),
        ("suffix", condition.suffixes, question.suffixes),
    ):
        codes = {each.code for each in known}
        if missing := [code for code in used if code not in codes]:
            more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
            yield f"This question has no {what} {', '.join(missing[:3])}{more}."
    answers = len(question.datapoints)
    if condition.datapoints is None and condition.min_count > answers:
        yield _too_many(condition.min_count, answers)
