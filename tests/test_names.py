"""A class name has one meaning in the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping

from tests.test_imports import MODULES

SAME_IDEA = {
    "InsightsPage": "a document of the wire, and what a client returns of it, its subclass",
    "Record": "a shape of JSON in a request, and what a result is of; no public class",
    "StatsResult": "a document of the wire, and what a client returns of it",
}
"""Names that two classes have, and why no reader takes one for the other."""


def classes(source: str) -> Iterator[str]:
    """The names of the classes of a module, private ones aside."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name


def used_twice(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Class names of several modules, with the modules."""
    found: dict[str, list[str]] = defaultdict(list)
    for module, source in sources.items():
        for name in set(classes(source)):
            found[name].append(module)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def test_no_two_classes_have_one_name() -> None:
    sources = {module: path.read_text("utf-8") for module, path in MODULES.items()}
    found = used_twice(sources)
    assert {name: modules for name, modules in found.items() if name not in SAME_IDEA} == {}
    assert found.keys() >= SAME_IDEA.keys(), "an exception that is not needed any more"


def test_sees_a_name_that_is_used_twice() -> None:
    one, other = "class Scope: ...", "def f():\n    class Scope: ...\n\nclass _Own: ..."
    assert used_twice({"a": one, "b": other, "c": "class _Own: ..."}) == {"Scope": ["a", "b"]}
