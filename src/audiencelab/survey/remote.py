"""Surveys elsewhere: an address such as `s3://bucket/survey`, read by ranges of bytes.

Any file system that fsspec can read: object storage, HTTP, HDFS, memory for tests. Only the bytes
that a query needs are fetched: the rows of its questions, and of those the words of one partition.
Recently fetched rows are kept. An address contains no password; file systems find their
credentials in the environment, as their own documentation describes.

Surveys on this machine's disks are memory-mapped and do not use this module.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Callable, Hashable, Iterator, Sequence
from io import BytesIO
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from audiencelab.survey.errors import SurveyError

if TYPE_CHECKING:
    from upath import UPath

Folder: TypeAlias = "Path | UPath"
"""A folder or file of this machine, or one elsewhere with the same methods."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+(::|://)")

_HEADER_BYTES = 256
"""Enough for the header of any array of a survey; numpy writes 128."""

ODD_HEADER = (ValueError, SyntaxError, tokenize.TokenError)
"""What numpy raises for an array with a damaged header, which it evaluates as an expression."""

READS_HEADER = Lock()
"""Held while numpy reads a header: in Python before 3.11.8 and 3.12.2, `ast` fails now and then in
two threads at once (SystemError: AST constructor recursion depth mismatch)."""

_Rows = tuple[int, int]
"""First and last (exclusive)."""

_CACHE_BYTES = 64 << 20
"""The most that one array keeps of the rows that it has fetched."""


def is_address(survey: object) -> bool:
    """Whether this is the address of a survey rather than its folder."""
    return isinstance(survey, str) and _ADDRESS.match(survey) is not None


def as_folder(survey: str | Path) -> Folder:
    """The folder of a path or an address.

    Raises `SurveyError` for an address with a password, or one that cannot be read: no installed
    library supports it, or no server answers there.
    """
    if not is_address(survey):
        return Path(survey).expanduser()
    address = str(survey)
    _refuse_password(address)
    try:
        from upath import UPath
    except ModuleNotFoundError:
        raise SurveyError(
            "The address of a survey needs fsspec, which is not installed: "
            'pip install "audiencelab[cluster]"'
        ) from None
    try:
        folder = UPath(address.rstrip("/"))
        # The file system is only made here, and needs its library here.
        protocols = folder.fs.protocol
    except Exception as error:
        # Some connect at once, and each file system has errors of its own.
        raise SurveyError(f"{address} cannot be read: {error}") from None
    return Path(folder.path) if "file" in protocols else folder


def identity(file: UPath) -> Hashable:
    """What distinguishes versions of a remote file, as far as its file system reports it."""
    files: Any = file.fs
    try:
        # fsspec keeps listings, which would hide a replacement.
        files.invalidate_cache(file.path)
        return str(files.info(file.path))
    except FileNotFoundError:
        return None


class RemoteArray:
    """An array in a remote `.npy` file, of which only requested rows are read.

    shape: rows and columns; an array of one dimension has one row.
    Sliced by rows, `array[first:stop]`, as numpy's arrays, with the columns that it was cut to.
    check: is called with the number of the first row, and the rows, of all that is fetched.
    Safe to use from many threads.
    """

    def __init__(self, file: UPath, start: int = 0, stop: int | None = None) -> None:
        """The columns from `start` to `stop` (exclusive) of the array in a file."""
        from cachetools import LRUCache

        self._file = file
        self._files: Any = file.fs
        self._version = identity(file)
        rows, self._width = self._read_header()
        self._start, self._stop = start, self._width if stop is None else stop
        self.shape = (rows, self._stop - self._start)
        self._cache: LRUCache[_Rows, npt.NDArray[Any]] = LRUCache(
            _CACHE_BYTES, getsizeof=lambda rows: rows.nbytes
        )
        self._lock = Lock()
        self.check: Callable[[int, npt.NDArray[Any]], None] | None = None

    @property
    def nbytes(self) -> int:
        """The bytes of the rows that are kept now."""
        with self._lock:
            return int(self._cache.currsize)

    def __getitem__(self, rows: slice) -> Any:
        first, stop, _ = rows.indices(self.shape[0])
        return self.gather([(first, stop)])[0]

    def gather(self, wanted: Sequence[_Rows]) -> list[Any]:
        """Several blocks of rows, fetched in one go, which saves waiting."""
        with self._lock:
            # The lock is not held while fetching: two threads may fetch the same block, and none
            # waits.
            found = {block: self._cache[block] for block in wanted if block in self._cache}
        missing = [block for block in dict.fromkeys(wanted) if block not in found]
        fetched = dict(zip(missing, self._fetch(missing), strict=True))
        if self.check is not None:
            for (first, _), rows in fetched.items():
                self.check(first, rows)
        with self._lock:
            for block, rows in fetched.items():
                if rows.nbytes <= _CACHE_BYTES:
                    self._cache[block] = rows
        found |= fetched
        return [found[block] for block in wanted]

    def _fetch(self, blocks: Sequence[_Rows]) -> Iterator[npt.NDArray[Any]]:
        """Each block as an array, all of their pieces requested at once."""
        pieces = [list(self._pieces(first, stop)) for first, stop in blocks]
        octets = iter(self._read(list(chain.from_iterable(pieces))))
        for parts in pieces:
            array = np.frombuffer(b"".join(islice(octets, len(parts))), dtype=self._dtype)
            array.flags.writeable = False
            yield array.reshape(-1, self.shape[1])

    def _pieces(self, first: int, stop: int) -> Iterator[_Rows]:
        """Where a block is in the file, in items: in one piece, or row by row if it was cut."""
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
        # File systems return fewer bytes past the end of a file, without an error.
        if sum(map(len, read)) != sum(ends) - sum(starts):
            self._damaged("it is cut short")
        # Compared after reading: a file that was replaced before or meanwhile shows here.
        if identity(self._file) != self._version:
            raise SurveyError(
                f"{self._file} was replaced while it was read. Open the survey again."
            )
        return read

    def _read_header(self) -> tuple[int, int]:
        """Rows and columns of the whole array; where its items begin, and their type."""
        try:
            head = BytesIO(self._files.cat_file(self._file.path, start=0, end=_HEADER_BYTES))
            version = np.lib.format.read_magic(head)
            # The version that `array_files` writes.
            if version != (1, 0):
                self._damaged(f"its header has version {version}")
            with READS_HEADER:
                shape, in_columns, self._dtype = np.lib.format.read_array_header_1_0(head)
        except FileNotFoundError:
            self._damaged("it is missing")
        except ODD_HEADER as error:
            self._damaged(str(error))
        if in_columns or self._dtype.hasobject or len(shape) not in (1, 2):
            self._damaged("it is not an array of a survey")
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
            "The address of a survey must not contain a password, since it is shown and sent to "
            "workers. Put the credential where the file system looks for it (its environment "
            "variables, or fsspec's configuration)."
        )
