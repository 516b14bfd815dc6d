"""Small disks, and disks that may only be read: real file systems, mounted for a test.

Only who may do everything mounts; for others, and where a container forbids it, tests are skipped.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["Disk", "read_only", "small_disk"]

PAGE = 4096


class Disk:
    """A disk of its own, to be filled up."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._filler = path / "filler"

    def fill(self, room: int) -> None:
        """Take all of it but so many bytes, in whole pages."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(PAGE))
            except OSError:
                file.truncate(max(0, file.tell() - room // PAGE * PAGE))

    def empty(self) -> None:
        """Take away what filled it."""
        self._filler.unlink(missing_ok=True)

    def contents(self) -> dict[str, bytes]:
        """Every file by its name, but what fills the disk."""
        return {
            path.relative_to(self.path).as_posix(): path.read_bytes()
            for path in sorted(self.path.rglob("*"))
            if path.is_file() and path != self._filler
        }


@contextmanager
def small_disk(path: Path, megabytes: int = 4) -> Generator[Disk]:
    """A disk in memory at a new folder."""
    path.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(path))
    try:
        yield Disk(path)
    finally:
        _unmount(path)


@contextmanager
def read_only(path: Path) -> Generator[None]:
    """The folder as a disk that nobody may write, whoever they are."""
    _mount("--bind", str(path), str(path))
    try:
        _mount("-o", "remount,bind,ro", str(path))
        yield
    finally:
        _unmount(path)


def _mount(*arguments: str) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("mounts a disk, as Linux does")
    done = subprocess.run(["mount", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no disk can be mounted here: {done.stderr.strip()}")


def _unmount(path: Path) -> None:
    # Lazily: what a failed test holds open keeps nobody waiting.
    subprocess.run(["umount", "--lazy", str(path)], check=True)
