"""Environments with one host and the wheel in each, and npm packages in place of a CDN."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from tests.elsewhere.environment import UV, CannotBeHad

__all__ = ["Environment", "npm_package"]

_MARK = "installed.txt"


class Environment:
    """A virtual environment, kept for the next run as long as the same is wanted of it."""

    def __init__(self, name: str, requirements: Sequence[str], folder: Path) -> None:
        self.name = name
        self._requirements = requirements
        self._folder = folder / "environments" / name
        self.python = self._folder / "bin" / "python"

    def make(self, wheel: Path) -> None:
        """Install the host and the wheel; `CannotBeHad` where that does not work."""
        mark = self._folder / _MARK
        wanted = "\n".join([hashlib.sha256(wheel.read_bytes()).hexdigest(), *self._requirements])
        if mark.is_file() and mark.read_text() == wanted:
            return
        subprocess.run(
            [*UV, "venv", "--clear", "-p", sys.executable, str(self._folder)], check=True
        )
        ours = f"{wheel}[widgets,charts,survey]"
        done = subprocess.run(
            [*UV, "pip", "install", "--python", str(self.python), ours, *self._requirements],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise CannotBeHad(f"{self.name}: {said[-1] if said else 'pip gave no reason'}")
        mark.write_text(wanted)

    def versions(self, packages: Sequence[str]) -> str:
        """What is really installed, as the table shows it."""
        code = (
            "import sys; from importlib.metadata import version; print(*map(version, sys.argv[1:]))"
        )
        told = subprocess.run(
            [str(self.python), "-c", code, *packages], capture_output=True, text=True, check=True
        )
        return ", ".join(
            f"{name} {number}" for name, number in zip(packages, told.stdout.split(), strict=True)
        )


def npm_package(name: str, version: str, folder: Path) -> Path:
    """The folder of an npm package, from the registry once; `CannotBeHad` without npm."""
    home = folder / "npm" / f"{name.replace('/', '+')}@{version}"
    if (home / "package" / "package.json").is_file():
        return home / "package"
    home.mkdir(parents=True, exist_ok=True)
    try:
        done = subprocess.run(
            ["npm", "pack", "--silent", "--json", f"{name}@{version}"],
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise CannotBeHad("npm is not installed") from None
    if done.returncode:
        raise CannotBeHad(f"npm has no {name} {version}: {done.stderr.strip()[-200:]}")
    [packed] = json.loads(done.stdout)
    with tarfile.open(home / packed["filename"]) as archive:
        archive.extractall(home, filter="data")
    return home / "package"
