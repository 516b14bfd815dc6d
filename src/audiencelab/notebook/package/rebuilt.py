"""Writes the texts and pages of an unpacked package again, and compares them with those in it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from audiencelab._version import __version__
from audiencelab.notebook.change import differing_parts
from audiencelab.notebook.export_html import export
from audiencelab.notebook.html_reading import read_page
from audiencelab.notebook.io import heading, read_notebook
from audiencelab.notebook.package.about import ABOUT, About, File
from audiencelab.notebook.package.archive import SUMS
from audiencelab.notebook.package.exhibits import exhibits_of
from audiencelab.notebook.package.facts import ROLES, Facts
from audiencelab.notebook.package.texts import WRITTEN, file_of, texts
from audiencelab.wording import plural, without_controls

_MOST = 4
"""Differences of a file that are shown."""

_README = "README.md"
"""Authors and archives may add to it."""


@dataclass(slots=True)
class Beside:
    """What was found beside the outputs.

    differs: what says other things than the notebooks and files. notes: what is not compared.
    """

    differs: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])


def beside(about: About, folder: Path, *, same_versions: bool) -> Beside:
    """Compare README, description, citation and pages with what the notebooks and files give.

    folder: where the package was unpacked. same_versions: whether the programs that write pages are
    those that wrote them. Nothing is run.
    """
    found = Beside()
    for each in about.notebooks:
        _compare_page(about, folder, each.path, found, same_versions=same_versions)
    expected = texts(rebuilt(about, folder))
    written = [each for each in WRITTEN if each != SUMS]
    if about.audiencelab != __version__:
        found.notes.append(
            f"{', '.join(each for each in written if each in about.files)} were written by "
            f"audiencelab {about.audiencelab} and are not compared word by word."
        )
        written = [ABOUT]
    for name in written:
        is_there = (folder / name).is_file()
        before = _lines((folder / name).read_bytes()) if is_there else []
        now = _lines(expected.get(name, b""))
        if name == ABOUT and about.audiencelab != __version__:
            before, now = (_exhibits(each) for each in (before, now))
        found.differs += _shown(name, _differences(before, now, name, found.notes))
    return found


def rebuilt(about: About, folder: Path) -> Facts:
    """The facts of a package from its notebooks and files, and what its author said."""
    notebooks = [(each, read_notebook(folder / each.path)) for each in about.notebooks]
    exhibits = [
        exhibit
        for each, notebook in notebooks
        for exhibit in exhibits_of(
            notebook,
            each.path,
            [{name: (folder / name).read_bytes() for name in cell} for cell in each.written],
        )
    ]
    files = [
        File(path, role, 0, "") if path in WRITTEN else file_of(path, role, folder / path)
        for path, said in about.files.items()
        if (role := said if said in ROLES else "file")
    ]
    title = about.details.title
    if not title and notebooks:
        title = heading(notebooks[0][1], Path(about.notebooks[0].path))
    return Facts(
        title=title,
        details=about.details,
        date=about.date,
        notebooks=about.notebooks,
        data=about.data,
        files=tuple(sorted(files, key=lambda file: file.path)),
        left_out=about.left_out,
        services=about.services,
        exhibits=tuple(exhibits),
        packages=about.packages,
        python=about.python,
        machine=about.machine,
        duration=about.duration,
        summary=about.summary,
        problems=about.problems,
    )


def _compare_page(
    about: About, folder: Path, notebook: str, found: Beside, *, same_versions: bool
) -> None:
    name = Path(notebook).with_suffix(".html").as_posix()
    page = folder / name
    if name not in about.files:
        found.differs.append(f"{name}: the package has no page of {notebook}.")
        return
    with tempfile.TemporaryDirectory() as temporary:
        now = export(folder / notebook, Path(temporary) / "page.html").read_bytes()
    before = page.read_bytes()
    if before == now:
        return
    said, gives = (_page_lines(each) for each in (before, now))
    differences = [*_differences(said, gives, name, found.notes)]
    found.differs += _shown(name, differences)
    if not differences and same_versions:
        found.differs.append(f"{name}: its looks or scripts are not those of {notebook}.")
    elif not differences:
        found.notes.append(
            f"{name} says what {notebook} says; its looks are of other versions, and not compared."
        )


def _page_lines(page: bytes) -> list[str]:
    read = read_page(page.decode(errors="replace"))
    lines = [" | ".join(row) for table in read.tables for row in table] + read.lines
    return [_image(each) if each.startswith("data:") else each for each in lines]


def _image(source: str) -> str:
    return f"an image, SHA-256 {hashlib.sha256(source.encode()).hexdigest()[:12]}"


def _lines(content: bytes) -> list[str]:
    return content.decode(errors="replace").splitlines()


def _exhibits(description: list[str]) -> list[str]:
    """The part of the description that lists exhibits."""
    start = next((n for n, line in enumerate(description) if '"exhibits":' in line), 0)
    return description[start:]


def _differences(
    before: Sequence[str], now: Sequence[str], name: str, notes: list[str]
) -> Iterator[str]:
    """The lines that differ; those that README has in addition are a note."""
    if list(before) == list(now):
        return
    added: list[int] = []
    for kind, start, end, first, last in SequenceMatcher(None, before, now).get_opcodes():
        if kind == "delete" and name == _README:
            added += range(start, end)
        elif kind != "equal":
            for said, gives in zip_longest(before[start:end], now[first:last], fillvalue=""):
                parts = differing_parts(*(without_controls(each.strip()) for each in (said, gives)))
                is_text, is_now = (each or "nothing" for each in parts)
                yield f"{is_text}, where the package gives {is_now}"
    if written := [number for number in added if before[number].strip()]:
        notes.append(
            f"{name}: {plural(len(written), 'line')} of others, the first in line {written[0] + 1}."
        )


def _shown(name: str, differences: Iterator[str] | list[str]) -> Iterator[str]:
    # Those that are only brackets of JSON come last.
    listed = sorted(dict.fromkeys(differences), key=lambda each: each[0] in "{}[]")
    yield from (f"{name}: {each}" for each in listed[:_MOST])
    if len(listed) > _MOST:
        yield f"{name}: … and {len(listed) - _MOST:,} more"
