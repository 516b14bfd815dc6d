"""Reading a file in a process of its own, so that nothing in the file ends this one.

The libraries for files of statistics programs are written in C, and a damaged file may end the
process that they run in. Here that is another one: what it finds is handed over piece by piece, and
its end is an error that names the file. Ctrl-C is heard while it reads.

A process that has read waits some seconds for the next file, since starting one takes a moment.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from multiprocessing import spawn
from pathlib import Path
from typing import IO, Any, cast

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import reader_process
from audiencelab.ingest.readers.reader import SurveyFile
from audiencelab.ingest.readers.reader_process import READY, Opened, Part, Request, Rows
from audiencelab.ingest.tables import Piece, Progress
from audiencelab.survey.errors import SourceError, SourcePlace

__all__ = ["IsolatedFile", "NoProcessError"]

_WAITS = 10.0
"""Seconds that a process waits for its next file."""

_ENDS = 5.0
"""Seconds after which one is ended that has closed its answers."""

_START = "import sys; sys.path[:] = {path!r}; from {module} import main; main()"


class NoProcessError(OSError):
    """No process can be started here; whoever imports a file never meets it."""


class IsolatedFile(SurveyFile):
    """A file that another `SurveyFile` opens and reads, in a process of its own.

    opener: what opens it there; a class or function of a module.
    Raises `NoProcessError` where no process can be started.
    """

    def __init__(
        self, path: Path, options: Source, opener: Callable[[Path, Source], SurveyFile]
    ) -> None:
        super().__init__(path)
        self._options = options
        self._opener = opener
        for answer in self._answers(None):
            if isinstance(answer, Opened):
                self.header = answer.header
                self.variables = answer.variables
                self.sets = answer.sets
                self.title = answer.title
                self.declared_weight = answer.declared_weight
                self.encoding = answer.encoding

    def pieces(self, columns: Sequence[str], progress: Progress) -> Generator[Piece]:
        with closing(self._answers(columns)) as answers:
            for answer in answers:
                if isinstance(answer, Part):
                    yield answer.piece
                if not isinstance(answer, Opened):
                    progress.at(answer.octets)

    def _answers(self, columns: Sequence[str] | None) -> Generator[Opened | Part | Rows]:
        """The answers to a request. The process is ended unless all of them are taken."""
        # A process may have been started elsewhere.
        folder = Path() if self.path.is_absolute() else Path.cwd()
        process = _taken()
        try:
            process.ask(Request(folder, self.path, self._options, self._opener, columns))
            while not isinstance(answer := process.answer(), Rows | Exception):
                yield answer
        except (EOFError, OSError):
            raise self._broken(process.ended()) from None
        except BaseException:
            process.kill()
            raise
        _let_wait(process)
        if isinstance(answer, Exception):
            raise answer
        self.rows = answer.rows
        yield answer

    def _broken(self, code: int) -> SourceError:
        if code == -getattr(signal, "SIGKILL", 9):
            detail = "was not read to its end: most often there was too little memory for it."
        else:
            how = f" ({signal.Signals(-code).name})" if code < 0 else ""
            detail = (
                f"cannot be read: the library for such files breaks down over it{how}, so it is "
                "damaged. Get it again, or save it again in the program that it comes from."
            )
        return SourceError(SourcePlace(self.place), detail)


class _Process:
    """One that answers requests, one after another."""

    timer: threading.Timer | None = None

    def __init__(self) -> None:
        code = _START.format(path=sys.path, module=reader_process.__name__)
        try:
            self._process = subprocess.Popen(
                [_executable(), "-c", code],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C goes to all of a terminal's session.
            )
        except OSError as error:
            raise NoProcessError(f"No process can be started: {error}") from None
        self._requests = cast(IO[bytes], self._process.stdin)
        self._answers = cast(IO[bytes], self._process.stdout)
        try:
            if self.answer() != READY:
                raise EOFError
        except (EOFError, pickle.UnpicklingError):
            self.kill()
            raise NoProcessError("A process was started and did not answer.") from None

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: Request) -> None:
        """Raises `OSError` where it has ended."""
        pickle.dump(request, self._requests, pickle.HIGHEST_PROTOCOL)
        self._requests.flush()

    def answer(self) -> Any:
        """Raises `EOFError` where it has ended."""
        return pickle.load(self._answers)

    def ended(self) -> int:
        """With what code it has ended, which is soon."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDS)
        return self.kill()

    def kill(self) -> int:
        self._process.kill()
        with suppress(OSError):  # A request may still be on its way.
            self._requests.close()
        self._answers.close()
        return self._process.wait()


def _executable() -> str:
    """The interpreter. Raises `OSError` where this program is none."""
    found = os.fsdecode(spawn.get_executable() or "")
    if not found or getattr(sys, "frozen", False):
        raise FileNotFoundError("Python is part of another program.")
    return found


_lock = threading.Lock()
_waiting: list[_Process] = []
"""At most one."""


def _taken() -> _Process:
    with _lock:
        process = _waiting.pop() if _waiting else None
    if process is None:
        return _Process()
    if process.timer is not None:
        process.timer.cancel()
    if process.is_alive:
        return process
    process.kill()
    return _Process()


def _let_wait(process: _Process) -> None:
    """Keep a process for the next file; another one that waits is ended."""
    process.timer = threading.Timer(_WAITS, _end, [process])
    process.timer.daemon = True
    with _lock:
        too_many = _waiting[:]
        _waiting[:] = [process]
    process.timer.start()
    for each in too_many:
        each.kill()


def _end(process: _Process) -> None:
    with _lock:
        if process not in _waiting:
            return
        _waiting.remove(process)
    process.kill()


def _end_all() -> None:
    while _waiting:
        _end(_waiting[0])


def _forget() -> None:
    """A copy of this process cannot use what belongs to the first."""
    global _lock
    _lock = threading.Lock()
    _waiting.clear()


atexit.register(_end_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
