"""Write the golden data with whichever audiencelab is installed: `python -m tests.golden.make`."""

from __future__ import annotations

import json
import platform
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.golden.api import GOLDEN, Surveys
from tests.golden.cases import CASES

LIBRARIES = ("numpy", "scipy", "pandas")


def environment() -> dict[str, str]:
    """What a last bit may depend on: the machine and the libraries that compute."""
    return {"machine": platform.machine()} | {name: version(name) for name in LIBRARIES}


def main(names: list[str]) -> None:
    """Write the results of the cases of these names, by default all."""
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        surveys = Surveys(Path(folder))
        for name in names or CASES:
            found = CASES[name](surveys)
            (GOLDEN / f"{name}.json").write_text(lines(found), encoding="utf-8")
    (GOLDEN / "environment.json").write_text(json.dumps(environment(), indent=1) + "\n")


def lines(members: dict[str, Any]) -> str:
    """Compact JSON with a line for each member of the outer object, so that diffs can be read."""
    written = (f"{compact(name)}:{compact(value)}" for name, value in members.items())
    return "{\n" + ",\n".join(written) + "\n}\n"


def compact(value: Any) -> str:
    """JSON without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main(sys.argv[1:])
