"""Imported surveys that are kept in the user's cache folder, keyed by what they were made of.

Each is a folder named by its key, with `entry.json` and the survey. The last time that an entry
was used is the time of its `entry.json`; the oldest go where all together are too large.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from audiencelab.files import WriteError, cache_folder, put
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.layout import writes
from audiencelab.survey.reader import Survey

MOST_BYTES = 4 << 30
"""The size of all imported surveys together; the one that was used last always stays."""

_ENTRY = "entry.json"
_DIGESTS = "digests.json"
_MOST_DIGESTS = 1000
_SETTLED = 2.0
"""Seconds after which a file that changes again has another time of change."""


class CacheEntry(msgspec.Struct, frozen=True):
    """What is known of an imported survey.

    source: the names of the files it was made of, or "frame". survey: the name of its folder, in
        that of the entry. size: in bytes.
    """

    source: str
    survey: str
    size: int


@dataclass(frozen=True, slots=True)
class CachedSurvey:
    """An entry with its folder and the time it was last used, in seconds since 1970."""

    folder: Path
    entry: CacheEntry
    used: float


def imports_folder() -> Path:
    """The folder of all imported surveys, made so that only this user may read it."""
    folder = cache_folder() / "imports"
    with writes(folder):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    return folder


def cached_surveys() -> list[CachedSurvey]:
    """All imported surveys, the one used last first."""
    parent = cache_folder() / "imports"
    found = [_read(folder) for folder in parent.iterdir()] if parent.is_dir() else []
    return sorted(filter(None, found), key=lambda each: each.used, reverse=True)


def clear_cache() -> int:
    """Remove all imported surveys; returns how many there were."""
    found = cached_surveys()
    shutil.rmtree(cache_folder() / "imports", ignore_errors=True)
    return len(found)


def cached(key: str, source: str, make: Callable[[Path], Survey]) -> Survey:
    """The survey of a key, imported by `make` into the folder it gets unless it is there.

    source: what it is made of, in short. Another process that imports the same survey is waited
    for. All of it is open, so it stays readable if another process removes it.
    """
    folder = imports_folder() / key
    name = re.sub(r"[^\w-]+", "-", source).strip("-")[:40] or "survey"
    with _locked(folder):
        found = _opened(folder)
        if found is None:
            # What an import left that was killed: without `entry.json`, which is written last.
            shutil.rmtree(folder, ignore_errors=True)
            found = make(folder / name).pin()
            size = sum(each.octets for each in found.manifest.files.values())
            put(folder / _ENTRY, msgspec.json.encode(CacheEntry(source, name, size)), private=True)
    _evict(keep=folder)
    return found


def digest(path: Path) -> str:
    """The SHA-256 of a file, known from an earlier time where the file has not changed since."""
    found = path.stat()
    state = [found.st_size, found.st_mtime_ns, found.st_ino]
    index = imports_folder() / _DIGESTS
    known = _digests(index)
    key = str(path.resolve())
    if key in known and known[key][0] == state:
        return known[key][1]
    with path.open("rb") as file:
        made = hashlib.file_digest(file, "sha256").hexdigest()
    if time.time() - found.st_mtime > _SETTLED:
        kept = {**{each: known[each] for each in known if each != key}, key: (state, made)}
        # Not being able to remember costs time alone.
        with suppress(WriteError):
            put(index, msgspec.json.encode(dict([*kept.items()][-_MOST_DIGESTS:])), private=True)
    return made


def digest_of(*parts: str) -> str:
    """The SHA-256 of some texts, whatever is in them."""
    made = hashlib.sha256()
    for part in parts:
        octets = part.encode()
        # With its length, so that no two lists of texts are the same bytes.
        made.update(len(octets).to_bytes(8, "big") + octets)
    return made.hexdigest()


def _digests(index: Path) -> dict[str, tuple[list[int], str]]:
    try:
        return msgspec.json.decode(index.read_bytes(), type=dict[str, tuple[list[int], str]])
    except (OSError, msgspec.DecodeError):
        return {}


@contextmanager
def _locked(folder: Path) -> Generator[None]:
    from filelock import FileLock

    with writes(folder), FileLock(folder.with_suffix(".lock")):
        yield


def _opened(folder: Path) -> Survey | None:
    """The survey of an entry; None where there is none, or not all of it."""
    found = _read(folder)
    if found is None:
        return None
    try:
        survey = Survey.open(folder / found.entry.survey).pin()
    except SurveyError:
        return None
    # The time of use, which `_evict` goes by.
    os.utime(folder / _ENTRY)
    return survey


def _read(folder: Path) -> CachedSurvey | None:
    try:
        file = folder / _ENTRY
        entry = msgspec.json.decode(file.read_bytes(), type=CacheEntry)
        return CachedSurvey(folder, entry, file.stat().st_mtime)
    except (OSError, msgspec.DecodeError):
        return None


def _evict(keep: Path) -> None:
    """Remove what was used longest ago, until the rest is small enough."""
    total = 0
    for each in cached_surveys():
        total += each.entry.size
        # The most recently used come first, so what is beyond the limit was used longest ago.
        if total > MOST_BYTES and each.folder != keep:
            shutil.rmtree(each.folder, ignore_errors=True)
            each.folder.with_suffix(".lock").unlink(missing_ok=True)
