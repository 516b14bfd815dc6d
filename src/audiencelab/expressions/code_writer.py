"""Expressions as Python code, with the code of each condition as the caller writes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audiencelab.expressions.codes import is_whole_number

_MOST_OPERANDS = 200
"""In a longer chain of operators Python's own parser nests each one level deeper, and gives up."""


def expression_code(node: Any, write: Callable[[Any], str]) -> str:
    """Code that evaluates to an equal expression. write: that of a condition without negation."""
    code, is_closed = _positive(node, write)
    if not node.negated:
        return code
    return f"~{code}" if is_closed else f"~({code})"


def needs_brackets(node: Any) -> bool:
    """Whether the code of an expression needs brackets before a method is called on it."""
    return node.negated or not _positive(node, own_code)[1]


def own_code(condition: Any) -> str:
    """A condition by codes of the catalogue, without its negation."""
    return condition.own_code()


def leaf_code(leaf: Any) -> str:
    """A leaf by its codes, without its negation: `al.Q('q4').any('q4_2')`."""
    suffixes = ", ".join(code if is_whole_number(code) else repr(code) for code in leaf.suffixes)
    question = repr(leaf.question) + (f", suffixes=[{suffixes}]" if suffixes else "")
    listed = [repr(code) for code in leaf.datapoints]
    return f"al.Q({question}).{quantified(leaf.min_count, listed)}"


def quantified(count: int, answers: list[str]) -> str:
    """The call of at least so many answers, which are code."""
    if count == 1:
        return f"any({', '.join(answers)})"
    if count == len(answers):
        return f"all({', '.join(answers)})"
    return f"at_least({', '.join([str(count), *answers])})"


def _positive(node: Any, write: Callable[[Any], str]) -> tuple[str, bool]:
    """The code of the node without its negation, and whether it needs no brackets."""
    children = getattr(node, "children", None)
    if children is None:
        return write(node), not getattr(node, "is_comparison", False)
    # The operators need two sides, and merge an un-negated side of their own kind.
    merges = any(type(child) is type(node) and not child.negated for child in children)
    if merges or not 2 <= len(children) <= _MOST_OPERANDS:
        listed = ", ".join(expression_code(child, write) for child in children)
        return f"al.{node.MAKER}({listed})", True
    return f" {node.SIGN} ".join(_operand(child, write) for child in children), False


def _operand(node: Any, write: Callable[[Any], str]) -> str:
    if node.negated:
        return expression_code(node, write)
    code, is_closed = _positive(node, write)
    return code if is_closed else f"({code})"
