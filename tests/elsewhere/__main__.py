"""Try the package with other versions: `python -m tests.elsewhere`, or some rows by name.

Makes an environment for each row of `rows`, installs the wheel as users have it, and runs the
parts. Says what could not be had instead of passing over it. `--write` keeps the table for the
guide. Ends with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from tests.elsewhere.environment import CannotBeHad, Environment, build_wheel
from tests.elsewhere.rows import PARTS, ROWS, Part, Row

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "docs" / "figures" / "elsewhere.md"


@dataclass
class Found:
    """What came of one row: versions and, for each part, passed, failed, skipped."""

    row: Row
    versions: dict[str, str] = field(default_factory=dict)
    counts: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    missing: str = ""

    @property
    def failed(self) -> bool:
        return any(failed or not passed for passed, failed, _ in self.counts.values())


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.elsewhere", description=__doc__)
    parser.add_argument("rows", nargs="*", help="parts of the names of rows, such as pandas2.3")
    parser.add_argument("--write", action="store_true", help="keep the table for the guide")
    parser.add_argument("--folder", type=Path, default=ROOT / ".artifacts" / "elsewhere")
    parser.add_argument("--part", action="append", choices=[part.name for part in PARTS])
    options = parser.parse_args(arguments)
    rows = [row for row in ROWS if not options.rows or any(n in row.name for n in options.rows)]
    parts = [part for part in PARTS if not options.part or part.name in options.part]
    if not rows:
        parser.error("no such row; there are " + ", ".join(row.name for row in ROWS))
    wheel = build_wheel(ROOT, options.folder / "dist")
    found = []
    for row in rows:
        found.append(try_row(row, parts, wheel, options.folder))
        print(table(found), flush=True)
        if options.write:
            TABLE.write_text(table(found), encoding="utf-8")
    return int(any(each.failed for each in found))


def try_row(row: Row, parts: Sequence[Part], wheel: Path, folder: Path) -> Found:
    """Make its environment, run the parts, and leave nothing but the reports behind."""
    print(f"\n== {row.name} ==", flush=True)
    environment = Environment(row, folder)
    found = Found(row)
    try:
        environment.make(wheel, ROOT)
        found.versions = environment.versions()
        for part in parts:
            report = folder / f"{row.name}-{part.name.replace(' ', '-')}.xml"
            report.unlink(missing_ok=True)
            begun = time.monotonic()
            passed = environment.run(part.arguments, ROOT, report)
            found.counts[part.name] = counted(report, passed)
            print(f"{part.name}: {time.monotonic() - begun:.0f} s", flush=True)
    except CannotBeHad as error:
        found.missing = str(error)
        print(f"skipped: {error}", flush=True)
    finally:
        shutil.rmtree(folder / row.name, ignore_errors=True)
    return found


def counted(report: Path, passed: bool) -> tuple[int, int, int]:
    """Tests passed, failed and skipped; a run that ended without a report has failed."""
    if not report.is_file():
        return (0, 1, 0)
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    total = failed = skipped = 0
    for suite in suites:
        total += int(suite.get("tests", 0))
        failed += int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        skipped += int(suite.get("skipped", 0))
    if not passed and not failed:
        failed = 1
    return (total - failed - skipped, failed, skipped)


def table(found: Sequence[Found]) -> str:
    """The matrix in Markdown, as it was measured."""
    heads = ["Python", "ipykernel", "pandas", "JupyterLab", *(part.name for part in PARTS)]
    lines = ["<!-- written by python -m tests.elsewhere --write -->", ""]
    lines += ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    for each in found:
        versions = each.versions
        if each.missing:
            pinned = (each.row.ipykernel or "oldest", each.row.pandas or "oldest")
            cells = [each.row.python, *pinned, each.missing]
            cells += ["–"] * len(PARTS)
        else:
            names = ("python", "ipykernel", "pandas", "jupyterlab")
            cells = [versions[name] for name in names]
            cells += [told(each.counts.get(part.name)) for part in PARTS]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def told(counts: tuple[int, int, int] | None) -> str:
    """Counts as the table shows them."""
    if counts is None:
        return "not run"
    passed, failed, skipped = counts
    words = [f"{passed:,} passed"]
    words += [f"**{failed:,} failed**"] if failed else []
    words += [f"{skipped:,} skipped"] if skipped else []
    return ", ".join(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
