"""The Python that widgets write for a cell: wrapped at 88 columns, with names as comments."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from textwrap import indent, shorten

from audiencelab.client.catalogue import Catalogue
from audiencelab.client.catalogue.named_code import named_code
from audiencelab.expressions import Audience, Expression

WIDTH = 88
_INDENT = "    "
_SYMBOLS: dict[type[ast.operator], str] = {ast.BitAnd: "&", ast.BitOr: "|"}


def audience_code(audience: Audience, catalogue: Catalogue | None = None) -> str:
    """`audience = …`, with one argument or condition on each line where it is long."""
    return f"audience = {wrapped(named_code(audience, catalogue), len('audience = '))}"


def explained(
    given: Audience | Expression, catalogue: Catalogue | None, words: str
) -> tuple[str, str]:
    """The code of an audience, and the words for a comment, which code with names needs not."""
    code = named_code(given, catalogue)
    return code, words if code == given.to_code() else ""


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
        if comment:
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
        case ast.Call(args=args, keywords=keywords) if args or keywords:
            return _wrapped_call(node, used)
        case ast.Dict(keys=keys, values=values) if keys:
            items = [
                (ast.unparse(key), value) for key, value in zip(keys, values, strict=True) if key
            ]
            lines = [f"{key}: {_wrapped(each, len(_INDENT + key) + 3)}," for key, each in items]
            return _block("{", lines, "}")
        case ast.List(elts=parts) if parts:
            return _listed("[", parts, "]")
        case ast.BinOp(op=operator) if type(operator) in _SYMBOLS:
            first, *rest = _operands(node, type(operator))
            symbol = f"{_SYMBOLS[type(operator)]} "
            return _block("(", [_closed(first, ""), *(_closed(each, symbol) for each in rest)])
        case ast.UnaryOp(op=ast.Invert(), operand=operand):
            return _closed(operand, "~")
        case _:
            return code


def _wrapped_call(node: ast.Call, used: int) -> str:
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.BinOp() | ast.UnaryOp() as inner, attr=attribute)
        ):
            ending = ast.unparse(ast.Call(ast.Name(attribute), node.args, node.keywords))
            code = _wrapped(inner, 0)
            return f"{code if code.startswith('(') else f'({code})'}.{ending}"
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="named")):
            name = ast.unparse(ast.Call(ast.Name("named"), node.args, node.keywords))
            return f"{_wrapped(inner, len(name) + 1 + used)}.{name}"
        case ast.Call(func=function, args=[ast.List(elts=parts)], keywords=[]) if parts:
            return _listed(f"{ast.unparse(function)}([", parts, "])")
        case _:
            parts = [_wrapped(each, len(_INDENT) + 1) for each in node.args]
            for each in node.keywords:
                named = f"{each.arg}="
                parts.append(named + _wrapped(each.value, len(_INDENT + named) + 1))
            return _block(f"{ast.unparse(node.func)}(", [f"{part}," for part in parts])


def _block(opening: str, lines: list[str], closing: str = ")") -> str:
    return "\n".join([opening, *(indent(line, _INDENT) for line in lines), closing])


def _listed(opening: str, parts: list[ast.expr], closing: str) -> str:
    """Items of a list: as many answers on a line as fit, anything else below each other."""
    written = [f"{_wrapped(part, len(_INDENT) + 1)}," for part in parts]
    if not all(isinstance(part, ast.Constant) for part in parts):
        return _block(opening, written, closing)
    lines = written[:1]
    for part in written[1:]:
        if len(lines[-1]) + 1 + len(part) + len(_INDENT) <= WIDTH:
            lines[-1] += f" {part}"
        else:
            lines.append(part)
    return _block(opening, lines, closing)


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
