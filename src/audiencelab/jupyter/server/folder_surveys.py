"""Surveys below the folder that the Jupyter server serves.

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

from audiencelab.client.transports.embedded import open_survey
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections.connection import Connection, survey_connection

_MAX_DEPTH = 5
_MAX_FOLDERS = 2_000
_MAX_SURVEYS = 100
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
_MANIFEST = "panel.json"
_SKIPPED = frozenset({"node_modules", "__pycache__", "waves"})
_PREFIX = "folder-"


class OutsideRoot(AudienceError, ValueError):
    """The path does not lead below the server's root folder."""


@dataclass(frozen=True, slots=True)
class FolderSurvey:
    """A survey; `path` is relative to the root folder, with slashes."""

    path: str
    title: str
    respondents: int
    waves: int


def list_surveys(root: Path) -> list[FolderSurvey]:
    """The surveys below `root`, by path: at most a hundred, in folders at most five deep."""
    found = islice(_readable(root.resolve()), _MAX_SURVEYS)
    return sorted(found, key=lambda each: each.path)


def _readable(base: Path) -> Iterator[FolderSurvey]:
    for folder in _folders(base):
        try:
            survey = open_survey(folder)
        except (AudienceError, OSError):
            continue  # `surveys/open` reports why
        respondents = sum(wave.respondents for wave in survey.waves)
        path = folder.relative_to(base).as_posix()
        yield FolderSurvey(path, survey.name, respondents, len(survey.waves))


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
    paths = (folder.relative_to(base).as_posix() for folder in _folders(base))
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


def _folders(base: Path) -> Iterator[Path]:
    """Folders that hold a manifest, breadth first."""
    level, seen = [base], 0
    for _ in range(_MAX_DEPTH + 1):
        below: list[Path] = []
        for folder in level:
            seen += 1
            if seen > _MAX_FOLDERS:
                return
            entries = _entries(folder)
            if not any(map(_is_manifest, entries)):
                below += [Path(each.path) for each in entries if _is_searched(each)]
            elif folder != base:
                yield folder
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


def _is_searched(entry: os.DirEntry[str]) -> bool:
    return not entry.name.startswith(".") and entry.name not in _SKIPPED and entry.is_dir()
