"""Verifies a package: that it is as it was packaged, then its notebooks, in an empty folder."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from audiencelab._version import __version__
from audiencelab.notebook.io import NotebookError
from audiencelab.notebook.package.about import About, PackagedNotebook
from audiencelab.notebook.package.archive import unpack
from audiencelab.notebook.package.environment import other_versions
from audiencelab.notebook.package.rebuilt import beside
from audiencelab.notebook.package.selection import is_result
from audiencelab.notebook.run import Report, run_notebook
from audiencelab.notebook.saved_with import dated
from audiencelab.notebook.verdict import Cause, Verification
from audiencelab.notebook.verify import compare_notebooks, read_saved

_MOST = 8
"""Packages with other versions that are named."""


def verify_package(
    package: str | Path, *, timeout: float = 600.0, report: Report | None = None
) -> tuple[Verification, ...]:
    """Check a package, and run its notebooks in an empty folder with the environment here.

    Raises `NotebookError`: the package is not as it was made, is of another format, or leaves out
    the data that its notebooks read. Nothing of it is run then.
    """
    path = Path(package)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary).resolve() / "package"
        folder.mkdir()
        about = unpack(path, folder)
        _check_data(path, about)
        versions = [*_versions(about)]
        same = not any(each.split()[0] in _WRITE_PAGES for each in versions)
        texts = beside(about, folder, same_versions=same)
        found = [
            _verified(path, folder, each, versions, timeout, report) for each in about.notebooks
        ]
        # Once for all notebooks.
        first = found[0]
        found[0] = replace(
            first,
            beside=(*first.beside, *texts.differs),
            notes=(*texts.notes, *first.notes),
        )
        return tuple(found)


def _check_data(path: Path, about: About) -> None:
    if about.data == "left out" and about.left_out:
        listed = "".join(f"\n  {each.sha256}  {each.path}" for each in about.left_out)
        commands = "".join(f"\n  audiencelab verify {each.path}" for each in about.notebooks)
        raise NotebookError(
            f"{path} is as it was packaged, and leaves out the data that its notebooks read:"
            f"{listed}\nUnpack it, put these files into its folder, and run there:{commands}"
        )


def _verified(
    path: Path,
    folder: Path,
    notebook: PackagedNotebook,
    versions: list[str],
    timeout: float,
    report: Report | None,
) -> Verification:
    snapshot = folder / notebook.snapshot if notebook.snapshot else None
    saved = read_saved(folder / notebook.path)
    run = partial(
        run_notebook,
        folder / notebook.path,
        snapshot=snapshot,
        timeout=timeout,
        report=report,
        environment=dated(saved),
    )
    found = compare_notebooks(saved, ran := run(), again=run)
    lacking = [
        f"{each.path.relative_to(folder).as_posix()}: cell {number} writes it, and the package has "
        "none to compare it with."
        for number, cell in enumerate(ran.cells, 1)
        for each in cell.written
        if each.before is None and each.path.is_relative_to(folder) and is_result(each.path, folder)
    ]
    causes = found.causes
    # A cause of outputs names that of Python already.
    said = any("Python" in each.text for each in found.causes)
    versions = [each for each in versions if not (said and each.startswith("Python "))]
    if versions and not found.holds:
        more = f" and {len(versions) - _MOST:,} more" if len(versions) > _MOST else ""
        causes += (Cause("packages", f"It was packaged with {'; '.join(versions[:_MOST])}{more}."),)
    return replace(found, notebook=path / notebook.path, causes=causes, beside=tuple(lacking))


def _versions(about: About) -> Iterator[str]:
    """The packages that have another version here, those that matter most first."""
    here = platform.python_version()
    if about.python.rpartition(".")[0] != here.rpartition(".")[0]:
        yield f"Python {about.python}, here {here}"
    installed = {
        re.sub(r"[-_.]+", "-", each.name).lower(): each.version
        for each in importlib.metadata.distributions()
    }
    # The audiencelab that runs, whatever pip knows of it.
    found = [*other_versions(about.packages, {**installed, "audiencelab": __version__})]
    yield from sorted(found, key=lambda each: each.split()[0] not in _FIRST)


_FIRST = ("audiencelab", "numpy", "pandas", "scipy", "pyreadstat", "pyarrow", "altair")

_WRITE_PAGES = frozenset({"audiencelab", "nbconvert", "pygments", "mistune", "vl-convert-python"})
"""Packages of which other versions may write other pages."""
