"""The distributions of a commit, built twice in different folders: the same bytes, or none."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.release.checks import git

__all__ = ["UV", "NotTheSame", "build", "clone_with_version", "digests"]

UV = (sys.executable, "-m", "uv", "--quiet")
VERSION_FILE = Path("src/audiencelab/_version.py")
_LINE = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)


class NotTheSame(Exception):
    """Two builds of one commit differ; which files, in words."""


def clone_with_version(root: Path, folder: Path, version: str) -> str:
    """What is committed in `root`, in a folder of its own, with the version committed on top.

    The checkout is not touched: whatever goes wrong later leaves it as it was. Returns the commit.
    """
    git(root, "clone", "--quiet", "--no-hardlinks", str(root), str(folder))
    file = folder / VERSION_FILE
    text = file.read_text("utf-8")
    told = _LINE.search(text)
    if told is None:
        raise ValueError(f'{VERSION_FILE} has no line __version__ = "…"')
    if told[1] != version:
        file.write_text(_LINE.sub(f'__version__ = "{version}"', text), encoding="utf-8")
        who: list[str] = []
        for key in ("user.name", "user.email"):
            who += ["-c", f"{key}={git(root, 'config', key)}"]
        git(folder, *who, "commit", "--quiet", "-m", f"Version {version}", "--", str(VERSION_FILE))
    return git(folder, "rev-parse", "HEAD")


def build(clone: Path, out: Path) -> list[Path]:
    """The source distribution, and the wheel that is built from it.

    Built again in a second folder. Their times are those of the commit, so whoever has the commit
    can build the same files.

    Raises:
        NotTheSame: the second build has other bytes.
        subprocess.CalledProcessError: a build failed.
    """
    made = _built(clone, out)
    # Elsewhere, so that a path which gets into a bundle shows.
    moved = clone.rename(clone.with_name("the same commit, elsewhere"))
    try:
        again = _built(moved, out.with_name("again"))
    finally:
        moved.rename(clone)
    first, second = digests(made), digests(again)
    if first != second:
        names = sorted(name for name in first if first[name] != second.get(name))
        raise NotTheSame(f"two builds of one commit differ in {', '.join(names)}")
    return made


def _built(clone: Path, out: Path) -> list[Path]:
    shutil.rmtree(out, ignore_errors=True)
    for folder in ("widgets/static", "jupyter/labextension"):
        shutil.rmtree(clone / "src/audiencelab" / folder, ignore_errors=True)
    when = git(clone, "show", "--no-patch", "--format=%ct", "HEAD")
    environment = os.environ | {"SOURCE_DATE_EPOCH": when}
    # Without --sdist or --wheel the wheel is built from the source distribution, which has no js/.
    command = [*UV, "build", "--no-create-gitignore", "--out-dir", str(out), str(clone)]
    subprocess.run(command, env=environment, check=True)
    return sorted(path for path in out.iterdir() if path.suffix in (".whl", ".gz"))


def digests(files: list[Path]) -> dict[str, str]:
    """SHA-256 of each file, by its name."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
