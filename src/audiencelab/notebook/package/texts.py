"""The files of a package that are written from what is known of it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from audiencelab.notebook.package import environment
from audiencelab.notebook.package.about import ABOUT, FORMAT, VERSION, About, File
from audiencelab.notebook.package.archive import SUMS
from audiencelab.notebook.package.citation import citation_cff
from audiencelab.notebook.package.crate import NAME as CRATE
from audiencelab.notebook.package.crate import crate_json
from audiencelab.notebook.package.exhibits import Exhibit
from audiencelab.notebook.package.facts import Facts
from audiencelab.notebook.package.readme import readme

WRITTEN = {
    "README.md": "readme",
    "CITATION.cff": "citation",
    "requirements.txt": "requirements",
    "runtime.txt": "runtime",
    ".github/workflows/verify.yml": "workflow",
    CRATE: "crate",
    ABOUT: "about",
    SUMS: "sums",
}
"""The files that every package has, with their roles."""


def texts(facts: Facts) -> dict[str, bytes]:
    """The files that are written from the facts, without checksums."""
    about = About(
        format=FORMAT,
        version=VERSION,
        title=facts.title,
        details=facts.details,
        date=facts.date,
        notebooks=facts.notebooks,
        data=facts.data,
        python=facts.python,
        machine=facts.machine,
        duration=facts.duration,
        packages=dict(facts.packages),
        services=facts.services,
        summary=facts.summary,
        problems=facts.problems,
        files={each.path: each.role for each in facts.files},
        left_out=facts.left_out,
        exhibits=tuple(map(_exhibit, facts.exhibits)),
    )
    written = {
        "README.md": readme(facts),
        "CITATION.cff": citation_cff(facts),
        "requirements.txt": environment.requirements(facts),
        "runtime.txt": environment.runtime(facts),
        ".github/workflows/verify.yml": environment.workflow(facts),
        CRATE: crate_json(facts),
        ABOUT: msgspec.json.format(msgspec.json.encode(about)).decode() + "\n",
    }
    return {path: text.encode() for path, text in written.items() if text}


def _exhibit(exhibit: Exhibit) -> dict[str, Any]:
    record = exhibit.record.to_dict() if exhibit.record is not None else None
    return {
        "notebook": exhibit.notebook,
        "cell": exhibit.cell,
        "kind": exhibit.kind,
        "title": exhibit.title,
        "files": exhibit.files,
        "sha256": exhibit.sha256,
        **({"record": record} if record else {}),
    }


def file_of(path: str, role: str, content: bytes | Path) -> File:
    """A file with its size and checksum."""
    if isinstance(content, bytes):
        return File(path, role, len(content), hashlib.sha256(content).hexdigest())
    with content.open("rb") as file:
        return File(
            path, role, content.stat().st_size, hashlib.file_digest(file, "sha256").hexdigest()
        )
