"""Which files belong into a package, and what each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from audiencelab.client.snapshots.format import is_snapshot
from audiencelab.ingest.pinning import SUFFIX
from audiencelab.notebook.package.sources import NamedFiles, whole
from audiencelab.notebook.package.watch import Watched
from audiencelab.notebook.run import NotebookRun
from audiencelab.survey.layout import MANIFEST

Choice = Literal["data", "snapshot", "no-data"]
"""What becomes of the data: copied, recorded in a snapshot, or left out."""

CHOICES = """\
  --data       copies the files, with all respondents
  --snapshot   records what the notebook asks of them, without respondents
  --no-data    leaves them out; others have to get them themselves"""

_PICTURES = (".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp")
_RESULTS = (
    *(".xlsx", ".pptx", ".docx", ".pdf", ".html", ".md", ".tex", ".txt"),
    *(".json", ".vl.json", *_PICTURES),
)
"""Suffixes of written files that are results; others may hold respondents."""


def role_of(path: Path) -> str:
    """What a file that a notebook reads is."""
    suffix = path.suffix.lower()
    if suffix == ".py":
        return "code"
    if suffix in _PICTURES:
        return "file"
    if suffix == ".toml":
        return "codebook"
    return "snapshot" if suffix == ".jsonl" and is_snapshot(path) else "data"


def files_read(
    watched: Sequence[Watched], runs: Sequence[NotebookRun], stage: Path, named: NamedFiles
) -> Iterator[Path]:
    """The author's files that cells read, by their own paths, and what belongs to them.

    A file that a cell wrote before is not one of them.
    """
    cells = [cell for run in watched for cell in run.cells]
    read = [named.root / Path(path).relative_to(stage) for cell in cells for path in cell.read]
    found = dict.fromkeys(each for path in read for each in whole(path))
    written = {file.path for run in runs for cell in run.cells for file in cell.written}
    pictures = {path for path in named.listed if path.suffix.lower() in _PICTURES}
    # Where no one notes who reads, it is what a call names that reads files.
    likely = sorted(named.opened | pictures)
    copies = {path: stage / path.relative_to(named.root) for path in likely}
    found |= {path: None for path, copy in copies.items() if copy not in written}
    # The card of an import says whether a codebook is pinned, read or not.
    stems = {path.name.partition(".")[0] for path in found}
    found |= {path: None for path in named.pinned if path.name.removesuffix(SUFFIX) in stems}
    yield from sorted(found)


def is_result(path: Path, folder: Path) -> bool:
    """Whether a file that a cell wrote is a result, and holds no respondents."""
    inside = [each for each in path.parents if each.is_relative_to(folder)]
    in_survey = any((each / MANIFEST).is_file() for each in inside)
    return path.suffix.lower() in _RESULTS and not in_survey


def needs_choice(
    read: Iterable[Path], watched: Iterable[Watched], absolute: Iterable[str] = ()
) -> str:
    """Which data the notebook has that the author must choose about; "" for none."""
    names = [path.name for path in read if role_of(path) == "data"]
    names += [Path(each).name for each in absolute]
    names += [place for run in watched for place in run.services]
    names += [Path(path).name for run in watched for cell in run.cells for path in cell.outside]
    listed = list(dict.fromkeys(names))
    return ", ".join(listed[:4]) + (f" and {len(listed) - 4:,} more" if len(listed) > 4 else "")
