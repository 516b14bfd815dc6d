"""Layers import downwards only: the table of docs/explanation/architecture.md, enforced.

An import inside a function counts like any other, and so does one for type checkers: both
say that a module knows of another. The exceptions are named doors, and they open only when
somebody walks through: inside a function, or for type checkers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "audiencelab"

# Every layer may use these; they know of nothing.
GROUND = {"_version", "background", "errors", "files", "flags", "hosts", "tokens", "wording"}
LANGUAGE = {"audience", "wire"}

MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "background": set(),
    "errors": set(),
    "files": set(),
    "flags": set(),
    "hosts": set(),
    "tokens": {"errors"},
    "wording": set(),
    "audience": LANGUAGE,
    "wire": LANGUAGE,
    "panel": LANGUAGE,
    "engine": LANGUAGE | {"panel"},
    "cluster": LANGUAGE | {"panel", "engine"},
    "service": LANGUAGE | {"panel", "engine"},
    "frames": LANGUAGE,
    "client": LANGUAGE | {"frames"},
    "charts": LANGUAGE | {"frames"},
    "widgets": LANGUAGE | {"client", "frames", "charts"},
    "lab": LANGUAGE | {"client", "widgets"},
    "notebook": {"frames"},
    "course": LANGUAGE | {"panel", "client", "frames"},
    "__main__": {"cli"},
}

# Where a layer reaches across: the client's embedded door calls the embedded service over a panel.
LAZY_DOORS: dict[str, set[str]] = {
    "client/doors/embedded.py": {"service", "panel", "engine", "cluster"},
    "service/http/server.py": {"cluster"},
}

# Where it only says in a signature what it takes or gives: `connect(panel=…)`, `client.service`.
TYPE_DOORS: dict[str, set[str]] = {
    "client/connection/connect.py": {"panel"},
    "client/calls/designing.py": {"service"},
    "client/face.py": {"service"},
    "client/session.py": {"service"},
}

# The rooms of two layers from the ground up: each may import those before it, and those named in
# one breath know nothing of each other.
ROOMS: dict[str, tuple[str, ...]] = {
    "client": (
        *("errors", "messages", "options", "credentials", "leaks", "raw", "listing", "awaiting"),
        *("stream", "catalogue", "web", "doors", "session", "operations", "flow", "calls"),
        *("progress", "following", "snapshots", "face", "endpoints", "async_endpoints"),
        *("analyses", "async_analyses", "client", "async_client", "connection", "inspecting"),
    ),
    "widgets": (
        *("libraries requests measuring saved", "channel frontend", "lab_widget", "scope"),
        *("picker", "editor grid", "workbench"),
    ),
}

# What may be imported by its name alone, and of what.
NAMED_ROOMS = {"audiencelab": set(MAY_IMPORT)} | {
    f"audiencelab.{layer}": set(" ".join(rooms).split()) for layer, rooms in ROOMS.items()
}

# The front doors lead everywhere.
ANYTHING_GOES = {"__init__", "cli"}


class Import(NamedTuple):
    """One import of one of our layers: which, which room of it, on which line, and when.

    lazy: not when the module is imported. for_types: never, but by type checkers.
    """

    layer: str
    room: str
    line: int
    lazy: bool
    for_types: bool


def imports_of(source: str, module: str) -> Iterator[Import]:
    """The layers that a module's source imports; the package itself is the layer `""`."""
    tree = ast.parse(source)
    lazy = _inside(tree, lambda outer: isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef))
    for_types = _inside(tree, _is_for_types)
    for node in ast.walk(tree):
        for name in _imported_modules(node, module):
            top, layer, room, *_ = [*name.split("."), "", ""]
            if top == "audiencelab":
                never = id(node) in for_types
                yield Import(layer, room, node.lineno, never or id(node) in lazy, never)


def _inside(tree: ast.AST, is_wanted: Callable[[ast.AST], bool]) -> set[int]:
    """The ids of all nodes inside those that are wanted."""
    return {id(inner) for outer in ast.walk(tree) if is_wanted(outer) for inner in ast.walk(outer)}


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
        f"{base}.{alias.name}" if alias.name in NAMED_ROOMS.get(base, ()) else base
        for alias in node.names
    ]


def forbidden(source: str, file: str) -> list[str]:
    """What the file imports against the table, in words."""
    parts = file.removesuffix(".py").split("/")
    layer = parts[0]
    if layer in ANYTHING_GOES:
        return []
    allowed = MAY_IMPORT[layer] | GROUND | {layer}
    doors, type_doors = LAZY_DOORS.get(file, set()), TYPE_DOORS.get(file, set())
    return [
        f"{file}:{found.line} imports {found.layer or 'the package itself'}"
        for found in imports_of(source, ".".join(["audiencelab", *parts]))
        if found.layer not in allowed
        and not (found.lazy and found.layer in doors)
        and not (found.for_types and found.layer in type_doors)
    ]


def below(layer: str, room: str) -> set[str]:
    """The room itself, and those of its layer that it may import."""
    found = {room}
    for peers in map(str.split, ROOMS[layer]):
        if room in peers:
            return found
        found.update(peers)
    raise LookupError(f"{layer}.{room} has no place in the order of its layer")


def forbidden_upwards(source: str, file: str) -> list[str]:
    """What a file imports of a room above or beside its own, in words."""
    layer, room, *_ = parts = file.removesuffix(".py").split("/")
    allowed = below(layer, room)
    return [
        f"{file}:{found.line} imports {layer}.{found.room}"
        for found in imports_of(source, ".".join(["audiencelab", *parts]))
        if found.layer == layer and found.room not in allowed
    ]


def imported_at_once(source: str, module: str) -> set[str]:
    """The modules of ours that are imported while the module itself is."""
    found = set[str]()
    for node in ast.parse(source).body:
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names & MODULES.keys() or {node.module or ""}
        found |= set(_imported_modules(node, module)) if isinstance(node, ast.Import) else set()
    return (found & MODULES.keys()) - {module}


FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("file", FILES)
def test_imports_point_down(file: str) -> None:
    assert forbidden((PACKAGE / file).read_text(encoding="utf-8"), file) == []


FILES_IN_ROOMS = [
    file
    for file in FILES
    for layer, *below_it in [file.split("/")]
    if layer in ROOMS and below_it != ["__init__.py"]
]


@pytest.mark.parametrize("file", FILES_IN_ROOMS)
def test_rooms_import_downwards(file: str) -> None:
    assert forbidden_upwards((PACKAGE / file).read_text(encoding="utf-8"), file) == []


def test_sees_what_reaches_upwards() -> None:
    assert forbidden_upwards("from audiencelab.client.calls import asking", "client/flow/x.py")
    assert forbidden_upwards("from audiencelab.client import session", "client/web/x.py")
    assert forbidden_upwards("from audiencelab.widgets.editor import html", "widgets/grid/x.py")
    assert not forbidden_upwards("from audiencelab.widgets.picker import html", "widgets/grid/x.py")


MODULES = {
    "audiencelab." + file.removesuffix(".py").replace("/", ".").removesuffix(".__init__"): file
    for file in FILES
}


def test_no_module_is_imported_while_it_imports() -> None:
    at_once = {
        module: imported_at_once((PACKAGE / file).read_text(encoding="utf-8"), module)
        for module, file in MODULES.items()
    }
    TopologicalSorter(at_once).prepare()  # CycleError names the circle


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
        ("client/session.py", "def f():\n    from audiencelab.service import handle"),
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
        ("client/session.py", "if TYPE_CHECKING:\n    from audiencelab.service import Service"),
        ("cli.py", "import audiencelab.service"),
    ],
)
def test_lets_pass_what_is_allowed(file: str, source: str) -> None:
    assert forbidden(source, file) == []
