"""Faults planted while a module is imported, by a process that has not imported it yet."""

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
from tests.mutation.rooms import Fault, Room, module_name
from tests.mutation.session import run

__all__ = ["try_planted"]


def try_planted(room: Room, fault: Fault, order: Mapping[str, float]) -> None:
    """Run the room's tests against the fault, the quickest first, and end the process.

    order: what each test takes, by its name. The exit code is 0 if nobody noticed.
    """
    _plant(module_name(fault.path), fault.mutant.tree())
    silence()
    os._exit(run(room, "-x", plugin=_InOrder(order)))


class _InOrder:
    def __init__(self, order: Mapping[str, float]) -> None:
        self._order = order

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=lambda item: self._order.get(item.nodeid, 0))


def _plant(name: str, tree: ast.Module) -> None:
    """Have the module imported with its fault; it must not have been imported before."""
    assert name not in sys.modules, name
    kept = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        if fullname == name:
            return compile(tree, self.get_filename(fullname), "exec", dont_inherit=True)
        return kept(self, fullname)

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign] -- the process ends with it
