"""Files beside a notebook that hold the answers of single respondents."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from audiencelab.ingest.codebook import Source
from audiencelab.ingest.columns import Progress, Variable
from audiencelab.ingest.readers import is_survey_file, open_file
from audiencelab.notebook.check_code import STATISTICAL, NotebookCode
from audiencelab.notebook.check_findings import CheckFinding, some
from audiencelab.notebook.check_people import names_people
from audiencelab.notebook.check_texts import emails
from audiencelab.survey.errors import SurveyError
from audiencelab.survey.layout import MANIFEST

_MOST_BYTES = 20_000_000
"""Of a file whose values are looked at, too, and not only the names and labels of its columns."""


def microdata_beside(
    notebook: Path, code: NotebookCode, *, is_licensed: bool
) -> Iterator[CheckFinding]:
    """Data in the folder of a notebook: what its code reads, and what can be nothing else.

    is_licensed: whether they are published; only columns that may name people are found then.
    """
    here = notebook.resolve().parent
    found: list[str] = []
    folders: list[str] = []
    named = [here / name for name in code.surveys if name and len(name) < 256]
    for each in (*sorted(here.iterdir()), *named):
        try:
            inside = each.resolve().relative_to(here)
            if (each / MANIFEST).is_file():
                folders.append(f"{inside.as_posix()}/")
            elif each.is_file() and (each in named or each.name.lower().endswith(STATISTICAL)):
                found += [inside.as_posix()] if is_survey_file(each) else []
        except (ValueError, OSError):
            continue
    package = f"audiencelab package {shlex.quote(str(notebook))} --snapshot -o package.zip"
    mend = f"share the notebook with a snapshot: {package}"
    for noun, names in (("data file", found), ("survey folder", folders)):
        if names and not is_licensed:
            words = f"Beside it: {some(names, noun)}, with the answers of single respondents."
            yield CheckFinding("microdata", "medium", notebook, 0, words, mend)
    for name in dict.fromkeys(found):
        if columns := _columns_of_people(here / name):
            words = f"{some(columns, 'column')} may name people or where they live."
            yield CheckFinding("microdata", "high", notebook.parent / name, 0, words, mend)


def _columns_of_people(path: Path) -> list[str]:
    """The columns of a data file that say they name people, or that hold e-mail addresses."""
    try:
        file = open_file(path, Source())
        labels = {name: file.variables.get(name, Variable()).label for name in file.header}
        found = {name for name, label in labels.items() if any(map(names_people, (name, label)))}
        if file.octets <= _MOST_BYTES:
            pieces = file.pieces(file.header, Progress())
            found |= {each.column for each in pieces if emails(filter(None, each.values))}
    except (SurveyError, OSError):
        return []  # What cannot be read is data nevertheless, and named as that.
    return [name for name in file.header if name in found]
