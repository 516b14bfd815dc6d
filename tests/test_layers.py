"""A package imports only from packages before it, and no module is imported while it imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "audiencelab"

GROUND = {"_version", "background", "errors", "files", "flags", "local_servers", "wording"}

ORDER = (
    *("expressions", "schema", "survey", "ingest", "engine", "service", "results", "analysis"),
    *("render", "charts", "tables", "client", "widgets", "jupyter", "notebook", "course"),
    *("testing", "cli", "__main__", "__init__"),
)

UPWARD = {
    ("schema", "expressions"),
    ("survey", "ingest"),
    ("results", "analysis"),
    ("results", "render"),
    ("analysis", "render"),
    ("charts", "tables"),
}
"""Imports against the order that are still to be removed."""

MODULES = {
    "audiencelab." + ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
MODULES = {name.removesuffix(".__init__"): path for name, path in MODULES.items()}


def imports_of(tree: ast.AST) -> Iterator[str]:
    """The modules of ours that are imported anywhere in the tree, also in functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module in MODULES:
            full = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in full if name in MODULES)
            if not all(name in MODULES for name in full):
                yield node.module


def test_packages_import_only_from_those_before_them() -> None:
    against = set[tuple[str, str]]()
    for path in MODULES.values():
        above = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if above in GROUND:
            continue
        for name in imports_of(ast.parse(path.read_text(encoding="utf-8"))):
            below = (*name.split("."), "__init__")[1]
            if below not in GROUND | {above} and ORDER.index(below) >= ORDER.index(above):
                against.add((above, below))
    assert against <= UPWARD


def test_no_module_is_imported_while_it_imports() -> None:
    at_once = {
        name: {
            found
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for found in imports_of(node)
        }
        - {name}
        for name, path in MODULES.items()
    }
    TopologicalSorter(at_once).prepare()  # CycleError names the circle
