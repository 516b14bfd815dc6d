"""What a snapshot beside a notebook gives away, and what of it the notebook uses."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from audiencelab.client.context import DEMO_PLACE
from audiencelab.client.snapshots.format import Snapshot, read
from audiencelab.client.snapshots.trim import Trimmed, trim
from audiencelab.notebook.check_counts import MOST_SMALL, withhold
from audiencelab.notebook.check_findings import CheckFinding, some
from audiencelab.notebook.check_people import MEND, WORDS, names_people
from audiencelab.notebook.check_texts import TextSearch, texts_of
from audiencelab.notebook.io import NotebookError, code_cells, raises, read_notebook
from audiencelab.notebook.run import run_notebook
from audiencelab.wording import plural

if TYPE_CHECKING:
    from nbformat import NotebookNode

_SAMPLE = re.compile(rb'"(?:\w+_)?sample":(\d+)(?=[,}])')


def check_snapshot(file: Path, notebook: Path, text: str) -> Iterator[CheckFinding]:
    """What is in a snapshot. text: code and outputs of the notebook."""
    snapshot = read(file)
    name = shlex.quote(str(file))
    trimmed = trim(snapshot, text)
    if trimmed.unused:
        words = (
            f"It holds the labels of {plural(len(trimmed.unused), 'question')} that no output uses:"
            f" {some(trimmed.unused)}."
        )
        run = f"--notebook {shlex.quote(str(notebook))}"
        mend = f"audiencelab snapshot trim {name} {run} -o {name} --replace"
        yield CheckFinding("unused labels", "medium", file, 0, words, mend)
    yield from _people(trimmed)
    if snapshot.header.source != DEMO_PLACE and not snapshot.header.minimum_base:
        yield from _small(snapshot)
    texts = [each.content.decode(errors="replace") for each in snapshot.exchanges]
    header = msgspec.json.encode(snapshot.header).decode()
    yield from TextSearch(file).in_snapshot([header, *texts])


def _people(trimmed: Trimmed) -> Iterator[CheckFinding]:
    """Questions that are needed, and whose answers name people or where they live."""
    found = [
        f"{question['name']} ({plural(len(question.get('datapoints') or ()), 'answer')})"
        for question in trimmed.questions
        if names_people(str(question.get("name", ""))) or names_people(str(question.get("code")))
    ]
    if found:
        words = f"{WORDS}{some(found)}."
        yield CheckFinding("names", "medium", trimmed.snapshot.path, 0, words, MEND)


def _small(snapshot: Snapshot) -> Iterator[CheckFinding]:
    """Counts of few respondents in the answers."""
    few = 0
    for each in snapshot.exchanges:
        if b'"sample":' in each.content:
            counts = map(int, _SAMPLE.findall(each.content))
            few += sum(1 <= count <= MOST_SMALL for count in counts)
    if few:
        words = f"It holds {plural(few, 'count')} of 1 to {MOST_SMALL} respondents."
        yield CheckFinding(
            "small counts", "medium", snapshot.path, 0, words, withhold(MOST_SMALL + 1)
        )


def text_in(notebook: Path) -> str:
    """Code and outputs of a notebook; raises `NotebookError`."""
    return text_of_notebook(read_notebook(notebook))


def text_of_notebook(saved: NotebookNode) -> str:
    """Code and outputs, as one text."""
    parts: list[str] = []
    for cell in cast("list[Any]", saved.cells):
        parts.append(str(cell.source))
        for output in cell.get("outputs", ()):
            parts += texts_of(output)
    return "\n".join(parts)


def exchanges_used(notebook: Path, file: Path) -> set[int]:
    """Indices of the exchanges that a replay of a notebook uses: it is run.

    Raises `NotebookError` where the notebook fails, or does not read the snapshot.
    """
    run = run_notebook(notebook, snapshot=file)
    for number, cell in enumerate(code_cells(run.notebook), 1):
        if raises(cell):
            raise NotebookError(
                f"{notebook}: cell {number} failed while {file.name} was replayed. "
                f"audiencelab verify {shlex.quote(str(notebook))} --snapshot "
                f"{shlex.quote(str(file))} says why."
            )
    here = file.resolve()
    used = {n for cell in run.cells for name, n in cell.exchanges if Path(name).resolve() == here}
    if not used:
        raise NotebookError(
            f"{notebook} did not read {file.name}. Name the snapshot that it replays, or leave "
            "--run out."
        )
    return used
