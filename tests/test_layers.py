"""Layers import downwards only: the table of docs/explanation/architecture.md, enforced.

An import inside a function counts like any other, and so does one for type checkers: both
say that a module knows of another. The exceptions are named doors, and they open only when
somebody walks through: inside a function, or for type checkers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "audiencelab"

# Every layer may use these; they know of nothing.
GROUND = {"_version", "errors", "tokens"}
LANGUAGE = {"audience", "wire"}

MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "errors": set(),
    "tokens": {"errors"},
    "audience": LANGUAGE,
    "wire": LANGUAGE,
    "panel": LANGUAGE,
    "engine": LANGUAGE | {"panel"},
    "service": LANGUAGE | {"panel", "engine"},
    "frames": LANGUAGE,
    "client": LANGUAGE | {"frames"},
    "charts": LANGUAGE | {"frames"},
    "widgets": LANGUAGE | {"client", "frames", "charts"},
    "lab": LANGUAGE | {"client"},
    "__main__": {"cli"},
}

# Where a layer reaches across: the client's embedded door calls the embedded service over a panel,
# `connect(panel=…)` says in its signature that it takes one, and `client.service` that it is one.
LAZY_DOORS: dict[str, set[str]] = {
    "client/doors/embedded.py": {"service", "panel"},
    "client/connecting/connection.py": {"panel"},
    "client/face.py": {"service"},
    "client/session.py": {"service"},
}

# The front doors lead everywhere.
ANYTHING_GOES = {"__init__", "cli"}


class Import(NamedTuple):
    """One import of one of our layers: which, on which line, and whether at import time."""

    layer: str
    line: int
    lazy: bool


def imports_of(source: str, module: str) -> Iterator[Import]:
    """The layers that a module's source imports; the package itself is the layer `""`."""
    tree = ast.parse(source)
    lazy = {
        id(inner)
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) or _is_for_types(outer)
        for inner in ast.walk(outer)
    }
    for node in ast.walk(tree):
        for name in _imported_modules(node, module):
            top, _, rest = name.partition(".")
            if top == "audiencelab":
                yield Import(rest.partition(".")[0], node.lineno, id(node) in lazy)


def _is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def _imported_modules(node: ast.AST, module: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        above = module.split(".")[: -node.level]
        base = ".".join([*above, base] if base else above)
    # "from audiencelab import wire" means the layer, "… import Q" the package itself.
    return [
        f"audiencelab.{alias.name}" if base == "audiencelab" and alias.name in MAY_IMPORT else base
        for alias in node.names
    ]


def forbidden(source: str, file: str) -> list[str]:
    """What the file imports against the table, in words."""
    parts = file.removesuffix(".py").split("/")
    layer = parts[0]
    if layer in ANYTHING_GOES:
        return []
    allowed = MAY_IMPORT[layer] | GROUND | {layer}
    doors = LAZY_DOORS.get(file, set())
    return [
        f"{file}:{found.line} imports {found.layer or 'the package itself'}"
        for found in imports_of(source, ".".join(["audiencelab", *parts]))
        if found.layer not in allowed and not (found.lazy and found.layer in doors)
    ]


FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES)
def test_imports_point_down(file: str) -> None:
    assert forbidden((PACKAGE / file).read_text(encoding="utf-8"), file) == []


def test_every_layer_is_in_the_table() -> None:
    layers = {file.removesuffix(".py").split("/")[0] for file in FILES}
    assert layers - set(MAY_IMPORT) == ANYTHING_GOES


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("engine/masks.py", "from audiencelab.service import handle"),
        ("engine/masks.py", "import audiencelab.client.web.http"),
        ("engine/masks.py", "from audiencelab import Q"),
        ("engine/masks.py", "from ..service import handle"),
        ("engine/masks.py", "from .. import service"),
        ("engine/masks.py", "def f():\n    from audiencelab.widgets import Grid"),
        ("engine/masks.py", "if TYPE_CHECKING:\n    from audiencelab.service import Service"),
        ("service/app.py", "def f():\n    import audiencelab.client"),
        ("client/doors/embedded.py", "from audiencelab.service import handle"),
        ("client/web/http.py", "def f():\n    from audiencelab.service import handle"),
    ],
)
def test_sees_what_is_forbidden(file: str, source: str) -> None:
    assert forbidden(source, file) != []


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("engine/masks.py", "from audiencelab.panel import Panel\nimport numpy, audiencelab.wire"),
        ("engine/masks.py", "from .bits import Words\nfrom audiencelab import panel"),
        ("client/doors/embedded.py", "def f():\n    from audiencelab.service import handle"),
        ("client/doors/embedded.py", "if TYPE_CHECKING:\n    from audiencelab.panel import Panel"),
        ("cli.py", "import audiencelab.service"),
    ],
)
def test_lets_pass_what_is_allowed(file: str, source: str) -> None:
    assert forbidden(source, file) == []
