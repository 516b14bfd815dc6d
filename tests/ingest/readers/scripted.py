"""A file that says what becomes of the process that reads it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.isolated import IsolatedFile
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.tables import Piece, Progress
from audiencelab.survey.errors import SurveyError

__all__ = ["Scripted", "scripted"]


class Scripted(SurveyFile):
    """What its file says is done: to open it, and to read a column of it."""

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        opening, self._reading = path.read_text("utf-8").split()
        self.header = ("process", "other")
        _do(opening)

    def pieces(self, columns: Sequence[str], progress: Progress) -> Iterator[Piece]:
        self.rows = 4
        for half in (1, 2):
            yield Piece("process", np.zeros(2, np.int8), [str(os.getpid())])
            progress.at(self.octets * half // 2)
            _do(self._reading)


def _do(what: str) -> None:
    match what:
        case "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "exit":
            os._exit(3)
        case "refuse":
            raise SurveyError("It is refused.")
        case "fail":
            raise LookupError(what)
        case "exhaust":
            raise MemoryError
        case "sleep":
            time.sleep(600)
        case "print":
            os.write(1, b"a library says something")
        case _:
            pass


def scripted(folder: Path, script: str) -> IsolatedFile:
    """A file of a script, to be read in a process of its own."""
    path = folder / "survey.scripted"
    path.write_text(script, "utf-8")
    return IsolatedFile(path, Source(), Scripted)
