"""What a run prints: the machine, a table for each size, what only we were asked, the aims."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.engine.aims import Aim
from tests.bench.engine.measuring import Finding
from tests.bench.engine.way import way_of

__all__ = [
    "Line",
    "lines",
    "machine",
    "print_aims",
    "print_face",
    "print_machine",
    "print_table",
    "print_ways",
    "seconds",
]

_PACKAGES = ("numpy", "numba", "pandas", "polars", "duckdb", "pyroaring", "pyarrow")


def machine(threads: int) -> dict[str, str]:
    """Where figures come from."""
    return {
        "processor": f"{_processor()}, {threads} of {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {_version(name)}" for name in _PACKAGES),
        "load": ", ".join(f"{each:.1f}" for each in os.getloadavg()),
    }


def print_machine(told: Mapping[str, str]) -> None:
    for name, value in told.items():
        print(f"{name:10} {value}")


@dataclass(frozen=True)
class Line:
    """What is told of one way at one size, in words."""

    way: str
    wall: str = "–"
    cpu: str = "–"
    wall_to_ours: str = ""
    cpu_to_ours: str = ""
    wall_to_bare: str = ""
    first: str = ""
    peak: str = ""
    ready: str = ""
    note: str = ""


def lines(findings: Sequence[Finding]) -> list[Line]:
    """One size: seconds and memory of each way, and how they compare to ours and to bare BLAS."""
    by_way = {each.way: each for each in findings}
    ours, bare = by_way.get("ours-numba"), by_way.get("sgemm")
    return [_line(each, ours, bare) for each in findings]


def _line(each: Finding, ours: Finding | None, bare: Finding | None) -> Line:
    if each.wall is None or each.cpu is None:
        return Line(each.way, note=each.fault)
    about = "≈ " if each.part else ""
    early = seconds(each.first) if each.first else "at the end"
    return Line(
        way=each.way,
        wall=about + seconds(each.wall),
        cpu=about + seconds(each.cpu),
        wall_to_ours=_ratio(each.wall, ours and ours.wall),
        cpu_to_ours=_ratio(each.cpu, ours and ours.cpu),
        wall_to_bare=_ratio(each.wall, bare and bare.wall),
        first="" if each.part else early,
        peak=_megabytes(each.peak),
        ready=_megabytes(each.ready),
        note=f"from {each.part}" if each.part else "",
    )


def print_table(findings: Sequence[Finding]) -> None:
    size = findings[0]
    print(f"\n{size.respondents:,} respondents × {size.side:,} × {size.side:,} audiences")
    print(
        f"{'way':14}{'wall':>13}{'CPU':>13}{'× ours':>8}{'CPU × ours':>12}{'× sgemm':>9}"
        f"{'first cell':>12}{'peak MB':>9}{'data MB':>9}"
    )
    for each in lines(findings):
        print(
            f"{each.way:14}{each.wall:>13}{each.cpu:>13}{each.wall_to_ours:>8}"
            f"{each.cpu_to_ours:>12}{each.wall_to_bare:>9}{each.first:>12}"
            f"{each.peak:>9}{each.ready:>9}   {each.note}".rstrip()
        )


def print_ways(names: Iterable[str]) -> None:
    """What each way does."""
    print()
    for name in names:
        print(f"{name:14} {way_of(name).says}")


def print_face(name: str, told: Mapping[str, float]) -> None:
    print(f"\n{name}")
    first = next(iter(told.values()))
    for what, taken in told.items():
        print(f"  {what:48}{seconds(taken):>10}{taken / first:>8.2f} ×")


def print_aims(reached: Sequence[Aim]) -> None:
    if not reached:
        return
    print("\naims for a million respondents (200 × 200 where not said), and what was reached")
    for each in reached:
        print(f"  {each.what:36}{each.aim:>10}{each.reached:>10}   {'' if each.met else 'missed'}")


def seconds(taken: float) -> str:
    """A time as one reads it: 3.4 ms, 1.25 s, 420 s."""
    if taken < 1:
        return f"{1e3 * taken:,.1f} ms"
    return f"{taken:,.2f} s" if taken < 100 else f"{taken:,.0f} s"


def _ratio(taken: float, yardstick: float | None) -> str:
    if not yardstick:
        return ""
    ratio = taken / yardstick
    return f"{ratio:,.2f}" if ratio < 10 else f"{ratio:,.0f}"


def _megabytes(octets: int | None) -> str:
    return f"{octets / 1e6:,.0f}" if octets else ""


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if not information.exists():
        return platform.processor() or platform.machine()
    names = (line for line in information.read_text().splitlines() if "model name" in line)
    return next(names, platform.machine()).partition(":")[2].strip() or platform.machine()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"
