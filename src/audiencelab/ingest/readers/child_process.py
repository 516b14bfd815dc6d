"""Read a file in a short-lived child process, since a damaged file may crash the library.

The libraries for files of statistics programs are written in C. The child sends the header as
MessagePack after its length, waits for a line of JSON with the columns, and writes them as an Arrow
stream. It is run as `python -m audiencelab.ingest.readers.child_process`. JSON has no infinity,
which is an end of an SPSS missing range with LO or HI.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Generator, Sequence
from contextlib import suppress
from io import BufferedReader, BufferedWriter
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, cast

import msgspec
import numpy as np

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Piece, Progress, ResponseSet, Variable
from audiencelab.ingest.readers.base import SurveyFile
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError

_REFUSED = 3
"""Exit code of a child that has written an error as JSON."""

_DONE = b"done"
"""What a child writes after all values: a stream that is cut short ends like a whole one."""

_LENGTH = 8
"""Bytes of the length before the header."""

_TRACEBACK = b"Traceback (most recent call last)"
"""What Python prints in a child that ends by an exception, which is not a crash of the library."""

_ENDS = 30.0
"""Seconds to wait for the exit code of a child that has closed its output."""


class NoProcessError(OSError):
    """No process can be started here, as in a browser."""


class _Header(msgspec.Struct, frozen=True):
    """The attributes of an opened `SurveyFile`."""

    header: tuple[str, ...]
    rows: int
    variables: dict[str, Variable]
    sets: tuple[ResponseSet, ...]
    title: str
    declared_weight: str


class _Error(msgspec.Struct, frozen=True):
    detail: str
    place: SourcePlace | None


class ChildFile(SurveyFile):
    """A file that another process opens and reads.

    The process that has read the header is kept for the values, until `close`.
    Raises `NoProcessError` where no process can be started.
    """

    def __init__(self, path: Path, options: Source) -> None:
        super().__init__(path)
        self._options = options
        self._child: _Child | None = _Child(path, options)
        found = self._header(self._child)
        for name in _Header.__struct_fields__:
            setattr(self, name, getattr(found, name))

    def pieces(self, columns: Sequence[str], progress: Progress) -> Generator[Piece]:
        import pyarrow as pa

        # A child answers one request: the one that read the header answers the first.
        child, self._child = self._child, None
        if child is None:
            child = _Child(self.path, self._options)
            self._header(child)
        known, self.rows = max(1, self.rows), 0
        try:
            child.ask(columns)
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
        finally:
            child.end()

    def close(self) -> None:
        if self._child is not None:
            self._child.end()
            self._child = None

    def _header(self, child: _Child) -> _Header:
        try:
            length = int.from_bytes(child.output.read(_LENGTH))
            message = child.output.read(length)
            if not message or len(message) < length:
                raise child.error(self)
            return msgspec.msgpack.decode(message, type=_Header)
        except msgspec.DecodeError as error:
            child.end()
            raise _defect(self, f"its header cannot be decoded: {error}") from error
        except BaseException:
            child.end()
            raise


class _Child:
    """A process that reads one file. `end` ends it, if it has not ended yet."""

    def __init__(self, path: Path, options: Source) -> None:
        if not sys.executable or getattr(sys, "frozen", False):
            raise NoProcessError("Python is part of another program.")
        # A file and not a pipe: a child that prints much would wait for someone to read it.
        self._errors = TemporaryFile()  # noqa: SIM115 -- ends with the object
        try:
            self._process = subprocess.Popen(
                _command(path, options),
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

    def ask(self, columns: Sequence[str]) -> None:
        """Ask for columns. Raises `OSError` if the process has ended."""
        requests = cast(IO[bytes], self._process.stdin)
        requests.write(json.dumps(columns).encode() + b"\n")
        requests.close()

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


def _defect(file: SurveyFile, detail: str) -> RuntimeError:
    """An error of audiencelab itself, and not of the file."""
    return RuntimeError(
        f"{file.origin}: reading it failed in audiencelab ({detail}). This is a defect of "
        "audiencelab, not of the file. Please report it with this message."
    )


def _command(path: Path, options: Source) -> list[str | Path]:
    """What starts the child."""
    # -P: a module of this name in the working folder must not be found.
    sent = msgspec.msgpack.encode(options).hex()
    return [sys.executable, "-P", "-m", __name__, path, sent]


def _end(process: subprocess.Popen[bytes], errors: IO[bytes]) -> None:
    # Its work is done or unwanted, and a library in a loop does not hear a request to end.
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):  # the process cannot take what was not sent yet
                stream.close()
    process.wait()
    errors.close()


# ---- in the child ----


def main() -> int:
    """Open the file, send its header, and send columns if some are asked for."""
    from audiencelab.ingest.readers.spss_stata_sas import open_statistical

    # The library may print; what it prints is not part of the stream.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        options = msgspec.msgpack.decode(bytes.fromhex(sys.argv[2]), type=Source)
        file = open_statistical(Path(sys.argv[1]), options)
        header = {name: getattr(file, name) for name in _Header.__struct_fields__}
        message = msgspec.msgpack.encode(header)
        output.write(len(message).to_bytes(_LENGTH) + message)
        output.flush()
        if asked := sys.stdin.buffer.readline():
            _send(file, json.loads(asked), output)
            output.write(_DONE)
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
