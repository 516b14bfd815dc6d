"""Queries of Python compiled to WebAssembly, in Node, against native Python without numba.

    PYODIDE=FOLDER python -m tests.bench browser

FOLDER holds the compiled packages, as for `tests/emscripten`. The budget is 3 times the native time
for queries after the first.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from audiencelab.engine.kernel import KERNEL_VARIABLE
from tests.emscripten import figures
from tests.emscripten.conftest import COMPILED, CORE, HERE, copy_pure_packages

BUDGET = 3
NATIVE = "import json; from tests.emscripten.figures import seconds; print(json.dumps(seconds()))"
BEFORE = ("connect", "first crosstab")


def measured(*command: str | Path) -> dict[str, float]:
    """The seconds that a command prints as its last line."""
    environment = os.environ | {KERNEL_VARIABLE: "numpy"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print both times of each query, and how many times the native one the other is."""
    if not COMPILED:
        print("PYODIDE names no folder of compiled packages: nothing is measured.")
        return
    native = measured(sys.executable, "-c", NATIVE)
    with tempfile.TemporaryDirectory() as made:
        runtime, site, folder = (Path(made) / name for name in ("runtime", "site", "folder"))
        folder.mkdir()
        for source in (CORE, Path(COMPILED)):
            shutil.copytree(source, runtime, dirs_exist_ok=True)
        copy_pure_packages(site)
        run = HERE / "run.mjs"
        call = "json.dumps(seconds())"
        there = measured("node", run, runtime, site, folder, Path(figures.__file__), call)
    for name, expected in native.items():
        ratio = f"{there[name] / expected:.1f} ×"
        budget = "" if name in BEFORE else f" (budget {BUDGET} ×)"
        print(f"{name:<22}{1000 * there[name]:>7.0f} ms{1000 * expected:>7.1f} ms  {ratio}{budget}")


if __name__ == "__main__":
    main()
