"""README.md of a package, with the sections that data editors of social science journals expect."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from audiencelab.notebook.package.about import File
from audiencelab.notebook.package.facts import ROLES, Facts, missing
from audiencelab.render.text_forms import markdown_text
from audiencelab.results.record import Record
from audiencelab.schema.http import short_version
from audiencelab.wording import plural

_MAIN = ("audiencelab", "numpy", "pandas", "scipy", "altair", "pyarrow", "pyreadstat")
"""Packages that are named in the text; requirements.txt has all."""

_NOT_OURS = "shown by another library: base and weight are not recorded"
_SHOWN = 12
"""Hexadecimal digits of a checksum in a table; audiencelab-package.json has all."""

_DATA = {
    "included": "The data that the notebook reads are part of this package.",
    "recorded": "Respondents are not part of this package. The snapshot holds the answers of the "
    "survey to everything that the notebook asks: counts, percentages, names of questions. The "
    "notebook runs from it without the data.",
    "left out": "The data are not part of this package. The notebook runs with the "
    "files below under these paths; their SHA-256 show whether they are the same.",
    "none": "The notebook reads no data files. What it needs comes with its packages, such as the "
    "synthetic respondents of audiencelab's demo survey, or is made by its code.",
}


_PARTLY = "Some of the data that the notebook reads are part of this package, and some are not."


def readme(facts: Facts) -> str:
    """The text of the file."""
    parts = [
        [f"# {markdown_text(facts.title)}"],
        _overview(facts),
        _availability(facts),
        _requirements(facts),
        _instructions(facts),
        _exhibits(facts),
        _files(facts),
        _references(facts),
        _to_complete(facts),
    ]
    return "\n\n".join(part for section in parts for part in section) + "\n"


def _overview(facts: Facts) -> Iterator[str]:
    yield "## Overview"
    kinds = [each.kind for each in facts.exhibits]
    counts = {kind: kinds.count(kind) for kind in ("table", "chart", "file")}
    shown = _listed(plural(count, kind) for kind, count in counts.items() if count) or "no exhibits"
    names = _listed(f"`{each.path}`" for each in facts.notebooks)
    by = f" by {markdown_text('; '.join(facts.details.authors))}" if facts.details.authors else ""
    yield (
        f"This replication package{by} reproduces {shown} of {names}. It was made on {facts.date} "
        f"with audiencelab {facts.packages.get('audiencelab', '')}."
    )
    if facts.summary:
        yield "When it was made, the notebook ran in an empty folder with these files alone:"
        yield "\n".join(f"- {markdown_text(each)}" for each in facts.summary)
    if facts.problems:
        yield "**What does not work yet:**"
        yield "\n".join(f"- {markdown_text(each)}" for each in facts.problems)


def _availability(facts: Facts) -> Iterator[str]:
    yield "## Data availability and provenance"
    yield _PARTLY if facts.data == "included" and facts.left_out else _DATA[facts.data]
    for each in facts.services:
        yield f"The notebook asks the service {markdown_text(each)}, for which one needs access."
    for each in facts.records:
        yield from _survey(each)
    if files := facts.of("data", "snapshot", "codebook"):
        yield "### Data files in this package"
        yield _file_table(files)
    if facts.details.availability:
        yield markdown_text(facts.details.availability)
    if facts.left_out:
        yield "### Data files that are not in this package"
        yield _file_table(facts.left_out)
    if facts.data != "none":
        yield "### Statement about rights"
        yield markdown_text(facts.details.rights) or "The author has not stated any."


def _survey(record: Record) -> Iterator[str]:
    yield f"### {markdown_text(record.survey[:1].upper() + record.survey[1:])}"
    facts = {
        "Citation": record.citation,
        "DOI": record.doi,
        "Licence": record.licence,
        "Producer": record.producer,
        "Universe": record.universe,
        "Dates of fieldwork": record.field_dates,
        "Version": record.survey_version,
    }
    rows = [(name, markdown_text(value) or "not given") for name, value in facts.items()]
    yield _table(("", ""), rows)


def _requirements(facts: Facts) -> Iterator[str]:
    yield "## Computational requirements"
    named = [f"{name} {facts.packages[name]}" for name in _MAIN if name in facts.packages]
    yield (
        f"- Python {facts.python}\n"
        f"- {', '.join(named)}; `requirements.txt` lists all {len(facts.packages)} packages with "
        "the versions that ran\n"
        f"- last run on {facts.machine or 'an unknown system'}; it needs no special hardware\n"
        f"- running everything took {facts.duration}"
    )


def _instructions(facts: Facts) -> Iterator[str]:
    yield "## Instructions to replicators"
    yield "Unpack this package, open a terminal in its folder, and run:"
    yield "\n".join(["```console", *commands(facts), "```"])
    yield (
        "`audiencelab verify` runs the notebook from top to bottom and names every output that "
        "differs from the saved one. Given the zip itself (`audiencelab verify package.zip`), it "
        "checks all files first and runs in an empty folder. `repo2docker` and Binder build the "
        "environment from `requirements.txt` and `runtime.txt`."
    )
    for each in facts.notebooks:
        if each.snapshot:
            line = f"AUDIENCELAB_SNAPSHOT={shlex.quote(each.snapshot)} jupyter lab"
            yield f"To work with `{each.path}` without the data: `{line}`"


def commands(facts: Facts) -> Iterator[str]:
    """The commands that install what ran, and verify the notebooks."""
    yield f"$ python{'.'.join(facts.python.split('.')[:2])} -m venv .venv"
    yield "$ . .venv/bin/activate"
    yield "$ pip install -r requirements.txt"
    for each in verifications(facts):
        yield f"$ {each}"


def verifications(facts: Facts) -> Iterator[str]:
    """The command that verifies each notebook."""
    for each in facts.notebooks:
        words = ["audiencelab", "verify", each.path]
        words += ["--snapshot", each.snapshot] if each.snapshot else []
        yield " ".join(map(shlex.quote, words))


def _exhibits(facts: Facts) -> Iterator[str]:
    yield "## List of exhibits"
    if not facts.exhibits:
        yield "The notebook has no tables and no charts."
        return
    several = len(facts.notebooks) > 1
    header = ["No.", "Exhibit", *(["Notebook"] if several else []), "Cell"]
    header += ["Survey version", "Waves", "Weight", "Base", "File", "SHA-256"]
    rows: list[Sequence[str]] = []
    for number, each in enumerate(facts.exhibits, 1):
        of = each.record or Record()
        row = [str(number), markdown_text(f"{each.kind.capitalize()}: {each.title}")]
        row += [f"`{each.notebook}`"] if several else []
        row += [str(each.cell), short_version(of.survey_version) if of.survey_version else ""]
        row += [markdown_text(", ".join(of.waves)), _weight(each.record)]
        row += [_NOT_OURS if each.record is None else markdown_text(of.base)]
        row += [", ".join(f"`{file}`" for file in each.files), f"`{each.sha256[:_SHOWN]}`"]
        rows.append(row)
    yield _table(header, rows)
    yield (
        "Cells are the code cells of the notebook, counted from 1. The checksum is that of the "
        "exhibit's content without the date and the program's version, or that of the file; "
        "`audiencelab verify` of the zip computes them again."
    )


def _weight(record: Record | None) -> str:
    if record is None:
        return ""
    return "unweighted" if record.weight is None else markdown_text(record.weight)


def _files(facts: Facts) -> Iterator[str]:
    yield "## Files"
    rows = [(f"`{each.path}`", ROLES[each.role]) for each in facts.files]
    yield _table(("File", "What it is"), rows)


def _references(facts: Facts) -> Iterator[str]:
    cited = [markdown_text(_reference(each)) for each in facts.records if each.citation or each.doi]
    yield "## References"
    program = f"audiencelab {facts.packages.get('audiencelab', '')}. "
    program += "<https://github.com/audiencelab/audiencelab>"
    yield "\n".join(f"- {each}" for each in [*dict.fromkeys(cited), program])


def _reference(record: Record) -> str:
    doi = record.doi if record.doi and record.doi not in record.citation else ""
    doi = f"doi:{doi}" if doi and ":" not in doi else doi
    return ". ".join(part.rstrip(".") for part in (record.citation, doi) if part) + "."


def _to_complete(facts: Facts) -> Iterator[str]:
    if found := missing(facts):
        yield "## To be completed by the author"
        yield "\n".join(f"- {markdown_text(each)}" for each in found)


def _file_table(files: Iterable[File]) -> str:
    rows = [(f"`{each.path}`", f"{each.size:,}", f"`{each.sha256}`") for each in files]
    return _table(("File", "Bytes", "SHA-256"), rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def duration(seconds: float) -> str:
    """A time as it is useful to others, and the same for two runs."""
    for most, words in ((60, "less than a minute"), (600, "less than 10 minutes")):
        if seconds < most:
            return words
    hours = seconds / 3600
    return "less than an hour" if hours < 1 else f"about {plural(round(hours), 'hour')}"


def _listed(names: Iterable[str]) -> str:
    *others, last = [*names] or [""]
    return f"{', '.join(others)} and {last}" if others else last
