"""Makes a package: runs the notebook in an empty folder, compares, and writes all files of it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audiencelab.client.connection.target import SNAPSHOT_VARIABLE
from audiencelab.clock import counted_at
from audiencelab.files import make_folder
from audiencelab.ingest.pinning import SUFFIX
from audiencelab.local_servers import without_port
from audiencelab.notebook.check import check
from audiencelab.notebook.export_html import export
from audiencelab.notebook.io import NotebookError, code_cells, heading
from audiencelab.notebook.package import archive
from audiencelab.notebook.package.about import Details, File, PackagedNotebook
from audiencelab.notebook.package.exhibits import Exhibit, exhibits_of
from audiencelab.notebook.package.facts import Data, Facts, missing
from audiencelab.notebook.package.problems import private, problems_of
from audiencelab.notebook.package.readme import duration
from audiencelab.notebook.package.selection import (
    CHOICES,
    Choice,
    files_read,
    is_result,
    needs_choice,
    role_of,
)
from audiencelab.notebook.package.sources import NamedFiles, copied, named_files
from audiencelab.notebook.package.texts import WRITTEN, file_of, texts
from audiencelab.notebook.package.watch import STARTUP, VARIABLE, Settings, Watched
from audiencelab.notebook.report import summary
from audiencelab.notebook.run import NotebookRun, Report, run_notebook
from audiencelab.notebook.saved_with import dated
from audiencelab.notebook.verdict import Verification
from audiencelab.notebook.verify import compare_notebooks, read_saved

if TYPE_CHECKING:
    from nbformat import NotebookNode


@dataclass(frozen=True, slots=True)
class MadePackage:
    """A package that was written.

    verified: what its run showed, and that of its snapshot, with a sentence of each in `summary`.
    problems: what a receiver cannot do with it. missing: what a data editor will ask for, and what
    may name people. files: its paths, with what each is.
    """

    path: Path
    verified: tuple[Verification, ...]
    summary: tuple[str, ...]
    problems: tuple[str, ...]
    missing: tuple[str, ...]
    files: Mapping[str, str]

    @property
    def works(self) -> bool:
        """Whether a receiver gets the same outputs from it."""
        return not self.problems and all(each.holds for each in self.verified)


def make_package(
    notebooks: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    data: Choice | None = None,
    include: Sequence[str] = (),
    details: Details | None = None,
    replace_existing: bool = False,
    timeout: float = 600.0,
    report: Report | None = None,
) -> MadePackage:
    """Run notebooks in an empty folder, and write them with all that others need as a zip.

    notebooks: the files (.ipynb), as they were saved. They and the files beside them are not
        changed.
    out: the zip; default beside the first notebook, with the suffix `.zip`.
    data: "data" copies the files that the notebooks read, "snapshot" records what they ask of one
        survey, "no-data" leaves the files out. Needed where they read data of their own.
    include: names and patterns of further files, relative to the first notebook.
    details: title, authors, licence.
    timeout: seconds that one cell may take. report: called before each cell.

    Raises `NotebookError`: a notebook cannot be read or run, or was never run; `out` exists; data
    are read and nothing was chosen.
    """
    paths = [Path(each) for each in notebooks]
    saved = [(path, read_saved(path)) for path in paths]
    target = Path(out) if out is not None else paths[0].with_suffix(".zip")
    if target.exists() and not replace_existing:
        raise NotebookError(f"{target} exists already: give another name, or replace it.")
    if os.environ.get(SNAPSHOT_VARIABLE):
        raise NotebookError(
            f"{SNAPSHOT_VARIABLE} is set, so that the notebook would not read its own data. Unset "
            "it, and choose --snapshot to package a recording."
        )
    named = named_files(saved, include)
    first = paths[0]
    _check_choice(first, data, needs_choice(sorted(named.opened), (), named.absolute))
    with tempfile.TemporaryDirectory() as temporary:
        making = _Making(Path(temporary).resolve(), saved, named, data, timeout, report)
        making.run()
        _check_choice(first, data, needs_choice(making.read, making.watched))
        contents, facts = making.contents(details or Details())
        make_folder(target.parent)
        archive.write_archive(target, contents)
    return MadePackage(
        target,
        facts.verified,
        facts.summary,
        facts.problems,
        (
            *missing(facts),
            *private(making.watched),
            *_to_look_at(paths, facts.files, making.named.root),
        ),
        {each.path: each.role for each in facts.files},
    )


def _to_look_at(notebooks: Sequence[Path], packed: Sequence[File], root: Path) -> Iterator[str]:
    """What `check` finds in the notebooks and the data that are packed."""
    files = {(root / each.path).resolve() for each in packed}
    for path in notebooks:
        for each in check(path).findings:
            is_packed = each.file.resolve() in files
            if is_packed and each.kind != "microdata" and each.severity != "low":
                cell = f", cell {each.cell}" if each.cell else ""
                yield f"{each.file.name}{cell}: {each.words} ({each.mend})"


def _check_choice(notebook: Path, data: Choice | None, names: str) -> None:
    if data is None and names:
        raise NotebookError(
            f"{notebook.name} reads {names}. Choose what becomes of the data:\n{CHOICES}"
        )


class _Making:
    """What is known while a package is made.

    stage: the folder in which the notebooks run, with copies of the files that they name.
    """

    def __init__(
        self,
        folder: Path,
        saved: Sequence[tuple[Path, NotebookNode]],
        named: NamedFiles,
        data: Choice | None,
        timeout: float,
        report: Report | None,
    ) -> None:
        # In a folder of its own: a run notes what is written beside the notebooks' folder too.
        self.stage, self._folder = folder / "run" / "package", folder
        self.saved = {_inside(path, named.root): notebook for path, notebook in saved}
        self._paths = {_inside(path, named.root): path.resolve() for path, _ in saved}
        self.named = named
        self.choice: Choice | None = data
        self._timeout, self._report = timeout, report
        self.runs: list[NotebookRun] = []
        self.watched: list[Watched] = []
        self.verified: list[Verification] = []
        self.seconds = 0.0

    def run(self) -> None:
        """Run the notebooks, and again from their snapshots where these are asked for."""
        files = [*self.named.listed, *self.named.around, *self._paths.values()]
        copied(files, self.named.root, self.stage)
        for number, path in enumerate(self.saved):
            self._run(path, self._snapshot(path, number))
        self.read = [*files_read(self.watched, self.runs, self.stage, self.named)]

    def _snapshot(self, path: str, number: int) -> Path | None:
        return self._folder / f"{number}.jsonl" if self.choice == "snapshot" else None

    def _run(self, path: str, snapshot: Path | None) -> None:
        log, startup = self._folder / "log.json", self._folder / "startup.py"
        startup.write_text(STARTUP, "utf-8")
        log.unlink(missing_ok=True)
        settings = Settings(
            folder=str(self.stage),
            log=str(log),
            cells=len(code_cells(self.saved[path])),
            snapshot=str(snapshot or ""),
            codebooks=self.choice == "data",
        )
        variables = {
            "PYTHONSTARTUP": str(startup),
            VARIABLE: msgspec.json.encode(settings).decode(),
            **self._own_cache(),
            **dated(self.saved[path]),
        }
        begun = time.monotonic()
        run = run_notebook(
            self.stage / path, timeout=self._timeout, report=self._report, environment=variables
        )
        self.seconds += time.monotonic() - begun
        if not log.is_file():
            raise NotebookError(
                f"{path}: its kernel has no audiencelab of this version, so that nothing is known "
                "of its files and packages. Install this version where `jupyter kernelspec list` "
                "points to."
            )
        self.runs.append(run)
        self.watched.append(msgspec.json.decode(log.read_bytes(), type=Watched))
        again = partial(
            run_notebook,
            self.stage / path,
            timeout=self._timeout,
            environment=dated(self.saved[path]),
        )
        self._compare(path, run, again)

    def _own_cache(self) -> dict[str, str]:
        # Others have no import of before, and one that is not made again reads no file.
        return {"AUDIENCELAB_CACHE": str(self._folder / "cache")}

    def _compare(self, path: str, run: NotebookRun, again: Callable[[], NotebookRun]) -> None:
        found = compare_notebooks(
            self.saved[path], run, again=again, folder=self._paths[path].parent
        )
        self.verified.append(replace(found, notebook=Path(path)))

    def contents(self, details: Details) -> tuple[dict[str, bytes | Path], Facts]:
        """All files of the package by their paths, and what its texts say."""
        added = self.named.added
        roles = {path: role_of(path) for path in [*self.read, *sorted(added)]}
        keeps_data = self.choice == "data" or self.choice is None
        kept = [
            path for path, role in roles.items() if keeps_data or role != "data" or path in added
        ]
        contents: dict[str, bytes | Path] = {**self._paths}
        known = dict.fromkeys(contents, "notebook")
        for path in kept:
            contents[_inside(path, self.named.root)] = path
            known[_inside(path, self.named.root)] = roles[path]
        left_out = [path for path in roles if path not in kept]
        left_out += {
            Path(each) for run in self.watched for cell in run.cells for each in cell.outside
        }
        written = self._add_written(contents, known, keeps_data)
        notebooks = tuple(self._add_snapshots(contents, known, written))
        for number, (name, text) in enumerate(self._codebooks(known)):
            path = f"codebook/{name}.toml" if number == 0 or name else f"codebook/{number}.toml"
            contents[path], known[path] = text.encode(), "imported"
        for path in self.saved:
            page = self._folder / "page.html"
            export(self._paths[path], page, replace=True)
            name = Path(path).with_suffix(".html").as_posix()
            contents[name], known[name] = page.read_bytes(), "page"
        exhibits = tuple(
            exhibit
            for (path, notebook), files in zip(self.saved.items(), written, strict=True)
            for exhibit in exhibits_of(notebook, path, files)
        )
        facts = self._facts(contents, known, left_out, notebooks, exhibits, details)
        contents |= texts(facts)
        return contents, facts

    def _add_written(
        self, contents: dict[str, bytes | Path], known: dict[str, str], keeps_data: bool
    ) -> list[list[dict[str, bytes]]]:
        """Add what cells wrote, as the author has it; the files of each cell, by notebook."""
        found: list[list[dict[str, bytes]]] = []
        for run in self.runs[: len(self.saved)]:
            by_cell: list[dict[str, bytes]] = []
            for cell in run.cells:
                files: dict[str, bytes] = {}
                for each in cell.written:
                    if not each.path.is_relative_to(self.stage):
                        continue
                    path = each.path.relative_to(self.stage).as_posix()
                    author = self.named.root / path
                    content = author.read_bytes() if author.is_file() else each.now
                    if content is not None and (keeps_data or is_result(each.path, self.stage)):
                        files[path] = contents[path] = content
                        known[path] = "codebook" if path.endswith(SUFFIX) else "written"
                by_cell.append(files)
            found.append(by_cell)
        return found

    def _add_snapshots(
        self,
        contents: dict[str, bytes | Path],
        known: dict[str, str],
        written: list[list[dict[str, bytes]]],
    ) -> Iterator[PackagedNotebook]:
        """Add the snapshots, and run the notebooks from them in a folder without the data."""
        for number, path in enumerate(self.saved):
            snapshot = self._snapshot(path, number)
            files = tuple(tuple(cell) for cell in written[number])
            if snapshot is None or not snapshot.is_file():
                yield PackagedNotebook(path, written=files)
                continue
            name = Path(path).with_suffix(".audiencelab.jsonl").as_posix()
            contents[name], known[name] = snapshot, "snapshot"
            folder = self._folder / f"replay-{number}" / "package"
            for each, content in contents.items():
                target = folder / each
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content if isinstance(content, bytes) else content.read_bytes())
            again = partial(
                run_notebook,
                folder / path,
                snapshot=folder / name,
                timeout=self._timeout,
                environment=dated(self.saved[path]),
            )
            self.runs.append(run := again(report=self._report))
            self._compare(path, run, again)
            yield PackagedNotebook(path, name, files)

    def _codebooks(self, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        pinned = {
            Path(path).name.partition(".")[0] for path, role in known.items() if role == "codebook"
        }
        for run in self.watched:
            for name, text in run.codebooks.items():
                stem = Path(name).name.partition(".")[0]
                if stem not in pinned:
                    yield stem, text

    def _facts(
        self,
        contents: Mapping[str, bytes | Path],
        known: Mapping[str, str],
        left_out: Sequence[Path],
        notebooks: tuple[PackagedNotebook, ...],
        exhibits: tuple[Exhibit, ...],
        details: Details,
    ) -> Facts:
        if unsafe := [each for each in contents if not archive.is_inside(each)]:
            raise NotebookError(
                f"{unsafe[0]!r} is not a name that all systems have. Rename the file."
            )
        if taken := [each for each in contents if each in WRITTEN]:
            raise NotebookError(f"{taken[0]} is a file that a package has itself. Rename yours.")
        path, notebook = next(iter(self.saved.items()))
        files = [file_of(each, known[each], content) for each, content in contents.items()]
        written = {
            each: role for each, role in WRITTEN.items() if details.authors or role != "citation"
        }
        files += [File(each, role, 0, "") for each, role in written.items()]
        packages = {name: version for run in self.watched for name, version in run.packages.items()}
        asked = dict.fromkeys(place for run in self.watched for place in run.services)
        # A notebook that serves a survey itself asks this machine, and so does that of others.
        services = tuple(place for place in asked if without_port(place) == place)
        problems = [*problems_of(self.named, self.watched, self.runs, self.verified, self.choice)]
        return Facts(
            title=details.title or heading(notebook, Path(path)),
            details=details,
            date=counted_at()[:10],
            notebooks=notebooks,
            data=self._data(left_out, services),
            files=tuple(sorted(files, key=lambda file: file.path)),
            left_out=tuple(file_of(self._named(each), "data", each) for each in left_out),
            services=services,
            exhibits=exhibits,
            packages=dict(sorted(packages.items())),
            python=self.watched[0].python,
            machine=self.watched[0].machine,
            duration=duration(self.seconds),
            verified=tuple(self.verified),
            summary=tuple(self._summary()),
            problems=tuple(problems),
        )

    def _summary(self) -> Iterator[str]:
        for number, each in enumerate(self.verified):
            replayed = "" if number < len(self.saved) else " (from the snapshot alone)"
            yield f"{summary(each).removesuffix('.')}{replayed}."

    def _named(self, path: Path) -> str:
        """The path of a file below the notebooks' folder; of one elsewhere its name alone."""
        return _inside(path, self.named.root) if path.is_relative_to(self.named.root) else path.name

    def _data(self, left_out: Sequence[Path], services: Sequence[str]) -> Data:
        if not needs_choice(self.read, self.watched):
            return "none"
        chosen: dict[Choice, Data] = {
            "data": "included",
            "snapshot": "recorded",
            "no-data": "left out",
        }
        return chosen[self.choice or "data"]


def _inside(path: Path, root: Path) -> str:
    return path.resolve().relative_to(root).as_posix()
