"""Why outputs of a notebook differ from the saved ones, as far as it can be known.

Causes are read from what outputs say that they are of (records), else from the lines below tables.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from audiencelab.client.snapshots.format import is_snapshot
from audiencelab.notebook.change import ORDER, SOURCE_LINE, Change, differing_parts
from audiencelab.notebook.file_diff import is_read
from audiencelab.notebook.file_reading import READ
from audiencelab.notebook.io import code_cells, python_of
from audiencelab.notebook.readings import SAVED
from audiencelab.notebook.run import NotebookRun
from audiencelab.notebook.sameness import Circumstances, canonical, facts_of
from audiencelab.notebook.saved_with import records_of, software_of
from audiencelab.notebook.verdict import Cause, CauseKind, CellVerdict
from audiencelab.schema.http import short_version

if TYPE_CHECKING:
    from nbformat import NotebookNode

_SNAPSHOT_NAME = re.compile(r"""["']([^"'\n]+\.jsonl)["']""")

_SAID: dict[CauseKind, str] = {
    "survey": "another source",
    "waves": "other waves",
    "weight": "another weight",
    "base": "another base",
    "method": "another method",
}

_KNOWN = (READ | {".parquet", ".feather", ".xls", ".ods", ".docx"}) - {".json"}
"""Endings of files that are results, and not parts of a survey."""

_NUMBER = re.compile(r"\d[\d.,]*")

_VERSION = re.compile(r",? ?\(?version …\)?")

_NO_DESIGN = "design unknown"


def why(
    saved: NotebookNode, run: NotebookRun, cells: Sequence[CellVerdict], known: Circumstances
) -> Iterator[Cause]:
    """Explanations of the differences; none where there are no differences."""
    differing = [each for each in cells if each.state not in {"holds", "reworded", "left out"}]
    if not differing:
        return
    failed = next((each for each in differing if each.state == "failed"), None)
    if failed is not None and failed is not differing[-1]:
        text = f"Cell {failed.number} failed; cells below it may need what it makes."
        yield Cause("failure", text)
    for text in out_of_order(saved):
        yield Cause("order", text)
    yield from _other_software(saved, run, known)
    unstable = tuple(each.number for each in differing if each.state == "differs each time")
    if unstable:
        text = (
            f"{_cells(unstable)}: two runs one after the other differ too. Is there chance in it "
            "(set a seed), or a time?"
        )
        yield Cause("chance", text, unstable)
    moved = [each for each in differing if each.state == "moved"]
    found = [*_what_changed(saved, run, moved)]
    yield from found
    explained = {number for cause in found for number in cause.cells}
    if any(cause.kind == "survey version" for cause in found):
        explained.add(differing[0].number)  # no other cause need be looked for
    only_files = all(change.form.startswith("file ") for change in differing[0].changes)
    if differing[0].state == "moved" and differing[0].number not in explained and not only_files:
        number = differing[0].number
        text = (
            f"Cell {number} is the first that moved; look there for what changed: "
            "the survey or the service behind it, its waves, or the version of a package."
        )
        yield Cause("place", text, (number,))
    if run.snapshot is None and failed is not None:
        yield from _beside(saved, run)


def other_version(saved: NotebookNode, run: NotebookRun) -> dict[tuple[str, str], list[int]]:
    """Each survey version before and now, where they differ, with the cells that name it."""
    found: dict[tuple[str, str], list[int]] = {}
    for number in range(1, len(code_cells(saved)) + 1):
        for before, now in _record_pairs(saved, run, number - 1):
            pair = str(before.get("survey_version", "")), str(now.get("survey_version", ""))
            if all(pair) and pair[0] != pair[1] and number not in found.setdefault(pair, []):
                found[pair].append(number)
    return found


def what_was_not_compared(
    saved: NotebookNode, run: NotebookRun, cells: Sequence[CellVerdict], known: Circumstances
) -> Iterator[str]:
    """What readers of the findings should know, although nothing differs."""
    here = run.path.resolve().parent
    for number, cell in enumerate(run.cells, 1):
        names = [
            file.path.name
            for file in cell.written
            if file.now is not None
            and not is_read(file)
            and file.path.suffix.casefold() in _KNOWN
            and file.path.is_relative_to(here)
        ]
        if names:
            those = "which was" if len(names) == 1 else "which were"
            yield (
                f"Cell {number} wrote {', '.join(names)}, {those} not there before, or of a kind "
                "that is not read: not compared."
            )
    moved = any(cell.state == "moved" for cell in cells)
    if not known.one_version and known.saved_with and not moved:
        yield (
            f"It was saved with audiencelab {known.saved_with} and ran with {known.ran_with}: how "
            "tables look (colours, arrangement) was not compared."
        )
    for before, now in () if moved else other_version(saved, run):
        yield (
            f"The survey is another version ({short_version(before)} before, {short_version(now)} "
            "now); everything compared is the same."
        )


def _other_software(saved: NotebookNode, run: NotebookRun, known: Circumstances) -> Iterator[Cause]:
    names = ("Python", "audiencelab")
    before = (python_of(saved), known.saved_with)
    now = (python_of(run.notebook), known.ran_with)
    for name, was, this in zip(names, before, now, strict=True):
        if was and this and was != this:
            yield Cause("packages", f"It was saved with {name} {was} and ran with {this}.")
    if not known.saved_with and software_of(run.notebook):
        text = "It does not name the version of audiencelab that it was saved with"
        yield Cause("packages", f"{text}: one before 3.0, or its metadata were removed.")


def _what_changed(
    saved: NotebookNode, run: NotebookRun, moved: Sequence[CellVerdict]
) -> Iterator[Cause]:
    """The survey, its waves, the weight, the base, the method, the code, or a hand."""
    several = {
        cell.number for cell in moved if not (_one_form(cell) or any(map(_of_source, cell.changes)))
    }
    for (before, now), numbers in other_version(saved, run).items():
        # Data that changed change a table in all its forms.
        if explained := tuple(number for number in numbers if number in several):
            text = (
                f"The survey is another version: {short_version(before)} before, "
                f"{short_version(now)} now. A respondent, an answer, a weight, a label or the "
                "order of its respondents is another one."
            )
            yield Cause("survey version", text, explained)
    reordered = [cell for cell in moved if any(each.where == ORDER for each in cell.changes)]
    for cell in reordered:
        text = f"Cell {cell.number} has the same outputs in another order."
        yield Cause("order", text, (cell.number,))
    moved = [cell for cell in moved if cell not in reordered]
    grouped: dict[tuple[CauseKind, str, str], list[int]] = {}
    for cell in moved:
        for key in dict.fromkeys(_facts(saved, run, cell)):
            grouped.setdefault(key, []).append(cell.number)
    for (kind, before, now), numbers in grouped.items():
        have = "has" if len(numbers) == 1 else "have"
        text = f"{_cells(numbers)} {have} {_SAID[kind]}: {before} before, {now} now."
        yield Cause(kind, text, tuple(numbers))
    one_version = software_of(saved) == software_of(run.notebook)
    for cell in moved:
        yield from _of_one(saved, run, cell)
        if one_version:
            yield from _of_one_form(saved, run, cell)


def _facts(
    saved: NotebookNode, run: NotebookRun, cell: CellVerdict
) -> list[tuple[CauseKind, str, str]]:
    """What a cell is of, before and now, by its records; else by the lines that moved."""
    records = _record_pairs(saved, run, cell.number - 1)
    return [*_of_records(records)] or [*_of_lines(cell.changes)]


def _of_records(
    records: Sequence[tuple[dict[str, Any], dict[str, Any]]],
) -> Iterator[tuple[CauseKind, str, str]]:
    for before, now in records:
        for kind in _SAID:
            was, this = (_words(each.get(kind, "")) for each in (before, now))
            # A method names figures of the table, such as design effects.
            if _NUMBER.sub("", was) != _NUMBER.sub("", this):
                yield kind, *differing_parts(was, this)


def _of_lines(changes: Sequence[Change]) -> Iterator[tuple[CauseKind, str, str]]:
    for change in (each for each in changes if "text '" not in each.before):  # of Vega
        before, now = facts_of(change.before), facts_of(change.now)
        for kind in _SAID:
            was, this = (_VERSION.sub("", each.get(kind, "")) for each in (before, now))
            if was and this and was != this:
                yield kind, was, this


def _of_one(saved: NotebookNode, run: NotebookRun, cell: CellVerdict) -> Iterator[Cause]:
    """Causes that one cell has for itself."""
    number = cell.number
    for before, now in _record_pairs(saved, run, number - 1):
        was, this = (str(each.get("code", "")) for each in (before, now))
        if was and this and was != this:
            parts = differing_parts(was, this)
            was, this = (" ".join(part.split()) for part in parts)
            text = f"The record of cell {number} names other code: {was} before, {this} now."
            yield Cause("code", text, (number,))
    shown = [each for each in cell.changes if not each.is_wording]
    if any(each.where == "edited" for each in shown):
        text = f"An image of cell {number} has other pixels than those it was drawn with."
        yield Cause("edited", text, (number,))
    if any(map(_of_source, shown)):
        text = (
            f"The source line of cell {number} and the record saved with it do not say the same: "
            "one of them is not as it was written."
        )
        yield Cause("edited", text, (number,))
    if any(_NO_DESIGN in each.now and _NO_DESIGN not in each.before for each in shown):
        text = (
            f"The snapshot does not hold the design of the sample that cell {number} was tested "
            "with: letters, p values and effective bases differ. Record it again with this version."
        )
        yield Cause("snapshot", text, (number,))


def _of_one_form(saved: NotebookNode, run: NotebookRun, cell: CellVerdict) -> Iterator[Cause]:
    """Whether only one form of an output differs, of which data that changed change all."""
    number = cell.number
    form = _one_form(cell)
    if form and not form.startswith("file ") and _comparable(saved, run, number, form):
        others = _forms(run, number)
        if len(others) > 1 or (form == "text" and others):
            digits = form == SAVED and all(map(_is_figure, cell.changes))
            more = ", which has more digits than they show" if digits else ""
            text = f"Only one form of cell {number} differs, {form}{more}; the others are equal."
            yield Cause("edited", text, (number,))


def _is_figure(change: Change) -> bool:
    return all(_NUMBER.fullmatch(text.lstrip("-")) for text in (change.before, change.now))


def _one_form(cell: CellVerdict) -> str:
    """The form that differs, where it is only one; ""."""
    changes = [each for each in cell.changes if not (each.is_wording or _of_source(each))]
    forms = {each.form.partition(", output ")[0] for each in changes} - {"record"}
    return forms.pop() if len(forms) == 1 else ""


def _of_source(change: Change) -> bool:
    return change.where == SOURCE_LINE


def _comparable(saved: NotebookNode, run: NotebookRun, number: int, form: str) -> bool:
    """Whether the other forms of a cell were compared whole.

    An image in which another version or date is drawn is compared by what it says that it is of.
    """
    drawn = ("survey_version", "counted_at") if form.startswith("image") else ()
    names = ("audiencelab", *drawn)
    return all(
        str(before.get(name, ""))[:10] == str(now.get(name, ""))[:10]
        for before, now in _record_pairs(saved, run, number - 1)
        for name in names
    )


def _forms(run: NotebookRun, number: int) -> set[str]:
    """The forms of the outputs of a cell, by MIME type, that say the same."""
    outputs: list[Any] = code_cells(run.notebook)[number - 1].outputs
    data: list[dict[str, Any]] = [output.get("data") or {} for output in outputs]
    return {form for forms in data for form in forms} - {
        "text/plain",
        "application/vnd.jupyter.widget-view+json",
    }


def _record_pairs(
    saved: NotebookNode, run: NotebookRun, position: int
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What outputs of a cell said that they are of, and say now."""
    cells = (code_cells(each)[position] for each in (saved, run.notebook))
    before, now = (records_of(cell) for cell in cells)
    return [*zip(before, now, strict=False)]


def _words(value: object) -> str:
    """A field of a record as people read it."""
    if value is None:
        return "unweighted"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))  # pyright: ignore[reportUnknownArgumentType] -- JSON
    return canonical(str(value)) or "none is named"


def _cells(numbers: Sequence[int]) -> str:
    return f"Cell{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def replay_causes(run: NotebookRun, elsewhere: Mapping[int, Sequence[str]]) -> Iterator[Cause]:
    """Which cells read something else than the snapshot, and what to do."""
    if run.snapshot is None or not elsewhere:
        return
    name = run.snapshot.name
    for number, sources in elsewhere.items():
        text = f"No cell connected to {name}: nothing was replayed."
        if number:
            listed = ", ".join(dict.fromkeys(sources))
            text = f"Cell {number} connected to {listed}, not to {name}."
        yield Cause("snapshot", text, (number,) if number else ())
    yield Cause(
        "snapshot",
        f"{name} answers al.connect() without a service, al.open() of the source that it was "
        f'recorded of, and al.connect(snapshot="{name}"). Connect in one of these ways, or verify '
        "without --snapshot.",
    )


def out_of_order(saved: NotebookNode) -> Iterator[str]:
    """Whether cells were run in another order, or not at all, before the notebook was saved."""
    counts = {n: cell.execution_count for n, cell in enumerate(code_cells(saved), 1)}
    run = [(number, count) for number, count in counts.items() if count is not None]
    never = [str(number) for number, count in counts.items() if count is None]
    if never and run:
        yield f"When it was saved, these cells had not been run: {', '.join(never)}."
        return
    for (above, before), (below, after) in pairwise(run):
        if after < before:
            yield (
                f"When it was saved, cell {below} had been run before cell {above}: from top to "
                "bottom their outputs may differ."
            )
            return


def _beside(saved: NotebookNode, run: NotebookRun) -> Iterator[Cause]:
    """The command that replays a snapshot which the code names and which lies beside it."""
    code = "\n".join(cell.source for cell in code_cells(saved))
    for name in dict.fromkeys(_SNAPSHOT_NAME.findall(code)):
        if is_snapshot(file := run.path.parent / name):
            given = ("audiencelab", "verify", str(run.path), "--snapshot", str(file))
            words = " ".join(map(shlex.quote, given))
            text = f"{name} is beside it, and answers without the survey: {words}"
            yield Cause("snapshot", text)
