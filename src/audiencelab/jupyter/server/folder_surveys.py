"""Surveys, and files that can be opened as one, below the folder that the Jupyter server serves.

The search is bounded and does not follow links, so that a link below the root does not widen what
a page of Jupyter may see.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Literal

from audiencelab.client.transports.embedded import open_survey
from audiencelab.errors import AudienceError
from audiencelab.ingest.readers import is_survey_file
from audiencelab.jupyter.connections.connection import Connection, survey_connection

_MAX_DEPTH = 5
_MAX_FOLDERS = 2_000
_MAX_LISTED = 200
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
_MANIFEST = "panel.json"
_SKIPPED = frozenset({"node_modules", "__pycache__", "waves"})
_PREFIX = "folder-"


class OutsideRoot(AudienceError, ValueError):
    """The path does not lead below the server's root folder."""


@dataclass(frozen=True, slots=True)
class FolderSurvey:
    """A survey, or a file that can be opened as one.

    path: relative to the root folder, with slashes. respondents, waves: of a survey, else 0.
    size: of a file in bytes, else 0.
    """

    path: str
    title: str
    kind: Literal["survey", "file"] = "survey"
    respondents: int = 0
    waves: int = 0
    size: int = 0


def list_surveys(root: Path) -> list[FolderSurvey]:
    """Surveys and files below `root`, by path: at most 200, in folders at most five deep."""
    found = islice(_readable(root.resolve()), _MAX_LISTED)
    return sorted(found, key=lambda each: each.path)


def _readable(base: Path) -> Iterator[FolderSurvey]:
    for found in _found(base):
        path = found.relative_to(base).as_posix()
        try:
            if not found.is_dir():
                yield FolderSurvey(path, found.name, "file", size=found.stat().st_size)
                continue
            survey = open_survey(found)
        except (AudienceError, OSError):
            continue  # opening it reports why
        respondents = sum(wave.respondents for wave in survey.waves)
        yield FolderSurvey(path, survey.name, respondents=respondents, waves=len(survey.waves))


def open_in(root: Path, path: str) -> Connection:
    """The connection to the survey at `path` below `root`.

    Raises `OutsideRoot` for a path that is hidden or leads elsewhere, by `..` or by a link,
    `SurveyError` for a folder without a survey, and `AudienceError` for an unreadable one.
    """
    folder = _inside(root.resolve(), path)
    try:
        survey = open_survey(folder)
    except OSError as error:
        # No permission, or a cycle of links, which newer Pythons resolve without an error.
        raise AudienceError(f"{path!r} cannot be read: {error.strerror}.") from None
    return survey_connection(_name(path), folder, "server folder", survey.name)


def find_by_name(root: Path, name: str) -> Connection | None:
    """The connection of a survey below `root` by the name that `open_in` gave it; else None."""
    if not name.startswith(_PREFIX):
        return None
    base = root.resolve()
    folders = filter(Path.is_dir, _found(base))
    paths = (folder.relative_to(base).as_posix() for folder in folders)
    return next((open_in(root, path) for path in paths if _name(path) == name), None)


def _name(path: str) -> str:
    """The same for the same path in every run of the server."""
    normal = PurePosixPath(path).as_posix()
    return _PREFIX + hashlib.sha256(normal.encode()).hexdigest()[:16]


def _inside(base: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    invalid = not parts or "\\" in path or "\0" in path or PurePosixPath(path).is_absolute()
    if invalid or any(part.startswith(".") for part in parts):
        raise OutsideRoot(f"{path!r} is not a path below the folder that Jupyter serves.")
    try:
        folder = base.joinpath(*parts).resolve()
    except (OSError, RuntimeError):  # a cycle of links
        folder = base
    if folder == base or not folder.is_relative_to(base):
        raise OutsideRoot(f"{path!r} leads out of the folder that Jupyter serves.")
    return folder


def _found(base: Path) -> Iterator[Path]:
    """Folders that hold a manifest, and files of surveys in other folders, breadth first."""
    level, seen = [base], 0
    for _ in range(_MAX_DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            seen += 1
            if seen > _MAX_FOLDERS:
                return
            entries = _entries(folder)
            if any(map(_is_manifest, entries)):
                if folder != base:
                    yield folder
                continue
            below += [Path(each.path) for each in entries if _is_searched(each)]
            yield from (Path(each.path) for each in entries if _is_data(each))
        level = below


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            found = [each for each in entries if not each.is_symlink()]
    except OSError:
        return []
    return sorted(found, key=lambda each: each.name)


def _is_manifest(entry: os.DirEntry[str]) -> bool:
    return (
        entry.name == _MANIFEST and entry.is_file() and entry.stat().st_size <= _MAX_MANIFEST_BYTES
    )


def _is_data(entry: os.DirEntry[str]) -> bool:
    is_shown = not entry.name.startswith((".", "_"))
    return is_shown and entry.is_file() and is_survey_file(Path(entry.path))


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir()
