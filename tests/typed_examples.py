"""The examples of the documentation as modules for a type checker: `make types` reads them.

`python -m tests.typed_examples FOLDER` writes a module for each module of ours, in it a function
for each docstring with the code of its examples, and one for the README. What examples have from
their fixture is declared in each.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent
from typing import Any

import audiencelab as al
from tests.public_api import PROMISED, public_names

README = Path(__file__).parents[1] / "README.md"

# Readers see what an expression makes, and pandas has no types of its own.
HEAD = '''# pyright: basic, reportUnusedExpression=false, reportUnusedCoroutine=false
"""Examples as code for a type checker. Written by tests.typed_examples."""

from pathlib import Path

import audiencelab as al

client: al.Client
folder: Path
'''


def examples() -> Iterator[tuple[str, str, str]]:
    """The examples of each docstring: the module, the qualified name, and the code."""
    yield "audiencelab", "help", _indented(al.__doc__ or "")
    [readme] = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    yield "README", "first", readme
    seen: set[str] = set()
    for name in PROMISED:
        module = importlib.import_module(name)
        if code := _code(module):
            yield name, "module", code
        for value in (getattr(module, each) for each in public_names(module)):
            yield from _described(value, seen)


def _described(value: Any, seen: set[str]) -> Iterator[tuple[str, str, str]]:
    """What a value, and the classes that it is made of, have of examples; each once."""
    found = [value]
    if inspect.isclass(value):
        ours = [base for base in value.__mro__ if base.__module__.startswith("audiencelab")]
        found = [*ours, *(member for base in ours for member in vars(base).values())]
    for each in found:
        each = getattr(each, "fget", None) or getattr(each, "__func__", each)
        if inspect.isfunction(each) or inspect.isclass(each):
            name = f"{each.__module__}:{each.__qualname__}"
            # The asynchronous classes have the examples of the others.
            if name not in seen and (code := _code(each)):
                yield each.__module__, each.__qualname__, code
            seen.add(name)


def _code(documented: object) -> str:
    parts = doctest.DocTestParser().get_examples(documented.__doc__ or "")
    return "".join(part.source for part in parts)


def _indented(text: str) -> str:
    return "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))


def write(folder: Path) -> int:
    """Write the modules, in place of those that were there; how many examples they have."""
    modules: dict[str, list[str]] = defaultdict(list)
    for module, name, code in examples():
        function = f"def {name.replace('.', '__')}() -> None:\n{indent(code.strip(), '    ')}\n"
        modules[module].append(function)
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.py"):
        old.unlink()
    for module, functions in modules.items():
        file = folder / f"{module.replace('.', '_')}.py"
        file.write_text("\n\n".join([HEAD, *functions]), encoding="utf-8")
    return sum(map(len, modules.values()))


if __name__ == "__main__":
    target = Path(sys.argv[1])
    print(f"{target}: the examples of {write(target)} docstrings")
