"""Python code read back as what it says, without running any of it.

People paste code from a notebook into an editor; running it would be giving a text field the
kernel. So the code is parsed, and only the words of the audience language are followed: `al.Q`,
`any`, `all`, `at_least`, `all_of`, `any_of`, `Audience`, the operators `&`, `|` and `~`, names
given to them before, and literals.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent
from typing import Any, cast

from audiencelab.audience.audience import Audience
from audiencelab.audience.expression import Expression, Q, all_of, any_of
from audiencelab.errors import AudienceError

__all__ = ["CodeError", "read_code"]

MAX_CHARACTERS = 200_000
"""Of a longer text nobody reads what it says; parsing would take seconds."""

_MAKERS: dict[str, Callable[..., Any]] = {
    "Q": Q,
    "Audience": Audience,
    "all_of": all_of,
    "any_of": any_of,
}
_QUANTIFIERS = {"any", "all", "at_least"}


class CodeError(AudienceError, ValueError):
    """Code that does not say an audience; the message says on which line, and what was expected."""


def read_code(text: str) -> list[Audience | Expression]:
    """The audiences and expressions that some code evaluates to: those of its last statement.

    `to_code()` of an expression or audience gives an equal one back; a list of them gives each.
    Raises `CodeError` for whatever else the code does.
    """
    if len(text) > MAX_CHARACTERS:
        raise CodeError(f"{len(text):,} characters are more than can be read as code.")
    try:
        statements = ast.parse(dedent(text).strip()).body
        return _Reader().run(statements)
    except SyntaxError as error:
        raise CodeError(f"Line {error.lineno or 1}: this is no Python code.") from None
    except (RecursionError, MemoryError):
        raise CodeError("The code is nested too deeply to be read.") from None


class _Reader:
    """Follows statements one by one; `names` holds what was given a name."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}

    def run(self, statements: list[ast.stmt]) -> list[Audience | Expression]:
        last: Any = None
        for statement in statements:
            if not isinstance(statement, ast.Import | ast.ImportFrom):
                last = self.statement(statement)
        found = cast("list[Any]", last if isinstance(last, list) else [last])
        if not found or not all(isinstance(each, Audience | Expression) for each in found):
            raise CodeError(
                "The code has to end with an audience or an expression, such as "
                "al.Q('q4').any('q4_2')."
            )
        return found

    def statement(self, node: ast.stmt) -> Any:
        if isinstance(node, ast.Expr):
            return self.value(node.value)
        if (
            isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(name := node.targets[0], ast.Name)
        ):
            self.names[name.id] = value = self.value(node.value)
            return value
        raise _not_understood(node)

    def value(self, node: ast.expr) -> Any:
        try:
            return self._value(node)
        except (TypeError, ValueError) as error:
            if isinstance(error, CodeError):
                raise
            # The language's own refusals say what to write instead.
            raise CodeError(f"Line {node.lineno}: {error}") from None

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str() | int() | None as literal):
                return literal
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.value(part) for part in parts]
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.BinOp(left=left, op=ast.BitAnd(), right=right):
                return self._expression(left) & self._expression(right)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return self._expression(left) | self._expression(right)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return ~self._expression(operand)
            case ast.Call(func=function):
                positional = [each for part in node.args for each in self._arguments(part)]
                named = dict(map(self._named_argument, node.keywords))
                return self._called(function)(*positional, **named)
            case _:
                raise _not_understood(node)

    def _expression(self, node: ast.expr) -> Expression:
        found = self.value(node)
        if not isinstance(found, Expression):
            raise CodeError(f"Line {node.lineno}: only expressions are combined by &, | and ~.")
        return found

    def _arguments(self, node: ast.expr) -> list[Any]:
        if isinstance(node, ast.Starred):
            return list(cast("list[Any]", self.value(node.value)))
        return [self.value(node)]

    def _named_argument(self, node: ast.keyword) -> tuple[str, Any]:
        if node.arg is None:
            raise _not_understood(node.value)
        return node.arg, self.value(node.value)

    def _called(self, function: ast.expr) -> Callable[..., Any]:
        match function:
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name) if name in _MAKERS:
                return _MAKERS[name]
            case ast.Attribute(value=question, attr=name) if name in _QUANTIFIERS:
                asked = self.value(question)
                if isinstance(asked, Q):
                    return getattr(asked, name)
            case _:
                pass
        raise _not_understood(function)


def _not_understood(node: ast.stmt | ast.expr) -> CodeError:
    written = ast.unparse(node)
    shown = written if len(written) <= 60 else f"{written[:60]}…"
    return CodeError(
        f"Line {node.lineno}: {shown!r} is not part of the audience language. It has al.Q(…)"
        ".any(…), .all(…) and .at_least(n, …), &, | and ~, al.all_of, al.any_of and al.Audience."
    )
