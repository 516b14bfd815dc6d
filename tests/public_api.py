"""Every promised name with its signature, as text: what must not change unnoticed.

Promised is what the package and the modules for its users export; the reference also documents
parts of the engine, the schema and surveys, which may change. A change of the text is a change for
somebody's notebook: whoever makes one on purpose writes the text again,
`python -m tests.public_api`, and says so in the changelog.

A class has a line with its signature, which for records names the fields and for widgets the
traits, and one for each member of its own but its hidden members. Classes that calls return are not
made by users, and neither are errors: their constructors are not promised, as
`docs/how-to/upgrade.md` says.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, cast, get_args, get_origin

from audiencelab.client.on_threads import OnThreads
from audiencelab.hidden_members import hidden_members

PROMISED = (
    "audiencelab",
    "audiencelab.charts",
    "audiencelab.client",
    "audiencelab.course",
    "audiencelab.ingest",
    "audiencelab.tables",
)
WRITTEN = Path(__file__).with_suffix(".txt")

MADE_BY_USERS = (
    "Audience",
    "AudienceEditor",
    "Crosstab",
    "Fault",
    "Q",
    "QuestionPicker",
    "Secret",
    "Workbench",
)
"""Classes without fields whose constructors are promised."""

# Words that hold a place in memory or a default that is made anew each time.
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def public_api() -> str:
    """The text: a module, a name in it, and what can be done with that, line by line."""
    listed: set[int] = set()
    lines = (_module(importlib.import_module(name), listed) for name in PROMISED)
    return "\n".join(line for part in lines for line in part)


def _module(module: ModuleType, listed: set[int]) -> Iterator[str]:
    yield f"\n{module.__name__}"
    for name in public_names(module):
        value = getattr(module, name)
        if id(value) not in listed:
            yield from _described(name, value, listed)


@cache
def _exported() -> list[Any]:
    modules = map(importlib.import_module, PROMISED)
    return [getattr(module, name) for module in modules for name in public_names(module)]


def public_names(module: ModuleType) -> list[str]:
    """What the module exports; by default the classes and functions that it defines."""
    defined = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    ]
    return sorted(getattr(module, "__all__", defined))


def _described(name: str, value: Any, listed: set[int]) -> Iterator[str]:
    if isinstance(value, ModuleType):
        yield f"  {name}: module"
    elif inspect.isclass(value):
        yield from _class(value, listed)
    elif inspect.isroutine(value):
        listed.add(id(value))
        yield f"  {name}{_signature(value)}"
    else:
        yield f"  {name}: {type(value).__name__}"


def _class(value: type, listed: set[int], named: Iterable[str] = ()) -> Iterator[str]:
    """A class with its own members, after those of ours that it inherits from.

    named: what the constructor of a class made from it lists already.
    """
    listed.add(id(value))
    fields = _fields(value)
    made = bool(fields) or value.__name__ in MADE_BY_USERS
    inside = {*named, *fields, *(inspect.signature(value).parameters if made else ())}
    bases = [base for base in value.__bases__ if base is not object]
    ours = [base for base in bases if base.__module__.startswith("audiencelab")]
    for base in ours:
        if id(base) not in listed:
            yield from _class(base, listed, inside)
    derived = f"({', '.join(base.__name__ for base in bases)})" if bases else ""
    members = [line for line in _members(value) if line.partition(":")[0] not in inside]
    # A base that is not exported is listed only for what it adds.
    if members or value in _exported() or set(fields) - set(named):
        yield f"  class {value.__name__}{derived}{': ' + _constructor(value) if made else ''}"
    yield from (f"    {line}" for line in members)


def _fields(value: type) -> tuple[str, ...]:
    """The fields that a record has of its own: of a dataclass, a struct or a named tuple."""
    own: Any = vars(value)
    if "__dataclass_fields__" in own:
        return tuple(each.name for each in dataclasses.fields(cast(Any, value)))
    return getattr(value, "__struct_fields__", None) or own.get("_fields") or ()


def _constructor(value: type) -> str:
    return _signature(value).removesuffix(" -> None").removesuffix(" -> 'None'")


def _members(value: type) -> Iterator[str]:
    """What a class itself offers; one for `await`, what differs from the blocking one.

    What it has from a base with the same signature is listed there.
    """
    offered = [
        name
        for name in vars(value)
        if not name.startswith("_") and name not in hidden_members(value)
    ]
    lines = {_member(name, vars(value)[name]) for name in offered}
    for base in (*value.__mro__[1:], *_blocking(value)):
        if base.__module__.startswith("audiencelab"):
            lines -= {_member(name, member) for name, member in vars(base).items()}
    yield from sorted(lines)


def _blocking(value: type) -> tuple[type, ...]:
    """The classes whose methods a class offers for `await`."""
    generic = next(iter(getattr(value, "__orig_bases__", ())), None)
    found = get_args(generic) if get_origin(generic) is OnThreads else ()
    return found[0].__mro__ if found else ()


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
