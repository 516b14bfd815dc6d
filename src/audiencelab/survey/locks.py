"""One writer of a survey at a time, and what writers that died have left behind.

A writer holds a lock file beside the survey (`.name.lock`), in which it says who it is. The lock
goes with its process, however that ends. Readers never look at it. Whoever holds it may clear
away every half-written folder of the survey, since nobody else can be at work on one.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
from datetime import datetime
from pathlib import Path
from typing import Any

from audiencelab.survey.errors import SurveyBusyError
from audiencelab.survey.writing import writes

__all__ = ["BUILDING", "REPLACED", "WriterLock"]

BUILDING = ".building"
"""How the hidden folder ends in which a survey is written."""

REPLACED = ".replaced"
"""How the hidden folder ends in which the old version stands while the new one takes its place."""


class WriterLock:
    """The right to write the survey at a path; held from the moment this is made.

    wait: seconds to wait for another writer. Raises `SurveyBusyError`, naming the other writer, if
    it is still there after them. The parent folder must exist.
    """

    def __init__(self, path: Path, *, wait: float = 0.0) -> None:
        from filelock import FileLock, Timeout

        self.path = path
        self._file = path.parent / f".{path.name}.lock"
        # Whoever lets go of a builder may be another thread than the one that made it.
        self._lock = FileLock(self._file, thread_local=False)
        with writes(path):
            try:
                self._lock.acquire(timeout=wait, blocking=wait > 0)
            except Timeout:  # which is an OSError as well
                raise SurveyBusyError(_busy(path, self._file)) from None
        try:
            # First: what a killed writer left may be what fills the disk.
            with writes(path):
                _clear(path)
                self._file.write_text(json.dumps(_own_name()), "utf-8")
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let the next writer in. Harmless the second time."""
        if not self._lock.is_locked:
            return
        # While it is still held: a file taken away later might be the next writer's already.
        with contextlib.suppress(OSError):  # Windows does not remove a file that is open
            self._file.unlink()
        self._lock.release()


def _own_name() -> dict[str, Any]:
    return {
        "process": os.getpid(),
        "host": platform.node(),
        "since": datetime.now().astimezone().isoformat(timespec="seconds"),
    }


def _busy(path: Path, file: Path) -> str:
    try:
        holder = json.loads(file.read_text("utf-8"))
        who = f"process {holder['process']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        who = "another process"  # it has taken the lock, and not said yet who it is
    return f"{path} is being written by {who}. Wait until it has finished, or end it."


def _clear(path: Path) -> None:
    """Put back what an interrupted replacement moved away, and remove what was half written."""
    for old in _left(path, REPLACED):
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(path)
    for folder in _left(path, BUILDING):
        shutil.rmtree(folder, ignore_errors=True)


def _left(path: Path, ending: str) -> list[Path]:
    start = f".{path.name}."
    return [
        each
        for each in path.parent.iterdir()
        # Only what this package makes up: eight characters without a dot between the two.
        if each.name.startswith(start)
        and each.name.endswith(ending)
        and "." not in each.name[len(start) : -len(ending)]
    ]
