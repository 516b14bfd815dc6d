"""The modules that are mutated, and the tests that must notice it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.mutation.mutants import Mutant, mutants

__all__ = ["ROOT", "SOURCES", "SUITES", "Fault", "Suite", "faults", "module_name"]

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src/audiencelab"


class Suite(NamedTuple):
    """Modules, as paths below the package, and the tests that must notice a mutant of any."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


class Fault(NamedTuple):
    """One mutant of a module. number: among those of the same words on the same line, from 1."""

    path: str
    mutant: Mutant
    number: int

    @property
    def words(self) -> str:
        return self.mutant.fault + (f" (no. {self.number})" if self.number > 1 else "")


SUITES = (
    Suite(
        "language",
        tuple(
            f"expressions/{each}.py"
            for each in (
                "audience",
                "code_parser",
                "codes",
                "crossing",
                "nodes",
                "parsing",
            )
        ),
        ("tests/expressions",),
    ),
    Suite(
        "metrics",
        ("engine/metrics.py", "results/undefined.py"),
        (
            "tests/results/test_undefined.py",
            "tests/results/test_stats.py",
            "tests/results/test_crosstab.py",
            "tests/engine/test_metrics.py",
            "tests/results/test_arrow.py",
            "tests/results/test_empty_cells.py",
        ),
    ),
    Suite(
        "splitter",
        tuple(f"client/stream/{each}.py" for each in ("collector", "objects", "axis")),
        ("tests/client/stream",),
    ),
)


def faults(suite: Suite) -> list[Fault]:
    """All mutants of the modules of a suite, in the order of the source."""
    found: list[Fault] = []
    for path in suite.modules:
        seen: Counter[tuple[int, str]] = Counter()
        for mutant in mutants((SOURCES / path).read_text()):
            place = mutant.lines.start, mutant.fault
            seen[place] += 1
            found.append(Fault(path, mutant, seen[place]))
    return found


def module_name(path: str) -> str:
    return "audiencelab." + path.removesuffix(".py").replace("/", ".")
