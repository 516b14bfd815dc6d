"""Every public name with its signature, as text: what must not change unnoticed.

Public is what the package exports, and what the modules export that the reference documents. A
change of the text is a change for somebody's notebook: whoever makes one on purpose writes the text
again, `python -m tests.public_api`, and says so in the changelog.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

REFERENCE = Path(__file__).parents[1] / "docs" / "reference"
WRITTEN = Path(__file__).with_suffix(".txt")

# Words that hold a place in memory or a default that is made anew each time.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def modules() -> list[str]:
    """The package, and the modules that the reference documents."""
    pages = "".join(page.read_text(encoding="utf-8") for page in sorted(REFERENCE.glob("*.md")))
    named = re.findall(r"(?:currentmodule|automodule):: (audiencelab[\w.]*)", pages)
    return sorted({"audiencelab", *named})


def public_api() -> str:
    """The text: a module, a name in it, and what can be done with that, line by line."""
    told: dict[int, str] = {}
    lines = (_module(importlib.import_module(name), told) for name in modules())
    return "\n".join(line for part in lines for line in part)


def _module(module: ModuleType, told: dict[int, str]) -> Iterator[str]:
    yield f"\n{module.__name__}"
    for name in _public_names(module):
        yield from _described(name, getattr(module, name), told, module.__name__)


def _public_names(module: ModuleType) -> list[str]:
    """What the module exports; by default the classes and functions that it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return sorted(getattr(module, "__all__", defined))


def _described(name: str, value: Any, told: dict[int, str], where: str) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield f"  {name}: module"
    elif inspect.isclass(value) and id(value) in told:
        yield f"  class {name}: that of {told[id(value)]}"
    elif inspect.isclass(value):
        told[id(value)] = where
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
        yield f"  class {name}{f'({bases})' if bases else ''}"
        yield from (f"    {line}" for line in _members(value))
    elif callable(value):
        yield f"  {name}{_signature(value)}"
    else:
        yield f"  {name}: {type(value).__name__}"


def _members(value: type) -> Iterator[str]:
    """What a class of ours offers, what it inherits from another of ours included."""
    told: dict[str, str] = {}
    for owner in reversed(value.__mro__):
        if not owner.__module__.startswith("audiencelab"):
            continue
        for name, member in vars(owner).items():
            if not name.startswith("_"):
                told[name] = _member(name, member)
        if "__init__" in vars(owner):
            told["()"] = _signature(vars(owner)["__init__"])
    yield from sorted(told.values())


def _member(name: str, member: Any) -> str:
    kind = "property" if isinstance(member, property) else type(member).__name__
    if isinstance(member, staticmethod | classmethod):
        return f"{name}{_signature(member.__func__)} {kind}"
    return f"{name}{_signature(member)}" if callable(member) else f"{name}: {kind}"


def _signature(value: Any) -> str:
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(…)"
    return _ADDRESS.sub("", str(found))


if __name__ == "__main__":
    WRITTEN.write_text(public_api() + "\n", encoding="utf-8")
    print(f"{WRITTEN}: {len(WRITTEN.read_text(encoding='utf-8').splitlines()):,} lines")
