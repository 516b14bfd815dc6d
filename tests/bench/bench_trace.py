"""How much code one crosstab runs through: `python -m tests.bench trace`.

Counts the modules and functions of audiencelab that are entered, the calls, and how often one call
follows another in a different module. Few of each make a path that can be read.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import audiencelab as al
from audiencelab import Q

PACKAGE = str(Path(al.__file__).parent) + "/"


@dataclass
class Trace:
    """What was entered while it was running, on all threads.

    functions: calls by code object, comprehensions and lambdas left out. changes: calls that
    follow a call in another module of the same thread.
    """

    functions: Counter[CodeType] = field(default_factory=Counter[CodeType])
    changes: int = 0
    _last: dict[int, str] = field(default_factory=dict[int, str])

    def on_event(self, frame: FrameType, event: str, _: Any) -> None:
        """Profile function of `sys.setprofile`."""
        code = frame.f_code
        is_ours = code.co_filename.startswith(PACKAGE) and not code.co_name.startswith("<")
        if event != "call" or not is_ours:
            return
        self.functions[code] += 1
        thread = threading.get_ident()
        self.changes += self._last.get(thread) != code.co_filename
        self._last[thread] = code.co_filename

    def packages(self) -> Counter[str]:
        """Modules entered, by package."""
        files = {code.co_filename.removeprefix(PACKAGE) for code in self.functions}
        return Counter(file.split("/")[0].removesuffix(".py") for file in files)

    def row(self) -> tuple[int, int, int, int]:
        """Modules, distinct functions, calls, changes of module."""
        modules = len({code.co_filename for code in self.functions})
        return modules, len(self.functions), self.functions.total(), self.changes


@contextmanager
def traced() -> Iterator[Trace]:
    """Trace what runs inside, on this thread and on threads that are started inside."""
    trace = Trace()
    threading.setprofile(trace.on_event)
    sys.setprofile(trace.on_event)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def paths(client: al.Client) -> Iterator[tuple[str, Callable[[], object]]]:
    """What is traced, in this order: the first query also learns the names of questions."""
    rows = [Q("q2").any("q2_1"), Q("q2").any("q2_2")]
    columns = [Q("q4").any("q4_2"), Q("q4").any("q4_3")]

    def crosstab() -> al.CrosstabResult:
        return client.crosstab(rows=rows, columns=columns)

    yield "crosstab, first", crosstab
    yield "crosstab, second", crosstab
    table = crosstab()
    yield "to_frame()", table.to_frame
    yield "widget until filled", lambda: al.Crosstab(client, rows=rows, columns=columns).wait()


def main() -> None:
    """Print a table of all paths, and for each how many modules of each package it enters."""
    client = al.connect(survey=al.demo_survey())
    al.Crosstab(client)  # imports are not part of the paths
    client = al.connect(survey=al.demo_survey())
    print(f"{'':20} {'modules':>8} {'functions':>10} {'calls':>8} {'changes':>8}")
    for name, run in paths(client):
        with traced() as trace:
            run()
        modules, functions, calls, changes = trace.row()
        print(f"{name:20} {modules:8} {functions:10} {calls:8} {changes:8}")
        print(" ", ", ".join(f"{package} {n}" for package, n in trace.packages().most_common()))


if __name__ == "__main__":
    main()
