"""One writer of a survey at a time, and the clean-up after writers that were killed.

A writer holds a lock file beside the survey (`.name.lock`), which contains its process and host.
The lock ends with its process, however that ends. Readers ignore it. The holder may remove every
half-written folder of the survey, since no other writer can be at work on one.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import shutil
import warnings
from datetime import datetime
from pathlib import Path

from audiencelab.survey.errors import SurveyBusyError
from audiencelab.survey.layout import writes

BUILDING = ".building"
"""The suffix of the hidden folder in which a survey is written."""

REPLACED = ".replaced"
"""The suffix of the hidden folder of the old version while the new one replaces it."""


class WriterLock:
    """The right to write the survey at a path; held from the moment this is made.

    wait: seconds to wait for another writer. Raises `SurveyBusyError`, naming the other writer, if
    it is still there after them. The parent folder must exist.
    """

    def __init__(self, path: Path, *, wait: float = 0.0) -> None:
        with warnings.catch_warnings():
            # In a browser a lock is a file that exists, which is enough for its one process.
            warnings.filterwarnings("ignore", "only soft file lock", UserWarning)
            from filelock import FileLock, Timeout

        self.path = path
        self._file = path.parent / f".{path.name}.lock"
        # A builder may be released by another thread than the one that made it.
        self._lock = FileLock(self._file, thread_local=False)
        with writes(path):
            try:
                self._lock.acquire(timeout=wait, blocking=wait > 0)
            except Timeout:  # which is an OSError as well
                raise SurveyBusyError(_busy(path, self._file)) from None
        try:
            # First: the remains of a killed writer may be what fills the disk.
            with writes(path):
                _clear(path)
                since = datetime.now().astimezone().isoformat(timespec="seconds")
                own = {"process": os.getpid(), "host": platform.node(), "since": since}
                self._file.write_text(json.dumps(own), "utf-8")
        except BaseException:
            self.release()
            raise

    def release(self) -> None:
        """Let the next writer in; the second call does nothing."""
        if not self._lock.is_locked:
            return
        # While it is still held: a file removed later might be the next writer's already.
        with contextlib.suppress(OSError):  # Windows does not remove a file that is open
            self._file.unlink()
        self._lock.release()


def _busy(path: Path, file: Path) -> str:
    try:
        holder = json.loads(file.read_text("utf-8"))
        who = f"process {holder['process']} on {holder['host']}, since {holder['since']}"
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        who = "another process"  # it has the lock, and has not written its name yet
    return f"{path} is being written by {who}. Wait until it has finished, or end it."


def _clear(path: Path) -> None:
    """Restore what an interrupted replacement moved away; remove half-written folders."""
    for old in _remains(path, REPLACED):
        # The new version is there, so the writer was killed while it removed the old one.
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)
        else:
            # Killed between the two renames of a replacement: the old version comes back.
            old.rename(path)
    for folder in _remains(path, BUILDING):
        shutil.rmtree(folder, ignore_errors=True)


def _remains(path: Path, suffix: str) -> list[Path]:
    # Only names that this package makes: random characters without a dot between the two.
    name = re.compile(rf"\.{re.escape(path.name)}\.[^.]+{re.escape(suffix)}")
    return [each for each in path.parent.iterdir() if name.fullmatch(each.name)]
