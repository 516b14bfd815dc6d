"""Mutants in code that runs while a module is imported, in a process that has not imported it."""

from __future__ import annotations

import ast
import importlib.machinery
import os
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any

import pytest

from tests.mutation.processes import silence
from tests.mutation.session import run
from tests.mutation.suites import Fault, Suite, module_name

__all__ = ["try_at_import"]


def try_at_import(suite: Suite, fault: Fault, order: Mapping[str, float]) -> None:
    """Run the suite's tests against the mutant, the quickest first, and end the process.

    order: what each test takes, by its name. The exit code is 0 if no test failed.
    """
    _change_module(module_name(fault.path), fault.mutant.tree())
    silence()
    os._exit(run(suite, "-x", plugin=_InOrder(order)))


class _InOrder:
    def __init__(self, order: Mapping[str, float]) -> None:
        self._order = order

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._order.get(item.nodeid, 0))


def _change_module(name: str, tree: ast.Module) -> None:
    """Let the module be imported as the mutant; it must not have been imported before."""
    assert name not in sys.modules, name
    kept = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        if fullname == name:
            return compile(tree, self.get_filename(fullname), "exec", dont_inherit=True)
        return kept(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign] -- the process ends with it
