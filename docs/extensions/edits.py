"""The trees that a reader of the editor's page can make with a few edits, as expressions.

Expressions are the service's JSON; `js/src/editor/document.ts` writes the same ones
(`toWire`). A muted row means what a removed one does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["documents_near", "nodes_of", "with_one_more"]

Node = dict[str, Any]


def documents_near(
    root: Mapping[str, Any], choices: Mapping[str, Sequence[str]], *, steps: int
) -> Iterator[Node]:
    """Every tree within so many edits of the editor's document, that one first.

    choices: the answers of each question, in the catalogue's order.
    """
    start = _wire(root)
    known = {_key(start)}
    latest = [start]
    yield start
    for _ in range(steps):
        found: list[Node] = []
        for tree in latest:
            for edited in _edited(tree, choices):
                if _children(edited) and _key(edited) not in known:
                    known.add(_key(edited))
                    found.append(edited)
        yield from found
        latest = found


def with_one_more(root: Mapping[str, Any], question: str, datapoints: Sequence[str]) -> Node:
    """The document's tree with one more condition at its end."""
    tree = _wire(root)
    operator = _operator(tree)
    return {**tree, operator: [*tree[operator], _leaf(question, datapoints)]}


def nodes_of(tree: Node) -> Iterator[Node]:
    """A tree and all that it holds."""
    yield tree
    for child in _children(tree):
        yield from nodes_of(child)


def _edited(node: Node, choices: Mapping[str, Sequence[str]]) -> Iterator[Node]:
    """The node after each single edit of it or of what it holds."""
    yield _turned(node)
    if "question" in node:
        yield from _answered(node, choices)
        return
    operator, children = _operator(node), _children(node)
    other = "or" if operator == "and" else "and"
    if len(children) > 1:
        yield {other if key == operator else key: value for key, value in node.items()}
    for place, child in enumerate(children):
        before, after = children[:place], children[place + 1 :]
        if before or after:
            yield {**node, operator: [*before, *after]}
        for edited in _edited(child, choices):
            yield {**node, operator: [*before, edited, *after]}


def _answered(leaf: Node, choices: Mapping[str, Sequence[str]]) -> Iterator[Node]:
    """With one answer more or less, and with all of them to hold or any."""
    chosen, needed = leaf["datapoints"], leaf.get("min_count", 1)
    for code in choices[leaf["question"]]:
        kept = [each for each in choices[leaf["question"]] if (each in chosen) != (each == code)]
        if kept:
            yield _needing({**leaf, "datapoints": kept}, min(needed, len(kept)))
    if len(chosen) > 1:
        yield _needing(leaf, 1 if needed > 1 else len(chosen))


def _needing(leaf: Node, count: int) -> Node:
    plain = {key: value for key, value in leaf.items() if key != "min_count"}
    return plain if count == 1 else {**plain, "min_count": count}


def _turned(node: Node) -> Node:
    if "not" in node:
        return {key: value for key, value in node.items() if key != "not"}
    return {**node, "not": True}


def _wire(node: Mapping[str, Any]) -> Node:
    """A node of the editor's document as an expression."""
    negated = {"not": True} if node["negated"] else {}
    if node["kind"] == "leaf":
        return {**_leaf(node["question"], node["datapoints"]), **negated}
    return {node["operator"]: [_wire(child) for child in node["children"]], **negated}


def _leaf(question: str, datapoints: Sequence[str]) -> Node:
    return {"question": question, "datapoints": list(datapoints)}


def _operator(node: Node) -> str:
    return "and" if "and" in node else "or"


def _children(node: Node) -> list[Node]:
    return [] if "question" in node else node[_operator(node)]


def _key(tree: Node) -> str:
    return json.dumps(tree, sort_keys=True)
