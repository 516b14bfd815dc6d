"""Files beside a notebook that hold the answers of single respondents."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from audiencelab.ingest.readers import is_survey_file
from audiencelab.notebook.check_code import STATISTICAL, NotebookCode
from audiencelab.notebook.check_findings import CheckFinding, some
from audiencelab.survey.layout import MANIFEST


def microdata_beside(notebook: Path, code: NotebookCode) -> Iterator[CheckFinding]:
    """Data in the folder of a notebook: what its code reads, and what can be nothing else."""
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
    for noun, names in (("data file", found), ("survey folder", folders)):
        if names:
            words = f"Beside it: {some(names, noun)}, with the answers of single respondents."
            mend = f"share the notebook with a snapshot: {package}"
            yield CheckFinding("microdata", "medium", notebook, 0, words, mend)
