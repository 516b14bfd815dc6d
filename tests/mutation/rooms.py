"""Which modules are given faults, and which tests are to notice them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import NamedTuple

from tests.mutation.mutants import Mutant, mutants

__all__ = ["ROOMS", "ROOT", "SOURCES", "Fault", "Room", "faults", "module_name"]

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src/audiencelab"


class Room(NamedTuple):
    """Modules, as paths below the package, and the tests that must notice a fault in any."""

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


class Fault(NamedTuple):
    """One fault. number: among those of the same words on the same line, from 1."""

    path: str
    mutant: Mutant
    number: int

    @property
    def words(self) -> str:
        return self.mutant.fault + (f" (no. {self.number})" if self.number > 1 else "")


ROOMS = (
    Room(
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
    Room(
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
    Room(
        "splitter",
        tuple(f"client/stream/{each}.py" for each in ("collector", "objects", "axis")),
        ("tests/client/stream",),
    ),
)


def faults(room: Room) -> list[Fault]:
    """Every fault that a room can be given, in the order of the source."""
    found: list[Fault] = []
    for path in room.modules:
        seen: Counter[tuple[int, str]] = Counter()
        for mutant in mutants((SOURCES / path).read_text()):
            place = mutant.lines.start, mutant.fault
            seen[place] += 1
            found.append(Fault(path, mutant, seen[place]))
    return found


def module_name(path: str) -> str:
    return "audiencelab." + path.removesuffix(".py").replace("/", ".")
