"""Read files in a child process, since a damaged file may crash the library.

The libraries for files of statistics programs are written in C. A child reads one file after the
other, since starting it takes longer than reading a small one. It ends when no file came for a
while, with its parent, and at the first file that cannot be read: a crash costs that file alone.

A message is MessagePack after its length: requests, and the header that answers each. The columns
that a request names follow as an Arrow stream. It is run as
`python -m audiencelab.ingest.readers.child_process`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

import msgspec
import numpy as np

from audiencelab import background
from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Piece, Progress, ResponseSet, Variable
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

_REFUSED = 3
"""Exit code of a child that has written an error as JSON."""

_DONE = b"done"
"""What a child writes after all values: a stream that is cut short ends like a whole one."""

_LENGTH = 8
"""Bytes of the length before a message."""

_TRACEBACK = b"Traceback (most recent call last)"
"""What Python prints in a child that ends by an exception, which is not a crash of the library."""

_ENDS = 30.0
"""Seconds to wait for the exit code of a child that has closed its output."""

_IDLE = 10.0
"""Seconds after which a child that nothing is asked of ends."""


class NoProcessError(OSError):
    """No process can be started here, as in a browser."""


class _Request(msgspec.Struct, frozen=True):
    """A file to open, and the columns to read of it; None: the header alone.

    folder: the working folder, which a relative path is in. Bytes, as paths need not be text.
    """

    folder: bytes
    path: bytes
    options: Source
    columns: tuple[str, ...] | None


class _Header(msgspec.Struct, frozen=True):
    """The attributes of an opened `SurveyFile`."""

    header: tuple[str, ...]
    rows: int
    variables: dict[str, Variable]
    sets: tuple[ResponseSet, ...]
    title: str
    study: dict[str, str]
    declared_weight: str


class _Error(msgspec.Struct, frozen=True):
    detail: str
    place: SourcePlace | None


class ChildFile(SurveyFile):
    """A file that another process opens and reads.

    Raises `NoProcessError` where no process can be started.
    """

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        self._options = options
        with self._asked(None) as (_, header):
            for name in _Header.__struct_fields__:
                setattr(self, name, getattr(header, name))

    def pieces(self, columns: Sequence[str], progress: Progress) -> Generator[Piece]:
        import pyarrow as pa

        known, self.rows = max(1, self.rows), 0
        with self._asked(tuple(columns)) as (child, _):
            try:
                with pa.ipc.open_stream(child.output) as stream:
                    batch: Any
                    for batch, values in stream.iter_batches_with_custom_metadata():
                        self.rows += batch.num_rows
                        texts = msgspec.json.decode(values[b"values"], type=list[list[str]])
                        for name, codes, each in zip(columns, batch.columns, texts, strict=True):
                            # Not `to_numpy`, which imports pandas.
                            found = np.frombuffer(codes.buffers()[1], np.int32, len(codes))
                            yield Piece(name, found, each)
                        progress.at(min(self.octets, self.octets * self.rows // known))
                    # Without columns there are no batches, whose rows could be counted.
                    if not columns:
                        self.rows = int(stream.schema.metadata[b"rows"])
                if child.output.read(len(_DONE)) != _DONE:
                    raise child.error(self)
            except (pa.ArrowException, OSError):
                raise child.error(self) from None

    @contextmanager
    def _asked(self, columns: tuple[str, ...] | None) -> Generator[tuple[_Child, _Header]]:
        """A child that answers a request, and the header that it has sent.

        It reads other files afterwards, unless something was raised.
        """
        # A child that runs already has the working folder of another time.
        folder = b"" if self.path.is_absolute() else os.fsencode(Path.cwd())
        request = _Request(folder, os.fsencode(self.path), self._options, columns)
        child = _idle_child() or _Child()
        try:
            header = child.ask(request)
            # One that waited may have ended since, or be the worse for what it read before.
            if not header and child.has_read:
                child.end()
                child = _Child()
                header = child.ask(request)
            if not header:
                raise child.error(self)
            yield child, msgspec.msgpack.decode(header, type=_Header)
        except msgspec.DecodeError as error:
            child.end()
            raise _defect(self, f"its header cannot be decoded: {error}") from error
        except BaseException:
            child.end()
            raise
        child.wait_for_more()


class _Child:
    """A process that reads files. `end` ends it, if it has not ended yet."""

    def __init__(self) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise NoProcessError("Python is part of another program.")
        # A file and not a pipe: a child that prints much would wait for someone to read it.
        self._errors = TemporaryFile()  # noqa: SIM115 -- ends with the object
        try:
            self._process = subprocess.Popen(
                # -P: a module of this name in the working folder must not be found.
                [sys.executable, "-P", "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,  # Ctrl-C reaches all processes of a terminal's session
            )
        except OSError as error:
            self._errors.close()
            raise NoProcessError(f"No process can be started: {error}") from None
        self.output = cast(BufferedReader, self._process.stdout)
        self.end = weakref.finalize(self, _end, self._process, self._errors)
        self.has_read = False
        self._timer: background.Handle | None = None

    def ask(self, request: _Request) -> bytes:
        """Send a request; returns the header as it was sent, or b"" if the process has ended."""
        if self._timer is not None:
            self._timer.cancel()
        requests = cast(IO[bytes], self._process.stdin)
        with suppress(OSError):
            requests.write(_message(request))
            requests.flush()
        return _received(self.output)

    def wait_for_more(self) -> None:
        """Read the next file, or end if none comes for a while."""
        self.has_read = True
        _idle.append(self)
        self._timer = background.call_later(_IDLE, self._end_if_idle)

    def _end_if_idle(self) -> None:
        with suppress(ValueError):  # not idle any more
            _idle.remove(self)
            self.end()

    def error(self, file: SurveyFile) -> Exception:
        """Why the process ended before its work was done: the file, or a defect of audiencelab."""
        code: int | None = None
        with suppress(subprocess.TimeoutExpired):
            code = self._process.wait(_ENDS)
        self._errors.seek(0)
        written = self._errors.read()
        self.end()
        if code == _REFUSED:
            found = msgspec.json.decode(written.splitlines()[-1], type=_Error)
            return (
                SourceError(found.place, found.detail) if found.place else SurveyError(found.detail)
            )
        if code == -getattr(signal, "SIGKILL", 9) or b"MemoryError" in written:
            detail = "was not read to its end; most often there was too little memory for it."
            return SourceError(SourcePlace(file.origin), detail)
        if _TRACEBACK in written:
            return _defect(file, written.splitlines()[-1].decode(errors="replace"))
        how = f" ({signal.Signals(-code).name})" if code and code < 0 else ""
        return SourceError(
            SourcePlace(file.origin),
            f"cannot be read: the library for such files crashes on it{how}, so it is damaged. Get "
            "it again, or save it again in the program that it comes from. If its text is in "
            "another encoding than it declares, name that: [source] encoding = "
            '"windows-1252", for example.',
        )


_idle: list[_Child] = []
"""Children that wait for a file, one for each thread that reads at the same time.

Threads share it without a lock: to append, pop and remove are one step each.
"""


def _idle_child() -> _Child | None:
    try:
        return _idle.pop()
    except IndexError:
        return None


def end_idle_children() -> None:
    """End the processes that wait for a file."""
    while child := _idle_child():
        child.end()


def _leave_to_parent() -> None:
    """In a forked process: the children are those of the process that it was forked from."""
    for child in _idle:
        child.end.detach()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)


def _defect(file: SurveyFile, detail: str) -> RuntimeError:
    """An error of audiencelab itself, and not of the file."""
    return RuntimeError(
        f"{file.origin}: reading it failed in audiencelab ({detail}). This is a defect of "
        "audiencelab, not of the file. Please report it with this message."
    )


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    # Its work is done or unwanted, and a library in a loop does not hear a request to end.
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # the process cannot take what was not sent yet
                stream.close()
    process.wait()
    errors.close()


def _message(content: msgspec.Struct) -> bytes:
    encoded = msgspec.msgpack.encode(content)
    return len(encoded).to_bytes(_LENGTH) + encoded


def _received(stream: IO[bytes]) -> bytes:
    """The next message; b"" where the other process has ended before its end."""
    length = int.from_bytes(stream.read(_LENGTH))
    message = stream.read(length)
    return message if len(message) == length else b""


# ---- in the child ----


def main() -> int:
    """Answer requests, one after the other, until there are no more or a file cannot be read."""
    # The library may print; what it prints is not part of the stream.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        while asked := _received(sys.stdin.buffer):
            _answer(msgspec.msgpack.decode(asked, type=_Request), output)
            output.flush()
    except BrokenPipeError:  # the parent has ended, or has called the reading off
        return 1
    except SurveyError as error:
        place, detail = None, str(error)
        if isinstance(error, SourceError):
            place, detail = error.place, error.detail
        # On a line of its own, after whatever the library printed.
        sys.stderr.buffer.write(b"\n" + msgspec.json.encode(_Error(detail, place)))
        return _REFUSED
    return 0


def _answer(request: _Request, output: BufferedWriter) -> None:
    from audiencelab.ingest.readers.spss_stata_sas import open_statistical

    if request.folder:
        os.chdir(request.folder)
    file = open_statistical(Path(os.fsdecode(request.path)), request.options)
    output.write(_message(_Header(*(getattr(file, name) for name in _Header.__struct_fields__))))
    if request.columns is not None:
        output.flush()
        _send(file, request.columns, output)
        output.write(_DONE)


def _send(file: SurveyFile, columns: Sequence[str], output: BufferedWriter) -> None:
    """Write the codes of columns as an Arrow stream, one batch for each block of rows.

    The values of the codes of a batch are JSON in its metadata.
    """
    import pyarrow as pa

    if not columns:
        list(file.pieces([], Progress()))
    fields = [(name, pa.int32()) for name in columns]
    schema: Any = pa.schema(fields, metadata={"rows": f"{file.rows}"})
    with pa.ipc.new_stream(output, schema) as stream:
        block: list[Any] = []
        texts: list[list[str | None]] = []
        for _, codes, values in file.pieces(columns, Progress()):
            block.append(pa.array(codes.astype("int32")))
            texts.append(list(values))
            if len(block) == len(columns):
                batch = pa.record_batch(block, schema=schema)
                stream.write_batch(batch, custom_metadata={b"values": msgspec.json.encode(texts)})
                block, texts = [], []


if __name__ == "__main__":
    code = main()
    sys.stderr.flush()
    os._exit(code)  # the libraries take a moment to end
