"""What a run prints: the machine, a table for each size, what only we were asked, the aims."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.engine.aims import Aim
from tests.bench.engine.measuring import Finding
from tests.bench.engine.way import way_of

__all__ = ["machine", "print_aims", "print_face", "print_machine", "print_table", "print_ways"]

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


def print_table(findings: Sequence[Finding]) -> None:
    """One size: each way's seconds and memory, and its ratios to ours and to the bare product."""
    size = findings[0]
    walls = {each.way: each.wall for each in findings if each.wall}
    ours, bare = walls.get("ours-numba"), walls.get("sgemm")
    print(f"\n{size.respondents:,} respondents × {size.side:,} × {size.side:,} audiences")
    print(
        f"{'way':14}{'wall':>12}{'CPU':>11}{'× ours':>9}{'× sgemm':>9}"
        f"{'first cell':>12}{'peak MB':>9}{'data MB':>9}"
    )
    for each in findings:
        if each.fault or each.wall is None or each.cpu is None:
            print(f"{each.way:14}{'–':>12}   {each.fault}")
            continue
        about = "≈ " if each.part else ""
        print(
            f"{each.way:14}{about + _seconds(each.wall):>12}{about + _seconds(each.cpu):>11}"
            f"{_ratio(each.wall, ours):>9}{_ratio(each.wall, bare):>9}"
            f"{_seconds(each.first) if each.first else 'at the end' if not each.part else '':>12}"
            f"{_megabytes(each.peak):>9}{_megabytes(each.ready):>9}"
            f"{'   from ' + each.part if each.part else ''}"
        )


def print_ways(names: Iterable[str]) -> None:
    """What each way does."""
    print()
    for name in names:
        print(f"{name:14} {way_of(name).says}")


def print_face(name: str, told: Mapping[str, float]) -> None:
    print(f"\n{name}")
    first = next(iter(told.values()))
    for what, seconds in told.items():
        print(f"  {what:48}{_seconds(seconds):>10}{seconds / first:>8.2f} ×")


def print_aims(reached: Sequence[Aim]) -> None:
    if not reached:
        return
    print("\naims for a million respondents (200 × 200 where not said), and what was reached")
    for each in reached:
        print(f"  {each.what:36}{each.aim:>10}{each.reached:>10}   {'' if each.met else 'missed'}")


def _seconds(seconds: float) -> str:
    return f"{1e3 * seconds:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"


def _ratio(seconds: float, yardstick: float | None) -> str:
    if not yardstick:
        return ""
    ratio = seconds / yardstick
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
