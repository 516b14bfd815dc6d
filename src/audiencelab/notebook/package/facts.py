"""What the texts of a package are written from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from audiencelab.local_servers import without_port
from audiencelab.notebook.package.about import Details, File, PackagedNotebook
from audiencelab.notebook.package.exhibits import Exhibit
from audiencelab.notebook.verdict import Verification
from audiencelab.results.record import Record

Data = Literal["included", "recorded", "left out", "none"]

ROLES = {
    "notebook": "notebook, with its outputs as they were saved",
    "page": "the notebook as a page that any browser opens",
    "data": "data that the notebook reads",
    "snapshot": "answers of the survey to what the notebook asks, without respondents",
    "codebook": "codebook: what each column of the data means",
    "imported": "codebook: what audiencelab took the columns to mean when it ran (not pinned: "
    "`al.open(…, pin=True)` keeps it)",
    "code": "code that the notebook imports or runs",
    "file": "file that the author added, or that the notebook shows",
    "written": "file that a cell writes",
    "requirements": "exact versions of the Python packages that ran",
    "runtime": "version of Python",
    "readme": "this file",
    "citation": "how to cite this package",
    "crate": "description for programs (RO-Crate 1.1)",
    "workflow": "verifies the notebook on GitHub after every change",
    "about": "description for audiencelab",
    "sums": "SHA-256 of every other file (sha256sum --check SHA256SUMS)",
}
"""What a file is, by its role."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything that README and metadata say.

    date: ISO 8601. data: which data are in it. left_out: files that the notebook reads and that
    are not in it. services: addresses that it asks. duration: of the run,
    such as "less than a minute".
    problems: what a receiver cannot do with the package. verified: what its own run showed, with
    the sentence of it.
    """

    title: str
    details: Details
    date: str
    notebooks: tuple[PackagedNotebook, ...]
    data: Data
    files: tuple[File, ...]
    left_out: tuple[File, ...]
    services: tuple[str, ...]
    exhibits: tuple[Exhibit, ...]
    packages: Mapping[str, str]
    python: str
    machine: str
    duration: str
    verified: tuple[Verification, ...] = ()
    summary: tuple[str, ...] = ()
    problems: tuple[str, ...] = field(default=())

    @property
    def records(self) -> tuple[Record, ...]:
        """One record of each survey that exhibits are of, the first that names it."""
        found: dict[tuple[str, str], Record] = {}
        for each in self.exhibits:
            if each.record is not None and each.record.survey:
                key = (each.record.survey, each.record.survey_version)
                found.setdefault(key, each.record)
        return tuple(found.values())

    def of(self, *roles: str) -> tuple[File, ...]:
        """The files of these roles, by path."""
        return tuple(each for each in self.files if each.role in roles)


def missing(facts: Facts) -> list[str]:
    """What a data editor will ask for, with what adds it; nothing of it prevents a package."""
    found: list[str] = []
    if not facts.details.authors:
        found.append('The author: --author "Family, Given". Without one there is no CITATION.cff.')
    if not facts.details.licence:
        found.append("The licence of the package: --licence CC-BY-4.0.")
    demo = facts.data == "none"
    here = without_port("http://localhost")
    for each in () if demo else (each for each in facts.records if each.survey != here):
        lacking = [
            name
            for name, value in (
                ("citation", each.citation),
                ("doi", each.doi),
                ("licence", each.licence),
                ("producer", each.producer),
                ("universe", each.universe),
                ("field_dates", each.field_dates),
            )
            if not value
        ]
        if lacking:
            found.append(
                f"{_listed(lacking)} of {each.survey}: in [study] of its codebook, or "
                f"al.open(…, study={{{lacking[0]!r}: …}})."
            )
    if facts.data in ("recorded", "left out") and not facts.details.availability:
        found.append('How others get the data: --availability "Free at https://… after login".')
    if facts.data != "none" and not facts.details.rights:
        found.append('The right to use and share the data: --rights "The author collected them".')
    return found


def _listed(names: Sequence[str] | Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
