"""The process in which a file is read that might end it; `isolated` starts it and asks it.

Requests come on its standard input and answers go to its standard output, pickled one after
another. It ends at once when nobody can ask any more, whatever it is reading.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.tables import Piece, Progress, ResponseSet, Variable
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

__all__ = ["READY", "Opened", "Part", "Request", "Rows", "main"]

READY = "ready"
"""The first answer, before anything is asked."""


class Request(NamedTuple):
    """A file to be opened, and the columns to be read; None to be told its header.

    folder: what its path starts from.
    """

    folder: Path
    path: Path
    options: Source
    opener: Callable[[Path, Source], SurveyFile]
    columns: Sequence[str] | None


class Opened(NamedTuple):
    """What a file says of itself, as a `SurveyFile` does."""

    header: tuple[str, ...]
    variables: Mapping[str, Variable]
    sets: tuple[ResponseSet, ...]
    title: str
    declared_weight: str
    encoding: str


class Part(NamedTuple):
    """A piece of a column. octets: how far reading was then."""

    piece: Piece
    octets: int


class Rows(NamedTuple):
    """The last answer: how many rows the file has, and how far reading came."""

    rows: int
    octets: int


def main() -> None:
    """Answer until nobody asks."""
    # What a library prints is no answer.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _settle()
    requests: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_hear, args=[requests], daemon=True).start()
    reader = _Reader()
    with suppress(OSError):
        pickle.dump(READY, answers)
        answers.flush()
        while True:
            for answer in reader.answers(requests.get()):
                pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
                answers.flush()


def _hear(requests: SimpleQueue[Request]) -> None:
    with suppress(EOFError, OSError):
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    os._exit(0)


def _settle() -> None:
    """Ctrl-C is for who asks; where memory runs out this process goes, and leaves no image."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", "ascii")
    with suppress(ImportError):  # Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class _Reader:
    """Keeps the last file open: its columns are mostly asked for next."""

    def __init__(self) -> None:
        self._known: object = None
        self._file: SurveyFile | None = None

    def answers(self, request: Request) -> Iterator[Opened | Part | Rows | Exception]:
        """What a request gives; after an error nothing more."""
        heard = _Heard()
        try:
            file = self._opened(request)
            if request.columns is None:
                yield Opened(
                    file.header,
                    file.variables,
                    file.sets,
                    file.title,
                    file.declared_weight,
                    file.encoding,
                )
            else:
                for name, codes, values in file.pieces(request.columns, heard):
                    yield Part(Piece(name, codes.astype(np.int32), list(values)), heard.octets)
            yield Rows(file.rows, heard.octets)
        except SurveyError as error:
            yield error
        except MemoryError:
            yield SourceError(SourcePlace(str(request.path)), "there is too little memory for it.")
        except Exception as error:
            error.add_note(traceback.format_exc())
            yield error

    def _opened(self, request: Request) -> SurveyFile:
        os.chdir(request.folder)
        found = request.path.stat()
        known = (*request[:-1], found.st_mtime_ns, found.st_size, found.st_ino)
        if self._file is None or self._known != known:
            self._file = None
            self._file, self._known = request.opener(request.path, request.options), known
        return self._file


class _Heard(Progress):
    octets = 0

    def at(self, octets: int) -> None:
        self.octets = octets
