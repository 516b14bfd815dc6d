"""The findings as a table, in Markdown: what is printed is what the documentation shows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from tests.bench.grid.measuring import Finding

__all__ = ["HEADINGS", "page", "percentile", "table"]

HEADINGS = (
    "",
    "first paint",
    "again",
    "frame p50",
    "p95",
    "dropped",
    "work",
    "empty",
    "sent",
    "scrolled",
    "saved",
    "code",
    "heap",
)


def page(about: str, findings: Sequence[Finding]) -> str:
    """All tables, for the documentation, which writes the rest."""
    tables = [table(list(same)) for _, same in groupby(findings, lambda f: (f.rows, f.columns))]
    return "\n\n".join(["<!-- written by tests.bench.grid -->", *tables, about]) + "\n"


def table(findings: Sequence[Finding]) -> str:
    """The table of one size, and under it what is to be said of its lines."""
    lines = [
        f"**{findings[0].rows:,} × {findings[0].columns:,} cells**",
        "",
        _line(HEADINGS),
        _line(["---", *["---:"] * (len(HEADINGS) - 1)]),
        *(_line(_cells(found)) for found in findings if not found.fault),
    ]
    remarks = [f"- {found.way}: {found.fault}" for found in findings if found.fault]
    for found in findings:
        still = [f"does not scroll {' or '.join(found.still)}"] if found.still else []
        remarks += [f"- {found.way}: {remark}" for remark in (*still, *found.remarks)]
    return "\n".join([*lines, *([""] if remarks else []), *remarks])


def percentile(ordered: Sequence[float], part: float) -> float | None:
    """The value below which that part of the ordered values lies."""
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))] if ordered else None


def _cells(found: Finding) -> list[str]:
    times = found.frame_times()
    return [
        found.way,
        _ms(found.first, 0),
        _ms(found.again, 0),
        _ms(percentile(times, 0.5), 1),
        _ms(percentile(times, 0.95), 1),
        f"{found.dropped()} of {len(times) + found.dropped()}" if times else "–",
        _ms(found.frame_work(), 1),
        "–" if found.empty is None else f"{found.empty:.0%}",
        _bytes(found.shown),
        _bytes(found.scrolled),
        _bytes(found.saved),
        _bytes(found.bundle),
        _bytes(found.heap),
    ]


def _ms(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:,.{digits}f} ms"


def _bytes(value: int | None) -> str:
    if value is None:
        return "–"
    return f"{value / 1e6:,.1f} MB" if value >= 1e6 else f"{value / 1e3:,.0f} kB"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
