"""Surveys that stand elsewhere: an address such as `s3://bucket/survey`, read by ranges.

Whatever fsspec can read will do: object stores, HTTP, HDFS, a memory for tests. Only the bytes that
are asked for are fetched: the rows of the questions a query names, and of those the words of one
partition. What was fetched is kept, within bounds. An address holds no password; file systems
find their credentials in the environment, as their own documentation says.

Surveys on this machine's disks are mapped instead, and know nothing of this module.
"""

from __future__ import annotations

import re
import tokenize
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias
from urllib.parse import urlsplit

import numpy as np

from audiencelab.survey.bits import Bits
from audiencelab.survey.errors import SurveyError

if TYPE_CHECKING:
    from upath import UPath

__all__ = ["ODD_HEADER", "Folder", "RemoteArray", "as_folder", "identity", "is_address"]

Folder: TypeAlias = "Path | UPath"
"""A folder or file of this machine, or one elsewhere that reads the same."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")

_HEADER_BYTES = 256
"""Enough for the header of any array of ours; numpy writes 128."""

ODD_HEADER = (ValueError, SyntaxError, tokenize.TokenError)
"""What numpy raises for an array whose header is damaged: it reads one as an expression."""

_Rows = tuple[int, int]
"""From … to …, exclusive."""

_KEPT_BYTES = 64 << 20
"""What one array keeps of the rows that it has fetched."""


def is_address(survey: object) -> bool:
    """Whether this names a survey by an address rather than by a folder."""
    return isinstance(survey, str) and _ADDRESS.match(survey) is not None


def as_folder(survey: str | Path) -> Folder:
    """The folder of a path or an address.

    Raises `SurveyError` for an address with a password, or one that cannot be read: nothing
    installed does, or nobody answers there.
    """
    if not is_address(survey):
        return Path(survey).expanduser()
    address = str(survey)
    _refuse_password(address)
    try:
        from upath import UPath
    except ModuleNotFoundError:
        raise SurveyError(
            "A survey named by an address needs fsspec, which is not installed: "
            'pip install "audiencelab[cluster]"'
        ) from None
    try:
        folder = UPath(address.rstrip("/"))
        # Its file system is only made here, and with it whatever must be installed for it.
        protocols = folder.fs.protocol
    except Exception as error:
        # Some connect at once, and each kind of file system has errors of its own.
        raise SurveyError(f"{address} cannot be read: {error}") from None
    return Path(folder.path) if "file" in protocols else folder


def identity(file: UPath) -> Hashable:
    """What tells this version of a remote file from the next, as far as its file system says."""
    files: Any = file.fs
    try:
        files.invalidate_cache(file.path)
        return str(files.info(file.path))
    except FileNotFoundError:
        return None


class RemoteArray:
    """An array of a remote `.npy` file, of which only what is asked for is read.

    shape: rows and columns; of an array of one dimension, one row.
    It is sliced by rows, `array[first:stop]`, as numpy's are, and gives the columns that it was
    cut to. Safe to use from many threads.
    """

    def __init__(self, file: UPath, start: int = 0, stop: int | None = None) -> None:
        """The columns from `start` to `stop` (exclusive) of the array in a file."""
        self._file = file
        self._files: Any = file.fs
        self._version = identity(file)
        rows, self._width = self._read_header()
        self._start, self._stop = start, self._width if stop is None else stop
        self.shape = (rows, self._stop - self._start)
        self._kept: OrderedDict[_Rows, Bits] = OrderedDict()
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """What the rows kept now take."""
        with self._lock:
            return sum(rows.nbytes for rows in self._kept.values())

    def __getitem__(self, rows: slice) -> Any:
        first, stop, _ = rows.indices(self.shape[0])
        return self.gather([(first, stop)])[0]

    def gather(self, wanted: Sequence[_Rows]) -> list[Any]:
        """The rows from … to …, several such blocks in one go, which saves waiting."""
        with self._lock:
            found = {block: self._kept[block] for block in wanted if block in self._kept}
        missing = [block for block in dict.fromkeys(wanted) if block not in found]
        found.update(zip(missing, self._fetch(missing), strict=True))
        with self._lock:
            for block in wanted:
                self._kept[block] = found[block]
                self._kept.move_to_end(block)
            held = sum(rows.nbytes for rows in self._kept.values())
            while held > _KEPT_BYTES:
                held -= self._kept.popitem(last=False)[1].nbytes
        return [found[block] for block in wanted]

    def _fetch(self, blocks: Sequence[_Rows]) -> Iterator[Any]:
        """Each block as an array, all of their pieces asked for at once."""
        pieces = [list(self._pieces(first, stop)) for first, stop in blocks]
        octets = iter(self._read(list(chain.from_iterable(pieces))))
        for parts in pieces:
            array = np.frombuffer(b"".join(islice(octets, len(parts))), dtype=self._dtype)
            array.flags.writeable = False
            yield array.reshape(-1, self.shape[1])

    def _pieces(self, first: int, stop: int) -> Iterator[_Rows]:
        """Where a block lies in the file, in items: in one piece, or row by row if it was cut."""
        if self.shape[1] == self._width:
            yield first * self._width, stop * self._width
            return
        for row in range(first, stop):
            yield row * self._width + self._start, row * self._width + self._stop

    def _read(self, pieces: list[_Rows]) -> list[bytes]:
        if not pieces:
            return []
        size = self._dtype.itemsize
        starts = [self._offset + size * start for start, _ in pieces]
        ends = [self._offset + size * stop for _, stop in pieces]
        paths = [self._file.path] * len(pieces)
        try:
            read = self._files.cat_ranges(paths, starts, ends, on_error="raise")
        except FileNotFoundError:
            self._damaged("it is missing")
        if sum(map(len, read)) != sum(ends) - sum(starts):
            self._damaged("it is cut short")
        if identity(self._file) != self._version:
            raise SurveyError(
                f"{self._file} was replaced while it was read. Open the survey again."
            )
        return read

    def _read_header(self) -> tuple[int, int]:
        """Rows and columns of the whole array; where its items begin, and what they are."""
        try:
            head = BytesIO(self._files.cat_file(self._file.path, start=0, end=_HEADER_BYTES))
            version = np.lib.format.read_magic(head)
            if version != (1, 0):
                self._damaged("its header is not one of ours")
            shape, in_columns, self._dtype = np.lib.format.read_array_header_1_0(head)
        except FileNotFoundError:
            self._damaged("it is missing")
        except ODD_HEADER as error:
            self._damaged(str(error))
        if in_columns or self._dtype.hasobject or len(shape) not in (1, 2):
            self._damaged("it is no array of a survey")
        self._offset = head.tell()
        return (1, shape[0]) if len(shape) == 1 else (shape[0], shape[1])

    def _damaged(self, why: str) -> NoReturn:
        raise SurveyError(f"{self._file} is damaged ({why}). Import the survey again.") from None


def _refuse_password(address: str) -> None:
    try:
        password = urlsplit(address).password
    except ValueError:
        password = None
    if password is not None:
        raise SurveyError(
            "The address of a survey holds no password, since it is shown and sent to workers. "
            "Put the credential where the file system looks for it (its environment variables, "
            "or fsspec's configuration)."
        )
