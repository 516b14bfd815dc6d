"""No private attribute of another library: any of their releases may rename it.

A name with a leading underscore belongs to the module that defines it, and to subclasses by `self`.
Any other lookup, by an attribute, by `getattr` or by an import, is of somebody else's object.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "audiencelab"

DOCUMENTED = {"_anywidget_id", "_asdict", "_css", "_esm", "_exit", "_fields", "_make", "_replace"}
"""Names that libraries document although they begin with an underscore."""

KNOWN = {
    "_compliant_frame",  # narwhals
    "_reply_subshell_id",  # ipykernel
}
"""Names that are still looked up. Only remove entries; the aim is none."""

BY_NAME = ("getattr", "hasattr", "setattr", "delattr", ".pop", "attrgetter")
"""Functions that look attributes up by their names; strings they get count."""


def is_private(name: str) -> bool:
    return name.startswith("_") and name.isidentifier() and not name.startswith("__")


def defined(tree: ast.AST) -> Iterator[str]:
    """Names that a module defines: functions, classes, variables, attributes of `self`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_own(node):
            yield node.attr


def is_own(node: ast.Attribute) -> bool:
    """Whether an attribute is looked up in `self`, `cls` or `super()`."""
    return ast.unparse(node.value) in {"self", "cls", "super()"}


def looked_up(tree: ast.AST) -> Iterator[str]:
    """Names that a module looks up in other objects and modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not is_own(node):
            yield node.attr
        elif isinstance(node, ast.Import):
            yield from (part for alias in node.names for part in alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            names = (alias.name for alias in node.names)
            ours = (node.module or "").startswith("audiencelab") or node.level
            yield from () if ours else (*names, *(node.module or "").split("."))
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(BY_NAME):
            values = (each.value for each in node.args if isinstance(each, ast.Constant))
            yield from (value for value in values if isinstance(value, str))


def foreign(tree: ast.AST) -> set[str]:
    """Private names of others that a module looks up."""
    own = DOCUMENTED | set(defined(tree))
    return {name for name in looked_up(tree) if is_private(name) and name not in own}


def test_private_names_of_other_libraries_are_not_used() -> None:
    found = {
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in foreign(ast.parse(path.read_text("utf-8"))) - KNOWN
    }
    assert found == set()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("threading._register_atexit(end)", {"_register_atexit"}),
        ("getattr(comm, '_reply_subshell_id')", {"_reply_subshell_id"}),
        ("from httpx._transports import default", {"_transports"}),
        ("from audiencelab._version import __version__", set()),
        ("class A:\n    _b = 1\nother._b", set()),
        ("self._a()", set()),
        ("self._pool._network", {"_network"}),
        ("x.__class__", set()),
    ],
)
def test_sees_private_names_of_others(source: str, names: set[str]) -> None:
    assert foreign(ast.parse(source)) == names
