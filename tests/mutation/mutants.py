"""Mutants: each is one small change to a module's syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["Mutant", "mutants"]

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class Mutant(NamedTuple):
    """A module with one change.

    line: where, with the code there. lines: those of the statement, its body aside.
    fault: the change, as code before and after. place, number: which node, and which of its faults.
    """

    line: int
    code: str
    lines: range
    fault: str
    source: str
    place: int
    number: int

    def tree(self) -> ast.Module:
        """The module with its change."""
        tree = ast.parse(self.source)
        node = list(ast.walk(tree))[self.place]
        changed = list(_changes(node))[self.number]
        vars(changed).update({name: getattr(node, name) for name in node._attributes})
        faulty = _Put(node, changed).visit(tree)
        return ast.fix_missing_locations(faulty)


class _Put(ast.NodeTransformer):
    def __init__(self, node: ast.AST, instead: ast.AST) -> None:
        self._node, self._instead = node, instead

    def visit(self, node: ast.AST) -> Any:
        return self._instead if node is self._node else self.generic_visit(node)


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of a module, in the order of the source."""
    tree = ast.parse(source)
    text = source.splitlines()
    lines = dict(_statements(tree, range(0)))
    said = [part for node in ast.walk(tree) for part in _said(node)]
    skipped = {id(inner) for part in said for inner in ast.walk(part)}
    for place, node in enumerate(ast.walk(tree)):
        if id(node) in skipped:
            continue
        for number, changed in enumerate(_changes(node)):
            assert isinstance(node, ast.expr)  # only these are changed
            line = node.lineno
            fault = f"{ast.unparse(node)} → {ast.unparse(changed)}"[:150]
            code = text[line - 1].strip()
            yield Mutant(line, code, lines[id(node)], fault, source, place, number)


def _statements(node: ast.AST, lines: range) -> Iterator[tuple[int, range]]:
    """Of each node by its id, the lines of the statement it is in, without that one's body."""
    for child in ast.iter_child_nodes(node):
        own = lines
        if isinstance(child, ast.stmt | ast.match_case | ast.ExceptHandler):
            first = child.pattern.lineno if isinstance(child, ast.match_case) else child.lineno
            inner = [each.lineno for each in ast.walk(child) if isinstance(each, ast.stmt)]
            below = [each for each in inner if each > first]
            last = (
                child.body[-1].end_lineno if isinstance(child, ast.match_case) else child.end_lineno
            )
            own = range(first, min(below) if below else (last or first) + 1)
        yield id(child), own
        yield from _statements(child, own)


def _said(node: ast.AST) -> Iterator[ast.AST]:
    """Parts of a node in which a fault is no fault: types, words, and what names are exported."""
    match node:
        case ast.AnnAssign(annotation=annotation) | ast.arg(annotation=ast.expr() as annotation):
            yield annotation
        case ast.FunctionDef():
            yield from [*node.decorator_list, *([node.returns] if node.returns else [])]
        case ast.ClassDef():
            yield from node.decorator_list
        case ast.JoinedStr() | ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node
        case ast.Call(func=ast.Name(id="cast" | "TypeVar")):
            yield node
        case ast.Assign(targets=[ast.Name(id=name)]) if name[:1].isupper() and not name.isupper():
            yield node  # a type by another name
        case _:
            pass


def _changes(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=signs):
            for place, sign in enumerate(signs):
                others = [*signs[:place], _COMPARED[type(sign)](), *signs[place + 1 :]]
                yield ast.Compare(node.left, others, node.comparators)
        case ast.BoolOp(op=ast.And()):
            yield ast.BoolOp(ast.Or(), node.values)
        case ast.BoolOp(op=ast.Or()):
            yield ast.BoolOp(ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.BinOp() if type(node.op) in _COMPUTED:
            yield ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() as value):
            yield ast.Constant(value + 1)
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case _:
            pass
