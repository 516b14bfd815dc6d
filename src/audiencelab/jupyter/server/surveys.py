"""Surveys below the folder that the Jupyter server serves, and none outside it.

What is looked through is bounded, and links are not followed: a page of Jupyter may see what is
under its root folder, and a link there must not widen that.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from audiencelab.client.transports.embedded import open_survey
from audiencelab.errors import AudienceError
from audiencelab.jupyter.connections import places
from audiencelab.jupyter.connections.places import Connection

__all__ = ["FoundSurvey", "OutsideRoot", "find", "found", "opened"]

_DEEP = 5
_FOLDERS = 2_000
_SURVEYS = 100
_MANIFEST = "panel.json"
_LARGEST = 64 * 1024 * 1024
"""Bytes of a manifest that is read to list it: far more than that of any survey."""

_LEFT_OUT = frozenset({"node_modules", "__pycache__", "waves"})


class OutsideRoot(AudienceError, ValueError):
    """A path that is none below the server's root folder."""


@dataclass(frozen=True, slots=True)
class FoundSurvey:
    """A survey; `path` is relative to the root folder, with slashes."""

    path: str
    title: str
    respondents: int
    waves: int


def found(root: Path) -> list[FoundSurvey]:
    """The surveys below `root`, by path: at most a hundred, in folders at most five deep."""
    surveys: list[FoundSurvey] = []
    for folder in _folders(root.resolve()):
        try:
            surveys.append(_described(root.resolve(), folder))
        except (AudienceError, OSError):
            continue  # named like a survey and none; `surveys/open` says why
        if len(surveys) == _SURVEYS:
            break
    return sorted(surveys, key=lambda each: each.path)


def opened(root: Path, path: str) -> Connection:
    """The connection to the survey at `path` below `root`.

    Raises `OutsideRoot` for a path that leads elsewhere, by `..` or by a link, or is hidden,
    `SurveyError` for what holds no survey, and `AudienceError` for what cannot be read.
    """
    folder = _inside(root.resolve(), path)
    try:
        survey = open_survey(folder)
    except OSError as error:
        # Closed to the server, or a circle of links, which newer Pythons follow without a word.
        raise AudienceError(f"{path!r} cannot be read: {error.strerror}.") from None
    return places.survey(_name(path), folder, "server folder", survey.name)


def find(root: Path, name: str) -> Connection | None:
    """The connection of a survey below `root` by the name that `opened` gave it; else None."""
    if not name.startswith(_PREFIX):
        return None
    base = root.resolve()
    for folder in _folders(base):
        path = folder.relative_to(base).as_posix()
        if _name(path) == name:
            return opened(root, path)
    return None


_PREFIX = "folder-"


def _name(path: str) -> str:
    """The same for the same path in every run of the server."""
    normal = PurePosixPath(path).as_posix()
    return _PREFIX + hashlib.sha256(normal.encode()).hexdigest()[:16]


def _described(base: Path, folder: Path) -> FoundSurvey:
    survey = open_survey(folder)
    return FoundSurvey(
        folder.relative_to(base).as_posix(),
        survey.name,
        sum(wave.respondents for wave in survey.waves),
        len(survey.waves),
    )


def _inside(base: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    strange = not parts or "\\" in path or "\0" in path or PurePosixPath(path).is_absolute()
    if strange or any(part.startswith(".") for part in parts):
        raise OutsideRoot(f"{path!r} is no path below the folder that Jupyter serves.")
    try:
        folder = base.joinpath(*parts).resolve()
    except (OSError, RuntimeError):  # a circle of links
        folder = base
    if folder == base or not folder.is_relative_to(base):
        raise OutsideRoot(f"{path!r} leads out of the folder that Jupyter serves.")
    return folder


def _folders(base: Path) -> Iterator[Path]:
    """Folders that hold a manifest, the shallow ones first."""
    level, seen = [base], 0
    for _ in range(_DEEP + 1):
        below: list[Path] = []
        for folder in level:
            seen += 1
            if seen > _FOLDERS:
                return
            entries = _entries(folder)
            if any(map(_is_manifest, entries)):
                if folder != base:
                    yield folder
                continue
            below += [Path(each.path) for each in entries if _is_looked_into(each)]
        level = below


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(
                (each for each in entries if not each.is_symlink()), key=lambda each: each.name
            )
    except OSError:
        return []


def _is_manifest(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name == _MANIFEST and entry.is_file() and entry.stat().st_size <= _LARGEST
    except OSError:  # pragma: no cover - it has to vanish just after it was listed
        return False


def _is_looked_into(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _LEFT_OUT:
        return False
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:  # pragma: no cover - where a file system lists names without their kinds
        return False
