"""Environments of other versions, with the package in them as its users have it: from the wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.elsewhere.rows import Row

__all__ = ["CannotBeHad", "Environment", "build_wheel", "find_python"]

_UV = [sys.executable, "-m", "uv"]
UV = [*_UV, "--quiet"]
_SECONDS = 1800
SHOWN = ("ipykernel", "jupyterlab", "pandas", "numpy", "ipywidgets", "anywidget", "altair")


class CannotBeHad(Exception):
    """An environment cannot be made on this machine; why, in words."""


def find_python(version: str) -> str:
    """The interpreter of a version; `CannotBeHad` where this machine has none."""
    # pyenv keeps what is not in use where nobody looks.
    kept = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    if kept:
        return str(kept[-1])
    found = subprocess.run(
        # With --quiet newer versions of uv do not print the path.
        [*_UV, "python", "find", "--no-python-downloads", "--system", version],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise CannotBeHad(f"no Python {version} on this machine")
    return found.stdout.strip()


def build_wheel(root: Path, folder: Path) -> Path:
    """The package as it would be published."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run([*UV, "build", "--wheel", "--out-dir", str(folder), str(root)], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


class Environment:
    """A virtual environment for one row of the matrix, made anew."""

    def __init__(self, row: Row, folder: Path) -> None:
        self.row = row
        self._folder = folder / row.name
        self.python = self._folder / "bin" / "python"

    def make(self, wheel: Path, root: Path) -> None:
        """Install the wheel, what its tests need, and the pinned versions."""
        interpreter = find_python(self.row.python)
        subprocess.run([*UV, "venv", "--clear", "-p", interpreter, str(self._folder)], check=True)
        project = root / "pyproject.toml"
        if self.row.oldest:
            # First, so that what the tests need raises only what it must.
            self._install("--resolution", "lowest-direct", "--extra", "all", "-r", str(project))
        self._install(f"{wheel}[all]", "--group", f"{project}:test", *self.row.pins)

    def _install(self, *wanted: str) -> None:
        done = subprocess.run(
            [*UV, "pip", "install", "--python", str(self.python), *wanted],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise CannotBeHad(done.stderr.strip().splitlines()[-1] if done.stderr else "no reason")

    def run(self, arguments: Sequence[str], root: Path, report: Path) -> bool:
        """Pytest in this environment; its report as JUnit writes it."""
        strange = ("PYTHON", "VIRTUAL_ENV", "JUPYTER", "IPYTHON", "PYTEST")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
        kept["PATH"] = f"{self.python.parent}{os.pathsep}{kept.get('PATH', '')}"
        pytest = [str(self.python), "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
        # The usual limit of one test ends the whole run, and this one may share its machine.
        pytest.append(f"--timeout={_SECONDS}")
        done = subprocess.run(
            [*pytest, f"--junitxml={report}", *arguments],
            cwd=root,
            env=kept,
            check=False,
        )
        return done.returncode == 0

    def versions(self) -> dict[str, str]:
        """What is really installed, Python included."""
        code = (
            "import json, platform; from importlib.metadata import version;"
            f"print(json.dumps({{'python': platform.python_version(), "
            f"**{{name: version(name) for name in {SHOWN!r}}}}}))"
        )
        told = subprocess.run(
            [str(self.python), "-c", code], capture_output=True, text=True, check=True
        )
        return json.loads(told.stdout)
