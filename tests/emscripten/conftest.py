"""Pyodide in Node, with this package and what it needs.

It runs where `PYODIDE` names a folder of packages compiled for that of `js/node_modules/pyodide`,
or of a whole other release of Pyodide.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import audiencelab

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "js" / "node_modules" / "pyodide"
COMPILED = os.environ.get("PYODIDE", "")
PLATFORM = {"sys_platform": "emscripten", "python_version": "3.13", "extra": ""}

needs_pyodide = [
    pytest.mark.slow,
    pytest.mark.skipif(not COMPILED, reason="PYODIDE names no folder of compiled packages"),
]


def requirements(name: str, extras: set[str]) -> dict[str, set[str]]:
    """The packages that one needs on that platform, with their extras."""
    found: dict[str, set[str]] = {}
    for line in metadata.requires(name) or []:
        each = Requirement(line)
        environments = [PLATFORM | {"extra": extra} for extra in extras | {""}]
        if each.marker is None or any(map(each.marker.evaluate, environments)):
            found.setdefault(each.name, set()).update(each.extras)
    return found


def copy_pure_packages(into: Path) -> None:
    """This package with all that it needs and that is not compiled, from this environment."""
    waiting, seen = {"audiencelab": {"widgets"}}, {"numpy", "msgspec", "pandas"}
    while waiting:
        name, extras = waiting.popitem()
        seen.add(name)
        for file in metadata.files(name) or []:
            if ".." not in file.parts and not re.search(r"\.(so|pyc|pyd)$", file.name):
                target = into / file
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(str(file.locate()), target)
        needed = requirements(name, extras)
        waiting |= {other: more for other, more in needed.items() if other not in seen}
    ours = Path(audiencelab.__file__).parent
    skipped = shutil.ignore_patterns("labextension", "__pycache__")
    shutil.copytree(ours, into / "audiencelab", ignore=skipped, dirs_exist_ok=True)
    data = HERE.parents[1] / "notebooks" / "data"
    shutil.copytree(data, into / "audiencelab" / "course" / "data", dirs_exist_ok=True)


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Pyodide and its compiled packages."""
    folder = tmp_path_factory.mktemp("pyodide")
    for source in (CORE, Path(COMPILED)):
        shutil.copytree(source, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of pure packages, for `sys.path`."""
    folder = tmp_path_factory.mktemp("site")
    copy_pure_packages(folder)
    return folder


def run_in_node(runtime: Path, site: Path, folder: Path, file: Path, call: str) -> str:
    """What an expression of a Python file returns in Pyodide, where `/folder` is the folder."""
    done = subprocess.run(
        ["node", HERE / "run.mjs", runtime, site, folder, file, call],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.fail(done.stderr[-5000:])
    return done.stdout.splitlines()[-1]
