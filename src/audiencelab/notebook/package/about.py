"""What a package says of itself for programs: `audiencelab-package.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import msgspec

ABOUT = "audiencelab-package.json"

FORMAT, VERSION = "audiencelab-package", 1


@dataclass(frozen=True, slots=True)
class Details:
    """What the author says of the package.

    title: default the heading of the notebook. availability: how others get the data. rights: that
    the author may use and share them.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    licence: str = ""
    availability: str = ""
    rights: str = ""


@dataclass(frozen=True, slots=True)
class File:
    """A file of the package, or one that was left out of it. size: in bytes."""

    path: str
    role: str
    size: int
    sha256: str


class PackagedNotebook(msgspec.Struct, frozen=True, omit_defaults=True):
    """A notebook in a package.

    snapshot: the file that answers for its survey, if any. written: the files of the package that
    each code cell writes.
    """

    path: str
    snapshot: str = ""
    written: tuple[tuple[str, ...], ...] = ()


class About(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of the file: all that the texts of a package say and its files do not.

    details: what the author said. date: ISO 8601, of the package.
    data: "included", "recorded" in a snapshot, "left out", or "none" where the code reads none.
    left_out: files that the notebooks read and that are not in it. services: addresses that they
    ask. packages, python, machine: what ran the notebooks.
    duration: how long that took, such as "less than a minute".
    summary, problems: sentences about the run when it was made.
    files: what each file is, by its path.
    exhibits: the tables and charts, each with a checksum and the record of what it is of.
    """

    format: str
    version: int
    title: str
    details: Details
    date: str
    notebooks: tuple[PackagedNotebook, ...]
    data: Literal["included", "recorded", "left out", "none"]
    python: str
    machine: str
    duration: str
    packages: dict[str, str]
    services: tuple[str, ...]
    summary: tuple[str, ...]
    problems: tuple[str, ...]
    files: dict[str, str]
    left_out: tuple[File, ...]
    exhibits: tuple[dict[str, Any], ...]

    @property
    def audiencelab(self) -> str:
        """The version that made it."""
        return self.packages.get("audiencelab", "")
