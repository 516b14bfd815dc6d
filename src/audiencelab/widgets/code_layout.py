"""The Python that widgets write for a cell: wrapped at 88 columns, with names as comments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from textwrap import indent, shorten

from audiencelab.expressions import Audience

WIDTH = 88
_INDENT = "    "
_SYMBOLS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|"}


def audience_code(audience: Audience) -> str:
    """`audience = al.Audience(…)`, with one argument or condition on each line where it is long."""
    return f"audience = {wrapped(audience.to_code(), len('audience = '))}"


def commented(code: str, words: str) -> str:
    """Code with what it means as a comment behind it."""
    # Labels are data: one with a line break must not end its comment.
    comment = shorten(" ".join(words.split()), WIDTH - 6, placeholder=" …")
    return f"{code}  # {comment}" if comment else code


def listed_code(name: str, items: Iterable[tuple[str, str]]) -> str:
    """`name = (…)` with each item's code below its label as a comment; an empty tuple for none."""
    lines: list[str] = []
    for label, code in items:
        # Labels are data: one with a line break must not end its comment.
        comment = " ".join(label.split())
        lines.append(f"{_INDENT}# {shorten(comment, WIDTH - 6, placeholder=' …')}")
        lines.append(indent(wrapped(code, len(_INDENT) + 1), _INDENT) + ",")
    return "\n".join([f"{name} = (", *lines, ")"]) if lines else f"{name} = ()"


def wrapped(code: str, used: int = 0) -> str:
    """An expression in lines of at most 88 columns where it can be broken.

    used: the columns that its first and last line share with what is around it.
    """
    if len(code) + used <= WIDTH:
        return code
    return _wrapped(ast.parse(code, mode="eval").body, used)


def _wrapped(node: ast.expr, used: int) -> str:
    code = ast.unparse(node)
    if len(code) + used <= WIDTH:
        return code
    match node:
        case ast.Call(func=function, args=args, keywords=keywords) if args or keywords:
            parts = [_wrapped(each, len(_INDENT) + 1) for each in args]
            for each in keywords:
                named = f"{each.arg}="
                parts.append(named + _wrapped(each.value, len(_INDENT + named) + 1))
            return _block(f"{ast.unparse(function)}(", [f"{part}," for part in parts])
        case ast.BinOp(op=operator) if type(operator) in _SYMBOLS:
            first, *rest = _operands(node, type(operator))
            symbol = f"{_SYMBOLS[type(operator)]} "
            return _block("(", [_closed(first, ""), *(_closed(each, symbol) for each in rest)])
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _closed(operand, "~")
        case _:
            return code


def _block(opening: str, lines: list[str]) -> str:
    return "\n".join([opening, *(indent(line, _INDENT) for line in lines), ")"])


def _operands(node: ast.expr, operator: type[ast.operator]) -> list[ast.expr]:
    """What one operator joins on one level; parentheses on the right are a level of their own."""
    found: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, operator):
        found.append(node.right)
        node = node.left
    return [node, *reversed(found)]


def _closed(node: ast.expr, before: str) -> str:
    """An operand behind its operator, in parentheses where it joins others itself."""
    code = _wrapped(node, len(_INDENT + before))
    needs_brackets = isinstance(node, ast.BinOp) and not code.startswith("(\n")
    return f"{before}({code})" if needs_brackets else before + code
