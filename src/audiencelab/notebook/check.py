"""Looks for what should not leave with a notebook: small counts, names, paths, credentials, data.

The notebook is read as it was saved; nothing in it is run.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from audiencelab.client.snapshots.format import SnapshotError, is_snapshot
from audiencelab.notebook.causes import out_of_order
from audiencelab.notebook.check_code import NotebookCode
from audiencelab.notebook.check_counts import (
    MOST_SMALL,
    counts_in,
    low_bases,
    of_demo,
    small_counts,
)
from audiencelab.notebook.check_findings import SEVERITIES, CheckFinding
from audiencelab.notebook.check_folder import microdata_beside
from audiencelab.notebook.check_people import people_in_columns, people_in_titles
from audiencelab.notebook.check_snapshot import check_snapshot, text_of_notebook
from audiencelab.notebook.check_texts import TextSearch, emails
from audiencelab.notebook.io import RUN_AND_SAVE, NotebookError, code_cells, read_notebook, text_of
from audiencelab.render.records import of_output
from audiencelab.results.arrangement import VERY_LOW_BASE
from audiencelab.wording import plural

if TYPE_CHECKING:
    from nbformat import NotebookNode

_HOLLOW = "Hollow "
"""In the note of a chart that marks low bases, and does not tell them."""

_VIEW = "application/vnd.jupyter.widget-view+json"


@dataclass(frozen=True, slots=True)
class CheckedNotebook:
    """What was looked at, and what was found, the gravest first.

    read: what was looked at, such as "12 cells"; unread: what could not be.
    """

    notebook: Path
    findings: tuple[CheckFinding, ...]
    read: tuple[str, ...]
    unread: tuple[str, ...] = ()


def check(
    notebook: str | Path,
    *,
    snapshot: str | Path | None = None,
    minimum_base: int = VERY_LOW_BASE,
) -> CheckedNotebook:
    """Read a notebook, the snapshots that it names and the files beside it.

    snapshot: a snapshot to look at too, which the code does not name.
    minimum_base: tables whose bases have fewer respondents are found.

    Raises `NotebookError` for a file that is not a notebook, and `SnapshotError`.
    """
    path = Path(notebook)
    saved = _read_valid(path)
    cells = code_cells(saved)
    code = NotebookCode([str(cell.source) for cell in cells])
    demo = code.only_demo
    search = TextSearch(path, code.credentials, _addresses_of_authors(saved))
    found = [*_as_saved(path, saved)]
    tables = 0
    unread = 0
    for number, cell in enumerate(cells, 1):
        found += search.in_code(number, cell.source)
        counts = [
            counts_in(output, all_counts=code.shows_counts(number)) for output in cell.outputs
        ]
        tables += sum(each.tables for each in counts)
        unread += sum(_is_only_an_image(each) for each in cell.outputs)
        if any(each.tables or each.texts for each in counts):
            found += [CheckFinding(file=path, **each) for each in code.rows_shown(number)]
        values = [each for one in counts for each in one.counts]
        invented = demo or of_demo(cell.outputs)
        # What is small is found as that, and not twice.
        least = 0 if invented else MOST_SMALL
        found += low_bases(path, number, values, minimum_base, least)
        found += [] if invented else small_counts(path, number, values)
        titles = {title for each in counts for title in each.titles}
        found += people_in_titles(path, number, titles)
        if not any(code.rows_shown(number)):  # which says it already
            columns = [name for each in counts for name in each.people]
            found += people_in_columns(path, number, columns)
        found += search.in_outputs(number, cell.outputs)
    found += search.in_text(cast("list[Any]", saved.cells))
    found += search.in_metadata(saved, _mend_state(path, saved))
    records = [each for cell in cells for output in cell.outputs for each in of_output(output)]
    # Data under a licence are published already.
    is_licensed = any(each.get("licence") for each in records)
    found += microdata_beside(path, code, is_licensed=is_licensed)
    files = _snapshots(path, code, snapshot)
    for file in files:
        found += check_snapshot(file, path, text_of_notebook(saved))
    # By kind, in the order in which kinds come.
    order = list(dict.fromkeys(each.kind for each in found))
    found.sort(key=lambda each: (SEVERITIES.index(each.severity), order.index(each.kind)))
    read = [plural(len(cells), "cell"), plural(tables, "table")]
    read += [plural(len(files), "snapshot")] if files else []
    images = (f"the bases of {plural(unread, 'image')}",) if unread else ()
    return CheckedNotebook(path, tuple(dict.fromkeys(found)), tuple(read), images)


def _read_valid(path: Path) -> NotebookNode:
    import nbformat

    saved = read_notebook(path)
    try:
        nbformat.validate(saved, relax_add_props=True)  # pyright: ignore[reportUnknownMemberType] -- nbformat has no types
    except nbformat.ValidationError as error:
        why = str(error).partition("\n")[0]
        raise NotebookError(f"{path} is not a valid notebook: {why}") from error
    return saved


def without_widget_state(path: Path) -> int:
    """Take the state of widgets out of a notebook file; returns how many bytes it had.

    Nothing is taken out where an output has no other form to be seen in.
    """
    import nbformat

    saved = read_notebook(path)
    size = _state_bytes(saved)
    if size and not _needs_state(saved):
        del saved.metadata["widgets"]
        nbformat.write(saved, path)  # pyright: ignore[reportUnknownMemberType] -- nbformat has no types
        return size
    return 0


def _as_saved(path: Path, saved: NotebookNode) -> Iterator[CheckFinding]:
    cells = code_cells(saved)
    name = shlex.quote(str(path))
    run = f"{RUN_AND_SAVE} {name}"
    if cells and not any(cell.outputs or cell.execution_count for cell in cells):
        yield CheckFinding(
            "never run", "low", path, 0, "No cell was run: readers see no result.", run
        )
    else:
        for words in out_of_order(saved):
            yield CheckFinding("order", "low", path, 0, words, run)
    if size := _state_bytes(saved):
        words = (
            f"{max(size / 1000, 1):,.0f} KB of the state of widgets are saved. A page that is made "
            "of them loads its scripts from a CDN."
        )
        yield CheckFinding("widget state", "low", path, 0, words, _mend_state(path, saved))


def _mend_state(path: Path, saved: NotebookNode) -> str:
    name = shlex.quote(str(path))
    return f"{RUN_AND_SAVE} {name}" if _needs_state(saved) else f"audiencelab check {name} --fix"


def _addresses_of_authors(saved: NotebookNode) -> list[str]:
    """The addresses that the metadata name with the authors, where readers look for them."""
    about = cast("dict[str, Any]", saved.metadata)
    return [each.lower() for each in emails([json.dumps(about.get("authors"))])]


def _state_bytes(saved: NotebookNode) -> int:
    state = saved.metadata.get("widgets")
    return len(json.dumps(state)) if state else 0


def _needs_state(saved: NotebookNode) -> bool:
    """Whether an output is to be seen only with the state of its widget."""
    return any(
        _VIEW in data and not data.keys() & {"text/html", "text/markdown", "image/png"}
        for cell in code_cells(saved)
        for output in cell.outputs
        if (data := cast("dict[str, Any]", output.get("data") or {}))
    )


def _is_only_an_image(output: Any) -> bool:
    """Whether nothing in it tells the bases of all its figures."""
    data = cast("dict[str, Any]", output.get("data") or {})
    if _HOLLOW in text_of(data.get("image/svg+xml")) and "text/html" not in data:
        return True
    images = {"image/png", "image/jpeg", "image/gif", "application/pdf"}
    return bool(data.keys() & images) and "image/svg+xml" not in data and "text/html" not in data


def _snapshots(path: Path, code: NotebookCode, given: str | Path | None) -> Sequence[Path]:
    """The snapshots that go with a notebook: those that its code names, and the given one."""
    if given is not None and not is_snapshot(Path(given)):
        raise SnapshotError(f"{given} is not a snapshot.")
    named = [path.parent / name for name in code.snapshots]
    files = [each for each in named if is_snapshot(each)]
    others = [] if given is None else [Path(given)]
    return list({each.resolve(): each for each in (*files, *others)}.values())
