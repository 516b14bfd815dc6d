"""Parsing Python code of audiences without running it.

People paste code from a notebook into an editor; running it would give a text field control of
the kernel. So the code is parsed, and only the names of the audience language are followed: `al.Q`,
`client["Age"]`, `any`, `isin`, `all`, `at_least`, `between`, `named`, `all_of`, `any_of`,
`Audience`, the operators `&`, `|`, `~` and comparisons, names given to them before, and literals.
"""

from __future__ import annotations

import ast
import operator as operators
from collections.abc import Callable
from textwrap import dedent
from typing import Any, NamedTuple, cast

from audiencelab.errors import AudienceError
from audiencelab.expressions.nodes import (
    Audience,
    Combinator,
    Condition,
    Expression,
    Leaf,
    all_of,
    any_of,
)
from audiencelab.expressions.number_range import is_number
from audiencelab.expressions.parsing import MAX_DEPTH, MAX_NODES
from audiencelab.expressions.question import Q

MAX_CHARACTERS = 200_000
"""Length of the code, and of the expression written out: variables and stars can make a few lines
very large. Parsing more would take seconds."""

_MOST_WORK = 10_000_000
"""Children and arguments put together in all, which takes a few seconds."""

_MAKERS: dict[str, Callable[..., Any]] = {
    "Q": Q,
    "Audience": Audience,
    "all_of": all_of,
    "any_of": any_of,
}
_QUANTIFIERS = {"any", "all", "at_least", "isin", "between"}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operators.lt,
    ast.LtE: operators.le,
    ast.Gt: operators.gt,
    ast.GtE: operators.ge,
}


class CodeError(AudienceError, ValueError):
    """Code that is not an audience; the message names the line and what was expected."""


class _Question(NamedTuple):
    """What `client["Age"]` evaluates to: a question of the catalogue."""

    found: Any


def read_code(text: str, find: Callable[[str], Any] | None = None) -> list[Audience | Expression]:
    """The audiences and expressions that some code evaluates to: those of its last statement.

    find: a question of the catalogue by its name or code, for `client["Age"]`.

    `to_code()` of an expression or audience gives an equal one back; a list of them gives each.
    Raises `CodeError` for any other code, and for an expression of more than
    `MAX_NODES` nodes or `MAX_DEPTH` levels.
    """
    # Before parsing, which takes seconds for longer code.
    if len(text) > MAX_CHARACTERS:
        raise CodeError(f"{len(text):,} characters are more than can be read as code.")
    try:
        statements = ast.parse(dedent(text).strip()).body
        return _Reader(find).run(statements)
    except SyntaxError as error:
        raise CodeError(f"Line {error.lineno or 1}: this is not Python code.") from None
    except (RecursionError, MemoryError):
        raise CodeError("The code is nested too deeply to be read.") from None
    except CodeError:
        raise
    except ValueError as error:
        # A lone surrogate, or an integer of thousands of digits.
        raise CodeError(f"The code cannot be read: {error}") from None


class _Reader:
    """Evaluates statements one by one; `names` holds the variables."""

    def __init__(self, find: Callable[[str], Any] | None) -> None:
        self.names: dict[str, Any] = {}
        self._find = find
        self._sizes = _Sizes()

    def run(self, statements: list[ast.stmt]) -> list[Audience | Expression]:
        last: Any = None
        for statement in statements:
            # Pasted code begins with them; nothing is imported.
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
            found = self._value(node)
            if isinstance(found, Expression):
                self._sizes.check(found)
            return found
        except (TypeError, ValueError, LookupError) as error:
            if isinstance(error, CodeError):
                raise
            # These messages of the language contain the fix.
            raise CodeError(f"Line {node.lineno}: {error}") from None

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=str() | int() | float() | None as literal):
                return literal
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return [self.value(part) for part in parts]
            case ast.Name(id=name) if name in self.names:
                return self.names[name]
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr()):
                return self._joined(node)
            case ast.Subscript(value=ast.Name(), slice=ast.Constant(value=str() as name)) if (
                self._find is not None
            ):
                return _Question(self._find(name))
            case ast.Compare(left=asked, ops=[sign], comparators=[given]):
                return self._compared(self._asked(asked, node), sign, self.value(given), node)
            case ast.UnaryOp():
                return self._signed(node)
            case ast.Call(func=function):
                positional: list[Any] = []
                for part in node.args:
                    positional += (given := self._arguments(part))
                    self._sizes.work(len(given))
                named = dict(map(self._named_argument, node.keywords))
                return self._called(function)(*positional, **named)
            case _:
                raise _not_understood(node)

    def _signed(self, node: ast.UnaryOp) -> Any:
        match node:
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return ~self._expression(operand)
            # Python parses -5 as a minus before a number.
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
                return -number
            case _:
                raise _not_understood(node)

    def _compared(self, asked: Any, sign: ast.cmpop, given: Any, node: ast.expr) -> Any:
        if compare := _COMPARISONS.get(type(sign)):
            return compare(asked, given)
        if not isinstance(sign, ast.Eq | ast.NotEq):
            raise _not_understood(node)
        found = asked.between(given, given) if is_number(given) else asked.any(given)
        return ~found if isinstance(sign, ast.NotEq) else found

    def _joined(self, node: ast.BinOp) -> Expression:
        """What `a & b | …` builds; from the left, as hundreds may be joined on one level."""
        right: list[tuple[ast.operator, ast.expr]] = []
        first: ast.expr = node
        while isinstance(first, ast.BinOp) and isinstance(first.op, ast.BitAnd | ast.BitOr):
            right.append((first.op, first.right))
            first = first.left
        found = self._expression(first)
        for operator, operand in reversed(right):
            other = self._expression(operand)
            joined = found & other if isinstance(operator, ast.BitAnd) else found | other
            self._sizes.work(len(joined.children))
            found = joined
        return found

    def _expression(self, node: ast.expr) -> Expression:
        found = self.value(node)
        if not isinstance(found, Expression):
            raise CodeError(f"Line {node.lineno}: only expressions are combined by &, | and ~.")
        return found

    def _asked(self, node: ast.expr, whole: ast.expr) -> Any:
        """The question that answers are given of."""
        found = self.value(node)
        if not isinstance(found, Q | _Question):
            raise _not_understood(whole)
        return found if isinstance(found, Q) else found.found

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
            # `Q` and `al.Q` alike: the name before the dot is whatever the module was imported as.
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name) if name in _MAKERS:
                return _MAKERS[name]
            case ast.Attribute(value=question, attr=name) if name in _QUANTIFIERS:
                return getattr(self._asked(question, function), name)
            case ast.Attribute(value=named, attr="named"):
                found = self.value(named)
                if isinstance(found, Audience | Expression):
                    return found.named
            case _:
                pass
        raise _not_understood(function)


class _Sizes:
    """Sizes of expressions, each measured once: a variable may occur in many places."""

    def __init__(self) -> None:
        # By identity, as a hash visits the whole tree; the expression is kept so that its id is.
        self._known: dict[int, tuple[Expression, int, int, int]] = {}
        self._work = 0

    def check(self, root: Expression) -> None:
        """Raise `ValueError` for an expression beyond the limits."""
        _, nodes, depth, characters = self._size(root)
        if nodes > MAX_NODES:
            raise ValueError(f"the expression has more than {MAX_NODES:,} nodes, the limit.")
        if depth > MAX_DEPTH:
            raise ValueError(f"the expression is nested deeper than {MAX_DEPTH} levels.")
        if characters > MAX_CHARACTERS:
            raise ValueError(
                f"the expression takes more than {MAX_CHARACTERS:,} characters to write, the limit."
            )

    def work(self, parts: int) -> None:
        """Count parts put together; raise `ValueError` beyond the limit."""
        self._work += parts
        if self._work > _MOST_WORK:
            raise ValueError(f"the code puts together more than {_MOST_WORK:,} parts, the limit.")

    def _size(self, root: Expression) -> tuple[Expression, int, int, int]:
        if found := self._known.get(id(root)):
            return found
        if isinstance(root, Condition):
            answers = (*root.datapoints, *root.suffixes) if isinstance(root, Leaf) else ()
            codes = (root.question, *answers)
            made = (root, 1, 1, sum(map(len, codes)) + len(codes))
        else:
            children = cast(Combinator, root).children
            self.work(len(children))
            sizes = [self._size(child) for child in children]
            nodes, depth, characters = zip(*(size[1:] for size in sizes), strict=True)
            made = (root, 1 + sum(nodes), 1 + max(depth), 1 + sum(characters))
        self._known[id(root)] = made
        return made


def _not_understood(node: ast.stmt | ast.expr) -> CodeError:
    written = ast.unparse(node)
    shown = written if len(written) <= 60 else f"{written[:60]}…"
    return CodeError(
        f"Line {node.lineno}: {shown!r} is not part of the audience language. It has al.Q(…) "
        "and client[…] with .any(…), .isin(…), .all(…), .at_least(n, …), .between(…) and "
        "comparisons, &, | and ~, al.all_of, al.any_of, al.Audience and .named(…)."
    )
