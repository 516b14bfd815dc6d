"""A run as part of a page: what docs/explanation/performance.md takes in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from tests.bench.engine.aims import Aim
from tests.bench.engine.measuring import Finding
from tests.bench.engine.report import lines, seconds

__all__ = ["markdown"]

_FACES = {
    "fresh": "A process that knows nothing yet",
    "smaller bases, numba": "Smaller bases, with numba",
    "smaller bases, numpy": "Smaller bases, with numpy alone",
    "more respondents": "More respondents",
    "shared leaves": "More audiences of the same datapoints",
    "cores, numba": "Cores, with numba",
    "cores, numpy": "Cores, with numpy alone",
    "whole way": "The whole way of a table, masks made",
}


def markdown(
    machine: Mapping[str, str],
    findings: Sequence[Finding],
    faces: Mapping[str, Mapping[str, float]],
    reached: Sequence[Aim],
) -> str:
    """All that a run found, under headings of the third level."""
    parts = [_machine(machine)]
    by_size = groupby(findings, key=lambda each: (each.respondents, each.side))
    for (respondents, side), some in by_size:
        title = f"{respondents:,} respondents × {side:,} × {side:,} audiences"
        parts.append(f"### {title}\n\n{_comparison(list(some))}")
    if faces:
        parts.append(f"### What only we were asked\n\n{_faces(faces)}")
    if reached:
        head = ("of a million respondents", "aim", "reached")
        rows = ((each.what, each.aim, each.reached) for each in reached)
        parts.append(f"### Aims\n\n{_table(head, rows)}")
    return "\n\n".join(parts) + "\n"


def _machine(told: Mapping[str, str]) -> str:
    return _table(("measured on", ""), told.items())


def _comparison(findings: Sequence[Finding]) -> str:
    head = ("way", "wall", "× ours", "× sgemm", "CPU", "CPU × ours", "first cell", "peak MB")
    told = lines(findings)
    rows = (
        (
            f"`{each.way}`",
            each.wall,
            each.wall_to_ours,
            each.wall_to_bare,
            each.cpu,
            each.cpu_to_ours,
            each.first,
            each.peak,
        )
        for each in told
    )
    parts = [f"`{each.way}` {each.note}" for each in told if each.note]
    below = f"\n\n≈ is told from a part: {'; '.join(parts)}." if parts else ""
    return _table(head, rows) + below


def _faces(faces: Mapping[str, Mapping[str, float]]) -> str:
    return _table(("", "", "wall", "× the first"), _face_rows(faces))


def _face_rows(faces: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, ...]]:
    for name, told in faces.items():
        first = next(iter(told.values()))
        for place, (what, taken) in enumerate(told.items()):
            # The import and the first table are not of a kind.
            ratio = "" if name == "fresh" else f"{taken / first:.2f}"
            yield ("" if place else _FACES.get(name, name)), what, seconds(taken), ratio


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    written = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in written)
