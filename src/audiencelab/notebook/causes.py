"""Why outputs of a notebook differ from the saved ones, as far as it can be known."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from audiencelab.client.snapshots.format import is_snapshot
from audiencelab.notebook.io import code_cells, python_of
from audiencelab.notebook.run import NotebookRun
from audiencelab.notebook.verdict import Cause, CellVerdict

if TYPE_CHECKING:
    from nbformat import NotebookNode

_SNAPSHOT_NAME = re.compile(r"""["']([^"'\n]+\.jsonl)["']""")

_SOURCE = "Source: "
"""Begins the line below a table that names its survey or service."""


def why(saved: NotebookNode, run: NotebookRun, cells: Sequence[CellVerdict]) -> Iterator[Cause]:
    """Explanations of the differences; none where there are no differences."""
    differing = [each for each in cells if each.state not in {"holds", "reworded", "left out"}]
    if not differing:
        return
    failed = next((each for each in differing if each.state == "failed"), None)
    if failed is not None and failed is not differing[-1]:
        text = f"Cell {failed.number} failed; cells below it may need what it makes."
        yield Cause("failure", text)
    yield from map(_order, out_of_order(saved))
    before, now = python_of(saved), python_of(run.notebook)
    if before and now and before != now:
        yield Cause("packages", f"It was saved with Python {before} and ran with {now}.")
    unstable = tuple(each.number for each in differing if each.state == "differs each time")
    if unstable:
        listed = ", ".join(map(str, unstable))
        yield Cause(
            "chance",
            f"Cell{'s' * (len(unstable) > 1)} {listed}: two runs one after the other "
            "differ too. Is there chance in it (set a seed), or a time?",
            unstable,
        )
    source = _other_source(differing)
    if source:
        yield source
    elif differing[0].state == "moved":
        number = differing[0].number
        yield Cause(
            "place",
            f"Cell {number} is the first that moved; look there for what changed: "
            "the survey or the service behind it, its waves, or the version of a package.",
            (number,),
        )
    if run.snapshot is None and failed is not None:
        yield from _beside(saved, run)


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


def _order(text: str) -> Cause:
    return Cause("order", text)


def _other_source(differing: Sequence[CellVerdict]) -> Cause | None:
    """Whether a result names another survey or service than before, in the line below it."""
    for verdict in differing:
        for change in verdict.changes:
            _, named, before = change.before.partition(_SOURCE)
            _, names, now = change.now.partition(_SOURCE)
            if named and names and before != now:
                text = f"Cell {verdict.number} has another source: {before} before, {now} now."
                return Cause("survey", text, (verdict.number,))
    return None


def _beside(saved: NotebookNode, run: NotebookRun) -> Iterator[Cause]:
    """The command that replays a snapshot which the code names and which lies beside it."""
    code = "\n".join(cell.source for cell in code_cells(saved))
    for name in dict.fromkeys(_SNAPSHOT_NAME.findall(code)):
        if is_snapshot(file := run.path.parent / name):
            given = ("audiencelab", "verify", str(run.path), "--snapshot", str(file))
            words = " ".join(map(shlex.quote, given))
            text = f"{name} is beside it, and answers without the survey: {words}"
            yield Cause("snapshot", text)
