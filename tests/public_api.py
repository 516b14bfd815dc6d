"""Every promised name with its signature, as text: what must not change unnoticed.

Promised is what the package and the modules for its users export; the reference also documents
parts of the engine, the schema and surveys, which may change. A change of the text is a change for
somebody's notebook: whoever makes one on purpose writes the text again,
`python -m tests.public_api`, and says so in the changelog.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

PROMISED = (
    "audiencelab",
    "audiencelab.charts",
    "audiencelab.client",
    "audiencelab.course",
    "audiencelab.ingest",
    "audiencelab.tables",
)
WRITTEN = Path(__file__).with_suffix(".txt")

# Words that hold a place in memory or a default that is made anew each time.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def public_api() -> str:
    """The text: a module, a name in it, and what can be done with that, line by line."""
    told: dict[int, str] = {}
    lines = (_module(importlib.import_module(name), told) for name in PROMISED)
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
        yield from _class(value, told, where)
    elif callable(value):
        yield f"  {name}{_signature(value)}"
    else:
        yield f"  {name}: {type(value).__name__}"


def _class(value: type, told: dict[int, str], where: str) -> Iterator[str]:
    """A class with its own members, after those of ours that it inherits from."""
    told[id(value)] = where
    bases = [base for base in value.__bases__ if base is not object]
    ours = [base for base in bases if base.__module__.startswith("audiencelab")]
    for base in ours:
        if id(base) not in told:
            yield from _class(base, told, where)
    named = ", ".join(base.__name__ for base in bases)
    yield f"  class {value.__name__}{f'({named})' if named else ''}"
    yield from (f"    {line}" for line in _members(value))


def _members(value: type) -> Iterator[str]:
    """What a class itself offers; an asynchronous one, what differs from its synchronous twin."""
    lines = {
        _member(name, member) for name, member in vars(value).items() if not name.startswith("_")
    }
    if "__init__" in vars(value):
        lines.add(_signature(vars(value)["__init__"]))
    module = value.__module__.replace("._async.", "._sync.")
    if module != value.__module__:
        twin = getattr(importlib.import_module(module), value.__name__.removeprefix("Async"))
        lines -= set(_members(twin))
    yield from sorted(lines)


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
