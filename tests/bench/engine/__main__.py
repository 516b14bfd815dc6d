"""`python -m tests.bench.engine`, or `make bench-engine ARGS="…"`.

Every way is measured in a process of its own, one after the other, on the same survey and the
same cores. By default 100,000 and a million respondents × 20 and 200 audiences: some minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tests.bench.engine import faces, memory, report
from tests.bench.engine.aims import aims
from tests.bench.engine.apart import ApartError, apart, processors
from tests.bench.engine.markdown import markdown
from tests.bench.engine.measuring import Finding, measure
from tests.bench.engine.survey import make_survey
from tests.bench.engine.way import WAYS, way_of

__all__ = ["main"]

_SIZES, _SIDES = [100_000, 1_000_000], [20, 200]
_ALL_SIZES, _ALL_SIDES = [*_SIZES, 5_000_000], [*_SIDES, 1_000]
_MILLION = 1_000_000

_BUDGET = "seconds for a table; what takes longer is told from a part of it (default: 30)"


def main(given: Sequence[str] = ()) -> None:
    """Measure and print; see `--help`."""
    options = _options(given)
    run = _Run(options)
    started = time.perf_counter()
    about = report.machine(options.threads)
    report.print_machine(about)
    report.print_ways(options.ways)
    with tempfile.TemporaryDirectory(prefix="audiencelab-bench-") as folder:
        for size in options.sizes:
            survey = Path(folder) / str(size)
            _say(f"making {size:,} respondents")
            make_survey(survey, size, max(*options.sides, 200))
            for side in options.sides:
                run.compare(survey, size, side)
            if size == _MILLION and options.faces:
                run.ask_ours(survey)
    reached = aims(run.findings, run.faces)
    report.print_aims(reached)
    print(f"\n{time.perf_counter() - started:.0f} s in all")
    if options.markdown:
        text = markdown(about, run.findings, run.faces, reached)
        options.markdown.write_text(text, encoding="utf-8")
    if options.json:
        kept = {"machine": about, "findings": run.findings, "faces": run.faces, "aims": reached}
        options.json.write_bytes(msgspec.json.format(msgspec.json.encode(kept)))


class _Run:
    """What was found so far."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.findings: list[Finding] = []
        self.faces: dict[str, dict[str, float]] = {}

    def compare(self, survey: Path, size: int, side: int) -> None:
        """All ways at one size, and their table."""
        found: list[Finding] = []
        for name in self._options.ways:
            _say(f"{size:,} × {side:,}: {name}")
            found.append(self._measured(name, survey, size, side))
        _say("")
        self.findings += found
        report.print_table(found)
        sys.stdout.flush()

    def _measured(self, name: str, survey: Path, size: int, side: int) -> Finding:
        way, budget = way_of(name), self._options.budget
        # Half of what is free: the rest is for what the system would rather keep in memory.
        room = self._options.memory or (memory.available() or 8e9) / 2
        try:
            found = apart(
                measure,
                *(name, str(survey), side, budget, room),
                threads=way.threads or self._options.threads,
                environment=way.environment,
                # Data are made ready and checked besides, and a budget is for one turn.
                patience=600 + 20 * budget,
            )
        except ApartError as error:
            return Finding(way=name, respondents=size, side=side, fault=str(error))
        return msgspec.convert(found, Finding)

    def ask_ours(self, survey: Path) -> None:
        """What only we are asked, of a million."""
        threads, plain = self._options.threads, {"AUDIENCELAB_KERNEL": "numpy"}
        cores = {f"{count} of {threads} cores": count for count in sorted({1, threads})}

        def ask(name: str, face: Callable[..., Any], side: int, **how: Any) -> None:
            _say(name)
            try:
                told = apart(face, str(survey), side, **{"threads": threads, **how})
            except ApartError as error:
                _say("")
                print(f"\n{name}: {error}")
                return
            self._tell(name, dict(told))

        ask("fresh", faces.fresh, 20)
        for kernel, environment in (("numba", {}), ("numpy", plain)):
            ask(f"smaller bases, {kernel}", faces.by_base, 200, environment=environment)
        ask("more respondents", faces.by_respondents, 200)
        ask("shared leaves", faces.shared_leaves, 200)
        for kernel, environment in (("numba", {}), ("numpy", plain)):
            _say(f"cores, {kernel}")
            told = {
                what: apart(
                    faces.whole_table, str(survey), 200, threads=count, environment=environment
                )[0][1]
                for what, count in cores.items()
            }
            self._tell(f"cores, {kernel}", told)
        ask("whole way", faces.whole_way, 200)

    def _tell(self, name: str, told: dict[str, float]) -> None:
        _say("")
        self.faces[name] = told
        report.print_face(name, told)
        sys.stdout.flush()


def _say(what: str) -> None:
    """One line of progress, which the next one takes the place of."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{what}", end="", file=sys.stderr, flush=True)


def _options(given: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.engine", description=__doc__)
    parser.add_argument("--sizes", type=_numbers, help="respondents, as 100000,1000000")
    parser.add_argument("--sides", type=_numbers, help="audiences on each side, as 20,200")
    parser.add_argument("--ways", type=_ways, default=list(WAYS), help=", ".join(WAYS))
    parser.add_argument("--all", action="store_true", help="up to 5,000,000 × 1,000; an hour")
    parser.add_argument("--budget", type=float, default=30, help=_BUDGET)
    parser.add_argument("--threads", type=int, default=len(processors()), help="cores for each way")
    parser.add_argument("--memory", type=float, help="octets for a way (default: half of the free)")
    parser.add_argument(
        "--no-faces", dest="faces", action="store_false", help="leave out what only we are asked"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="keep the tables")
    options = parser.parse_args(given)
    options.sizes = options.sizes or (_ALL_SIZES if options.all else _SIZES)
    options.sides = options.sides or (_ALL_SIDES if options.all else _SIDES)
    return options


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.replace(",", " ").split()]


def _ways(text: str) -> list[str]:
    names = text.replace(",", " ").split()
    if unknown := [name for name in names if name not in WAYS]:
        raise argparse.ArgumentTypeError(f"{', '.join(unknown)}: there are {', '.join(WAYS)}")
    return names


if __name__ == "__main__":
    main(sys.argv[1:])
