"""Mutants in functions, tried by forks of one process that has collected the tests already.

First a fork runs all tests of a suite and notes which lines each of them reaches, and how long it
takes. Then each mutant has a fork, which gives the functions concerned the changed code and runs
the tests that reach it, the quickest first, until one fails.
"""

from __future__ import annotations

import gc
import os
import resource
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from inspect import CO_OPTIMIZED
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe
from types import CodeType, FunctionType
from typing import NamedTuple

import coverage
import pytest

from tests.mutation.processes import silence, together
from tests.mutation.session import run
from tests.mutation.suites import SOURCES, Fault, Suite

__all__ = ["IMPORTED", "Measured", "try_in_forks"]

IMPORTED = ""
"""In place of a test's name: what reaches a line while modules and tests are imported."""


class Measured(NamedTuple):
    """seconds: what each test takes. reaching: by path and line, the tests that reach it."""

    seconds: dict[str, float]
    reaching: dict[str, dict[int, list[str]]]

    def nearest(self, fault: Fault) -> list[str]:
        """The tests that reach a mutant, the quickest first."""
        lines = self.reaching[fault.path]
        near = {test for line in fault.mutant.lines for test in lines.get(line, ())}
        return sorted(near - {IMPORTED}, key=self.seconds.__getitem__)

    def imported(self, fault: Fault) -> bool:
        """Whether the statement runs while modules and tests are imported, too."""
        lines = self.reaching[fault.path]
        return any(IMPORTED in lines.get(line, ()) for line in fault.mutant.lines)


def try_in_forks(
    suite: Suite, faults: Sequence[Fault], workers: int, seconds: float, to: Connection
) -> None:
    """Send what was measured, then the number of each mutant with its exit code.

    A mutant that is not only in functions is left out. To be run in a process of its own.
    """
    silence()
    watching = coverage.Coverage(
        data_file=None, include=[str(SOURCES / path) for path in suite.modules], config_file=False
    )
    watching.start()
    forks = _Forks(suite, faults, workers, seconds, to, watching)
    try:
        run(suite, plugin=forks)
    except Exception:
        to.send(traceback.format_exc())


class _Forks:
    """A plugin of pytest that runs the collected tests once for every mutant."""

    def __init__(
        self,
        suite: Suite,
        faults: Sequence[Fault],
        workers: int,
        seconds: float,
        to: Connection,
        watching: coverage.Coverage,
    ) -> None:
        self._room, self._faults, self._to = suite, faults, to
        self._workers, self._seconds, self._watching = workers, seconds, watching
        self._failed: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        assert not session.testsfailed, "the tests cannot be collected"
        measured = self._measured(session.items)
        self._to.send(measured)
        items = {item.nodeid: item for item in session.items}
        functions = {path: list(_functions(path)) for path in self._room.modules}
        jobs = [
            (number, partial(self._try, changed, [items[test] for test in tests], measured.seconds))
            for number, fault in enumerate(self._faults)
            if (tests := measured.nearest(fault))
            and (changed := _changed(fault, functions[fault.path]))
        ]
        for each in together(jobs, self._workers, self._seconds):
            self._to.send(each)
        return True

    def pytest_internalerror(self, excrepr: object) -> None:
        self._to.send(str(excrepr))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed.append(f"{report.nodeid}\n{report.longreprtext}")

    def _measured(self, items: list[pytest.Item]) -> Measured:
        """In a fork, so that this process keeps no results of the unchanged code."""
        receive, send = Pipe(duplex=False)
        process = get_context("fork").Process(target=self._measure, args=(items, send))
        process.start()
        send.close()
        measured: Measured | str = receive.recv()
        process.join()
        self._watching.stop()
        if isinstance(measured, str):
            raise AssertionError(f"Tests fail without any mutant:\n{measured}")
        return measured

    def _measure(self, items: list[pytest.Item], to: Connection) -> None:
        seconds: dict[str, float] = {}
        for item in items:
            self._watching.switch_context(item.nodeid)
            started = time.process_time()
            _run(item, None)
            seconds[item.nodeid] = time.process_time() - started
        self._watching.stop()
        data = self._watching.get_data()
        reaching = {
            path: data.contexts_by_lineno(str(SOURCES / path)) for path in self._room.modules
        }
        to.send("\n".join(self._failed) or Measured(seconds, reaching))
        os._exit(0)

    def _try(
        self,
        changed: list[tuple[FunctionType, CodeType]],
        items: list[pytest.Item],
        seconds: Mapping[str, float],
    ) -> None:
        for function, code in changed:
            function.__code__ = code
        for item, following in zip(items, [*items[1:], None], strict=True):
            _limit(10 * seconds[item.nodeid] + 5)
            _run(item, following)
            if self._failed:
                os._exit(1)
        os._exit(0)


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


def _limit(seconds: float) -> None:
    """End this process after so much more work of the processor; how busy it is does not matter."""
    spent = time.process_time()
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(spent + seconds) + 1, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _functions(path: str) -> Iterator[FunctionType]:
    """Every function of a module that there is now, methods and those made by others included."""
    name = str(SOURCES / path)
    gc.unfreeze()  # The tests' conftest has frozen what was collected, and it would not be listed.
    for each in gc.get_objects():
        if type(each) is FunctionType and each.__code__.co_filename == name:
            yield each


def _changed(
    fault: Fault, functions: Sequence[FunctionType]
) -> list[tuple[FunctionType, CodeType]]:
    """The functions that a mutant concerns, with their new code; none if it is not only in them."""
    name = str(SOURCES / fault.path)
    sound = compile((SOURCES / fault.path).read_text(), name, "exec", dont_inherit=True)
    faulty = compile(fault.mutant.tree(), name, "exec", dont_inherit=True)
    pairs = _pairs(sound, faulty)
    if pairs is None:
        return []
    codes = {_identity(one): other for one, other in pairs}
    return [
        (function, codes[identity])
        for function in functions
        if (identity := _identity(function.__code__)) in codes
    ]


def _pairs(sound: CodeType, faulty: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Functions within code that differ, outer ones first; None if other code differs too."""
    inside, faulty_inside = _inner(sound), _inner(faulty)
    if len(inside) != len(faulty_inside):
        return None
    pairs: list[tuple[CodeType, CodeType]] = []
    for one, other in zip(inside, faulty_inside, strict=True):
        found = _pairs(one, other)
        if found is None:
            return None
        pairs += found
    if not sound.co_flags & CO_OPTIMIZED:  # a module or the body of a class
        return None if _own(sound) != _own(faulty) else pairs
    return [(sound, faulty), *pairs] if pairs or _own(sound) != _own(faulty) else []


def _inner(code: CodeType) -> list[CodeType]:
    return [each for each in code.co_consts if isinstance(each, CodeType)]


def _own(code: CodeType) -> CodeType:
    """Code without that of the functions in it."""
    constants = tuple(None if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=constants)


def _identity(code: CodeType) -> tuple[str, int, bytes]:
    return code.co_qualname, code.co_firstlineno, code.co_linetable
