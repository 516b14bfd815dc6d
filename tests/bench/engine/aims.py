"""What we want of a million respondents, beside what a run reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tests.bench.engine.measuring import Finding

__all__ = ["Aim", "aims"]

_RESPONDENTS, _SIDE = 1_000_000, 200
_OURS, _PLAIN = "ours-numba", "ours-numpy"
_AHEAD = (
    ("polars", "wall", 8),
    ("polars", "cpu", 12),
    ("pandas-dot", "wall", 6),
    ("duckdb-unnest", "wall", 30),
    ("pandas-masks", "wall", 200),
)


class Aim(NamedTuple):
    """An aim, in words, and the figure that was reached."""

    what: str
    aim: str
    reached: str
    met: bool


def aims(findings: Sequence[Finding], faces: Mapping[str, Mapping[str, float]]) -> list[Aim]:
    """Those aims that the run measured."""
    return [*_of_the_comparison(findings), *_of_the_faces(faces)]


def _of_the_comparison(findings: Sequence[Finding]) -> Iterator[Aim]:
    at = {
        (each.way, each.side): each
        for each in findings
        if each.respondents == _RESPONDENTS and each.wall is not None
    }
    ours, bare = at.get((_OURS, _SIDE)), at.get(("sgemm", _SIDE))
    for way, factor in ((_OURS, 1.5), (_PLAIN, 5.0)):
        if bare and bare.wall and (mine := at.get((way, _SIDE))) and mine.wall:
            ratio = mine.wall / bare.wall
            yield Aim(f"{way} / bare sgemm", f"≤ {factor}", f"{ratio:.2f}", ratio <= factor)
    for way, clock, factor in _AHEAD:
        peer = at.get((way, _SIDE))
        mine, theirs = getattr(ours, clock, None), getattr(peer, clock, None)
        if mine and theirs:
            ratio = theirs / mine
            yield Aim(f"{way} / ours, {clock}", f"≥ {factor}", f"{ratio:.1f}", ratio >= factor)
    if (small := at.get((_OURS, 20))) and small.wall:
        reached = 1e3 * small.wall
        yield Aim("20 × 20", "< 30 ms", f"{reached:.0f} ms", reached < 30)
    for way in (_OURS, _PLAIN):
        if (mine := at.get((way, _SIDE))) and mine.peak:
            reached = mine.peak / 1e6
            yield Aim(f"peak memory, {way}", "< 400 MB", f"{reached:.0f} MB", reached < 400)


def _of_the_faces(faces: Mapping[str, Mapping[str, float]]) -> Iterator[Aim]:
    if told := faces.get("fresh"):
        reached = list(told.values())[-1]
        yield Aim("connect() to 20 × 20, new process", "< 1 s", f"{reached:.2f} s", reached < 1)
    if told := faces.get("whole way"):
        steps = list(told.values())
        ratio = steps[-1] / steps[0]
        yield Aim("client, service, frame / engine", "< 2", f"{ratio:.2f}", ratio < 2)
