"""Compare the golden results with the current tree, and name the differences.

    python -m tests.golden.make                                  lists differences without a name
    python -m tests.golden.make --name "All of tables by wave"   puts them under that name
    python -m tests.golden.make --record CASE …                  records new cases

A recorded case is never recorded again: a change of its results belongs into the changelog under
"Changed results", and its values into `tests/data/golden/changes.json`.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.golden import changes
from tests.golden.api import GOLDEN, Surveys
from tests.golden.tea import CASES

LIBRARIES = ("numpy", "scipy", "pandas")

SUMS_OF_SQUARES = {"analyses", "crosstab_figures", "design", "stats"}
"""Cases with errors of figures: squares of weights are not on the grid on which sums are exact, so
that their last bits depend on the kernel, numpy's or the compiled one, that happens to be ready.
Cases of tea have such errors too."""


def environment() -> dict[str, str]:
    """What a last bit may depend on: the machine and the libraries that compute."""
    return {"machine": platform.machine()} | {name: version(name) for name in LIBRARIES}


def same_bits() -> bool:
    """Whether machine and libraries are those that the golden data was recorded with."""
    return json.loads((GOLDEN / "environment.json").read_text()) == environment()


def recorded(case: str) -> Any:
    """The recorded result of a case."""
    return json.loads((GOLDEN / f"{case}.json").read_text(encoding="utf-8"))


def computed(case: str, surveys: Surveys) -> Any:
    """The result of a case with the audiencelab that is installed."""
    return json.loads(json.dumps(CASES[case](surveys)))


def compared(case: str, surveys: Surveys) -> tuple[list[changes.Difference], bool]:
    """Where a case differs from what is recorded, and whether every bit was compared."""
    exactly = same_bits() and case not in SUMS_OF_SQUARES and not case.startswith("tea_")
    now = computed(case, surveys)
    return list(changes.differences(recorded(case), now, case, exactly=exactly)), exactly


def record(cases: list[str], surveys: Surveys) -> None:
    """Write the results of cases that have none."""
    for case in cases:
        with (GOLDEN / f"{case}.json").open("x", encoding="utf-8") as file:
            file.write(lines(computed(case, surveys)))


def review(title: str, surveys: Surveys) -> None:
    """Print the differences without a name, and give them one."""
    named = changes.load()
    for case in CASES:
        found, exactly = compared(case, surveys)
        for each in changes.unnamed(found, named, exactly=exactly):
            print(each)
        changes.name(found, named, title, case, exactly=exactly)
    if title:
        changes.save(named)


def lines(members: dict[str, Any]) -> str:
    """Compact JSON with a line for each member of the outer object, so that diffs can be read."""
    written = (f"{compact(name)}:{compact(value)}" for name, value in members.items())
    return "{\n" + ",\n".join(written) + "\n}\n"


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main() -> None:
    """Read the arguments of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.make")
    parser.add_argument("--name", default="", help="the name of what changed")
    parser.add_argument("--record", nargs="+", default=[], metavar="CASE")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        surveys = Surveys(Path(folder))
        if asked.record:
            record(asked.record, surveys)
        else:
            review(asked.name, surveys)


if __name__ == "__main__":
    main()
