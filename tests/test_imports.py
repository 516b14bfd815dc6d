"""Packages import only those before them, and no modules import each other in a circle.

All imports count: those at the top of a module, inside functions and for type checkers. An import
of a name from a package is an import of the package's `__init__`, unless the name is a module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "audiencelab"

ORDER = (
    *("expressions", "schema", "survey", "ingest", "engine", "service"),
    *("results", "analysis", "render", "charts", "tables", "client"),
    *("widgets", "jupyter", "notebook", "course", "assistants", "testing", "cli"),
)
"""The packages; each imports only those before it. Single modules are below all of them."""

TOP = {"audiencelab", "audiencelab.__main__"}
"""Modules that may import anything, and that no other module imports."""

Graph = Mapping[str, set[str]]


def modules() -> dict[str, Path]:
    """All modules of the package by their names."""
    names: dict[str, Path] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


MODULES = modules()


def imports_of(source: str, module: str, known: Mapping[str, object] = MODULES) -> set[str]:
    """The modules of ours that the source of a module imports, anywhere in it."""
    package = module if _is_package(module, known) else module.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        found.update(_imported(node, package, known))
    return found - {module}


def _is_package(module: str, known: Mapping[str, object]) -> bool:
    path = known.get(module)
    return isinstance(path, Path) and path.name == "__init__.py"


def _imported(node: ast.AST, package: str, known: Mapping[str, object]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in known)
    elif isinstance(node, ast.ImportFrom):
        parents = package.split(".")[: len(package.split(".")) - node.level + 1]
        base = ".".join([*(parents if node.level else []), *filter(None, [node.module])])
        if base.split(".")[0] == "audiencelab":
            names = (f"{base}.{alias.name}" for alias in node.names)
            yield from (name if name in known else base for name in names)
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        # importlib.import_module("audiencelab.x")
        name = node.args[0].value
        if ast.unparse(node.func).endswith("import_module") and name in known:
            yield str(name)


@cache
def graph() -> dict[str, set[str]]:
    """What each module imports; not at import, since every process collects all tests."""
    return {name: imports_of(path.read_text("utf-8"), name) for name, path in MODULES.items()}


def upward(imports: Graph) -> set[tuple[str, str]]:
    """Packages that import one after them, or the top."""
    rank = {name: number for number, name in enumerate(ORDER)}
    found: set[tuple[str, str]] = set()
    for module, imported in imports.items():
        mine = -1 if module in TOP else rank.get(package_of(module), -1)
        for other in imported if module not in TOP else ():
            if other in TOP or rank.get(package_of(other), -1) > mine:
                found.add((package_of(module), package_of(other)))
    return found


def package_of(module: str) -> str:
    """The package below `audiencelab` that a module is in, or the module itself."""
    return [*module.split("."), ""][1]


def circle(imports: Graph) -> list[str]:
    """The modules of a circle, the first one again at its end; none where there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_packages_import_only_those_before_them() -> None:
    assert upward(graph()) == set()


def test_every_package_is_in_the_order() -> None:
    packages = {module.split(".")[1] for module, path in MODULES.items() if path.parent != PACKAGE}
    assert packages == set(ORDER)


def test_no_modules_import_each_other() -> None:
    assert circle(graph()) == []


def test_sees_a_circle_through_three_modules() -> None:
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}})) == {"a", "b", "c"}
    assert circle({"a": {"b"}, "b": set()}) == []


def test_sees_imports_of_every_form() -> None:
    known = dict.fromkeys(["audiencelab", "audiencelab.a", "audiencelab.a.x", "audiencelab.b"])
    source = """
import audiencelab.a.x
if TYPE_CHECKING:
    from audiencelab import b
def lazy():
    from audiencelab.a import Name
    import_module("audiencelab")
from . import x
"""
    assert imports_of(source, "audiencelab.a.y", known) == set(known)
