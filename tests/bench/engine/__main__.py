"""`python -m tests.bench.engine`, or `make bench-engine ARGS="…"`: prints tables in Markdown.

Each method is measured in a process of its own, one after the other, on the same survey and the
same cores. By default 100,000 and a million respondents × 20 and 200 audiences: some minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.engine import ours_alone
from tests.bench.engine.measuring import Measurement, measure
from tests.bench.engine.methods import METHODS
from tests.bench.engine.process import ProcessError, memory, processors, run_in_process
from tests.bench.engine.survey import make_survey

MILLION = 1_000_000
PACKAGES = ("numpy", "numba", "pandas", "polars", "duckdb", "pyroaring", "pyarrow")
NUMPY = {"AUDIENCELAB_KERNEL": "numpy"}

AHEAD = {
    ("polars", "wall"): 8,
    ("polars", "cpu"): 12,
    ("pandas-dot", "wall"): 6,
    ("duckdb-unnest", "wall"): 30,
    ("pandas-masks", "wall"): 200,
}
"""How many times as long as ours another method should take, 1,000,000 × 200 × 200."""

Cases = dict[str, dict[str, float]]


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and print; see `--help`."""
    options = _options(arguments)
    found: list[Measurement] = []
    cases: Cases = {}
    machine = _machine(options.threads)
    _print_table(("measured on", ""), machine.items())
    _print_table(("method", ""), ((name, METHODS[name].about) for name in options.methods))
    with tempfile.TemporaryDirectory(prefix="audiencelab-bench-") as folder:
        for size in options.sizes:
            survey = Path(folder) / str(size)
            make_survey(survey, size, max(*options.sides, 200))
            for side in options.sides:
                lines = [_measured(name, survey, size, side, options) for name in options.methods]
                _print_comparison(lines)
                found += lines
            if size == MILLION and not options.peers_only:
                cases = _measure_ours_alone(survey, options.threads)
    aims = [*_aims(found), *_aims_of_ours(cases)]
    if aims:
        _print_table(("aim for a million respondents", "aim", "reached", ""), aims)
    if options.json:
        kept = {"machine": machine, "measurements": found, "cases": cases, "aims": aims}
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(kept)))


def _measured(
    name: str, survey: Path, size: int, side: int, options: argparse.Namespace
) -> Measurement:
    # Half of what is free: the system needs the rest to keep files in memory.
    room = options.memory or (memory("MemAvailable", "/proc/meminfo") or 8e9) / 2
    try:
        found = run_in_process(
            *(measure, name, str(survey), side, options.budget, room),
            threads=options.threads,
            environment=METHODS[name].environment,
            # The budget is for one turn; making the data ready and checking them comes on top.
            timeout=600 + 20 * options.budget,
        )
    except ProcessError as error:
        return Measurement(method=name, respondents=size, side=side, error=str(error))
    return msgspec.convert(found, Measurement)


def _measure_ours_alone(survey: Path, threads: int) -> Cases:
    """Cases that have no peer, of a million respondents."""
    cases: Cases = {}

    def run(function: Callable[..., Any], side: int, **how: Any) -> dict[str, float]:
        how = {"threads": threads, **how}
        return dict(run_in_process(function, str(survey), side, **how))

    cases["new process"] = run(ours_alone.first_crosstab, 20)
    for kernel, environment in (("numba", {}), ("numpy", NUMPY)):
        cases[f"smaller bases, {kernel}"] = run(
            ours_alone.smaller_bases, 200, environment=environment
        )
        cases[f"cores, {kernel}"] = {
            f"{count} of {threads} cores": run(
                ours_alone.whole_table, 200, threads=count, environment=environment
            )[""]
            for count in sorted({1, threads})
        }
    cases["more respondents"] = run(ours_alone.more_respondents, 200)
    cases["more audiences of the same datapoints"] = run(ours_alone.shared_datapoints, 200)
    cases["whole path of a table"] = run(ours_alone.whole_path, 200)
    _print_table(("ours alone", "", "wall", "× the first"), _case_rows(cases))
    return cases


def _case_rows(cases: Cases) -> Iterator[tuple[str, ...]]:
    for name, times in cases.items():
        first = next(iter(times.values()))
        for label, taken in times.items():
            yield name, label, _seconds(taken), f"{taken / first:.2f}"


def _print_comparison(found: Sequence[Measurement]) -> None:
    size, by_method = found[0], {each.method: each for each in found}
    ours, bare = (by_method.get(name, size) for name in ("ours-numba", "sgemm"))
    print(f"\n### {size.respondents:,} respondents × {size.side:,} × {size.side:,} audiences")
    head = ("method", "wall", "× ours", "× sgemm", "CPU", "CPU × ours", "first cell", "peak MB")
    rows = [
        (
            f"`{each.method}`",
            ("≈ " if each.part else "") + _seconds(each.wall),
            _ratio(each.wall, ours.wall),
            _ratio(each.wall, bare.wall if bare.method == "sgemm" else None),
            _seconds(each.cpu),
            _ratio(each.cpu, ours.cpu),
            "" if each.part else _seconds(each.first, "at the end"),
            f"{each.peak / 1e6:,.0f}" if each.peak else "",
        )
        for each in found
    ]
    _print_table(head, rows)
    for each in found:
        if each.part or each.error:
            print(f"\n`{each.method}`: {each.error or 'estimated from ' + each.part}")


def _print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    print()
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def _aims(found: Sequence[Measurement]) -> Iterator[tuple[str, str, str, str]]:
    """Aims of the comparison that were measured: what, aim, reached, missed or not."""
    at = {(each.method, each.side): each for each in found if each.respondents == MILLION}

    def times(method: str, clock: str = "wall", side: int = 200) -> float:
        return getattr(at.get((method, side)), clock, None) or float("nan")

    ours = "ours-numba"
    goals: list[tuple[str, str, float, float]] = [
        (f"{ours} / sgemm", "≤", 1.5, times(ours) / times("sgemm")),
        ("ours-numpy / sgemm", "≤", 5.0, times("ours-numpy") / times("sgemm")),
        (f"peak MB, {ours}", "≤", 400, times(ours, "peak") / 1e6),
        ("peak MB, ours-numpy", "≤", 400, times("ours-numpy", "peak") / 1e6),
        ("ms of 20 × 20", "≤", 30, 1e3 * times(ours, side=20)),
    ]
    for (method, clock), least in AHEAD.items():
        ratio = times(method, clock) / times(ours, clock)
        goals.append((f"{method} / ours, {clock}", "≥", least, ratio))
    for what, sign, goal, reached in goals:
        if reached == reached:  # NaN was not measured
            met = reached <= goal if sign == "≤" else reached >= goal
            yield what, f"{sign} {goal:g}", f"{reached:.2f}", _missed(met)


def _aims_of_ours(cases: Mapping[str, Mapping[str, float]]) -> Iterator[tuple[str, str, str, str]]:
    if cases:
        *_, first = cases["new process"].values()
        yield "connect() to 20 × 20, new process", "< 1 s", f"{first:.2f} s", _missed(first < 1)
        engine, *_, whole = cases["whole path of a table"].values()
        ratio = whole / engine
        yield "client, service, frame / engine", "< 2", f"{ratio:.2f}", _missed(ratio < 2)


def _missed(met: bool) -> str:
    return "" if met else "missed"


def _seconds(taken: float | None, missing: str = "–") -> str:
    """A time as it is read: 3.4 ms, 1.25 s, 420 s."""
    if taken is None:
        return missing
    if taken < 1:
        return f"{1e3 * taken:,.1f} ms"
    return f"{taken:,.2f} s" if taken < 100 else f"{taken:,.0f} s"


def _ratio(taken: float | None, other: float | None) -> str:
    return f"{taken / other:,.2f}" if taken and other else ""


def _machine(threads: int) -> dict[str, str]:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if "model name" in line)
    processor = next(names, platform.processor() or platform.machine())
    return {
        "processor": f"{processor}, {threads} of {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.release()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        "load": ", ".join(f"{each:.1f}" for each in os.getloadavg()),
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "–"


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine", description=__doc__)
    add = parser.add_argument
    add("--sizes", type=int, nargs="+", help="respondents (default: 100000 1000000)")
    add("--sides", type=int, nargs="+", help="audiences on each side (default: 20 200)")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="NAME")
    add("--all", action="store_true", help="up to 5,000,000 × 1,000; an hour")
    add("--budget", type=float, default=30, help="seconds for a table; longer ones are estimated")
    add("--threads", type=int, default=len(processors()), help="cores for each method")
    add("--memory", type=float, help="bytes for a method (default: half of the free memory)")
    add("--peers-only", action="store_true", help="leave out what only ours is measured for")
    add("--json", type=Path, metavar="FILE", help="write the figures")
    options = parser.parse_args(arguments)
    options.sizes = options.sizes or [100_000, MILLION] + [5_000_000] * options.all
    options.sides = options.sides or [20, 200] + [1_000] * options.all
    return options


if __name__ == "__main__":
    main(sys.argv[1:])
