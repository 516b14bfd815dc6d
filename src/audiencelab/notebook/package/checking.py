"""Verifies a package: that it is as it was packaged, then its notebooks, in an empty folder."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from audiencelab.notebook.io import NotebookError
from audiencelab.notebook.package.archive import About, PackagedNotebook, unpack
from audiencelab.notebook.package.environment import other_versions
from audiencelab.notebook.run import Report
from audiencelab.notebook.verdict import Cause, Verification
from audiencelab.notebook.verify import verify

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
        versions = [*_versions(about, folder)]
        return tuple(
            _verified(path, folder, each, versions, timeout, report) for each in about.notebooks
        )


def _check_data(path: Path, about: About) -> None:
    if about.data == "left out" and about.left_out:
        listed = "".join(f"\n  {sha256}  {name}" for name, sha256 in about.left_out.items())
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
    found = verify(folder / notebook.path, snapshot=snapshot, timeout=timeout, report=report)
    causes = found.causes
    if versions and not found.holds:
        more = f" and {len(versions) - _MOST:,} more" if len(versions) > _MOST else ""
        causes += (Cause("packages", f"It was packaged with {'; '.join(versions[:_MOST])}{more}."),)
    return replace(found, notebook=path / notebook.path, causes=causes)


def _versions(about: About, folder: Path) -> Iterator[str]:
    """The packages that have another version here, those that matter most first."""
    here = platform.python_version()
    if about.python.rpartition(".")[0] != here.rpartition(".")[0]:
        yield f"Python {about.python}, here {here}"
    file = folder / "requirements.txt"
    written = file.read_text("utf-8") if file.is_file() else ""
    installed = {
        re.sub(r"[-_.]+", "-", each.name).lower(): each.version
        for each in importlib.metadata.distributions()
    }
    found = [*other_versions(written, installed)]
    yield from sorted(found, key=lambda each: each.split()[0] not in _FIRST)


_FIRST = ("audiencelab", "numpy", "pandas", "scipy", "pyreadstat", "pyarrow", "altair")
