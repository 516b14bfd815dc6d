"""The distributions in empty environments, as users have them: one for each Python and file."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.elsewhere.environment import CannotBeHad, find_python
from tools.release.building import UV
from tools.release.smoke import USES

__all__ = ["PYTHONS", "Tried", "compared", "find_pythons", "try_all"]

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# Each of them alone; that of `fast` shows in the figures.
EXTRAS = (*USES, "fast")
SMOKE = Path(__file__).with_name("smoke.py")
# What would make an environment less than empty.
_STRANGE = ("PYTHON", "VIRTUAL_ENV", "CONDA", "JUPYTER", "IPYTHON", "AUDIENCELAB", "XDG")


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one file on one Python: `fault` is empty where all of it held."""

    python: str
    file: str
    extras: str
    figures: str = ""
    fault: str = ""

    def __str__(self) -> str:
        what = f"Python {self.python}, {self.file}, {self.extras or 'no extras'}"
        return f"{what}: {self.fault or 'installed, and works'}"


def find_pythons() -> tuple[dict[str, str], list[str]]:
    """The interpreters of this machine by version, and the versions that it has not."""
    found: dict[str, str] = {}
    missing: list[str] = []
    for version in PYTHONS:
        try:
            found[version] = find_python(version)
        except CannotBeHad:
            missing.append(version)
    return found, missing


def try_all(files: list[Path], pythons: dict[str, str], version: str, folder: Path) -> list[Tried]:
    """Install and use each file on each Python; all must give the same figures.

    On the newest also the wheel with each extra alone, which shows what it needs of another.
    """
    [wheel] = [file for file in files if file.suffix == ".whl"]
    [source] = [file for file in files if file.suffix == ".gz"]
    wanted = [
        (python, file, extra)
        for python in pythons
        for file, extra in ((wheel, ""), (wheel, "all"), (source, "all"))
    ]
    wanted += [(python, wheel, extra) for python in list(pythons)[-1:] for extra in EXTRAS]
    tried: list[Tried] = []
    for python, file, extra in wanted:
        tried.append(_try(file, extra, python, pythons[python], version, folder))
        print(f"  {tried[-1]}", flush=True)
    return compared(tried)


def compared(tried: list[Tried]) -> list[Tried]:
    """The first that worked is the measure: with numba or without, the figures are the same."""
    worked = [each for each in tried if not each.fault]
    other = [each for each in worked if each.figures != worked[0].figures]
    fault = f"other figures than with Python {worked[0].python}, {worked[0].file}" if other else ""
    return [
        Tried(each.python, each.file, each.extras, each.figures, fault) if each in other else each
        for each in tried
    ]


def _try(
    file: Path, extras: str, python: str, interpreter: str, version: str, folder: Path
) -> Tried:
    environment = folder / "environment"
    binaries = environment / "bin"
    wanted = f"{file}[{extras}]" if extras else str(file)
    # No other program is on the path, so that no Node can help.
    installing = os.environ | {"PATH": str(binaries)}
    commands = (
        ([*UV, "venv", "--clear", "--python", interpreter, str(environment)], installing),
        ([*UV, "pip", "install", "--python", str(binaries / "python"), wanted], installing),
        (
            # -P: the folder of the script, and what lies there, is none of the package's.
            [str(binaries / "python"), "-P", str(SMOKE), version, *([extras] if extras else [])],
            _bare(folder / "home") | {"PATH": str(binaries)},
        ),
    )
    said = ""
    try:
        for command, variables in commands:
            done = subprocess.run(
                command, cwd=folder, env=variables, capture_output=True, text=True, check=False
            )
            if done.returncode:
                fault = f"{done.stdout.strip()}\n{done.stderr.strip()}".strip()
                return Tried(python, file.name, extras, fault=fault)
            said = done.stdout
        return Tried(python, file.name, extras, json.loads(said.splitlines()[-1])["figures"])
    finally:
        shutil.rmtree(environment, ignore_errors=True)


def _bare(home: Path) -> dict[str, str]:
    """The variables of somebody who has never used Jupyter on this machine."""
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_STRANGE)}
    return kept | {"HOME": str(home)}
