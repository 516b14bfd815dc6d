"""What students handed in: progress files below a folder, or in zip files of Moodle and Canvas.

A learning platform hands out one zip file, with a file or a folder for each student, in which there
may be zip files again. They are read in memory: nothing is unpacked, so no name in them can lead
out of a folder.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import permutations
from pathlib import Path

PROGRESS = re.compile(r"course-progress(?:[ _-]?\(?\d+\)?)?\.json", re.IGNORECASE)
"""A progress file; browsers and Canvas number the second one."""

_MOODLE = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)")
_CANVAS = re.compile(
    # Not a date, which otter-grader writes into the names of its zip files.
    r"(?P<name>[^_]+)(?:_LATE)?_(?!\d{4}_\d\d_\d\dT)(?P<id>\d+)_\d+_(?P<file>.+)",
    re.IGNORECASE,
)

_ANONYMOUS = re.compile(
    r"(?P<name>anon)(?:_LATE)?_(?P<id>[0-9a-z]+)_\d+_(?P<file>.+)", re.IGNORECASE
)
_UNNAMED = ("participant", "anon")
"""What Moodle and Canvas write for the names of anonymous users."""

_OTHER_ARCHIVES = (".7z", ".rar", ".tar", ".tgz", ".gz")
_MOST_RECORD = 5_000_000
_MOST_ZIP = 300_000_000
_MOST_IN_ALL = 3_000_000_000
"""Maximum bytes: of a progress file, a zip in a zip, and all of these."""
_DEEPEST = 3
"""How deep a zip file may be in others."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)
"""What is raised for zip files that are damaged, encrypted, or packed in another way."""


@dataclass(frozen=True, slots=True)
class HandedIn:
    """A progress file, or a file that could not be read.

    path: through zip files, as shown to people. whose: the names that say whose it is: that of the
    learning platform, else those of its folders. person: name and number of the platform's user,
    "" where none handed it in; another person is another student. fault: why it could not be read,
    with the remedy; "" where it could.
    """

    path: str
    whose: tuple[str, ...]
    person: str
    data: bytes = b""
    fault: str = ""


def handed_in(root: Path) -> Iterator[HandedIn]:
    """All that was handed in below a folder, or in a zip file, by path."""
    yield from _Reader().read(root)


def named(whose: Iterable[str], student: str) -> int:
    """Whether folders are of a student: 2 by the words of the name, 1 by a part, 0 not.

    Canvas writes Ada Lovelace as "lovelaceada", so names run together count by their beginning
    or end.

    >>> named(["Lovelace, Ada"], "ada lovelace"), named(["lovelaceada"], "ada")
    (2, 1)
    """
    wanted = _words(student)
    if not wanted:
        return 0
    found = [_words(each) for each in whose]
    if any(set(wanted) <= set(words) for words in found):
        return 2
    orders = permutations(wanted) if len(wanted) <= 4 else [wanted]
    run_together = {"".join(order) for order in orders}
    words = {word for each in found for word in each}
    if words & run_together and len(wanted) > 1:
        return 2
    ends = tuple(run_together)
    return int(any(word.startswith(ends) or word.endswith(ends) for word in words))


def _words(text: str) -> list[str]:
    """The words of a name in lower case, without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = (sign for sign in plain if not unicodedata.combining(sign))
    return "".join(sign if sign.isalnum() else " " for sign in kept).split()


class _Reader:
    """Reads one folder or zip file."""

    def __init__(self) -> None:
        self.left = _MOST_IN_ALL
        self.records: list[_File] = []
        self.others: list[_File] = []

    def read(self, root: Path) -> Iterator[HandedIn]:
        """The progress files, and what cannot be read."""
        yield from self._files(root)
        lacking = {
            file.folder: file
            for file in self.others
            if not any(file.is_of_folder_of(record) for record in self.records)
        }
        for file in lacking.values():
            yield file.fault(
                "was handed in without course-progress.json: ask for the whole folder."
            )

    def _files(self, root: Path) -> Iterator[HandedIn]:
        if root.is_file():
            yield from self._file(_File(str(root), (root.name,), root.stat().st_size, root))
            return
        for path in sorted(root.rglob("*")):
            file = _File(str(path), path.relative_to(root).parts, 0, path)
            if file.is_hidden or (path.is_dir() and not file.is_record):
                continue
            try:
                yield from self._file(replace(file, size=path.stat().st_size))
            except OSError as error:
                yield file.fault(f"cannot be read: {error.strerror}.")

    def _file(self, file: _File, depth: int = 0) -> Iterator[HandedIn]:
        """A progress file, or those in an archive."""
        suffix = Path(file.parts[-1]).suffix.lower()
        if file.is_record:
            self.records.append(file)
            yield file.record()
        elif suffix in _OTHER_ARCHIVES:
            yield file.fault("is not read: unpack it, or ask for a zip file.")
        elif suffix == ".zip":
            if depth:
                self.left -= file.size
            if depth and (depth > _DEEPEST or file.size > _MOST_ZIP or self.left < 0):
                yield file.fault("is too large, or too deep in other zip files: unpack it.")
            else:
                yield from self._packed(file, depth)
        elif suffix == ".ipynb" or file.user:
            self.others.append(file)

    def _packed(self, file: _File, depth: int) -> Iterator[HandedIn]:
        try:
            # The outermost file is not read into memory.
            source = file.source if isinstance(file.source, Path) else BytesIO(file.source())
            with zipfile.ZipFile(source) as opened:
                for member in sorted(opened.infolist(), key=_name):
                    inner = file.inside(opened, member)
                    if inner is not None:
                        yield from self._inside(inner, depth + 1)
        except _DAMAGED as error:
            yield file.fault(f"cannot be read as a zip file ({error}).")

    def _inside(self, file: _File, depth: int) -> Iterator[HandedIn]:
        try:
            yield from self._file(file, depth)
        except _DAMAGED as error:
            yield file.fault(f"cannot be read from the zip file ({error}).")


@dataclass(frozen=True, slots=True)
class _File:
    """A file below the root, perhaps in a zip file.

    parts: its path below the root, where zip files count as folders.
    """

    path: str
    parts: tuple[str, ...]
    size: int
    source: Path | Callable[[], bytes]

    @property
    def is_hidden(self) -> bool:
        """Whether Jupyter or an operating system keeps it beside another file."""
        return any(part.startswith(".") or part == "__MACOSX" for part in self.parts)

    @property
    def is_record(self) -> bool:
        """Whether it is a progress file, perhaps named by a learning platform."""
        found = _platform(self.parts[-1])
        return PROGRESS.fullmatch(found["file"] if found else self.parts[-1]) is not None

    @property
    def folder(self) -> tuple[str, ...]:
        """The learning platform's user, else the folder."""
        return (self.user,) if self.user else self.parts[:-1]

    @property
    def user(self) -> str:
        """The learning platform's user who handed it in; may be empty."""
        return self._owner()[1]

    def is_of_folder_of(self, other: _File) -> bool:
        """Whether it is from the folder of another file, or one above or below it."""
        return all(mine == its for mine, its in zip(self.folder, other.folder, strict=False))

    def inside(self, opened: zipfile.ZipFile, member: zipfile.ZipInfo) -> _File | None:
        """A member of this zip file; None for folders and hidden files."""
        names = tuple(each for each in re.split(r"[/\\]", _name(member)) if each.strip("."))
        path = "/".join((self.path, *names))
        file = _File(path, (*self.parts, *names), member.file_size, lambda: opened.read(member))
        return None if member.is_dir() or not names or file.is_hidden else file

    def record(self) -> HandedIn:
        """The progress file."""
        if self.size > _MOST_RECORD:
            return self.fault("is too large for a record of progress; move it away.")
        data = self.source.read_bytes() if isinstance(self.source, Path) else self.source()
        return HandedIn(_printed(self.path), *self._owner(), data)

    def fault(self, words: str) -> HandedIn:
        """A file that cannot be read, with the reason."""
        path = _printed(self.path)
        return HandedIn(path, *self._owner(), fault=f"{path} {words}")

    def _owner(self) -> tuple[tuple[str, ...], str]:
        for part in self.parts:
            if found := _platform(part):
                user = f"{found['name']} {found['id']}"
                return (user if found["name"].lower() in _UNNAMED else found["name"],), user
        return tuple(part.removesuffix(".zip") for part in self.parts[:-1]), ""


def _name(member: zipfile.ZipInfo) -> str:
    """The name of a member; programs of macOS write UTF-8 without saying so."""
    if member.flag_bits & 0x800:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except (UnicodeEncodeError, UnicodeDecodeError):
        return member.filename


def _platform(part: str) -> re.Match[str] | None:
    return _MOODLE.fullmatch(part) or _CANVAS.fullmatch(part) or _ANONYMOUS.fullmatch(part)


def _printed(path: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in path)
