"""Zip archives as platforms and data archives send them: the one survey in them, unpacked.

An archive is unpacked into a private folder, named by what is in the archive, and read from there.
Nothing is written outside that folder, and no more than an archive of its size may hold.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
import zipfile
import zlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from tempfile import mkdtemp

from audiencelab.ingest.cache import digest, imports_folder
from audiencelab.ingest.readers import companions, is_survey_file
from audiencelab.ingest.readers.contents import READ
from audiencelab.ingest.readers.packed import most_unpacked, too_large
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed
from audiencelab.survey.layout import writes

_BESIDE = (".xml", ".sas7bcat", ".asc", ".dat", ".txt", ".asc.gz", ".dat.gz", ".txt.gz")
"""Suffixes of what surveys are read with; nothing else in an archive is unpacked."""

_MOST_FILES = 10_000
_KEPT = 24 * 3600.0
"""Seconds that an unpacked archive stays after it was used last."""


def survey_in(archive: Path) -> Path:
    """The survey in a zip archive, unpacked together with the files that are read with it.

    Raises `SourceError` for an archive that is damaged or encrypted, or would be too large; that
    has no survey, or several.
    """
    parent = imports_folder() / "unpacked"
    folder = parent / digest(archive)
    with writes(parent):
        parent.mkdir(exist_ok=True)
        if not folder.is_dir():
            _remove_old(parent)
            made = Path(mkdtemp(dir=parent))
            try:
                _unpack(archive, made)
                with suppress(OSError):  # another process was first
                    made.rename(folder)
            finally:
                shutil.rmtree(made, ignore_errors=True)
        os.utime(folder)
    return _only_survey(folder, archive)


def _unpack(archive: Path, folder: Path) -> None:
    with _errors(archive), zipfile.ZipFile(archive) as opened:
        members = _members(opened, archive)
        for member, path in members:
            target = folder.joinpath(*path.parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            # "x": two files of one name, or of names that are one on this machine, are an error.
            with opened.open(member) as packed, target.open("xb") as unpacked:
                shutil.copyfileobj(packed, unpacked, 1 << 20)


def _members(
    opened: zipfile.ZipFile, archive: Path
) -> list[tuple[zipfile.ZipInfo, PureWindowsPath]]:
    """What is to be unpacked, each with its path in the archive."""
    found: list[tuple[zipfile.ZipInfo, PureWindowsPath]] = []
    for member in opened.infolist():
        # As Windows reads names, which takes / and \ for the same.
        path = PureWindowsPath(member.filename)
        if path.anchor or ".." in path.parts:
            raise _error(
                archive, f"is not safe: {member.filename!r} is outside of it. Do not use it."
            )
        is_meant = path.name.lower().endswith(_BESIDE) or is_survey_file(Path(path.name))
        is_hidden = any(part.startswith((".", "_")) for part in path.parts)
        if is_meant and not is_hidden and not stat.S_ISLNK(member.external_attr >> 16):
            found.append((member, path))
    if any(member.flag_bits & 1 for member, _ in found):
        raise _error(archive, "is encrypted. Unpack it with its password, and open what is in it.")
    size = sum(member.file_size for member, _ in found)
    if len(found) > _MOST_FILES or size > most_unpacked(archive):
        raise _error(archive, f"is not read: it has {len(found):,} files; {too_large(archive)}.")
    return found


def _only_survey(folder: Path, archive: Path) -> Path:
    """The survey among some files; without those that are read with another one."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    beside = {path: _companions(path) for path in files}
    found = [path for path in files if is_survey_file(path) or beside[path]]
    found = [path for path in found if not any(path in others for others in beside.values())]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _error(archive, f"has no files of {READ} in it.")
    names = [path.relative_to(folder).as_posix() for path in found]
    raise _error(
        archive,
        f"has {len(found):,} surveys in it, or one in several formats: {listed(names)}. Unpack it, "
        f"and open the one that is meant: al.open({names[0]!r}).",
    )


def _companions(path: Path) -> Sequence[Path]:
    """What a file is read with, which is part of it: the data of definitions."""
    # A text and its description are the companions of each other.
    if path.suffix.lower() in (".xml", ".sss", ".sas7bdat"):
        with suppress(SurveyError):  # an .xml may be anything
            return companions(path)
    return ()


def _remove_old(parent: Path) -> None:
    for folder in parent.iterdir():
        with suppress(OSError):  # another process may have removed it
            if time.time() - folder.stat().st_mtime > _KEPT:
                shutil.rmtree(folder)


@contextmanager
def _errors(archive: Path) -> Generator[None]:
    """Raise errors of the library as `SourceError` that names the archive."""
    try:
        yield
    except FileExistsError as error:
        name = Path(error.filename).name
        raise _error(archive, f"has two files of one name, {name!r}. Unpack it first.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _error(archive, f"is damaged or cut short: {error}. Get it again.") from None
    except (NotImplementedError, RuntimeError) as error:
        raise _error(archive, f"cannot be unpacked here: {error}. Unpack it first.") from None


def _error(archive: Path, detail: str) -> SourceError:
    return SourceError(SourcePlace(str(archive)), detail)
