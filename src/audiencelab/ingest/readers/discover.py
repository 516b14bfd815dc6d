"""Which files a list of sources means: files, folders and patterns such as `data/*/*.parquet`.

The files of one folder that was found by looking into it are parts of one table, so they must
have the same columns; files that are named one by one may be waves that asked different things.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.readers import FORMATS, SurveyFile, is_survey_file, open_file
from audiencelab.survey.errors import SourceError, SourcePlace, SurveyError, listed


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A source file. name: what messages and reports call it, different for each file.

    part_of: the folder that was looked into, where it was found so.
    """

    path: Path
    name: str
    part_of: Path | None = None


def find_files(sources: Sequence[str | Path]) -> list[FoundFile]:
    """All files that some sources mean: those of a folder, and of the folders in it, by name.

    Files and folders whose name begins with a dot or an underscore are not data. Raises
    `SurveyError` for a folder or a pattern without survey files, and for a file that is meant
    twice.
    """
    found = [each for source in sources for each in _found(Path(source).expanduser())]
    if not found:
        raise SurveyError("An import needs at least one source file.")
    paths = [path for path, _ in found]
    if len({path.resolve() for path in paths}) < len(paths):
        raise SurveyError("A source file is given twice.")
    return [
        FoundFile(path, name, folder)
        for (path, folder), name in zip(found, _names(paths), strict=True)
    ]


def open_all(files: Sequence[FoundFile], options: Source) -> list[SurveyFile]:
    """All files, their headers read.

    Raises `SourceError` for a file that cannot be read, or has other columns than those beside it.
    """
    opened: list[SurveyFile] = []
    for file in files:
        opened.append(open_file(file.path, options, file.name))
        if len(files) > 1:  # not a process waiting for each of many files
            opened[-1].close()
    first: dict[Path, SurveyFile] = {}
    for file, source in zip(files, opened, strict=True):
        if file.part_of is not None:
            _check_alike(first.setdefault(file.path.parent, source), source)
    return opened


def _found(source: Path) -> Iterator[tuple[Path, Path | None]]:
    """Files, and the folder that was looked into for them."""
    if source.is_dir():
        for path in _inside(source):
            yield path, source
    elif not source.exists() and glob.has_magic(str(source)):
        # A pattern may be absolute, which Path.glob refuses.
        matching = sorted(map(Path, glob.glob(str(source), recursive=True)))  # noqa: PTH207 -- above
        if not matching:
            raise SurveyError(f"{source}: no file has such a name.")
        for path in matching:
            yield from _found(path)
    else:
        yield source, None


def _inside(folder: Path) -> list[Path]:
    found = sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and is_survey_file(path)
        and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
    )
    if not found:
        raise SurveyError(f"{folder}: is a folder without survey files; {FORMATS} can be read.")
    if len(kinds := sorted({path.suffix.lower() for path in found})) > 1:
        raise SurveyError(
            f"{folder}: holds files of several formats ({listed(kinds)}), which may be the same "
            "survey twice. Name the files that are meant, as a pattern perhaps: "
            f"'{folder}/*{kinds[0]}'."
        )
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """The names of files; with their folders, as far as these differ, where names do not."""
    names = [path.name for path in paths]
    if len(set(names)) == len(names):
        return names
    # Not resolved: a link is called as the user calls it.
    absolute = [path.absolute() for path in paths]
    common = os.path.commonpath([path.parent for path in absolute])
    return [path.relative_to(common).as_posix() for path in absolute]


def _check_alike(first: SurveyFile, other: SurveyFile) -> None:
    """Raise `SourceError` unless two files beside each other have the same columns."""
    for has, lacks in ((first, other), (other, first)):
        known = set(lacks.header)
        if odd := [name for name in has.header if name not in known]:
            raise SourceError(
                SourcePlace(other.origin, column=odd[0]),
                f"{has.name} has {listed(odd)}, and {lacks.name} beside it has not, so they are no "
                "parts of one table. Put other waves into folders of their own, or name the files "
                "one by one.",
            )
