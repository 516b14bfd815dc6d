"""Every promised function and method has an example, and the examples show what they say."""

from __future__ import annotations

import doctest
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import audiencelab as al
from audiencelab.course import students
from audiencelab.hidden_members import hidden_members
from tests.public_api import PROMISED, public_names


def promised() -> Iterator[tuple[str, Any]]:
    """Each promised function and method once, by its full name, with its class's own members."""
    seen: set[int] = set()
    for name in PROMISED:
        module = importlib.import_module(name)
        for value in (getattr(module, each) for each in public_names(module)):
            if not isinstance(value, ModuleType):
                yield from _callables(value, seen)


def _callables(value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    if inspect.isclass(value):
        for base in value.__mro__:
            # The asynchronous classes are the same code with the same examples.
            if base.__module__.startswith("audiencelab") and "async_client" not in base.__module__:
                shown = vars(base).keys() - hidden_members(value)
                for member in (each for name, each in vars(base).items() if name in shown):
                    yield from _callables(getattr(member, "__func__", member), seen)
    elif inspect.isfunction(value) and not value.__name__.startswith("_") and id(value) not in seen:
        seen.add(id(value))
        yield f"{value.__module__}.{value.__qualname__}", value


CALLABLES = dict(promised())
DOCUMENTED = {name for name, value in CALLABLES.items() if ">>>" in (inspect.getdoc(value) or "")}
"""With an example of its own or, without a docstring, that of the method which it overrides."""
EXAMPLES = {name: value for name, value in CALLABLES.items() if ">>>" in (value.__doc__ or "")}


def test_promised_callables_have_examples() -> None:
    without = sorted(CALLABLES.keys() - DOCUMENTED)
    assert not without, "\n".join(without)


@pytest.fixture(scope="module")
def client() -> Iterator[al.Client]:
    with al.connect() as client:
        yield client


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_shows_what_it_says(
    name: str, client: al.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(students, "_signed_in", [])
    names = {"al": al, "client": client, "folder": tmp_path}
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    finder = doctest.DocTestFinder(recurse=False)
    for test in finder.find(EXAMPLES[name], name, globs=names):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
