"""Where the other tables live: an environment apart from the project, made once.

What cannot be installed is told with the reason; the rest is compared all the same.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from audiencelab.survey.demo import cache_folder
from tests.bench.grid.ways import SHARED, WAYS

__all__ = ["Home", "furnished"]

_PROJECT = Path(__file__).parents[3]
_UV = [sys.executable, "-m", "uv"]
_LAST_WORDS = 300


class Home:
    """An environment with JupyterLab and the other tables.

    python: its interpreter. faults: why a way is not there, by its name. versions: what is.
    """

    def __init__(self, folder: Path) -> None:
        self.python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        noted = json.loads((folder / "noted.json").read_text(encoding="utf-8"))
        self.faults: dict[str, str] = noted["faults"]
        self.versions: dict[str, str] = noted["versions"]


def furnished() -> Home:
    """The environment, made when it is not there yet: some minutes, and half a gigabyte."""
    folder = cache_folder() / "bench" / f"tables-{_key()}"
    if not (folder / "noted.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _make(folder)
    return Home(folder)


def _make(folder: Path) -> None:
    print(f"installing the other tables into {folder}", file=sys.stderr)
    _uv("venv", "--quiet", "--python", sys.executable, str(folder))
    into = ["pip", "install", "--quiet", "--python", str(folder)]
    # Our own code comes from the checkout, so only what it stands on is installed.
    ours = ["-r", str(_PROJECT / "pyproject.toml"), "--extra", "widgets"]
    _uv(*into, *SHARED, *ours)
    faults: dict[str, str] = {}
    for way in WAYS:
        if not way.package:
            continue
        try:
            _uv(*into, way.package, *SHARED)
        except subprocess.CalledProcessError as error:
            faults[way.name] = f"not installed: {error.stderr.strip()[-_LAST_WORDS:]}"
    listed = json.loads(_uv("pip", "list", "--format=json", "--python", str(folder)))
    versions = {each["name"]: each["version"] for each in listed}
    noted = json.dumps({"faults": faults, "versions": versions}, indent=1)
    (folder / "noted.json").write_text(noted, encoding="utf-8")


def _uv(*arguments: str) -> str:
    done = subprocess.run([*_UV, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def _key() -> str:
    project = tomllib.loads((_PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = [*project["dependencies"], *project["optional-dependencies"]["widgets"]]
    wanted = [*SHARED, *ours, *(way.package for way in WAYS), sys.version]
    return hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:12]
